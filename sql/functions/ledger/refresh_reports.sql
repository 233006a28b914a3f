-- Recomputes the reports that read every purchase or lot, which takes seconds on large databases. Readers see the old
-- ones until it commits. Returns false if another session is already recomputing them.
-- Locks: an advisory lock for all reports. Codes: none.
CREATE OR REPLACE FUNCTION wallet.refresh_reports() RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp SET jit = off AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('wallet.reports', 0)) THEN
        RETURN FALSE;
    END IF;
    DELETE FROM wallet.revenue_rows;
    INSERT INTO wallet.revenue_rows
    SELECT row_number() OVER (ORDER BY v.day DESC), v.* FROM admin.revenue_daily AS v;
    DELETE FROM wallet.breakage_rows;
    INSERT INTO wallet.breakage_rows
    SELECT row_number() OVER (ORDER BY v.month DESC), v.* FROM admin.breakage AS v;
    DELETE FROM wallet.subscription_rows;
    INSERT INTO wallet.subscription_rows
    SELECT row_number() OVER (ORDER BY v.month DESC), v.* FROM admin.subscription_months AS v;
    RETURN TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.refresh_reports() IS 'Recomputes the reports that read every purchase or lot.';
