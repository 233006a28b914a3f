-- wallet.read_bookings: which lots and plans may pay for a class. operations/freeze.sql tests freezes themselves.
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
SELECT pg_temp.buy('ann', 'a', 'threeVisit'), pg_temp.lesson('d' || n, 20, 1, p_ahead => make_interval(days => n))
FROM generate_series(1, 5) AS n;
UPDATE wallet.lots AS l SET frozen_from = pg_temp.noon(2), frozen_until = pg_temp.noon(4), frozen_seconds = 172800
WHERE l.product_id = 'threeVisit';
SELECT
    is(pg_temp.answer(pg_temp.ask('quote', 'ann', NULL, 'd' || n, 1, 'visits')), CASE
        WHEN n BETWEEN 2 AND 3 THEN '409 lot-frozen' ELSE '200 1 visit'
    END, format('a class on day %s, with a lot that is frozen from day 2 to day 4', n))
FROM generate_series(1, 5) AS n;
-- Whether a plan may pay
SELECT pg_temp.buy('pia', 'p', 'plan.unlimited');
CREATE FUNCTION pg_temp.has_plan(p_at timestamptz) RETURNS boolean LANGUAGE sql AS $$
    SELECT g.has_plan FROM wallet.read_bookings(pg_temp.requests(
        ARRAY[wallet.account_for('pia')], '{production}', '{book}', ARRAY[pg_temp.id_of('k')], '{k}', '{d1}', '{1}'
    ), NULL, FALSE, p_at) AS g;
$$;
SELECT is(pg_temp.has_plan(s.period_end - interval '1 second'), TRUE, 'a plan in its period')
FROM wallet.subscriptions AS s;
SELECT is(pg_temp.has_plan(s.period_end), FALSE, 'a plan whose period is over') FROM wallet.subscriptions AS s;
SELECT * FROM finish();
ROLLBACK;
