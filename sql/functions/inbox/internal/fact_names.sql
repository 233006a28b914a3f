-- Returns the ids of all purchases in a store's message. Two messages about one purchase share at least one id.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.fact_names(p_event JSONB) RETURNS TEXT[] LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN ARRAY(
        SELECT DISTINCT f.value #>> '{}' FROM jsonb_path_query(p_event, 'lax $.statements[*].fact') AS s (fact)
        CROSS JOIN LATERAL jsonb_each(CASE jsonb_typeof(s.fact) WHEN 'object' THEN s.fact END) AS f (key, value)
        WHERE
            jsonb_typeof(f.value) = 'string' AND f.key IN (
                'transaction_id', 'original_transaction_id', 'purchase_token', 'linked_purchase_token', 'order_id'
            )
        ORDER BY 1
    );
END;
$$;
COMMENT ON FUNCTION wallet.fact_names(JSONB) IS 'Returns the ids of all purchases in a store''s message.';
