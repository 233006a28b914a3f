-- Carries out INSERT and UPDATE on admin.classes through the same functions as the operator routes. Setting status to
-- 'cancelled', with or without a cancel_reason, cancels the class; such an UPDATE may set no other column. An UPDATE is
-- refused if the class has changed since the statement read it: it would write old values back and notify members of an
-- unintended move.
-- Locks and codes: see wallet.put_class, wallet.cancel_class; WL409 class-changed, WL422 column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_write_class(p_operation TEXT, p_old RECORD, p_new RECORD) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.classes := p_old;
    v_new CONSTANT admin.classes := p_new;
    v_changed CONSTANT TEXT[] := ARRAY(
        SELECT n.key FROM jsonb_each(to_jsonb(v_new)) AS n
        WHERE p_operation = 'UPDATE' AND n.value IS DISTINCT FROM to_jsonb(v_old) -> n.key
    );
    v_now admin.classes;
BEGIN
    IF v_new.status = 'cancelled' AND v_changed <@ ARRAY['status', 'cancel_reason'] AND p_operation = 'UPDATE' THEN
        PERFORM wallet.cancel_class(v_new.class_id, v_new.cancel_reason, session_user::TEXT, NULL);
        RETURN;
    END IF;
    IF
        v_changed && ARRAY[
            'class_id', 'starts_local', 'seats_sold', 'seats_held', 'seats_left', 'waiting', 'status', 'cancel_reason'
        ]
        OR coalesce(v_new.status, 'scheduled') <> 'scheduled' AND p_operation = 'INSERT'
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'class_id, starts_local and the seat counts are read-only. To cancel the class, set only status = ''cancelled'' '
                'and, optionally, cancel_reason; a cancellation is final.';
    END IF;
    IF p_operation = 'UPDATE' THEN
        PERFORM wallet.lock_class(v_old.class_id);
        SELECT c.* INTO STRICT v_now FROM admin.classes AS c WHERE c.class_id = v_old.class_id;
        IF
            to_jsonb(v_now) - ARRAY['seats_sold', 'seats_held', 'seats_left', 'waiting']
            <> to_jsonb(v_old) - ARRAY['seats_sold', 'seats_held', 'seats_left', 'waiting']
        THEN
            RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'class-changed',
                HINT = 'Read the class again and decide again.';
        END IF;
    END IF;
    PERFORM wallet.put_class(
        v_new.class_id, v_new.title, v_new.starts_at, v_new.ends_at, v_new.capacity::wallet.whole_number::INTEGER,
        v_new.price_credits::wallet.whole_number::BIGINT, v_new.price_visits::wallet.whole_number::BIGINT,
        coalesce(v_new.free_minutes_before, 1440), session_user::TEXT, NULL, ROW(
            v_new.max_seats, v_new.days_ahead, v_new.opens_minutes_before, v_new.closes_minutes_before,
            v_new.max_overlaps, v_new.waitlist_cutoff_minutes
        )::wallet.class_limits, 'admin', v_new.policy_id
    );
END;
$$;
COMMENT ON FUNCTION wallet.admin_write_class(TEXT, RECORD, RECORD) IS 'Carries out INSERT and UPDATE on admin.classes.';

-- Carries out INSERT and UPDATE on admin.policies. Refuses an UPDATE if the policy has changed since the statement read
-- it.
-- Locks: see wallet.write_policy. Codes: WL409 already-exists, WL409 policy-changed, WL422 column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_write_policy(p_operation TEXT, p_old RECORD, p_new RECORD) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.policies := p_old;
    v_new CONSTANT admin.policies := p_new;
    v_now admin.policies;
BEGIN
    PERFORM FROM wallet.policies AS p WHERE p.policy_id = coalesce(v_old.policy_id, v_new.policy_id) FOR NO KEY UPDATE;
    SELECT p.* INTO v_now FROM admin.policies AS p WHERE p.policy_id = coalesce(v_old.policy_id, v_new.policy_id);
    IF p_operation = 'INSERT' AND FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'already-exists',
            HINT = 'To change it, use UPDATE admin.policies.';
    ELSIF p_operation = 'UPDATE' AND v_new.policy_id IS DISTINCT FROM v_old.policy_id THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'Classes refer to the policy by its policy_id.';
    ELSIF p_operation = 'UPDATE' AND v_now IS DISTINCT FROM v_old THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'policy-changed',
            HINT = 'Read the policy again and decide again.';
    END IF;
    PERFORM n.value::TEXT::NUMERIC::wallet.whole_number FROM jsonb_each(to_jsonb(v_new)) AS n
    WHERE jsonb_typeof(n.value) = 'number';
    PERFORM wallet.write_policy(
        wallet.new_terms(v_new.policy_id, to_jsonb(v_new)), ROW(session_user, NULL, NULL, NULL)::wallet.action_note
    );
END;
$$;
COMMENT ON FUNCTION wallet.admin_write_policy(TEXT, RECORD, RECORD) IS
'Carries out INSERT and UPDATE on admin.policies.';
