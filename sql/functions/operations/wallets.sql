-- Carries out UPDATE admin.wallets. It locks the wallet, refuses if the balance has changed since the statement read
-- it, and posts the difference with the database role and the given reason. RETURNING shows the resulting balance. A
-- balance cannot be raised while the wallet owes something in its unit, because the posted amount would repay the debt
-- first and the balance would be lower than the one set.
-- Locks: the wallet. Codes: WL409 wallet-moved, WL409 wallet-owes, WL422 reason-required, WL422 one-wallet-at-a-time,
-- WL422 column-not-editable, WL422 invalid-balance (below 0, or above 10^12), WL409 balance-too-low.
CREATE OR REPLACE FUNCTION wallet.admin_update_wallet(p_old RECORD, p_new RECORD) RETURNS RECORD
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.wallets := p_old;
    v_new admin.wallets := p_new;
    v_now wallet.wallets;
    v_reference CONSTANT TEXT := 'admin.wallets ' || wallet.new_id();
BEGIN
    IF
        to_jsonb(v_old) - ARRAY['credits', 'visits', 'reason']
        IS DISTINCT FROM to_jsonb(v_new) - ARRAY['credits', 'visits', 'reason']
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'Only credits and visits can be set, with a reason.';
    ELSIF
        (v_new.credits BETWEEN 0 AND 1000000000000 AND v_new.visits BETWEEN 0 AND 1000000000000) IS NOT TRUE
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'invalid-balance',
            HINT = 'A balance must be a whole number from 0 to 1000000000000.';
    END IF;
    IF
        current_setting('wallet.moved_in', TRUE) = pg_current_xact_id()::TEXT
        AND coalesce(current_setting('wallet.bulk', TRUE), '') <> 'on'
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'one-wallet-at-a-time',
            HINT = 'To change several wallets in one transaction: SET LOCAL wallet.bulk = ''on''.';
    END IF;
    PERFORM set_config('wallet.moved_in', pg_current_xact_id()::TEXT, TRUE);
    PERFORM wallet.lock_wallet(v_old.account_id, 'production');
    SELECT w.* INTO STRICT v_now FROM wallet.wallets AS w
    WHERE w.account_id = v_old.account_id AND w.environment = 'production';
    IF (v_now.credits, v_now.visits) <> (v_old.credits, v_old.visits) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'wallet-moved',
            DETAIL = jsonb_build_object('credits', v_now.credits, 'visits', v_now.visits)::TEXT,
            HINT = 'Read the new balance and decide again.';
    END IF;
    IF
        (v_new.credits > v_now.credits AND v_now.owed_credits > 0)
        OR (v_new.visits > v_now.visits AND v_now.owed_visits > 0)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'wallet-owes',
            DETAIL = jsonb_build_object(
                'owed_credits', v_now.owed_credits, 'owed_visits', v_now.owed_visits
            )::TEXT,
            HINT = 'A posted amount repays the debt first. Use INSERT INTO admin.adjustments.';
    END IF;
    IF v_new.credits <> v_now.credits THEN
        PERFORM wallet.adjust(
            v_old.account_id, 'production', 'credit', v_new.credits::wallet.whole_number::BIGINT - v_now.credits,
            v_reference || ' credits', session_user::TEXT, v_new.reason
        );
    END IF;
    IF v_new.visits <> v_now.visits THEN
        PERFORM wallet.adjust(
            v_old.account_id, 'production', 'visit', v_new.visits::wallet.whole_number::BIGINT - v_now.visits,
            v_reference || ' visits', session_user::TEXT, v_new.reason
        );
    END IF;
    SELECT w.credits, w.visits, w.owed_credits, w.owed_visits, w.version
    INTO STRICT v_new.credits, v_new.visits, v_new.owed_credits, v_new.owed_visits, v_new.version
    FROM wallet.wallets AS w
    WHERE w.account_id = v_old.account_id AND w.environment = 'production';
    RETURN v_new;
END;
$$;
COMMENT ON FUNCTION wallet.admin_update_wallet(RECORD, RECORD) IS 'Carries out UPDATE admin.wallets.';

-- Carries out INSERT INTO admin.adjustments. Refuses an unknown user, which may be a typing error, unless new_user is
-- true.
-- Locks: see wallet.adjust. Codes: see wallet.adjust; WL422 user-and-reference-required, WL422 invalid-source,
-- WL404 user-not-found.
CREATE OR REPLACE FUNCTION wallet.admin_insert_adjustment(p_new RECORD) RETURNS RECORD
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_new admin.adjustments := p_new;
    v_account_id BIGINT;
BEGIN
    IF wallet.is_plain_text(v_new.user_id) IS NOT TRUE OR wallet.is_plain_text(v_new.reference) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'user-and-reference-required',
            HINT = 'Each must be one line without control characters.';
    END IF;
    v_new.user_id := wallet.canonical_user_id(v_new.user_id);
    v_account_id := wallet.known_account(v_new.user_id, v_new.new_user);
    IF v_new.source NOT IN ('adjustment', 'gift', 'promo') THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'invalid-source';
    END IF;
    v_new.environment := coalesce(v_new.environment, 'production');
    v_new.unit := coalesce(v_new.unit, 'credit');
    -- The interface uses 'gift'; the ledger stores 'promo'.
    v_new.source := CASE WHEN v_new.source = 'gift' THEN 'promo' ELSE coalesce(v_new.source, 'adjustment') END;
    v_new.actor := session_user::TEXT;
    v_new.at := wallet.now();
    IF NOT wallet.adjust(
        v_account_id, v_new.environment, v_new.unit, v_new.amount::wallet.whole_number::BIGINT, v_new.reference,
        v_new.actor, v_new.reason, coalesce(v_new.expires_at, 'infinity'), v_new.source
    ) THEN
        RETURN NULL;
    END IF;
    RETURN v_new;
END;
$$;
COMMENT ON FUNCTION wallet.admin_insert_adjustment(RECORD) IS 'Carries out INSERT INTO admin.adjustments.';
