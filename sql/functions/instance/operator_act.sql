-- Carries out an action of an operator. Adjustments have their own function, wallet.operator_adjust. The same reference
-- with the same request returns the first result and changes nothing; without a reference, every call is new. If the
-- target already has the requested state, nothing changes: the answer is marked as replayed, and no audit row is
-- written.
-- p_target, by action; a user is given by user_id, in any spelling, with environment (default production):
--   cancel-booking        user, booking_id, in_full (whether everything returns, by the studio's policy; default false)
--   waive-cancellation    user, booking_id
--   release-purchase, keep-purchase (revokes a release)    user, claim_id
--   resolve-flag          flag_id, resolution (dismissed or blocked)
--   replay-message        inbox_id
--   resend-event          event_id
--   set-tester            user, tester (true or false)
--   send-test-event       user
--   put-class             class_id, definition (the columns of wallet.classes by name, and capacity)
--   cancel-class          class_id
--   put-product           product_id, definition (the columns of wallet.products by name)
-- p_dry_run: whether to return the result and undo the action. p_right: the actor's role. p_shown: the preview returned
-- by a dry run; the action is refused if it or the state that it depends on has changed since.
-- Locks: the reference, then see each action. Codes: WL403 right-missing, WL404 user-not-found, WL409 reference-reused,
-- WL412 preview-outdated with the current preview, WL422 reason-required, WL400 malformed-request (an unknown action,
-- or a missing member); see wallet.cancel_for_user, wallet.waive_cancellation, wallet.set_released,
-- wallet.resolve_flag, wallet.replay_message, wallet.resend_event, wallet.write_class, wallet.call_off_class,
-- wallet.change_product.
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
