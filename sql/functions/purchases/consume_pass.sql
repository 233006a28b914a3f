-- Spends one visit of a purchase, once for each reference. If the purchase granted several lots of visits, the visit
-- comes from the one that expires first; frozen lots come last. Repeating a reference returns the remaining visits of
-- the purchase and spends nothing. Used visits stay used if the purchase is refunded or its account is merged.
-- p_transaction_id: the purchase's id in wallet.purchases.
-- Locks: the purchase's claims by id, then the wallet. Codes: WL401 unauthenticated (the account was deleted or merged
-- since the token was admitted), WL404 purchase-not-found, WL409 purchase-without-visits, WL403 account-blocked, WL409
-- already-consumed, WL409 lot-frozen.
CREATE OR REPLACE FUNCTION wallet.consume_pass(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_transaction_id TEXT,
    p_reference TEXT
) RETURNS wallet.pass_use LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_digest CONSTANT BYTEA := sha256(convert_to(p_reference, 'UTF8'));
    v_claim_ids BIGINT[];
    v_claim_id BIGINT;
    v_account wallet.accounts;
    v_lot wallet.lots;
    v_remaining BIGINT;
    v_version BIGINT;
BEGIN
    -- As for facts and restores, the claims are locked before the wallet.
    v_claim_ids := ARRAY(
        SELECT c.claim_id FROM wallet.claims AS c
        WHERE
            c.account_id = p_account_id AND c.environment = p_environment AND c.duplicate_of IS NULL
            AND coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id) = p_transaction_id
        ORDER BY c.claim_id
        FOR SHARE
    );
    IF cardinality(v_claim_ids) > 0 THEN
        PERFORM wallet.lock_wallet(p_account_id, p_environment);
    END IF;
    -- This is read after the wallet is locked: a concurrent use of the same reference has chosen a product, too.
    SELECT c.claim_id INTO v_claim_id FROM unnest(v_claim_ids) AS c (claim_id)
    -- If the purchase has several products, the one that the reference has used comes first, then one with visits left.
    ORDER BY
        EXISTS (
            SELECT FROM wallet.pass_uses AS u WHERE u.claim_id = c.claim_id AND u.reference_digest = v_digest
        ) DESC,
        EXISTS (
            SELECT FROM wallet.lots AS l
            WHERE
                l.account_id = p_account_id AND l.claim_id = c.claim_id AND l.unit = 'visit' AND l.remaining > 0
        ) DESC,
        EXISTS (
            SELECT FROM wallet.lots AS l
            WHERE l.account_id = p_account_id AND l.claim_id = c.claim_id AND l.unit = 'visit'
        ) DESC,
        c.claim_id
    LIMIT 1;
    SELECT a.* INTO v_account FROM wallet.accounts AS a WHERE a.account_id = p_account_id;
    IF v_account.deleted_at IS NOT NULL OR v_account.merged_into IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL401', MESSAGE = 'unauthenticated';
    ELSIF v_claim_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'purchase-not-found';
    END IF;
    SELECT l.* INTO v_lot FROM wallet.lots AS l
    WHERE l.account_id = p_account_id AND l.claim_id = v_claim_id AND l.unit = 'visit'
    ORDER BY
        l.is_open DESC, (l.frozen_from <= wallet.now() AND l.frozen_until > wallet.now()) IS TRUE, l.expires_at, l.lot_id
    LIMIT 1;
    v_remaining := (
        SELECT sum(l.remaining) FROM wallet.lots AS l
        WHERE l.account_id = p_account_id AND l.claim_id = v_claim_id AND l.unit = 'visit'
    );
    IF v_lot.lot_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'purchase-without-visits';
    ELSIF EXISTS (
        SELECT FROM wallet.pass_uses AS u WHERE u.claim_id = v_claim_id AND u.reference_digest = v_digest
    ) THEN
        RETURN ROW(TRUE, v_remaining = 0, v_remaining)::wallet.pass_use;
    ELSIF v_account.blocked_at IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL403', MESSAGE = 'account-blocked';
    ELSIF v_lot.remaining = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'already-consumed', DETAIL = '{"remaining": 0}';
    ELSIF v_lot.frozen_from <= wallet.now() AND v_lot.frozen_until > wallet.now() THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'lot-frozen', DETAIL = jsonb_build_object(
            'lot_id', v_lot.lot_id, 'frozen_until', wallet.rfc3339(v_lot.frozen_until)
        )::TEXT;
    END IF;
    v_version := wallet.post_lot(
        p_account_id, p_environment, v_lot.lot_id, 'spend', p_spent => 1, p_claim_id => v_claim_id
    );
    INSERT INTO wallet.pass_uses (
        claim_id, reference_digest, reference, account_id, environment, version, used_at, bundle_item
    ) VALUES (
        v_claim_id, v_digest, p_reference, p_account_id, p_environment, v_version, wallet.now(), v_lot.bundle_item
    );
    PERFORM wallet.emit(
        'credits.debited', p_account_id, p_environment, v_claim_id,
        p_details => jsonb_build_object('lot_id', v_lot.lot_id)
    );
    RETURN ROW(FALSE, v_remaining = 1, v_remaining - 1)::wallet.pass_use;
END;
$$;
COMMENT ON FUNCTION wallet.consume_pass(BIGINT, wallet.environment, TEXT, TEXT) IS
'Spends one visit of a purchase, once for each reference.';
