-- wallet.reopen_lot: an amount that a studio's change returns to an expired lot has days of grace, once per lot (rule
-- 21).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.lots(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(
        ' ', l.remaining || '/' || l.granted, 'lapsed ' || nullif(l.lapsed, 0), 'until ' || to_char(l.expires_at,
        'MM-DD'),
        'reopened ' || to_char(l.reopened_until, 'MM-DD')
    ), ', ' ORDER BY l.lot_id)
    FROM wallet.lots AS l WHERE l.account_id = wallet.account_for(p_user) AND l.moved_to IS NULL;
$$;
CREATE FUNCTION pg_temp.studio(p_class_id text) RETURNS integer LANGUAGE sql AS $$
    SELECT wallet.cancel_class(p_class_id, 'ill', 'operator', NULL);
    SELECT wallet.settle_classes(100);
$$;
-- Moves a class to a day; the class begins before the pass expires, and moves to a day after that.
CREATE FUNCTION pg_temp.move(p_class_id text, p_day numeric) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.put_class(
        p_class_id, 'Class', pg_temp.noon(p_day), pg_temp.noon(p_day + 1), 10, NULL, 1, 1440, 'operator', NULL
    );
$$;

-- A pass of three visits: one used, two booked
UPDATE wallet.products SET grace_days = 3, valid_days = 10 WHERE product_id = 'threeVisit';
SELECT pg_temp.move(i.id, 9) FROM unnest(ARRAY['a', 'b', 'c']) AS i (id);
SELECT pg_temp.buy('ann', 'p1', 'threeVisit');
SELECT pg_temp.book('ann', 'a', 'a'), pg_temp.book('ann', 'b', 'b');
SELECT pg_temp.move('a', 20), pg_temp.move('b', 21);
SELECT pg_temp.day(11);
SELECT is(pg_temp.lots('ann'), '0/3 lapsed 1 until 01-11', 'the pass has expired, and its remaining visit has lapsed');
SELECT is(pg_temp.studio('a'), 1, 'the studio cancels');
SELECT is(
    pg_temp.lots('ann'), '1/3 lapsed 1 until 01-15 reopened 01-15',
    'the returned visit gets the product''s days of grace; lapsed visits stay lapsed'
);
SELECT is(pg_temp.funds('ann'), '0 1 0 0', 'the returned visit can be spent');
SELECT pg_temp.day(12);
SELECT is(pg_temp.studio('b'), 1, 'a second class, a day later');
SELECT is(
    pg_temp.lots('ann'), '2/3 lapsed 1 until 01-15 reopened 01-15',
    'a visit returns to the reopened lot, whose expiry stays'
);
SELECT pg_temp.sound();
SELECT pg_temp.move('d', 13), pg_temp.move('e', 13.5);
SELECT pg_temp.book('ann', 'd', 'd'), pg_temp.book('ann', 'e', 'e');
SELECT pg_temp.move('d', 40), pg_temp.move('e', 40);
SELECT is(
    (SELECT w.next_expiry FROM wallet.wallets AS w), pg_temp.noon(14), 'the wallet looks again when the grace is over'
);
SELECT pg_temp.day(14);
SELECT is(pg_temp.studio('d'), 1, 'a third, when the grace is over');
SELECT is(
    pg_temp.lots('ann'), '0/3 lapsed 2 until 01-15 reopened 01-15',
    'a second return lapses at once: a lot is reopened once'
);
SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 'e')), '200 cancelled 1 visit returned 1',
    'a member''s cancellation returns the visit, too'
);
SELECT is(
    pg_temp.story('ann'), 'grant 3, spend -1, spend -1, lapse -1, return 1, return 1, spend -1, spend -1, '
    'return 1, lapse -1, return 1, lapse -1', 'the entries of the ledger'
);

-- A member's cancellation reopens the lot only if the class was moved
SELECT pg_temp.gift('bob', 2, 'visit', '10 days'), pg_temp.move('f', 20), pg_temp.move('g', 20);
SELECT pg_temp.book('bob', 'f', 'f'), pg_temp.book('bob', 'g', 'g');
SELECT pg_temp.move('f', 30);
UPDATE wallet.classes SET starts_at = pg_temp.noon(30), ends_at = pg_temp.noon(31) WHERE class_id = 'g';
UPDATE wallet.bookings SET free_until = pg_temp.noon(29) WHERE booking_id = pg_temp.id_of('g');
SELECT pg_temp.day(26), pg_temp.cancel('bob', 'g');
SELECT is(pg_temp.lots('bob'), '0/2 lapsed 1 until 01-25', 'a member''s own cancellation reopens nothing');
SELECT pg_temp.cancel('bob', 'f');
SELECT is(
    pg_temp.lots('bob'), '1/2 lapsed 1 until 02-03 reopened 02-03',
    'after a move it does, for seven days unless the product sets another number'
);

-- A lot that expires while its wallet is locked: its unspent visits are not reopened
SELECT pg_temp.gift('cid', 3, 'visit', '3 days'), pg_temp.move('h', 28), pg_temp.book('cid', 'h', 'h');
SELECT pg_temp.move('h', 50);
SELECT set_config('t.now', pg_temp.noon(29)::text, TRUE);
SELECT pg_temp.cancel_by(wallet.account_for('cid'), 'production', pg_temp.id_of('h'), 'studio');
SELECT is(pg_temp.lots('cid'), '1/3 lapsed 2 until 02-06 reopened 02-06', 'only the returned visit is reopened');
SELECT pg_temp.sound();

-- No days of grace
UPDATE wallet.products SET grace_days = 0 WHERE product_id = 'singleVisit';
SELECT pg_temp.buy('dan', 'p2', 'singleVisit'), pg_temp.move('i', 50), pg_temp.book('dan', 'i', 'i');
SELECT pg_temp.move('i', 70);
SELECT pg_temp.day(60), pg_temp.studio('i');
SELECT is(
    pg_temp.lots('dan'), '0/1 lapsed 1 until 03-02 reopened 03-02', 'without days of grace the visit lapses at once'
);

-- Lots that never expire, and lots that have not expired
SELECT pg_temp.gift('eve', 30), pg_temp.lesson('j', 10), pg_temp.book('eve', 'j', 'j'), pg_temp.studio('j');
SELECT is(
    (SELECT (l.reopened_until, l.expires_at)::text FROM wallet.lots AS l
     WHERE l.account_id = wallet.account_for('eve')), '(,infinity)', 'a lot that is not over needs no grace'
);
SELECT pg_temp.gift('hal', 1, 'visit', '20 days'), pg_temp.move('m', 65), pg_temp.book('hal', 'm', 'm');
SELECT pg_temp.studio('m');
SELECT is(pg_temp.lots('hal'), '1/1 until 03-22', 'a lot that has not expired keeps its expiry');

-- A refunded lot: the returned visit pays its debt, and none is spendable
UPDATE wallet.products SET grace_days = 7 WHERE product_id = 'singleVisit';
SELECT pg_temp.buy('fay', 'p3', 'singleVisit'), pg_temp.move('k', 80), pg_temp.book('fay', 'k', 'k');
SELECT pg_temp.move('k', 130);
SELECT pg_temp.wait('1 second'), pg_temp.buy('fay', 'p3', 'singleVisit', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.funds('fay'), '0 0 0 1', 'a visit that was refunded after it was booked is owed');
SELECT pg_temp.day(120), pg_temp.studio('k');
SELECT is(pg_temp.funds('fay'), '0 0 0 0', 'the studio''s cancellation pays the debt');
SELECT pg_temp.sound();

-- Deleted users: gifts to them stay expired
SELECT pg_temp.gift('gil', 1, 'visit', '10 days'), pg_temp.move('l', 125), pg_temp.book('gil', 'l', 'l');
SELECT pg_temp.move('l', 140), set_config('t.gil', wallet.account_for('gil')::text, TRUE), pg_temp.day(139.5);
SELECT wallet.delete_account('gil');
SELECT is(
    (SELECT concat_ws(' ', l.remaining, l.lapsed, l.spent, l.expires_at <= wallet.now()) FROM wallet.lots AS l
     WHERE l.account_id = current_setting('t.gil')::bigint), '0 1 0 t',
    'a visit that returns to a deleted user''s gift lapses at once'
);
UPDATE wallet.lots SET reopened_until = NULL, lapsed = 0, spent = 1 WHERE account_id = current_setting('t.gil')::bigint;
SELECT wallet.reopen_lot(l.account_id, l.lot_id, wallet.now()) FROM wallet.lots AS l
WHERE l.account_id = current_setting('t.gil')::bigint;
SELECT is(
    (SELECT l.reopened_until FROM wallet.lots AS l WHERE l.account_id = current_setting('t.gil')::bigint), NULL,
    'a gift of a deleted user is not opened again'
);
-- A lot that came from another account: its former account does not matter
SELECT pg_temp.buy('ivy', 'p4', 'threeVisit'), pg_temp.gift('ivy', 1, 'visit', '1 day');
SELECT set_config('t.lot', (
    SELECT l.lot_id FROM wallet.lots AS l INNER JOIN wallet.claims AS c ON l.claim_id = c.claim_id
    WHERE c.transaction_id = 'p4'
)::text, TRUE);
SELECT wallet.move_lots(
    wallet.account_for('ivy'), wallet.account_for('joe'), 'production', ARRAY[current_setting('t.lot')::uuid]
);
SELECT pg_temp.gift('joe', 1, 'visit', '1 day'), pg_temp.wait('20 days');
CREATE FUNCTION pg_temp.opened() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM wallet.reopen_lot(wallet.account_for('joe'), current_setting('t.lot')::uuid, wallet.now());
    RETURN (
        SELECT string_agg(
            concat_ws(' ', u.user_id, l.remaining, l.reopened_until - wallet.now()), ', ' ORDER BY u.user_id
        )
        FROM wallet.lots AS l INNER JOIN wallet.users AS u ON l.account_id = u.account_id
        WHERE l.lot_id = current_setting('t.lot')::uuid
    );
END;
$$;
SELECT is(
    pg_temp.opened(), 'ivy 0, joe 0 3 days',
    'its unspent visits lapse first; it gets its product''s days of grace, in its current wallet only'
);
SELECT pg_temp.wait('5 days');
SELECT is(pg_temp.opened(), 'ivy 0, joe 0 -2 days', 'once');
SELECT * FROM finish();
ROLLBACK;
