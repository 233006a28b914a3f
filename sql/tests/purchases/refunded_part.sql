-- wallet.refunded_part: the refunded share of a claim's amount; whole pieces are refunded as whole pieces (rule 25).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.part(p_quantity integer, p_millionths integer, p_amount bigint) RETURNS bigint
LANGUAGE sql AS $$
    SELECT wallet.refunded_part(jsonb_populate_record(NULL::wallet.claims, jsonb_build_object(
        'quantity', p_quantity, 'refunded_millionths', p_millionths
    )), p_amount);
$$;
SELECT is(pg_temp.part(i.quantity, i.millionths, i.amount), i.part::bigint, i.what) FROM (VALUES
    (1, 0, 25, 0, 'nothing'), (1, 1000000, 25, 25, 'all of it'), (1, 100000, 25, 2, 'a share, rounded down'),
    (1, 999999, 25, 24, 'nearly all of one piece is not all of it'), (1, 9, 1000000, 9, 'however little'),
    (3, 333333, 30, 10, 'one of three pieces, rounded down by the source'),
    (3, 333334, 30, 10, 'one of three pieces, rounded up'),
    (3, 333330, 30, 10, 'one of three pieces, rounded to ten millionths'),
    (3, 666666, 30, 20, 'two of three'), (3, 666670, 30, 20, 'two of three, rounded up'),
    (3, 333320, 30, 9, 'a share that no pieces make is a share'), (3, 500000, 30, 15, 'as a half of three is'),
    (7, 142857, 7000000, 1000000, 'a seventh of much'), (7, 857142, 14, 12, 'six of seven'),
    (1000, 999000, 2000, 1998, 'all but one of the most pieces')
) AS i (quantity, millionths, amount, part, what);
SELECT is_empty(
    $$ SELECT q.n, k.n FROM generate_series(1, 60) AS q (n) CROSS JOIN LATERAL generate_series(0, q.n) AS k (n)
       WHERE pg_temp.part(q.n, k.n * 1000000 / q.n, q.n * 10) <> k.n * 10
           OR pg_temp.part(q.n, k.n * 100000 / q.n * 10, q.n * 10) <> k.n * 10 $$,
    'any number of any number of pieces takes exactly so many'
);

-- In the books
SELECT pg_temp.buy('ann', 't', 'starter', '{"quantity": 3}'), pg_temp.wait('1 second');
SELECT pg_temp.buy('ann', 't', 'starter', '{"quantity": 3, "refunded_millionths": 333333}');
SELECT is(pg_temp.funds('ann'), '50 0 0 0', 'one of three packs is taken back as a whole');
SELECT is(
    (SELECT r.refunded_minor FROM admin.revenue_daily AS r), (SELECT r.gross_minor / 3 FROM admin.revenue_daily AS r),
    'revenue counts a whole pack'
);
SELECT pg_temp.wait('1 second'), pg_temp.buy('ann', 't', 'starter', '{"quantity": 3, "refunded_millionths": 666666}');
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'the second pack is taken back');
SELECT pg_temp.wait('1 second'), pg_temp.buy('ann', 't', 'starter', '{"quantity": 3}');
SELECT is(pg_temp.funds('ann'), '75 0 0 0', 'both packs return');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
