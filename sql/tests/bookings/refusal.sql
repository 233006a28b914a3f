-- wallet.refusal: the plan of a refused booking.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT results_eq(
    $$ SELECT p.status, p.slug, p.detail, p.amount, p.lot_ids
       FROM wallet.refusal(409, 'no', '{"a": 1}') AS p $$,
    $$ VALUES (409, 'no', '{"a": 1}'::jsonb, NULL::bigint, NULL::uuid[]) $$,
       'status, slug and members, and nothing to pay'
);
SELECT is((wallet.refusal(404, 'no')).detail, NULL, 'members may be missing');
SELECT * FROM finish();
ROLLBACK;
