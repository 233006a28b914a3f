-- The statements that answer users' reads use keys: alone and in a batch, however many accounts there are, and even if
-- they were planned while the tables were small. ReadPlanTests compares them with the statements of the service.
BEGIN;
\ir ../support/books.sql
\ir ../support/waitlist.sql
SELECT * FROM no_plan();
SET LOCAL plan_cache_mode = force_generic_plan;

CREATE TEMP TABLE kinds (name text, columns text, joins text, sort text);
INSERT INTO kinds VALUES
('balances', $$
    coalesce(b.credits, 0) AS credits, coalesce(b.visits, 0) AS visits, coalesce(b.unlimited, FALSE) AS unlimited,
    coalesce(b.owed_credits, 0) AS owed_credits, coalesce(b.owed_visits, 0) AS owed_visits,
    coalesce(b.version, 0) AS version, b.next_rollover_at, coalesce(b.as_of, (SELECT wallet.now())) AS as_of,
    b.last_boundary, l.lot_id, l.unit::text AS lot_unit, l.source, l.product_id, l.granted, l.remaining,
    nullif(l.expires_at, 'infinity') AS expires_at
$$, $$
    LEFT JOIN LATERAL (
        SELECT o.* FROM wallet.balances AS o
        WHERE o.account_id = q.account_id AND o.environment = q.environment
        LIMIT 1
    ) AS b ON TRUE
    LEFT JOIN LATERAL (
        SELECT o.* FROM wallet.open_lots AS o
        WHERE o.account_id = q.account_id AND o.environment = q.environment AND o.expires_at > b.as_of
    ) AS l ON TRUE
$$, 'l.unit DESC, l.expires_at, l.lot_id'),
('bookings', $$
    b.booking_id, b.class_id, b.class_title, b.starts_at, b.status AS booking_status, b.seats,
    b.unit::text AS unit_name, b.amount, b.slices, b.free_until, b.free_minutes_before, b.created_at,
    b.cancelled_at, b.late_cancel, b.cancelled_by, b.returned, b.moved, b.promoted, b.attendance, b.fee, b.strike,
    w.is_waiting
$$, $$
    LEFT JOIN LATERAL (
        SELECT TRUE AS is_waiting FROM wallet.waitlist_places AS o
        WHERE o.account_id = q.account_id AND o.environment = q.environment
        LIMIT 1
    ) AS w ON TRUE
    LEFT JOIN LATERAL (
        (
            SELECT o.* FROM wallet.booking_details AS o
            WHERE q.filter IS NULL AND o.account_id = q.account_id AND o.environment = q.environment
                AND o.booking_id < coalesce(q.before::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
            ORDER BY o.booking_id DESC
            LIMIT q.row_limit + 1
        )
        UNION ALL
        SELECT o.* FROM (
            SELECT k.booking_id FROM (
                SELECT o.booking_id FROM wallet.booking_details AS o
                WHERE q.filter IS NOT NULL AND o.account_id = q.account_id AND o.environment = q.environment
                    AND o.booking_id < coalesce(q.before::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
                    AND CASE q.filter
                        WHEN 'upcoming' THEN o.status = 'booked' AND o.is_ahead
                        WHEN 'past' THEN o.status = 'booked' AND NOT o.is_ahead
                        ELSE o.status = 'cancelled'
                    END
                ORDER BY o.booking_id DESC
                -- Keeps the planner from reading everybody's bookings in order until there are enough of this user.
                OFFSET 0
            ) AS k
            ORDER BY k.booking_id DESC
            LIMIT q.row_limit + 1
        ) AS k
        INNER JOIN wallet.booking_details AS o ON k.booking_id = o.booking_id
    ) AS b ON TRUE
$$, 'b.booking_id DESC'),
('entries', $$
    l.version, l.at, l.kind, l.unit::text AS unit, l.amount, l.balance_after, l.lot_id, l.booking_id,
    l.transaction_id, l.reason, l.hash
$$, $$
    LEFT JOIN LATERAL (
        SELECT o.* FROM wallet.ledger AS o
        WHERE o.account_id = q.account_id AND o.environment = q.environment
            AND o.version < coalesce(q.before::bigint, 9223372036854775807)
        ORDER BY o.version DESC
        LIMIT q.row_limit + 1
    ) AS l ON TRUE
$$, 'l.version DESC'),
('passes', $$
    p.*
$$, $$
    LEFT JOIN LATERAL (
        SELECT o.* FROM wallet.passes AS o
        WHERE o.account_id = q.account_id AND o.environment = q.environment
            AND o.lot_id < coalesce(q.before::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
        ORDER BY o.lot_id DESC
        LIMIT q.row_limit + 1
    ) AS p ON TRUE
$$, 'p.lot_id DESC'),
('subscriptions', $$
    s.*, e.entitlement, e.is_active, e.expires_at, e.in_trial, e.trial_ends_at, e.in_grace_period,
    e.will_renew AS entitlement_will_renew, e.store AS entitlement_store, e.product_id AS entitlement_product_id
$$, $$
    LEFT JOIN LATERAL (
        SELECT o.* FROM wallet.subscription_states AS o
        WHERE o.account_id = q.account_id AND o.environment = q.environment
        -- Keeps the planner from joining the accounts of a batch with everybody's subscriptions.
        OFFSET 0
    ) AS s ON TRUE
    LEFT JOIN LATERAL (
        SELECT o.* FROM wallet.entitlements AS o
        WHERE o.account_id = s.account_id AND o.environment = s.environment
        OFFSET 0
    ) AS e ON TRUE
$$, 's.period_start DESC, s.subscription_id DESC');

CREATE TEMP TABLE forms (name text, types text, statement text);
INSERT INTO forms VALUES
('single', 'text, text, bigint, text, text', $$
    SELECT %1$s
    FROM (
        SELECT (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = $1) AS account_id,
            $2::wallet.environment AS environment, $3 AS row_limit,
            $4::text AS before, $5::text AS filter
    ) AS q
    %2$s
    ORDER BY %3$s
$$),
('batch', 'bigint[], timestamptz[], text[], bigint[], text[], text[]', $$
    SELECT q.item, %1$s
    FROM (
        SELECT i.*, a.account_id
        FROM unnest(
            $1, $2,
            $3::wallet.environment[], $4,
            $5, $6
        ) WITH ORDINALITY AS i (known_id, opened_at, environment, row_limit, before, filter, item)
        CROSS JOIN LATERAL (
            SELECT o.account_id FROM wallet.open_accounts AS o
            WHERE o.account_id = i.known_id AND o.opened_at = i.opened_at
            -- A plan that was made while the table was small must not read the whole table later.
            LIMIT 1
        ) AS a
    ) AS q
    %2$s
    ORDER BY q.item, %3$s
$$);
CREATE TEMP VIEW reads AS
SELECT
    f.name || ' ' || k.name AS name,
    f.types,
    format(f.statement, k.columns, k.joins, k.sort) AS statement
FROM kinds AS k CROSS JOIN forms AS f
UNION ALL
SELECT 'purchases', 'text, text, bigint, bigint', $$
    SELECT p.*, p.unit::text AS unit_name FROM wallet.purchases AS p
    WHERE p.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = $1)
        AND p.environment = $2::wallet.environment
        AND p.claim_id < coalesce($3, 9223372036854775807)
    ORDER BY p.claim_id DESC
    LIMIT $4
$$;

CREATE FUNCTION pg_temp.prepare_reads() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_read reads;
BEGIN
    FOR v_read IN SELECT r.* FROM reads AS r LOOP
        EXECUTE format('PREPARE %I (%s) AS %s', v_read.name, v_read.types, v_read.statement);
    END LOOP;
END;
$$;

-- The execution of a read: of one user's newest 20 items, or of 64 users' at once.
CREATE FUNCTION pg_temp.execution(p_read text) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN p_read LIKE 'single %' THEN format('EXECUTE %I (%L, ''production'', 20, NULL, NULL)', p_read, 'u1')
    WHEN p_read = 'purchases' THEN format('EXECUTE purchases (%L, ''production'', NULL, 21)', 'u1')
    ELSE (
        SELECT format(
            'EXECUTE %I (%L, %L, %L, %L, %L, %L)', p_read, array_agg(o.account_id), array_agg(o.opened_at),
            array_agg('production'::text), array_agg(20), array_agg(NULL::text), array_agg(NULL::text)
        ) FROM (
            SELECT a.account_id, a.opened_at FROM wallet.open_accounts AS a
            INNER JOIN wallet.users AS u ON a.account_id = u.account_id
            WHERE u.user_id LIKE 'u%' ORDER BY a.account_id LIMIT 64
        ) AS o
    ) END;
$$;

-- The rows that a read fetches from the tables of the wallet, and its result.
CREATE FUNCTION pg_temp.fetched(p_table text DEFAULT '%') RETURNS bigint LANGUAGE sql AS $$
    SELECT sum(s.seq_tup_read + coalesce(s.idx_tup_fetch, 0))::bigint FROM pg_catalog.pg_stat_xact_user_tables AS s
    WHERE s.schemaname = 'wallet' AND s.relname LIKE p_table;
$$;
CREATE FUNCTION pg_temp.cost(p_read text, p_table text DEFAULT '%') RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_execution CONSTANT text := pg_temp.execution(p_read);
    v_before CONSTANT bigint := pg_temp.fetched(p_table);
BEGIN
    EXECUTE v_execution;
    RETURN pg_temp.fetched(p_table) - v_before;
END;
$$;
CREATE FUNCTION pg_temp.plan(p_read text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_line text;
    v_plan text := '';
BEGIN
    FOR v_line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || pg_temp.execution(p_read) LOOP
        v_plan := v_plan || v_line || E'\n';
    END LOOP;
    RETURN v_plan;
END;
$$;

-- The tables that grow with the users; classes grow with the years only.
CREATE FUNCTION pg_temp.scans_of(VARIADIC p_more text[] DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT 'Seq Scan on (' || array_to_string(p_more || ARRAY[
        'accounts', 'bookings', 'claims', 'deleted_users', 'entries', 'entry_texts', 'identities', 'lots', 'pass_uses',
        'subscriptions', 'waitlist', 'wallets'
    ], '|') || ')\y';
$$;

-- A user with credits, a pass with a use, a plan, a booking and a place on a waitlist.
CREATE FUNCTION pg_temp.member(p_number integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_user CONSTANT text := 'u' || p_number;
BEGIN
    PERFORM pg_temp.gift(v_user, 9), pg_temp.buy(v_user, 'pass ' || p_number, 'threeVisit'),
        pg_temp.buy(v_user, 'plan ' || p_number, 'plan.explorer');
    PERFORM pg_temp.book(v_user, 'k' || p_number, 'yoga'), pg_temp.join(v_user, 'full'),
        wallet.consume_pass(wallet.account_for(v_user), 'production', 'pass ' || p_number, 'door');
END;
$$;
SELECT pg_temp.lesson('yoga', NULL, 1, 1000), pg_temp.lesson('full', 1, NULL, 1), pg_temp.gift('first', 1);
SELECT pg_temp.book('first', 'k', 'full');
SELECT pg_temp.prepare_reads();
SELECT pg_temp.member(n) FROM generate_series(1, 2) AS n;

-- These plans are made now, while the tables are new, and are kept until the tables are analyzed.
SELECT pg_temp.cost(r.name) FROM reads AS r;
SELECT pg_temp.member(n) FROM generate_series(3, 120) AS n;
SELECT cmp_ok(
    pg_temp.cost(r.name), '<', CASE WHEN r.name LIKE 'batch %' THEN 64 ELSE 1 END * 60::bigint,
    r.name || ': a plan made for new tables does not read other users'' rows later'
) FROM reads AS r;
SELECT doesnt_match(
    pg_temp.plan(r.name), pg_temp.scans_of(), r.name || ': a plan made for new tables scans none of them'
) FROM reads AS r;

-- A plan for large tables.
ANALYZE;
UPDATE pg_catalog.pg_class AS c SET reltuples = 100000 * greatest(c.relpages, 1)
WHERE c.relnamespace = 'wallet'::regnamespace AND 'Seq Scan on ' || c.relname ~ pg_temp.scans_of('classes');
DISCARD PLANS;
SELECT cmp_ok(
    pg_temp.cost(r.name), '<', CASE WHEN r.name LIKE 'batch %' THEN 64 ELSE 1 END * 60::bigint,
    r.name || ': a plan for large tables reads the rows of its users only'
) FROM reads AS r;
SELECT doesnt_match(
    pg_temp.plan(r.name), pg_temp.scans_of('classes'), r.name || ': a plan for large tables scans none of them'
) FROM reads AS r;

-- The entries of a booking are read for the page only.
INSERT INTO wallet.classes (class_id, title, starts_at, ends_at, price_credits, updated_at)
SELECT 'many' || i, 'Class', wallet.now(), wallet.now() + INTERVAL '1 hour', 1, wallet.now()
FROM generate_series(1, 500) AS i;
INSERT INTO wallet.bookings (
    account_id, booking_id, environment, class_id, idempotency_key, seats, unit, amount, first_version, entry_count,
    free_minutes_before, free_until, created_at
) SELECT
    wallet.account_for('u1'), gen_random_uuid(), 'production', 'many' || i, 'many ' || i, 1, 'visit', 1, 1, 1, 0,
    wallet.now(), wallet.now()
FROM generate_series(1, 500) AS i;
SELECT cmp_ok(
    pg_temp.cost(r.name, 'entries'), '<=', CASE WHEN r.name LIKE 'batch %' THEN 64 ELSE 0 END + 21::bigint,
    r.name || ': slices are read for the page only'
) FROM reads AS r WHERE r.name LIKE '% bookings';
SELECT matches(
    pg_temp.plan('single bookings'),
    '(?s)Sort Key: b_\d\.booking_id DESC.*using bookings_key on bookings b_\d.*SubPlan',
    'a user''s filtered bookings are found by the account and sorted before their slices are read'
);
SELECT * FROM finish();
ROLLBACK;
