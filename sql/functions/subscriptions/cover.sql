-- Returns whether a live unlimited plan covers a class that starts at p_starts_at: within its period, or later if the
-- plan will renew.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.has_unlimited(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_starts_at TIMESTAMPTZ
) RETURNS BOOLEAN LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM wallet.subscription_states AS s
        WHERE
            s.account_id = p_account_id AND s.environment = p_environment AND s.unlimited AND s.has_access
            AND (s.will_renew OR p_starts_at < s.access_ends_at)
    );
END;
$$;
COMMENT ON FUNCTION wallet.has_unlimited(BIGINT, wallet.environment, TIMESTAMPTZ) IS
'Returns whether a live unlimited plan covers a class that starts at a time.';

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

-- Returns until when bookings paid by an unlimited plan wait for the plan's renewal; null if they do not wait. Stores
-- report a renewal some minutes after the end of the period, and users must not lose their bookings because of this.
-- Bookings do not wait if the store reported that the plan will not renew, has ended or is paused.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.renewal_deadline(p_account_id BIGINT, p_environment wallet.environment)
RETURNS TIMESTAMPTZ LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT max(s.access_ends_at + INTERVAL '1 hour') FROM wallet.subscription_states AS s
        INNER JOIN wallet.subscriptions AS t
            ON s.account_id = t.account_id AND s.subscription_id = t.subscription_id
        WHERE
            s.account_id = p_account_id AND s.environment = p_environment AND s.unlimited AND NOT s.has_access
            AND s.will_renew AND t.ended IS NULL AND NOT t.paused
            AND s.access_ends_at + INTERVAL '1 hour' > wallet.now()
    );
END;
$$;
COMMENT ON FUNCTION wallet.renewal_deadline(BIGINT, wallet.environment) IS
'Returns until when a wallet''s bookings wait for the report of an unlimited plan''s renewal.';
