-- Creates or changes a class for an operator, once per key: see wallet.write_class. A limit that is not given does not
-- apply.
-- Locks: the operator's key, then see wallet.write_class. Codes: WL403 right-missing, WL422 idempotency-key-reused; see
-- wallet.write_class.
CREATE OR REPLACE FUNCTION wallet.put_class(
    p_class_id TEXT,
    p_title TEXT,
    p_starts_at TIMESTAMPTZ,
    p_ends_at TIMESTAMPTZ,
    p_capacity INTEGER,
    p_price_credits BIGINT,
    p_price_visits BIGINT,
    p_free_minutes_before INTEGER,
    p_actor TEXT,
    p_key TEXT,
    p_limits wallet.class_limits DEFAULT NULL,
    p_right wallet.operator_right DEFAULT 'admin'
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes;
BEGIN
    PERFORM wallet.check_right('put-class', p_right);
    p_limits.waitlist_cutoff_minutes := coalesce(p_limits.waitlist_cutoff_minutes, 60);
    IF wallet.operator_replays(p_actor, p_key, 'put-class', jsonb_build_array(
        p_class_id, p_title, extract(EPOCH FROM p_starts_at), extract(EPOCH FROM p_ends_at), p_capacity,
        p_price_credits, p_price_visits, p_free_minutes_before
    ) || CASE
        -- Default limits are left out of the digest, so that keys from before limits existed still replay.
        WHEN jsonb_strip_nulls(to_jsonb(p_limits)) = '{"waitlist_cutoff_minutes": 60}' THEN '[]'
        ELSE jsonb_build_array(to_jsonb(p_limits))
    END) THEN
        RETURN;
    END IF;
    v_class.class_id := p_class_id;
    v_class.title := p_title;
    v_class.starts_at := p_starts_at;
    v_class.ends_at := p_ends_at;
    v_class.price_credits := p_price_credits;
    v_class.price_visits := p_price_visits;
    v_class.free_minutes_before := p_free_minutes_before;
    v_class.max_seats := p_limits.max_seats;
    v_class.days_ahead := p_limits.days_ahead;
    v_class.opens_minutes_before := p_limits.opens_minutes_before;
    v_class.closes_minutes_before := p_limits.closes_minutes_before;
    v_class.max_overlaps := p_limits.max_overlaps;
    v_class.waitlist_cutoff_minutes := p_limits.waitlist_cutoff_minutes;
    PERFORM wallet.write_class(v_class, p_capacity, ROW(p_actor, NULL, NULL, NULL)::wallet.action_note);
END;
$$;
COMMENT ON FUNCTION wallet.put_class(
    TEXT, TEXT, TIMESTAMPTZ, TIMESTAMPTZ, INTEGER, BIGINT, BIGINT, INTEGER, TEXT, TEXT, wallet.class_limits,
    wallet.operator_right
) IS 'Creates or changes a class for an operator, with the same number of seats in each environment.';
