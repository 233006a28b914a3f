-- wallet.settle: lapses only the remaining amount of an expired lot (rule 6).
BEGIN;
\ir ../../support/books.sql
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
SELECT * FROM finish();
ROLLBACK;
