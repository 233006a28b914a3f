-- The peer's own tables, as a team would write them for a first wallet: no lots, no hash chain, no events. They have as
-- many members and classes as the wallet's books. Each member has `history` past bookings.
--   psql -v wallets=100000 -v hot=64 -v classes=2000 -v history=20 -f handwritten.sql
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
CREATE INDEX classes_start ON classes (starts_at, class_id);
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
CREATE TABLE packs (
    product_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    credits BIGINT NOT NULL,
    price_minor BIGINT NOT NULL
);
CREATE TABLE passes (
    user_id UUID NOT NULL REFERENCES wallets,
    product_id TEXT NOT NULL,
    visits BIGINT NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (user_id, product_id, expires_at)
);
CREATE TABLE subscriptions (
    user_id UUID NOT NULL REFERENCES wallets,
    product_id TEXT NOT NULL,
    renews_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (user_id, product_id)
);

INSERT INTO wallets (user_id, credits)
SELECT md5('bench-' || n)::UUID, 1000000000 - :history FROM generate_series(1, :wallets + :hot) AS n;
INSERT INTO packs (product_id, name, credits, price_minor)
VALUES ('starter', 'Starter', 25, 4900), ('explorer', 'Explorer', 50, 9900), ('enthusiast', 'Enthusiast', 100, 17900),
('power', 'Power', 200, 29900);
INSERT INTO classes (class_id, title, starts_at, price, capacity)
SELECT 'class-' || to_char(n, 'FM000000'), 'A class to measure with', now() + INTERVAL '30 days', 1, 100000
FROM generate_series(0, :classes - 1) AS n;

-- The history: each member has booked consecutive past classes.
SELECT greatest(:history, (:wallets::BIGINT + :hot) * :history / 500 + 1) AS past \gset
INSERT INTO classes (class_id, title, starts_at, price, capacity)
SELECT 'past-' || to_char(n, 'FM000000'), 'A class to measure with', now() - INTERVAL '2 days', 1, 100000
FROM generate_series(0, :past - 1) AS n;
INSERT INTO bookings (booking_id, user_id, class_id, idempotency_key, seats, amount, created_at)
SELECT
    md5(n || ' ' || i)::UUID, md5('bench-' || n)::UUID,
    'past-' || to_char((n * :history::BIGINT + i) % :past, 'FM000000'), 'past-' || i, 1, 1,
    now() - i * INTERVAL '10 days'
FROM generate_series(1, :wallets + :hot) AS n
CROSS JOIN generate_series(1, :history) AS i;
INSERT INTO ledger (user_id, amount, balance_after, booking_id, at)
SELECT
    b.user_id, -1, 1000000000 - row_number() OVER (PARTITION BY b.user_id ORDER BY b.created_at), b.booking_id,
    b.created_at
FROM bookings AS b;
UPDATE classes AS c SET sold = b.sold
FROM (SELECT k.class_id, count(*) AS sold FROM bookings AS k GROUP BY k.class_id) AS b
WHERE c.class_id = b.class_id;
VACUUM (ANALYZE);
