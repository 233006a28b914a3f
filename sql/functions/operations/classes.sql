-- Carries out INSERT and UPDATE on admin.classes through the same functions as the operator routes. Setting status to
-- 'cancelled', with or without a cancel_reason, cancels the class; such an UPDATE may set no other column. An UPDATE is
-- refused if the class has changed since the statement read it: it would write old values back and notify members of an
-- unintended move. If the statement sets no ends_at, the class ends after its minutes.
-- Locks and codes: see wallet.change_class, wallet.cancel_class; WL409 class-changed, WL422 column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_write_class(p_operation TEXT, p_old RECORD, p_new RECORD) RETURNS RECORD
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.classes := p_old;
    v_new admin.classes := p_new;
    v_changed CONSTANT TEXT[] := ARRAY(
        SELECT n.key FROM jsonb_each(to_jsonb(v_new)) AS n
        WHERE p_operation = 'UPDATE' AND n.value IS DISTINCT FROM to_jsonb(v_old) -> n.key
    );
    v_now admin.classes;
    v_answer wallet.action_answer;
BEGIN
    IF v_new.status = 'cancelled' AND v_changed <@ ARRAY['status', 'cancel_reason'] AND p_operation = 'UPDATE' THEN
        PERFORM wallet.cancel_class(v_new.class_id, v_new.cancel_reason, session_user::TEXT, NULL);
        RETURN v_new;
    END IF;
    IF
        v_changed && ARRAY[
            'class_id', 'starts_local', 'seats_sold', 'seats_held', 'seats_left', 'waiting', 'status', 'cancel_reason',
            'series_id'
        ]
        OR coalesce(v_new.status, 'scheduled') <> 'scheduled' AND p_operation = 'INSERT'
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'class_id, starts_local, series_id and the seat counts are read-only. To cancel the class, set only '
                'status = ''cancelled'' and, optionally, cancel_reason; a cancellation is final.';
    END IF;
    IF p_operation = 'UPDATE' THEN
        -- A change of the policy locks the policy before its classes.
        PERFORM wallet.hold_policy(v_new.policy_id);
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
    IF
        p_operation = 'INSERT' AND v_new.ends_at IS NULL
        OR 'minutes' = ANY(v_changed) AND 'ends_at' <> ALL(v_changed)
    THEN
        v_new.ends_at := v_new.starts_at + make_interval(mins => v_new.minutes::wallet.whole_number::INTEGER);
    ELSIF 'starts_at' = ANY(v_changed) AND 'ends_at' <> ALL(v_changed) THEN
        v_new.ends_at := v_new.starts_at + (v_old.ends_at - v_old.starts_at);
    END IF;
    v_new.capacity := v_new.capacity::wallet.whole_number::BIGINT;
    v_new.price_credits := v_new.price_credits::wallet.whole_number::BIGINT;
    v_new.price_visits := v_new.price_visits::wallet.whole_number::BIGINT;
    v_answer := wallet.change_class(
        v_new.class_id, to_jsonb(v_new), p_operation = 'INSERT',
        ROW(session_user::TEXT, NULL, NULL, NULL)::wallet.action_note
    );
    v_new.class_id := coalesce(v_new.class_id, v_answer.after ->> 'class_id');
    RETURN v_new;
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

-- Carries out INSERT and UPDATE on admin.series. An UPDATE changes the classes from its from_date on; an unchanged
-- from_date that has passed counts as today. An UPDATE that only sets an earlier ends_on ends the series. Refuses an
-- UPDATE if the series has changed since the statement read it.
-- Locks and codes: see wallet.put_series and wallet.cancel_series; WL409 series-changed, WL422 column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_write_series(p_operation TEXT, p_old RECORD, p_new RECORD) RETURNS RECORD
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.series := p_old;
    v_new admin.series := p_new;
    v_now admin.series;
    v_answer wallet.action_answer;
BEGIN
    IF p_operation = 'UPDATE' THEN
        PERFORM wallet.lock_series(v_old.series_id, v_new.policy_id);
        SELECT s.* INTO v_now FROM admin.series AS s WHERE s.series_id = v_old.series_id;
        IF to_jsonb(v_now) - ARRAY['classes_ahead', 'next_starts_at']
            IS DISTINCT FROM to_jsonb(v_old) - ARRAY['classes_ahead', 'next_starts_at']
        THEN
            RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'series-changed',
                HINT = 'Read the series again and decide again.';
        ELSIF
            (v_new.series_id, v_new.classes_ahead, v_new.next_starts_at)
            IS DISTINCT FROM (v_old.series_id, v_old.classes_ahead, v_old.next_starts_at)
        THEN
            RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
                HINT = 'series_id and the columns about its classes are read-only.';
        ELSIF
            to_jsonb(v_new) - 'ends_on' = to_jsonb(v_old) - 'ends_on'
            AND v_new.ends_on < coalesce(v_old.ends_on, 'infinity')
        THEN
            PERFORM wallet.cancel_series(
                v_new.series_id, v_new.ends_on + 1, ROW(session_user::TEXT, NULL, NULL, NULL)::wallet.action_note
            );
            RETURN v_new;
        ELSIF v_new.from_date = v_old.from_date THEN
            v_new.from_date := greatest(
                v_new.from_date, (wallet.now() AT TIME ZONE coalesce(v_new.time_zone, wallet.studio_time_zone()))::DATE
            );
        END IF;
    END IF;
    v_new.capacity := v_new.capacity::wallet.whole_number::BIGINT;
    v_new.price_credits := v_new.price_credits::wallet.whole_number::BIGINT;
    v_new.price_visits := v_new.price_visits::wallet.whole_number::BIGINT;
    v_answer := wallet.put_series(
        v_new.series_id, to_jsonb(v_new), p_operation = 'INSERT',
        ROW(session_user::TEXT, NULL, NULL, NULL)::wallet.action_note
    );
    v_new.series_id := coalesce(v_new.series_id, v_answer.after ->> 'series_id');
    RETURN v_new;
END;
$$;
COMMENT ON FUNCTION wallet.admin_write_series(TEXT, RECORD, RECORD) IS 'Carries out INSERT and UPDATE on admin.series.';

-- Carries out INSERT and DELETE on admin.holidays.
-- Locks and codes: see wallet.put_holiday and wallet.remove_holiday.
CREATE OR REPLACE FUNCTION wallet.admin_write_holiday(p_operation TEXT, p_old RECORD, p_new RECORD) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.holidays := p_old;
    v_new CONSTANT admin.holidays := p_new;
    v_note CONSTANT wallet.action_note := ROW(session_user::TEXT, NULL, NULL, NULL)::wallet.action_note;
BEGIN
    IF p_operation = 'DELETE' THEN
        PERFORM wallet.remove_holiday(v_old.on_date, v_note);
    ELSE
        PERFORM wallet.put_holiday(v_new.on_date, v_new.name, v_note);
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.admin_write_holiday(TEXT, RECORD, RECORD) IS
'Carries out INSERT and DELETE on admin.holidays.';
