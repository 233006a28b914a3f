-- wallet.period_before: the previous granted period of the same subscription.
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.neighbour(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT (wallet.period_before(pg_temp.claim(p_id))).transaction_id;
$$;
SELECT pg_temp.buy('ann', 'p3', 'plan.explorer', pg_temp.days(60, 90));
SELECT is(pg_temp.neighbour('p3'), NULL, 'a single period has none');
SELECT pg_temp.buy('ann', 'p1', 'plan.explorer', pg_temp.days(0, 30));
SELECT pg_temp.buy('ann', 'p2', 'plan.enthusiast', pg_temp.days(30, 60));
SELECT pg_temp.buy('ann', 'q1', 'plan.explorer', pg_temp.days(45, 75, '{"original_transaction_id": "other"}'));
SELECT pg_temp.buy('ann', 's1', 'plan.explorer', pg_temp.days(46, 76, '{"environment": "sandbox"}'));
SELECT pg_temp.report('ann', 'w1', 'plan.explorer', pg_temp.days(47, 77, '{"pending": true}'));
SELECT is(pg_temp.neighbour(n.id), n.neighbour, n.id || ': ' || coalesce(n.neighbour, 'none'))
FROM (VALUES ('p1', NULL), ('p2', 'p1'), ('p3', 'p2'), ('q1', NULL), ('s1', NULL), ('w1', 'p2')) AS n (id, neighbour);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
