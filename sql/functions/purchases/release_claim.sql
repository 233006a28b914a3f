-- Releases an active owner's purchase, with its subscription and the claims that must stay with it, so that another
-- user who proves it may restore it. Until then the owner's wallet keeps the credits, but the subscription gives no
-- access.
-- Locks: the claims by id, the wallet, the subscriptions by id. Codes: WL404 purchase-not-found.
CREATE OR REPLACE FUNCTION wallet.release_claim(p_claim_id BIGINT) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
    v_claim_ids BIGINT[];
BEGIN
    SELECT c.* INTO v_claim FROM wallet.claims AS c WHERE c.claim_id = p_claim_id;
    IF v_claim.account_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'purchase-not-found';
    END IF;
    PERFORM FROM wallet.claims AS c
    WHERE c.claim_id = ANY(wallet.linked_claims(v_claim.account_id, ARRAY[p_claim_id]))
    ORDER BY c.claim_id
    FOR NO KEY UPDATE;
    PERFORM wallet.lock_wallet(v_claim.account_id, v_claim.environment);
    v_claim_ids := wallet.linked_claims(v_claim.account_id, ARRAY[p_claim_id]);
    PERFORM wallet.lock_subscriptions(v_claim_ids);
    UPDATE wallet.claims AS c SET released_at = wallet.now()
    WHERE c.claim_id = ANY(v_claim_ids) AND c.account_id = v_claim.account_id AND c.released_at IS NULL;
    UPDATE wallet.lots AS l SET released_at = wallet.now()
    WHERE
        l.account_id = v_claim.account_id AND l.released_at IS NULL
        AND l.lot_id = ANY(wallet.claims_lots(v_claim.account_id, v_claim_ids));
    UPDATE wallet.subscriptions AS s SET released_at = wallet.now()
    WHERE
        s.account_id = v_claim.account_id AND s.released_at IS NULL
        AND (s.store, s.environment, s.original_transaction_id) IN (
            SELECT c.store, c.environment, c.chain_id FROM wallet.claims AS c
            WHERE c.claim_id = ANY(v_claim_ids) AND c.kind = 'subscription'
        );
    IF FOUND THEN
        PERFORM wallet.check_cover(v_claim.account_id, v_claim.environment, FALSE);
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.release_claim(BIGINT) IS
'Releases an active owner''s purchase, so that another user who proves it may restore it.';

-- Returns the released ones of the given claims, and the claims that move with them: the released periods of the same
-- subscriptions in any account, and the claims that must stay with any of these.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.released_claims(p_claim_ids BIGINT[]) RETURNS BIGINT[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT coalesce(array_agg(DISTINCT k.claim_id ORDER BY k.claim_id), '{}')
        FROM (
            SELECT c.account_id, array_agg(c.claim_id) AS claim_ids FROM wallet.claims AS c
            WHERE c.released_at IS NOT NULL AND c.account_id IS NOT NULL AND c.claim_id IN (
                SELECT unnest(p_claim_ids)
                UNION ALL
                SELECT n.claim_id FROM wallet.claims AS p
                INNER JOIN wallet.claims AS n
                    ON
                        p.store = n.store AND p.environment = n.environment
                        AND p.chain_id = n.chain_id AND n.kind = 'subscription'
                WHERE p.claim_id = ANY(p_claim_ids) AND p.kind = 'subscription' AND p.released_at IS NOT NULL
            )
            GROUP BY c.account_id
        ) AS o
        CROSS JOIN LATERAL unnest(wallet.linked_claims(o.account_id, o.claim_ids)) AS k (claim_id)
    );
END;
$$;
COMMENT ON FUNCTION wallet.released_claims(BIGINT[]) IS
'Returns the released ones of the given claims, and the claims that move with them.';

-- Returns the given claims of an account and the claims that must stay with them: the other periods of a subscription,
-- purchases that replaced each other at the store, and duplicates.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.linked_claims(p_account_id BIGINT, p_claim_ids BIGINT[]) RETURNS BIGINT[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim_ids BIGINT[] := p_claim_ids;
    v_before INTEGER := -1;
BEGIN
    WHILE cardinality(v_claim_ids) <> v_before LOOP
        v_before := cardinality(v_claim_ids);
        v_claim_ids := ARRAY(
            SELECT c.claim_id FROM wallet.claims AS c
            WHERE
                c.account_id = p_account_id AND (
                    c.claim_id = ANY(v_claim_ids)
                    OR c.duplicate_of = ANY(v_claim_ids)
                    OR c.claim_id IN (SELECT d.duplicate_of FROM wallet.claims AS d WHERE d.claim_id = ANY(v_claim_ids))
                    OR (c.kind = 'subscription' AND (c.store, c.environment, c.chain_id) IN (
                        SELECT d.store, d.environment, d.chain_id FROM wallet.claims AS d
                        WHERE d.claim_id = ANY(v_claim_ids) AND d.kind = 'subscription'
                    ))
                    OR EXISTS (
                        SELECT FROM wallet.claims AS d
                        WHERE
                            d.claim_id = ANY(v_claim_ids) AND d.kind = 'subscription' AND c.kind = 'subscription'
                            AND d.store = c.store AND d.environment = c.environment
                            AND (
                                c.linked_purchase_token = d.purchase_token OR d.linked_purchase_token = c.purchase_token
                            )
                    )
                )
            ORDER BY c.claim_id
        );
    END LOOP;
    RETURN v_claim_ids;
END;
$$;
COMMENT ON FUNCTION wallet.linked_claims(BIGINT, BIGINT[]) IS
'Returns claims of an account and the claims that must stay with them.';

-- Returns the lots that claims granted to an account, and the lots rolled over from them.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.claims_lots(p_account_id BIGINT, p_claim_ids BIGINT[]) RETURNS UUID[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT coalesce(array_agg(l.lot_id ORDER BY l.lot_id), '{}') FROM wallet.lots AS l
    WHERE
        l.account_id = p_account_id AND l.moved_to IS NULL
        AND (l.claim_id = ANY(p_claim_ids) OR l.rolled_from = ANY(p_claim_ids));
$$;
COMMENT ON FUNCTION wallet.claims_lots(BIGINT, BIGINT[]) IS
'Returns the lots that claims granted to an account, and the lots rolled over from them.';
