-- Reduces a store's message to the data that may stay after processing: its type and, for each purchase, the store's
-- ids, products and times. The function keeps only listed members. It removes, for example, owners, account tokens,
-- purchase tokens, the copy of the app, and the users of a transfer.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.trim_event(p_event JSONB) RETURNS JSONB LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN jsonb_strip_nulls(jsonb_build_object(
        'source', p_event -> 'source',
        'id', p_event -> 'id',
        'type', p_event -> 'type',
        'ignored', p_event -> 'ignored',
        'consumption_request', p_event -> 'consumption_request',
        'statements', (
            SELECT jsonb_agg(jsonb_build_object('fact', (
                SELECT jsonb_object_agg(f.key, f.value) FROM jsonb_each(s.value -> 'fact') AS f (key, value)
                WHERE jsonb_typeof(f.value) NOT IN ('object', 'array') AND f.key IN (
                    'store', 'environment', 'transaction_id', 'original_transaction_id', 'line_item_id', 'order_id',
                    'store_product_id', 'kind', 'quantity', 'period_type', 'purchased_at', 'expires_at', 'pending',
                    'refunded_millionths', 'refunded_at', 'grace_ends_at', 'expired_at', 'occasion', 'source',
                    'source_at', 'billing_period', 'billing_periods'
                )
            )) ORDER BY s.place)
            FROM jsonb_array_elements(
                CASE jsonb_typeof(p_event -> 'statements') WHEN 'array' THEN p_event -> 'statements' END
            ) WITH ORDINALITY AS s (value, place)
            WHERE jsonb_typeof(s.value -> 'fact') = 'object'
        ),
        'transfer', CASE WHEN p_event ->> 'transfer' IS NOT NULL THEN jsonb_build_object(
            'environment', p_event -> 'transfer' -> 'environment', 'at', p_event -> 'transfer' -> 'at'
        ) END,
        'refund_review', CASE WHEN p_event ->> 'refund_review' IS NOT NULL THEN jsonb_build_object(
            'order_id', p_event -> 'refund_review' -> 'order_id'
        ) END,
        'question', CASE WHEN p_event ->> 'question' IS NOT NULL THEN jsonb_build_object(
            'kind', p_event -> 'question' -> 'kind', 'product_id', p_event -> 'question' -> 'product_id',
            'order_id', p_event -> 'question' -> 'order_id', 'at', p_event -> 'question' -> 'at'
        ) END
    ));
END;
$$;
COMMENT ON FUNCTION wallet.trim_event(JSONB) IS
'Returns the data of a store''s message that may stay after processing.';
