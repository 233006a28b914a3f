-- wallet.return_to_lot: a returned amount stays in its lot and lapses with it (rule 21), or rolls over (rule 29).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
SELECT set_config('t.lot', pg_temp.gift('ann', 3, 'visit', '5 days')::text, TRUE);
SELECT pg_temp.lesson('v', NULL, 1), pg_temp.book('ann', 'k', 'v', 3);
CREATE FUNCTION pg_temp.back(p_amount bigint) RETURNS text LANGUAGE sql AS $$
    SELECT wallet.return_to_lot(
        wallet.account_for('ann'), 'production', current_setting('t.lot')::uuid, 'return', p_amount, pg_temp.id_of('k')
    );
    SELECT pg_temp.story('ann', 2);
$$;
SELECT is(pg_temp.back(1), 'return 1', 'a visit returns to its lot');
SELECT pg_temp.wait('5 days'), wallet.sweep(10);
SELECT is(pg_temp.back(2), 'return 1, lapse -1, return 2, lapse -2', 'an amount that returns to an expired lot lapses');
SELECT is(
    (SELECT string_agg(e.kind || CASE WHEN e.booking_id = pg_temp.id_of('k') THEN ' of the booking' ELSE '' END, ', '
        ORDER BY e.version) FROM wallet.entries AS e WHERE e.kind IN ('return', 'lapse')),
    'return of the booking, lapse, return of the booking, lapse of the booking',
    'a lapse names the booking whose amount it takes'
);
SELECT is(pg_temp.raised('SELECT pg_temp.back(1)'), '23514', 'more than was spent cannot come back');

-- A period that is over and refunded: the returned visit rolls over, although none is left to lapse
UPDATE wallet.products SET rollover_percentage = 100 WHERE product_id LIKE '%subscription.enthusiast';
SELECT pg_temp.buy_month('bob', 'b1', 5), pg_temp.lesson('w', NULL, 1), pg_temp.book('bob', 'w', 'w'), pg_temp.day(35);
SELECT pg_temp.buy_month('bob', 'b2', 35), pg_temp.buy_month('bob', 'b1', 5, 100000);
SELECT is(pg_temp.rolled('bob'), '8/9', 'nine visits rolled over, and one is refunded');
SELECT wallet.return_to_lot(l.account_id, 'production', l.lot_id, 'return', 1, pg_temp.id_of('w'))
FROM wallet.lots AS l WHERE l.claim_id = (pg_temp.claim('b1')).claim_id;
SELECT is(pg_temp.rolled('bob'), '9/9', 'the returned visit rolls over');
SELECT * FROM finish();
ROLLBACK;
