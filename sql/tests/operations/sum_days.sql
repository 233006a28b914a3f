-- wallet.sum_days, and the reports that read the sums: admin.deferred_revenue and admin.movements_daily.
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
-- The roll-forward of a product, from the first month on.
CREATE FUNCTION pg_temp.rolls(p_product text, p_source text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(
        ' ', r.opening, r.sold, r.given, r.rolled, r.moved, r.used, r.lapsed, r.refunded, r.closing, '|',
        r.opening_minor, r.sold_minor, r.other_minor, r.used_minor, r.lapsed_minor, r.refunded_minor, r.closing_minor
    ), E'\n' ORDER BY r.month)
    FROM admin.deferred_revenue AS r
    WHERE r.product_id LIKE '%.' || p_product AND r.source = p_source AND r.environment = 'production';
$$;
-- Checks that the sums match the wallets.
CREATE FUNCTION pg_temp.closes() RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN NEXT cmp_ok(wallet.sum_days(1000), '>', 0, 'something is summed');
    RETURN NEXT is(wallet.sum_days(1000), 0, 'the next call has nothing to sum');
    RETURN NEXT is_empty('SELECT v.detail FROM wallet.broken_daily_sums AS v', 'the sums are those of the ledger');
    RETURN QUERY SELECT is(
        (SELECT coalesce(sum(r.closing), 0) FROM admin.deferred_revenue AS r
            WHERE r.unit = u.unit AND r.month = date_trunc('month', wallet.now() AT TIME ZONE 'UTC')),
        (SELECT sum(CASE u.unit WHEN 'credit' THEN w.credits ELSE w.visits END) FROM wallet.wallets AS w),
        'the last closing is what all wallets hold: ' || u.unit
    ) FROM unnest(enum_range(NULL::wallet.unit)) AS u (unit);
    RETURN NEXT is_empty(
        $q$ SELECT r.month FROM (
            SELECT o.*, lag(o.closing) OVER w AS before, lag(o.closing_minor) OVER w AS before_minor
            FROM admin.deferred_revenue AS o
            WINDOW w AS (PARTITION BY o.environment, o.unit, o.source, o.product_id, o.currency ORDER BY o.month)
        ) AS r WHERE (r.opening, r.opening_minor) IS DISTINCT FROM (coalesce(r.before, 0), coalesce(r.before_minor, 0))
            OR r.opening + r.sold + r.given + r.rolled + r.moved - r.used - r.lapsed - r.refunded <> r.closing $q$,
        'each opening is the closing before it, and what happened between leads to the closing'
    );
END;
$$;
UPDATE wallet.products AS p SET price_minor = 1000 WHERE p.product_id LIKE '%.starter';
SELECT is(wallet.sum_days(1000), 0, 'there is nothing to sum');
SELECT is_empty('SELECT * FROM admin.deferred_revenue', 'months without postings are not listed');

-- A purchase of 25 credits for 10.00, a booking of 20, and its cancellation in the next month
SELECT pg_temp.buy('ann', 't1', 'starter'), pg_temp.lesson('a', 20, p_ahead => '50 days');
SELECT pg_temp.book('ann', 'a', 'a');
SELECT is(wallet.sum_days(1), 1, 'the limit of one call holds');
SELECT pg_temp.wait('31 days');
SELECT pg_temp.cancel('ann', 'a');
SELECT pg_temp.closes();
SELECT is(
    pg_temp.rolls('starter', 'pack'),
    E'0 25 0 0 0 20 0 0 5 | 0.00 1000.00 0.00 800.00 0.00 0.00 200.00\n'
    '5 0 0 0 0 -20 0 0 25 | 200.00 0.00 0.00 -800.00 0.00 0.00 1000.00', 'sold, used, and returned a month later'
);
-- A refund after 20 were spent: the balance is taken; the debt does not count as negative credits
SELECT pg_temp.book('ann', 'a2', 'a'), pg_temp.wait('1 second');
SELECT pg_temp.buy('ann', 't1', 'starter', '{"refunded_millionths": 1000000}');
SELECT pg_temp.closes();
SELECT is(
    split_part(pg_temp.rolls('starter', 'pack'), E'\n', 2),
    '5 0 0 0 0 0 0 5 0 | 200.00 0.00 0.00 0.00 0.00 200.00 0.00', 'refunded'
);
-- Gifts, lapses, and lots that move with their account
SELECT pg_temp.gift('bob', 30, 'credit', '3 days'), pg_temp.gift('bob', 9, 'visit');
SELECT wallet.account_for('cy', TRUE), pg_temp.buy('cy', 't2', 'starter'), pg_temp.wait('4 days'), wallet.sweep(100);
SELECT wallet.merge_accounts('cy', 'dan');
SELECT pg_temp.closes();
SELECT is(
    (SELECT array_agg(concat_ws(' ', r.unit, r.given, r.lapsed, r.closing, r.currency) ORDER BY r.unit)
    FROM admin.deferred_revenue AS r WHERE r.source = 'adjustment'), ARRAY['credit 30 30 0', 'visit 9 0 9'], 'given'
);
SELECT is((SELECT sum(r.moved) FROM admin.deferred_revenue AS r), 0::numeric, 'moved amounts cancel out');
SELECT is(
    (SELECT array_agg(concat_ws(' ', m.granted, m.used, m.lapsed, m.refunded, m.outstanding) ORDER BY m.day)
    FROM admin.movements_daily AS m WHERE m.unit = 'visit'), ARRAY['9 0 0 0 9'], 'the movements of the day'
);
-- Summed days do not change when a lot moves, or when its store reports more pieces later.
SELECT wallet.account_for('gus', TRUE), pg_temp.buy('gus', 't3', 'starter'), pg_temp.lesson('m', 5);
SELECT pg_temp.book('gus', 'm', 'm');
SELECT pg_temp.closes();
SELECT wallet.merge_accounts('gus', 'hal');
SELECT pg_temp.closes();
SELECT pg_temp.buy('hal', 't4', 'starter'), pg_temp.buy('hal', 'p1', 'plan.explorer', '{"period_type": null}');
SELECT pg_temp.closes();
SELECT pg_temp.buy('hal', 't4', 'starter', '{"quantity": 3}');
SELECT pg_temp.buy('hal', 'p1', 'plan.explorer', '{"period_type": "trial"}');
SELECT pg_temp.closes();
SELECT is(
    (SELECT concat_ws(' ', c.quantity, c.period_type) FROM wallet.claims AS c WHERE c.transaction_id = t.id), t.learned,
    'learned later'
) FROM (VALUES ('t4', '3'), ('p1', '1 trial')) AS t (id, learned);
-- A virtual currency's amount that grows at the same price changes the price of a unit, on all summed days and in the
-- account from which the lot was moved. Entries that are not summed yet, and other wallets, are not affected.
UPDATE wallet.products AS p SET price_minor = 1000, grant_source = 'virtual_currency'
WHERE p.product_id LIKE '%.credits.enthusiast';
SELECT wallet.account_for('lea', TRUE), pg_temp.buy('lea', 'v1', 'enthusiast', '{"reported_amount": 10}'),
    pg_temp.buy('ned', 'v2', 'enthusiast', '{"reported_amount": 10, "environment": "sandbox"}'),
    pg_temp.lesson('v', 2), pg_temp.lesson('w', 3), wallet.sum_days(1000), pg_temp.wait('1 day');
SELECT pg_temp.book('lea', 'v', 'v'), wallet.sum_days(1000), wallet.merge_accounts('lea', 'max');
SELECT pg_temp.gift('max', n, p_environment => 'sandbox') FROM generate_series(1, 9) AS n;
SELECT pg_temp.closes();
SELECT is(
    pg_temp.rolls('enthusiast', 'pack'), '0 10 0 0 0 2 0 0 8 | 0.00 1000.00 0.00 200.00 0.00 0.00 800.00',
    'a unit costs a tenth'
);
SELECT pg_temp.book('max', 'w', 'w');
SELECT is(
    pg_temp.report('max', 'v1', 'enthusiast', '{"reported_amount": 20}'), 'granted 20 credit duplicate',
    'the amount grows'
);
SELECT is_empty('SELECT v.detail FROM wallet.broken_daily_sums AS v', 'the summed entries have their new values');
SELECT pg_temp.closes();
SELECT is(
    pg_temp.rolls('enthusiast', 'pack'), '0 20 0 0 0 5 0 0 15 | 0.00 1000.00 0.00 250.00 0.00 0.00 750.00',
    'a unit costs a twentieth'
);
-- Two refunds on one day, summed one after the other, and a user's two wallets, which are summed separately.
SELECT pg_temp.lesson('debt', 20), pg_temp.buy('ida', 't5', 'starter'), pg_temp.buy('jon', 't6', 'starter');
SELECT pg_temp.book('ida', 'debt1', 'debt'), pg_temp.book('jon', 'debt2', 'debt'), pg_temp.wait('1 second');
SELECT pg_temp.buy('ida', 't5', 'starter', '{"refunded_millionths": 1000000}');
SELECT pg_temp.closes();
SELECT pg_temp.buy('jon', 't6', 'starter', '{"refunded_millionths": 1000000}');
SELECT pg_temp.closes();
SELECT is(
    (SELECT k.owed_change FROM wallet.daily_sums AS k
    WHERE k.kind = 'refund' AND k.day = (wallet.now() AT TIME ZONE 'UTC')::date AND k.product_id LIKE '%.starter'),
    40::numeric, 'debts add up'
);
SELECT pg_temp.gift('kim', 3), pg_temp.gift('kim', 2, p_environment => 'sandbox');
SELECT pg_temp.closes();
SELECT pg_temp.gift('kim', 5, p_environment => 'sandbox');
SELECT pg_temp.closes();
-- A deletion erases names but changes no sum.
SELECT wallet.delete_account('ann'), pg_temp.gift('fay', 1);
SELECT pg_temp.closes();

-- A period that rolls over passes on its value, also if a commitment that is reported later changes it.
UPDATE wallet.products AS p SET price_minor = 3000, commitment_amount = 240
WHERE p.product_id LIKE '%.subscription.enthusiast';
SELECT pg_temp.buy('eve', 'e1', 'plan.enthusiast', pg_temp.days(40, 30, '{"original_transaction_id": "eve"}'));
SELECT pg_temp.day(71), pg_temp.buy('eve', 'e2', 'plan.enthusiast', pg_temp.days(70, 30, '{
    "original_transaction_id": "eve"}'));
SELECT pg_temp.closes();
SELECT cmp_ok(
    (SELECT sum(r.rolled) FROM admin.deferred_revenue AS r WHERE r.source = 'rollover'), '>', 0::numeric, 'rolled over'
);
SELECT is(
    (SELECT sum(r.other_minor) > 0 FROM admin.deferred_revenue AS r WHERE r.source = 'rollover'),
    (SELECT bool_or(c.price_minor > 0) FROM wallet.claims AS c WHERE c.transaction_id = 'e1'),
    'the rolled-over visits keep their value'
);
SELECT is(
    pg_temp.report('eve', 'e1', 'plan.enthusiast', pg_temp.days(40, 30, '{
        "original_transaction_id": "eve", "billing_period": 1, "billing_periods": 12}')),
    'granted 20 visit duplicate', 'the period has a larger share of a commitment'
);
SELECT is_empty('SELECT v.detail FROM wallet.broken_daily_sums AS v', 'the rolled-over visits have their new value');
SELECT pg_temp.closes();

-- A change that bypasses the ledger is detected, and the sums can be rebuilt.
CREATE TEMPORARY TABLE report AS SELECT r.* FROM admin.deferred_revenue AS r;
UPDATE wallet.daily_sums AS k SET amount = k.amount + 1 WHERE k.kind = 'grant' AND k.product_id LIKE '%.starter';
SELECT isnt_empty(
    'SELECT v.detail FROM wallet.violations AS v WHERE v.name = ''daily_sums''', 'a changed sum is found'
);
DELETE FROM wallet.summed_wallets;
DELETE FROM wallet.daily_sums;
SELECT pg_temp.closes();
SELECT set_eq('SELECT * FROM admin.deferred_revenue', 'SELECT * FROM report', 'made again');
UPDATE wallet.summed_wallets AS s SET version = s.version + 1 WHERE s.account_id = wallet.account_for('bob');
SELECT isnt_empty(
    'SELECT v.detail FROM wallet.violations AS v WHERE v.name = ''daily_sums''', 'a missing version is found, too'
);
SELECT is(
    pg_temp.raised('DELETE FROM wallet.daily_sums', 'wallet_service'), '42501', 'the service cannot forget'
);
SELECT * FROM finish();
ROLLBACK;
