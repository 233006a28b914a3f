-- Policies, series and their classes with seats in each environment, bookings with their attendance, and waitlists. The
-- seat count is the only row that users share.

-- The terms of a policy. They never change: a changed policy gets new terms, and bookings keep the terms that they
-- copied. The price of a late cancellation or a no-show is always kept; a fee and a strike come on top of it.
CREATE TABLE wallet.policy_terms (
    terms_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    policy_id TEXT NOT NULL,
    name TEXT NOT NULL,
    free_minutes_before INTEGER NOT NULL,
    -- Fees in credits; 0 for none.
    late_cancel_fee BIGINT NOT NULL,
    late_cancel_strike BOOLEAN NOT NULL,
    no_show_fee BIGINT NOT NULL,
    no_show_strike BOOLEAN NOT NULL,
    -- A member with more strikes than allowed within so many days is blocked for so many days. All three are null if
    -- strikes never block.
    strikes_allowed INTEGER,
    strike_days INTEGER,
    block_days INTEGER,
    -- When members may check in: from so many minutes before the start until so many minutes after it; null for until
    -- the end of the class.
    check_in_minutes_before INTEGER NOT NULL,
    check_in_minutes_after INTEGER,
    created_at TIMESTAMPTZ NOT NULL,
    CONSTRAINT policy_terms_policy_id_shape CHECK (policy_id ~ '^[A-Za-z0-9._:-]{1,64}$'),
    CONSTRAINT policy_terms_name_length CHECK (char_length(name) BETWEEN 1 AND 200),
    CONSTRAINT policy_terms_name_plain CHECK (wallet.is_plain_text(name)),
    CONSTRAINT policy_terms_free_minutes_sane CHECK (free_minutes_before BETWEEN 0 AND 525600),
    CONSTRAINT policy_terms_fees_sane CHECK (
        late_cancel_fee BETWEEN 0 AND 1000000 AND no_show_fee BETWEEN 0 AND 1000000
    ),
    CONSTRAINT policy_terms_block_whole CHECK (num_nulls(strikes_allowed, strike_days, block_days) IN (0, 3)),
    CONSTRAINT policy_terms_block_sane CHECK (
        strikes_allowed BETWEEN 0 AND 100 AND strike_days BETWEEN 1 AND 366 AND block_days BETWEEN 1 AND 366
    ),
    CONSTRAINT policy_terms_check_in_sane CHECK (
        check_in_minutes_before BETWEEN 0 AND 1440 AND check_in_minutes_after BETWEEN 0 AND 1440
    )
);
-- A policy and its current terms.
CREATE TABLE wallet.policies (
    policy_id TEXT PRIMARY KEY,
    terms_id BIGINT NOT NULL REFERENCES wallet.policy_terms
);
COMMENT ON CONSTRAINT policy_terms_policy_id_shape ON wallet.policy_terms IS
'A policy_id must have 1 to 64 letters, digits and . _ : -';
COMMENT ON CONSTRAINT policy_terms_name_length ON wallet.policy_terms IS
'A policy''s name must have 1 to 200 characters.';
COMMENT ON CONSTRAINT policy_terms_name_plain ON wallet.policy_terms IS
'A policy''s name must be one line without control characters.';
COMMENT ON CONSTRAINT policy_terms_free_minutes_sane ON wallet.policy_terms IS
'free_minutes_before must be from 0 to 525600, which is a year.';
COMMENT ON CONSTRAINT policy_terms_fees_sane ON wallet.policy_terms IS 'A fee must be from 0 to 1000000 credits.';
COMMENT ON CONSTRAINT policy_terms_block_whole ON wallet.policy_terms IS
'strikes_allowed, strike_days and block_days must be given together.';
COMMENT ON CONSTRAINT policy_terms_block_sane ON wallet.policy_terms IS
'strikes_allowed must be from 0 to 100, strike_days and block_days from 1 to 366.';
COMMENT ON CONSTRAINT policy_terms_check_in_sane ON wallet.policy_terms IS
'The minutes of the check-in must be from 0 to 1440, which is a day.';

-- Domains take the place of CHECKs, which each booking would parse again (see wallet.wallets).
CREATE DOMAIN wallet.seat_count AS INTEGER CONSTRAINT class_seats_not_negative CHECK (value >= 0);
CREATE DOMAIN wallet.seat_capacity AS INTEGER CONSTRAINT class_seats_capacity_sane CHECK (value <= 100000);

-- Weekly series of classes. A worker creates the classes of the next create_days_ahead days.
CREATE TABLE wallet.series (
    series_id TEXT PRIMARY KEY,
    -- The last date with a class; null if the series does not end.
    ends_on DATE,
    -- Dates of the pattern without a class.
    exceptions DATE[] NOT NULL DEFAULT '{}',
    create_days_ahead INTEGER NOT NULL DEFAULT 92,
    -- The last date whose classes were created.
    created_until DATE NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    -- A class's id is the series' id followed by its date, and a number if that id exists.
    CONSTRAINT series_series_id_shape CHECK (series_id ~ '^[A-Za-z0-9._:-]{1,48}$'),
    CONSTRAINT series_exceptions_sane CHECK (
        cardinality(exceptions) <= 1000 AND array_position(exceptions, NULL) IS NULL
    ),
    CONSTRAINT series_ahead_days_sane CHECK (create_days_ahead BETWEEN 1 AND 366)
);
COMMENT ON CONSTRAINT series_series_id_shape ON wallet.series IS
'A series_id must have 1 to 48 letters, digits and . _ : -';
COMMENT ON CONSTRAINT series_exceptions_sane ON wallet.series IS 'A series can have at most 1000 exceptions.';
COMMENT ON CONSTRAINT series_ahead_days_sane ON wallet.series IS 'create_days_ahead must be from 1 to 366.';

-- The weekly pattern of a series from a date on, until the next pattern of the series.
CREATE TABLE wallet.series_patterns (
    series_id TEXT NOT NULL REFERENCES wallet.series,
    from_date DATE NOT NULL,
    -- Empty from the end of a series until it continues.
    weekdays TEXT[] NOT NULL,
    -- The time of day in the time zone. A time that a change of the clocks skips is one hour later on that date; a time
    -- that occurs twice is the second one.
    start_time TIME NOT NULL,
    minutes INTEGER NOT NULL,
    time_zone TEXT NOT NULL,
    capacity wallet.seat_capacity NOT NULL,
    -- The other columns of wallet.classes, such as the title, the prices and the limits.
    template JSONB NOT NULL,
    PRIMARY KEY (series_id, from_date),
    CONSTRAINT series_patterns_weekdays_known CHECK (
        weekdays <@ '{monday, tuesday, wednesday, thursday, friday, saturday, sunday}'
    ),
    CONSTRAINT series_patterns_minutes_sane CHECK (minutes BETWEEN 1 AND 1440),
    -- PostgreSQL would also accept a POSIX time zone, which has no name.
    CONSTRAINT series_patterns_time_zone_named CHECK (time_zone ~ '^(UTC|[A-Za-z_]+/[A-Za-z0-9_/+-]+)$')
);
COMMENT ON CONSTRAINT series_patterns_weekdays_known ON wallet.series_patterns IS
'weekdays must be of monday, tuesday, wednesday, thursday, friday, saturday and sunday.';
COMMENT ON CONSTRAINT series_patterns_minutes_sane ON wallet.series_patterns IS
'minutes must be from 1 to 1440, which is a day.';
COMMENT ON CONSTRAINT series_patterns_time_zone_named ON wallet.series_patterns IS
'time_zone must be UTC or the name of a time zone, for example Europe/Berlin.';

-- Dates without classes of a series, in the series' time zone.
CREATE TABLE wallet.holidays (
    on_date DATE PRIMARY KEY,
    name TEXT NOT NULL,
    CONSTRAINT holidays_name_length CHECK (char_length(name) BETWEEN 1 AND 200),
    CONSTRAINT holidays_name_plain CHECK (wallet.is_plain_text(name))
);
COMMENT ON CONSTRAINT holidays_name_length ON wallet.holidays IS 'A holiday''s name must have 1 to 200 characters.';
COMMENT ON CONSTRAINT holidays_name_plain ON wallet.holidays IS
'A holiday''s name must be one line without control characters.';

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
    -- Limits: a null limit does not apply.
    max_seats INTEGER,
    days_ahead INTEGER,
    opens_minutes_before INTEGER,
    closes_minutes_before INTEGER,
    max_overlaps INTEGER,
    waitlist_cutoff_minutes INTEGER NOT NULL DEFAULT 60,
    -- The number of moves of the class to another start. A booking made before a move is free to cancel. An unsettled
    -- class still has bookings to which its cancellation or last move must be applied.
    moves INTEGER NOT NULL DEFAULT 0,
    settled BOOLEAN NOT NULL DEFAULT TRUE,
    cancelled_at TIMESTAMPTZ,
    cancel_reason TEXT,
    -- The class's policy and its current terms, which its bookings copy; null for none.
    policy_id TEXT REFERENCES wallet.policies,
    terms_id BIGINT REFERENCES wallet.policy_terms,
    -- The series that created the class, and its date there, which a move does not change. If a change of the series
    -- cancelled the class, series_date is null, so that the series can create another class on that date.
    series_id TEXT REFERENCES wallet.series,
    series_date DATE,
    CONSTRAINT classes_class_id_shape CHECK (class_id ~ '^[A-Za-z0-9._:-]{1,64}$'),
    CONSTRAINT classes_title_length CHECK (char_length(title) BETWEEN 1 AND 200),
    CONSTRAINT classes_end_after_start CHECK (ends_at > starts_at),
    CONSTRAINT classes_priced CHECK (coalesce(price_credits, price_visits) IS NOT NULL),
    CONSTRAINT classes_prices_positive CHECK (
        price_credits BETWEEN 1 AND 1000000 AND price_visits BETWEEN 1 AND 1000000
    ),
    CONSTRAINT classes_free_minutes_not_negative CHECK (free_minutes_before BETWEEN 0 AND 525600),
    CONSTRAINT classes_status_known CHECK (status IN ('scheduled', 'cancelled')),
    CONSTRAINT classes_max_seats_sane CHECK (max_seats BETWEEN 1 AND 100),
    CONSTRAINT classes_days_ahead_sane CHECK (days_ahead BETWEEN 0 AND 3660),
    CONSTRAINT classes_window_sane CHECK (
        opens_minutes_before BETWEEN 0 AND 5270400 AND closes_minutes_before BETWEEN 0 AND 525600
        AND opens_minutes_before > closes_minutes_before
    ),
    CONSTRAINT classes_max_overlaps_sane CHECK (max_overlaps BETWEEN 0 AND 100),
    CONSTRAINT classes_waitlist_cutoff_sane CHECK (waitlist_cutoff_minutes BETWEEN 0 AND 525600),
    CONSTRAINT classes_cancel_reason_length CHECK (char_length(cancel_reason) <= 500),
    CONSTRAINT classes_cancel_reason_plain CHECK (wallet.is_plain_text(cancel_reason)),
    CONSTRAINT classes_policy_whole CHECK ((policy_id IS NULL) = (terms_id IS NULL)),
    CONSTRAINT classes_series_date_of_series CHECK (series_date IS NULL OR series_id IS NOT NULL)
);
CREATE INDEX classes_by_start ON wallet.classes (starts_at, class_id);
-- Finds the classes that overlap with another class.
CREATE INDEX classes_times ON wallet.classes USING gist (tstzrange(starts_at, ends_at));
CREATE INDEX classes_unsettled ON wallet.classes (class_id) WHERE NOT settled;
CREATE INDEX classes_policy ON wallet.classes (policy_id, class_id) WHERE policy_id IS NOT NULL;
CREATE UNIQUE INDEX classes_series ON wallet.classes (series_id, series_date) WHERE series_id IS NOT NULL;

-- Every booking updates a row here; see wallet.wallets for the effect on autovacuum.
CREATE TABLE wallet.class_seats (
    class_id TEXT NOT NULL REFERENCES wallet.classes,
    environment wallet.environment NOT NULL,
    capacity wallet.seat_capacity NOT NULL,
    sold wallet.seat_count NOT NULL DEFAULT 0,
    -- Seats freed while members wait are reserved for the waitlist, until a promotion round has passed over all
    -- members. The number of the round shows which members it has already passed over.
    reserved wallet.seat_count NOT NULL DEFAULT 0,
    reservation_round BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (class_id, environment),
    -- This also prevents overselling.
    CONSTRAINT class_seats_reserved_within_capacity CHECK (sold + reserved <= capacity)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.5);
CREATE INDEX class_seats_reserved ON wallet.class_seats (class_id, environment) WHERE reserved > 0;
-- The comment of a constraint is the error message for an administrator whose value violates it.
COMMENT ON CONSTRAINT classes_class_id_shape ON wallet.classes IS
'A class_id must have 1 to 64 letters, digits and . _ : -';
COMMENT ON CONSTRAINT classes_title_length ON wallet.classes IS 'A class''s title must have 1 to 200 characters.';
COMMENT ON CONSTRAINT classes_end_after_start ON wallet.classes IS 'A class must end after it starts.';
COMMENT ON CONSTRAINT classes_priced ON wallet.classes IS 'A class must have a price in credits, in visits, or both.';
COMMENT ON CONSTRAINT classes_prices_positive ON wallet.classes IS 'A price must be from 1 to 1000000.';
COMMENT ON CONSTRAINT classes_free_minutes_not_negative ON wallet.classes IS
'free_minutes_before must be from 0 to 525600, which is a year.';
COMMENT ON CONSTRAINT classes_status_known ON wallet.classes IS 'status must be scheduled or cancelled.';
COMMENT ON CONSTRAINT classes_max_seats_sane ON wallet.classes IS 'max_seats must be from 1 to 100.';
COMMENT ON CONSTRAINT classes_days_ahead_sane ON wallet.classes IS 'days_ahead must be from 0 to 3660.';
COMMENT ON CONSTRAINT classes_window_sane ON wallet.classes IS
'Booking must open before it closes, and at most ten years before the class.';
COMMENT ON CONSTRAINT classes_max_overlaps_sane ON wallet.classes IS 'max_overlaps must be from 0 to 100.';
COMMENT ON CONSTRAINT classes_waitlist_cutoff_sane ON wallet.classes IS
'waitlist_cutoff_minutes must be from 0 to 525600, which is a year.';
COMMENT ON CONSTRAINT classes_cancel_reason_length ON wallet.classes IS
'A cancel_reason must have at most 500 characters.';
COMMENT ON CONSTRAINT classes_cancel_reason_plain ON wallet.classes IS
'A cancel_reason must be one line without control characters.';
COMMENT ON CONSTRAINT classes_policy_whole ON wallet.classes IS
'A class with a policy must have the terms of this policy.';
COMMENT ON CONSTRAINT classes_series_date_of_series ON wallet.classes IS
'A class has a series_date only in a series.';
COMMENT ON CONSTRAINT class_seats_not_negative ON DOMAIN wallet.seat_count IS 'The number of seats must be 0 or more.';
COMMENT ON CONSTRAINT class_seats_capacity_sane ON DOMAIN wallet.seat_capacity IS
'A class can have at most 100000 seats.';
COMMENT ON CONSTRAINT class_seats_reserved_within_capacity ON wallet.class_seats IS
'The capacity is below the number of seats sold or reserved for the waitlist.';

-- A domain takes the place of a CHECK, which each booking would parse again (see wallet.wallets).
CREATE DOMAIN wallet.idempotency_key AS TEXT CONSTRAINT idempotency_key_length CHECK (
    char_length(value) BETWEEN 1 AND 255
);
CREATE DOMAIN wallet.booking_seats AS INTEGER CONSTRAINT booking_seats_sane CHECK (value BETWEEN 1 AND 100);
CREATE DOMAIN wallet.canceller AS TEXT CONSTRAINT canceller_known CHECK (value IN ('user', 'studio', 'wallet'));

-- A booking has no foreign keys to its wallet and its class. It is inserted while the wallet and the class's seats are
-- locked, and the seats refer to the class. Looking both up and locking them again for each row took a tenth of the
-- time of a booking. The view wallet.broken_bookings reports missing rows, and no function deletes either.
--
-- Bookings grow as fast as the ledger. A cancellation cannot be a HOT update, because it removes the row from the index
-- of active bookings.
CREATE TABLE wallet.bookings (
    account_id BIGINT NOT NULL,
    booking_id UUID NOT NULL,
    environment wallet.environment NOT NULL,
    class_id TEXT NOT NULL,
    -- The client's key. Null if no client chose one, or if the key is no longer replayed.
    idempotency_key wallet.idempotency_key,
    seats wallet.booking_seats NOT NULL,
    -- The request's options, stored to distinguish a replay from another request under the same key.
    asked_pay_with TEXT,
    asked_max_amount BIGINT,
    unit wallet.unit,
    amount BIGINT NOT NULL,
    -- The ledger entries of this booking's payment, so that no table of slices is needed.
    first_version BIGINT NOT NULL,
    entry_count INTEGER NOT NULL,
    -- The class's policy at the time of the booking.
    free_minutes_before INTEGER NOT NULL,
    free_until TIMESTAMPTZ NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    cancelled_at TIMESTAMPTZ,
    cancelled_by wallet.canceller,
    returned BIGINT,
    -- The account whose ledger has the booking's entries, if it was merged into another; null otherwise.
    ledger_account_id BIGINT,
    -- The class's number of moves when it was booked, and the last move that its user was notified of.
    moves_seen INTEGER NOT NULL DEFAULT 0,
    moves_notified INTEGER NOT NULL DEFAULT 0,
    promoted BOOLEAN NOT NULL DEFAULT FALSE,
    -- The terms of the class's policy at the time of the booking; null for none.
    terms_id BIGINT,
    -- Ids are version 7 UUIDs, so new bookings are at the end of the index, in pages that are in memory. A key that
    -- starts with the account would be spread over the index: with a million wallets, each booking would write another
    -- page.
    PRIMARY KEY (booking_id, account_id),
    CONSTRAINT bookings_amount_not_negative CHECK (amount >= 0 AND (unit IS NOT NULL OR amount = 0)),
    CONSTRAINT bookings_cancelled_whole CHECK (num_nulls(cancelled_at, cancelled_by, returned) IN (0, 3)),
    CONSTRAINT bookings_returned_within_amount CHECK (returned BETWEEN 0 AND amount)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
-- This index also finds all bookings of an account.
CREATE UNIQUE INDEX bookings_key ON wallet.bookings (account_id, environment, idempotency_key);
-- One active booking for each account and class. The index starts with the class, so it also finds all bookings of a
-- class.
CREATE UNIQUE INDEX bookings_active ON wallet.bookings (class_id, environment, account_id) WHERE cancelled_at IS NULL;
-- Finds the members whose bookings the studio cancelled.
CREATE INDEX bookings_cancelled_by_studio ON wallet.bookings (class_id, environment) WHERE cancelled_by = 'studio';
CREATE INDEX bookings_ledger ON wallet.bookings (ledger_account_id, booking_id) WHERE ledger_account_id IS NOT NULL;
CREATE INDEX bookings_unlimited ON wallet.bookings (account_id, environment)
WHERE cancelled_at IS NULL AND unit IS NULL;

-- The attendance of bookings that were marked. An unmarked booking has no row. This table and the next have no foreign
-- keys to bookings, whose updates would then cost more; wallet.broken_consequences reports missing bookings.
CREATE DOMAIN wallet.attendance AS TEXT CONSTRAINT attendance_known CHECK (
    value IN ('attended', 'no_show', 'excused')
);
CREATE TABLE wallet.attendances (
    account_id BIGINT NOT NULL,
    booking_id UUID NOT NULL,
    attendance wallet.attendance NOT NULL,
    -- Whether the member checked in.
    checked_in BOOLEAN NOT NULL,
    marked_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, booking_id)
);

-- The consequences of late cancellations and no-shows, by the terms of the booking. A booking has at most one that was
-- not withdrawn.
CREATE TABLE wallet.consequences (
    account_id BIGINT NOT NULL,
    consequence_id BIGINT GENERATED ALWAYS AS IDENTITY,
    environment wallet.environment NOT NULL,
    booking_id UUID NOT NULL,
    cause TEXT NOT NULL,
    -- When the booking was cancelled, or when the missed class began.
    at TIMESTAMPTZ NOT NULL,
    terms_id BIGINT NOT NULL REFERENCES wallet.policy_terms,
    fee BIGINT NOT NULL,
    strike BOOLEAN NOT NULL,
    -- The ledger entries that paid the fee. They stay in their ledger when the account is merged.
    ledger_account_id BIGINT NOT NULL,
    first_version BIGINT NOT NULL,
    entry_count INTEGER NOT NULL,
    withdrawn_at TIMESTAMPTZ,
    PRIMARY KEY (account_id, consequence_id),
    CONSTRAINT consequences_cause_known CHECK (cause IN ('late_cancel', 'no_show')),
    CONSTRAINT consequences_fee_paid CHECK (fee >= 0 AND (fee > 0) = (entry_count > 0)),
    CONSTRAINT consequences_not_empty CHECK (fee > 0 OR strike)
);
CREATE UNIQUE INDEX consequences_live ON wallet.consequences (account_id, booking_id) WHERE withdrawn_at IS NULL;
CREATE INDEX consequences_ledger ON wallet.consequences (ledger_account_id, environment, first_version);
CREATE INDEX consequences_strikes ON wallet.consequences (account_id, environment, at)
WHERE strike AND withdrawn_at IS NULL;

-- The active bookings of a class when it was cancelled, so that its roster stays readable. No index of bookings finds
-- those that their members cancelled first. The account is left out, because a merge changes it.
CREATE TABLE wallet.called_off_bookings (
    class_id TEXT NOT NULL REFERENCES wallet.classes,
    booking_id UUID NOT NULL,
    PRIMARY KEY (class_id, booking_id)
);

-- Wallets whose unlimited plan may have ended: the bookings that it paid must be checked. Each reason adds a row:
-- inserting waits for no lock, and a check that runs too early does not lose a later one.
CREATE TABLE wallet.cover_checks (
    check_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    environment wallet.environment NOT NULL,
    due_at TIMESTAMPTZ NOT NULL DEFAULT '-infinity'
);

-- The members who wait for a seat.
CREATE TABLE wallet.waitlist (
    class_id TEXT NOT NULL,
    environment wallet.environment NOT NULL,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    -- Assigned under the lock of the class's seats, so it is the order of arrival.
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

CREATE TYPE wallet.class_limits AS (
    max_seats INTEGER,
    days_ahead INTEGER,
    opens_minutes_before INTEGER,
    closes_minutes_before INTEGER,
    max_overlaps INTEGER,
    waitlist_cutoff_minutes INTEGER
);
-- A date of a series, with the class that its pattern describes.
CREATE TYPE wallet.series_date AS (
    on_date DATE,
    class wallet.classes,
    capacity INTEGER
);
-- A class of a series, with the class that the series describes on that date, and whether the two differ.
CREATE TYPE wallet.series_fit AS (
    class_id TEXT,
    series_date DATE,
    moves INTEGER,
    described wallet.classes,
    capacity INTEGER,
    differs BOOLEAN
);
CREATE TYPE wallet.seats_of AS (
    class_id TEXT,
    environment wallet.environment
);
-- A part of a booking's payment.
CREATE TYPE wallet.lot_slice AS (
    lot_id UUID,
    amount BIGINT
);

-- A part of a booking's payment, with the account that holds the lot now.
CREATE TYPE wallet.owned_slice AS (
    account_id BIGINT,
    lot_id UUID,
    amount BIGINT
);

-- How a booking will be paid, or why it is refused.
CREATE TYPE wallet.booking_plan AS (
    status INTEGER,
    slug TEXT,
    detail JSONB,
    unit wallet.unit,
    amount BIGINT,
    lot_ids UUID [],
    amounts BIGINT []
);

-- One item of a batch, as the client requests it. The id is that of the new booking, or of the booking to cancel.
CREATE TYPE wallet.booking_request AS (
    account_id BIGINT,
    environment wallet.environment,
    operation TEXT,
    booking_id UUID,
    idempotency_key TEXT,
    class_id TEXT,
    seats INTEGER,
    pay_with TEXT,
    max_amount BIGINT
);

-- All data needed to decide one item of a batch, read in one statement under the locks of the whole batch. For a
-- cancellation, the class, seats and price are those of its booking.
CREATE TYPE wallet.batch_item AS (
    item INTEGER,
    account_id BIGINT,
    opened_at TIMESTAMPTZ,
    environment wallet.environment,
    operation TEXT,
    booking_id UUID,
    idempotency_key TEXT,
    class_id TEXT,
    seats INTEGER,
    pay_with TEXT,
    max_amount BIGINT,
    -- Whether the request has all members that its operation needs.
    is_complete BOOLEAN,
    -- The existing booking with this key, or the booking that is already cancelled.
    known_id UUID,
    wallet_ctid TID,
    credits BIGINT,
    visits BIGINT,
    version BIGINT,
    head_hash BYTEA,
    last_at TIMESTAMPTZ,
    -- Whether the account was deleted or merged, or is another account with the same number.
    is_gone BOOLEAN,
    -- Whether the account may not book; for a cancellation, whether the attendance is marked.
    is_blocked BOOLEAN,
    -- The class; its status is null if it does not exist.
    class_status TEXT,
    class_title TEXT,
    starts_at TIMESTAMPTZ,
    moves INTEGER,
    seats_ctid TID,
    capacity INTEGER,
    seats_left INTEGER,
    -- The account's active booking of the class. For a cancellation null, as all members up to the plan.
    booked_id UUID,
    -- Whether the class has limits, and one that an earlier booking of the batch could break.
    has_limits BOOLEAN,
    limits_overlaps BOOLEAN,
    -- Whether the account has a live plan, which may limit or pay a booking.
    has_plan BOOLEAN,
    price_credits BIGINT,
    price_visits BIGINT,
    -- Whether the account waits for the class; for a cancellation, whether any member waits.
    has_waiting BOOLEAN,
    promoted BOOLEAN,
    free_minutes_before INTEGER,
    free_until TIMESTAMPTZ,
    -- The terms of the class's policy; for a cancellation, of the booking.
    terms_id BIGINT,
    -- The open lots that may pay, in burn order, with their remaining amounts. For a cancellation, the lots that paid,
    -- in the order of payment, with their paid amounts.
    lot_ids UUID [],
    lot_ctids TID [],
    lot_units wallet.unit [],
    lot_amounts BIGINT [],
    -- Whether the first use of a lot of the wallet may start its validity.
    has_unstarted BOOLEAN,
    -- Only for a cancellation.
    unit wallet.unit,
    amount BIGINT,
    created_at TIMESTAMPTZ,
    cancelled_by TEXT,
    moved BOOLEAN,
    -- Whether a cancellation changes more than the spent amounts of the lots.
    returns_apart BOOLEAN
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
    free_minutes_before INTEGER,
    free_until TIMESTAMPTZ,
    created_at TIMESTAMPTZ,
    cancelled_at TIMESTAMPTZ,
    late_cancel BOOLEAN,
    returned BIGINT,
    credits BIGINT,
    visits BIGINT,
    version BIGINT,
    moved BOOLEAN,
    promoted BOOLEAN,
    cancelled_by TEXT,
    -- The lots that paid, in two arrays: writing and parsing them as JSON took as much time as the rest of an answer.
    lot_ids UUID [],
    lot_amounts BIGINT [],
    -- Only for a new booking: its account, so that the caller need not query it again.
    account_id BIGINT,
    opened_at TIMESTAMPTZ,
    -- Null for a new booking, which is unmarked and has no consequence.
    attendance TEXT,
    fee BIGINT,
    strike BOOLEAN
);
