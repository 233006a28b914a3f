-- Reads a store fact's JSON into the shape of a claim.
-- Called by: wallet.record_claim. Locks: none. Codes: WL422 for a fact without product, instants or an identifier that
-- holds alone: a line item needs its original id, and a subscription's token names all its periods.
CREATE OR REPLACE FUNCTION wallet.read_fact(p_fact JSONB) RETURNS wallet.claims LANGUAGE plpgsql STABLE
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_fact wallet.claims;
BEGIN
    v_fact.store := p_fact ->> 'store';
    v_fact.environment := (p_fact ->> 'environment')::wallet.environment;
    v_fact.transaction_id := p_fact ->> 'transaction_id';
    v_fact.original_transaction_id := p_fact ->> 'original_transaction_id';
    v_fact.line_item_id := p_fact ->> 'line_item_id';
    v_fact.purchase_token := p_fact ->> 'purchase_token';
    v_fact.order_id := p_fact ->> 'order_id';
    v_fact.app_transaction_id := p_fact ->> 'app_transaction_id';
    v_fact.kind := coalesce(p_fact ->> 'kind', 'one_time');
    v_fact.store_product_id := p_fact ->> 'store_product_id';
    v_fact.quantity := coalesce((p_fact ->> 'quantity')::INTEGER, 1);
    v_fact.ownership := coalesce(p_fact ->> 'ownership', 'purchased');
    v_fact.purchased_at := (p_fact ->> 'purchased_at')::TIMESTAMPTZ;
    v_fact.expires_at := (p_fact ->> 'expires_at')::TIMESTAMPTZ;
    v_fact.period_type := p_fact ->> 'period_type';
    v_fact.pending := coalesce((p_fact ->> 'pending')::BOOLEAN, FALSE);
    v_fact.upgraded := coalesce((p_fact ->> 'upgraded')::BOOLEAN, FALSE);
    v_fact.token_digest := sha256(uuid_send((p_fact ->> 'app_account_token')::UUID));
    v_fact.refunded_millionths := coalesce((p_fact ->> 'refunded_millionths')::INTEGER, 0);
    v_fact.told_amount := (p_fact ->> 'told_amount')::BIGINT;
    v_fact.linked_purchase_token := p_fact ->> 'linked_purchase_token';
    v_fact.refunded_at := (p_fact ->> 'refunded_at')::TIMESTAMPTZ;
    v_fact.receipt_sha256 := decode(p_fact ->> 'receipt_sha256', 'hex');
    v_fact.source := p_fact ->> 'source';
    v_fact.source_at := (p_fact ->> 'source_at')::TIMESTAMPTZ;
    IF
        v_fact.store IS NULL OR v_fact.environment IS NULL OR v_fact.store_product_id IS NULL
        OR v_fact.purchased_at IS NULL OR v_fact.source IS NULL OR v_fact.source_at IS NULL
        OR NOT (
            v_fact.transaction_id IS NOT NULL OR v_fact.order_id IS NOT NULL
            OR (v_fact.purchase_token IS NOT NULL AND v_fact.kind = 'one_time')
            OR (v_fact.line_item_id IS NOT NULL AND v_fact.original_transaction_id IS NOT NULL)
        )
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'fact-incomplete';
    END IF;
    RETURN v_fact;
END;
$$;
COMMENT ON FUNCTION wallet.read_fact(JSONB) IS 'Reads a store fact''s JSON into the shape of a claim.';
