-- Posts entries to the ledgers of one or several wallets and updates the wallets' sums. This is the only place that
-- writes entries, computes hashes and changes sums. It writes each table with one statement. Returns the versions of
-- the entries, in the order of the postings.
-- p_postings: the entries of each wallet in their order. The caller holds all their wallets and changes the lots.
-- p_heads: the heads of wallets that change, if the caller has read them under their locks; each of their postings
-- names the place of its head. The function reads the heads of the other postings.
-- It has no SET clauses and no rights of its own, because both cost as much as a small statement; every name in it is
-- qualified.
-- Locks: no others. Codes: none (the tables' CHECKs refuse invalid values; a wallet that does not exist: P0002).
CREATE OR REPLACE FUNCTION wallet.post(p_postings wallet.posting[], p_heads wallet.wallet_head[] DEFAULT NULL)
RETURNS BIGINT[] LANGUAGE plpgsql AS $$
DECLARE
    v_heads wallet.wallet_head[] := p_heads;
    -- The accounts of the heads that this function reads, each at the place of its head.
    v_accounts BIGINT[];
    v_head wallet.wallet_head;
    v_posting wallet.posting;
    v_entry wallet.entries;
    v_entries wallet.entries[];
    v_text wallet.entry_texts;
    v_texts wallet.entry_texts[];
    v_actor_digest BYTEA;
    v_reason_digest BYTEA;
    v_versions BIGINT[];
    v_changed BIGINT;
BEGIN
    FOREACH v_posting IN ARRAY p_postings LOOP
        IF v_posting.head IS NULL THEN
            v_accounts := coalesce(v_accounts, array_fill(NULL::BIGINT, ARRAY[coalesce(cardinality(p_heads), 0)]));
            v_posting.head := array_position(v_accounts, v_posting.account_id);
            WHILE (v_heads[v_posting.head]).environment <> v_posting.environment LOOP
                v_posting.head := array_position(v_accounts, v_posting.account_id, v_posting.head + 1);
            END LOOP;
            IF v_posting.head IS NULL THEN
                SELECT w.ctid, w.account_id, w.environment, w.credits, w.visits, 0, 0, w.version, w.head_hash, w.last_at
                INTO STRICT
                    v_head.at, v_head.account_id, v_head.environment, v_head.credits, v_head.visits,
                    v_head.owed_credits, v_head.owed_visits, v_head.version, v_head.head_hash, v_head.last_at
                FROM wallet.wallets AS w
                WHERE w.account_id = v_posting.account_id AND w.environment = v_posting.environment;
                v_heads := v_heads || v_head;
                v_accounts := v_accounts || v_head.account_id;
                v_posting.head := cardinality(v_heads);
            END IF;
        END IF;
        v_head := v_heads[v_posting.head];
        IF v_posting.actor IS NOT NULL THEN
            v_text.account_id := v_posting.account_id;
            v_text.environment := v_posting.environment;
            v_text.version := v_head.version + 1;
            v_text.salt := uuid_send(gen_random_uuid());
            v_text.actor := v_posting.actor;
            v_text.reason := v_posting.reason;
            v_texts := v_texts || v_text;
            v_actor_digest := sha256(v_text.salt || convert_to(v_posting.actor, 'UTF8'));
            v_reason_digest := sha256(v_text.salt || convert_to(v_posting.reason, 'UTF8'));
        ELSIF v_texts IS NOT NULL THEN
            v_actor_digest := NULL;
            v_reason_digest := NULL;
        END IF;
        v_entry := wallet.new_entry(
            p_account_id => v_posting.account_id, p_environment => v_posting.environment,
            p_version => v_head.version + 1, p_kind => v_posting.kind, p_unit => v_posting.unit,
            p_amount => v_posting.amount, p_owed_change => v_posting.owed_change,
            -- An entry without a unit has amount 0 and shows the credits.
            p_balance_after => v_posting.amount
                + CASE v_posting.unit WHEN 'visit' THEN v_head.visits ELSE v_head.credits END,
            p_lot_id => v_posting.lot_id, p_booking_id => v_posting.booking_id, p_claim_id => v_posting.claim_id,
            p_actor_digest => v_actor_digest, p_reason_digest => v_reason_digest,
            -- The times of a ledger never run backwards.
            p_at => greatest(v_head.last_at, coalesce(v_posting.at, wallet.now())), p_prev_hash => v_head.head_hash
        );
        v_entry.hash := wallet.entry_hash(v_entry);
        v_entries := v_entries || v_entry;
        v_versions := v_versions || v_entry.version;
        v_heads[v_posting.head] := wallet.new_head(
            p_at => v_head.at, p_account_id => v_head.account_id, p_environment => v_head.environment,
            p_credits => CASE v_entry.unit WHEN 'credit' THEN v_entry.balance_after ELSE v_head.credits END,
            p_visits => CASE v_entry.unit WHEN 'visit' THEN v_entry.balance_after ELSE v_head.visits END,
            p_owed_credits => v_head.owed_credits + CASE v_entry.unit WHEN 'credit' THEN v_entry.owed_change ELSE 0 END,
            p_owed_visits => v_head.owed_visits + CASE v_entry.unit WHEN 'visit' THEN v_entry.owed_change ELSE 0 END,
            p_version => v_entry.version, p_head_hash => v_entry.hash, p_last_at => v_entry.at
        );
    END LOOP;
    INSERT INTO wallet.entries (
        account_id, environment, version, kind, unit, amount, owed_change, balance_after, lot_id, booking_id, claim_id,
        actor_digest, reason_digest, at, prev_hash, hash
    )
    SELECT
        e.account_id, e.environment, e.version, e.kind, e.unit, e.amount, e.owed_change, e.balance_after, e.lot_id,
        e.booking_id, e.claim_id, e.actor_digest, e.reason_digest, e.at, e.prev_hash, e.hash
    FROM unnest(v_entries) AS e;
    IF v_texts IS NOT NULL THEN
        INSERT INTO wallet.entry_texts (account_id, environment, version, salt, actor, reason)
        SELECT t.account_id, t.environment, t.version, t.salt, t.actor, t.reason FROM unnest(v_texts) AS t;
    END IF;
    UPDATE wallet.wallets AS w SET
        credits = h.credits,
        visits = h.visits,
        owed_credits = w.owed_credits + h.owed_credits,
        owed_visits = w.owed_visits + h.owed_visits,
        version = h.version,
        head_hash = h.head_hash,
        last_at = h.last_at
    FROM unnest(v_heads) AS h
    -- The range holds every version. With it, the planner expects one head, so that even a plan that was cached while
    -- the table was small reads the rows by their ctid.
    WHERE w.ctid = h.at AND h.version BETWEEN 1 AND 9223372036854775807;
    GET DIAGNOSTICS v_changed = ROW_COUNT;
    IF v_changed <> cardinality(v_heads) THEN
        RAISE EXCEPTION 'a posting missed wallets that its caller had locked: it found % of %',
            v_changed, cardinality(v_heads);
    END IF;
    RETURN coalesce(v_versions, '{}');
END;
$$;
COMMENT ON FUNCTION wallet.post(wallet.posting[], wallet.wallet_head[]) IS
'Posts ledger entries and updates the wallets'' sums; returns the entries'' versions.';

-- Returns the hash of a ledger entry, which includes the previous entry's hash. record_send writes each field's type
-- and length before its bytes, so no two entries have the same encoding. Only built-in types are used, whose type
-- numbers stay the same after a dump and restore. It has no SET clause, so that it becomes part of its caller's
-- expression: a call would cost more than the hash itself.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.entry_hash(p_entry wallet.entries) RETURNS BYTEA LANGUAGE sql STABLE AS $$
    SELECT sha256(record_send(ROW(
        p_entry.prev_hash, p_entry.account_id, p_entry.environment::TEXT, p_entry.version, p_entry.kind::TEXT,
        p_entry.unit::TEXT, p_entry.amount, p_entry.owed_change, p_entry.balance_after, p_entry.lot_id,
        p_entry.booking_id, p_entry.claim_id, p_entry.actor_digest, p_entry.reason_digest, p_entry.at
    )));
$$;
COMMENT ON FUNCTION wallet.entry_hash(wallet.entries) IS 'Returns the hash that a ledger entry must have.';

-- Returns a ledger entry without its hash. The members are given by name. Assigning each to a variable would cost twice
-- as much as the whole entry. Like wallet.entry_hash, the function becomes part of its caller's expression.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.new_entry(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_version BIGINT,
    p_kind TEXT,
    p_unit wallet.unit,
    p_amount BIGINT,
    p_owed_change BIGINT,
    p_balance_after BIGINT,
    p_lot_id UUID,
    p_booking_id UUID,
    p_claim_id BIGINT,
    p_actor_digest BYTEA,
    p_reason_digest BYTEA,
    p_at TIMESTAMPTZ,
    p_prev_hash BYTEA
) RETURNS wallet.entries LANGUAGE sql IMMUTABLE AS $$
    SELECT ROW(
        p_account_id, p_environment, p_version, p_kind, p_unit, p_amount, p_owed_change, p_balance_after, p_lot_id,
        p_booking_id, p_claim_id, p_actor_digest, p_reason_digest, p_at, p_prev_hash, NULL
    )::wallet.entries;
$$;
COMMENT ON FUNCTION wallet.new_entry(
    BIGINT, wallet.environment, BIGINT, TEXT, wallet.unit, BIGINT, BIGINT, BIGINT, UUID, UUID, BIGINT, BYTEA, BYTEA,
    TIMESTAMPTZ, BYTEA
) IS 'Returns a ledger entry without its hash.';

-- Returns the head of a wallet's ledger; see wallet.new_entry.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.new_head(
    p_at TID,
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_credits BIGINT,
    p_visits BIGINT,
    p_owed_credits BIGINT,
    p_owed_visits BIGINT,
    p_version BIGINT,
    p_head_hash BYTEA,
    p_last_at TIMESTAMPTZ
) RETURNS wallet.wallet_head LANGUAGE sql IMMUTABLE AS $$
    SELECT ROW(
        p_at, p_account_id, p_environment, p_credits, p_visits, p_owed_credits, p_owed_visits, p_version, p_head_hash,
        p_last_at
    )::wallet.wallet_head;
$$;
COMMENT ON FUNCTION wallet.new_head(
    TID, BIGINT, wallet.environment, BIGINT, BIGINT, BIGINT, BIGINT, BIGINT, BYTEA, TIMESTAMPTZ
) IS 'Returns the head of a wallet''s ledger.';

-- Returns an entry to post for a booking; see wallet.new_entry.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.new_posting(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_kind TEXT,
    p_unit wallet.unit,
    p_amount BIGINT,
    p_lot_id UUID,
    p_booking_id UUID,
    p_at TIMESTAMPTZ,
    p_head INTEGER
) RETURNS wallet.posting LANGUAGE sql IMMUTABLE AS $$
    SELECT ROW(
        p_account_id, p_environment, p_kind, p_unit, p_amount, 0, p_lot_id, p_booking_id, NULL, NULL, NULL, p_at,
        p_head
    )::wallet.posting;
$$;
COMMENT ON FUNCTION wallet.new_posting(
    BIGINT, wallet.environment, TEXT, wallet.unit, BIGINT, UUID, UUID, TIMESTAMPTZ, INTEGER
) IS 'Returns an entry to post for a booking.';
