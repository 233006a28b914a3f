-- Carries out INSERT and UPDATE on admin.classes through the same functions as the operator routes. Setting status to
-- 'cancelled', with or without a cancel_reason, cancels the class; such an UPDATE may set no other column. An UPDATE is
-- refused if the class has changed since the statement read it: it would write old values back and notify members of an
-- unintended move.
-- Locks and codes: see wallet.put_class, wallet.cancel_class; WL409 class-changed, WL422 column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_write_class() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_refusal wallet.admin_refusal;
    v_changed CONSTANT TEXT[] := ARRAY(
        SELECT n.key FROM jsonb_each(to_jsonb(NEW)) AS n
        WHERE TG_OP = 'UPDATE' AND n.value IS DISTINCT FROM to_jsonb(OLD) -> n.key
    );
    v_now admin.classes;
BEGIN
    IF NEW.status = 'cancelled' AND v_changed <@ ARRAY['status', 'cancel_reason'] AND TG_OP = 'UPDATE' THEN
        PERFORM wallet.cancel_class(NEW.class_id, NEW.cancel_reason, session_user::TEXT, NULL);
        RETURN NEW;
    END IF;
    IF
        v_changed && ARRAY[
            'class_id', 'seats_sold', 'seats_held', 'seats_left', 'waiting', 'status', 'cancel_reason'
        ]
        OR coalesce(NEW.status, 'scheduled') <> 'scheduled' AND TG_OP = 'INSERT'
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'class_id and the seat counts are read-only. To cancel the class, set only status = ''cancelled'' '
                'and, optionally, cancel_reason; a cancellation is final.';
    END IF;
    IF TG_OP = 'UPDATE' THEN
        PERFORM wallet.lock_class(OLD.class_id);
        SELECT c.* INTO STRICT v_now FROM admin.classes AS c WHERE c.class_id = OLD.class_id;
        IF
            to_jsonb(v_now) - ARRAY['seats_sold', 'seats_held', 'seats_left', 'waiting']
            <> to_jsonb(OLD) - ARRAY['seats_sold', 'seats_held', 'seats_left', 'waiting']
        THEN
            RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'class-changed',
                HINT = 'Read the class again and decide again.';
        END IF;
    END IF;
    PERFORM wallet.put_class(
        NEW.class_id, NEW.title, NEW.starts_at, NEW.ends_at, NEW.capacity::wallet.whole_number::INTEGER, NEW.price_credits::wallet.whole_number::BIGINT,
        NEW.price_visits::wallet.whole_number::BIGINT, coalesce(NEW.free_minutes_before, 1440), session_user::TEXT, NULL, ROW(
            NEW.max_seats, NEW.days_ahead, NEW.opens_minutes_before, NEW.closes_minutes_before, NEW.max_overlaps,
            NEW.waitlist_cutoff_minutes
        )::wallet.class_limits
    );
    RETURN NEW;
EXCEPTION
    WHEN SQLSTATE 'WL000' OR integrity_constraint_violation OR data_exception THEN
        GET STACKED DIAGNOSTICS
            v_refusal.state = RETURNED_SQLSTATE, v_refusal.message = MESSAGE_TEXT,
            v_refusal.detail = PG_EXCEPTION_DETAIL, v_refusal.hint = PG_EXCEPTION_HINT,
            v_refusal.name = CONSTRAINT_NAME, v_refusal.lacking = COLUMN_NAME;
        v_refusal := wallet.admin_refusal(v_refusal);
        RAISE EXCEPTION USING ERRCODE = v_refusal.state, MESSAGE = v_refusal.message, DETAIL = v_refusal.detail,
            HINT = v_refusal.hint;
END;
$$;
COMMENT ON FUNCTION wallet.admin_write_class() IS 'Carries out INSERT and UPDATE on admin.classes.';
