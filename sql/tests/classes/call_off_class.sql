-- wallet.call_off_class: the amounts that return when a class is cancelled, and the number of waiting users.
BEGIN;
\ir ../support/books.sql
\ir ../support/waitlist.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.call_off(p_class_id text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', a.replayed, a.after ->> 'status', a.after ->> 'bookings', a.after ->> 'credits', a.after ->> 'visits',
        a.after ->> 'waiting'
    ) FROM wallet.call_off_class(p_class_id, ROW('dana', 'ill', NULL, NULL)::wallet.action_note) AS a;
$$;
SELECT pg_temp.lesson('a', 20, 1, 5), pg_temp.lesson('other', 20, 1, 1), pg_temp.lesson('empty', 20);
SELECT pg_temp.gift('ann', 100), pg_temp.gift('bob', 7, 'visit'), pg_temp.gift('cid', 50);
SELECT pg_temp.gift('dan', 60), pg_temp.gift('eve', 30, p_environment => 'sandbox');
SELECT pg_temp.book('ann', 'a1', 'a', 2), pg_temp.book('bob', 'b1', 'a', 2, 'visits'), pg_temp.book('cid', 'c1', 'a');
SELECT pg_temp.book('eve', 'e1', 'a', p_environment => 'sandbox');
SELECT pg_temp.book('dan', 'd1', 'other'), pg_temp.cancel('cid', 'c1'), pg_temp.book('cid', 'c2', 'a');
SELECT is(pg_temp.join('ann', 'other'), 'new', 'a user waits for another class');
SELECT is(pg_temp.join('dan', 'a'), 'new', 'a user waits for this class');
SELECT is(pg_temp.call_off('empty'), 'f cancelled 0 0 0 0', 'a class without bookings returns nothing');
SELECT is(
    pg_temp.call_off('a'), 'f cancelled 4 80 2 1',
    'the answer counts active bookings, credits, visits and waiting users'
);
SELECT is(pg_temp.call_off('a'), 't', 'a repeated call does nothing');
SELECT is(pg_temp.line('other'), '1 ann', 'waitlists of other classes stay');
SELECT is(
    (SELECT concat_ws(' ', a.action, a.object_id, a.before, a.after ->> 'bookings') FROM wallet.audit AS a
    WHERE a.object_id = 'a' AND a.action = 'cancel-class'), 'cancel-class a {"status": "scheduled"} 4',
    'the audit has one row for the cancellation'
);
SELECT is(wallet.settle_classes(10), 4, 'the announced number of bookings is settled');
SELECT is(concat_ws(', ', pg_temp.funds('ann'), pg_temp.funds('bob'), pg_temp.funds('eve', 'sandbox')),
    '100 0 0 0, 0 7 0 0, 30 0 0 0', 'each user has the price back');
SELECT is(
    (SELECT string_agg(concat_ws(' ', r.user_id, r.unit, r.returned), ', ' ORDER BY r.user_id)
    FROM admin.roster AS r WHERE r.class_id = 'a'), 'ann credit 40, bob visit 2, cid credit 20, eve credit 20',
    'the roster keeps each booking that the class had, but none that was cancelled before'
);

-- A class that begins at this instant
SELECT pg_temp.lesson('now', 20, NULL, 5, '1 hour'), pg_temp.lesson('soon', 20, NULL, 5, '1 hour 1 second');
SELECT pg_temp.wait('1 hour');
SELECT is(pg_temp.raised($$ SELECT pg_temp.call_off('now') $$), 'WL409 class-closed', 'a class that begins now');
SELECT is(pg_temp.call_off('soon'), 'f cancelled 0 0 0 0', 'a class that begins in a second');
SELECT is(pg_temp.raised($$ SELECT pg_temp.call_off('none') $$), 'WL404 class-not-found', 'an unknown class');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
