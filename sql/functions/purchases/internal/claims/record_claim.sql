-- Finds the claim of a fact by its identifiers and product, or creates it, locks it, and adds the fact's data. A claim
-- never loses data. A new claim is inserted once with all data of the fact, because writes to this table cost more than
-- all other writes of a purchase.
-- Locks: the claim's row, with those that turn out to be the same purchase; for a further product of a purchase those
-- of the others, by id. Codes: WL422.
CREATE OR REPLACE FUNCTION wallet.record_claim(p_fact JSONB) RETURNS wallet.claims LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_read CONSTANT wallet.claims := wallet.read_fact(p_fact);
    v_fact wallet.claims;
    v_claim wallet.claims;
    v_claim_id BIGINT;
    v_sharing BIGINT[];
BEGIN
    LOOP
        v_fact := wallet.name_period(v_read);
        v_claim_id := wallet.find_claim(v_fact);
        IF v_claim_id IS NOT NULL THEN
            EXIT WHEN wallet.add_claim_identifiers(v_claim_id, v_fact);
            CONTINUE;
        END IF;
        v_sharing := wallet.claims_sharing(v_fact);
        IF v_sharing <> '{}' THEN
            -- They are other products of the purchase, unless one was added since the search. Their locks keep other
            -- transactions from recording this product at the same time.
            PERFORM FROM wallet.claims AS c WHERE c.claim_id = ANY(v_sharing) ORDER BY c.claim_id FOR NO KEY UPDATE;
            CONTINUE WHEN wallet.claims_matching(v_fact) <> '{}' OR wallet.claims_sharing(v_fact) <> v_sharing;
            v_fact.part := wallet.product_label(v_fact.store, v_fact.store_product_id);
            v_fact.purchase_products := wallet.products_listed(v_fact, v_sharing);
        END IF;
        v_fact.chain_line := wallet.line_of_chain(v_fact);
        v_claim := wallet.learn_fact(v_fact, p_fact, v_fact);
        INSERT INTO wallet.claims (
            store, environment, transaction_id, original_transaction_id, line_item_id, purchase_token, order_id,
            app_transaction_id, kind, store_product_id, purchase_products, part, chain_line, quantity, ownership, purchased_at, expires_at, period_type,
            pending, upgraded, token_digest, reported_amount, linked_purchase_token, receipt_sha256,
            needs_acknowledgement, refunded_millionths, refunded_at, refund_source_at, source, source_at, created_at,
            billing_period, billing_periods
        ) VALUES (
            v_claim.store, v_claim.environment, v_claim.transaction_id, v_claim.original_transaction_id,
            v_claim.line_item_id, v_claim.purchase_token, v_claim.order_id, v_claim.app_transaction_id, v_claim.kind,
            v_claim.store_product_id, v_claim.purchase_products, v_claim.part, v_claim.chain_line, v_claim.quantity,
            v_claim.ownership, v_claim.purchased_at,
            -- The same value as wallet.reported_end returns for the flags stored below.
            coalesce(v_claim.expires_at, (p_fact ->> 'expired_at')::TIMESTAMPTZ), v_claim.period_type,
            v_claim.pending, v_claim.upgraded, v_claim.token_digest, v_claim.reported_amount,
            v_claim.linked_purchase_token, v_claim.receipt_sha256, v_claim.needs_acknowledgement,
            v_claim.refunded_millionths, v_claim.refunded_at, v_claim.refund_source_at, v_claim.source,
            v_claim.source_at, wallet.now(), v_claim.billing_period, v_claim.billing_periods
        )
        ON CONFLICT DO NOTHING
        RETURNING * INTO v_claim;
        IF FOUND THEN
            PERFORM wallet.note_flags(v_claim.claim_id, p_fact);
            RETURN v_claim;
        END IF;
    END LOOP;
    PERFORM wallet.note_flags(v_claim_id, p_fact);
    SELECT c.* INTO STRICT v_claim FROM wallet.claims AS c WHERE c.claim_id = v_claim_id;
    v_claim := wallet.learn_fact(v_claim, p_fact, v_fact);
    UPDATE wallet.claims AS c SET
        app_transaction_id = v_claim.app_transaction_id,
        store_product_id = v_claim.store_product_id,
        other_names = v_claim.other_names,
        purchase_products = v_claim.purchase_products,
        token_digest = v_claim.token_digest,
        receipt_sha256 = v_claim.receipt_sha256,
        kind = v_claim.kind,
        quantity = v_claim.quantity,
        reported_amount = v_claim.reported_amount,
        linked_purchase_token = v_claim.linked_purchase_token,
        needs_acknowledgement = v_claim.needs_acknowledgement,
        purchased_at = v_claim.purchased_at,
        expires_at = wallet.reported_end(v_claim_id),
        period_type = v_claim.period_type,
        ownership = v_claim.ownership,
        pending = v_claim.pending,
        upgraded = v_claim.upgraded,
        billing_period = v_claim.billing_period,
        billing_periods = v_claim.billing_periods,
        refunded_millionths = v_claim.refunded_millionths,
        refunded_at = v_claim.refunded_at,
        refund_source_at = v_claim.refund_source_at,
        source_at = v_claim.source_at
    WHERE c.claim_id = v_claim_id
    RETURNING c.* INTO v_claim;
    RETURN v_claim;
END;
$$;
COMMENT ON FUNCTION wallet.record_claim(JSONB) IS
'Finds or creates the claim of a fact, locks it and adds the fact''s data.';
