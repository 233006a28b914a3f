-- wallet.group_bookings and wallet.group_cancellations: what makes an item plain (rules 7 and 18 to 24).
BEGIN;
\ir support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 10), pg_temp.gift('ann', 5, 'credit', '10 days'), pg_temp.gift('ann', 3, 'visit');
SELECT pg_temp.gift('bob', 10), pg_temp.buy('pia', 'plan', 'plan.unlimited');
SELECT pg_temp.lesson('a', 2, 1), pg_temp.lesson('b', 2), pg_temp.lesson('far', 2, NULL, 10, '20 days');
SELECT pg_temp.book('ann', 'known', 'b');
CREATE FUNCTION pg_temp.read(
    p_user text, p_class_id text, p_key text DEFAULT 'k', p_seats integer DEFAULT 1, p_pay_with text DEFAULT NULL
) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', CASE WHEN g.is_plain THEN 'plain' ELSE 'odd' END, CASE WHEN g.may_change THEN 'may' ELSE 'cannot' END,
        CASE WHEN g.is_unlimited THEN 'unlimited' END, 'visits ' || g.visit_lot_left, 'credits ' || g.credit_lot_left,
        'seats ' || g.seats_left
    )
    FROM wallet.group_bookings(
        ARRAY[wallet.account_for(p_user)], '{production}', '{book}', ARRAY[pg_temp.id_of(p_key)], ARRAY[p_key],
        ARRAY[p_class_id], ARRAY[p_seats], ARRAY[p_pay_with], '{null}', wallet.now()
    ) AS g;
$$;
SELECT is(
    pg_temp.read('ann', 'a'), 'plain may visits 3 credits 3 seats 10',
    'an ordinary booking, with the lots to burn first'
);
SELECT is(
    pg_temp.read('ann', 'far'), 'plain may credits 10 seats 10', 'a lot that ends before the class does not pay for it'
);
SELECT is(pg_temp.read('pia', 'a'), 'plain may unlimited seats 10', 'an unlimited plan covers one seat');
SELECT is(pg_temp.read('pia', 'a', 'k', 2), 'plain may seats 10', 'but not two');
SELECT is(pg_temp.read('ann', 'a', 'known'), 'odd cannot visits 3 credits 3 seats 10', 'a key used before is odd');
SELECT is(pg_temp.read('ann', 'b'), 'odd cannot credits 3 seats 9', 'so is a class that is booked already');
SELECT is(pg_temp.read('ann', 'nowhere'), 'odd cannot', 'or unknown');
SELECT is(pg_temp.read('new', 'a'), 'odd cannot seats 10', 'an account without a wallet');
SELECT is(pg_temp.read('ann', 'a', 'k', 0), 'odd cannot visits 3 credits 3 seats 10', 'no seats');
SELECT is(pg_temp.read('ann', 'a', repeat('k', 256)), 'odd cannot visits 3 credits 3 seats 10', 'a key too long');
SELECT is(
    pg_temp.read('ann', 'a', 'k', 1, 'unlimited'), 'odd may visits 3 credits 3 seats 10', 'a plan asked for by name'
);
UPDATE wallet.classes SET max_seats = 1 WHERE class_id = 'a';
SELECT is(pg_temp.read('ann', 'a', 'k', 1), 'plain may visits 3 credits 3 seats 10', 'a limit that is kept');
SELECT is(pg_temp.read('ann', 'a', 'k', 2), 'odd may visits 3 credits 3 seats 10', 'and one that is not');
UPDATE wallet.class_seats SET held = 1 WHERE class_id = 'a' AND environment = 'production';
SELECT is(
    pg_temp.read('ann', 'a'), 'odd may visits 3 credits 3 seats 10', 'a class that holds seats for those who wait'
);
SELECT pg_temp.wait('4 days');
SELECT is(pg_temp.read('ann', 'a'), 'odd cannot visits 3 credits 3 seats 10', 'a class that has begun');

CREATE FUNCTION pg_temp.read_cancel(p_user text, p_key text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', CASE WHEN g.is_plain THEN 'plain' ELSE 'odd' END, CASE WHEN g.may_change THEN 'may' ELSE 'cannot' END,
        g.class_id, g.unit, g.amount, g.lot_amounts
    )
    FROM wallet.group_cancellations(
        ARRAY[wallet.account_for(p_user)], '{production}', '{cancel}', ARRAY[pg_temp.id_of(p_key)], wallet.now()
    ) AS g;
$$;
SELECT pg_temp.lesson('c', 12), pg_temp.lesson('d', 2), pg_temp.lesson('e', 2, NULL, 1);
SELECT pg_temp.book('ann', 'c1', 'c'), pg_temp.book('bob', 'd1', 'd'), pg_temp.book('bob', 'e1', 'e');
SELECT is(
    pg_temp.read_cancel('ann', 'c1'), 'odd may c credit 12 {3,9}', 'two lots paid; the one that ends opens again'
);
SELECT is(pg_temp.read_cancel('bob', 'd1'), 'plain may d credit 2 {2}', 'an ordinary cancellation');
SELECT is(pg_temp.read_cancel('ann', 'd1'), NULL, 'another''s booking is not read');
SELECT is(pg_temp.read_cancel('ann', 'known'), 'odd cannot b credit 2 {2}', 'a class that has begun');
SELECT wallet.join_waitlist(wallet.account_for('ann'), 'production', 'e', 1, NULL, NULL);
SELECT is(pg_temp.read_cancel('bob', 'e1'), 'odd may e credit 2 {2}', 'a class for which somebody waits is odd');
UPDATE wallet.classes SET moves = 1 WHERE class_id = 'd';
SELECT is(pg_temp.read_cancel('bob', 'd1'), 'odd may d credit 2 {2}', 'so is one that was moved');
SELECT * FROM finish();
ROLLBACK;
