-- Takes all locks needed for several facts before the first is applied, so that concurrent transactions lock in the
-- same order. It records purchases that no store has reported yet.
-- p_account_ids: the accounts that the facts may be for, in addition to the owners of the claims. p_app_transaction_id:
-- a proved copy of the app, whose released purchases are included; null for none.
-- Locks: the claims by id, new claims by their identifiers, the accounts by id, their wallets in order, their
-- subscriptions by id. Codes: WL422.
CREATE OR REPLACE FUNCTION wallet.lock_for_facts(
    p_account_ids BIGINT[],
    p_facts JSONB[],
    p_app_transaction_id TEXT DEFAULT NULL
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_fact JSONB;
    v_found wallet.identified_claim;
    v_claim_ids BIGINT[] := wallet.claims_of_facts(p_facts, p_app_transaction_id);
    v_held BIGINT[];
    v_account_ids BIGINT[];
BEGIN
    LOOP
        BEGIN
            PERFORM FROM wallet.claims AS c WHERE c.claim_id = ANY(v_claim_ids) ORDER BY c.claim_id FOR NO KEY UPDATE;
            v_held := v_claim_ids;
            v_claim_ids := wallet.claims_of_facts(p_facts, p_app_transaction_id);
            EXIT WHEN v_claim_ids <@ v_held;
            -- More claims are needed now: the subtransaction's rollback releases the locks, and the loop takes all of
            -- them in order.
            RAISE EXCEPTION USING ERRCODE = 'WL100', MESSAGE = 'again';
        EXCEPTION
            WHEN SQLSTATE 'WL100' THEN NULL;
        END;
    END LOOP;
    FOR v_fact IN
        SELECT f.fact FROM unnest(p_facts) AS f (fact)
        WHERE wallet.claims_matching(wallet.read_fact(f.fact)) = '{}'
        ORDER BY
            f.fact ->> 'store', f.fact ->> 'transaction_id', f.fact ->> 'order_id', f.fact ->> 'purchase_token',
            f.fact ->> 'original_transaction_id'
    LOOP
        v_found := wallet.identify_claim(v_fact);
        IF v_found.merged IS NOT NULL THEN
            PERFORM wallet.revoke_duplicates(v_found.merged);
        END IF;
        v_claim_ids := v_claim_ids || v_found.claim_id;
    END LOOP;
    v_account_ids := ARRAY(
        SELECT o.account_id FROM (
            SELECT unnest(p_account_ids) AS account_id
            UNION
            SELECT wallet.resolve_claim_owner(NULL, c, FALSE) FROM wallet.claims AS c WHERE c.claim_id = ANY(v_claim_ids)
        ) AS o WHERE o.account_id IS NOT NULL
        ORDER BY o.account_id
    );
    IF EXISTS (
        SELECT FROM wallet.accounts AS a WHERE a.account_id = ANY(v_account_ids) AND a.blocked_at IS NOT NULL
    ) THEN
        -- A restore may apply a block to the account, so a stronger lock is needed.
        PERFORM FROM wallet.accounts AS a WHERE a.account_id = ANY(v_account_ids)
        ORDER BY a.account_id
        FOR NO KEY UPDATE;
    ELSE
        PERFORM FROM wallet.accounts AS a WHERE a.account_id = ANY(v_account_ids) ORDER BY a.account_id FOR SHARE;
    END IF;
    PERFORM wallet.lock_wallet(w.account_id, w.environment) FROM (
        SELECT o.account_id, o.environment FROM wallet.wallets AS o
        WHERE o.account_id = ANY(v_account_ids) AND o.environment::TEXT IN (
            SELECT f.fact ->> 'environment' FROM unnest(p_facts) AS f (fact)
        )
        ORDER BY o.account_id, o.environment
    ) AS w;
    PERFORM FROM wallet.subscriptions AS s
    WHERE s.account_id = ANY(v_account_ids) OR (s.store, s.environment, s.original_transaction_id) IN (
        SELECT c.store, c.environment, c.chain_id FROM wallet.claims AS c
        WHERE c.claim_id = ANY(v_claim_ids) AND c.kind = 'subscription'
    )
    ORDER BY s.subscription_id
    FOR UPDATE;
END;
$$;
COMMENT ON FUNCTION wallet.lock_for_facts(BIGINT[], JSONB[], TEXT) IS
'Takes all locks needed for several facts before the first is applied.';

-- Returns the claims needed to apply facts and to restore the purchases that they prove: the claims of the facts, the
-- periods of the same subscriptions, and the claims released together with any of these.
-- p_app_transaction_id: a proved copy of the app, whose purchases are included; null for none.
-- Locks: none. Codes: WL422.
CREATE OR REPLACE FUNCTION wallet.claims_of_facts(p_facts JSONB[], p_app_transaction_id TEXT) RETURNS BIGINT[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim_ids BIGINT[];
BEGIN
    v_claim_ids := ARRAY(
        SELECT m.claim_id FROM unnest(p_facts) AS f (fact)
        CROSS JOIN LATERAL unnest(wallet.claims_matching(wallet.read_fact(f.fact))) AS m (claim_id)
        UNION
        -- A period that no store has reported yet moves with the other periods of its subscription.
        SELECT c.claim_id FROM unnest(p_facts) AS f (fact)
        CROSS JOIN LATERAL wallet.read_fact(f.fact) AS r
        CROSS JOIN LATERAL unnest(ARRAY[
            coalesce(r.original_transaction_id, r.transaction_id),
            coalesce(r.original_transaction_id, r.transaction_id)
            || ' ' || wallet.product_label(r.store, r.store_product_id)
        ]) AS i (chain_id)
        -- One search for each id: a search for any of them would read all claims.
        CROSS JOIN LATERAL (
            SELECT n.claim_id FROM wallet.claims AS n
            WHERE
                n.store = r.store AND n.environment = r.environment AND n.chain_id = i.chain_id
                AND n.kind = 'subscription'
            OFFSET 0
        ) AS c
        WHERE r.kind = 'subscription'
        UNION
        SELECT c.claim_id FROM wallet.claims AS c WHERE c.app_transaction_id = p_app_transaction_id
    );
    v_claim_ids := v_claim_ids || wallet.released_claims(v_claim_ids);
    RETURN ARRAY(
        SELECT unnest(v_claim_ids) AS claim_id
        UNION
        SELECT n.claim_id FROM wallet.claims AS c
        INNER JOIN wallet.claims AS n
            ON c.store = n.store AND c.environment = n.environment AND c.chain_id = n.chain_id
        WHERE c.claim_id = ANY(v_claim_ids) AND c.kind = 'subscription' AND n.kind = 'subscription'
        ORDER BY claim_id
    );
END;
$$;
COMMENT ON FUNCTION wallet.claims_of_facts(JSONB[], TEXT) IS
'Returns the claims needed to apply facts and to restore the purchases that they prove.';
