-- Returns why a claim grants nothing to the caller, or null if it may grant.
-- p_attested_by_store: whether the store itself, not the submitter, names the owner.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.grant_refusal(
    p_claim wallet.claims,
    p_account_id BIGINT,
    p_owner BIGINT,
    p_attested_by_store BOOLEAN DEFAULT FALSE
) RETURNS TEXT LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_product wallet.products;
    v_grants_from TIMESTAMPTZ;
    v_sandbox TEXT;
BEGIN
    IF p_owner IS NULL THEN
        RETURN 'unknown-user';
    ELSIF p_claim.account_id <> p_account_id OR p_owner <> p_account_id THEN
        RETURN CASE
            WHEN p_claim.released_at IS NOT NULL OR EXISTS (
                SELECT FROM wallet.accounts AS a WHERE a.account_id = p_owner AND a.deleted_at IS NOT NULL
            ) THEN 'released'
            ELSE 'transaction-already-claimed'
        END;
    ELSIF
        p_claim.account_id IS NULL AND p_claim.token_digest IS NOT NULL
        AND p_account_id IS NOT NULL AND NOT p_attested_by_store
        AND wallet.renewed_owner(p_claim) IS DISTINCT FROM p_account_id
        AND NOT EXISTS (
            SELECT FROM wallet.identities AS i
            WHERE i.account_id = p_owner AND sha256(uuid_send(i.app_account_token)) = p_claim.token_digest
            UNION ALL
            -- A deleted user may have returned with the same token.
            SELECT FROM wallet.released_tokens AS t
            WHERE t.token_digest = p_claim.token_digest AND NOT EXISTS (
                SELECT FROM wallet.identities AS i
                WHERE sha256(uuid_send(i.app_account_token)) = p_claim.token_digest
            )
        )
    THEN
        RETURN 'account-token-mismatch';
    ELSIF p_claim.ownership = 'family_shared' THEN
        RETURN 'family-shared';
    ELSIF p_claim.granted_at IS NOT NULL THEN
        RETURN CASE WHEN p_claim.refunded_millionths = 1000000 THEN 'refunded' END;
    END IF;
    v_product := wallet.product_of(p_claim);
    IF v_product.grant_source = 'virtual_currency' THEN
        IF coalesce(p_claim.reported_amount, 0) = 0 THEN
            RETURN 'granted-by-virtual-currency';
        END IF;
    ELSIF p_claim.pending THEN
        RETURN 'pending';
    END IF;
    SELECT s.grants_from INTO v_grants_from FROM wallet.stores AS s WHERE s.store = p_claim.store;
    IF NOT FOUND THEN
        RETURN 'store-not-enabled';
    ELSIF p_claim.purchased_at < v_grants_from THEN
        RETURN 'before-cutover';
    END IF;
    IF p_claim.environment = 'sandbox' THEN
        SELECT i.sandbox_purchases INTO STRICT v_sandbox FROM wallet.instance AS i;
        IF v_sandbox = 'refuse' OR (v_sandbox = 'testers' AND NOT EXISTS (
            SELECT FROM wallet.testers AS t WHERE t.account_id = p_owner
        )) THEN
            RETURN 'sandbox-refused';
        END IF;
    END IF;
    IF v_product.product_id IS NULL THEN
        RETURN 'unknown-product';
    ELSIF p_claim.kind = 'subscription' AND p_claim.expires_at IS NULL THEN
        -- A grant now would never end. The fact that reports the end grants the claim.
        RETURN 'period-end-unknown';
    ELSIF EXISTS (SELECT FROM wallet.accounts AS a WHERE a.account_id = p_owner AND a.blocked_at IS NOT NULL) THEN
        RETURN 'account-blocked';
    ELSIF p_claim.refunded_millionths = 1000000 THEN
        RETURN 'refunded';
    END IF;
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.grant_refusal(wallet.claims, BIGINT, BIGINT, BOOLEAN) IS
'Returns why a claim grants nothing to the caller, or null if it may grant.';
