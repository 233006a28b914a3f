-- Returns the store's type of an unreadable message, or null if it has none. It shows an administrator, for example,
-- that the unreadable message is a refund.
-- Locks: none. Codes: none.
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
