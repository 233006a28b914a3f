-- wallet.booking_answer: the current booking and balance (rule 20).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20), pg_temp.gift('ann', 50), pg_temp.book('ann', 'k', 'a'), pg_temp.gift('ann', 7);
SELECT results_eq(
    $$ SELECT a.item, a.status, a.slug, a.replayed, a.booking_status, a.amount, a.credits, a.visits, a.version,
              cardinality(a.lot_ids), a.lot_amounts
       FROM wallet.booking_answer(299, TRUE, wallet.account_for('ann'), pg_temp.id_of('k')) AS a $$,
    $$ VALUES (NULL::integer, 299, NULL::text, TRUE, 'booked', 20::bigint, 37::bigint, 0::bigint, 3::bigint, 1,
               '{20}'::bigint[]) $$,
    'the booking with the present balance'
);
SELECT is(
    (wallet.booking_answer(200, TRUE, wallet.account_for('bob'), pg_temp.id_of('k'))).booking_id, NULL,
    'another account''s booking is not returned'
);
SELECT * FROM finish();
ROLLBACK;
