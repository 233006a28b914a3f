-- wallet.read_cancellations: the account of a cancellation, marks of attendance, and what its class and terms change
-- (rules 21, 36 and 37).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift(u.who, 100) FROM unnest('{ann,bob,cid,dan,del,mia}'::text[]) AS u (who);
CREATE FUNCTION pg_temp.marks(p_class_id text, p_attendance text, p_key text) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.mark_attendance(
        'production', p_class_id, ARRAY[pg_temp.id_of(p_key)], p_attendance, ROW('test', NULL, NULL, NULL)
    );
$$;
CREATE FUNCTION pg_temp.state(p_key text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', b.status, b.attendance, 'fee ' || nullif(b.fee, 0))
    FROM wallet.booking_details AS b WHERE b.booking_id = pg_temp.id_of(p_key);
$$;

-- The account, if the service remembers it
UPDATE wallet.accounts AS a SET deleted_at = wallet.now() WHERE a.account_id = wallet.account_for('del');
UPDATE wallet.accounts AS a SET merged_into = wallet.account_for('ann') WHERE a.account_id = wallet.account_for('mia');
SELECT is(
    (SELECT pg_temp.answer(o) FROM wallet.book_batch(
        pg_temp.requests(ARRAY[a.account_id], '{production}', '{cancel}', ARRAY[pg_temp.id_of('none')]), TRUE,
        ARRAY[a.created_at + i.later]
    ) AS o), i.answer, i.name
)
FROM (VALUES
    ('ann', interval '0', '404 booking-not-found', 'an account that the service remembers'),
    ('ann', interval '1 second', '401 unauthenticated', 'another account with the remembered number'),
    ('del', interval '0', '401 unauthenticated', 'a deleted account'),
    ('mia', interval '0', '401 unauthenticated', 'a merged account'),
    ('del', NULL, '404 booking-not-found', 'the wallet may cancel the bookings of a deleted account')
) AS i (user_id, later, answer, name)
INNER JOIN wallet.accounts AS a ON a.account_id = wallet.account_for(i.user_id);
UPDATE wallet.accounts AS a SET deleted_at = NULL, merged_into = NULL;

-- A mark forbids a cancellation, unless it was for an earlier start
SELECT pg_temp.lesson('m', 10, NULL, 10, '1 hour'), pg_temp.book('ann', 'a', 'm'), pg_temp.book('bob', 'b', 'm');
SELECT pg_temp.marks('m', 'attended', 'a'), pg_temp.marks('m', 'attended', 'b');
SELECT is(pg_temp.answer(pg_temp.cancel('ann', 'a')), '409 not-cancellable', 'a marked booking');
SELECT pg_temp.lesson('n', 10), pg_temp.book('ann', 'a2', 'n'), pg_temp.book('bob', 'a', 'n');
SELECT is(
    pg_temp.answer(pg_temp.cancel(i.who, i.key)), '200 cancelled 10 credit returned 10', i.name
) FROM (VALUES
    ('ann', 'a2', 'another booking of its user'), ('bob', 'a', 'a booking of another user with the same id')
) AS i (who, key, name);
SELECT pg_temp.lesson('m', 10, NULL, 10, '2 hours');
SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 'a')), '200 cancelled 10 credit returned 10', 'a mark for the old start'
);
\o /dev/null
SELECT wallet.settle_classes(10), pg_temp.wait('1 hour'), pg_temp.marks('m', 'attended', 'b');
\o
SELECT is(pg_temp.answer(pg_temp.cancel('bob', 'b')), '409 not-cancellable', 'a mark for the new start');
SELECT pg_temp.cancel_by(wallet.account_for('bob'), 'production', pg_temp.id_of('b'), 'studio');
SELECT is(pg_temp.state('b'), 'cancelled unmarked', 'a cancellation by the studio removes the mark');

-- A late cancellation, without and with a policy
SELECT wallet.write_policy(
    wallet.new_terms('fee', '{"name": "Fee", "late_cancel_fee": 3}'), row('test', NULL, NULL, NULL)
);
SELECT pg_temp.lesson('plain', 10, NULL, 10, '2 hours'), pg_temp.book('cid', 'c', 'plain');
SELECT wallet.put_class(
    'strict', 'Strict', wallet.now() + interval '2 hours', wallet.now() + interval '3 hours', 10, 10, NULL, 1440,
    'operator', NULL, p_policy_id => 'fee'
);
SELECT pg_temp.book('dan', 'd', 'strict'), pg_temp.wait('1 second');
SELECT is(
    pg_temp.answer(pg_temp.cancel('cid', 'c')), '200 cancelled 10 credit returned 0 late',
    'a late cancellation of a class that was not moved returns nothing'
);
SELECT pg_temp.cancel('dan', 'd');
SELECT is(pg_temp.state('d'), 'cancelled unmarked fee 3', 'by the terms of the booking, it costs a fee');
SELECT is(pg_temp.funds('dan'), '87 0 0 0', 'the fee is paid');

-- The items of a batch
SELECT is(
    (
        SELECT array_agg(g.item) FROM wallet.read_cancellations(pg_temp.requests(
            '{NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL}', '{book,cancel,cancel,cancel}', '{NULL,NULL,NULL,NULL}'
        ), '{1,3}', 'user', wallet.now()) AS g
    ), '{3}', 'only the requested cancellation is read'
);

-- Each lot gets back what it paid, however PostgreSQL finds the entries: here the first entry is stored behind
-- the second
SELECT pg_temp.lesson('both', 20), pg_temp.gift('fay', 7), pg_temp.gift('fay', 20), pg_temp.book('fay', 'f', 'both');
SET LOCAL session_replication_role = replica;
UPDATE wallet.entries AS e SET version = -3 WHERE e.account_id = wallet.account_for('fay') AND e.version = 3;
UPDATE wallet.entries AS e SET version = 3 WHERE e.account_id = wallet.account_for('fay') AND e.version = -3;
RESET session_replication_role;
-- wallet.decide_batch forbids sequential scans. A bitmap scan finds the rows as they are stored, so it stays allowed.
SET LOCAL enable_indexscan = off;
SET LOCAL enable_indexonlyscan = off;
DISCARD PLANS;
SELECT is(
    pg_temp.answer(pg_temp.cancel('fay', 'f')), '200 cancelled 20 credit returned 20', 'a cancellation to two lots'
);
SELECT is(pg_temp.story('fay', 2), 'spend -7, spend -13, return 7, return 13', 'in the order of payment');
SELECT is(
    (
        SELECT array_agg(l.remaining ORDER BY l.lot_id) FROM wallet.lots AS l
        WHERE l.account_id = wallet.account_for('fay')
    ), '{7,20}', 'each lot has its own amount again'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
