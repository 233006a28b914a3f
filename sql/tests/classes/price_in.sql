-- wallet.price_in: the price of a seat in a unit (rule 18).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20, 2), pg_temp.lesson('b', 30);
SELECT results_eq(
    $$ SELECT wallet.price_in(c, 'credit'), wallet.price_in(c, 'visit') FROM wallet.classes AS c
       WHERE c.class_id IN ('a', 'b') ORDER BY c.class_id $$,
    $$ VALUES (20::bigint, 2::bigint), (30, NULL) $$, 'credits, visits, and null for what a class does not take'
);
SELECT * FROM finish();
ROLLBACK;
