-- Adds the other data that the console's lists and reports read to the data of seed.sql: a purchase for each wallet,
-- four plan periods for every tenth, processed messages, events and audit rows. Use it only to measure page times: the
-- grants of these purchases are not in the ledger, so the invariants do not hold afterwards.
--   psql -v wallets=100000 -f sql/bench/purchases.sql
\set ON_ERROR_STOP on
SET session_replication_role = replica;
SET jit = off;
INSERT INTO wallet.claims (
    store, environment, account_id, transaction_id, original_transaction_id, kind, store_product_id, product_id,
    purchased_at, expires_at, refunded_millionths, refunded_at, source, source_at, grant_amount, granted_at, verdict,
    created_at, grace_days, tier, entitlements, unlimited, price_minor, currency
)
SELECT
    'app_store', 'production', n, 'pack-' || n, 'pack-' || n, 'one_time', p.app_store_id, p.product_id,
    a.at AS purchased_at, NULL, r.millionths, CASE WHEN r.millionths > 0 THEN a.at + INTERVAL '3 days' END, 'receipt',
    a.at AS source_at, p.amount + p.bonus, a.at AS granted_at,
    CASE WHEN r.millionths > 0 THEN 'refunded' ELSE 'granted' END, a.at AS created_at, 0, 0, '{}', FALSE,
    p.price_minor, p.currency
FROM generate_series(1, :wallets) AS n
CROSS JOIN LATERAL (SELECT now() - n % 34560000 * INTERVAL '1 second' * 0.9 - n % 400 * INTERVAL '1 day' AS at) AS a
CROSS JOIN LATERAL (SELECT CASE WHEN n % 100 = 0 THEN 1000000 ELSE 0 END AS millionths) AS r
INNER JOIN (
    SELECT k.*, row_number() OVER (ORDER BY k.product_id) - 1 AS place, count(*) OVER () AS places
    FROM wallet.products AS k
    WHERE k.kind = 'pack' AND k.app_store_id IS NOT NULL
) AS p ON n % p.places = p.place;
INSERT INTO wallet.claims (
    store, environment, account_id, transaction_id, original_transaction_id, kind, store_product_id, product_id,
    purchased_at, expires_at, period_type, source, source_at, grant_amount, granted_at, verdict, created_at, grace_days,
    tier, entitlements, unlimited, price_minor, currency
)
SELECT
    'app_store', 'production', n * 10, format('plan-%s-%s', n, i), 'plan-' || n, 'subscription', p.app_store_id,
    p.product_id, a.at AS purchased_at, a.at + INTERVAL '30 days', CASE i WHEN 1 THEN 'trial' ELSE 'normal' END,
    'receipt', a.at AS source_at, p.amount, a.at AS granted_at, 'granted', a.at AS created_at, p.grace_days, p.tier,
    p.entitlements, FALSE, CASE i WHEN 1 THEN 0 ELSE p.price_minor END, p.currency
FROM generate_series(1, :wallets / 10) AS n
CROSS JOIN generate_series(1, 4) AS i
CROSS JOIN LATERAL (SELECT now() - (n % 270 + 30 * (5 - i)) * INTERVAL '1 day' AS at) AS a
INNER JOIN (
    SELECT k.*, row_number() OVER (ORDER BY k.product_id) - 1 AS place, count(*) OVER () AS places
    FROM wallet.products AS k
    WHERE k.kind = 'plan' AND k.app_store_id IS NOT NULL AND NOT k.unlimited
) AS p ON n % p.places = p.place;
-- The lot that was used becomes that of the wallet's pack.
UPDATE wallet.lots AS l
SET source = 'pack', product_id = c.product_id, claim_id = c.claim_id
FROM wallet.claims AS c
WHERE c.account_id = l.account_id AND c.kind = 'one_time' AND l.spent > 0;
INSERT INTO wallet.inbox_done (
    inbox_id, source, source_event_id, type, payload, status, attempts, received_at, processed_at
)
SELECT
    nextval(pg_get_serial_sequence('wallet.inbox', 'inbox_id')), 'app_store', 'message-' || n, 'ONE_TIME_CHARGE', '{}',
    'processed', 1, now() - n * INTERVAL '10 seconds', now() - n * INTERVAL '10 seconds'
FROM generate_series(1, :wallets / 5) AS n;
INSERT INTO wallet.outbox (type, account_id, environment, claim_id, details, at)
SELECT 'credits.granted', n AS account_id, 'production', n AS claim_id, '{}', now() - n * INTERVAL '5 seconds'
FROM generate_series(1, :wallets / 2) AS n;
INSERT INTO wallet.audit (at, role, action, kind, object_id, account_id, environment, before, after)
SELECT
    now() - n * INTERVAL '1 minute', 'wallet_service', 'adjust', 'wallet', NULL, n, 'production', '{}', '{"credits": 1}'
FROM generate_series(1, :wallets / 10) AS n;
INSERT INTO wallet.audit_texts (audit_id, actor, reason)
SELECT a.audit_id, 'operator-1', 'a reason' FROM wallet.audit AS a;
VACUUM (ANALYZE);
