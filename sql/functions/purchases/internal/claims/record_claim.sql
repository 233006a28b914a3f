-- Finds the claim that a fact speaks of by any of its identifiers, or makes it, locks it, and fills in what it did
-- not know. Nothing that a claim knows is ever forgotten.
-- Locks: the claim's row, with those that turn out to be the same purchase. Codes: WL422.
CREATE OR REPLACE FUNCTION wallet.record_claim(p_fact JSONB) RETURNS wallet.claims LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_fact wallet.claims;
    v_claim wallet.claims;
    v_claim_id BIGINT;
BEGIN
    v_fact := wallet.read_fact(p_fact);
    LOOP
        v_claim_id := wallet.find_claim(v_fact);
        IF v_claim_id IS NOT NULL THEN
            EXIT WHEN wallet.add_claim_identifiers(v_claim_id, v_fact);
            CONTINUE;
        END IF;
        INSERT INTO wallet.claims (
            store, environment, transaction_id, original_transaction_id, line_item_id, purchase_token, order_id,
            app_transaction_id, kind, store_product_id, quantity, ownership, purchased_at, expires_at, period_type,
            pending, upgraded, token_digest, reported_amount, linked_purchase_token, receipt_sha256, source, source_at,
            created_at
        ) VALUES (
            v_fact.store, v_fact.environment, v_fact.transaction_id, v_fact.original_transaction_id,
            v_fact.line_item_id, v_fact.purchase_token, v_fact.order_id, v_fact.app_transaction_id, v_fact.kind,
            v_fact.store_product_id, v_fact.quantity, v_fact.ownership, v_fact.purchased_at, v_fact.expires_at,
            v_fact.period_type, v_fact.pending, v_fact.upgraded, v_fact.token_digest, v_fact.reported_amount,
            v_fact.linked_purchase_token, v_fact.receipt_sha256, v_fact.source, v_fact.source_at, wallet.now()
        )
        ON CONFLICT DO NOTHING
        RETURNING claim_id INTO v_claim_id;
        EXIT WHEN v_claim_id IS NOT NULL;
    END LOOP;
    PERFORM wallet.note_flags(v_claim_id, p_fact);
    UPDATE wallet.claims AS c SET
        app_transaction_id = coalesce(c.app_transaction_id, v_fact.app_transaction_id),
        token_digest = coalesce(c.token_digest, v_fact.token_digest),
        receipt_sha256 = coalesce(c.receipt_sha256, v_fact.receipt_sha256),
        -- Who names no period may only not know that it is one.
        kind = CASE
            WHEN c.granted_at IS NULL AND v_fact.kind = 'subscription' THEN 'subscription' ELSE c.kind
        END,
        quantity = greatest(c.quantity, v_fact.quantity),
        reported_amount = greatest(c.reported_amount, v_fact.reported_amount),
        linked_purchase_token = coalesce(c.linked_purchase_token, v_fact.linked_purchase_token),
        needs_acknowledgement = coalesce((p_fact ->> 'needs_acknowledgement')::BOOLEAN, c.needs_acknowledgement),
        -- A token's answer dates a renewal less well than a message about it does.
        purchased_at = CASE
            WHEN c.store = 'play_store' THEN least(c.purchased_at, v_fact.purchased_at) ELSE c.purchased_at
        END,
        expires_at = wallet.reported_end(v_claim_id),
        -- Before anything is granted, a trial is one as soon as one source says so: that mints less.
        period_type = CASE
            WHEN c.granted_at IS NULL AND v_fact.period_type = 'trial' THEN 'trial'
            ELSE coalesce(c.period_type, v_fact.period_type)
        END,
        ownership = CASE
            WHEN c.granted_at IS NULL AND v_fact.ownership = 'family_shared' THEN 'family_shared' ELSE c.ownership
        END,
        -- A pending purchase may become paid; a paid one never becomes pending again.
        pending = c.pending AND v_fact.pending,
        upgraded = c.upgraded OR v_fact.upgraded,
        refunded_millionths = CASE
            WHEN NOT wallet.is_newer_refund(p_fact, v_fact, c.refund_source_at) THEN c.refunded_millionths
            -- Two reports of one instant have no order; the larger share mints less.
            WHEN v_fact.source_at = c.refund_source_at
                THEN greatest(c.refunded_millionths, v_fact.refunded_millionths)
            ELSE v_fact.refunded_millionths
        END,
        refunded_at = CASE
            WHEN NOT wallet.is_newer_refund(p_fact, v_fact, c.refund_source_at) THEN c.refunded_at
            -- Hearing of a refund again does not make it a newer one.
            WHEN v_fact.refunded_millionths > 0 THEN coalesce(
                v_fact.refunded_at, CASE WHEN c.refunded_millionths > 0 THEN c.refunded_at END, v_fact.source_at
            )
        END,
        refund_source_at = CASE WHEN wallet.is_newer_refund(p_fact, v_fact, c.refund_source_at)
            THEN v_fact.source_at ELSE c.refund_source_at END,
        source_at = greatest(c.source_at, v_fact.source_at)
    WHERE c.claim_id = v_claim_id
    RETURNING c.* INTO v_claim;
    RETURN v_claim;
END;
$$;
COMMENT ON FUNCTION wallet.record_claim(JSONB) IS
'Finds or makes the claim that a fact speaks of, locks it and fills in what it did not know.';
