-- Classes with seats in each environment, and what was booked. The seat count is the only row that users share.

CREATE TABLE wallet.classes (
    class_id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    starts_at TIMESTAMPTZ NOT NULL,
    ends_at TIMESTAMPTZ NOT NULL,
    price_credits BIGINT,
    price_visits BIGINT,
    free_minutes_before INTEGER NOT NULL DEFAULT 1440,
    status TEXT NOT NULL DEFAULT 'scheduled',
    updated_at TIMESTAMPTZ NOT NULL,
    CONSTRAINT classes_class_id_shape CHECK (class_id ~ '^[A-Za-z0-9._:-]{1,64}$'),
    CONSTRAINT classes_title_length CHECK (char_length(title) BETWEEN 1 AND 200),
    CONSTRAINT classes_end_after_start CHECK (ends_at > starts_at),
    CONSTRAINT classes_priced CHECK (coalesce(price_credits, price_visits) IS NOT NULL),
    CONSTRAINT classes_prices_positive CHECK (
        price_credits BETWEEN 1 AND 1000000 AND price_visits BETWEEN 1 AND 1000000
    ),
    CONSTRAINT classes_free_minutes_not_negative CHECK (free_minutes_before BETWEEN 0 AND 525600),
    CONSTRAINT classes_status_known CHECK (status IN ('scheduled', 'cancelled'))
);
CREATE INDEX classes_by_start ON wallet.classes (starts_at, class_id);
-- Finds the classes that take place while another does.
CREATE INDEX classes_times ON wallet.classes USING gist (tstzrange(starts_at, ends_at));

CREATE TABLE wallet.class_seats (
    class_id TEXT NOT NULL REFERENCES wallet.classes,
    environment wallet.environment NOT NULL,
    capacity INTEGER NOT NULL,
    sold INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (class_id, environment),
    CONSTRAINT class_seats_never_oversold CHECK (sold BETWEEN 0 AND capacity),
    CONSTRAINT class_seats_capacity_sane CHECK (capacity <= 100000)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

CREATE TABLE wallet.bookings (
    account_id BIGINT NOT NULL,
    booking_id UUID NOT NULL,
    environment wallet.environment NOT NULL,
    class_id TEXT NOT NULL REFERENCES wallet.classes,
    -- The client's own. Null where no client chose one, or the key answers no more.
    idempotency_key TEXT,
    seats INTEGER NOT NULL,
    -- What the request said, kept to tell a replay from another request under the same key.
    asked_pay_with TEXT,
    asked_max_amount BIGINT,
    unit wallet.unit,
    amount BIGINT NOT NULL,
    -- The ledger entries of this booking's payment: it needs no table of slices.
    first_version BIGINT NOT NULL,
    entry_count INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'booked',
    -- The class's policy when the booking was made.
    free_minutes_before INTEGER NOT NULL,
    free_until TIMESTAMPTZ NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    cancelled_at TIMESTAMPTZ,
    cancelled_by TEXT,
    returned BIGINT,
    PRIMARY KEY (account_id, booking_id),
    FOREIGN KEY (account_id, environment) REFERENCES wallet.wallets (account_id, environment),
    CONSTRAINT bookings_key_length CHECK (char_length(idempotency_key) BETWEEN 1 AND 255),
    CONSTRAINT bookings_seats_sane CHECK (seats BETWEEN 1 AND 100),
    CONSTRAINT bookings_amount_not_negative CHECK (amount >= 0 AND (unit IS NOT NULL OR amount = 0)),
    CONSTRAINT bookings_status_known CHECK (status IN ('booked', 'cancelled')),
    CONSTRAINT bookings_cancelled_by_known CHECK (cancelled_by IN ('user', 'studio', 'wallet')),
    CONSTRAINT bookings_cancelled_whole CHECK (
        (status = 'cancelled') = (cancelled_at IS NOT NULL AND cancelled_by IS NOT NULL AND returned IS NOT NULL)
    ),
    CONSTRAINT bookings_returned_within_amount CHECK (returned BETWEEN 0 AND amount)
);
CREATE UNIQUE INDEX bookings_key ON wallet.bookings (account_id, environment, idempotency_key);
-- One standing booking per account and class; led by the class, it also finds all of a class's bookings.
CREATE UNIQUE INDEX bookings_standing ON wallet.bookings (class_id, environment, account_id) WHERE status = 'booked';

-- How a booking is to be paid, or why it is refused.
CREATE TYPE wallet.booking_plan AS (
    status INTEGER,
    slug TEXT,
    detail JSONB,
    unit wallet.unit,
    amount BIGINT,
    lot_ids UUID [],
    amounts BIGINT []
);

-- The answer to one item of wallet.book_batch: a booking and the balance after it, or a refusal.
CREATE TYPE wallet.booking_outcome AS (
    item INTEGER,
    status INTEGER,
    slug TEXT,
    detail JSONB,
    replayed BOOLEAN,
    booking_id UUID,
    class_id TEXT,
    class_title TEXT,
    starts_at TIMESTAMPTZ,
    booking_status TEXT,
    seats INTEGER,
    unit wallet.unit,
    amount BIGINT,
    slices JSONB,
    free_minutes_before INTEGER,
    free_until TIMESTAMPTZ,
    created_at TIMESTAMPTZ,
    cancelled_at TIMESTAMPTZ,
    late_cancel BOOLEAN,
    returned BIGINT,
    credits BIGINT,
    visits BIGINT,
    version BIGINT
);
