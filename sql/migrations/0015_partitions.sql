-- What only grows lies in partitions of a week, which wallet.keep_partitions makes ahead and drops whole: to delete by
-- row would cost as much as to write, and leave holes.
--
-- A week, not a day: readers of the outbox ask every partition for what lies behind their cursor, twice a second.
--
-- Messages that are done with lie in a table of their own. One partitioned inbox that moves a row once it is done with
-- would have no key that names a message once for ever (a key there has to hold the instant), and whoever waits for a
-- row that is moved gets an error. So the unique key of wallet.inbox stays, and is where two deliveries at once meet;
-- whoever has it looks into inbox_done afterwards (wallet.receive_event), where the message is by then if it came
-- before. So a message counts once for as long as it is kept.

-- All events until now lie in the rest. They become the first partition, up to the first Monday after them, and a new
-- rest catches what comes when nobody made a partition for it.
DO $$
BEGIN
    ALTER TABLE wallet.outbox DETACH PARTITION wallet.outbox_rest;
    ALTER TABLE wallet.outbox_rest RENAME TO outbox_before;
    ALTER INDEX wallet.outbox_rest_pkey RENAME TO outbox_before_pkey;
    ALTER INDEX wallet.outbox_rest_xid_event_id_idx RENAME TO outbox_before_xid_event_id_idx;
    CREATE TABLE wallet.outbox_rest PARTITION OF wallet.outbox DEFAULT;
    EXECUTE format(
        'ALTER TABLE wallet.outbox ATTACH PARTITION wallet.outbox_before FOR VALUES FROM (MINVALUE) TO (%L)',
        date_trunc('week', greatest(
            clock_timestamp() + (SELECT i.clock_offset FROM wallet.instance AS i),
            (SELECT max(o.at) FROM wallet.outbox_before AS o)
        ), 'UTC') + INTERVAL '168 hours'
    );
END;
$$;

DROP INDEX wallet.inbox_done;
DROP INDEX wallet.inbox_unprocessed;
-- What is processed or ignored. What waits, failed or is parked stays in the inbox, which is small.
CREATE TABLE wallet.inbox_done (
    inbox_id BIGINT NOT NULL,
    source TEXT NOT NULL,
    source_event_id TEXT NOT NULL,
    type TEXT,
    payload JSONB,
    status TEXT NOT NULL,
    reason TEXT,
    attempts INTEGER NOT NULL,
    received_at TIMESTAMPTZ NOT NULL,
    processed_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (inbox_id, processed_at),
    CONSTRAINT inbox_done_status_known CHECK (status IN ('processed', 'ignored'))
) PARTITION BY RANGE (processed_at);
CREATE INDEX inbox_done_key ON wallet.inbox_done (source, source_event_id);
CREATE TABLE wallet.inbox_done_rest PARTITION OF wallet.inbox_done DEFAULT;
DO $$
BEGIN
    EXECUTE format(
        'CREATE TABLE wallet.inbox_done_before PARTITION OF wallet.inbox_done FOR VALUES FROM (MINVALUE) TO (%L)',
        date_trunc('week', greatest(
            clock_timestamp() + (SELECT i.clock_offset FROM wallet.instance AS i),
            (SELECT max(i.processed_at) FROM wallet.inbox AS i)
        ), 'UTC') + INTERVAL '168 hours'
    );
END;
$$;
INSERT INTO wallet.inbox_done (
    inbox_id, source, source_event_id, type, payload, status, reason, attempts, received_at, processed_at
)
SELECT
    i.inbox_id, i.source, i.source_event_id, i.type, i.payload, i.status, i.reason, i.attempts, i.received_at,
    coalesce(i.processed_at, i.received_at)
FROM wallet.inbox AS i
WHERE i.status IN ('processed', 'ignored');
DELETE FROM wallet.inbox AS i WHERE i.status IN ('processed', 'ignored');
ALTER TABLE wallet.inbox DROP COLUMN processed_at;
ALTER TABLE wallet.inbox DROP CONSTRAINT inbox_status_known;
ALTER TABLE wallet.inbox ADD CONSTRAINT inbox_status_known CHECK (
    status IN ('new', 'parked', 'failed', 'quarantined')
);

-- Tells whether a week holds an event that was given up. There are few, so it costs nothing.
CREATE INDEX deliveries_dead ON wallet.deliveries (event_at) WHERE status = 'dead';

-- Autovacuum. Every week but the first of the outbox is made with the same setting (wallet.make_partition).
-- The outbox is written, read once from behind and dropped: vacuuming it gains nothing.
ALTER TABLE wallet.outbox_before SET (autovacuum_vacuum_insert_threshold = -1);
-- The ledger only grows. A fifth of it, which is the default, would be millions of rows at once; in small steps the
-- pages are still in memory, and rows are frozen at the first visit instead of being written once more for it.
ALTER TABLE wallet.entries SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_freeze_min_age = 0);
-- Bookings grow as fast, and a part of them is cancelled, which no HOT update can be: the index of standing ones loses
-- the row.
ALTER TABLE wallet.bookings SET (
    autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05
);
-- Every booking updates a row of each of these. Those updates are HOT and clean up after themselves, so that vacuum
-- comes for what they leave behind only; but what the planner knows of them does not change with them, and each ANALYZE
-- throws away all plans that read them.
ALTER TABLE wallet.wallets SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE wallet.lots SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE wallet.class_seats SET (autovacuum_analyze_scale_factor = 0.5);
-- Deliveries are updated twice and deleted. The inbox is a queue: its rows come and go, and few are there at a time.
ALTER TABLE wallet.deliveries SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE wallet.inbox SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);
