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
        p_note, CASE WHEN p_released THEN 'release-purchase' ELSE 'keep-purchase' END, 'purchase', p_claim_id::TEXT,
        jsonb_build_object('released', NOT p_released), jsonb_build_object('released', p_released), p_account_id,
        v_claim.environment
    );
END;
$$;
COMMENT ON FUNCTION wallet.set_released(BIGINT, BIGINT, BOOLEAN, wallet.action_note) IS
'Releases a purchase to a user who proves it, or revokes the release.';
