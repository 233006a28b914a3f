-- Restores to the caller the purchases of a deleted account that the caller proves. Each proved purchase is applied
-- like any submission. A released one moves with its remaining amount, its debts and its subscription. If a transfer
-- had moved a subscription to an account that then released it, only the subscription moves: the period's grant stays
-- with its owner. Nothing is granted again.
-- Locks: see wallet.lock_for_facts, which takes all locks of wallet.apply_fact and wallet.restore_claims. Codes: WL401
-- unauthenticated, WL403 account-blocked, WL422, WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.restore(p_account_id BIGINT, p_facts JSONB, p_app_transaction_id TEXT)
RETURNS SETOF wallet.restored_purchase LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_fact JSONB;
    v_outcome wallet.fact_outcome;
    v_row wallet.restored_purchase;
    v_released BIGINT[] := '{}';
    v_others BIGINT[] := '{}';
    v_unproven BIGINT;
BEGIN
    PERFORM wallet.lock_for_facts(
        ARRAY[p_account_id], ARRAY(SELECT f.value FROM jsonb_array_elements(p_facts) AS f), p_app_transaction_id
    );
    FOR v_fact IN SELECT f.value FROM jsonb_array_elements(p_facts) AS f LOOP
        v_outcome := wallet.apply_fact(p_account_id, v_fact);
        IF v_outcome.reason = 'released' OR EXISTS (
            -- An owner who proves a purchase that they released takes it back.
            SELECT FROM wallet.claims AS c
            WHERE c.claim_id = v_outcome.claim_id AND c.account_id = p_account_id AND c.released_at IS NOT NULL
        ) THEN
            -- A period that no store has reported yet is first added to the released subscription, and moves with it.
            PERFORM wallet.apply_fact(NULL, v_fact);
            v_released := v_released || v_outcome.claim_id;
        ELSE
            IF
                v_fact ->> 'ownership' = 'purchased'
                AND (v_outcome.verdict = 'granted' OR v_outcome.reason = 'transaction-already-claimed')
            THEN
                v_others := v_others || v_outcome.claim_id;
            END IF;
            v_row.transaction_id := v_outcome.transaction_id;
            v_row.product_id := v_outcome.product_id;
            v_row.unit := v_outcome.unit;
            v_row.amount := v_outcome.amount;
            -- The caller sees no amounts of another user's purchase.
            v_row.remaining := coalesce(
                (SELECT l.remaining FROM wallet.lots AS l WHERE l.lot_id = v_outcome.lot_id AND l.moved_to IS NULL), 0
            );
            v_row.lots := v_outcome.lots;
            v_row.result := CASE
                WHEN v_outcome.verdict = 'granted' AND v_outcome.duplicate THEN 'held'
                WHEN v_outcome.verdict = 'granted' THEN 'granted'
                ELSE v_outcome.reason
            END;
            v_row.unproven := 0;
            RETURN NEXT v_row;
        END IF;
    END LOOP;
    -- This is counted before anything moves, and excludes everything that will move.
    v_unproven := wallet.unproven_lots(wallet.released_claims(v_released || ARRAY(
        SELECT c.claim_id FROM wallet.claims AS c WHERE c.app_transaction_id = p_app_transaction_id
    )));
    RETURN QUERY
    SELECT
        r.transaction_id,
        r.product_id,
        r.unit,
        r.amount,
        r.remaining,
        r.result,
        v_unproven,
        r.lots
    FROM wallet.restore_claims(p_account_id, v_released, p_app_transaction_id) AS r;
    PERFORM wallet.check_may_receive_claims(p_account_id), wallet.transfer_subscriptions(p_account_id, v_others)
    WHERE EXISTS (
        SELECT FROM wallet.claims AS c
        INNER JOIN wallet.subscriptions AS s
            ON c.store = s.store AND c.environment = s.environment AND c.chain_id = s.original_transaction_id
        WHERE c.claim_id = ANY(v_others) AND c.kind = 'subscription' AND s.released_at IS NOT NULL
    );
END;
$$;
COMMENT ON FUNCTION wallet.restore(BIGINT, JSONB, TEXT) IS
'Restores to the caller the purchases of a deleted account that the caller proves.';

-- Returns the number of lots that stay behind in the former accounts of the given purchases: released lots with a
-- remaining amount that no user has proved, because a store no longer reports finished purchases.
CREATE OR REPLACE FUNCTION wallet.unproven_lots(p_claim_ids BIGINT[]) RETURNS BIGINT LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT count(*) FROM wallet.lots AS l
    WHERE
        l.released_at IS NOT NULL AND l.moved_to IS NULL AND l.is_open
        AND coalesce(l.claim_id, l.rolled_from) <> ALL(p_claim_ids)
        AND l.account_id IN (
            SELECT c.account_id FROM wallet.claims AS c
            WHERE c.claim_id = ANY(p_claim_ids) AND c.released_at IS NOT NULL
            UNION
            SELECT o.account_id FROM wallet.lots AS n
            INNER JOIN wallet.lots AS o ON n.lot_id = o.lot_id AND o.moved_to IS NOT NULL
            WHERE n.claim_id = ANY(p_claim_ids)
        );
$$;
COMMENT ON FUNCTION wallet.unproven_lots(BIGINT[]) IS
'Returns the number of released lots that stay behind in the former accounts of the given purchases.';

-- Gives released purchases to the user who has proved them: their lots with remaining amounts and debts, the
-- subscription, and all claims that must stay with them. Nothing is granted again: spent amounts stay spent, and a
-- block of the deleted account applies to the new one. Returns a result for each purchase: 'restored', 'held' (the user
-- owns it already), 'claimed' (another active user owns it) or 'unowned'.
-- p_app_transaction_id: a proved copy of the app, whose released purchases are restored too; null for none.
-- Locks: the claims by id, the account, the wallets of all accounts in order, then the subscriptions. Codes: WL401
-- unauthenticated, WL403 account-blocked, WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.restore_claims(
    p_account_id BIGINT,
    p_claim_ids BIGINT[],
    p_app_transaction_id TEXT
) RETURNS SETOF wallet.restored_claim LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_asked CONSTANT BIGINT[] := ARRAY(
        SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c WHERE c.claim_id = ANY(p_claim_ids)
        UNION
        SELECT c.claim_id FROM wallet.claims AS c
        WHERE
            c.app_transaction_id = p_app_transaction_id AND c.released_at IS NOT NULL
            AND c.account_id IS NOT NULL AND c.duplicate_of IS NULL
    );
    v_moving BIGINT[];
    v_owned BIGINT[];
BEGIN
    PERFORM FROM wallet.claims AS c
    WHERE c.claim_id = ANY(v_asked || wallet.released_claims(v_asked))
    ORDER BY c.claim_id
    FOR NO KEY UPDATE;
    v_moving := wallet.released_claims(v_asked);
    v_owned := ARRAY(
        SELECT c.claim_id FROM wallet.claims AS c
        WHERE c.claim_id = ANY(v_asked) AND c.account_id = p_account_id AND c.released_at IS NULL
    );
    IF cardinality(v_moving) > 0 THEN
        PERFORM wallet.transfer_released_claims(p_account_id, v_moving);
    END IF;
    RETURN QUERY
    SELECT
        c.claim_id, coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id),
        coalesce(c.product_id, c.store_product_id), l.units[1], coalesce(l.granted[1], 0),
        coalesce(l.remaining[1], 0),
        CASE
            WHEN c.claim_id = ANY(v_moving) THEN 'restored'
            WHEN c.claim_id = ANY(v_owned) THEN 'held'
            WHEN c.account_id IS NULL THEN 'unowned'
            ELSE 'claimed'
        END,
        CASE WHEN c.claim_id = ANY(v_moving || v_owned) THEN l.lots END
    FROM wallet.claims AS c
    CROSS JOIN LATERAL (
        SELECT
            array_agg(o.unit ORDER BY o.bundle_item) AS units, array_agg(o.granted ORDER BY o.bundle_item) AS granted,
            array_agg(o.remaining ORDER BY o.bundle_item) AS remaining, coalesce(jsonb_agg(jsonb_build_object(
                'lot_id', o.lot_id, 'unit', o.unit, 'granted', o.granted, 'remaining', o.remaining
            ) ORDER BY o.bundle_item), '[]') AS lots
        FROM wallet.lots AS o
        WHERE o.claim_id = c.claim_id
    ) AS l
    WHERE c.claim_id = ANY(v_asked || v_moving) AND c.duplicate_of IS NULL
    ORDER BY c.claim_id;
END;
$$;
COMMENT ON FUNCTION wallet.restore_claims(BIGINT, BIGINT[], TEXT) IS
'Gives released purchases to the user who has proved them, and returns a result for each.';

-- Moves claims with their lots and subscriptions from the accounts that released them to another account.
-- The caller holds the claims. Locks: the account, the wallets of all accounts in order, then the subscriptions. Codes:
-- WL401 unauthenticated, WL403 account-blocked, WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.transfer_released_claims(
    p_account_id BIGINT, p_claim_ids BIGINT[]
) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_former RECORD;
    v_formers BIGINT[];
    v_version BIGINT;
BEGIN
    v_formers := ARRAY(SELECT DISTINCT c.account_id FROM wallet.claims AS c WHERE c.claim_id = ANY(p_claim_ids));
    IF EXISTS (
        SELECT FROM wallet.accounts AS a WHERE a.account_id = ANY(v_formers) AND a.blocked_at IS NOT NULL
    ) THEN
        PERFORM FROM wallet.accounts AS a WHERE a.account_id = p_account_id FOR NO KEY UPDATE;
    ELSE
        PERFORM FROM wallet.accounts AS a WHERE a.account_id = p_account_id FOR SHARE;
    END IF;
    PERFORM wallet.lock_wallet(w.account_id, w.environment) FROM (
        SELECT DISTINCT o.account_id, c.environment FROM wallet.claims AS c
        CROSS JOIN LATERAL unnest(ARRAY[c.account_id, p_account_id]) AS o (account_id)
        WHERE c.claim_id = ANY(p_claim_ids)
        ORDER BY o.account_id, c.environment
    ) AS w;
    PERFORM wallet.check_may_receive_claims(p_account_id);
    -- A proved purchase is no longer released, whether it moves or its owner takes it back. Only then may its lots
    -- repay debts.
    UPDATE wallet.lots AS l SET released_at = NULL
    FROM wallet.claims AS c
    WHERE
        c.claim_id = ANY(p_claim_ids) AND l.account_id = c.account_id AND l.released_at IS NOT NULL
        AND l.moved_to IS NULL AND c.claim_id IN (l.claim_id, l.rolled_from);
    FOR v_former IN
        SELECT c.account_id, c.environment, array_agg(c.claim_id) AS claim_ids FROM wallet.claims AS c
        WHERE c.claim_id = ANY(p_claim_ids)
        GROUP BY c.account_id, c.environment
        ORDER BY c.account_id, c.environment
    LOOP
        SELECT w.version INTO v_version FROM wallet.wallets AS w
        WHERE w.account_id = v_former.account_id AND w.environment = v_former.environment;
        PERFORM wallet.move_lots(
            v_former.account_id, p_account_id, v_former.environment,
            wallet.claims_lots(v_former.account_id, v_former.claim_ids)
        );
        -- An administrator may have released purchases of an active account.
        PERFORM wallet.emit(
            'credits.transferred', e.account_id, e.environment, e.claim_id, p_details => jsonb_build_object(
                'lot_id', e.lot_id, 'unit', e.unit, 'amount', e.amount - e.owed_change, 'balance_after', e.balance_after
            )
        ) FROM wallet.entries AS e
        INNER JOIN wallet.accounts AS a ON e.account_id = a.account_id
        WHERE
            e.account_id = v_former.account_id AND e.environment = v_former.environment AND e.version > v_version
            AND e.kind = 'transfer_out' AND a.deleted_at IS NULL AND (e.amount <> 0 OR e.owed_change <> 0)
        ORDER BY e.version;
    END LOOP;
    -- Purchases without lots (of unlimited plans) have not moved yet. Like the others, they keep their subscriber.
    UPDATE wallet.claims AS c SET
        account_id = p_account_id,
        released_at = NULL,
        subscriber_id = coalesce(c.subscriber_id, c.account_id)
    WHERE c.claim_id = ANY(p_claim_ids);
    PERFORM wallet.transfer_subscriptions(p_account_id, p_claim_ids);
    PERFORM wallet.sync_periods(w.account_id, w.environment) FROM (
        SELECT DISTINCT o.account_id, c.environment FROM wallet.claims AS c
        CROSS JOIN LATERAL unnest(v_formers || p_account_id) AS o (account_id)
        WHERE c.claim_id = ANY(p_claim_ids) AND c.kind = 'subscription'
        ORDER BY o.account_id, c.environment
    ) AS w;
    UPDATE wallet.accounts AS a SET blocked_at = b.blocked_at
    FROM (
        SELECT min(f.blocked_at) AS blocked_at FROM wallet.accounts AS f
        WHERE f.account_id = ANY(v_formers) AND f.deleted_at IS NOT NULL
    ) AS b
    WHERE a.account_id = p_account_id AND a.blocked_at IS NULL AND b.blocked_at IS NOT NULL;
    IF FOUND THEN
        -- Dismissing the copies lifts the block.
        INSERT INTO wallet.review_flags (
            account_id, environment, app_transaction_id, refunds, raised_at, resolution, resolved_at, resolved_by
        )
        SELECT
            p_account_id, f.environment, f.app_transaction_id, f.refunds, f.raised_at, f.resolution, f.resolved_at,
            f.resolved_by
        FROM wallet.review_flags AS f
        INNER JOIN wallet.accounts AS a ON f.account_id = a.account_id
        WHERE coalesce(a.merged_into, a.account_id) = ANY(v_formers) AND f.resolution = 'blocked'
        ORDER BY f.flag_id;
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.transfer_released_claims(BIGINT, BIGINT[]) IS
'Moves claims with their lots and subscriptions from the accounts that released them to another account.';

-- Refuses to transfer released purchases to an account that is deleted, merged or blocked.
-- Locks: none. Codes: WL401 unauthenticated, WL403 account-blocked.
CREATE OR REPLACE FUNCTION wallet.check_may_receive_claims(p_account_id BIGINT) RETURNS VOID LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account wallet.accounts;
BEGIN
    SELECT a.* INTO STRICT v_account FROM wallet.accounts AS a WHERE a.account_id = p_account_id;
    IF v_account.deleted_at IS NOT NULL OR v_account.merged_into IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL401', MESSAGE = 'unauthenticated';
    ELSIF v_account.blocked_at IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL403', MESSAGE = 'account-blocked';
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.check_may_receive_claims(BIGINT) IS
'Refuses to transfer released purchases to an account that is deleted, merged or blocked.';
