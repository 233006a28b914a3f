-- Returns the number of seats of a class that a booking may take. Until the cutoff, reserved seats are only for members
-- promoted from the waitlist. After the cutoff they are available to everyone, even before the promotion worker has
-- released them.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.seats_left(
    p_class wallet.classes,
    p_environment wallet.environment,
    p_promoted BOOLEAN DEFAULT FALSE
) RETURNS INTEGER LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT s.capacity - s.sold - CASE
            WHEN p_promoted OR s.reserved = 0 OR NOT wallet.waitlist_is_open(p_class) THEN 0 ELSE s.reserved
        END
        FROM wallet.class_seats AS s
        WHERE s.class_id = p_class.class_id AND s.environment = p_environment
    );
END;
$$;
COMMENT ON FUNCTION wallet.seats_left(wallet.classes, wallet.environment, BOOLEAN) IS
'Returns the number of seats of a class that a booking may take.';
