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
