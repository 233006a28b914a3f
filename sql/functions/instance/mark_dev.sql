-- Marks a new database as a dev database. Refuses a production database that has ever had an account.
-- Locks: the instance row. Codes: WL409.
CREATE OR REPLACE FUNCTION wallet.mark_dev() RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM wallet.accounts) AND (SELECT i.kind FROM wallet.instance AS i) <> 'dev' THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'database-is-production';
    END IF;
    UPDATE wallet.instance SET kind = 'dev';
END;
$$;
COMMENT ON FUNCTION wallet.mark_dev() IS 'Marks a database without accounts as a dev database.';
