-- What came in (inbox) and what goes out (outbox).
--
-- What only grows lies in partitions of a week, which wallet.keep_partitions makes ahead and drops whole: to delete by
-- row would cost as much as to write, and leave holes. A week, not a day: readers of the outbox ask every partition for
-- what lies behind their cursor, twice a second. The first partition takes everything up to the first Monday after this
-- migration; the rest takes what comes when nobody made a partition for it.

-- What waits, failed or is parked. A queue: its rows come and go, and few are there at a time.
--
-- Messages that are done with lie in a table of their own. One partitioned inbox that moves a row once it is done with
-- would have no key that names a message once for ever (a key there has to hold the instant), and a transaction that
-- waits for a row that is moved gets an error. So the unique key of wallet.inbox is where two deliveries at once meet;
-- the one that gets it looks into inbox_done afterwards (wallet.receive_event), where the message is by then if it came
-- before. So a message counts once for as long as it is kept.
CREATE TABLE wallet.inbox (
    inbox_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source TEXT NOT NULL,
    source_event_id TEXT NOT NULL,
    type TEXT,
    payload JSONB,
    status TEXT NOT NULL DEFAULT 'new',
    reason TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at TIMESTAMPTZ,
    received_at TIMESTAMPTZ NOT NULL,
    -- The users that the message names (wallet.event_names).
    names TEXT[] NOT NULL DEFAULT '{}',
    UNIQUE (source, source_event_id),
    CONSTRAINT inbox_status_known CHECK (
        status IN ('new', 'parked', 'failed', 'quarantined')
    )
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);
CREATE INDEX inbox_due ON wallet.inbox (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX inbox_quarantined ON wallet.inbox (received_at) WHERE status = 'quarantined';
-- Finds the messages that wait for a user, or name one who is deleted. What is new is not left on the index's list of
-- what is pending, which every search would have to read.
CREATE INDEX inbox_names ON wallet.inbox USING gin (names) WITH (fastupdate = off);

-- What is processed or ignored.
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
        date_trunc('week', clock_timestamp(), 'UTC') + INTERVAL '168 hours'
    );
END;
$$;

-- How far a store's history of its messages has been read: everything that it had sent by then was received.
CREATE TABLE wallet.message_histories (
    source TEXT NOT NULL,
    environment wallet.environment NOT NULL,
    read_until TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (source, environment)
);

-- What became of one message of a store.
CREATE TYPE wallet.event_outcome AS (
    inbox_id BIGINT,
    status TEXT,
    reason TEXT,
    duplicate BOOLEAN
);
-- One item of wallet.apply_batch. A fact has a statement, {"fact": …, "owners": …}, and if a user submits it the
-- submitter, with what the user's token says (see wallet.caller_account). A message has an event, and the inbox_id
-- under which it is stored, or its source, id and type.
CREATE TYPE wallet.store_request AS (
    submitter TEXT,
    issued_at TIMESTAMPTZ,
    is_anonymous BOOLEAN,
    account_token UUID,
    statement JSONB,
    inbox_id BIGINT,
    source TEXT,
    source_event_id TEXT,
    type TEXT,
    event JSONB
);
-- What became of it: the outcome of the fact or of the event, or the SQLSTATE, message and detail of what it was undone
-- for. WL… is a decided refusal; whatever else there is calls for another attempt, alone.
CREATE TYPE wallet.store_answer AS (
    item INTEGER,
    state TEXT,
    message TEXT,
    detail TEXT,
    fact wallet.fact_outcome,
    event wallet.event_outcome
);
-- A message of a store that is due, leased to the worker that asked for it.
CREATE TYPE wallet.due_event AS (
    inbox_id BIGINT,
    source TEXT,
    source_event_id TEXT,
    type TEXT,
    payload JSONB
);

-- The outbox is written, read once from behind and dropped: vacuuming it gains nothing. wallet.make_partition gives the
-- later weeks the same setting.
CREATE TABLE wallet.outbox (
    event_id BIGINT GENERATED ALWAYS AS IDENTITY,
    -- Readers go by (xid, event_id) below the oldest running transaction: identities alone commit out of order.
    xid XID8 NOT NULL DEFAULT pg_current_xact_id(),
    type TEXT NOT NULL,
    account_id BIGINT NOT NULL,
    environment wallet.environment NOT NULL,
    booking_id UUID,
    claim_id BIGINT,
    version BIGINT,
    details JSONB,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (at, event_id)
) PARTITION BY RANGE (at);
CREATE INDEX outbox_order ON wallet.outbox (xid, event_id);
CREATE TABLE wallet.outbox_rest PARTITION OF wallet.outbox DEFAULT;
DO $$
BEGIN
    EXECUTE format(
        'CREATE TABLE wallet.outbox_before PARTITION OF wallet.outbox FOR VALUES FROM (MINVALUE) TO (%L)'
        ' WITH (autovacuum_vacuum_insert_threshold = -1)',
        date_trunc('week', clock_timestamp(), 'UTC') + INTERVAL '168 hours'
    );
END;
$$;

-- Up to where events have been handed on for delivery.
CREATE TABLE wallet.outbox_cursor (
    only_row BOOLEAN PRIMARY KEY DEFAULT TRUE,
    xid XID8 NOT NULL DEFAULT '0',
    event_id BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT outbox_cursor_is_one_row CHECK (only_row)
);
INSERT INTO wallet.outbox_cursor DEFAULT VALUES;

-- What became of each delivery: a row is updated twice and deleted.
CREATE TABLE wallet.deliveries (
    event_id BIGINT PRIMARY KEY,
    event_at TIMESTAMPTZ NOT NULL,
    status TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at TIMESTAMPTZ NOT NULL,
    last_error TEXT,
    delivered_at TIMESTAMPTZ,
    CONSTRAINT deliveries_status_known CHECK (status IN ('pending', 'delivered', 'dead')),
    CONSTRAINT deliveries_delivered_whole CHECK ((status = 'delivered') = (delivered_at IS NOT NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX deliveries_due ON wallet.deliveries (next_attempt_at) WHERE status = 'pending';
CREATE INDEX deliveries_done ON wallet.deliveries (delivered_at) WHERE status = 'delivered';
-- Finds whether a week holds an event that was given up. There are few, so it costs nothing.
CREATE INDEX deliveries_dead ON wallet.deliveries (event_at) WHERE status = 'dead';

-- An event that is due at the endpoint; the body is sent and signed as it is.
CREATE TYPE wallet.due_delivery AS (
    event_id BIGINT,
    webhook_id TEXT,
    body TEXT,
    attempts INTEGER,
    account_id BIGINT
);

-- Which of the wallets that somebody follows have changed: account_ids[n] in environments[n]. All events of
-- transactions before "until" have been looked at; if it is not complete, any wallet may have changed.
CREATE TYPE wallet.followed_changes AS (
    until XID8,
    is_complete BOOLEAN,
    account_ids BIGINT [],
    environments TEXT []
);
