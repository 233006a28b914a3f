-- Says what a class's limits have against a booking of so many seats; null when nothing.
-- Called by: wallet.plan_booking, wallet.may_wait. Locks: none. Codes, in the answer: 409 too-many-seats.
CREATE OR REPLACE FUNCTION wallet.check_limits(
    p_class wallet.classes,
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_seats INTEGER
) RETURNS wallet.booking_plan LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT wallet.no_plan(409, 'too-many-seats', jsonb_build_object('max_seats', p_class.max_seats))
    WHERE p_class.max_seats < p_seats;
$$;
COMMENT ON FUNCTION wallet.check_limits(wallet.classes, BIGINT, wallet.environment, INTEGER) IS
'What a class''s limits have against a booking.';
