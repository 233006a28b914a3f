-- Imports one user's balance from another system, with its history if there is one, once for each source. If the user
-- was imported before, it changes nothing, even if the source now reports other data. Returns the result. With
-- p_dry_run, it returns the result and undoes the import.
-- p_movements: the history of the credits, as wallet.read_movements expects it; null or empty for none. p_at: when the
-- balance was reported; null for now. p_reason: the reason of the balance's own entry.
-- p_account_token: as for wallet.account_for.
-- Locks: as wallet.post_import. Codes: as wallet.post_import.
CREATE OR REPLACE FUNCTION wallet.import_wallet(
    p_source TEXT,
    p_user_id TEXT,
    p_environment wallet.environment,
    p_movements JSONB,
    p_credits BIGINT,
    p_visits BIGINT,
    p_at TIMESTAMPTZ,
    p_dry_run BOOLEAN,
    p_reason TEXT DEFAULT NULL,
    p_expires_at TIMESTAMPTZ DEFAULT 'infinity',
    p_account_token UUID DEFAULT NULL
) RETURNS wallet.import_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_movements CONSTANT wallet.import_movement[] := wallet.read_movements(p_movements);
    -- A repeated import is recognized by the time, amount and kind of every movement and the balance, in any order.
    -- Reasons are not included, because they are personal text.
    v_digest CONSTANT BYTEA := sha256(convert_to(jsonb_build_array(p_credits, p_visits, (
        SELECT jsonb_agg(jsonb_build_array(extract(EPOCH FROM m.at), m.amount, m.kind) ORDER BY m.at, m.amount, m.kind)
        FROM unnest(v_movements) AS m (at, amount, kind, reason)
    ))::TEXT, 'UTF8'));
    v_outcome wallet.import_outcome;
BEGIN
    v_outcome := wallet.import_state(p_source, p_user_id, p_environment, v_digest);
    IF v_outcome.result IS NULL THEN
        v_outcome.reason := wallet.import_refusal(p_user_id, v_movements, p_credits, p_visits, p_at, p_expires_at);
        v_outcome.result := CASE WHEN v_outcome.reason IS NOT NULL THEN 'refused' END;
    END IF;
    IF v_outcome.result IS NOT NULL THEN
        RETURN v_outcome;
    END IF;
    BEGIN
        v_outcome := wallet.post_import(
            p_source, p_user_id, p_environment, v_movements, p_credits, p_visits, p_at, p_reason, p_expires_at,
            v_digest, p_account_token
        );
        IF v_outcome.result = 'imported' THEN
            PERFORM wallet.record_action(
                ROW(
                    NULL, CASE WHEN wallet.is_plain_text(p_reason) THEN p_reason END, NULL, NULL
                )::wallet.action_note, 'import', 'wallet', NULL, '{}',
                jsonb_build_object('source', p_source, 'credits', p_credits, 'visits', p_visits),
                wallet.account_for(p_user_id), p_environment
            );
        END IF;
        -- If a concurrent transaction decided the import first, everything is undone too.
        IF p_dry_run IS NOT FALSE OR v_outcome.result <> 'imported' THEN
            RAISE EXCEPTION USING ERRCODE = 'WL299', MESSAGE = 'taken-back';
        END IF;
    EXCEPTION WHEN SQLSTATE 'WL299' THEN
        NULL;
    END;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.import_wallet(
    TEXT, TEXT, wallet.environment, JSONB, BIGINT, BIGINT, TIMESTAMPTZ, BOOLEAN, TEXT, TIMESTAMPTZ, UUID
) IS 'Imports one user''s balance from another system, once for each source.';

-- Parses the history of a balance from another system: [{"at", "amount", "kind", "reason"}], where "at" is in RFC 3339
-- or in seconds since 1970, and the amount is signed. The oldest movement comes first; at the same time, credits come
-- before debits.
-- Locks: none. Codes: none (an invalid number or time raises 22P02, 22007 or 22008).
CREATE OR REPLACE FUNCTION wallet.read_movements(p_movements JSONB) RETURNS wallet.import_movement[] LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT coalesce(array_agg(
        ROW(t.at, (j.movement ->> 'amount')::BIGINT, j.movement ->> 'kind', j.movement ->> 'reason')
            ::wallet.import_movement
        ORDER BY t.at, (j.movement ->> 'amount')::BIGINT DESC, j.n
    ), '{}')
    FROM jsonb_array_elements(coalesce(p_movements, '[]')) WITH ORDINALITY AS j (movement, n)
    CROSS JOIN LATERAL (
        SELECT CASE jsonb_typeof(j.movement -> 'at')
            WHEN 'number' THEN to_timestamp((j.movement ->> 'at')::DOUBLE PRECISION)
            ELSE (j.movement ->> 'at')::TIMESTAMPTZ
        END AS at
    ) AS t;
$$;
COMMENT ON FUNCTION wallet.read_movements(JSONB) IS 'Parses the history of a balance from another system.';

-- Returns whether a user's import is already decided: refused because the user was deleted, unchanged because it was
-- imported before, changed because the source now reports other data. It also returns the wallet's current balance.
CREATE OR REPLACE FUNCTION wallet.import_state(
    p_source TEXT,
    p_user_id TEXT,
    p_environment wallet.environment,
    p_digest BYTEA
) RETURNS wallet.import_outcome LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_user CONSTANT BYTEA := wallet.user_digest(p_user_id);
    v_outcome wallet.import_outcome;
    v_known BYTEA;
BEGIN
    SELECT w.credits, w.visits INTO v_outcome.credits, v_outcome.visits FROM wallet.identities AS i
    INNER JOIN wallet.wallets AS w ON i.account_id = w.account_id AND w.environment = p_environment
    WHERE i.user_id = wallet.canonical_user_id(p_user_id);
    v_outcome.entries := 0;
    v_outcome.credits := coalesce(v_outcome.credits, 0);
    v_outcome.visits := coalesce(v_outcome.visits, 0);
    v_outcome.credits_before := v_outcome.credits;
    v_outcome.visits_before := v_outcome.visits;
    SELECT m.content_digest INTO v_known FROM wallet.imports AS m
    WHERE m.source = p_source AND m.user_digest = v_user AND m.environment = p_environment;
    IF EXISTS (SELECT FROM wallet.deleted_users AS d WHERE d.user_digest = v_user) THEN
        v_outcome.result := 'refused';
        v_outcome.reason := 'user-deleted';
    ELSIF v_known IS NOT NULL THEN
        v_outcome.result := CASE WHEN v_known = p_digest THEN 'unchanged' ELSE 'changed' END;
    END IF;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.import_state(TEXT, TEXT, wallet.environment, BYTEA) IS
'Returns whether a user''s import is already decided, and the current balance.';

-- Returns why a balance cannot be imported, or null. Amounts must be small enough that sums cannot overflow. No time
-- may lie in the future: the times of a ledger never run backwards, so all later entries would lie in the future, too.
CREATE OR REPLACE FUNCTION wallet.import_refusal(
    p_user_id TEXT,
    p_movements wallet.import_movement[],
    p_credits BIGINT,
    p_visits BIGINT,
    p_at TIMESTAMPTZ,
    p_expires_at TIMESTAMPTZ
) RETURNS TEXT LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT CASE
        WHEN (char_length(p_user_id) BETWEEN 1 AND 320 AND wallet.is_plain_text(p_user_id)) IS NOT TRUE
            THEN 'user-id-malformed'
        WHEN p_credits IS NULL OR p_visits IS NULL THEN 'balance-missing'
        WHEN p_credits < 0 OR p_visits < 0 THEN 'balance-negative'
        WHEN greatest(p_credits, p_visits) > 1000000000000 THEN 'out-of-range'
        WHEN NOT isfinite(coalesce(p_at, wallet.now())) THEN 'instant-malformed'
        WHEN p_at > wallet.now() THEN 'in-the-future'
        WHEN p_expires_at IS NULL OR p_expires_at <= wallet.now() THEN 'expiry-passed'
        ELSE (
            SELECT min(CASE
                WHEN m.amount IS NULL OR m.at IS NULL OR NOT isfinite(m.at) THEN 'movement-malformed'
                WHEN abs(m.amount) > 1000000000000 THEN 'out-of-range'
                WHEN m.at > wallet.now() THEN 'in-the-future'
            END) FROM unnest(p_movements) AS m (at, amount, kind, reason)
        )
    END;
$$;
COMMENT ON FUNCTION wallet.import_refusal(
    TEXT, wallet.import_movement[], BIGINT, BIGINT, TIMESTAMPTZ, TIMESTAMPTZ
) IS 'Returns why a balance cannot be imported, or null.';

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

-- Creates the lot of an imported balance and posts its history, each entry with its own time. Then it repays the
-- wallet's debts. One event reports the whole import. The caller holds the wallet's row.
-- Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.import_lot(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_unit wallet.unit,
    p_movements wallet.import_movement[],
    p_source TEXT,
    p_expires_at TIMESTAMPTZ
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot_id CONSTANT UUID := wallet.new_id();
    v_movement wallet.import_movement;
BEGIN
    IF cardinality(p_movements) = 0 THEN
        RETURN;
    END IF;
    INSERT INTO wallet.lots (account_id, lot_id, environment, unit, source, granted, expires_at, created_at)
    VALUES (
        p_account_id, v_lot_id, p_environment, p_unit, 'import', 0, p_expires_at,
        coalesce((p_movements[1]).at, wallet.now())
    );
    FOREACH v_movement IN ARRAY p_movements LOOP
        PERFORM wallet.post_lot(
            p_account_id, p_environment, v_lot_id, 'import',
            p_granted => greatest(v_movement.amount, 0), p_spent => greatest(-v_movement.amount, 0),
            p_actor => 'import ' || p_source,
            -- Descriptions from another system may contain line breaks and directional controls, which are not allowed
            -- in reasons.
            p_reason => left(regexp_replace(
                concat_ws(': ', v_movement.kind, v_movement.reason),
                '[\u0001-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]+', ' ', 'g'
            ), 500), p_at => v_movement.at
        );
    END LOOP;
    PERFORM wallet.settle(p_account_id, v_lot_id, p_repays => TRUE);
    IF (SELECT sum(m.amount) FROM unnest(p_movements) AS m (at, amount, kind, reason)) > 0 THEN
        PERFORM wallet.emit(
            'credits.granted', p_account_id, p_environment, p_details => jsonb_build_object('lot_id', v_lot_id)
        );
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.import_lot(
    BIGINT, wallet.environment, wallet.unit, wallet.import_movement[], TEXT, TIMESTAMPTZ
) IS 'Creates the lot of an imported balance and posts its history.';

-- Completes a history so that its balance never falls below zero and ends at the imported balance. A missing amount is
-- added before the first movement. An excess is deducted after the last one, at the time of the balance.
CREATE OR REPLACE FUNCTION wallet.import_history(
    p_movements wallet.import_movement[],
    p_balance BIGINT,
    p_at TIMESTAMPTZ
) RETURNS wallet.import_movement[] LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    WITH steps AS (
        SELECT m.at, m.amount, sum(m.amount) OVER (ORDER BY m.n) AS running
        FROM unnest(p_movements) WITH ORDINALITY AS m (at, amount, kind, reason, n)
    ),

    sums AS (
        SELECT coalesce(sum(s.amount), 0) AS total, least(min(s.running), 0) AS lowest, min(s.at) AS first_at
        FROM steps AS s
    ),

    opening AS (
        SELECT s.first_at, s.total, greatest(-s.lowest, p_balance - s.total)::BIGINT AS amount FROM sums AS s
    )

    SELECT
        CASE WHEN o.amount > 0 THEN ARRAY[ROW(
            o.first_at, o.amount, NULL, 'difference to the imported balance'
        )::wallet.import_movement] ELSE '{}' END
        || p_movements
        || CASE WHEN p_balance < o.total + o.amount THEN ARRAY[ROW(
            p_at, (p_balance - o.total - o.amount)::BIGINT, NULL, 'difference to the imported balance'
        )::wallet.import_movement] ELSE '{}' END
    FROM opening AS o;
$$;
COMMENT ON FUNCTION wallet.import_history(wallet.import_movement[], BIGINT, TIMESTAMPTZ) IS
'Returns a history that never falls below zero and ends at the imported balance.';
