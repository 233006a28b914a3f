-- Makes the commit of this transaction wait for the synchronous standby, as if it had written something. An answer
-- based only on rows that were read then never reports data that a failover can lose: after a crash, a server shows
-- commits that no standby has confirmed. A transaction that locks or writes a row waits anyway. Without a synchronous
-- standby, the function does nothing.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.await_standby() RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF current_setting('synchronous_standby_names') <> '' THEN
        PERFORM pg_logical_emit_message(TRUE, 'wallet', '');
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.await_standby() IS
'Makes the commit of this transaction wait for the synchronous standby, even if it wrote nothing.';
