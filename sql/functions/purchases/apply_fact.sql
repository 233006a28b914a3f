-- Applies one store fact. All facts go through this function. A fact may arrive any number of times, in any order, from
-- any source. The steps are the rules: identify the claim, merge claims that are one purchase, learn the fact, grant or
-- refund, and settle.
-- p_account_id: the submitter; null if no user submits the fact. p_attested_by_store: whether the store itself, not the
-- submitter, names the account.
-- Locks: the claim, then the wallets of merged claims' owners, then the catalogue against changes if it lacks the
-- product, then the owner's account against merging, then the owner's wallet, then the subscription. Codes: WL422 for a
-- fact that identifies no purchase; WL503 wallet-busy for an unknown product while the catalogue changes, and for a
-- renewal while its subscription moves to another account.
CREATE OR REPLACE FUNCTION wallet.apply_fact(
    p_account_id BIGINT, p_fact JSONB, p_attested_by_store BOOLEAN DEFAULT FALSE
)
RETURNS wallet.fact_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_found CONSTANT wallet.identified_claim := wallet.identify_claim(p_fact);
    v_claim wallet.claims;
    v_ungranted wallet.claims;
    v_outcome wallet.fact_outcome;
    v_owner BIGINT;
    -- Why the claim grants nothing; null if it grants.
    v_reason TEXT;
    v_granted_before BOOLEAN;
    -- Whether another user owns the purchase, which was not granted before.
    v_is_foreign BOOLEAN;
BEGIN
    IF v_found.merged IS NOT NULL THEN
        PERFORM wallet.revoke_duplicates(v_found.merged);
    END IF;
    IF v_found.is_new THEN
        v_claim := v_found.fact;
    ELSE
        v_claim := wallet.record_fact(v_found.claim_id, p_fact, v_found.fact);
    END IF;
    v_granted_before := v_claim.granted_at IS NOT NULL;

    v_owner := wallet.resolve_claim_owner(p_account_id, v_claim, p_attested_by_store);
    v_reason := wallet.grant_refusal(v_claim, p_account_id, v_owner, p_attested_by_store);
    v_outcome.reason := v_reason;
    v_is_foreign := NOT v_granted_before AND v_claim.account_id IS NOT NULL
        AND v_reason IN ('transaction-already-claimed', 'released');
    IF v_is_foreign THEN
        -- The submitter's refusal does not decide the owner's claim, but this fact may unblock it.
        v_reason := wallet.grant_refusal(v_claim, NULL, v_owner);
    END IF;
    IF v_reason = 'unknown-product' THEN
        PERFORM wallet.lock_catalogue();
        v_reason := wallet.grant_refusal(
            v_claim, CASE WHEN NOT v_is_foreign THEN p_account_id END, v_owner, p_attested_by_store
        );
        IF NOT v_is_foreign THEN
            v_outcome.reason := v_reason;
        END IF;
    END IF;

    v_ungranted := v_claim;
    IF NOT v_granted_before AND v_reason IS NULL THEN
        -- wallet.grant_claim writes everything in one update, but the account must be locked before the wallet.
        PERFORM FROM wallet.accounts AS a WHERE a.account_id = v_owner FOR SHARE;
    ELSIF NOT v_granted_before AND v_reason NOT IN ('transaction-already-claimed', 'released') THEN
        UPDATE wallet.claims AS c SET
            verdict = v_reason,
            account_id = coalesce(c.account_id, CASE
                WHEN v_reason IN (
                    'before-cut-over', 'unknown-product', 'period-end-unknown', 'refunded', 'account-blocked',
                    'granted-by-virtual-currency'
                ) OR (v_reason = 'pending' AND p_attested_by_store) THEN v_owner
            END)
        WHERE c.claim_id = v_claim.claim_id
        RETURNING c.* INTO v_claim;
    END IF;
    IF v_granted_before OR v_reason IS NULL OR v_reason = 'refunded' THEN
        v_claim := wallet.sync_claim(v_claim.claim_id, v_owner);
        IF v_claim.kind = 'subscription' THEN
            -- Before the wallet was locked, another user may have restored the subscription.
            IF v_owner <> wallet.resolve_claim_owner(p_account_id, v_ungranted, p_attested_by_store) THEN
                RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
            END IF;
            PERFORM wallet.sync_subscription(v_claim.claim_id);
        END IF;
    END IF;
    -- A claim that still waits, for example for its product, may be the renewal of a deleted account's subscription.
    -- wallet.grant_claim has already called this for a one-time purchase.
    IF v_granted_before OR v_claim.granted_at IS NULL OR v_claim.kind = 'subscription' THEN
        PERFORM wallet.keep_released(v_claim);
    END IF;

    v_outcome.verdict := CASE WHEN v_outcome.reason IS NULL THEN 'granted' ELSE 'skipped' END;
    v_outcome.duplicate := v_granted_before;
    v_outcome.transaction_id := coalesce(
        p_fact ->> 'transaction_id', v_claim.transaction_id, v_claim.order_id, v_claim.purchase_token
    );
    v_outcome.product_id := v_claim.product_id;
    v_outcome.claim_id := v_claim.claim_id;
    IF v_outcome.reason IS NULL THEN
        v_outcome.account_id := v_claim.account_id;
        -- The first lot is the one of the product's own amount.
        SELECT
            (array_agg(l.unit ORDER BY l.bundle_item))[1], (array_agg(l.granted ORDER BY l.bundle_item))[1],
            (array_agg(l.lot_id ORDER BY l.bundle_item))[1], coalesce(jsonb_agg(jsonb_build_object(
                'lot_id', l.lot_id, 'unit', l.unit, 'granted', l.granted, 'remaining', l.remaining
            ) ORDER BY l.bundle_item), '[]')
        INTO v_outcome.unit, v_outcome.amount, v_outcome.lot_id, v_outcome.lots
        FROM wallet.lots AS l WHERE l.claim_id = v_claim.claim_id;
    END IF;
    v_outcome.amount := coalesce(v_outcome.amount, 0);
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.apply_fact(BIGINT, JSONB, BOOLEAN) IS
'Applies one store fact: records it, resolves its owner, and grants or reverses the difference.';

-- Applies one purchase of a store's message, for the owner that the message names, if any.
-- Locks: see wallet.apply_fact. Codes: WL422.
CREATE OR REPLACE FUNCTION wallet.apply_statement(p_statement JSONB) RETURNS wallet.fact_outcome LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_id BIGINT;
BEGIN
    IF jsonb_array_length(p_statement -> 'owners') > 0 THEN
        v_account_id := wallet.account_for_owners(ARRAY(SELECT jsonb_array_elements_text(p_statement -> 'owners')));
    END IF;
    RETURN wallet.apply_fact(v_account_id, p_statement -> 'fact', v_account_id IS NOT NULL);
END;
$$;
COMMENT ON FUNCTION wallet.apply_statement(JSONB) IS
'Applies one purchase of a store''s message, for the owner that the message names.';

-- Returns the account that may own a claim: its existing owner, otherwise the account that the store itself names
-- (p_attested_by_store), otherwise the owner of the subscription that it renews or of the purchase that it replaces,
-- otherwise the submitter, otherwise the account of its account token. A token that matches two accounts, after a SHA-1
-- collision, identifies no owner.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.resolve_claim_owner(
    p_account_id BIGINT, p_claim wallet.claims, p_attested_by_store BOOLEAN
) RETURNS BIGINT
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_owner BIGINT := coalesce(
        p_claim.account_id,
        CASE WHEN p_attested_by_store THEN p_account_id END,
        wallet.renewed_owner(p_claim),
        p_account_id
    );
BEGIN
    IF v_owner IS NULL THEN
        SELECT CASE WHEN count(DISTINCT i.account_id) = 1 THEN min(i.account_id) END INTO v_owner
        FROM wallet.identities AS i
        WHERE sha256(uuid_send(i.app_account_token)) = p_claim.token_digest;
    END IF;
    RETURN v_owner;
END;
$$;
COMMENT ON FUNCTION wallet.resolve_claim_owner(BIGINT, wallet.claims, BOOLEAN) IS
'Returns the account that may own a claim, or null if none is known.';

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
        AND wallet.renewed_owner(p_claim) IS DISTINCT FROM p_account_id
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
        RETURN 'before-cut-over';
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
