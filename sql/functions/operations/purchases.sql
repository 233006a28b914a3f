-- Carries out UPDATE admin.purchases SET released.
-- Locks and codes: see wallet.set_released.
CREATE OR REPLACE FUNCTION wallet.admin_release_purchase(p_old RECORD, p_new RECORD) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.purchases := p_old;
    v_new CONSTANT admin.purchases := p_new;
BEGIN
    PERFORM wallet.set_released(
        v_old.account_id, v_old.claim_id, coalesce(v_new.released, FALSE),
        ROW(session_user, v_new.reason, NULL, NULL)::wallet.action_note
    )
    WHERE v_new.released IS DISTINCT FROM v_old.released;
END;
$$;
COMMENT ON FUNCTION wallet.admin_release_purchase(RECORD, RECORD) IS 'Carries out UPDATE admin.purchases SET released.';

-- Releases a purchase to a user who proves it, or revokes the release while no user has proved it. The purchases of a
-- deleted account stay released. If another user has proved the purchase meanwhile, or it already has the requested
-- state, nothing changes.
-- p_account_id: the owner that the caller has seen.
-- Locks and codes: see wallet.release_claim, wallet.transfer_released_claims; WL404 purchase-not-found, WL409
-- owner-deleted.
CREATE OR REPLACE FUNCTION wallet.set_released(
    p_account_id BIGINT, p_claim_id BIGINT, p_released BOOLEAN, p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
BEGIN
    PERFORM FROM wallet.claims AS c
    WHERE
        c.claim_id = ANY(wallet.linked_claims(p_account_id, ARRAY[p_claim_id]))
        -- Revoking a release includes the released periods of the same subscription in any account.
        OR (NOT p_released AND c.claim_id = ANY(wallet.released_claims(ARRAY[p_claim_id])))
    ORDER BY c.claim_id
    FOR NO KEY UPDATE;
    SELECT c.* INTO v_claim FROM wallet.claims AS c WHERE c.claim_id = p_claim_id;
    IF v_claim.account_id IS NULL OR (v_claim.account_id <> p_account_id AND p_released) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'purchase-not-found';
    ELSIF v_claim.account_id <> p_account_id OR (v_claim.released_at IS NOT NULL) = p_released THEN
        RETURN ROW(NULL, TRUE, '{}', '{}', NULL)::wallet.action_answer;
    ELSIF p_released THEN
        PERFORM wallet.release_claim(p_claim_id);
    ELSIF EXISTS (
        SELECT FROM wallet.accounts AS a WHERE a.account_id = p_account_id AND a.deleted_at IS NOT NULL
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'owner-deleted',
            HINT = 'Only a user who proves the purchase can get it.';
    ELSE
        PERFORM wallet.transfer_released_claims(p_account_id, wallet.released_claims(ARRAY[p_claim_id]));
    END IF;
    RETURN wallet.record_action(
        p_note, CASE WHEN p_released THEN 'release-purchase' ELSE 'undo-release' END, 'purchase', p_claim_id::TEXT,
        jsonb_build_object('released', NOT p_released), jsonb_build_object('released', p_released), p_account_id,
        v_claim.environment
    );
END;
$$;
COMMENT ON FUNCTION wallet.set_released(BIGINT, BIGINT, BOOLEAN, wallet.action_note) IS
'Releases a purchase to a user who proves it, or revokes the release.';

-- Carries out UPDATE admin.review_flags SET resolution.
-- Locks and codes: see wallet.resolve_flag; WL422 column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_update_review_flag(p_old RECORD, p_new RECORD) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.review_flags := p_old;
    v_new CONSTANT admin.review_flags := p_new;
BEGIN
    IF to_jsonb(v_old) - ARRAY['resolution', 'reason']
        IS DISTINCT FROM to_jsonb(v_new) - ARRAY['resolution', 'reason']
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'Only resolution can be set, with a reason.';
    END IF;
    PERFORM wallet.resolve_flag(
        v_old.flag_id, v_new.resolution, ROW(session_user, v_new.reason, NULL, NULL)::wallet.action_note
    );
END;
$$;
COMMENT ON FUNCTION wallet.admin_update_review_flag(RECORD, RECORD) IS 'Carries out UPDATE admin.review_flags.';

-- Resolves a review flag. 'blocked' blocks the account from further grants and bookings. 'dismissed' closes the flag
-- and lifts the block that this flag had set, unless another flag also blocks the account. The flag of a merged account
-- applies to the account that it was merged into. Repeating the same resolution changes nothing.
-- Locks: the flag's row, then the account's. Codes: WL404 flag-not-found, WL422 invalid-resolution.
CREATE OR REPLACE FUNCTION wallet.resolve_flag(p_flag_id BIGINT, p_resolution TEXT, p_note wallet.action_note)
RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_known wallet.review_flags;
    v_account_id BIGINT;
BEGIN
    IF p_resolution IS NULL OR p_resolution NOT IN ('dismissed', 'blocked') THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'invalid-resolution',
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

-- Carries out INSERT INTO admin.stores: enables a store from a given time.
-- Locks: none. Codes: no others.
CREATE OR REPLACE FUNCTION wallet.admin_write_store(p_new RECORD) RETURNS RECORD
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_new admin.stores := p_new;
BEGIN
    INSERT INTO wallet.stores (store, grants_from) VALUES (v_new.store, v_new.grants_from)
    RETURNING created_at INTO v_new.created_at;
    PERFORM wallet.record_action(NULL, 'enable-store', 'store', v_new.store, '{}', to_jsonb(v_new) - 'created_at');
    RETURN v_new;
END;
$$;
COMMENT ON FUNCTION wallet.admin_write_store(RECORD) IS 'Carries out INSERT INTO admin.stores.';
