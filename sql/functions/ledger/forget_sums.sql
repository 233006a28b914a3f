-- Forgets all daily sums, so that wallet.sum_days makes them anew from the ledger.
-- Locks: one key for the sums as a whole. Codes: none.
CREATE OR REPLACE FUNCTION wallet.forget_sums() RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('wallet.daily_sums', 0));
    DELETE FROM wallet.summed_wallets AS s WHERE TRUE;
    DELETE FROM wallet.daily_sums AS k WHERE TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.forget_sums() IS 'Forgets all daily sums, so that they are made anew.';
