-- The views of sql/views/admin/reports.sql and the counts of admin.subscriptions (contract: Operators).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
UPDATE wallet.products SET trial_amount = 2 WHERE kind = 'plan';
UPDATE wallet.products SET rollover_percentage = 50, rollover_cap = NULL WHERE tier = 2;
CREATE FUNCTION pg_temp.earned(p_where text DEFAULT 'TRUE') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_reported text;
BEGIN
    EXECUTE format($q$ SELECT string_agg(concat_ws(' ', to_char(r.day, 'MM-DD'), regexp_replace(r.product_id, '.*\.', ''),
        r.purchases, r.quantity, r.trials, r.gross_minor, r.refunds, r.refunded_minor, r.net_minor), ', '
        ORDER BY r.day, r.product_id COLLATE "C", r.gross_minor) FROM admin.revenue_daily AS r WHERE %s $q$, p_where) INTO v_reported;
    RETURN v_reported;
END;
$$;
CREATE FUNCTION pg_temp.broke(p_product text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', to_char(b.month, 'MM'), b.source, b.lots, b.granted, b.spent, b.lapsed, b.refunded,
        b.outstanding, b.owed, b.repaid, b.lapsed_percentage), ', ' ORDER BY b.month, b.source)
    FROM admin.breakage AS b WHERE b.product_id IS NOT DISTINCT FROM p_product AND b.environment = 'production';
$$;
CREATE FUNCTION pg_temp.months(p_tier integer) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', to_char(m.month, 'MM'), m.starts, m.renewals, m.cancellations, m.trials_started,
        m.trials_converted, m.expirations), ', ' ORDER BY m.month)
    FROM admin.subscription_months AS m INNER JOIN wallet.products AS p ON m.product_id = p.product_id
    WHERE p.tier = p_tier AND m.environment = 'production';
$$;

-- Revenue
SELECT is(pg_temp.earned(), NULL, 'nothing');
SELECT pg_temp.buy('ann', 'a1', 'starter'), pg_temp.buy('ann', 'a2', 'threeVisit', '{"quantity": 2}'),
    pg_temp.buy('bob', 'b1', 'starter', '{"environment": "sandbox"}'),
    pg_temp.buy('bob', 'b2', 'starter', '{"purchased_at": "2029-12-31T23:59:59Z"}'),
    pg_temp.buy('bob', 'b3', 'no.such'), pg_temp.buy('bob', 'b4', 'starter', '{"ownership": "family_shared"}'),
    pg_temp.buy('cat', 'c1', 'plan.explorer', pg_temp.days(0, 7,
    '{"original_transaction_id": "c", "period_type": "trial"}'));
SELECT is(
    pg_temp.earned('r.environment = ''production'''),
    '12-31 starter 1 1 0 4900 0 0 4900, 01-01 starter 1 1 0 4900 0 0 4900, 01-01 explorer 0 0 1 0 0 0 0, '
    || '01-01 threeVisit 1 2 0 8998 0 0 8998',
    'revenue by UTC day and product; trials and family shares earn nothing'
);
SELECT is(
    pg_temp.earned('r.environment = ''sandbox'''), '01-01 starter 1 1 0 4900 0 0 4900', 'the sandbox''s apart'
);
SELECT results_eq(
    $$ SELECT DISTINCT r.store, r.currency FROM admin.revenue_daily AS r $$, $$ VALUES ('app_store', 'USD') $$,
    'the report shows store and currency'
);
SELECT pg_temp.wait('1 second'), pg_temp.buy('ann', 'a1', 'starter');
UPDATE wallet.products SET price_minor = 9900, currency = 'EUR' WHERE product_id LIKE '%.starter';
SELECT pg_temp.buy('dan', 'd1', 'starter');
SELECT is(
    pg_temp.earned('r.product_id LIKE ''%starter'' AND r.environment = ''production'' AND r.day = ''2030-01-01'''),
    '01-01 starter 1 1 0 4900 0 0 4900, 01-01 starter 1 1 0 9900 0 0 9900',
    'each purchase counts once, with its own price and currency'
);
SELECT pg_temp.day(2), pg_temp.buy('ann', 'a1', 'starter',
    '{"refunded_millionths": 333333, "refunded_at": "2030-01-03T12:00:00Z", "purchased_at": "2030-01-01T12:00:00Z"}'),
    pg_temp.buy('ann', 'a2', 'threeVisit', '{"refunded_millionths": 1000000, "quantity": 2,
        "purchased_at": "2030-01-01T12:00:00Z"}');
SELECT is(
    pg_temp.earned('r.refunds > 0'),
    '01-03 starter 0 0 0 0 1 1633 -1633, 01-03 threeVisit 0 0 0 0 1 8998 -8998',
    'a refund counts on its own day, and shares are rounded down'
);
UPDATE wallet.claims SET refunded_at = NULL WHERE transaction_id = 'a2';
SELECT is(
    pg_temp.earned('r.product_id = ''threeVisit'''), '01-01 threeVisit 1 2 0 8998 1 8998 0',
    'a refund without a known day counts on the day of the purchase'
);
SELECT is(
    (SELECT sum(r.net_minor) FROM admin.revenue_daily AS r WHERE r.environment = 'production' AND r.currency = 'USD'),
    (4900 * 2 - 1633)::numeric, 'the net amount is gross less refunds'
);
SELECT wallet.account_for('anon', TRUE), pg_temp.buy('anon', 'n1', 'fiveVisit'), wallet.merge_accounts('anon', 'ann'),
    wallet.delete_account('ann');
SELECT is(
    pg_temp.earned('r.product_id = ''fiveVisit'''), '01-03 fiveVisit 1 1 0 6999 0 0 6999', 'erased users stay in it'
);

-- Breakage: spends, lapses, refunds with debts, moves, rollovers, gifts
SELECT pg_temp.lesson('dear', NULL, 2, 10, '5 days'), pg_temp.lesson('cheap', 20);
SELECT pg_temp.buy('eve', 'e1', 'tenVisit'), pg_temp.book('eve', 'k', 'dear', 2),
    wallet.consume_pass(wallet.account_for('eve'), 'production', 'e1', 'door'),
    pg_temp.gift('eve', 3, 'visit', '1 day');
SELECT is(pg_temp.broke('tenVisit'), '01 pass 1 10 5 0 0 5 0 0 0.00', 'bookings and uses spend');
SELECT is(pg_temp.broke(NULL), '01 adjustment 1 3 0 0 0 3 0 0 0.00', 'an adjustment by an administrator');
SELECT pg_temp.wait('1 second'), pg_temp.buy('eve', 'e1', 'tenVisit', '{"refunded_millionths": 800000}');
SELECT is(pg_temp.broke('tenVisit'), '01 pass 1 10 5 0 8 0 3 0 0.00', 'a refund takes back and leaves a debt');
SELECT pg_temp.gift('eve', 1, 'visit');
SELECT is(pg_temp.broke('tenVisit'), '01 pass 1 10 5 0 8 0 2 1 0.00', 'a new grant repays the debt');
SELECT is(pg_temp.broke(NULL), '01 adjustment 2 4 1 0 0 3 0 0 0.00', 'the adjusted visits are spent');
SELECT pg_temp.day(5);
SELECT is(pg_temp.broke(NULL), '01 adjustment 2 4 1 3 0 0 0 0 75.00', 'an expired adjustment');
SELECT pg_temp.buy('fay', 'f1', 'fiveVisit'), pg_temp.day(40), wallet.delete_account('fay');
SELECT wallet.restore(wallet.account_for('new fay'), jsonb_build_array(pg_temp.fact('f1', 'fiveVisit', '{
    "purchased_at": "2030-01-06T12:00:00Z"}')), NULL);
SELECT is(
    pg_temp.broke('fiveVisit'), '01 pass 2 10 0 0 0 10 0 0 0.00',
    'a moved lot is counted once, in the month of its grant'
);
SELECT pg_temp.buy('gus', 'g1', 'plan.enthusiast', pg_temp.days(40, 70, '{"original_transaction_id": "g"}')),
    pg_temp.day(70);
SELECT pg_temp.buy('gus', 'g2', 'plan.enthusiast', pg_temp.days(70, 100, '{"original_transaction_id": "g"}'));
SELECT is(
    pg_temp.broke('com.hobbyist.bookingapp.subscription.enthusiast'),
    '02 plan 1 10 0 10 0 0 0 0 100.00, 03 plan 1 10 0 0 0 10 0 0 0.00, 03 rollover 1 5 0 0 0 5 0 0 0.00',
    'a rollover is listed separately from the purchase'
);
SELECT pg_temp.gift('gus', 4, 'credit', NULL, 'sandbox');
SELECT pg_temp.buy('ivy', 'i1', 'singleVisit', jsonb_build_object('purchased_at', pg_temp.noon(39)));
SELECT pg_temp.wait('1 second');
SELECT pg_temp.buy('ivy', 'i1', 'singleVisit', '{"refunded_millionths": 1000000}');
SELECT is(
    pg_temp.broke('singleVisit'), '03 pass 1 1 0 0 1 0 0 0 0.00', 'a lapsed and then refunded pass counts as refunded'
);
SELECT is_empty(
    $$ SELECT b.* FROM admin.breakage AS b
       WHERE b.granted + b.owed + b.repaid <> b.spent + b.lapsed + b.refunded + b.outstanding $$, 'every line adds up'
);
SELECT results_eq(
    $$ SELECT b.environment, b.unit, sum(b.outstanding), sum(b.owed) FROM admin.breakage AS b
       GROUP BY b.environment, b.unit ORDER BY b.environment, b.unit $$,
    $$ SELECT w.environment, u.unit, sum(CASE u.unit WHEN 'credit' THEN w.credits ELSE w.visits END),
           sum(CASE u.unit WHEN 'credit' THEN w.owed_credits ELSE w.owed_visits END)
       FROM wallet.wallets AS w CROSS JOIN unnest(enum_range(NULL::wallet.unit)) AS u (unit)
       WHERE (w.environment, u.unit) <> ('sandbox', 'visit')
       GROUP BY w.environment, u.unit ORDER BY w.environment, u.unit $$,
    'the sum of all lines equals balances and debts'
);

-- New, renewed and ended subscriptions: cat's trial, gus's two periods
SELECT is(pg_temp.months(1), '01 1 0 0 1 0 1', 'a trial that ended');
SELECT is(pg_temp.months(2), '02 1 0 0 0 0 0, 03 0 1 0 0 0 0', 'a start and a renewal');
SELECT pg_temp.buy('hal', 'h1', 'plan.explorer', pg_temp.days(70, 77,
    '{"original_transaction_id": "h", "period_type": "trial"}')), pg_temp.day(77);
SELECT pg_temp.buy('hal', 'h2', 'plan.explorer', pg_temp.days(77, 107, '{"original_transaction_id": "h"}')),
    pg_temp.day(90);
SELECT is(pg_temp.months(1), '01 1 0 0 1 0 1, 03 1 0 0 1 1 0', 'a trial that was converted is no renewal');
SELECT pg_temp.report('hal', 'h2', 'plan.explorer', pg_temp.days(77, 107,
    '{"original_transaction_id": "h", "will_renew": false}'));
SELECT is(pg_temp.months(1), '01 1 0 0 1 0 1, 03 1 0 0 1 1 0, 04 0 0 1 0 0 0', 'cancelled in April');
SELECT results_eq(
    $$ SELECT s.user_id, s.started_at, s.renewals, s.cancelled_at, s.trial_converted_at
       FROM admin.subscriptions AS s ORDER BY s.started_at $$,
    $$ VALUES ('cat', pg_temp.noon(0), 0, NULL::timestamptz, NULL::timestamptz),
              ('gus', pg_temp.noon(40), 1, NULL, NULL),
              ('hal', pg_temp.noon(70), 0, pg_temp.noon(90), pg_temp.noon(77)) $$, 'each subscription has its own dates'
);
SELECT pg_temp.day(110);
SELECT is(pg_temp.months(1), '01 1 0 0 1 0 1, 03 1 0 0 1 1 0, 04 0 0 1 0 0 1', 'the subscription ended in April');
SELECT is(
    pg_temp.months(2), '02 1 0 0 0 0 0, 03 0 1 0 0 0 0, 04 0 0 0 0 0 1', 'the second subscription is counted separately'
);
SELECT pg_temp.buy('gus', 'g3', 'plan.enthusiast', pg_temp.days(110, 140, '{"original_transaction_id": "g"}'));
SELECT is(
    pg_temp.months(2), '02 1 0 0 0 0 0, 03 0 1 0 0 0 0, 04 0 1 0 0 0 1', 'a returning subscriber counts as a renewal'
);
SELECT pg_temp.day(140.5), pg_temp.buy('gus', 'g4', 'plan.enthusiast',
    pg_temp.days(140.5, 170, '{"original_transaction_id": "g"}'));
SELECT is(
    pg_temp.months(2), '02 1 0 0 0 0 0, 03 0 1 0 0 0 0, 04 0 1 0 0 0 1, 05 0 1 0 0 0 0', 'half a day late is no end'
);
SELECT wallet.enable_store('play_store', '2020-01-01');
SELECT pg_temp.buy('ida', 'GPA.1', 'plan.unlimited', pg_temp.days(141, 171, '{"store": "play_store",
    "original_transaction_id": "i1", "order_id": "GPA.1", "purchase_token": "i1"}')), pg_temp.day(150);
SELECT pg_temp.buy('ida', 'GPA.2', 'plan.explorer', pg_temp.days(150, 180, '{"store": "play_store",
    "original_transaction_id": "i2", "order_id": "GPA.2", "purchase_token": "i2", "linked_purchase_token": "i1"}')),
    pg_temp.day(175);
SELECT is(pg_temp.months(3), '05 1 0 0 0 0 0', 'a subscription that another replaced did not end');
SELECT is(
    pg_temp.months(1), '01 1 0 0 1 0 1, 03 1 0 0 1 1 0, 04 0 0 1 0 0 1, 05 0 1 0 0 0 0',
    'the merged account continues the subscription'
);

-- A later report of the same cancellation, such as a receipt or the comparison with the store, does not move it.
SELECT pg_temp.buy('zoe', 'z1', 'plan.unlimited', jsonb_build_object(
    'original_transaction_id', 'z', 'purchased_at', wallet.now(), 'expires_at', wallet.now() + INTERVAL '300 days'
));
SELECT pg_temp.report('zoe', 'z1', 'plan.unlimited', jsonb_build_object(
    'original_transaction_id', 'z', 'purchased_at', wallet.now(), 'expires_at', wallet.now() + INTERVAL '300 days',
    'will_renew', FALSE, 'source_at', wallet.now() + n * INTERVAL '40 days'
)) FROM unnest(ARRAY[3, 1, 2]) AS n;
SELECT is(
    (SELECT s.cancelled_at FROM admin.subscriptions AS s WHERE s.user_id = 'zoe'),
    wallet.now() + INTERVAL '40 days', 'a cancellation has the time of its first report'
);

-- After an import, the periods from before the cut-over count for the positions of later ones, and grant nothing.
INSERT INTO wallet.products (
    product_id, kind, name, unit, amount, price_minor, app_store_id, play_store_id, period, tier
) VALUES ('plan.moved', 'plan', 'Moved', 'visit', 4, 4900, 'moved', 'moved', 'P1M', 9);
UPDATE wallet.stores SET grants_from = pg_temp.noon(180);
SELECT pg_temp.day(181);
CREATE FUNCTION pg_temp.move(p_user text, p_id text, p_from numeric, p_to numeric, p_more jsonb DEFAULT '{}')
RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.report(p_user, p_id, 'moved', pg_temp.days(p_from, p_to, jsonb_build_object(
        'kind', 'subscription', 'period_type', 'normal', 'original_transaction_id', p_user
    ) || p_more));
$$;
SELECT is(pg_temp.move('jim', 'j1', 120, 150), 'skipped before-cut-over', 'a period from before the cut-over');
SELECT pg_temp.move('jim', 'j2', 150, 182), pg_temp.move('kay', 'k1', 160, 182, '{"period_type": "trial"}'),
    pg_temp.move('leo', 'l1', 150, 182, '{"store": "play_store", "order_id": "GPA.3", "purchase_token": "l1"}'),
    pg_temp.move('mia', 'm1', 150, 182, '{"ownership": "family_shared"}');
SELECT is(pg_temp.months(9), NULL, 'periods from before the cut-over are not counted');
SELECT pg_temp.day(182);
SELECT pg_temp.move('jim', 'j3', 182, 212), pg_temp.move('kay', 'k2', 182, 212),
    pg_temp.move('leo', 'l2', 182, 212, '{"store": "play_store", "order_id": "GPA.4", "purchase_token": "l2",
        "linked_purchase_token": "l1", "original_transaction_id": "l2"}'),
    pg_temp.move('mia', 'm2', 182, 212), pg_temp.move('ned', 'n2', 182, 212);
SELECT is(
    pg_temp.months(9), '07 2 2 0 0 1 0',
    'later periods of jim, kay and leo continue them; mia and ned start after the cut-over'
);
SELECT results_eq(
    $$ SELECT s.user_id, s.started_at, s.renewals, s.trial_converted_at FROM admin.subscriptions AS s
       WHERE s.product_id = 'plan.moved' AND s.store = 'app_store' ORDER BY s.user_id $$,
    $$ VALUES ('jim', pg_temp.noon(120), 2, NULL::timestamptz), ('kay', pg_temp.noon(160), 0, pg_temp.noon(182)),
              ('mia', pg_temp.noon(182), 0, NULL), ('ned', pg_temp.noon(182), 0, NULL) $$,
    'started_at, renewals and trial_converted_at include them'
);

-- The revenue of a billing period is its share of the price, in whatever order the sources report it.
INSERT INTO wallet.products (
    product_id, kind, name, unit, amount, price_minor, app_store_id, period, commitment_amount
) VALUES
('year.same', 'plan', 'Year', 'visit', 120, 120007, 'year.same', 'P1Y', NULL),
('year.more', 'plan', 'Year', 'visit', 120, 120007, 'year.more', 'P1Y', 144),
('month', 'plan', 'Month', 'visit', 10, 10000, 'month', 'P1M', 60);
CREATE FUNCTION pg_temp.part(p_product text, p_id text, p_more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.report(p_id, p_id, p_product, pg_temp.days(182, 212, jsonb_build_object(
        'kind', 'subscription', 'period_type', 'normal', 'original_transaction_id', p_id
    ) || p_more));
$$;
CREATE FUNCTION pg_temp.gross(p_product text) RETURNS numeric LANGUAGE sql AS $$
    SELECT r.gross_minor FROM admin.revenue_daily AS r WHERE r.product_id = p_product;
$$;
SELECT pg_temp.part(p.product, p.product || ' early', '{"billing_period": 12, "billing_periods": 12, "quantity": 2}')
FROM unnest('{year.same, year.more, month}'::text[]) AS p (product);
SELECT is(pg_temp.gross(p.product), p.gross, p.product || ': the commitment is reported with the purchase')
FROM (VALUES ('year.same', 20002::numeric), ('year.more', 20002), ('month', 20000)) AS p (product, gross);
SELECT pg_temp.part(p.product, p.product || ' late', '{"quantity": 2}')
FROM unnest('{year.same, year.more, month}'::text[]) AS p (product);
SELECT is(pg_temp.gross('year.same'), 20002::numeric + 2 * 120007, 'without a commitment: the whole price');
SELECT pg_temp.wait('1 second');
SELECT pg_temp.part(p.product, p.product || ' late', '{"billing_period": 12, "billing_periods": 12, "quantity": 2}')
FROM unnest('{year.same, year.more, month}'::text[]) AS p (product);
SELECT is(pg_temp.gross(p.product), p.gross, p.product || ': the same for a commitment that is reported later')
FROM (VALUES ('year.same', 2 * 20002::numeric), ('year.more', 2 * 20002), ('month', 2 * 20000)) AS p (product, gross);
SELECT pg_temp.wait('1 second');
SELECT pg_temp.part('year.same', 'year.same late', jsonb_build_object(
    'quantity', 2, 'refunded_millionths', 500000, 'refunded_at', wallet.now(), 'source_at', wallet.now()
));
SELECT is(
    pg_temp.earned('r.product_id = ''year.same'''), '07-02 same 2 4 0 40004 1 10001 30003',
    'a refund is a share of the corrected price'
);

-- Who may read the reports; no report names a user
SELECT is_empty(
    $$ SELECT c.oid::regclass, a.attname FROM pg_catalog.pg_class AS c
       INNER JOIN pg_catalog.pg_attribute AS a ON c.oid = a.attrelid
       WHERE c.oid IN ('admin.revenue_daily'::regclass, 'admin.breakage'::regclass, 'admin.subscription_months'::regclass)
           AND a.attname IN ('user_id', 'account_id') $$, 'no report names a user'
);
SELECT is(pg_temp.raised(format('SELECT * FROM %s', v.name), r.role), 'nothing', r.role || ' reads ' || v.name)
FROM (
    VALUES ('admin.revenue_daily'), ('admin.breakage'), ('admin.subscription_months'), ('admin.subscriptions')
) AS v (name)
CROSS JOIN (VALUES ('wallet_admin'), ('wallet_auditor')) AS r (role);

-- The stored reports that the operators' lists read: they show the state of the last refresh.
SELECT ok(wallet.refresh_reports() AND wallet.refresh_reports(), 'the reports are made, and made again');
SELECT bag_eq(
    format('SELECT (to_jsonb(r) - ''place'')::text FROM wallet.%I AS r', v.kept),
    format('SELECT to_jsonb(v)::text FROM admin.%I AS v', v.live), v.kept
) FROM (VALUES ('revenue_report', 'revenue_daily'), ('breakage_report', 'breakage'),
    ('subscription_report', 'subscription_months')) AS v (kept, live);
SELECT cmp_ok((SELECT count(*) FROM wallet.revenue_report), '>', 0::bigint, 'the reports are not empty');
SELECT pg_temp.buy('late', 'late-1', 'starter');
SELECT isnt(
    (SELECT sum(r.purchases) FROM admin.revenue_daily AS r), (SELECT sum(r.purchases) FROM wallet.revenue_report AS r),
    'later purchases appear after the next refresh'
);
SELECT pg_temp.sound('facts');
SELECT * FROM finish();
ROLLBACK;
