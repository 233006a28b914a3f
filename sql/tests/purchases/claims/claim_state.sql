-- wallet.claim_state: the granted and refunded amounts of a claim, and the state of its subscription.
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.standing(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', s.granted, s.refunded_millionths, s.status, s.will_renew, to_char(s.period_end, 'MM-DD'))
    FROM wallet.claim_state((pg_temp.claim(p_id)).claim_id) AS s;
$$;
SELECT pg_temp.buy('ann', 't1', 'starter', '{"refunded_millionths": 40000}'), pg_temp.buy(NULL, 't2', 'starter');
SELECT pg_temp.buy('ann', 'p1', 'plan.unlimited', pg_temp.days(0, 30, '{"will_renew": false}'));
SELECT is(pg_temp.standing('t1'), '25 40000', 'a pack: amount and share');
SELECT is(pg_temp.standing('t2'), '0 0', 'a claim that was not granted');
SELECT is(pg_temp.standing('p1'), '1 0 active f 01-31', 'a granted plan without visits');
SELECT is(wallet.claim_state(NULL), NULL, 'a missing claim has no state');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
