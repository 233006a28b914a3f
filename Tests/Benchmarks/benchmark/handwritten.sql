-- The peer's own tables, as a team would write them for a first wallet: no lots, no hash chain, no events. They have as
-- many members and classes as the wallet's books.
--   psql -v wallets=100000 -v hot=64 -v classes=2000 -f handwritten.sql
CREATE TABLE wallets (
    user_id UUID PRIMARY KEY,
    credits BIGINT NOT NULL CHECK (credits >= 0)
);
CREATE TABLE classes (
    class_id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    starts_at TIMESTAMPTZ NOT NULL,
    price BIGINT NOT NULL,
    capacity INTEGER NOT NULL,
    sold INTEGER NOT NULL DEFAULT 0,
    CHECK (sold BETWEEN 0 AND capacity)
);
CREATE TABLE bookings (
    booking_id UUID PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES wallets,
    class_id TEXT NOT NULL REFERENCES classes,
    idempotency_key TEXT NOT NULL,
    seats INTEGER NOT NULL,
    amount BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    cancelled_at TIMESTAMPTZ,
    UNIQUE (user_id, idempotency_key)
);
CREATE UNIQUE INDEX bookings_standing ON bookings (user_id, class_id) WHERE cancelled_at IS NULL;
CREATE TABLE ledger (
    entry_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES wallets,
    amount BIGINT NOT NULL,
    balance_after BIGINT NOT NULL,
    booking_id UUID NOT NULL REFERENCES bookings,
    at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX ledger_user ON ledger (user_id, entry_id);

INSERT INTO wallets (user_id, credits)
SELECT md5('bench-' || n)::UUID, 1000000000 FROM generate_series(1, :wallets + :hot) AS n;
INSERT INTO classes (class_id, title, starts_at, price, capacity)
SELECT 'class-' || to_char(n, 'FM000000'), 'A class to measure with', now() + INTERVAL '30 days', 1, 100000
FROM generate_series(0, :classes - 1) AS n;
VACUUM (ANALYZE);
