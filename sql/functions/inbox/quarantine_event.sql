-- Stores an authentic message that could not be parsed, reduced to the data that a later release needs
-- (wallet.raw_needed). It is quarantined for an administrator and not retried automatically. If a message with its id
-- is already stored, nothing changes.
-- p_type: the type, used if the message itself contains none.
-- Locks: the message's source and id, then its row. Codes: WL422 message-incomplete.
CREATE OR REPLACE FUNCTION wallet.quarantine_event(
    p_source TEXT,
    p_id TEXT,
    p_type TEXT,
    p_raw JSONB,
    p_reason TEXT
) RETURNS wallet.event_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_outcome wallet.event_outcome;
    v_done wallet.event_outcome;
BEGIN
    IF coalesce(p_source, '') = '' OR coalesce(p_id, '') = '' OR p_raw IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'message-incomplete';
    END IF;
    PERFORM wallet.lock_message(p_source, p_id);
    LOOP
        v_outcome.duplicate := FALSE;
        INSERT INTO wallet.inbox AS i (source, source_event_id, type, payload, status, reason, received_at)
        VALUES (
            p_source, p_id, coalesce(wallet.raw_type(p_raw), p_type),
            wallet.without_deleted(jsonb_build_object('raw', wallet.raw_needed(p_source, p_raw))), 'quarantined',
            left(coalesce(p_reason, 'unreadable'), 200), wallet.now()
        )
        ON CONFLICT (source, source_event_id) DO NOTHING
        RETURNING i.inbox_id, i.status, i.reason INTO v_outcome.inbox_id, v_outcome.status, v_outcome.reason;
        IF FOUND THEN
            v_done := wallet.archived_event(NULL, p_source, p_id);
            EXIT WHEN v_done.inbox_id IS NULL;
            DELETE FROM wallet.inbox AS i WHERE i.inbox_id = v_outcome.inbox_id;
            RETURN v_done;
        END IF;
        v_outcome.duplicate := TRUE;
        SELECT i.inbox_id, i.status, i.reason INTO v_outcome.inbox_id, v_outcome.status, v_outcome.reason
        FROM wallet.inbox AS i WHERE i.source = p_source AND i.source_event_id = p_id;
        EXIT WHEN FOUND;
    END LOOP;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.quarantine_event(TEXT, TEXT, TEXT, JSONB, TEXT) IS
'Stores an authentic message that could not be parsed.';

-- Reduces an unreadable message to the data that a later release needs to read it: the store's signed text, a push's
-- data, and the members of a RevenueCat event about purchases and their owners. The function keeps only listed members,
-- at any depth. Everything else is never stored, for example subscriber attributes with a user's e-mail address, name
-- and telephone number. Text that is not JSON arrives in base64 and stays.
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

-- Returns the store's type of an unreadable message, or null if it has none. It shows an administrator, for example,
-- that the unreadable message is a refund.
CREATE OR REPLACE FUNCTION wallet.raw_type(p_raw JSONB) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_notification CONSTANT JSONB := wallet.signed_content(p_raw ->> 'signedPayload');
    v_push JSONB;
BEGIN
    BEGIN
        v_push := convert_from(decode(p_raw #>> '{message,data}', 'base64'), 'UTF8')::JSONB;
    EXCEPTION
        WHEN data_exception THEN NULL;
    END;
    RETURN (
        SELECT t.type FROM (VALUES
            (1, p_raw #>> '{event,type}'),
            (2, concat_ws('.', v_notification ->> 'notificationType', nullif(v_notification ->> 'subtype', ''))),
            (3, CASE
                WHEN v_push ? 'voidedPurchaseNotification' THEN 'VOIDED_PURCHASE'
                WHEN v_push ? 'subscriptionNotification' THEN 'SUBSCRIPTION'
                WHEN v_push ? 'oneTimeProductNotification' THEN 'ONE_TIME_PRODUCT'
                WHEN v_push ? 'pendingRefundReviewNotification' THEN 'PENDING_REFUND_REVIEW'
            END)
        ) AS t (place, type)
        -- The type itself may be the unreadable part.
        WHERE t.type ~ '^[A-Za-z0-9_.]{1,100}$'
        ORDER BY t.place
        LIMIT 1
    );
END;
$$;
COMMENT ON FUNCTION wallet.raw_type(JSONB) IS 'Returns the store''s type of an unreadable message.';

-- Archives up to p_limit quarantined messages that were received longer ago than p_keep, and returns how many. They
-- move, trimmed, to inbox_done as ignored, where they are dropped with their week. Until then an administrator may
-- replay them.
-- Locks: the messages, SKIP LOCKED. Codes: none.
-- Locks: the messages, SKIP LOCKED. Codes: none.
CREATE OR REPLACE FUNCTION wallet.drop_quarantined(p_keep INTERVAL, p_limit INTEGER) RETURNS INTEGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_message wallet.inbox;
    v_count INTEGER := 0;
BEGIN
    FOR v_message IN
        SELECT i.* FROM wallet.inbox AS i
        WHERE i.status = 'quarantined' AND i.received_at < (SELECT wallet.now()) - p_keep
        ORDER BY i.received_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
    LOOP
        PERFORM wallet.archive_event(
            v_message.inbox_id, 'ignored', left('given up: ' || v_message.reason, 200),
            wallet.trim_event(v_message.payload)
        );
        v_count := v_count + 1;
    END LOOP;
    RETURN v_count;
END;
$$;
COMMENT ON FUNCTION wallet.drop_quarantined(INTERVAL, INTEGER) IS
'Archives messages that have been quarantined for a long time.';
