-- Erases the data that identifies the user of a deleted account: identities, names and reasons in the ledger, texts
-- that the user or an operator chose, and waiting store messages about the user. Only digests of the user ids stay.
-- Locks: the rows it removes. Codes: none.
CREATE OR REPLACE FUNCTION wallet.erase_user(p_account_id BIGINT) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_ids CONSTANT BIGINT[] := ARRAY(
        SELECT a.account_id FROM wallet.accounts AS a WHERE a.merged_into = p_account_id
    ) || p_account_id;
    v_identity wallet.identities;
BEGIN
    FOR v_identity IN
        DELETE FROM wallet.identities AS i WHERE i.account_id = p_account_id RETURNING i.*
    LOOP
        INSERT INTO wallet.released_tokens (token_digest, account_id, released_at)
        VALUES (sha256(uuid_send(v_identity.app_account_token)), p_account_id, wallet.now())
        ON CONFLICT (token_digest) DO UPDATE SET
            account_id = excluded.account_id,
            released_at = excluded.released_at;
        INSERT INTO wallet.deleted_users (user_digest, deleted_at)
        VALUES (wallet.user_digest(v_identity.user_id), clock_timestamp())
        ON CONFLICT (user_digest) DO UPDATE SET deleted_at = excluded.deleted_at;
        PERFORM wallet.erase_from_inbox(v_identity.user_id, v_identity.app_account_token);
        DELETE FROM wallet.audit_texts AS t
        WHERE t.named && ARRAY[
            wallet.user_digest(v_identity.user_id), wallet.user_digest(v_identity.app_account_token::TEXT)
        ];
        -- An operator may have written the user id into a reference, also as a UUID in upper case.
        UPDATE wallet.adjustments AS a SET reference = 'erased ' || encode(sha256(convert_to(a.reference, 'UTF8')), 'hex')
        WHERE a.account_id = ANY(v_account_ids) AND strpos(lower(a.reference), lower(v_identity.user_id)) > 0;
    END LOOP;
    UPDATE wallet.bookings AS b SET idempotency_key = NULL WHERE b.account_id = p_account_id;
    UPDATE wallet.pass_uses AS u SET reference = NULL WHERE u.account_id = ANY(v_account_ids);
    DELETE FROM wallet.entry_texts AS t WHERE t.account_id = ANY(v_account_ids);
    DELETE FROM wallet.audit_texts AS t USING wallet.audit AS r
    WHERE r.account_id = ANY(v_account_ids) AND t.audit_id = r.audit_id;
    DELETE FROM wallet.testers AS t WHERE t.account_id = ANY(v_account_ids);
END;
$$;
COMMENT ON FUNCTION wallet.erase_user(BIGINT) IS 'Erases the data that identifies the user of a deleted account.';
