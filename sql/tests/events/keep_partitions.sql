-- wallet.keep_partitions: creates weekly partitions in advance, and drops old ones that are no longer needed.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
\ir ../support/events.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.kept(p_keep interval DEFAULT '30 days') RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    v_steps integer := 0;
    v_done integer;
BEGIN
    LOOP
        v_done := wallet.keep_partitions(p_keep);
        EXIT WHEN v_done = 0;
        v_steps := v_steps + greatest(v_done, 0);
        -- Autovacuum may hold the lock for a moment.
        PERFORM pg_sleep(0.05) WHERE v_done < 0;
    END LOOP;
    RETURN v_steps;
END;
$$;
CREATE FUNCTION pg_temp.lies_in(p_type text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(DISTINCT o.tableoid::regclass::text, ' ') FROM wallet.outbox AS o WHERE o.type = p_type;
$$;

SELECT set_eq(
    $$ SELECT p.name FROM wallet.time_partitions AS p
       WHERE p.from_at = '-infinity' AND p.to_at = date_trunc('week', p.to_at, 'UTC')
           AND p.to_at - clock_timestamp() BETWEEN '-1 day' AND '7 days' $$,
    ARRAY['outbox_before', 'inbox_done_before'],
    'a new database has a partition of each up to the first Monday'
);

-- The clock is at Tuesday, 1 January 2030, long after the partitions of the migration: as if no worker had ever run.
SELECT pg_temp.gift('ann', 5), wallet.emit('far', wallet.account_for('ann'), 'production');
SELECT is(pg_temp.receive('m1', pg_temp.sold('t1', 'ann')), 'processed', 'a message');
SELECT is(pg_temp.lies_in('far'), 'wallet.outbox_rest', 'without a worker, events are in the default partition');
CREATE TEMPORARY TABLE before AS SELECT o.* FROM wallet.outbox AS o;
CREATE TEMPORARY TABLE before_upkeep AS SELECT i.* FROM admin.webhook_inbox AS i;
SELECT is(wallet.keep_partitions(NULL), 1, 'one week per call');
SELECT is(pg_temp.kept(NULL), 9, 'this week and four ahead, for both tables');
SELECT is(pg_temp.kept(), 2, 'two old partitions are dropped');
SELECT is(wallet.keep_partitions('30 days'), 0, 'a second call does nothing');
SELECT is(pg_temp.lies_in('far'), 'wallet.outbox_20291231', 'events of the default partition move into their week');
SELECT results_eq(
    'SELECT o.* FROM wallet.outbox AS o ORDER BY o.event_id', 'SELECT b.* FROM before AS b ORDER BY b.event_id',
    'the moved events are unchanged'
);
SELECT set_eq('SELECT i.* FROM admin.webhook_inbox AS i', 'SELECT b.* FROM before_upkeep AS b', 'messages too');
SELECT is_empty('SELECT FROM wallet.inbox_done_rest', 'the default partition of messages is empty');
SELECT set_eq(
    $$ SELECT p.name, p.to_at FROM wallet.time_partitions AS p
       WHERE p.table_name = 'outbox' AND p.from_at >= '2029-12-31' $$,
    $$ SELECT to_char(w, '"outbox_"YYYYMMDD'), w + interval '7 days'
       FROM generate_series('2029-12-31'::timestamptz, '2030-01-28', '7 days') AS w $$,
    'weeks begin on Monday in UTC, one after the other'
);
SELECT pg_temp.wait('20 days');
SELECT wallet.emit('near', wallet.account_for('ann'), 'production');
SELECT is(pg_temp.lies_in('near'), 'wallet.outbox_20300121', 'an event lies in its week');
SELECT is(pg_temp.receive('m1', pg_temp.sold('t1', 'ann')), 'processed duplicate', 'a message counts once');
SELECT is(pg_temp.receive('m2', pg_temp.message('[]', NULL, '{"ignored": "test"}')), 'ignored test', 'another message');
SELECT is(pg_temp.kept(), 6, 'three weeks passed, so three more');
SET LOCAL timezone = 'America/New_York';
SELECT is(pg_temp.kept(), 0, 'weeks are those of UTC everywhere');
SET LOCAL timezone = 'UTC';

-- Partitions that may be dropped
SELECT pg_temp.wait('15 days');
SELECT is(pg_temp.kept('30 days'), 4, 'the week ended less than 30 days ago, so its partition stays');
SELECT is(pg_temp.kept(NULL), 0, 'without a limit of age nothing is dropped');
SELECT pg_temp.committed(), wallet.enqueue_deliveries(1);
SELECT wallet.record_delivery(d.event_id, NULL) FROM wallet.deliveries AS d;
SELECT is(pg_temp.kept('29 days'), 1, 'an old week''s messages are dropped, while its events wait for delivery');
SELECT is(pg_temp.lies_in('far'), 'wallet.outbox_20291231', 'the events are still there');
SELECT set_eq('SELECT i.source_event_id FROM admin.webhook_inbox AS i', ARRAY['m2'], 'the message is not');
SELECT is(
    pg_temp.receive('m1', pg_temp.sold('t1', 'ann')), 'processed',
    'a dropped message counts as new when it is delivered again'
);
SELECT is(pg_temp.funds('ann'), '30 0 0 0', 'the repeated message changes nothing');
SELECT pg_temp.committed(), wallet.enqueue_deliveries(10);
SELECT is(pg_temp.kept('29 days'), 0, 'an undelivered event keeps its week');
UPDATE wallet.deliveries SET status = 'dead' WHERE status = 'pending';
SELECT is(pg_temp.kept('29 days'), 0, 'an abandoned delivery keeps its week');
UPDATE wallet.deliveries SET status = 'delivered', delivered_at = wallet.now() WHERE status = 'dead';
SELECT is(pg_temp.kept('29 days'), 1, 'delivered events go with their week');
SELECT is(pg_temp.lies_in('far'), NULL, 'all old events are dropped');
SELECT is(pg_temp.lies_in('near'), 'wallet.outbox_20300121', 'younger ones do not');
SELECT is(wallet.enqueue_deliveries(10), 0, 'no dropped event is sent again');
SELECT is(pg_temp.kept('0'), 8, 'all weeks older than the shorter retention are dropped');
SELECT is(pg_temp.lies_in('near'), NULL, 'the recent week is dropped, too');
SELECT pg_temp.sound();

-- If nothing was ever sent, no partition is kept for the endpoint
UPDATE wallet.outbox_cursor SET xid = '0', event_id = 0;
DELETE FROM wallet.deliveries;
SELECT wallet.emit('unsent', wallet.account_for('ann'), 'production'), pg_temp.wait('30 days');
SELECT cmp_ok(pg_temp.kept('1 day'), '>', 0, 'without an endpoint, partitions are dropped by age');
SELECT is(pg_temp.lies_in('unsent'), NULL, 'no event is left');
SELECT is(current_setting('lock_timeout'), '0', 'the caller''s lock_timeout is unchanged');

-- Rights
SELECT is_empty(
    $$ SELECT c.oid::regclass FROM pg_catalog.pg_class AS c
       WHERE c.relispartition AND c.relkind = 'r' AND c.relnamespace = 'wallet'::regnamespace
           AND (c.relowner <> 'wallet_owner'::regrole OR c.relacl IS NOT NULL AND EXISTS (
               SELECT FROM aclexplode(c.relacl) AS a WHERE a.grantee <> 'wallet_owner'::regrole)) $$,
    'partitions are the owner''s alone'
);
SELECT is(
    pg_temp.raised('SELECT wallet.make_partition(''outbox'', wallet.now())', 'wallet_service'), '42501',
    'the service cannot create a partition directly'
);
SELECT is(
    pg_temp.raised('SELECT wallet.drop_partition(''outbox_before'')', 'wallet_service'), '42501',
    'the service cannot drop a partition directly'
);
SELECT is(
    pg_temp.raised('SELECT wallet.keep_partitions(''30 days'')', 'wallet_service'), 'nothing',
    'the service can call the upkeep'
);
SELECT * FROM finish();
ROLLBACK;
