-- Tells which account may own a claim: the owner it has, else the owner of the subscription that it renews, else the
-- submitter, else the one that its account token names.
-- Called by: wallet.apply_fact. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.claimant(p_account_id BIGINT, p_claim wallet.claims) RETURNS BIGINT
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT coalesce(p_claim.account_id, (
        SELECT s.account_id FROM wallet.subscriptions AS s
        WHERE
            s.store = p_claim.store AND s.environment = p_claim.environment
            AND s.original_transaction_id = p_claim.original_transaction_id
    ), p_account_id, (
        SELECT i.account_id FROM wallet.identities AS i
        WHERE sha256(uuid_send(i.app_account_token)) = p_claim.token_digest
    ));
$$;
COMMENT ON FUNCTION wallet.claimant(BIGINT, wallet.claims) IS
'The account that may own a claim, null for nobody known.';
