-- wallet.post, wallet.post_lot, wallet.allocate_lots, wallet.decide_booking, wallet.decide_batch,
-- wallet.read_bookings, wallet.read_cancellations, wallet.lapse_due, wallet.settle,
-- wallet.adjust, wallet.has_unlimited: what happens in one environment of an account leaves the other alone (rule 2).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.both(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.funds(p_user) || ' | ' || pg_temp.funds(p_user, 'sandbox');
$$;
CREATE FUNCTION pg_temp.sold(p_class_id text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.seats_sold(p_class_id) || ' | ' || pg_temp.seats_sold(p_class_id, 'sandbox');
$$;
SELECT pg_temp.lesson('a', 20, 1), pg_temp.lesson('b', 20, 1);
SELECT pg_temp.gift('ann', 100), pg_temp.gift('ann', 30, 'credit', NULL, 'sandbox');
SELECT pg_temp.gift('ann', 4, 'visit', '5 days', 'sandbox');
SELECT is(pg_temp.both('ann'), '100 0 0 0 | 30 4 0 0', 'an account has a wallet in each');

-- Bookings of one class in both environments, also under one key
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'k', 'a', 1, 'credits')), '201 booked 20 credit', 'booked in production'
);
SELECT is(pg_temp.both('ann'), '80 0 0 0 | 30 4 0 0', 'production paid');
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 's', 'a', 1, 'credits', NULL, 'sandbox')), '201 booked 20 credit',
    'a class that is booked in production is not booked in the sandbox'
);
SELECT is(pg_temp.both('ann'), '80 0 0 0 | 10 4 0 0', 'the sandbox paid');
SELECT is(pg_temp.sold('a'), '1 | 1', 'a seat of each');
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'v', 'b', 1, 'visits')), '402 insufficient-credits',
    'visits of the sandbox pay nothing in production'
);
SELECT is(
    (pg_temp.book('ann', 'v', 'b', 1, l.lot_id::text)).slug, 'payment-not-accepted',
        'a requested lot of the other environment does not pay'
) FROM wallet.lots AS l
WHERE l.account_id = wallet.account_for('ann') AND l.environment = 'sandbox' AND l.unit = 'visit';
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'w', 'b', 2, 'credits', NULL, 'sandbox')), '402 insufficient-credits',
    'credits of production pay nothing in the sandbox'
);
SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 'k', 'sandbox')), '404 booking-not-found', 'a booking is of its environment'
);
SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 's', 'sandbox')), '200 cancelled 20 credit returned 20',
    'the cancellation returns its own price'
);
SELECT is(pg_temp.both('ann'), '80 0 0 0 | 30 4 0 0', 'the price returns to the sandbox wallet');
SELECT is(pg_temp.sold('a'), '1 | 0', 'the sandbox seat is free');
SELECT is(pg_temp.both('ann'), '80 0 0 0 | 30 4 0 0', 'no other wallet changed');

-- The same key in both environments
SELECT is(
    (SELECT pg_temp.answer(o) FROM pg_temp.batch(
        ARRAY[wallet.account_for('ann')], '{sandbox}', '{book}', ARRAY[gen_random_uuid()], '{k}', '{b}', '{1}',
        '{visits}', '{NULL}'
    ) AS o), '201 booked 1 visit', 'a key is of its environment'
);
SELECT is(pg_temp.both('ann'), '80 0 0 0 | 30 3 0 0', 'a visit of the sandbox paid');

-- Debts, in credits and in visits
SELECT pg_temp.buy('bob', 'p', 'starter'), pg_temp.buy('bob', 's', 'starter', '{"environment": "sandbox"}');
SELECT pg_temp.buy('bob', 't', 'threeVisit', '{"environment": "sandbox"}');
SELECT pg_temp.book('bob', 'p', 'a', 1, 'credits');
SELECT pg_temp.book('bob', 's', 'a', 1, 'credits', NULL, 'sandbox');
SELECT pg_temp.book('bob', 't', 'b', 2, 'visits', NULL, 'sandbox');
SELECT is(pg_temp.both('bob'), '5 0 0 0 | 5 1 0 0', 'spent in both');
SELECT pg_temp.wait('1 second');
SELECT pg_temp.buy('bob', 's', 'starter', '{"environment": "sandbox", "refunded_millionths": 1000000}');
SELECT is(pg_temp.both('bob'), '5 0 0 0 | 0 1 20 0', 'a refund in the sandbox is owed there');
SELECT pg_temp.buy('bob', 't', 'threeVisit', '{"environment": "sandbox", "refunded_millionths": 1000000}');
SELECT is(pg_temp.both('bob'), '5 0 0 0 | 0 0 20 2', 'the sandbox owes credits and visits');
SELECT pg_temp.gift('bob', 40);
SELECT is(pg_temp.both('bob'), '45 0 0 0 | 0 0 20 2', 'a gift in production repays nothing there');
SELECT pg_temp.gift('bob', 50, 'credit', NULL, 'sandbox'), pg_temp.gift('bob', 5, 'visit', NULL, 'sandbox');
SELECT is(pg_temp.both('bob'), '45 0 0 0 | 30 3 0 0', 'a grant in the sandbox repays its debt');
SELECT pg_temp.cancel('bob', 't', 'sandbox'), pg_temp.cancel('bob', 's', 'sandbox');
SELECT is(pg_temp.both('bob'), '45 0 0 0 | 50 5 0 0', 'the sandbox gets its repayment back with the cancelled debt');
SELECT pg_temp.sound();

-- Adjustments and expiry
SELECT pg_temp.gift('cid', 10, 'credit', '1 day'), pg_temp.gift('cid', 7, 'credit', '1 day', 'sandbox');
SELECT wallet.adjust(wallet.account_for('cid'), 'sandbox', 'credit', -3, 'minus', 'test', 'less');
SELECT is(pg_temp.both('cid'), '10 0 0 0 | 4 0 0 0', 'an adjustment takes from its own environment');
SELECT is(
    pg_temp.raised(format(
        'SELECT wallet.adjust(%s, %L, %L, -5, %L, %L, %L)', wallet.account_for('cid'), 'sandbox', 'credit', 'more',
        'test',
        'less'
    )) LIKE 'WL409 balance-too-low%', TRUE, 'a debit above the sandbox balance is refused'
);
SELECT pg_temp.wait('1 day');
SELECT wallet.lapse_due(wallet.account_for('cid'), 'sandbox');
SELECT results_eq(
    $$ SELECT w.environment::text, w.credits, w.next_expiry = 'infinity' FROM wallet.wallets AS w
       WHERE w.account_id = wallet.account_for('cid') ORDER BY w.environment $$,
    $$ VALUES ('production', 10::bigint, FALSE), ('sandbox', 0, TRUE) $$,
    'due expiries are posted in their own environment'
);
SELECT is(pg_temp.both('cid'), '0 0 0 0 | 0 0 0 0', 'the other environment''s lot is still due');

-- An unlimited plan of one environment does not cover the other
SELECT pg_temp.buy('uma', 'u', 'plan.unlimited', '{"environment": "sandbox"}');
SELECT pg_temp.lesson('u', 20, 1);
SELECT is(pg_temp.answer(pg_temp.book('uma', 'u', 'u')), '402 insufficient-credits', 'production has to pay');
SELECT is(
    pg_temp.answer(pg_temp.book('uma', 'u', 'u', 1, NULL, NULL, 'sandbox')), '201 booked 0', 'the sandbox has not'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
