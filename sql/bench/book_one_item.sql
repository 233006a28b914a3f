-- Books one item as a batch of one, for pgbench; :wallets and :classes are those of seed.sql.
--   pgbench -n -M prepared -U wallet_service -f sql/bench/book_one_item.sql -D wallets=100000 -D classes=2000
-- The id is a version 7 UUID, as the service creates them.
\set wallet random(1, :wallets)
\set class random(0, :classes - 1)
SELECT o.* FROM wallet.book_batch(ARRAY[row(
    :wallet,
    'production',
    'book',
    (
        lpad(to_hex((extract(EPOCH FROM clock_timestamp()) * 1000)::BIGINT), 12, '0') || '7'
        || right(replace(gen_random_uuid()::TEXT, '-', ''), 19)
    )::UUID,
    gen_random_uuid()::TEXT,
    'single-' || to_char(:class::INTEGER, 'FM000000'),
    1,
    NULL,
    NULL
)::wallet.booking_request]) AS o;
