-- wallet.booking_refusal: the answer to a refused item.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT results_eq(
    $$ SELECT r.status, r.slug, r.detail, r.replayed, r.booking_id
       FROM wallet.booking_refusal(402, 'no', '{"a": 1}') AS r $$,
    $$ VALUES (402, 'no', '{"a": 1}'::jsonb, FALSE, NULL::uuid) $$, 'status, slug and members, and no booking'
);
SELECT * FROM finish();
ROLLBACK;
