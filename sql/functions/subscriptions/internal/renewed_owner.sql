-- Returns the account that owns the subscription that a claim renews, or the purchase that it replaces; null for none.
-- Another user may buy with the same store account, so the claim's account token counts too. If a period of the
-- subscription has the same token, the result is the account that owns that period's purchase now, after transfers and
-- restores. The same holds if the token belongs to the owner of a period without a token. An unknown token is ignored
-- if no period has a token, or if it belonged to a deleted user. With any other token, the claim is not a renewal.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.renewed_owner(p_claim wallet.claims) RETURNS BIGINT LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_owner CONSTANT BIGINT := coalesce((
        SELECT s.account_id FROM wallet.subscriptions AS s
        WHERE
            s.store = p_claim.store AND s.environment = p_claim.environment
            AND s.original_transaction_id = p_claim.chain_id
    ), (
        -- A further product of a subscription belongs to the subscription's owner.
        SELECT s.account_id FROM wallet.subscriptions AS s
        WHERE
            s.store = p_claim.store AND s.environment = p_claim.environment
            AND s.original_transaction_id = coalesce(p_claim.original_transaction_id, p_claim.transaction_id)
    ), (
        SELECT c.account_id FROM wallet.claims AS c
        WHERE
            c.store = p_claim.store AND c.environment = p_claim.environment AND c.kind = 'subscription'
            AND c.purchase_token IN (p_claim.purchase_token, p_claim.linked_purchase_token)
            AND c.account_id IS NOT NULL AND p_claim.kind = 'subscription'
        ORDER BY c.purchased_at DESC, c.claim_id DESC
        LIMIT 1
    ));
    v_named BIGINT;
    v_bought wallet.claims;
BEGIN
    IF v_owner IS NULL OR p_claim.token_digest IS NULL THEN
        RETURN v_owner;
    END IF;
    SELECT CASE WHEN count(DISTINCT i.account_id) = 1 THEN min(i.account_id) END INTO v_named
    FROM wallet.identities AS i
    WHERE sha256(uuid_send(i.app_account_token)) = p_claim.token_digest;
    IF v_named = v_owner THEN
        RETURN v_owner;
    END IF;
    SELECT c.* INTO v_bought FROM wallet.claims AS c
    WHERE
        c.store = p_claim.store AND c.environment = p_claim.environment AND c.kind = 'subscription'
        AND (
            c.chain_id IN (
                p_claim.chain_id, coalesce(p_claim.original_transaction_id, p_claim.transaction_id)
            )
            OR c.purchase_token IN (p_claim.purchase_token, p_claim.linked_purchase_token)
        )
        AND c.granted_at IS NOT NULL AND c.duplicate_of IS NULL AND c.claim_id IS DISTINCT FROM p_claim.claim_id
    ORDER BY
        c.token_digest IS NOT DISTINCT FROM p_claim.token_digest DESC,
        c.token_digest IS NULL AND c.account_id IS NOT DISTINCT FROM v_named DESC,
        -- Of the other periods, those with a token come first.
        c.token_digest IS NULL, c.purchased_at > p_claim.purchased_at, c.purchased_at DESC, c.claim_id DESC
    LIMIT 1;
    RETURN CASE
        WHEN v_bought.token_digest = p_claim.token_digest
            OR v_bought.token_digest IS NULL AND v_bought.account_id = v_named
            THEN wallet.transferred_to(v_bought)
        WHEN v_named IS NULL AND (v_bought.token_digest IS NULL OR EXISTS (
            SELECT FROM wallet.released_tokens AS t WHERE t.token_digest = p_claim.token_digest
        )) THEN v_owner
    END;
END;
$$;
COMMENT ON FUNCTION wallet.renewed_owner(wallet.claims) IS
'Returns the account that owns the subscription that a claim renews or replaces.';
