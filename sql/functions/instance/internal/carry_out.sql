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
    v_needs CONSTANT TEXT[] := CASE
        WHEN p_action IN ('cancel-booking', 'waive-cancellation') THEN ARRAY['user_id', 'booking_id']
        WHEN p_action IN ('release-purchase', 'keep-purchase') THEN ARRAY['user_id', 'claim_id']
        WHEN p_action = 'resolve-flag' THEN ARRAY['flag_id', 'resolution']
        WHEN p_action = 'replay-message' THEN ARRAY['inbox_id']
        WHEN p_action = 'resend-event' THEN ARRAY['event_id']
        WHEN p_action = 'set-tester' THEN ARRAY['user_id', 'tester']
        WHEN p_action = 'send-test-event' THEN ARRAY['user_id']
        WHEN p_action = 'put-class' THEN ARRAY['class_id', 'definition']
        WHEN p_action = 'cancel-class' THEN ARRAY['class_id']
        WHEN p_action = 'put-product' THEN ARRAY['product_id', 'definition']
    END;
BEGIN
    IF jsonb_strip_nulls(p_target) ?& v_needs IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL400', MESSAGE = 'malformed-request';
    ELSIF 'user_id' = ANY(v_needs) AND v_account_id IS NULL THEN
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
        WHEN 'resolve-flag' THEN wallet.resolve_flag(
            (p_target ->> 'flag_id')::BIGINT, p_target ->> 'resolution', p_note
        )
        WHEN 'replay-message' THEN wallet.replay_message((p_target ->> 'inbox_id')::BIGINT, p_note)
        WHEN 'resend-event' THEN wallet.resend_event((p_target ->> 'event_id')::BIGINT, p_note)
        WHEN 'set-tester' THEN wallet.set_tester(v_account_id, (p_target ->> 'tester')::BOOLEAN, p_note)
        WHEN 'send-test-event' THEN wallet.send_test_event(v_account_id, v_environment, p_note)
        WHEN 'put-class' THEN wallet.write_class(
            jsonb_populate_record(NULL::wallet.classes, '{"free_minutes_before": 1440, "waitlist_cutoff_minutes": 60}'
                || jsonb_strip_nulls(p_target -> 'definition') || jsonb_build_object('class_id', p_target -> 'class_id')),
            (p_target -> 'definition' ->> 'capacity')::INTEGER, p_note
        )
        WHEN 'cancel-class' THEN wallet.call_off_class(p_target ->> 'class_id', p_note)
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
