-- Returns whether a class still gives seats to its waitlist: it is scheduled and its cutoff has not passed. After the
-- cutoff, free seats are available to all users.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.waitlist_is_open(p_class wallet.classes) RETURNS BOOLEAN LANGUAGE plpgsql VOLATILE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN p_class.status = 'scheduled'
        AND wallet.now() < p_class.starts_at - make_interval(mins => p_class.waitlist_cutoff_minutes);
END;
$$;
COMMENT ON FUNCTION wallet.waitlist_is_open(wallet.classes) IS
'Returns whether a class still gives seats to its waitlist.';
