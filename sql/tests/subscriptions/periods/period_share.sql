-- wallet.period_share, called by wallet.grant_claim: each billing period of a commitment grants its share, and the
-- shares add up exactly (rule 29).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
SELECT is_empty(
    $$ SELECT w.whole, n.periods FROM generate_series(0, 130) AS w (whole)
       CROSS JOIN generate_series(1, 24) AS n (periods)
       CROSS JOIN LATERAL (
           SELECT sum(wallet.period_share(w.whole, k.period, n.periods)) AS granted,
               min(wallet.period_share(w.whole, k.period, n.periods)) AS least,
               max(wallet.period_share(w.whole, k.period, n.periods)) AS most
           FROM generate_series(1, n.periods) AS k (period)
       ) AS s
       WHERE s.granted <> w.whole OR s.most - s.least > 1 OR s.least <> w.whole / n.periods $$,
    'any amount over any number of periods is granted exactly, and evenly'
);
SELECT is(wallet.period_share(2000000000, 1000, 1000), 2000000::bigint, 'the largest amount has exact shares');

-- A year of the plan is 125 visits for 1,200.00, sold in advance or month by month
UPDATE wallet.products SET period = 'P1Y', amount = 120, bonus = 5, price_minor = 120000, trial_amount = 3
WHERE product_id = 'plan.enthusiast' OR app_store_id LIKE '%subscription.enthusiast';
CREATE FUNCTION pg_temp.month(p_user text, p_month integer, p_more jsonb DEFAULT '{}') RETURNS text
LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_user || p_month, 'plan.enthusiast', pg_temp.days(
        (p_month - 1) * 30, p_month * 30, jsonb_build_object(
            'original_transaction_id', p_user || 1, 'billing_period', (p_month - 1) % 12 + 1, 'billing_periods', 12
        ) || p_more
    )));
$$;
CREATE FUNCTION pg_temp.sold(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', sum(l.granted), sum(c.price_minor)) FROM wallet.claims AS c
    LEFT JOIN wallet.lots AS l ON c.claim_id = l.claim_id
    WHERE c.account_id = wallet.account_for(p_user) AND c.granted_at IS NOT NULL;
$$;
SELECT is(
    pg_temp.says(pg_temp.buy('una', 'u', 'plan.enthusiast', pg_temp.days(0, 365, '{"original_transaction_id": "u"}'))),
    'granted 125 visit', 'a year paid in advance grants the whole amount'
);
SELECT is(
    (SELECT string_agg(split_part(pg_temp.month('ann', m.month), ' ', 2), ' ' ORDER BY m.month)
    FROM generate_series(1, 12) AS m (month)),
    '10 10 11 10 11 10 10 11 10 11 10 11', 'a month grants its share of the year'
);
SELECT is(pg_temp.sold('ann'), '125 120000', 'the twelve together a year, for the price of a year');
SELECT wallet.sum_days(100);
SELECT is(
    (SELECT concat_ws(' ', d.sold, d.sold_minor) FROM admin.deferred_revenue AS d WHERE d.source = 'plan'),
    '250 240000.00', 'deferred revenue equals that of an upfront payment'
);
SELECT is(pg_temp.month('ann', 3), 'granted 11 visit duplicate', 'each month grants once');
SELECT is(
    pg_temp.says(pg_temp.buy(NULL, 'ann3', 'plan.enthusiast', pg_temp.days(
        60, 90, '{"original_transaction_id": "ann1"}'
    ))),
    'granted 11 visit duplicate', 'a source without the commitment changes nothing'
);
SELECT is(pg_temp.month('ann', 13), 'granted 10 visit', 'the next commitment begins at its first month');
SELECT is(
    pg_temp.month('tom', 1, '{"period_type": "trial", "billing_period": null, "billing_periods": null}'),
    'granted 3 visit', 'a trial grants the trial''s amount'
);
SELECT is(
    pg_temp.month('tim', 1, '{"period_type": "trial"}'), 'granted 3 visit',
    'a trial grants its own amount, even with a period number'
);
SELECT is(pg_temp.month('bea', 12), 'granted 11 visit', 'months are independent of each other');

-- A different amount for monthly billing
UPDATE wallet.products SET commitment_amount = 144 WHERE app_store_id LIKE '%subscription.enthusiast';
SELECT is(pg_temp.month('cat', 1), 'granted 12 visit', 'a commitment may have a separate amount');
SELECT is(pg_temp.sold('cat'), '12 10000', 'for its share of the price');
SELECT is(
    pg_temp.says(pg_temp.buy('cem', 'ce', 'plan.enthusiast', pg_temp.days(
        0, 365, '{"original_transaction_id": "ce"}'
    ))),
    'granted 125 visit', 'the amount does not apply to upfront payments'
);
-- An installment plan whose catalogue entry is monthly
UPDATE wallet.products SET period = 'P1M', amount = 10, bonus = 0, commitment_amount = NULL
WHERE app_store_id LIKE '%subscription.enthusiast';
SELECT is(pg_temp.month('dan', 1), 'granted 10 visit', 'a plan of a month is what a month grants');
SELECT is(pg_temp.month('dan', 12), 'granted 10 visit', 'each month grants the same');
-- The price is that of the product's period, whatever the amount
UPDATE wallet.products SET commitment_amount = 130 WHERE app_store_id LIKE '%subscription.enthusiast';
SELECT pg_temp.month('ivo', n) FROM generate_series(1, 12) AS n;
SELECT is(pg_temp.sold('ivo'), '130 1440000', 'a monthly plan with an amount for the year costs twelve months');
SELECT is(
    pg_temp.month('jan', 12, '{"billing_period": null, "billing_periods": null}'), 'granted 10 visit',
    'a source without the commitment grants the plan''s amount'
);
SELECT cmp_ok(wallet.sum_days(1000), '>', 0, 'the grant is in the daily sums');
SELECT is(pg_temp.month('jan', 12), 'granted 11 visit duplicate', 'if the share is more, the rest is added');
SELECT is(pg_temp.sold('jan'), '11 120000', 'for the price of a month');
UPDATE wallet.products SET period = 'P1Y' WHERE app_store_id LIKE '%subscription.enthusiast';
SELECT pg_temp.month('joe', 12, '{"billing_period": null, "billing_periods": null}'), wallet.sum_days(1000);
SELECT pg_temp.month('joe', 12);
SELECT is(pg_temp.sold('joe'), '11 10000', 'a month of a product of a year then also costs its share');
UPDATE wallet.products SET period = 'P2M', commitment_amount = NULL WHERE app_store_id LIKE '%subscription.enthusiast';
SELECT is(pg_temp.month('kim', 1, '{"billing_periods": 2}'), 'granted 5 visit', 'half of a plan of two months');
SELECT is(pg_temp.sold('kim'), '5 60000', 'for half of its price');
UPDATE wallet.products SET unlimited = TRUE, amount = 120, period = 'P1Y', commitment_amount = NULL
WHERE app_store_id LIKE '%subscription.enthusiast';
SELECT is(pg_temp.month('eva', 1), 'granted 0', 'an unlimited plan grants no amount');
SELECT is(pg_temp.month('eva', 1), 'granted 0 duplicate', 'not even with a second report');
SELECT pg_temp.month('uli', n) FROM generate_series(1, 12) AS n;
SELECT is(pg_temp.sold('uli'), '120000', 'twelve months of an unlimited year cost a year');

-- Invalid shares
SELECT is(
    pg_temp.raised(format($$ SELECT pg_temp.buy('ann', 't', 'plan.enthusiast', %L) $$, i.more)),
    'WL422 purchase-data-out-of-range', i.more::text
)
FROM unnest(ARRAY[
    '{"billing_period": 1}', '{"billing_periods": 12}', '{"billing_period": 0, "billing_periods": 12}',
    '{"billing_period": 13, "billing_periods": 12}', '{"billing_period": 1, "billing_periods": 1001}',
    '{"billing_period": "first", "billing_periods": 12}', '{"commitment_renews": "perhaps"}'
]::jsonb[]) AS i (more);
SELECT is(
    pg_temp.raised(format(
        'UPDATE wallet.products SET commitment_amount = %s WHERE app_store_id LIKE %L', i.amount, i.who
    )), '23514', 'no commitment of ' || i.amount || ' for ' || i.who
)
FROM (VALUES (0, '%explorer'), (1000001, '%explorer'), (5, '%credits.starter'), (5, '%unlimited')) AS i (amount, who);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
