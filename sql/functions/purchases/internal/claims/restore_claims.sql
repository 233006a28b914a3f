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
        coalesce(c.product_id, c.store_product_id), l.unit, coalesce(l.remaining, 0),
        CASE
            WHEN c.claim_id = ANY(v_moving) THEN 'restored'
            WHEN c.claim_id = ANY(v_owned) THEN 'held'
            WHEN c.account_id IS NULL THEN 'unowned'
            ELSE 'claimed'
        END
    FROM wallet.claims AS c
    LEFT JOIN wallet.lots AS l ON c.claim_id = l.claim_id
    WHERE c.claim_id = ANY(v_asked || v_moving) AND c.duplicate_of IS NULL
    ORDER BY c.claim_id;
END;
$$;
COMMENT ON FUNCTION wallet.restore_claims(BIGINT, BIGINT[], TEXT) IS
'Gives released purchases to the user who has proved them, and returns a result for each.';
