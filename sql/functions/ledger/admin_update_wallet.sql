-- Carries out UPDATE admin.wallets. It locks the wallet, refuses if the balance has changed since the statement read
-- it, and posts the difference with the database role and the given reason. RETURNING shows the resulting balance. A
-- balance cannot be raised while the wallet owes something in its unit, because the posted amount would repay the debt
-- first and the balance would be lower than the one set.
-- Locks: the wallet. Codes: WL409 wallet-moved, WL409 wallet-owes, WL422 reason-required, WL422 one-wallet-at-a-time,
-- WL422 column-not-editable, WL422 balance-not-possible (below 0, or above 10^12), WL409 balance-too-low.
CREATE OR REPLACE FUNCTION wallet.admin_update_wallet() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_refusal wallet.admin_refusal;
    v_now wallet.wallets;
    v_reference CONSTANT TEXT := 'admin.wallets ' || wallet.new_id();
BEGIN
    IF (OLD.user_id, OLD.account_id, OLD.owed_credits, OLD.owed_visits, OLD.unlimited, OLD.version, OLD.is_blocked)
        IS DISTINCT FROM
        (NEW.user_id, NEW.account_id, NEW.owed_credits, NEW.owed_visits, NEW.unlimited, NEW.version, NEW.is_blocked)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'Only credits and visits can be set, with a reason.';
    ELSIF
        (NEW.credits BETWEEN 0 AND 1000000000000 AND NEW.visits BETWEEN 0 AND 1000000000000) IS NOT TRUE
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'balance-not-possible',
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
    PERFORM wallet.lock_wallet(OLD.account_id, 'production');
    SELECT w.* INTO STRICT v_now FROM wallet.wallets AS w
    WHERE w.account_id = OLD.account_id AND w.environment = 'production';
    IF (v_now.credits, v_now.visits) <> (OLD.credits, OLD.visits) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'wallet-moved',
            DETAIL = jsonb_build_object('credits', v_now.credits, 'visits', v_now.visits)::TEXT,
            HINT = 'Read the new balance and decide again.';
    END IF;
    IF
        (NEW.credits > v_now.credits AND v_now.owed_credits > 0)
        OR (NEW.visits > v_now.visits AND v_now.owed_visits > 0)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'wallet-owes',
            DETAIL = jsonb_build_object(
                'owed_credits', v_now.owed_credits, 'owed_visits', v_now.owed_visits
            )::TEXT,
            HINT = 'A posted amount repays the debt first. Use INSERT INTO admin.adjustments.';
    END IF;
    IF NEW.credits <> v_now.credits THEN
        PERFORM wallet.adjust(
            OLD.account_id, 'production', 'credit', NEW.credits::wallet.whole_number::BIGINT - v_now.credits, v_reference || ' credits',
            session_user::TEXT, NEW.reason
        );
    END IF;
    IF NEW.visits <> v_now.visits THEN
        PERFORM wallet.adjust(
            OLD.account_id, 'production', 'visit', NEW.visits::wallet.whole_number::BIGINT - v_now.visits, v_reference || ' visits',
            session_user::TEXT, NEW.reason
        );
    END IF;
    SELECT w.credits, w.visits, w.owed_credits, w.owed_visits, w.version
    INTO STRICT NEW.credits, NEW.visits, NEW.owed_credits, NEW.owed_visits, NEW.version
    FROM wallet.wallets AS w
    WHERE w.account_id = OLD.account_id AND w.environment = 'production';
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
COMMENT ON FUNCTION wallet.admin_update_wallet() IS 'Carries out UPDATE admin.wallets.';
