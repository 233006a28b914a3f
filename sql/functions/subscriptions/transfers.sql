-- Records that a store moved one customer's subscriptions to another, and moves the known ones. Credits stay with their
-- account, and accounts are never merged. The transfer does not affect periods that began later. It also does not
-- affect an account that the customer's account was merged into, unless the merge came first. Returns what the transfer
-- waits for, or null.
-- Locks: the periods of those subscriptions and of the former owners, by id, the accounts of all owners, by id, then
-- the subscriptions, by id. Codes: WL503 wallet-busy if the receiver was merged or deleted meanwhile, or if a former or
-- a later owner changed; the retry finds the present ones.
CREATE OR REPLACE FUNCTION wallet.apply_transfer(p_transfer JSONB) RETURNS TEXT LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    -- Stores have sent times centuries in the future. Used unchanged, such a transfer would move every purchase until
    -- then.
    v_at CONSTANT TIMESTAMPTZ := CASE
        WHEN (p_transfer ->> 'at')::TIMESTAMPTZ > wallet.now() + INTERVAL '1 day' THEN wallet.now()
        ELSE (p_transfer ->> 'at')::TIMESTAMPTZ
    END;
    v_to BIGINT;
    v_from BIGINT[];
    v_holders BIGINT[];
    v_claim_id BIGINT;
BEGIN
    v_to := wallet.account_for_owners(ARRAY(SELECT jsonb_array_elements_text(p_transfer -> 'to')));
    IF v_to IS NULL THEN
        -- A message does not wait for a deleted user.
        RETURN CASE
            WHEN NOT wallet.names_deleted(p_transfer || jsonb_build_object('owners', p_transfer -> 'to'))
                THEN 'unknown-user'
        END;
    END IF;
    v_from := wallet.transferred_accounts(p_transfer, v_at, v_to);
    v_holders := wallet.later_owners(v_from);
    PERFORM FROM wallet.claims AS c
    WHERE
        c.kind = 'subscription' AND (
            c.account_id = ANY(v_from) OR (c.store, c.environment, c.chain_id) IN (
                SELECT s.store, s.environment, s.original_transaction_id FROM wallet.subscriptions AS s
                WHERE s.account_id = ANY(v_holders)
            )
        )
    ORDER BY c.claim_id
    FOR NO KEY UPDATE;
    -- A concurrent purchase by a former owner either committed before this lock, or sees the transfer.
    PERFORM FROM wallet.accounts AS a WHERE a.account_id = ANY(v_from || v_to || v_holders)
    ORDER BY a.account_id
    FOR NO KEY UPDATE;
    IF EXISTS (
        SELECT FROM wallet.accounts AS a
        WHERE a.account_id = v_to AND (a.deleted_at IS NOT NULL OR a.merged_into IS NOT NULL)
    ) OR v_from <> wallet.transferred_accounts(p_transfer, v_at, v_to) OR v_holders <> wallet.later_owners(v_from) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
    INSERT INTO wallet.subscription_transfers (environment, from_account_id, to_account_id, at)
    SELECT e.environment, f.account_id, v_to, v_at
    FROM unnest(enum_range(NULL::wallet.environment)) AS e (environment)
    CROSS JOIN unnest(v_from) AS f (account_id)
    WHERE
        f.account_id IS NOT NULL
        AND e.environment = coalesce((p_transfer ->> 'environment')::wallet.environment, e.environment)
    ON CONFLICT DO NOTHING;
    FOR v_claim_id IN
        SELECT s.current_claim_id FROM wallet.subscriptions AS s
        WHERE s.account_id = ANY(v_holders)
        ORDER BY s.subscription_id
    LOOP
        PERFORM wallet.sync_subscription(v_claim_id);
    END LOOP;
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.apply_transfer(JSONB) IS
'Moves one customer''s subscriptions to another, as reported by a store.';

-- Returns the accounts of a transfer's former customer, in order: that of each id at the time of the transfer, without
-- the receiver's.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.transferred_accounts(
    p_transfer JSONB, p_at TIMESTAMPTZ, p_to BIGINT
) RETURNS BIGINT[] LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN array_remove(ARRAY(
        SELECT DISTINCT coalesce((
            SELECT i.merged_from FROM wallet.identities AS i
            WHERE i.user_id = wallet.canonical_user_id(o.id) AND i.merged_at > p_at
        ), wallet.account_for_owners(ARRAY[o.id])) AS account_id
        FROM jsonb_array_elements_text(p_transfer -> 'from') AS o (id)
        ORDER BY account_id
    ), p_to);
END;
$$;
COMMENT ON FUNCTION wallet.transferred_accounts(JSONB, TIMESTAMPTZ, BIGINT) IS
'Returns the accounts from which a store''s transfer takes subscriptions.';

-- Returns the given accounts and those to which stores' transfers and merges moved their subscriptions, in order. Later
-- transfers may be received before an earlier one.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.later_owners(p_account_ids BIGINT[]) RETURNS BIGINT[] LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN ARRAY(
        WITH RECURSIVE owners (account_id) AS (
            SELECT unnest(p_account_ids)
            UNION
            SELECT t.to_account_id FROM wallet.subscription_transfers AS t
            INNER JOIN owners AS o ON t.from_account_id = o.account_id
        )

        SELECT o.account_id FROM owners AS o WHERE o.account_id IS NOT NULL ORDER BY o.account_id
    );
END;
$$;
COMMENT ON FUNCTION wallet.later_owners(BIGINT[]) IS
'Returns accounts and those to which transfers and merges moved their subscriptions.';

-- Gives released subscriptions to the account that proves one of their periods. Earlier transfers by the stores no
-- longer affect them. A subscription that a transfer moved to an active account is not released, so it stays there.
-- The caller holds the claims and the account. Locks: the subscriptions, by id. Codes: none.
CREATE OR REPLACE FUNCTION wallet.transfer_subscriptions(p_account_id BIGINT, p_claim_ids BIGINT[]) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_subscription wallet.subscriptions;
BEGIN
    PERFORM wallet.lock_subscriptions(p_claim_ids);
    FOR v_subscription IN
        SELECT s.* FROM wallet.subscriptions AS s
        WHERE s.released_at IS NOT NULL AND (s.store, s.environment, s.original_transaction_id) IN (
            SELECT c.store, c.environment, c.chain_id FROM wallet.claims AS c
            WHERE c.claim_id = ANY(p_claim_ids) AND c.kind = 'subscription'
        )
        ORDER BY s.subscription_id
    LOOP
        UPDATE wallet.subscriptions AS s SET account_id = p_account_id, released_at = NULL, next_change_at = '-infinity'
        WHERE s.subscription_id = v_subscription.subscription_id;
        UPDATE wallet.claims AS c SET subscriber_id = p_account_id, subscriber_since = wallet.now()
        WHERE
            c.store = v_subscription.store AND c.environment = v_subscription.environment AND c.kind = 'subscription'
            AND c.chain_id = v_subscription.original_transaction_id;
        PERFORM wallet.emit(
            'subscription.transferred', p_account_id, v_subscription.environment, v_subscription.current_claim_id
        );
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.transfer_subscriptions(BIGINT, BIGINT[]) IS
'Gives released subscriptions to the account that proves one of their periods.';

-- Locks the subscriptions that contain the periods of the given claims, in any account. It waits for a transaction that
-- is moving one of them to another account.
-- Locks: the subscriptions, by id. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_subscriptions(p_claim_ids BIGINT[]) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM FROM wallet.subscriptions AS s
    WHERE (s.store, s.environment, s.original_transaction_id) IN (
        SELECT c.store, c.environment, c.chain_id FROM wallet.claims AS c
        WHERE c.claim_id = ANY(p_claim_ids) AND c.kind = 'subscription'
    )
    ORDER BY s.subscription_id
    FOR UPDATE;
END;
$$;
COMMENT ON FUNCTION wallet.lock_subscriptions(BIGINT[]) IS
'Locks the subscriptions that contain the periods of the given claims.';
