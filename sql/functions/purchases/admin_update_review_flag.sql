-- Carries out UPDATE admin.review_flags SET resolution: 'blocked' blocks the account from further grants and bookings,
-- 'dismissed' closes the flag, and lifts the block that this flag had set unless another flag stands for it too.
-- A merged account's flag counts for the account that it was merged into.
-- Locks: the flag's row, then the account's. Codes: WL422 column-not-editable, WL422 resolution-not-possible.
CREATE OR REPLACE FUNCTION wallet.admin_update_review_flag() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_refusal wallet.admin_refusal;
    v_known wallet.review_flags;
    v_account_id BIGINT;
BEGIN
    IF to_jsonb(OLD) - 'resolution' IS DISTINCT FROM to_jsonb(NEW) - 'resolution' THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'Only resolution can be set.';
    ELSIF NEW.resolution IS NULL OR NEW.resolution NOT IN ('dismissed', 'blocked') THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'resolution-not-possible',
            HINT = 'A flag is dismissed or blocked.';
    END IF;
    SELECT f.* INTO STRICT v_known FROM wallet.review_flags AS f WHERE f.flag_id = OLD.flag_id FOR UPDATE;
    IF v_known.resolution = NEW.resolution THEN
        RETURN NEW;
    END IF;
    UPDATE wallet.review_flags AS f SET
        resolution = NEW.resolution, resolved_at = wallet.now(), resolved_by = session_user::TEXT
    WHERE f.flag_id = OLD.flag_id;
    SELECT coalesce(a.merged_into, a.account_id) INTO STRICT v_account_id FROM wallet.accounts AS a
    WHERE a.account_id = v_known.account_id
    FOR NO KEY UPDATE;
    IF NEW.resolution = 'blocked' THEN
        UPDATE wallet.accounts AS a SET blocked_at = wallet.now()
        WHERE a.account_id = v_account_id AND a.blocked_at IS NULL;
    ELSIF v_known.resolution = 'blocked' THEN
        UPDATE wallet.accounts AS a SET blocked_at = NULL
        WHERE a.account_id = v_account_id AND NOT EXISTS (
            SELECT FROM wallet.review_flags AS f
            INNER JOIN wallet.accounts AS o ON f.account_id = o.account_id
            WHERE coalesce(o.merged_into, o.account_id) = v_account_id AND f.resolution = 'blocked'
        );
    END IF;
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
COMMENT ON FUNCTION wallet.admin_update_review_flag() IS 'Carries out UPDATE admin.review_flags.';
