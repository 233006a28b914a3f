-- Returns the account that owns the subscription that a claim renews, or the purchase that it replaces; null for none.
-- Another user may buy with the same store account, so the claim's account token counts too. If a period of the
-- subscription has the same token, the result is the account that owns that period's purchase now, after transfers and
-- restores. The same holds if the token belongs to the owner of a period without a token. An unknown token is ignored
-- if no period has a token, or if it belonged to a deleted user. With any other token, the claim is not a renewal.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.renewed_owner(p_claim wallet.claims) RETURNS BIGINT LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_first CONSTANT TEXT := coalesce(p_claim.original_transaction_id, p_claim.transaction_id);
    -- A product of a subscription without an owner of its own belongs to the owner of the subscription's other products.
    v_chain_ids CONSTANT TEXT[] := ARRAY[p_claim.chain_id, v_first] || ARRAY(
        SELECT v_first || ' ' || p.label FROM unnest(p_claim.purchase_products) AS p (label)
    );
    v_owner BIGINT;
    v_named BIGINT;
    v_bought wallet.claims;
BEGIN
    -- One search for each id: a search for any of them would read all subscriptions until the table has statistics.
    SELECT s.account_id INTO v_owner FROM unnest(v_chain_ids) WITH ORDINALITY AS i (chain_id, place)
    CROSS JOIN LATERAL (
        SELECT s.account_id FROM wallet.subscriptions AS s
        WHERE
            s.store = p_claim.store AND s.environment = p_claim.environment
            AND s.original_transaction_id = i.chain_id
        LIMIT 1
    ) AS s
    ORDER BY i.place
    LIMIT 1;
    IF v_owner IS NULL AND p_claim.kind = 'subscription' THEN
        SELECT c.account_id INTO v_owner FROM wallet.claims AS c
        WHERE
            c.store = p_claim.store AND c.environment = p_claim.environment AND c.kind = 'subscription'
            AND c.purchase_token IN (p_claim.purchase_token, p_claim.linked_purchase_token)
            AND c.account_id IS NOT NULL
        ORDER BY c.purchased_at DESC, c.claim_id DESC
        LIMIT 1;
    END IF;
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
            c.chain_id = ANY(v_chain_ids)
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

-- Returns the account that owns a period's subscription now. It starts at the subscription's first account and follows
-- the stores' transfers. Transfers from before the period, or from before a user restored the subscription, are
-- ignored. If an account on the way was merged, the result continues with the account that it was merged into.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.transferred_to(p_claim wallet.claims) RETURNS BIGINT LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_id BIGINT := coalesce(p_claim.subscriber_id, p_claim.account_id);
    v_at TIMESTAMPTZ := coalesce(p_claim.subscriber_since, p_claim.purchased_at);
    v_transfer wallet.subscription_transfers;
BEGIN
    LOOP
        SELECT t.* INTO v_transfer FROM wallet.subscription_transfers AS t
        WHERE
            t.from_account_id = v_account_id AND t.environment = p_claim.environment
            AND (t.at >= v_at OR t.is_merge)
        -- A store's transfers come before the merge: they concern the merged account's own subscriptions, even if they
        -- are reported after the merge.
        ORDER BY t.is_merge, t.at, t.to_account_id
        LIMIT 1;
        EXIT WHEN NOT FOUND;
        v_account_id := v_transfer.to_account_id;
        -- Two opposite transfers at the same time must not cause an endless loop.
        v_at := greatest(
            v_at, v_transfer.at + make_interval(secs => CASE WHEN v_transfer.is_merge THEN 0 ELSE 0.000001 END)
        );
    END LOOP;
    RETURN v_account_id;
END;
$$;
COMMENT ON FUNCTION wallet.transferred_to(wallet.claims) IS
'Returns the account that owns a period''s subscription now, after the stores'' transfers.';

-- Marks later grants of a released purchase as released, too. For a deleted account, this covers everything that its
-- purchases still grant, so that its user can restore it. For a subscription that its owner has released, it covers
-- each further period, so that a user who proves one period restores all of them.
-- The caller holds the claim and, if it granted anything, the wallet. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.keep_released(p_claim wallet.claims) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_is_deleted BOOLEAN;
BEGIN
    SELECT a.deleted_at IS NOT NULL INTO v_is_deleted FROM wallet.accounts AS a
    WHERE a.account_id = p_claim.account_id;
    IF NOT FOUND THEN
        RETURN;
    ELSIF NOT v_is_deleted AND (p_claim.kind <> 'subscription' OR NOT EXISTS (
        SELECT FROM wallet.subscriptions AS s
        WHERE
            s.store = p_claim.store AND s.environment = p_claim.environment
            AND s.original_transaction_id = p_claim.chain_id
            AND s.account_id = p_claim.account_id AND s.released_at IS NOT NULL
    )) THEN
        RETURN;
    END IF;
    UPDATE wallet.claims AS c SET released_at = wallet.now()
    WHERE c.claim_id = p_claim.claim_id AND c.released_at IS NULL;
    UPDATE wallet.lots AS l SET released_at = wallet.now()
    WHERE
        l.account_id = p_claim.account_id AND l.released_at IS NULL AND l.source IN ('pack', 'pass', 'plan')
        AND (
            p_claim.claim_id IN (l.claim_id, l.rolled_from) OR (v_is_deleted AND l.rolled_from IS NOT NULL)
        );
    UPDATE wallet.subscriptions AS s SET released_at = wallet.now()
    WHERE v_is_deleted AND s.account_id = p_claim.account_id AND s.released_at IS NULL;
END;
$$;
COMMENT ON FUNCTION wallet.keep_released(wallet.claims) IS
'Marks later grants of a deleted account or a released subscription as released.';
