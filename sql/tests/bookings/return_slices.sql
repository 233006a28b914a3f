-- wallet.return_slices, wallet.booking_slices: cancellations of which more follows than returned amounts: fees, marks,
-- lots that have expired or moved (rules 21, 36 and 37).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT wallet.write_policy(wallet.new_terms(
    'fee', '{"name": "Fee", "no_show_fee": 4, "late_cancel_fee": 3, "free_minutes_before": 60}'
), row('test', NULL, NULL, NULL));
CREATE FUNCTION pg_temp.class(p_class_id text, p_ahead interval, p_policy_id text DEFAULT 'fee') RETURNS void
LANGUAGE sql AS $$
    SELECT wallet.put_class(
        p_class_id, 'Class', wallet.now() + p_ahead, wallet.now() + p_ahead + interval '1 hour', 10, 10, 1, 60,
        'operator', NULL, p_policy_id => p_policy_id
    );
$$;
CREATE FUNCTION pg_temp.no_show(p_key text) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.mark_attendance(
        'production', b.class_id, ARRAY[b.booking_id], 'no_show', row('test', NULL, NULL, NULL)
    ) FROM wallet.bookings AS b WHERE b.booking_id = pg_temp.id_of(p_key);
$$;
CREATE FUNCTION pg_temp.by_studio(p_user text, p_key text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.answer(pg_temp.cancel_by(wallet.account_for(p_user), 'production', pg_temp.id_of(p_key), 'studio'));
$$;
-- The events since the last call, with their details.
CREATE FUNCTION pg_temp.events() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', u.user_id, o.type, o.details), ', ' ORDER BY o.event_id)
    FROM pg_temp.unread() AS o INNER JOIN wallet.users AS u ON o.account_id = u.account_id;
$$;

-- A late cancellation by the user has a fee, and a waiver returns it
SELECT pg_temp.gift('ann', 40), pg_temp.class('a', '2 hours'), pg_temp.class('b', '2 hours');
SELECT pg_temp.book('ann', 'a', 'a'), pg_temp.book('ann', 'b', 'b');
-- The key of a booking includes the account, so another user may have a booking with the same id.
SELECT pg_temp.gift('ivy', 10), pg_temp.book('ivy', 'b', 'b'), pg_temp.wait('1 hour'), pg_temp.events();
SELECT is(pg_temp.answer(pg_temp.cancel('ann', 'a')), '200 cancelled 10 credit returned 10', 'at the deadline');
SELECT is(pg_temp.events(), 'ann booking.cancelled', 'the cancellation is free');
SELECT pg_temp.wait('1 microsecond');
SELECT is(pg_temp.answer(pg_temp.cancel('ann', 'b')), '200 cancelled 10 credit returned 0 late', 'after the deadline');
SELECT is(pg_temp.events(), 'ann booking.cancelled {"fee": 3, "strike": false}', 'the cancellation has a fee');
SELECT is(pg_temp.funds('ann'), '27 0 0 0', 'price and fee are spent');
SELECT wallet.waive_cancellation(
    wallet.account_for('ann'), 'production', pg_temp.id_of('b'), row('test', 'sorry', NULL, NULL)
);
SELECT is(pg_temp.funds('ann'), '40 0 0 0', 'after the waiver both have returned');
SELECT is(pg_temp.funds('ivy'), '0 0 0 0', 'the other user''s booking is unchanged');

-- The studio cancels after the class: the mark of the attendance is removed with its fee
SELECT pg_temp.gift('bob', 20), pg_temp.class('c', '2 hours'), pg_temp.book('bob', 'c', 'c'), pg_temp.wait('3 hours');
SELECT pg_temp.no_show('c'), pg_temp.events();
SELECT is(pg_temp.funds('bob'), '6 0 0 0', 'a no-show pays price and fee');
SELECT is(pg_temp.by_studio('bob', 'c'), '200 cancelled 10 credit returned 10', 'the studio cancels');
SELECT is(pg_temp.events(), 'bob booking.unmarked, bob booking.cancelled', 'the mark is removed, and no fee is due');
SELECT is(pg_temp.funds('bob'), '20 0 0 0', 'price and fee have returned');

-- A user cancels after a move of the class that no worker has processed yet: the mark was for the old start
SELECT pg_temp.class('d', '30 minutes'), pg_temp.book('bob', 'd', 'd'), pg_temp.no_show('d');
SELECT pg_temp.class('d', '9 days'), pg_temp.events();
SELECT is(pg_temp.answer(pg_temp.cancel('bob', 'd')), '200 cancelled 10 credit returned 10', 'the user cancels');
SELECT is(pg_temp.events(), 'bob booking.unmarked, bob booking.cancelled', 'the mark is removed');
SELECT is(pg_temp.funds('bob'), '20 0 0 0', 'price and fee have returned, too');
SELECT pg_temp.sound();

-- A lot that has expired reopens if the studio cancels, or after a move
CREATE FUNCTION pg_temp.visits(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', l.remaining, l.reopened_until - wallet.now()) FROM wallet.lots AS l
    WHERE l.account_id = wallet.account_for(p_user);
$$;
SELECT pg_temp.class('e', '20 hours', NULL), pg_temp.class('f', '20 hours', NULL);
SELECT pg_temp.gift('cid', 1, 'visit', '1 day'), pg_temp.book('cid', 'e', 'e');
SELECT pg_temp.gift('dan', 1, 'visit', '1 day'), pg_temp.book('dan', 'f', 'f');
SELECT pg_temp.class('f', '5 days', NULL), pg_temp.wait('2 days');
SELECT is(pg_temp.by_studio('cid', 'e'), '200 cancelled 1 visit returned 1', 'the studio cancels after the class');
SELECT is(pg_temp.visits('cid'), '1 7 days', 'the lot reopens for seven days');
SELECT is(pg_temp.answer(pg_temp.cancel('dan', 'f')), '200 cancelled 1 visit returned 1', 'a user, after a move');
SELECT is(pg_temp.visits('dan'), '1 7 days', 'this lot reopens, too');
SELECT pg_temp.sound();

-- Two lots paid, of which one has moved; both wallets have entries in the sandbox, too
SELECT pg_temp.gift('eve', 1, 'credit', NULL, 'sandbox'), pg_temp.gift('eve', 4, 'visit', NULL, 'sandbox');
SELECT pg_temp.gift('eve', i.amount, 'credit', NULL, 'sandbox') FROM (VALUES (6), (7)) AS i (amount);
SELECT pg_temp.class('g', '5 days', NULL), pg_temp.buy('eve', 'e1', 'starter'), pg_temp.gift('eve', 9);
SELECT pg_temp.book('eve', 'g', 'g', 3, 'credits');
SELECT wallet.move_lots(wallet.account_for('eve'), wallet.account_for('fay'), 'production', ARRAY[l.lot_id])
FROM wallet.lots AS l INNER JOIN wallet.claims AS c ON l.claim_id = c.claim_id WHERE c.transaction_id = 'e1';
-- The older entry is stored after the other one, and without indexes only the query's own ORDER BY gives the order.
SET LOCAL session_replication_role = replica;
UPDATE wallet.entries AS e SET at = e.at WHERE e.amount = -25 AND e.booking_id = pg_temp.id_of('g');
RESET session_replication_role;
SELECT pg_temp.by_index(FALSE);
SELECT results_eq(
    $$ SELECT u.user_id, s.amount FROM wallet.bookings AS b
       CROSS JOIN LATERAL unnest(wallet.booking_slices(b)) WITH ORDINALITY AS s (account_id, lot_id, amount, place)
       INNER JOIN wallet.users AS u ON s.account_id = u.account_id
       WHERE b.booking_id = pg_temp.id_of('g') ORDER BY s.place $$,
    $$ VALUES ('fay', 25::bigint), ('eve', 5) $$, 'each part names the account that has the lot now'
);
SELECT pg_temp.events(), pg_temp.cancel('eve', 'g');
SELECT is(pg_temp.events(), 'fay credits.granted, eve booking.cancelled', 'an event reports it to the other account');
SELECT is(pg_temp.funds('eve') || ', ' || pg_temp.funds('fay'), '9 0 0 0, 25 0 0 0', 'each lot has its amount again');
SELECT pg_temp.sound();

-- A booking of an unlimited plan
SELECT pg_temp.buy('gil', 'g1', 'plan.unlimited', '{"original_transaction_id": "g"}'), pg_temp.book('gil', 'u', 'g');
SELECT is(
    (SELECT wallet.booking_slices(b) FROM wallet.bookings AS b WHERE b.booking_id = pg_temp.id_of('u')), '{}',
    'no lot paid for it'
);
SELECT * FROM finish();
ROLLBACK;
