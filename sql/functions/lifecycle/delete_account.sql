-- Deletes a user (rule 33). It erases the user's id and personal text and cancels upcoming bookings by their policy.
-- Gifts, adjustments and imported balances lapse. Purchases are released with their debts, for a user who proves them
-- later. A user never seen before is recorded as deleted too, so that an older token creates no account.
-- p_issued_at: when the user's token was issued; null if the token has no issue time; infinity for a caller without a
-- token.
-- Locks: the identity of a user never seen, to wait for a transaction that creates it at the same time; the messages
-- that name the user, because a transaction that applies a message locks it first; the account's claims, the account,
-- its wallets, the seats of its bookings' classes (each by id), then its subscriptions.
-- Codes: WL401 unauthenticated (a token from before an earlier deletion), WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.delete_account(p_user_id TEXT, p_issued_at TIMESTAMPTZ DEFAULT 'infinity')
RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_id CONSTANT BIGINT := wallet.caller_account(p_user_id, p_issued_at, NULL);
    v_account wallet.accounts;
    v_now TIMESTAMPTZ;
BEGIN
    PERFORM FROM wallet.inbox AS i
    WHERE i.names && ARRAY(
        SELECT unnest(ARRAY[o.user_id, o.app_account_token::TEXT]) FROM wallet.identities AS o
        WHERE o.account_id = v_account_id
    )
    ORDER BY i.inbox_id
    FOR UPDATE;
    -- A transaction that holds one of the wallets may need key-share locks on the account and its claims. These locks
    -- do not block it.
    PERFORM wallet.lock_account_and_claims(v_account_id);
    SELECT a.* INTO STRICT v_account FROM wallet.accounts AS a WHERE a.account_id = v_account_id;
    IF v_account.deleted_at IS NOT NULL THEN
        -- Another deletion committed first. Later changes, such as the user's return, are not undone.
        RETURN;
    ELSIF v_account.merged_into IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
    PERFORM wallet.lock_wallet(w.account_id, w.environment) FROM (
        SELECT o.account_id, o.environment FROM wallet.wallets AS o WHERE o.account_id = v_account_id
        ORDER BY o.environment
    ) AS w;
    PERFORM wallet.cancel_upcoming(v_account_id);
    v_now := wallet.now();
    -- Amounts that return to these lots later lapse immediately, too.
    UPDATE wallet.lots AS l SET expires_at = least(l.expires_at, v_now)
    WHERE l.account_id = v_account_id AND l.source IN ('promo', 'adjustment', 'import') AND l.moved_to IS NULL;
    PERFORM wallet.lapse_due(w.account_id, w.environment) FROM wallet.wallets AS w
    WHERE w.account_id = v_account_id;
    UPDATE wallet.lots AS l SET released_at = v_now
    WHERE
        l.account_id = v_account_id AND l.source IN ('pack', 'pass', 'plan') AND l.moved_to IS NULL
        AND l.released_at IS NULL;
    UPDATE wallet.claims AS c SET released_at = v_now
    WHERE c.account_id = v_account_id AND c.released_at IS NULL;
    UPDATE wallet.subscriptions AS s SET released_at = v_now
    WHERE s.account_id = v_account_id AND s.released_at IS NULL;
    UPDATE wallet.accounts AS a SET deleted_at = v_now WHERE a.account_id = v_account_id;
    IF p_issued_at = 'infinity' THEN
        -- Without a token, an administrator deletes the account. The texts of this audit row are erased with the
        -- user's; the role stays.
        PERFORM wallet.record_action(
            NULL, 'delete-account', 'user', NULL, '{}', '{"deleted": true}', v_account_id
        );
    END IF;
    PERFORM wallet.erase_user(v_account_id);
    INSERT INTO wallet.deleted_users (user_digest, deleted_at)
    VALUES (wallet.user_digest(p_user_id), clock_timestamp())
    ON CONFLICT (user_digest) DO UPDATE SET deleted_at = excluded.deleted_at;
END;
$$;
COMMENT ON FUNCTION wallet.delete_account(TEXT, TIMESTAMPTZ) IS
'Deletes a user: erases personal text, lapses gifts, and releases purchases for a user who proves them.';

-- Erases the data that identifies the user of a deleted account: identities, the profile, names and reasons in the
-- ledger, texts that the user or an operator chose, and waiting store messages about the user. Only digests of the user
-- ids stay.
-- Locks: the rows it removes; the compensations whose references name the user, then their adjustments. Codes: none.
CREATE OR REPLACE FUNCTION wallet.erase_user(p_account_id BIGINT) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_ids CONSTANT BIGINT[] := ARRAY(
        SELECT a.account_id FROM wallet.accounts AS a WHERE a.merged_into = p_account_id
    ) || p_account_id;
    v_identity wallet.identities;
    v_compensations TEXT[];
BEGIN
    FOR v_identity IN
        SELECT i.* FROM wallet.identities AS i WHERE i.account_id = p_account_id FOR UPDATE
    LOOP
        INSERT INTO wallet.released_tokens (token_digest, account_id, released_at)
        VALUES (sha256(uuid_send(v_identity.app_account_token)), p_account_id, wallet.now())
        ON CONFLICT (token_digest) DO UPDATE SET
            account_id = excluded.account_id,
            released_at = excluded.released_at;
        INSERT INTO wallet.deleted_users (user_digest, deleted_at)
        VALUES (wallet.user_digest(v_identity.user_id), clock_timestamp())
        ON CONFLICT (user_digest) DO UPDATE SET deleted_at = excluded.deleted_at;
        DELETE FROM wallet.audit_texts AS t
        WHERE t.named && ARRAY[
            wallet.user_digest(v_identity.user_id), wallet.user_digest(v_identity.app_account_token::TEXT)
        ];
        -- An operator may have written the user id into a reference, also as a UUID in upper case.
        WITH erased AS (
            UPDATE wallet.compensations AS c SET
                reference = 'erased ' || encode(sha256(convert_to(c.reference, 'UTF8')), 'hex')
            WHERE
                c.reference IN (
                    SELECT a.compensation FROM wallet.adjustments AS a WHERE a.account_id = ANY(v_account_ids)
                )
                AND strpos(lower(c.reference), lower(v_identity.user_id)) > 0
            RETURNING c.reference
        )

        SELECT array_agg(e.reference) INTO v_compensations FROM erased AS e;
        -- The reference of a compensation is part of the references of all its adjustments, also those of other users.
        DELETE FROM wallet.audit_texts AS t USING wallet.audit AS r, wallet.adjustments AS a
        WHERE
            a.compensation = ANY(v_compensations) AND r.account_id = a.account_id AND t.audit_id = r.audit_id
            AND t.reference = a.reference;
        UPDATE wallet.adjustments AS a SET
            reference = 'erased ' || encode(sha256(convert_to(a.reference, 'UTF8')), 'hex')
        WHERE
            (a.account_id = ANY(v_account_ids) OR a.compensation = ANY(v_compensations))
            AND strpos(lower(a.reference), lower(v_identity.user_id)) > 0;
    END LOOP;
    -- A trigger removes the users from the waiting store messages (inbox/names.sql).
    DELETE FROM wallet.identities AS i WHERE i.account_id = p_account_id;
    UPDATE wallet.bookings AS b SET idempotency_key = NULL WHERE b.account_id = p_account_id;
    UPDATE wallet.pass_uses AS u SET reference = NULL WHERE u.account_id = ANY(v_account_ids);
    DELETE FROM wallet.entry_texts AS t WHERE t.account_id = ANY(v_account_ids);
    DELETE FROM wallet.audit_texts AS t USING wallet.audit AS r
    WHERE r.account_id = ANY(v_account_ids) AND t.audit_id = r.audit_id;
    DELETE FROM wallet.testers AS t WHERE t.account_id = ANY(v_account_ids);
    DELETE FROM wallet.profiles AS p WHERE p.account_id = ANY(v_account_ids);
END;
$$;
COMMENT ON FUNCTION wallet.erase_user(BIGINT) IS 'Erases the data that identifies the user of a deleted account.';
