-- Emits events of subscriptions that changed only by the passing of time: ended periods and grace periods. Returns how
-- many it processed. The state of a subscription is correct without these events.
-- Locks: due subscriptions, SKIP LOCKED. Codes: none.
CREATE OR REPLACE FUNCTION wallet.sweep_subscriptions(p_limit INTEGER) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_subscription_id BIGINT;
    v_swept INTEGER := 0;
BEGIN
    FOR v_subscription_id IN
        SELECT s.subscription_id FROM wallet.subscriptions AS s
        WHERE s.next_change_at <= (SELECT wallet.now()) AND s.next_change_at < 'infinity'
        ORDER BY s.next_change_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
    LOOP
        PERFORM wallet.announce_subscription(v_subscription_id);
        v_swept := v_swept + 1;
    END LOOP;
    RETURN v_swept;
END;
$$;
COMMENT ON FUNCTION wallet.sweep_subscriptions(INTEGER) IS
'Emits events of subscriptions that changed by the passing of time; returns how many it processed.';
