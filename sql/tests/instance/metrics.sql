-- The views of sql/views/instance/metrics.sql: the values that the service samples for its metrics.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();

-- Lots
SELECT is_empty('SELECT FROM wallet.lot_totals', 'without lots there are no totals');
SELECT pg_temp.lesson('a', 20), pg_temp.buy('ann', 't', 'explorer'), pg_temp.gift('ann', 5);
SELECT pg_temp.buy('bob', 'b', 'starter'), pg_temp.buy('bob', 's', 'starter', '{"environment": "sandbox"}');
SELECT pg_temp.book('ann', 'k', 'a');
SELECT results_eq(
    $$ SELECT t.environment::text, t.unit::text, sum(t.lots)::bigint, sum(t.granted)::bigint, sum(t.spent)::bigint,
       sum(t.outstanding)::bigint, sum(t.owed)::bigint
       FROM wallet.lot_totals AS t GROUP BY t.environment, t.unit ORDER BY 1, 2 $$,
    $$ VALUES ('production', 'credit', 3::bigint, 80::bigint, 20::bigint, 60::bigint, 0::bigint),
       ('sandbox', 'credit', 1::bigint, 25::bigint, 0::bigint, 25::bigint, 0::bigint) $$,
    'totals by environment and unit: granted, spent, outstanding'
);
SELECT results_eq(
    $$ SELECT t.granted FROM wallet.lot_totals AS t WHERE t.environment = 'production' AND t.source = 'pack' $$,
    $$ VALUES (75::bigint) $$, 'totals by source'
);
SELECT pg_temp.wait('1 second'), pg_temp.buy('ann', 't', 'explorer', '{"refunded_millionths": 1000000}');
SELECT results_eq(
    $$ SELECT sum(t.outstanding)::bigint, sum(t.owed)::bigint FROM wallet.lot_totals AS t
       WHERE t.environment = 'production' $$,
    $$ SELECT sum(w.credits)::bigint, sum(w.owed_credits)::bigint FROM wallet.wallets AS w
       WHERE w.environment = 'production' $$,
    'outstanding and owed amounts match the wallets'
);

-- Outgoing events
SELECT is(b.pending_count + b.dead_count, 0::BIGINT, 'no event is enqueued') FROM wallet.outbox_backlog AS b;
SELECT pg_temp.wait('1 hour');
SELECT cmp_ok(b.age, '>=', 3600::DOUBLE PRECISION, 'the oldest event waits since it happened')
FROM wallet.outbox_backlog AS b;
UPDATE wallet.outbox_cursor SET xid = '9223372036854775807';
SELECT is(b.age, 0::DOUBLE PRECISION, 'no event waits behind the cursor') FROM wallet.outbox_backlog AS b;
INSERT INTO wallet.deliveries (event_id, event_at, status, next_attempt_at) VALUES
(1, wallet.now() - INTERVAL '90 seconds', 'pending', wallet.now()),
(2, wallet.now() - INTERVAL '9 days', 'dead', wallet.now());
SELECT results_eq(
    $$ SELECT round(b.age)::integer, b.pending_count, b.dead_count FROM wallet.outbox_backlog AS b $$,
    $$ VALUES (90, 1::bigint, 1::bigint) $$, 'enqueued events count as waiting, and abandoned ones do not'
);

-- Incoming messages
SELECT results_eq(
    $$ SELECT count(*), sum(b.messages)::bigint, max(b.age) FROM wallet.inbox_backlog AS b $$,
    $$ VALUES (15::bigint, 0::bigint, 0::double precision) $$, 'each store and status has a count, including 0'
);
INSERT INTO wallet.inbox (source, source_event_id, type, payload, status, received_at) VALUES
('app_store', 'x', 'X', '{}', 'failed', wallet.now() - INTERVAL '60 seconds'),
('app_store', 'y', 'X', '{}', 'failed', wallet.now() - INTERVAL '10 seconds'),
('google_play', 'x', 'X', '{}', 'quarantined', wallet.now() - INTERVAL '7 seconds'),
('revenuecat', 'x', 'X', '{}', 'awaiting_user', wallet.now() - INTERVAL '5 seconds');
SELECT results_eq(
    $$ SELECT b.source, b.status, b.messages, round(b.age)::integer FROM wallet.inbox_backlog AS b
       WHERE b.messages > 0 ORDER BY b.source $$,
    $$ VALUES ('app_store', 'failed', 2::bigint, 60), ('google_play', 'quarantined', 1::bigint, 7),
        ('revenuecat', 'awaiting_user', 1::bigint, 5) $$,
    'the age of the oldest message'
);
INSERT INTO wallet.inbox (source, source_event_id, type, payload, status, reason, received_at)
SELECT
    'app_store', 'r' || row_number() OVER (), i.type, '{"raw": null}', i.status, i.reason,
    wallet.now() - INTERVAL '9 seconds'
FROM (VALUES
    ('REFUND', 'quarantined', 'unreadable'), ('VOIDED_PURCHASE.QUANTITY_PARTIAL', 'quarantined', 'unreadable'),
    ('REVOKE', 'quarantined', NULL), ('CANCELLATION', 'quarantined', '23514'),
    ('REFUND_REVERSED', 'quarantined', 'unreadable'), ('REFUND_DECLINED', 'quarantined', 'unreadable'),
    ('DID_RENEW', 'quarantined', 'unreadable'), ('REFUND', 'failed', 'WL503'),
    -- The readable part of this message was applied.
    ('REFUND', 'quarantined', 'partly-unreadable')
) AS i (type, status, reason);
SELECT results_eq(
    $$ SELECT b.source, b.status, b.messages, round(b.age)::integer FROM wallet.inbox_backlog AS b
       WHERE b.messages > 0 AND b.status LIKE 'quarantined%' ORDER BY b.source, b.status $$,
    $$ VALUES ('app_store', 'quarantined', 8::bigint, 9), ('app_store', 'quarantined_refund', 4, 9),
        ('google_play', 'quarantined', 1, 7) $$,
    'refunds that are quarantined are counted apart'
);
DELETE FROM wallet.inbox WHERE source_event_id LIKE 'r_';
SELECT set_eq(
    $$ SELECT round(a.age)::integer FROM wallet.inbox_ages AS a $$, ARRAY[60, 10, 7, 5], 'each message''s age'
);
SELECT * FROM finish();
ROLLBACK;
