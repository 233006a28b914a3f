-- Records the result of one attempt to deliver an event. p_error is null if it was delivered, otherwise the HTTP status
-- or an error code, never a response body. Retries follow after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24
-- h; after one more failure, the delivery is dead until an administrator resends it. A delivered event stays delivered
-- even if a slower attempt fails later. A dead event becomes delivered if a late attempt succeeds.
-- Locks: the delivery's row. Codes: none.
CREATE OR REPLACE FUNCTION wallet.record_delivery(p_event_id BIGINT, p_error TEXT) RETURNS VOID LANGUAGE sql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    UPDATE wallet.deliveries AS d SET
        status = CASE WHEN p_error IS NULL THEN 'delivered' WHEN d.attempts >= 9 THEN 'dead' ELSE 'pending' END,
        attempts = d.attempts + 1,
        next_attempt_at = CASE
            WHEN p_error IS NULL OR d.attempts >= 9 THEN d.next_attempt_at
            ELSE (SELECT wallet.now()) + (ARRAY[
                INTERVAL '5 seconds', INTERVAL '5 minutes', INTERVAL '30 minutes', INTERVAL '2 hours',
                INTERVAL '5 hours', INTERVAL '10 hours', INTERVAL '14 hours', INTERVAL '20 hours', INTERVAL '24 hours'
            ])[d.attempts + 1]
        END,
        last_error = left(p_error, 500),
        delivered_at = CASE WHEN p_error IS NULL THEN (SELECT wallet.now()) END
    WHERE d.event_id = p_event_id AND (d.status = 'pending' OR (d.status = 'dead' AND p_error IS NULL));
$$;
COMMENT ON FUNCTION wallet.record_delivery(BIGINT, TEXT) IS 'Records the result of one attempt to deliver an event.';
