-- Carries out an action of an operator. Adjustments have their own function, wallet.operator_adjust. The same reference
-- with the same request returns the first result and changes nothing; without a reference, every call is new. If the
-- target already has the requested state, nothing changes: the answer is marked as replayed, and no audit row is
-- written.
-- p_target: the members that wallet.action_rights lists for the action. A user is given by user_id, in any spelling,
-- with environment (default production). cancel-booking also takes in_full: whether everything returns, by the
-- studio's policy (default false). put-profile also takes name and email. resolution is dismissed or blocked.
-- booking_ids are bookings of the class in the environment, and attendance is attended, no_show, excused or
-- unmarked. definition holds the columns of wallet.classes, and capacity, of wallet.products or of
-- wallet.policy_terms by name; for put-series see wallet.put_series. put-class and put-series also take the id, and
-- is_new: whether to refuse an id that exists (default false). cancel-series also takes from_date.
-- p_dry_run: whether to return the result and undo the action. p_right: the actor's role. p_shown: the preview returned
-- by a dry run; the action is refused if it or the state that it depends on has changed since.
-- Locks: the reference, then see each action. Codes: WL403 right-missing, WL404 user-not-found, WL409
-- reference-reused, WL412 preview-outdated with the current preview, WL422 reason-required, WL400 malformed-request
-- (an unknown action, or a missing member); see wallet.cancel_for_user, wallet.waive_cancellation,
-- wallet.set_released, wallet.freeze_lot, wallet.unfreeze_lot, wallet.resolve_flag, wallet.set_profile,
-- wallet.replay_message, wallet.resend_event, wallet.change_class, wallet.mark_attendance, wallet.write_policy,
-- wallet.call_off_class, wallet.put_series, wallet.cancel_series, wallet.change_product.
CREATE OR REPLACE FUNCTION wallet.operator_act(
    p_action TEXT,
    p_target JSONB,
    p_actor TEXT,
    p_reason TEXT,
    p_reference TEXT,
    p_dry_run BOOLEAN DEFAULT FALSE,
    p_right wallet.operator_right DEFAULT 'admin',
    p_shown TEXT DEFAULT NULL
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_user_id CONSTANT TEXT := wallet.canonical_user_id(p_target ->> 'user_id');
    -- The request contains normalized ids of user and booking. The user is a salted digest, which cannot be tested
    -- against a list of ids.
    v_request CONSTANT JSONB := p_target || jsonb_build_object(
        'user_id', encode(wallet.user_digest(v_user_id), 'hex'), 'booking_id', (p_target ->> 'booking_id')::UUID,
        'reason', p_reason
    );
    v_note CONSTANT wallet.action_note := ROW(
        p_actor, p_reason, p_reference,
        CASE WHEN p_reference IS NOT NULL THEN v_request END
    );
    v_account_id CONSTANT BIGINT := (SELECT i.account_id FROM wallet.identities AS i WHERE i.user_id = v_user_id);
    v_answer wallet.action_answer;
BEGIN
    PERFORM wallet.check_right(CASE
        WHEN p_action = 'cancel-booking' AND (p_target ->> 'in_full')::BOOLEAN THEN 'cancel-booking-in-full'
        ELSE p_action
    END, p_right);
    IF wallet.is_plain_text(p_reason) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'reason-required';
    END IF;
    -- A concurrent call with the same reference finishes first.
    PERFORM pg_advisory_xact_lock(hashtextextended('wallet.audit ' || p_action || ' ' || p_reference, 0));
    v_answer := wallet.action_replay(p_action, v_note);
    IF v_answer.replayed THEN
        PERFORM wallet.await_standby();
        RETURN v_answer;
    END IF;
    BEGIN
        v_answer := wallet.carry_out(p_action, p_target, v_user_id, v_note);
        -- This is read while the action holds its locks. Together with the changes, the version afterwards identifies
        -- the version before.
        v_answer.preview := wallet.preview_digest(p_action, v_request, jsonb_build_array(
            v_account_id, v_answer.before, v_answer.after, v_answer.replayed, (
                SELECT w.version FROM wallet.wallets AS w
                WHERE
                    w.account_id = v_account_id
                    AND w.environment = coalesce(p_target ->> 'environment', 'production')::wallet.environment
            )
        ));
        IF p_dry_run THEN
            RAISE EXCEPTION USING ERRCODE = 'WLDRY';
        ELSIF p_shown <> v_answer.preview THEN
            RAISE EXCEPTION USING ERRCODE = 'WL412', MESSAGE = 'preview-outdated', DETAIL = jsonb_build_object(
                'preview', v_answer.preview, 'before', v_answer.before, 'after', v_answer.after
            )::TEXT;
        END IF;
    EXCEPTION
        -- The exception undoes the action's writes, but v_answer keeps its value.
        WHEN SQLSTATE 'WLDRY' THEN
            v_answer.audit_id := NULL;
    END;
    IF v_answer.replayed THEN
        PERFORM wallet.await_standby();
    END IF;
    RETURN v_answer;
END;
$$;
COMMENT ON FUNCTION wallet.operator_act(TEXT, JSONB, TEXT, TEXT, TEXT, BOOLEAN, wallet.operator_right, TEXT) IS
'Carries out an action of an operator, once for its reference, or returns the result of a dry run.';

-- Returns the result of an earlier action with the same reference. If there is no reference, or it is new, the result
-- is not a replay. A replay returns the changes made at that time, not the current state.
-- Locks: none. Codes: WL409 reference-reused.
CREATE OR REPLACE FUNCTION wallet.action_replay(p_action TEXT, p_note wallet.action_note) RETURNS wallet.action_answer
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_known wallet.audit;
BEGIN
    SELECT r.* INTO v_known FROM wallet.audit AS r
    WHERE r.reference_digest = wallet.reference_digest(p_action, p_note.reference, p_note.request);
    IF NOT FOUND THEN
        RETURN ROW(NULL, FALSE, NULL, NULL, NULL)::wallet.action_answer;
    ELSIF v_known.request_digest <> sha256(convert_to(p_note.request::TEXT, 'UTF8')) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'reference-reused';
    END IF;
    RETURN ROW(v_known.audit_id, TRUE, v_known.before, v_known.after, NULL)::wallet.action_answer;
END;
$$;
COMMENT ON FUNCTION wallet.action_replay(TEXT, wallet.action_note) IS
'Returns the result of an earlier action with the same reference.';

-- Carries out one action of wallet.operator_act, which lists them. The user must exist, because an unknown user id may
-- be a typing error.
-- Locks: see each action. Codes: see wallet.operator_act.
CREATE OR REPLACE FUNCTION wallet.carry_out(
    p_action TEXT,
    p_target JSONB,
    p_user_id TEXT,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_id CONSTANT BIGINT := (SELECT i.account_id FROM wallet.identities AS i WHERE i.user_id = p_user_id);
    v_environment CONSTANT wallet.environment := coalesce(p_target ->> 'environment', 'production');
    v_target CONSTANT TEXT[] := (SELECT r.target FROM wallet.action_rights AS r WHERE r.action = p_action);
BEGIN
    IF jsonb_strip_nulls(p_target) ?& v_target IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL400', MESSAGE = 'malformed-request';
    ELSIF 'user_id' = ANY(v_target) AND v_account_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'user-not-found';
    END IF;
    RETURN CASE p_action
        WHEN 'cancel-booking' THEN wallet.cancel_for_user(
            v_account_id, v_environment, (p_target ->> 'booking_id')::UUID,
            coalesce((p_target ->> 'in_full')::BOOLEAN, FALSE), p_note
        )
        WHEN 'waive-cancellation' THEN wallet.waive_cancellation(
            v_account_id, v_environment, (p_target ->> 'booking_id')::UUID, p_note
        )
        WHEN 'freeze' THEN wallet.freeze_lot(
            v_account_id, v_environment, (p_target ->> 'lot_id')::UUID, (p_target ->> 'from')::TIMESTAMPTZ,
            (p_target ->> 'until')::TIMESTAMPTZ, p_note
        )
        WHEN 'unfreeze' THEN wallet.unfreeze_lot(
            v_account_id, v_environment, (p_target ->> 'lot_id')::UUID, p_note
        )
        WHEN 'resolve-flag' THEN wallet.resolve_flag(
            (p_target ->> 'flag_id')::BIGINT, p_target ->> 'resolution', p_note
        )
        WHEN 'replay-message' THEN wallet.replay_message((p_target ->> 'inbox_id')::BIGINT, p_note)
        WHEN 'resend-event' THEN wallet.resend_event((p_target ->> 'event_id')::BIGINT, p_note)
        WHEN 'set-tester' THEN wallet.set_tester(v_account_id, (p_target ->> 'tester')::BOOLEAN, p_note)
        WHEN 'put-profile' THEN wallet.set_profile(
            v_account_id, p_target ->> 'name', p_target ->> 'email', p_note
        )
        WHEN 'send-test-event' THEN wallet.send_test_event(v_account_id, v_environment, p_note)
        WHEN 'put-class' THEN wallet.change_class(
            p_target ->> 'class_id', p_target -> 'definition', (p_target ->> 'is_new')::BOOLEAN, p_note
        )
        WHEN 'cancel-class' THEN wallet.call_off_class(p_target ->> 'class_id', p_note)
        WHEN 'mark-attendance' THEN wallet.mark_attendance(
            v_environment, p_target ->> 'class_id',
            ARRAY(SELECT i.id::UUID FROM jsonb_array_elements_text(p_target -> 'booking_ids') AS i (id)),
            p_target ->> 'attendance', p_note
        )
        WHEN 'put-policy' THEN wallet.write_policy(
            wallet.new_terms(p_target ->> 'policy_id', p_target -> 'definition'), p_note
        )
        WHEN 'put-series' THEN wallet.put_series(
            p_target ->> 'series_id', p_target -> 'definition', coalesce((p_target ->> 'is_new')::BOOLEAN, FALSE),
            p_note
        )
        WHEN 'cancel-series' THEN wallet.cancel_series(
            p_target ->> 'series_id', (p_target ->> 'from_date')::DATE, p_note
        )
        WHEN 'put-holiday' THEN wallet.put_holiday((p_target ->> 'on_date')::DATE, p_target ->> 'name', p_note)
        WHEN 'remove-holiday' THEN wallet.remove_holiday((p_target ->> 'on_date')::DATE, p_note)
        WHEN 'put-product' THEN wallet.change_product(
            wallet.new_product(p_target ->> 'product_id', p_target -> 'definition'), p_note
        )
        ELSE wallet.set_released(
            v_account_id, (p_target ->> 'claim_id')::BIGINT, p_action = 'release-purchase', p_note
        )
    END;
END;
$$;
COMMENT ON FUNCTION wallet.carry_out(TEXT, JSONB, TEXT, wallet.action_note) IS 'Carries out one action of an operator.';

-- Returns the digest that binds a confirmation to its preview. It covers the action, the whole request and the state at
-- that time.
CREATE OR REPLACE FUNCTION wallet.preview_digest(p_action TEXT, p_request JSONB, p_state JSONB) RETURNS TEXT
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT encode(sha256(convert_to(jsonb_build_array(p_action, p_request, p_state)::TEXT, 'UTF8')), 'hex');
$$;
COMMENT ON FUNCTION wallet.preview_digest(TEXT, JSONB, JSONB) IS
'Returns the digest that binds a confirmation to its preview.';
