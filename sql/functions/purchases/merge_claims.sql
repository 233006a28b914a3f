-- Merges several claims that turned out to be one purchase. The granted claim, otherwise the owned one, otherwise the
-- oldest one is kept and receives the data of the others; its id is returned. The others stay as its duplicates, keep
-- their identifiers reserved for it, and can no longer grant. wallet.revoke_duplicates takes back what they granted.
-- The caller holds the claims. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.merge_claims(p_claim_ids BIGINT[]) RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_first BIGINT;
    v_chain wallet.claims;
    v_flag wallet.period_flags;
BEGIN
    SELECT c.claim_id INTO STRICT v_first FROM wallet.claims AS c WHERE c.claim_id = ANY(p_claim_ids)
    ORDER BY c.granted_at NULLS LAST, c.account_id IS NULL, c.claim_id LIMIT 1;
    -- A period is linked to its subscription by the original id, so the duplicate must not be the only claim that has
    -- it.
    SELECT d.* INTO v_chain FROM wallet.claims AS d
    INNER JOIN wallet.claims AS c ON c.claim_id = v_first
    WHERE
        d.claim_id = ANY(p_claim_ids) AND d.claim_id <> v_first
        AND c.original_transaction_id IS NULL AND d.original_transaction_id IS NOT NULL
        AND coalesce(d.transaction_id, d.order_id) IS NOT NULL
        AND (d.purchase_second = c.purchase_second OR d.store = 'play_store')
        -- Another claim may already have that original id under the part of the kept claim.
        AND NOT EXISTS (
            SELECT FROM wallet.claims AS e
            WHERE
                e.store = c.store AND e.environment = c.environment AND e.claim_id <> d.claim_id AND e.part = c.part
                AND e.original_transaction_id = d.original_transaction_id AND e.purchase_second = c.purchase_second
                AND (e.store <> 'play_store' OR coalesce(e.transaction_id, e.order_id) IS NULL)
        )
    ORDER BY d.claim_id LIMIT 1;
    IF FOUND THEN
        UPDATE wallet.claims AS c SET original_transaction_id = NULL WHERE c.claim_id = v_chain.claim_id;
        UPDATE wallet.claims AS c SET
            original_transaction_id = v_chain.original_transaction_id, chain_line = v_chain.chain_line
        WHERE c.claim_id = v_first;
    END IF;
    FOR v_flag IN
        SELECT f.* FROM wallet.period_flags AS f WHERE f.claim_id = ANY(p_claim_ids) AND f.claim_id <> v_first
    LOOP
        INSERT INTO wallet.period_flags AS k (claim_id, flag, value, source_at, rank, since, differed_at)
        VALUES (
            v_first, v_flag.flag, v_flag.value, v_flag.source_at, v_flag.rank, v_flag.since, v_flag.differed_at
        )
        ON CONFLICT (claim_id, flag) DO UPDATE SET (value, source_at, rank, since, differed_at) = (
            SELECT n.value, n.source_at, n.rank, n.since, n.differed_at
            FROM wallet.newest_flag(k, excluded) AS n
        ) WHERE wallet.newest_flag(k, excluded) IS DISTINCT FROM k;
    END LOOP;
    -- A reference used on one of the claims is also used on the kept claim.
    INSERT INTO wallet.pass_uses (
        claim_id, reference_digest, reference, account_id, environment, version, used_at, bundle_item
    )
    SELECT
        v_first, u.reference_digest, u.reference, u.account_id, u.environment, u.version, u.used_at, u.bundle_item
    FROM wallet.pass_uses AS u
    WHERE u.claim_id = ANY(p_claim_ids) AND u.claim_id <> v_first
    ORDER BY u.claim_id
    ON CONFLICT (claim_id, reference_digest) DO NOTHING;
    UPDATE wallet.claims AS c SET
        quantity = k.quantity,
        pending = k.pending,
        upgraded = k.upgraded,
        -- As in wallet.learn_fact: before the grant, the data that grants less applies.
        period_type = CASE
            WHEN c.granted_at IS NULL AND k.is_trial THEN 'trial' ELSE coalesce(c.period_type, k.period_type)
        END,
        ownership = CASE WHEN c.granted_at IS NULL AND k.is_shared THEN 'family_shared' ELSE c.ownership END,
        refunded_millionths = k.refunds[1],
        refund_source_at = k.refund_source_at,
        refunded_at = CASE WHEN k.refunds[1] > 0 THEN k.refunded_at END,
        linked_purchase_token = coalesce(c.linked_purchase_token, k.linked_purchase_token),
        needs_acknowledgement = k.needs_acknowledgement,
        token_digest = coalesce(c.token_digest, k.tokens[1]),
        app_transaction_id = coalesce(c.app_transaction_id, k.app_transaction_id),
        reported_amount = k.reported_amount,
        purchase_products = k.products,
        other_names = k.names,
        billing_period = coalesce(c.billing_period, k.billing[2]),
        billing_periods = coalesce(c.billing_periods, k.billing[1]),
        expires_at = wallet.reported_end(v_first)
    FROM (
        SELECT
            max(o.quantity) AS quantity,
            bool_and(o.pending) AS pending,
            bool_or(o.upgraded) AS upgraded,
            bool_or(o.period_type = 'trial') AS is_trial,
            max(o.period_type) AS period_type,
            bool_or(o.ownership = 'family_shared') AS is_shared,
            -- The newest report on refunds wins; for the same time, the larger share.
            array_agg(o.refunded_millionths ORDER BY o.refund_source_at DESC NULLS LAST, o.refunded_millionths DESC)
                AS refunds,
            max(o.refund_source_at) AS refund_source_at,
            max(o.refunded_at) AS refunded_at,
            max(o.linked_purchase_token) AS linked_purchase_token,
            bool_or(o.needs_acknowledgement) AS needs_acknowledgement,
            array_agg(o.token_digest ORDER BY o.claim_id) FILTER (WHERE o.token_digest IS NOT NULL) AS tokens,
            max(o.app_transaction_id) AS app_transaction_id,
            max(o.reported_amount) AS reported_amount,
            (
                SELECT array_agg(DISTINCT p.label ORDER BY p.label) FROM wallet.claims AS l
                CROSS JOIN LATERAL unnest(l.purchase_products) AS p (label)
                WHERE l.claim_id = ANY(p_claim_ids)
            ) AS products,
            ARRAY(
                SELECT DISTINCT n.label FROM wallet.claims AS l
                CROSS JOIN LATERAL unnest(l.other_names) AS n (label)
                WHERE l.claim_id = ANY(p_claim_ids)
                ORDER BY n.label
            ) AS names,
            -- As in wallet.learn_fact: the longest commitment grants least.
            max(ARRAY[o.billing_periods, o.billing_period]) FILTER (WHERE o.billing_periods IS NOT NULL) AS billing
        FROM wallet.claims AS o WHERE o.claim_id = ANY(p_claim_ids)
    ) AS k
    WHERE c.claim_id = v_first;
    UPDATE wallet.claims AS c SET duplicate_of = v_first, verdict = 'duplicate'
    WHERE c.claim_id = ANY(p_claim_ids) AND c.claim_id <> v_first;
    UPDATE wallet.claims AS c SET duplicate_of = v_first
    WHERE c.duplicate_of = ANY(p_claim_ids) AND c.claim_id <> v_first;
    RETURN v_first;
END;
$$;
COMMENT ON FUNCTION wallet.merge_claims(BIGINT[]) IS 'Merges several claims that turned out to be one purchase.';

-- Takes back what the duplicates of a purchase granted, because one purchase grants once: their lots and their periods.
-- p_claim_ids: the claims that were merged, the kept one included.
-- The caller holds the claims. Locks: the owners' wallets, in order, then the subscriptions. Codes: WL503 wallet-busy,
-- see wallet.sync_subscription.
CREATE OR REPLACE FUNCTION wallet.revoke_duplicates(p_claim_ids BIGINT[]) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM wallet.lock_wallet(o.account_id, o.environment) FROM (
        SELECT DISTINCT c.account_id, c.environment FROM wallet.claims AS c
        WHERE c.claim_id = ANY(p_claim_ids) AND c.granted_at IS NOT NULL
        ORDER BY c.account_id, c.environment
    ) AS o;
    PERFORM wallet.sync_claim(o.claim_id), wallet.sync_subscription(o.claim_id) FROM (
        SELECT c.claim_id FROM wallet.claims AS c
        WHERE c.claim_id = ANY(p_claim_ids) AND c.duplicate_of IS NOT NULL AND c.granted_at IS NOT NULL
        ORDER BY c.claim_id
    ) AS o;
END;
$$;
COMMENT ON FUNCTION wallet.revoke_duplicates(BIGINT[]) IS
'Takes back what the duplicates of a purchase granted, because one purchase grants once.';
