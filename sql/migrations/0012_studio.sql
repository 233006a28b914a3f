-- What studios and members need beyond booking: limits, moved and cancelled classes, the waitlist, visits that an app
-- spends by itself, what was imported from another system, and who is told of a changed balance.

DROP FUNCTION IF EXISTS wallet.put_class(
    TEXT, TEXT, TIMESTAMPTZ, TIMESTAMPTZ, INTEGER, BIGINT, BIGINT, INTEGER, TEXT, TEXT
);
DROP FUNCTION IF EXISTS wallet.plan_booking(BIGINT, wallet.environment, TEXT, INTEGER, TEXT, BIGINT);
DROP FUNCTION IF EXISTS wallet.book_one(BIGINT, wallet.environment, UUID, TEXT, TEXT, INTEGER, TEXT, BIGINT);
DROP FUNCTION IF EXISTS wallet.return_to_lot(BIGINT, wallet.environment, UUID, TEXT, BIGINT, UUID);
DROP FUNCTION IF EXISTS wallet.offers_for(wallet.unit, BIGINT);
DROP FUNCTION IF EXISTS wallet.adjust(
    BIGINT, wallet.environment, wallet.unit, BIGINT, TEXT, TEXT, TEXT, TIMESTAMPTZ
);
DROP FUNCTION IF EXISTS wallet.post_entry(
    BIGINT, wallet.environment, TEXT, wallet.unit, BIGINT, BIGINT, UUID, UUID, BIGINT, TEXT, TEXT
);
DROP FUNCTION IF EXISTS wallet.post_lot(
    BIGINT, wallet.environment, UUID, TEXT, BIGINT, BIGINT, BIGINT, BIGINT, BIGINT, UUID, BIGINT, TEXT, TEXT
);

-- Limits: each is null, which is none, unless the class sets it.
ALTER TABLE wallet.classes ADD COLUMN max_seats INTEGER;
ALTER TABLE wallet.classes ADD COLUMN days_ahead INTEGER;
ALTER TABLE wallet.classes ADD COLUMN opens_minutes_before INTEGER;
ALTER TABLE wallet.classes ADD COLUMN closes_minutes_before INTEGER;
ALTER TABLE wallet.classes ADD COLUMN max_overlaps INTEGER;
ALTER TABLE wallet.classes ADD COLUMN waitlist_cutoff_minutes INTEGER NOT NULL DEFAULT 60;
ALTER TABLE wallet.classes ADD CONSTRAINT classes_max_seats_sane CHECK (max_seats BETWEEN 1 AND 100);
ALTER TABLE wallet.classes ADD CONSTRAINT classes_days_ahead_sane CHECK (days_ahead BETWEEN 0 AND 3660);
ALTER TABLE wallet.classes ADD CONSTRAINT classes_window_sane CHECK (
    opens_minutes_before BETWEEN 0 AND 5270400 AND closes_minutes_before BETWEEN 0 AND 525600
    AND opens_minutes_before > closes_minutes_before
);
ALTER TABLE wallet.classes ADD CONSTRAINT classes_max_overlaps_sane CHECK (max_overlaps BETWEEN 0 AND 100);
ALTER TABLE wallet.classes ADD CONSTRAINT classes_waitlist_cutoff_sane
CHECK (waitlist_cutoff_minutes BETWEEN 0 AND 525600);
ALTER TABLE wallet.products ADD COLUMN days_ahead INTEGER;
ALTER TABLE wallet.products ADD CONSTRAINT products_days_ahead_of_plans CHECK (
    days_ahead IS NULL OR (kind = 'plan' AND days_ahead BETWEEN 0 AND 3660)
);
ALTER TABLE wallet.subscriptions ADD COLUMN days_ahead INTEGER;
-- Since when a product is in the catalogue; apps that read it from a table of their own want to know.
ALTER TABLE wallet.products ADD COLUMN created_at TIMESTAMPTZ NOT NULL DEFAULT now();
CREATE TYPE wallet.class_limits AS (
    max_seats INTEGER,
    days_ahead INTEGER,
    opens_minutes_before INTEGER,
    closes_minutes_before INTEGER,
    max_overlaps INTEGER,
    waitlist_cutoff_minutes INTEGER
);

-- How often a class was moved to another time; a booking made before a move is free to cancel. An unsettled class still
-- has bookings that its cancellation or its last move has to reach.
ALTER TABLE wallet.classes ADD COLUMN moves INTEGER NOT NULL DEFAULT 0;
ALTER TABLE wallet.classes ADD COLUMN settled BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE wallet.classes ADD COLUMN cancelled_at TIMESTAMPTZ;
ALTER TABLE wallet.classes ADD COLUMN cancel_reason TEXT;
ALTER TABLE wallet.classes ADD CONSTRAINT classes_cancel_reason_length CHECK (char_length(cancel_reason) <= 500);
ALTER TABLE wallet.classes ADD CONSTRAINT classes_cancel_reason_plain CHECK (wallet.is_plain_text(cancel_reason));
CREATE INDEX classes_unsettled ON wallet.classes (class_id) WHERE NOT settled;
ALTER TABLE wallet.bookings ADD COLUMN moves_known INTEGER NOT NULL DEFAULT 0;
ALTER TABLE wallet.bookings ADD COLUMN moves_told INTEGER NOT NULL DEFAULT 0;
ALTER TABLE wallet.bookings ADD COLUMN promoted BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TYPE wallet.booking_outcome ADD ATTRIBUTE moved BOOLEAN, ADD ATTRIBUTE promoted BOOLEAN,
ADD ATTRIBUTE cancelled_by TEXT;

-- Wallets whose unlimited plan may have ended: their bookings that it was to cover are looked at. A row for each
-- reason to look: who adds one waits for nobody, and none is lost to a look that came too early to see why.
CREATE TABLE wallet.cover_checks (
    check_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    environment wallet.environment NOT NULL,
    due_at TIMESTAMPTZ NOT NULL DEFAULT '-infinity'
);
CREATE INDEX bookings_unlimited ON wallet.bookings (account_id, environment)
WHERE status = 'booked' AND unit IS NULL;
INSERT INTO wallet.cover_checks (account_id, environment)
SELECT DISTINCT b.account_id, b.environment FROM wallet.bookings AS b WHERE b.status = 'booked' AND b.unit IS NULL;

-- Seats that came free while somebody waited are held for those who wait, until a round of promotion has passed over
-- all of them. The number of the round tells whom it has already passed over.
ALTER TABLE wallet.class_seats ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE wallet.class_seats ADD COLUMN held_round BIGINT NOT NULL DEFAULT 0;
ALTER TABLE wallet.class_seats ADD CONSTRAINT class_seats_held_within_capacity CHECK (
    held >= 0 AND sold + held <= capacity
);
CREATE INDEX class_seats_held ON wallet.class_seats (class_id, environment) WHERE held > 0;
CREATE TABLE wallet.waitlist (
    class_id TEXT NOT NULL,
    environment wallet.environment NOT NULL,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    -- Given under the lock of the class's seats, so it is the order of arrival.
    entry_id BIGINT GENERATED ALWAYS AS IDENTITY,
    seats INTEGER NOT NULL,
    asked_pay_with TEXT,
    asked_max_amount BIGINT,
    passed_round BIGINT NOT NULL DEFAULT 0,
    joined_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (class_id, environment, account_id),
    UNIQUE (class_id, environment, entry_id),
    FOREIGN KEY (class_id, environment) REFERENCES wallet.class_seats (class_id, environment),
    CONSTRAINT waitlist_seats_sane CHECK (seats BETWEEN 1 AND 100)
);
CREATE INDEX waitlist_account ON wallet.waitlist (account_id, environment);
CREATE TYPE wallet.seats_of AS (
    class_id TEXT,
    environment wallet.environment
);

-- Visits that an app spent by itself, once per reference. The reference is erased with its user; the digest stays.
CREATE TABLE wallet.pass_uses (
    claim_id BIGINT NOT NULL REFERENCES wallet.claims,
    reference_digest BYTEA NOT NULL,
    reference TEXT,
    account_id BIGINT NOT NULL,
    environment wallet.environment NOT NULL,
    version BIGINT NOT NULL,
    used_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (claim_id, reference_digest),
    CONSTRAINT pass_uses_reference_length CHECK (char_length(reference) BETWEEN 1 AND 200),
    CONSTRAINT pass_uses_reference_plain CHECK (wallet.is_plain_text(reference))
);
CREATE INDEX pass_uses_account ON wallet.pass_uses (account_id, environment);
CREATE TYPE wallet.pass_use AS (
    replayed BOOLEAN,
    is_consumed BOOLEAN,
    remaining BIGINT
);

-- What a purchase cost by the catalogue of its day, for the reports.
ALTER TABLE wallet.claims ADD COLUMN price_minor BIGINT;
ALTER TABLE wallet.claims ADD COLUMN currency TEXT;
UPDATE wallet.claims AS c SET price_minor = p.price_minor, currency = p.currency
FROM wallet.products AS p
WHERE p.product_id = c.product_id AND c.granted_at IS NOT NULL;

-- What operators and imports posted. A user is imported once from a source, also when they are deleted or merged.
ALTER TABLE wallet.adjustments ADD COLUMN source TEXT NOT NULL DEFAULT 'adjustment';
-- The end that the lot was given, for whoever looks whether it still has it.
ALTER TABLE wallet.adjustments ADD COLUMN expires_at TIMESTAMPTZ NOT NULL DEFAULT 'infinity';
ALTER TABLE wallet.adjustments ADD CONSTRAINT adjustments_source_known CHECK (source IN ('adjustment', 'promo'));
-- Only what is given is a gift, and ends.
ALTER TABLE wallet.adjustments ADD CONSTRAINT adjustments_given CHECK (
    amount > 0 OR (source = 'adjustment' AND expires_at = 'infinity')
);
CREATE TYPE wallet.adjustment_answer AS (
    replayed BOOLEAN,
    lot_id UUID,
    credits BIGINT,
    visits BIGINT,
    version BIGINT,
    expires_at TIMESTAMPTZ
);
ALTER TABLE wallet.entries DROP CONSTRAINT entries_kind_known;
ALTER TABLE wallet.entries ADD CONSTRAINT entries_kind_known CHECK (kind IN (
    'grant', 'spend', 'return', 'lapse', 'refund', 'refund_reversal', 'repay', 'repay_return', 'adjust',
    'rollover', 'reopen', 'transfer_out', 'transfer_in', 'import'
));
ALTER TABLE wallet.lots DROP CONSTRAINT lots_source_known;
ALTER TABLE wallet.lots ADD CONSTRAINT lots_source_known
CHECK (source IN ('pack', 'pass', 'plan', 'promo', 'adjustment', 'import'));
CREATE TABLE wallet.imports (
    source TEXT NOT NULL,
    user_digest BYTEA NOT NULL,
    environment wallet.environment NOT NULL,
    content_digest BYTEA NOT NULL,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    first_version BIGINT NOT NULL,
    entry_count INTEGER NOT NULL,
    -- The end that its lots were given.
    expires_at TIMESTAMPTZ NOT NULL DEFAULT 'infinity',
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (source, user_digest, environment),
    CONSTRAINT imports_source_length CHECK (char_length(source) BETWEEN 1 AND 100)
);
-- Finds the import that an event tells of by the ledger version that it ended with.
CREATE INDEX imports_versions ON wallet.imports (account_id, environment, first_version);
-- result: imported, unchanged (it was imported before), changed (the source says something else by now: left alone),
-- refused (with the reason). An import may have a reason, too: what could not be taken over as it was.
CREATE TYPE wallet.import_outcome AS (
    result TEXT,
    reason TEXT,
    entries INTEGER,
    credits BIGINT,
    visits BIGINT,
    credits_before BIGINT,
    visits_before BIGINT
);
CREATE TYPE wallet.import_movement AS (
    at TIMESTAMPTZ,
    amount BIGINT,
    kind TEXT,
    reason TEXT
);
-- What was sold before the cut-over came with the import, also of a store that is enabled later.
ALTER TABLE wallet.instance ADD COLUMN cut_over TIMESTAMPTZ NOT NULL DEFAULT '-infinity';
CREATE TYPE wallet.store_cut_over AS (
    store TEXT,
    grants_from_before TIMESTAMPTZ,
    grants_from TIMESTAMPTZ
);

-- Up to where the streams of balances have been told of the outbox.
CREATE TABLE wallet.notice_cursor (
    only_row BOOLEAN PRIMARY KEY DEFAULT TRUE,
    xid XID8 NOT NULL DEFAULT '0',
    event_id BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT notice_cursor_is_one_row CHECK (only_row)
);
INSERT INTO wallet.notice_cursor DEFAULT VALUES;

-- A wallet at a future instant, and what it is reckoned from: lots as they will be by then, and plans that go on.
CREATE TYPE wallet.balance_forecast AS (
    credits BIGINT,
    visits BIGINT,
    unlimited BOOLEAN,
    owed_credits BIGINT,
    owed_visits BIGINT,
    version BIGINT,
    lots JSONB,
    upcoming_expirations JSONB,
    next_rollover_at TIMESTAMPTZ,
    as_of TIMESTAMPTZ
);
CREATE TYPE wallet.forecast_lot AS (
    lot_id UUID,
    unit wallet.unit,
    source TEXT,
    product_id TEXT,
    granted BIGINT,
    spent BIGINT,
    refunded BIGINT,
    remaining BIGINT,
    owed BIGINT,
    expires_at TIMESTAMPTZ,
    released BOOLEAN,
    -- Only of a plan's period that may still roll over: its terms, its own end, and the next one, its end if known.
    claim_id BIGINT,
    rollover_percentage INTEGER,
    rollover_cap BIGINT,
    period_ends_at TIMESTAMPTZ,
    next wallet.claims,
    next_ends_at TIMESTAMPTZ,
    next_product_id TEXT
);
CREATE TYPE wallet.forecast_plan AS (
    subscription_id BIGINT,
    claim_id BIGINT,
    product wallet.products,
    grants BIGINT,
    first_ends_at TIMESTAMPTZ,
    renewals INTEGER,
    period_ends_at TIMESTAMPTZ,
    access_ends_at TIMESTAMPTZ,
    renews BOOLEAN,
    will_renew BOOLEAN,
    unlimited BOOLEAN,
    rollover_percentage INTEGER
);
