-- Creates or changes a policy. The given values replace all old ones. Changed terms apply to bookings from now on: all
-- classes of the policy get them, and existing bookings keep the terms that they copied. Without a change, the terms
-- stay the same.
-- p_terms: the new terms; their id and time are ignored.
-- Locks: the policy, then its classes by id. Codes: none (the tables' CHECKs refuse invalid values).
CREATE OR REPLACE FUNCTION wallet.write_policy(p_terms wallet.policy_terms, p_note wallet.action_note)
RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_before JSONB;
    v_terms_id BIGINT;
BEGIN
    -- A class that names the policy meanwhile waits for this lock, or gets the new terms below.
    PERFORM FROM wallet.policies AS p WHERE p.policy_id = p_terms.policy_id FOR NO KEY UPDATE;
    v_before := wallet.policy_state(p_terms.policy_id);
    IF v_before = to_jsonb(p_terms) - ARRAY['terms_id', 'policy_id', 'created_at'] THEN
        RETURN ROW(NULL, TRUE, '{}', '{}', NULL)::wallet.action_answer;
    END IF;
    INSERT INTO wallet.policy_terms (
        policy_id, name, free_minutes_before, late_cancel_fee, late_cancel_strike, no_show_fee, no_show_strike,
        strikes_allowed, strike_days, block_days, check_in_minutes_before, check_in_minutes_after, created_at
    ) VALUES (
        p_terms.policy_id, p_terms.name, p_terms.free_minutes_before, p_terms.late_cancel_fee,
        p_terms.late_cancel_strike, p_terms.no_show_fee, p_terms.no_show_strike, p_terms.strikes_allowed,
        p_terms.strike_days, p_terms.block_days, p_terms.check_in_minutes_before, p_terms.check_in_minutes_after,
        wallet.now()
    ) RETURNING terms_id INTO v_terms_id;
    INSERT INTO wallet.policies (policy_id, terms_id) VALUES (p_terms.policy_id, v_terms_id)
    ON CONFLICT (policy_id) DO UPDATE SET terms_id = excluded.terms_id;
    PERFORM FROM wallet.classes AS c
    WHERE c.policy_id = p_terms.policy_id AND c.starts_at > wallet.now()
    ORDER BY c.class_id
    FOR NO KEY UPDATE;
    UPDATE wallet.classes AS c SET
        terms_id = v_terms_id,
        free_minutes_before = p_terms.free_minutes_before,
        updated_at = wallet.now()
    WHERE c.policy_id = p_terms.policy_id AND c.starts_at > wallet.now();
    RETURN wallet.record_action(
        p_note, 'put-policy', 'policy', p_terms.policy_id, v_before, wallet.policy_state(p_terms.policy_id)
    );
END;
$$;
COMMENT ON FUNCTION wallet.write_policy(wallet.policy_terms, wallet.action_note) IS
'Creates or changes a policy; existing bookings keep the terms that they copied.';

-- Returns the current terms of a policy, as the audit records them before and after an action; no members if it does
-- not exist.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.policy_state(p_policy_id TEXT) RETURNS JSONB LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    SELECT coalesce((
        SELECT to_jsonb(t) - ARRAY['terms_id', 'policy_id', 'created_at']
        FROM wallet.policies AS p
        INNER JOIN wallet.policy_terms AS t ON p.terms_id = t.terms_id
        WHERE p.policy_id = p_policy_id
    ), '{}');
$$;
COMMENT ON FUNCTION wallet.policy_state(TEXT) IS 'Returns the current terms of a policy, for the audit.';

-- Returns the terms of a policy from a definition: the columns of wallet.policy_terms by name, with defaults for
-- missing ones.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.new_terms(p_policy_id TEXT, p_definition JSONB) RETURNS wallet.policy_terms
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT jsonb_populate_record(NULL::wallet.policy_terms, '{
        "free_minutes_before": 1440, "late_cancel_fee": 0, "late_cancel_strike": false, "no_show_fee": 0,
        "no_show_strike": false, "check_in_minutes_before": 60
    }' || jsonb_strip_nulls(p_definition) || jsonb_build_object('policy_id', p_policy_id));
$$;
COMMENT ON FUNCTION wallet.new_terms(TEXT, JSONB) IS 'Returns the terms of a policy from a definition.';

-- Locks a policy against changes and returns its current terms; null without a policy.
-- Locks: the policy, in share mode. Codes: WL404 policy-not-found.
CREATE OR REPLACE FUNCTION wallet.hold_policy(p_policy_id TEXT) RETURNS wallet.policy_terms LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_terms wallet.policy_terms;
BEGIN
    IF p_policy_id IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM FROM wallet.policies AS p WHERE p.policy_id = p_policy_id FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'policy-not-found';
    END IF;
    SELECT t.* INTO STRICT v_terms FROM wallet.policies AS p
    INNER JOIN wallet.policy_terms AS t ON p.terms_id = t.terms_id
    WHERE p.policy_id = p_policy_id;
    RETURN v_terms;
END;
$$;
COMMENT ON FUNCTION wallet.hold_policy(TEXT) IS 'Locks a policy against changes and returns its current terms.';
