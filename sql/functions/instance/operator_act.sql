-- Carries out an action of an operator beside adjustments, which have a function of their own. The same reference with
-- the same request answers again and does nothing; without a reference every call is a new one. What is already as it
-- is asked for stays, is answered as replayed, and is no action.
-- p_target, by action; a user is named by user_id, in any spelling, with environment (production):
--   cancel-booking        user, booking_id, in_full (whether all returns, as when the studio cancels; false)
--   waive-cancellation    user, booking_id
--   release-purchase, keep-purchase (takes a release back)    user, claim_id
--   resolve-flag          flag_id, resolution (dismissed or blocked)
--   replay-message        inbox_id
--   resend-event          event_id
--   set-tester            user, tester (true or false)
--   send-test-event       user
--   put-class             class_id, definition (the columns of wallet.classes by name, and capacity)
--   cancel-class          class_id
--   put-product           product_id, definition (the columns of wallet.products by name)
-- p_dry_run: whether to answer what it would do, and undo it. p_right: what the actor may do. p_shown: the preview that
-- a dry run answered; the action is done only if it and all that it depends on are as they were then.
-- Locks: the reference, then see each. Codes: WL403 right-missing, WL404 user-not-found, WL409 reference-reused, WL412
-- preview-outdated with the present preview, WL422 reason-required, WL400 malformed-request (an unknown action, or a
-- member is missing); see wallet.cancel_for_user, wallet.waive_cancellation, wallet.set_released, wallet.resolve_flag,
-- wallet.replay_message, wallet.resend_event, wallet.write_class, wallet.call_off_class, wallet.change_product.
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
    -- One user and one booking, however they are spelt; the user by a digest that nobody can try ids against.
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
    -- Somebody else who has the reference at this moment comes first.
    PERFORM pg_advisory_xact_lock(hashtextextended('wallet.audit ' || p_action || ' ' || p_reference, 0));
    v_answer := wallet.action_replay(p_action, v_note);
    IF v_answer.replayed THEN
        PERFORM wallet.await_standby();
        RETURN v_answer;
    END IF;
    BEGIN
        v_answer := wallet.carry_out(p_action, p_target, v_user_id, v_note);
        -- Read once the action holds its locks. Together with what changed, the version after it names the one before.
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
        -- What the action wrote is undone; the answer is not.
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
'Carries out an action of an operator, once for its reference, or says what it would do.';
