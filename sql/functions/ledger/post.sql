-- Posts entries to the ledgers of one or several wallets and updates the wallets' sums. This is the only place that
-- writes entries, computes hashes and changes sums. It writes each table with one statement. Returns the versions of
-- the entries, in the order of the postings.
-- p_postings: the entries of each wallet in their order. The caller holds all their wallets and changes the lots.
-- p_heads: the heads of the wallets that change, if the caller has read them under their locks; otherwise the function
-- reads them.
-- It has no SET clauses and no rights of its own, because both cost as much as a small statement; every name in it is
-- qualified.
-- Locks: no others. Codes: none (the tables' CHECKs refuse invalid values; a wallet that does not exist: P0002).
CREATE OR REPLACE FUNCTION wallet.post(p_postings wallet.posting[], p_heads wallet.wallet_head[] DEFAULT NULL)
RETURNS BIGINT[] LANGUAGE plpgsql AS $$
DECLARE
    v_heads wallet.wallet_head[] := p_heads;
    -- The account of each head.
    v_accounts BIGINT[];
    -- The head of the current wallet, and its place in v_heads.
    v_head wallet.wallet_head;
    v_place INTEGER;
    v_posting wallet.posting;
    v_entry wallet.entries;
    v_entries wallet.entries[];
    v_text wallet.entry_texts;
    v_texts wallet.entry_texts[];
    v_versions BIGINT[];
    v_changed BIGINT;
BEGIN
    FOREACH v_posting IN ARRAY p_postings LOOP
        IF
            v_place IS NULL OR v_posting.account_id <> v_head.account_id
            OR v_posting.environment <> v_head.environment
        THEN
            IF v_place IS NOT NULL THEN
                v_heads[v_place] := v_head;
            END IF;
            IF v_accounts IS NULL AND v_heads IS NOT NULL THEN
                v_accounts := ARRAY(SELECT h.account_id FROM unnest(v_heads) AS h);
            END IF;
            v_place := array_position(v_accounts, v_posting.account_id);
            WHILE v_place IS NOT NULL AND (v_heads[v_place]).environment <> v_posting.environment LOOP
                v_place := array_position(v_accounts, v_posting.account_id, v_place + 1);
            END LOOP;
            IF v_place IS NULL THEN
                SELECT w.ctid, w.account_id, w.environment, w.credits, w.visits, 0, 0, w.version, w.head_hash, w.last_at
                INTO STRICT
                    v_head.at, v_head.account_id, v_head.environment, v_head.credits, v_head.visits,
                    v_head.owed_credits, v_head.owed_visits, v_head.version, v_head.head_hash, v_head.last_at
                FROM wallet.wallets AS w
                WHERE w.account_id = v_posting.account_id AND w.environment = v_posting.environment;
                v_heads := v_heads || v_head;
                v_accounts := v_accounts || v_head.account_id;
                v_place := cardinality(v_heads);
            ELSE
                v_head := v_heads[v_place];
            END IF;
        END IF;
        IF v_posting.unit = 'visit' THEN
            v_head.visits := v_head.visits + v_posting.amount;
            v_head.owed_visits := v_head.owed_visits + v_posting.owed_change;
            v_entry.balance_after := v_head.visits;
        ELSE
            -- An entry without a unit has amount 0 and shows the credits.
            v_head.credits := v_head.credits + v_posting.amount;
            v_head.owed_credits := v_head.owed_credits + v_posting.owed_change;
            v_entry.balance_after := v_head.credits;
        END IF;
        v_head.version := v_head.version + 1;
        -- The times of a ledger never run backwards.
        v_head.last_at := greatest(v_head.last_at, coalesce(v_posting.at, wallet.now()));
        v_entry.account_id := v_posting.account_id;
        v_entry.environment := v_posting.environment;
        v_entry.version := v_head.version;
        v_entry.kind := v_posting.kind;
        v_entry.unit := v_posting.unit;
        v_entry.amount := v_posting.amount;
        v_entry.owed_change := v_posting.owed_change;
        v_entry.lot_id := v_posting.lot_id;
        v_entry.booking_id := v_posting.booking_id;
        v_entry.claim_id := v_posting.claim_id;
        IF v_posting.actor IS NOT NULL THEN
            v_text.account_id := v_posting.account_id;
            v_text.environment := v_posting.environment;
            v_text.version := v_head.version;
            v_text.salt := uuid_send(gen_random_uuid());
            v_text.actor := v_posting.actor;
            v_text.reason := v_posting.reason;
            v_texts := v_texts || v_text;
            v_entry.actor_digest := sha256(v_text.salt || convert_to(v_posting.actor, 'UTF8'));
            v_entry.reason_digest := sha256(v_text.salt || convert_to(v_posting.reason, 'UTF8'));
        ELSIF v_texts IS NOT NULL THEN
            v_entry.actor_digest := NULL;
            v_entry.reason_digest := NULL;
        END IF;
        v_entry.at := v_head.last_at;
        v_entry.prev_hash := v_head.head_hash;
        v_entry.hash := wallet.entry_hash(v_entry);
        v_head.head_hash := v_entry.hash;
        v_entries := v_entries || v_entry;
        v_versions := v_versions || v_entry.version;
    END LOOP;
    IF v_entries IS NULL THEN
        RETURN '{}';
    END IF;
    v_heads[v_place] := v_head;
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
    RETURN v_versions;
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
