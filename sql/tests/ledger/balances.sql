-- wallet.balances and its helpers: the current balance, with or without the sweeper (rule 6, contract: GET /balance).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 5, 'credit', '1 day'), pg_temp.gift('ann', 7), pg_temp.gift('ann', 2, 'visit', '2 days');
SELECT pg_temp.gift('ann', 3, 'credit', '1 day');
SELECT results_eq(
    $$ SELECT b.credits, b.visits, b.version, b.unlimited, b.last_boundary FROM wallet.balances AS b $$,
    $$ VALUES (15::bigint, 2::bigint, 4::bigint, FALSE, NULL::timestamptz) $$, 'a balance'
);
SELECT results_eq(
    $$ SELECT l.unit, l.remaining, l.expires_at FROM wallet.open_lots AS l
       ORDER BY l.unit DESC, l.expires_at, l.lot_id $$,
    $$ VALUES ('visit'::wallet.unit, 2::bigint, wallet.now() + interval '2 days'),
              ('credit', 5, wallet.now() + interval '1 day'), ('credit', 3, wallet.now() + interval '1 day'),
              ('credit', 7, 'infinity') $$, 'the lots with their amounts and expiries, in burn order'
);
SELECT pg_temp.wait('1 day - 1 microsecond');
SELECT is((SELECT b.credits FROM wallet.balances AS b), 15::bigint, 'a microsecond before, all is there');
SELECT pg_temp.wait('1 microsecond');
SELECT results_eq(
    $$ SELECT b.credits, b.visits, b.version, b.last_boundary = b.as_of,
           (SELECT count(*)::integer FROM wallet.open_lots AS l WHERE l.expires_at > b.as_of)
       FROM wallet.balances AS b $$,
    $$ VALUES (7::bigint, 2::bigint, 4::bigint, TRUE, 2) $$,
    'pollinations #6025: at the instant it is gone, and the boundary makes another ETag'
);
SELECT is((SELECT w.credits::bigint FROM admin.wallets AS w), 7::bigint, 'administrators see the same');
SELECT pg_temp.sound();
SELECT wallet.sweep(10);
SELECT results_eq(
    $$ SELECT b.credits, b.visits, b.version FROM wallet.balances AS b $$,
    $$ VALUES (7::bigint, 2::bigint, 6::bigint) $$, 'the balance is the same after the sweep'
);

-- Packs and plans of the catalogue
SELECT results_eq(
    $$ SELECT p.name, p.total_credits, p.price, p.price_per_credit, p.savings_percentage FROM wallet.packs AS p
       WHERE p.unit = 'credit' ORDER BY p.display_order $$,
    $$ VALUES ('Starter', 25::bigint, 49.00, 1.96, 0), ('Explorer', 50, 99.00, 1.98, 0),
              ('Enthusiast', 100, 179.00, 1.79, 8), ('Power', 200, 299.00, 1.50, 23) $$, 'HobbyApp''s four packs'
);
SELECT results_eq(
    $$ SELECT p.product_id, p.total_credits, p.price, p.valid_days FROM wallet.packs AS p
       WHERE p.unit = 'visit' ORDER BY p.display_order $$,
    $$ VALUES ('singleVisit', 1::bigint, 15.99, 30), ('threeVisit', 3, 44.99, 60), ('fiveVisit', 5, 69.99, 90),
              ('tenVisit', 10, 129.99, 180) $$, 'the passes'
);
SELECT results_eq(
    $$ SELECT p.name, p.tier, p.amount, p.price, p.unlimited, p.entitlements FROM wallet.plans AS p ORDER BY p.tier $$,
    $$ VALUES ('Hobbyist Explorer', 1, 4::bigint, 49.00, FALSE, '{premium}'::text[]),
              ('Creative Enthusiast', 2, 10, 99.00, FALSE, '{premium}'),
              ('Unlimited Creator', 3, 0, 179.00, TRUE, '{premium}') $$,
    'three plans'
);

-- Purchases and their states (HobbyApp: purchases/{id})
SELECT pg_temp.lesson('a', 25), pg_temp.buy('bob', 'b1', 'starter'), pg_temp.buy('bob', 'b2', 'explorer');
CREATE FUNCTION pg_temp.bought(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', p.status, p.remaining || '/' || p.granted, 'owed ' || nullif(p.owed, 0),
        jsonb_array_length(p.used_by))
    FROM wallet.purchases AS p WHERE p.transaction_id = p_id;
$$;
SELECT is(pg_temp.bought('b1'), 'granted 25/25 0', 'granted');
SELECT pg_temp.book('bob', 'k', 'a');
SELECT is(pg_temp.bought('b1'), 'consumed 0/25 1', 'consumed, and by which booking');
SELECT is(
    (SELECT p.used_by FROM wallet.purchases AS p WHERE p.transaction_id = 'b1'),
    jsonb_build_array(jsonb_build_object('booking_id', pg_temp.id_of('k'), 'class_id', 'a', 'amount', 25,
        'reference', NULL, 'used_at', extract(EPOCH FROM wallet.now()))),
    'the purchase lists the amount of each use'
);
SELECT pg_temp.wait('1 second'), pg_temp.buy('bob', 'b1', 'starter', '{"refunded_millionths": 1000000}');
SELECT is(
    pg_temp.bought('b1'), 'refunded 0/25 owed 25 1', 'a refunded purchase shows the bookings that it paid for (rule 24)'
);
SELECT pg_temp.cancel('bob', 'k');
SELECT is(pg_temp.bought('b1'), 'refunded 0/25 0', 'a cancelled use is not listed');
SELECT pg_temp.wait('1 second'), pg_temp.buy('bob', 'b2', 'explorer', '{"refunded_millionths": 500000}');
SELECT is(pg_temp.bought('b2'), 'granted 25/50 0', 'half refunded and unused is not consumed');
SELECT pg_temp.lesson('c', 5), pg_temp.book('bob', 'c', 'c');
SELECT is(pg_temp.bought('b2'), 'partly_consumed 20/50 1', 'partly consumed');
SELECT pg_temp.buy('bob', 'b3', 'no.such');
SELECT is(pg_temp.bought('b3'), 'unknown-product 0/0 0', 'a purchase that was not granted has its reason');
SELECT results_eq(
    $$ SELECT a.environment::text, a.unit::text, a.kind, a.amount::bigint FROM wallet.counter_accounts AS a
       WHERE a.kind IN ('lapse', 'spend') ORDER BY a.kind $$,
    $$ VALUES ('production', 'credit', 'lapse', 8::bigint), ('production', 'credit', 'spend', 30) $$,
    'the other side of every movement'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
