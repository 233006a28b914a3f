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

-- All that one item of a group needs to be decided, read in one statement under the locks of the whole group. For a
-- cancellation the class, seats and price are those of its booking.
CREATE TYPE wallet.group_item AS (
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
    -- Whether nothing about the item is out of the ordinary, so that the group can decide it along with others.
    is_plain BOOLEAN,
    -- Whether it may change the class's seats at all, whatever is found.
    may_change BOOLEAN,
    -- Whether an earlier booking of the same group could matter to the class's limits.
    is_limited BOOLEAN,
    wallet_at TID,
    credits BIGINT,
    visits BIGINT,
    version BIGINT,
    head_hash BYTEA,
    last_at TIMESTAMPTZ,
    class_title TEXT,
    starts_at TIMESTAMPTZ,
    price_credits BIGINT,
    price_visits BIGINT,
    moves INTEGER,
    seats_at TID,
    seats_left INTEGER,
    is_unlimited BOOLEAN,
    visit_lot_id UUID,
    visit_lot_at TID,
    visit_lot_left BIGINT,
    credit_lot_id UUID,
    credit_lot_at TID,
    credit_lot_left BIGINT,
    free_minutes_before INTEGER,
    free_until TIMESTAMPTZ,
    -- Of a cancellation: the booking, and the lots that paid for it in the order in which they did.
    unit wallet.unit,
    amount BIGINT,
    created_at TIMESTAMPTZ,
    promoted BOOLEAN,
    lot_ids UUID [],
    lot_ats TID [],
    lot_amounts BIGINT []
);

-- What the plain items of a group change, one element a row. Rows of wallets, lots and class seats are named by where
-- they lie: they were read under the locks that let nobody else move them. A cancelled booking's amount is what returns
-- and its version that of the wallet after it.
CREATE TYPE wallet.group_change AS (
    bookings wallet.bookings [],
    cancelled wallet.group_item [],
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
    at TIMESTAMPTZ
);
