-- Returns the sums of a wallet, as the audit records them before and after an action; zeros if the wallet does not
-- exist yet.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.wallet_state(p_account_id BIGINT, p_environment wallet.environment) RETURNS JSONB
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT jsonb_build_object(
        'credits', coalesce(sum(w.credits), 0), 'visits', coalesce(sum(w.visits), 0),
        'owed_credits', coalesce(sum(w.owed_credits), 0), 'owed_visits', coalesce(sum(w.owed_visits), 0)
    )
    FROM wallet.wallets AS w
    WHERE w.account_id = p_account_id AND w.environment = p_environment;
$$;
COMMENT ON FUNCTION wallet.wallet_state(BIGINT, wallet.environment) IS 'Returns the sums of a wallet, for the audit.';
