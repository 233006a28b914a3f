-- wallet.claim_refunded: the amount taken back from a claim, because it was refunded or exceeds its share of a
-- commitment (rules 24, 25 and 29). A source without commitments, such as RevenueCat, may be the first to report a
-- month.
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
UPDATE wallet.products SET period = 'P1Y', amount = 120, bonus = 0 WHERE app_store_id LIKE '%subscription.enthusiast';
CREATE FUNCTION pg_temp.part(p_claim text) RETURNS bigint LANGUAGE sql AS $$
    SELECT wallet.claim_refunded(jsonb_populate_record(NULL::wallet.claims, '{
        "grant_amount": 120, "quantity": 1, "grants_reported_amount": false, "refunded_millionths": 0
    }' || p_claim::jsonb));
$$;
SELECT is(pg_temp.part(i.claim), i.part::bigint, i.what) FROM (VALUES
    ('{}', 0, 'nothing'), ('{"refunded_millionths": 250000}', 30, 'a share'),
    ('{"commitment_amount": 120}', 0, 'a year that is paid up front'),
    ('{"commitment_amount": 120, "billing_period": 1, "billing_periods": 12}', 110,
        'a month that was granted the year'),
    ('{"commitment_amount": 120, "billing_period": 1, "billing_periods": 12, "refunded_millionths": 500000}', 115,
        'the excess and half of the month'),
    ('{"commitment_amount": 120, "billing_period": 1, "billing_periods": 12, "refunded_millionths": 1000000}', 120,
        'the excess and the whole month'),
    ('{"commitment_amount": 120, "billing_period": 2, "billing_periods": 12, "grant_amount": 10}', 0,
        'a month that was granted as one'),
    ('{"billing_period": 1, "billing_periods": 12}', 0, 'a product that is granted with every period')
) AS i (claim, part, what);

-- The sources' reports of one month, in every order
CREATE FUNCTION pg_temp.month(p_user text, p_what text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_user || '1', 'plan.enthusiast', pg_temp.days(0, 30, jsonb_build_object(
        'original_transaction_id', p_user || '1'
    ) || CASE p_what
        WHEN 'apple' THEN '{"billing_period": 1, "billing_periods": 12}'::jsonb
        WHEN 'refund' THEN '{"billing_period": 1, "billing_periods": 12, "refunded_millionths": 500000,
            "source_at": "2030-01-02T00:00:00Z"}'
        ELSE '{"refunded_millionths": null}'
    END)));
$$;
SELECT is(pg_temp.month('ann', 'other'), 'granted 120 visit', 'a source without commitments grants the whole product');
SELECT is(pg_temp.month('ann', 'apple'), 'granted 120 visit duplicate', 'the store reports a single month');
SELECT is(pg_temp.funds('ann'), '0 10 0 0', 'the excess is taken back');
SELECT is(
    pg_temp.month('ann', 'other'), 'granted 120 visit duplicate',
    'a repeated report of the other source changes nothing'
);
SELECT is(pg_temp.funds('ann'), '0 10 0 0', 'the grant stays that of one month');
SELECT pg_temp.month(o.who, w.what) FROM (VALUES
    ('u1', '{apple,other,refund}'), ('u2', '{apple,refund,other}'), ('u3', '{other,apple,refund}'),
    ('u4', '{other,refund,apple}'), ('u5', '{refund,apple,other}'), ('u6', '{refund,other,apple}')
) AS o (who, orders) CROSS JOIN unnest(o.orders::text[]) WITH ORDINALITY AS w (what, n) ORDER BY o.who, w.n;
SELECT is(pg_temp.funds('u' || n), '0 5 0 0', 'every order ends in the same: order ' || n)
FROM generate_series(1, 6) AS n;

-- Spent before the commitment was known
SELECT pg_temp.month('bob', 'other'), pg_temp.lesson('cls', NULL, 50), pg_temp.book('bob', 'k', 'cls');
SELECT is(pg_temp.funds('bob'), '0 70 0 0', '50 visits of the year are spent');
SELECT pg_temp.month('bob', 'apple');
SELECT is(pg_temp.funds('bob'), '0 0 0 40', 'spent visits above the month''s share are owed');
SELECT pg_temp.cancel('bob', 'k');
SELECT is(pg_temp.funds('bob'), '0 10 0 0', 'the cancelled booking pays the debt');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
