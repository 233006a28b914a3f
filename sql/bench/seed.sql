-- Fills an empty, migrated database with data for measurements: wallets with lots and a history of bookings, and
-- classes to book. Every invariant holds afterwards, hash chains included. Use a temporary database and run it as a
-- superuser, because it skips foreign keys and rebuilds the indexes of the two largest tables.
--   psql -v wallets=100000 -v entries=20 -v hot=64 -v classes=2000 -v solos=200000 -f sql/bench/seed.sql
-- wallets: the number of members. entries: the ledger entries of each member: one grant for each lot, then bookings.
-- lots: the number of lots of wallet n, from 1 to `entries`, as an expression of n; 2 unless set.
-- hot: additional wallets with credits for any number of bookings. classes: the number of classes that members book at
-- random; pgbench and the open loop each have as many. solos: classes for one wallet that books one after the other.
-- 400 further classes are for crowds, each with the maximum number of seats.
-- The user of wallet n is the UUID that is the MD5 of 'bench-n'.
\set ON_ERROR_STOP on
\if :{?lots}
\else
\set lots 2
\endif
SET work_mem = '128MB';
SET maintenance_work_mem = '512MB';
SET synchronize_seqscans = off;
SET jit = off;
SET session_replication_role = replica;
-- The ledgers begin a year ago, each at a different time of day, and end ten days ago.
SELECT
    :wallets + :hot AS accounts,
    greatest(:entries, (:wallets::BIGINT + :hot) * :entries / 500 + 1) AS past,
    date_trunc('day', now()) - INTERVAL '376 days' AS begins,
    INTERVAL '365 days' / :entries AS pause
\gset

-- Returns the version 7 UUID of a time and a text, always the same for the same input.
CREATE FUNCTION pg_temp.id_of(TIMESTAMPTZ, TEXT) RETURNS UUID LANGUAGE sql STABLE AS $$
    SELECT overlay(
        overlay(md5($2) PLACING lpad(to_hex((extract(EPOCH FROM $1) * 1000)::BIGINT), 12, '0') || '7' FROM 1)
        PLACING '8' FROM 17
    )::UUID;
$$;

-- The primary keys and indexes of the two largest tables are dropped and rebuilt after the inserts.
CREATE TEMP TABLE rebuilt AS
SELECT
    1 AS step,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', c.conrelid::REGCLASS, c.conname, pg_get_constraintdef(c.oid)) AS make,
    format('ALTER TABLE %s DROP CONSTRAINT %I', c.conrelid::REGCLASS, c.conname) AS remove
FROM pg_catalog.pg_constraint AS c
WHERE c.conrelid IN ('wallet.entries'::REGCLASS, 'wallet.bookings'::REGCLASS) AND c.contype IN ('p', 'u')
UNION ALL
SELECT 2, pg_get_indexdef(i.indexrelid), format('DROP INDEX %s', i.indexrelid::REGCLASS)
FROM pg_catalog.pg_index AS i
WHERE
    i.indrelid IN ('wallet.entries'::REGCLASS, 'wallet.bookings'::REGCLASS)
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint AS c WHERE c.conindid = i.indexrelid);
SELECT r.remove FROM pg_temp.rebuilt AS r ORDER BY r.step \gexec

INSERT INTO wallet.accounts (account_id, created_at) OVERRIDING SYSTEM VALUE
SELECT n, :'begins' FROM generate_series(1, :accounts) AS n;
SELECT setval(pg_get_serial_sequence('wallet.accounts', 'account_id'), :accounts);
INSERT INTO wallet.identities (user_id, account_id, app_account_token, created_at)
SELECT md5('bench-' || n)::UUID::TEXT, n, md5('bench-' || n)::UUID, :'begins'
FROM generate_series(1, :accounts) AS n;

-- Each step of the recursion posts one entry of every wallet, with the hash of the previous one.
WITH RECURSIVE chain AS (
    SELECT
        n::BIGINT AS account_id,
        0 AS version,
        :lots AS lots,
        -- Each lot has enough credits for all classes; those of the hot wallets have more than enough.
        CASE WHEN n > :wallets THEN 1000000000 ELSE greatest(:classes, :entries) END::BIGINT AS granted,
        pg_temp.id_of(:'begins', n || ' lot 1') AS first_lot_id,
        :'begins'::TIMESTAMPTZ + n % 86400 * INTERVAL '1 second' AS at,
        NULL::TEXT AS kind,
        0::BIGINT AS amount,
        0::BIGINT AS balance,
        NULL::UUID AS lot_id,
        NULL::UUID AS booking_id,
        NULL::BYTEA AS prev_hash,
        decode(repeat('00', 32), 'hex') AS hash
    FROM generate_series(1, :accounts) AS n
    UNION ALL
    SELECT
        e.account_id, e.version, e.lots, e.granted, e.first_lot_id, e.at, e.kind, e.amount, e.balance, e.lot_id,
        e.booking_id, e.prev_hash, sha256(record_send(row(
            e.prev_hash, e.account_id, 'production'::TEXT, e.version::BIGINT, e.kind, 'credit'::TEXT, e.amount,
            0::BIGINT, e.balance, e.lot_id, e.booking_id, NULL::BIGINT, NULL::BYTEA, NULL::BYTEA, e.at
        )))
    FROM (
        SELECT
            c.account_id,
            c.version + 1 AS version,
            c.lots,
            c.granted,
            c.first_lot_id,
            c.at + :'pause' AS at,
            CASE WHEN c.version < c.lots THEN 'import' ELSE 'spend' END AS kind,
            CASE WHEN c.version < c.lots THEN c.granted ELSE -1 END AS amount,
            c.balance + CASE WHEN c.version < c.lots THEN c.granted ELSE -1 END AS balance,
            -- Each grant has its own lot; the first lot pays for every booking.
            CASE
                WHEN c.version BETWEEN 1 AND c.lots - 1
                    THEN pg_temp.id_of(c.at, format('%s lot %s', c.account_id, c.version + 1))
                ELSE c.first_lot_id
            END AS lot_id,
            CASE WHEN c.version >= c.lots THEN pg_temp.id_of(
                c.at, c.account_id || ' booking ' || c.version
            ) END AS booking_id,
            c.hash AS prev_hash
        FROM chain AS c
        WHERE c.version < :entries
    ) AS e
)

INSERT INTO wallet.entries (
    account_id, environment, version, kind, unit, amount, owed_change, balance_after, lot_id, booking_id, at, prev_hash,
    hash
)
SELECT
    c.account_id, 'production', c.version, c.kind, 'credit', c.amount, 0, c.balance, c.lot_id, c.booking_id, c.at,
    c.prev_hash, c.hash
FROM chain AS c
WHERE c.version > 0;

INSERT INTO wallet.wallets (account_id, environment, credits, version, head_hash, last_at)
SELECT e.account_id, e.environment, e.balance_after, e.version, e.hash, e.at
FROM wallet.entries AS e
WHERE e.version = :entries
ORDER BY e.account_id;
CREATE TEMP TABLE grants AS
SELECT e.account_id, count(*)::INTEGER AS lots, max(e.at) AS last_at
FROM wallet.entries AS e
WHERE e.kind = 'import'
GROUP BY e.account_id;
INSERT INTO wallet.lots (account_id, lot_id, environment, unit, source, granted, spent, created_at)
SELECT
    e.account_id, e.lot_id, e.environment, e.unit, 'import', e.amount,
    CASE e.version WHEN 1 THEN :entries - g.lots ELSE 0 END, e.at
FROM wallet.entries AS e
INNER JOIN pg_temp.grants AS g ON e.account_id = g.account_id
WHERE e.kind = 'import'
ORDER BY e.account_id, e.version;
-- The origin of all lots of a wallet: an import.
INSERT INTO wallet.imports (
    source, user_digest, environment, content_digest, account_id, first_version, entry_count, at
)
SELECT
    'bench', wallet.user_digest(i.user_id), 'production', sha256(convert_to(i.user_id, 'UTF8')), i.account_id, 1,
    g.lots, g.last_at
FROM wallet.identities AS i
INNER JOIN pg_temp.grants AS g ON i.account_id = g.account_id;

-- Past classes, and classes to book.
INSERT INTO wallet.classes (class_id, title, starts_at, ends_at, price_credits, updated_at)
SELECT
    format('%s-%s', k.kind, to_char(n, 'FM000000')), 'A class to measure with', k.starts_at,
    k.starts_at + INTERVAL '1 hour', 1, now()
FROM (VALUES
    ('past', :past, date_trunc('hour', now()) - INTERVAL '2 days'),
    ('class', :classes, date_trunc('hour', now()) + INTERVAL '30 days'),
    ('single', :classes, date_trunc('hour', now()) + INTERVAL '31 days'),
    ('open', :classes, date_trunc('hour', now()) + INTERVAL '32 days'),
    ('solo', :solos, date_trunc('hour', now()) + INTERVAL '33 days'),
    ('crowd', 400, date_trunc('hour', now()) + INTERVAL '34 days')
) AS k (kind, classes, starts_at)
CROSS JOIN LATERAL generate_series(0, k.classes - 1) AS n;
INSERT INTO wallet.class_seats (class_id, environment, capacity)
SELECT c.class_id, e.environment, 100000
FROM wallet.classes AS c
CROSS JOIN unnest(enum_range(NULL::wallet.environment)) AS e (environment);

INSERT INTO wallet.bookings (
    account_id, booking_id, environment, class_id, idempotency_key, seats, unit, amount, first_version, entry_count,
    free_minutes_before, free_until, created_at
)
SELECT
    e.account_id, e.booking_id, e.environment, c.class_id, 'past-' || e.version, 1, e.unit, -e.amount, e.version, 1,
    c.free_minutes_before, c.starts_at - make_interval(mins => c.free_minutes_before), e.at
FROM wallet.entries AS e
-- The bookings of a wallet are for consecutive classes, so no class is booked twice.
INNER JOIN wallet.classes AS c
    ON c.class_id = 'past-' || to_char((e.account_id * :entries + e.version) % :past, 'FM000000')
WHERE e.kind = 'spend';
UPDATE wallet.class_seats AS s SET sold = b.sold
FROM (
    SELECT k.class_id, k.environment, sum(k.seats) AS sold FROM wallet.bookings AS k GROUP BY k.class_id, k.environment
) AS b
WHERE s.class_id = b.class_id AND s.environment = b.environment;

SELECT r.make FROM pg_temp.rebuilt AS r ORDER BY r.step \gexec
VACUUM (ANALYZE);
