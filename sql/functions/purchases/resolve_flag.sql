-- Resolves a review flag. 'blocked' blocks the account from further grants and bookings. 'dismissed' closes the flag
-- and lifts the block that this flag had set, unless another flag also blocks the account. The flag of a merged account
-- applies to the account that it was merged into. Repeating the same resolution changes nothing.
-- Locks: the flag's row, then the account's. Codes: WL404 flag-not-found, WL422 resolution-not-possible.
CREATE OR REPLACE FUNCTION wallet.resolve_flag(p_flag_id BIGINT, p_resolution TEXT, p_note wallet.action_note)
RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_known wallet.review_flags;
    v_account_id BIGINT;
BEGIN
    IF p_resolution IS NULL OR p_resolution NOT IN ('dismissed', 'blocked') THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'resolution-not-possible',
            HINT = 'resolution must be dismissed or blocked.';
    END IF;
    SELECT f.* INTO v_known FROM wallet.review_flags AS f WHERE f.flag_id = p_flag_id FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'flag-not-found';
    ELSIF v_known.resolution = p_resolution THEN
        RETURN ROW(NULL, TRUE, '{}', '{}', NULL)::wallet.action_answer;
    END IF;
    UPDATE wallet.review_flags AS f SET
        resolution = p_resolution, resolved_at = wallet.now(), resolved_by = p_note.actor
    WHERE f.flag_id = p_flag_id;
    SELECT coalesce(a.merged_into, a.account_id) INTO STRICT v_account_id FROM wallet.accounts AS a
    WHERE a.account_id = v_known.account_id
    FOR NO KEY UPDATE;
    IF p_resolution = 'blocked' THEN
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
    RETURN wallet.record_action(
        p_note, 'resolve-flag', 'flag', p_flag_id::TEXT, jsonb_build_object('resolution', v_known.resolution),
        jsonb_build_object('resolution', p_resolution), v_account_id, v_known.environment
    );
END;
$$;
COMMENT ON FUNCTION wallet.resolve_flag(BIGINT, TEXT, wallet.action_note) IS 'Resolves a review flag.';
