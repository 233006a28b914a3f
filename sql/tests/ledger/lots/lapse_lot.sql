-- wallet.settle: lapses only the remaining amount of an expired lot, which a plan's lot rolls over (rules 6 and 29).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
SELECT set_config('t.lot', pg_temp.gift('ann', 10, 'credit', '1 day')::text, TRUE), pg_temp.gift('ann', 5);
SELECT pg_temp.lesson('a', 4, NULL, 10, '1 hour'), pg_temp.book('ann', 'k', 'a');
CREATE FUNCTION pg_temp.lapse() RETURNS text LANGUAGE sql AS $$
    SELECT wallet.settle(wallet.account_for('ann'), current_setting('t.lot')::uuid);
    SELECT pg_temp.story('ann', 3);
$$;
SELECT is(pg_temp.lapse(), NULL, 'a lot that has not expired stays');
SELECT pg_temp.wait('1 day'), pg_temp.lapse();
SELECT is(pg_temp.lapse(), 'lapse -6', 'the remaining amount lapses once');
SELECT results_eq(
    $$ SELECT l.granted, l.spent, l.lapsed, l.remaining FROM wallet.lots AS l
       WHERE l.lot_id = current_setting('t.lot')::uuid $$,
    $$ VALUES (10::bigint, 4::bigint, 6::bigint, 0::bigint) $$, 'the lot''s columns show the lapse'
);
SELECT pg_temp.sound();

-- A plan's lot that lapses after the end of the next period
SELECT pg_temp.buy('bob', i.id, 'plan.enthusiast', pg_temp.days(i.day, i.day + 30))
FROM (VALUES ('b1', 0), ('b2', 30)) AS i (id, day);
SELECT pg_temp.wait('60 days'), wallet.settle(l.account_id, l.lot_id, p_booking_id => pg_temp.id_of('k'))
FROM wallet.lots AS l WHERE l.claim_id = (pg_temp.claim('b1')).claim_id;
SELECT results_eq(
    $$ SELECT e.kind::text, e.amount, e.booking_id = pg_temp.id_of('k') FROM wallet.entries AS e
       WHERE e.account_id = wallet.account_for('bob') ORDER BY e.version OFFSET 2 $$,
    $$ VALUES ('lapse', -10::bigint, TRUE), ('rollover', 5, NULL), ('lapse', -5, NULL) $$,
    'half of it rolls over and lapses, too; only the first lapse names the booking'
);
SELECT results_eq(
    $$ SELECT o.type::text, o.details ->> 'amount' FROM wallet.outbox AS o
       WHERE o.account_id = wallet.account_for('bob') AND o.type LIKE 'credits.%' ORDER BY o.event_id OFFSET 2 $$,
    $$ VALUES ('credits.expired', '10'), ('credits.expired', '5'), ('credits.granted', '5') $$,
    'each lapse and the rollover send an event'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
