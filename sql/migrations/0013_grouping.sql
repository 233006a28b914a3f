-- What lets a group of bookings and cancellations be decided by a fixed number of statements.

DROP FUNCTION IF EXISTS wallet.lock_seats(BIGINT[], wallet.environment[], TEXT[], UUID[], TEXT[]);
DROP FUNCTION IF EXISTS wallet.is_malformed(
    BIGINT, wallet.environment, TEXT, UUID, TEXT, TEXT, INTEGER
);

-- What a group books it has locked: the wallet, and the class's seats, which refer to the class. To have the two looked
-- up and locked again for each row cost a tenth of a booking; the view wallet.broken_bookings says if one is missing,
-- and nothing deletes either.
ALTER TABLE wallet.bookings DROP CONSTRAINT bookings_account_id_environment_fkey;
ALTER TABLE wallet.bookings DROP CONSTRAINT bookings_class_id_fkey;

-- One item of a batch, as the client asks for it. The id is that of the new booking, or of the one to cancel.
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

-- All that one item of a batch needs to be decided, read in one statement under the locks of the whole batch. For a
-- cancellation the class, seats and price are those of its booking.
CREATE TYPE wallet.batch_item AS (
    item INTEGER,
    account_id BIGINT,
    environment wallet.environment,
    operation TEXT,
    booking_id UUID,
    idempotency_key TEXT,
    class_id TEXT,
    seats INTEGER,
    pay_with TEXT,
    max_amount BIGINT,
    -- The names by which wallet.lock_wallets and wallet.lock_seats tell what they hold.
    wallet_key TEXT,
    seats_key TEXT,
    -- Whether the request has all members that its operation needs.
    is_complete BOOLEAN,
    -- The booking that the key names already, or that is cancelled already, and whether the request is the same.
    known_id UUID,
    known_is_same BOOLEAN,
    wallet_at TID,
    credits BIGINT,
    visits BIGINT,
    version BIGINT,
    head_hash BYTEA,
    last_at TIMESTAMPTZ,
    class_title TEXT,
    starts_at TIMESTAMPTZ,
    moves INTEGER,
    seats_at TID,
    -- Whether the account waits for the class; of a cancellation, whether anybody does.
    is_waited BOOLEAN,
    promoted BOOLEAN,
    free_minutes_before INTEGER,
    free_until TIMESTAMPTZ,
    -- The open lots that may pay, in burn order, with what is left of each; of a cancellation, the lots that paid, in
    -- the order in which they did, with what each paid.
    lot_ids UUID [],
    lot_ats TID [],
    lot_units wallet.unit [],
    lot_amounts BIGINT [],
    -- Of a booking or quote: what refuses it, whatever seats and funds there are, and whether an earlier booking of the
    -- same batch could do so.
    refused wallet.booking_plan,
    is_limited BOOLEAN,
    seats_left INTEGER,
    is_unlimited BOOLEAN,
    price_credits BIGINT,
    price_visits BIGINT,
    -- Of a cancellation.
    unit wallet.unit,
    amount BIGINT,
    created_at TIMESTAMPTZ,
    cancelled_by TEXT,
    moved BOOLEAN,
    -- Whether a return changes more than what the lots have spent.
    returns_apart BOOLEAN
);

-- What the items of a batch change, one element a row. Rows of wallets, lots and class seats are named by where they
-- lie: they were read under the locks that let nobody else move them. A cancelled booking's amount is what returns and
-- its version that of the wallet after it, null where the return is posted apart.
CREATE TYPE wallet.batch_change AS (
    bookings wallet.bookings [],
    cancelled wallet.batch_item [],
    entries wallet.entries [],
    lot_ats TID [],
    spent BIGINT [],
    wallet_ats TID [],
    credits BIGINT [],
    visits BIGINT [],
    versions BIGINT [],
    head_hashes BYTEA [],
    last_ats TIMESTAMPTZ [],
    seats_ats TID [],
    sold INTEGER [],
    -- How many of the sold seats go to members of the waitlist who are promoted.
    promoted INTEGER [],
    at TIMESTAMPTZ
);
