-- Returns up to p_limit classes with seats reserved for the waitlist. The order is random, so that classes whose
-- members' wallets are locked do not block the others.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.classes_to_promote(p_limit INTEGER) RETURNS SETOF wallet.seats_of LANGUAGE sql
VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT s.class_id, s.environment FROM wallet.class_seats AS s
    WHERE s.reserved > 0
    ORDER BY random()
    LIMIT p_limit;
$$;
COMMENT ON FUNCTION wallet.classes_to_promote(INTEGER) IS 'Returns classes with seats reserved for the waitlist.';
