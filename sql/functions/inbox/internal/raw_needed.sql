-- Reduces an unreadable message to the data that a later release needs to read it: the store's signed text, a push's
-- data, and the members of a RevenueCat event about purchases and their owners. The function keeps only listed members,
-- at any depth. Everything else is never stored, for example subscriber attributes with a user's e-mail address, name
-- and telephone number. Text that is not JSON arrives in base64 and stays.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.raw_needed(p_source TEXT, p_raw JSONB) RETURNS JSONB LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_needed CONSTANT TEXT[] := CASE p_source
        WHEN 'app_store' THEN '{base64, signedPayload}'
        WHEN 'google_play' THEN '{base64, data, message, messageId, message_id, publishTime, publish_time, subscription}'
        WHEN 'revenuecat' THEN '{
            adjustments, aliases, amount, api_version, app_id, app_user_id, auto_resume_at_ms, base64, cancel_reason,
            code, currency, entitlement_id, entitlement_ids, environment, event, event_timestamp_ms, expiration_at_ms,
            expiration_reason, grace_period_expiration_at_ms, id, is_family_share, is_trial_conversion, items,
            new_product_id, original_app_user_id, original_transaction_id, period_type, price, product_id,
            purchase_environment, purchased_at_ms, quantity, renewal_number, source, store, transaction_id,
            transferred_from, transferred_to, type, virtual_currency_transaction_id
        }'
        ELSE '{base64}'
    END;
    v_raw JSONB := p_raw;
    v_path TEXT[];
BEGIN
    FOR v_path IN
        WITH RECURSIVE members (path, value, is_needed) AS (
            SELECT '{}'::TEXT[], p_raw, TRUE
            UNION ALL
            SELECT m.path || i.key, i.value, i.is_needed FROM members AS m
            CROSS JOIN LATERAL (
                SELECT o.key, o.value, o.key = ANY(v_needed) AS is_needed
                FROM jsonb_each(CASE jsonb_typeof(m.value) WHEN 'object' THEN m.value END) AS o
                UNION ALL
                SELECT (a.place - 1)::TEXT, a.value, TRUE
                FROM jsonb_array_elements(CASE jsonb_typeof(m.value) WHEN 'array' THEN m.value END)
                    WITH ORDINALITY AS a (value, place)
            ) AS i
            WHERE m.is_needed
        )

        SELECT m.path FROM members AS m WHERE NOT m.is_needed
    LOOP
        v_raw := v_raw #- v_path;
    END LOOP;
    RETURN v_raw;
END;
$$;
COMMENT ON FUNCTION wallet.raw_needed(TEXT, JSONB) IS
'Returns an unreadable message, reduced to the data that a later release needs to read it.';
