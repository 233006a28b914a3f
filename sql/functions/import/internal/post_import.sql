-- Posts a user's imported balance and records the import. A wallet that already has entries gets one entry a unit at
-- the current time, because the times of a ledger never run backwards.
-- Locks: the account against deletion and merging, then the wallet. Codes: WL503 wallet-busy if the account was merged
-- into another meanwhile.
CREATE OR REPLACE FUNCTION wallet.post_import(
    p_source TEXT,
    p_user_id TEXT,
    p_environment wallet.environment,
    p_movements wallet.import_movement[],
    p_credits BIGINT,
    p_visits BIGINT,
    p_at TIMESTAMPTZ,
    p_reason TEXT,
    p_expires_at TIMESTAMPTZ,
    p_digest BYTEA,
    p_account_token UUID
) RETURNS wallet.import_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_id CONSTANT BIGINT := wallet.account_for(p_user_id, p_account_token => p_account_token);
    v_history wallet.import_movement[] := p_movements;
    v_at TIMESTAMPTZ := p_at;
    v_before wallet.wallets;
    v_after wallet.wallets;
    v_outcome wallet.import_outcome;
BEGIN
    PERFORM FROM wallet.accounts AS a WHERE a.account_id = v_account_id AND a.merged_into IS NULL FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
    PERFORM wallet.lock_wallet(v_account_id, p_environment);
    v_outcome := wallet.import_state(p_source, p_user_id, p_environment, p_digest);
    IF v_outcome.result IS NOT NULL THEN
        RETURN v_outcome;
    END IF;
    SELECT w.* INTO STRICT v_before FROM wallet.wallets AS w
    WHERE w.account_id = v_account_id AND w.environment = p_environment;
    IF v_before.version > 0 THEN
        v_outcome.reason := 'wallet-in-use';
        v_history := '{}';
        v_at := NULL;
    END IF;
    IF cardinality(v_history) > 0 THEN
        v_history := wallet.import_history(p_movements, p_credits, p_at);
        v_outcome.reason := CASE WHEN cardinality(v_history) > cardinality(p_movements) THEN 'balance-repaired' END;
    ELSIF p_credits > 0 THEN
        v_history := ARRAY[ROW(v_at, p_credits, 'balance', p_reason)::wallet.import_movement];
    END IF;
    PERFORM wallet.import_lot(v_account_id, p_environment, 'credit', v_history, p_source, p_expires_at);
    IF p_visits > 0 THEN
        PERFORM wallet.import_lot(
            v_account_id, p_environment, 'visit',
            ARRAY[ROW(v_at, p_visits, 'balance', p_reason)::wallet.import_movement], p_source, p_expires_at
        );
    END IF;
    SELECT w.* INTO STRICT v_after FROM wallet.wallets AS w
    WHERE w.account_id = v_account_id AND w.environment = p_environment;
    v_outcome.result := 'imported';
    v_outcome.entries := v_after.version - v_before.version;
    v_outcome.credits := v_after.credits;
    v_outcome.visits := v_after.visits;
    INSERT INTO wallet.imports (
        source, user_digest, environment, content_digest, account_id, first_version, entry_count, expires_at,
        at
    ) VALUES (
        p_source, wallet.user_digest(p_user_id), p_environment, p_digest, v_account_id, v_before.version + 1,
        v_outcome.entries, p_expires_at, wallet.now()
    );
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.post_import(
    TEXT, TEXT, wallet.environment, wallet.import_movement[], BIGINT, BIGINT, TIMESTAMPTZ, TEXT, TIMESTAMPTZ, BYTEA,
    UUID
) IS 'Posts a user''s imported balance and records the import.';
