-- Inserts a check of a wallet whose unlimited plan may have ended, so that the bookings that the plan paid are checked.
-- p_ended: whether the plan has just ended. A concurrent booking on it may not be visible yet, so the check is always
-- inserted; otherwise only if the wallet has such bookings.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.check_cover(p_account_id BIGINT, p_environment wallet.environment, p_ended BOOLEAN)
RETURNS VOID LANGUAGE sql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    INSERT INTO wallet.cover_checks (account_id, environment)
    SELECT p_account_id, p_environment
    WHERE p_ended OR EXISTS (
        SELECT FROM wallet.bookings AS b
        WHERE
            b.account_id = p_account_id AND b.environment = p_environment AND b.cancelled_at IS NULL AND b.unit IS NULL
    );
$$;
COMMENT ON FUNCTION wallet.check_cover(BIGINT, wallet.environment, BOOLEAN) IS
'Inserts a check of a wallet whose unlimited plan may have ended.';
