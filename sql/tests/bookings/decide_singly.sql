-- wallet.decide_singly: items one after the other, each by itself (sql/tests/bookings/book_batch.sql has the rest).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 100), pg_temp.lesson('a', 20), pg_temp.lesson('b', 20);
CREATE FUNCTION pg_temp.single(p_wallets text[], p_seats text[], p_decided integer[]) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(d.item || ' ' || pg_temp.answer(d), ', ' ORDER BY d.item)
    FROM wallet.decide_singly(
        ARRAY[wallet.account_for('ann'), NULL, wallet.account_for('ann')],
        '{production,production,production}', '{book,book,book}',
        ARRAY[pg_temp.id_of('k1'), pg_temp.id_of('k2'), pg_temp.id_of('k3')], '{k1,k2,k3}', '{a,a,b}', '{1,1,1}',
        '{null,null,null}', '{null,null,null}', p_wallets, p_seats, p_decided
    ) AS d;
$$;
SELECT is(
    pg_temp.single('{}', '{production a,production b}', '{}'),
    '1 503 wallet-busy, 2 401 unauthenticated, 3 503 wallet-busy', 'a wallet that the group does not hold is busy'
);
SELECT is(
    pg_temp.single(ARRAY['production ' || wallet.account_for('ann')], '{production b}', '{3}'),
    '1 503 wallet-busy, 2 401 unauthenticated', 'so are seats; what is decided already is left alone'
);
SELECT is(
    pg_temp.single(
        ARRAY['production ' || wallet.account_for('ann')], '{production a,production b}', '{2}'
    ), '1 201 booked 20 credit, 3 201 booked 20 credit', 'the others are decided in order'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
