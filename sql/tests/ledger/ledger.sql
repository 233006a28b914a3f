-- The ledger is append-only for all roles, and the CHECKs behind the functions hold (rules 4, 8, 10).
-- Guarantee: append-only
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20), pg_temp.buy('ann', 't', 'starter'), pg_temp.book('ann', 'k', 'a');
SELECT is(pg_temp.raised(i.statement, i.role), 'WL403 ledger-is-append-only', i.role || ': ' || i.statement)
FROM (VALUES
    ('UPDATE wallet.entries SET amount = 100'),
    ('UPDATE wallet.entries SET hash = hash WHERE version = 1'),
    ('DELETE FROM wallet.entries WHERE version = 2'),
    ('DELETE FROM wallet.entries'),
    ('TRUNCATE wallet.entries, wallet.pass_uses'),
    ('TRUNCATE wallet.entries, wallet.entry_texts CASCADE'),
    ('INSERT INTO wallet.entries SELECT * FROM wallet.entries ON CONFLICT (account_id, environment, version)
      DO UPDATE SET amount = 5')
) AS s (statement)
CROSS JOIN (VALUES ('wallet_owner'), (current_user::text)) AS r (role)
CROSS JOIN LATERAL (SELECT s.statement, r.role) AS i;
SELECT is(
    pg_temp.raised('INSERT INTO wallet.entries SELECT * FROM wallet.entries', 'wallet_owner'), '23505',
    'a version is given once'
);
SELECT is(pg_temp.story('ann'), 'grant 25, spend -20', 'the ledger did not change');
SELECT has_trigger('wallet', 'entries', t, 'the trigger ' || t) FROM unnest(ARRAY[
    'entries_append_only', 'entries_no_truncate'
]) AS t;
SELECT is_empty(
    $$ SELECT i.inhrelid FROM pg_catalog.pg_inherits AS i WHERE i.inhparent = 'wallet.entries'::regclass $$,
    'the ledger is never partitioned (rule 10)'
);

-- The CHECKs behind the functions, for every writer
SELECT throws_ok(i.statement, i.state, NULL, i.what) FROM (VALUES
    ('UPDATE wallet.wallets SET credits = -1', '23514', 'lago #4985: credits are never negative'),
    ('UPDATE wallet.wallets SET visits = -1', '23514', 'visits are never negative'),
    ('UPDATE wallet.wallets SET owed_credits = -1', '23514', 'debts are never negative'),
    ('UPDATE wallet.wallets SET version = -1', '23514', 'a version is never negative'),
    ('UPDATE wallet.lots SET spent = granted + 1', '23514', 'a lot is never overspent'),
    ('UPDATE wallet.lots SET spent = -1', '23514', 'spent is never negative'),
    ('UPDATE wallet.lots SET lapsed = -1', '23514', 'lapsed is never negative'),
    ('UPDATE wallet.lots SET refunded = granted + 1', '23514', 'no more than the grant is refunded'),
    ('UPDATE wallet.lots SET refunded = -1', '23514', 'refunded is never negative'),
    ('UPDATE wallet.lots SET granted = -1', '23514', 'a grant is never negative'),
    ('UPDATE wallet.lots SET repaid = 1', '23514', 'repayments never exceed the debt'),
    ('UPDATE wallet.lots SET repaid = -1', '23514', 'repaid is never negative'),
    ('UPDATE wallet.lots SET remaining = 99', '428C9', 'the remaining amount is a generated column'),
    ('UPDATE wallet.lots SET owed = 0', '428C9', 'the owed amount is a generated column'),
    ('UPDATE wallet.lots SET expires_at = wallet.now()', '23514', 'App Review 3.1.1: bought credits never expire'),
    ('UPDATE wallet.lots SET source = ''gift''', '23514', 'a lot has a known source'),
    ('INSERT INTO wallet.repayments SELECT account_id, lot_id, account_id, lot_id, -1 FROM wallet.lots', '23514',
        'a repayment is never negative'),
    ('UPDATE wallet.class_seats SET sold = capacity + 1', '23514', 'a class is never oversold'),
    ('UPDATE wallet.class_seats SET sold = -1', '23514', 'sold seats are never negative'),
    ('UPDATE wallet.bookings SET seats = -1', '23514', 'a booking has seats'),
    ('UPDATE wallet.bookings SET amount = -1', '23514', 'a booking''s amount is never negative'),
    ('UPDATE wallet.bookings SET unit = NULL', '23514', 'an amount has a unit'),
    ('UPDATE wallet.bookings SET cancelled_at = now()', '23514',
        'a cancelled booking has its canceller and the returned amount'),
    ('UPDATE wallet.bookings SET cancelled_by = ''user'', returned = 0', '23514',
        'a cancelled booking has its instant'),
    ('UPDATE wallet.bookings SET cancelled_at = now(), cancelled_by = ''user'', returned = 21', '23514',
        'no more than the price returns'),
    ('UPDATE wallet.bookings SET cancelled_at = now(), cancelled_by = ''ghost'', returned = 0', '23514',
        'the canceller is a known kind'),
    ('UPDATE wallet.claims SET account_id = NULL', '23514', 'a grant has an owner'),
    ('UPDATE wallet.claims SET quantity = 0', '23514', 'a claim has a quantity'),
    ('UPDATE wallet.claims SET refunded_millionths = 1000001', '23514', 'no more than the whole claim is refunded'),
    ('UPDATE wallet.claims SET transaction_id = NULL, original_transaction_id = NULL', '23514',
    'a claim has an identifier'),
    ('UPDATE wallet.claims SET duplicate_of = claim_id', '23514', 'no claim duplicates itself'),
    ('UPDATE wallet.products SET amount = -1', '23514', 'a product''s amount is never negative'),
    ('UPDATE wallet.products SET bonus = -1', '23514', 'a bonus is never negative'),
    ('UPDATE wallet.products SET amount = 0 WHERE kind = ''pack''', '23514', 'a pack grants something'),
    ('UPDATE wallet.products SET price_minor = -1', '23514', 'a price is not negative'),
    ('UPDATE wallet.products SET currency = ''usd''', '23514', 'a currency is ISO 4217'),
    ('UPDATE wallet.products SET unit = ''visit'' WHERE kind = ''pack''', '23514', 'a pack is credits'),
    ('UPDATE wallet.products SET unit = ''credit'' WHERE kind = ''pass''', '23514', 'a pass is visits'),
    ('UPDATE wallet.products SET valid_days = 30 WHERE kind = ''pack''', '23514', 'a pack has no days'),
    ('UPDATE wallet.products SET valid_days = 0 WHERE kind = ''pass''', '23514', 'a pass is valid at least a day'),
    ('UPDATE wallet.products SET unlimited = TRUE WHERE kind = ''pass''', '23514', 'only plans are unlimited'),
    ('UPDATE wallet.products SET period = NULL WHERE kind = ''plan''', '23514', 'a plan has a period'),
    ('UPDATE wallet.products SET rollover_percentage = 101', '23514', 'a rollover percentage is at most 100'),
    ('UPDATE wallet.products SET rollover_cap = -1', '23514', 'a cap is not negative'),
    ('UPDATE wallet.products SET trial_amount = -1', '23514', 'a trial''s amount is never negative'),
    ('UPDATE wallet.products SET grace_days = -1', '23514', 'a grace is not negative'),
    ('UPDATE wallet.classes SET price_credits = 0', '23514', 'a class has a price'),
    ('UPDATE wallet.classes SET ends_at = starts_at', '23514', 'a class has a length'),
    ('UPDATE wallet.classes SET status = ''moved''', '23514', 'a class has a known status'),
    ('DELETE FROM wallet.accounts', '23503', 'an account with a wallet stays')
) AS i (statement, state, what);
SELECT throws_ok(
    $$ INSERT INTO wallet.bookings SELECT (jsonb_populate_record(b, jsonb_build_object(
           'booking_id', gen_random_uuid(), 'idempotency_key', 'other'))).* FROM wallet.bookings AS b $$,
    '23505', NULL, 'one active booking per account, environment and class (rule 19)'
);
SELECT throws_ok(
    $$ INSERT INTO wallet.bookings SELECT (jsonb_populate_record(b, jsonb_build_object(
           'booking_id', gen_random_uuid(), 'class_id', (SELECT min(c.class_id) FROM wallet.classes AS c)))).*
       FROM wallet.bookings AS b $$,
    '23505', NULL, 'one booking per account, environment and key (rule 20)'
);
SELECT throws_ok(
    $$ INSERT INTO wallet.claims (store, environment, transaction_id, original_transaction_id, line_item_id, order_id,
           purchase_token, kind, store_product_id, purchased_at, source, source_at, verdict, created_at)
       SELECT c.store, c.environment, i.t, i.o, i.l, i.r, i.p, 'one_time', 'x', c.purchased_at, 'x', now(), 'new', now()
       FROM wallet.claims AS c CROSS JOIN (VALUES
           ('x1', NULL, NULL, 'same', NULL), ('x2', NULL, NULL, 'same', NULL)) AS i (t, o, l, r, p) $$,
    '23505', NULL, 'one claim per order id (rule 12)'
);
SELECT indexes_are('wallet', 'claims', ARRAY[
    'claims_pkey', 'claims_transaction', 'claims_line_item', 'claims_purchase_second', 'claims_purchase_token',
    'claims_order', 'claims_account', 'claims_waiting', 'claims_subscription_token', 'claims_periods',
    'claims_app_transaction', 'claims_acknowledge', 'claims_duplicates', 'claims_refunded'
]);
SELECT index_is_unique('wallet', 'claims', i) FROM unnest(ARRAY[
    'claims_transaction', 'claims_line_item', 'claims_purchase_second', 'claims_purchase_token', 'claims_order'
]) AS i;
SELECT col_type_is('wallet', c.t, c.c, 'bigint', 'integers only: ' || c.t || '.' || c.c)
FROM (VALUES ('wallets', 'credits'), ('wallets', 'visits'), ('lots', 'granted'), ('lots', 'spent'),
    ('entries', 'amount'),
    ('bookings', 'amount'), ('products', 'amount')) AS c (t, c);
SELECT is_empty(
    $$ SELECT c.relname, a.attname FROM pg_catalog.pg_attribute AS a
       INNER JOIN pg_catalog.pg_class AS c ON a.attrelid = c.oid
       WHERE c.relnamespace = 'wallet'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
           AND a.atttypid IN ('numeric'::regtype, 'float4'::regtype, 'float8'::regtype, 'money'::regtype)
           -- Sums for reports are unbounded, and shares of a price are fractions; no decision depends on them.
           AND c.relname NOT IN ('daily_sums', 'revenue_rows', 'breakage_rows', 'subscription_rows') $$,
    'all amounts are integers (rule 4)'
);
SELECT * FROM finish();
ROLLBACK;
