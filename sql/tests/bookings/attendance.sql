-- wallet.mark_attendance, wallet.check_in and the consequences of no-shows and late cancellations: fees, strikes and
-- blocks by the terms that the booking copied (rules 36 and 37).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.policy(p_policy_id text, p_definition jsonb) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.write_policy(
        wallet.new_terms(p_policy_id, '{"name": "Policy"}' || p_definition), ROW('test', NULL, NULL, NULL)
    );
$$;
-- A class in two hours, so that its free cancellation has ended.
CREATE FUNCTION pg_temp.strict(
    p_class_id text,
    p_policy_id text,
    p_credits bigint DEFAULT 10,
    p_ahead interval DEFAULT '2 hours'
) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.put_class(
        p_class_id, 'Class ' || p_class_id, wallet.now() + p_ahead, wallet.now() + p_ahead + interval '1 hour', 10,
        p_credits, 1, 1440, 'operator', NULL, p_policy_id => p_policy_id
    );
$$;
CREATE FUNCTION pg_temp.marks(p_class_id text, p_attendance text, VARIADIC p_keys text[]) RETURNS text LANGUAGE sql
AS $$
    SELECT pg_temp.raised(format(
        'SELECT wallet.mark_attendance(''production'', %L, %L, %L, ROW(''test'', NULL, NULL, NULL))', p_class_id,
        ARRAY(SELECT pg_temp.id_of(k.key) FROM unnest(p_keys) AS k (key)), p_attendance
    ));
$$;
CREATE FUNCTION pg_temp.checks_in(p_user text, p_key text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_error text;
BEGIN
    v_error := pg_temp.raised(format(
        'SELECT wallet.check_in(wallet.account_for(%L), ''production'', %L)', p_user, pg_temp.id_of(p_key)
    ));
    RETURN v_error;
END;
$$;
CREATE FUNCTION pg_temp.state(p_key text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', b.status, b.attendance, 'fee ' || nullif(b.fee, 0), CASE WHEN b.strike THEN 'strike' END)
    FROM wallet.booking_details AS b WHERE b.booking_id = pg_temp.id_of(p_key);
$$;
CREATE FUNCTION pg_temp.blocked(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT wallet.rfc3339(nullif(w.blocked_until, '-infinity')) FROM wallet.wallets AS w
    INNER JOIN wallet.users AS u ON w.account_id = u.account_id
    WHERE u.user_id = p_user AND w.environment = 'production';
$$;
-- The types of the events since the last call, in order, with their details.
CREATE FUNCTION pg_temp.emitted() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_after CONSTANT bigint := coalesce(nullif(current_setting('t.emitted', TRUE), ''), '0')::bigint;
    v_emitted text;
    v_last bigint;
BEGIN
    SELECT string_agg(concat_ws(' ', o.type, o.details), ', ' ORDER BY o.event_id), max(o.event_id)
    INTO v_emitted, v_last FROM wallet.outbox AS o WHERE o.event_id > v_after;
    PERFORM set_config('t.emitted', coalesce(v_last, v_after)::text, TRUE);
    RETURN v_emitted;
END;
$$;

SELECT pg_temp.policy('fee', '{"no_show_fee": 4, "late_cancel_fee": 3}');
SELECT pg_temp.policy('strike', '{"no_show_strike": true, "late_cancel_strike": true,
    "strikes_allowed": 1, "strike_days": 30, "block_days": 7}');

-- From an hour before the start
SELECT pg_temp.gift('ann', 5, 'credit', '90 days'), pg_temp.gift('ann', 9);
SELECT pg_temp.strict('a', 'fee'), pg_temp.book('ann', 'a', 'a');
SELECT is(pg_temp.funds('ann'), '4 0 0 0', 'the booking costs its price');
SELECT is(
    pg_temp.marks('a', 'attended', 'a'), 'WL409 attendance-not-open {"opens_at": "2030-01-01T13:00:00Z"}',
    'too early to mark'
);
SELECT is(
    pg_temp.checks_in('ann', 'a'),
    'WL409 check-in-not-open {"opens_at": "2030-01-01T13:00:00Z"}',
    'too early to check in'
);
SELECT pg_temp.wait('1 hour');
SELECT is(pg_temp.marks('a', 'late', 'a'), 'WL400 malformed-request', 'an unknown attendance');
SELECT is(pg_temp.marks('b', 'attended', 'a'), 'WL404 class-not-found', 'an unknown class');
SELECT is(
    pg_temp.marks('a', 'attended', 'a', 'none'),
    format('WL404 booking-not-found {"booking_id": "%s"}', pg_temp.id_of('none')), 'all or none'
);
SELECT is(pg_temp.state('a'), 'booked unmarked', 'nothing was marked');
SELECT pg_temp.emitted();

-- A fee, and marks that replace it exactly
SELECT is(pg_temp.marks('a', 'no_show', 'a'), 'nothing', 'a no-show');
SELECT is(pg_temp.state('a'), 'booked no_show fee 4', 'the booking has the fee');
SELECT is(pg_temp.story('ann', 4), 'fee -4', 'the fee is an entry of its own');
SELECT is(pg_temp.funds('ann'), '0 0 0 0', 'the fee is paid');
SELECT is(pg_temp.emitted(), 'booking.no_show {"fee": 4, "strike": false}', 'one event reports it');
SELECT pg_temp.sound();
SELECT is(pg_temp.marks('a', 'no_show', 'a'), 'nothing', 'the same mark again');
SELECT is(pg_temp.emitted(), NULL, 'it changes nothing');
SELECT is(pg_temp.marks('a', 'attended', 'a'), 'nothing', 'marked again');
SELECT is(pg_temp.state('a') || ', ' || pg_temp.funds('ann'), 'booked attended, 4 0 0 0', 'the fee returns');
SELECT is(pg_temp.story('ann', 5), 'fee_return 4', 'by an entry of its own');
SELECT is(pg_temp.emitted(), 'booking.attended {"checked_in": false}', 'one event reports it');
SELECT pg_temp.marks('a', m.mark, 'a') FROM unnest('{no_show,excused,no_show,unmarked,no_show}'::text[]) AS m (mark);
SELECT is(pg_temp.state('a') || ', ' || pg_temp.funds('ann'), 'booked no_show fee 4, 0 0 0 0', 'one fee at a time');
SELECT pg_temp.sound();
SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 'a')),
    '409 not-cancellable',
    'a marked booking cannot be cancelled by its user'
);
SELECT is(pg_temp.checks_in('ann', 'a'), 'WL409 already-marked {"attendance": "no_show"}', 'the studio''s mark stays');
SELECT is(pg_temp.marks('a', 'unmarked', 'a'), 'nothing', 'the mark is removed');
SELECT is(pg_temp.state('a'), 'booked unmarked', 'no mark is left');

-- In burn order, and owed if the wallet is empty
SELECT pg_temp.gift('bob', 2, 'credit', '90 days'), pg_temp.gift('bob', 1), pg_temp.gift('bob', 1, 'visit');
SELECT pg_temp.strict('b', 'fee', 10, '2 hours'), pg_temp.book('bob', 'b', 'b'), pg_temp.wait('1 hour');
SELECT pg_temp.marks('b', 'no_show', 'b');
SELECT is(pg_temp.story('bob', 4), 'fee -2, fee -1, fee 0 owed 1', 'the lots pay in burn order, and the rest is owed');
SELECT is(pg_temp.funds('bob'), '0 0 1 0', 'the wallet owes it');
SELECT pg_temp.sound();
SELECT pg_temp.gift('bob', 10);
SELECT is(pg_temp.funds('bob'), '9 0 0 0', 'a grant repays it');
SELECT is(pg_temp.marks('b', 'excused', 'b'), 'nothing', 'excused');
SELECT is(pg_temp.funds('bob'), '13 0 0 0', 'the fee and its repayment return');
SELECT is(
    pg_temp.story('bob', 9), 'fee_return 2, fee_return 1, fee_return 0, repay_return 1', 'to the lots that paid'
);
SELECT pg_temp.sound();
SELECT pg_temp.gift('bob', -12), pg_temp.marks('b', 'no_show', 'b');
SELECT is(pg_temp.funds('bob'), '0 0 3 0', 'owed again');
SELECT pg_temp.marks('b', 'attended', 'b');
SELECT is(pg_temp.funds('bob'), '1 0 0 0', 'an unpaid fee is no longer owed');
SELECT pg_temp.sound();

-- The lot that paid is refunded
SELECT pg_temp.buy('rob', 'r', 'starter'), pg_temp.gift('rob', 1, 'visit');
SELECT pg_temp.strict('r', 'fee'), pg_temp.book('rob', 'r', 'r'), pg_temp.wait('1 hour');
SELECT pg_temp.marks('r', 'no_show', 'r'), pg_temp.buy('rob', 'r', 'starter', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.funds('rob'), '0 0 4 0', 'the refund owes the fee that was paid from it');
SELECT pg_temp.marks('r', 'excused', 'r');
SELECT is(pg_temp.funds('rob'), '0 0 0 0', 'the returned fee pays this debt');
SELECT pg_temp.sound();

-- Check-in
SELECT pg_temp.gift('cat', 100), pg_temp.strict('c', NULL), pg_temp.book('cat', 'c', 'c');
SELECT pg_temp.wait('1 hour'), pg_temp.emitted();
SELECT is(pg_temp.checks_in('bob', 'c'), 'WL404 booking-not-found', 'another user''s booking');
SELECT is(wallet.check_in(wallet.account_for('cat'), 'production', pg_temp.id_of('c')), TRUE, 'checked in');
SELECT is(wallet.check_in(wallet.account_for('cat'), 'production', pg_temp.id_of('c')), FALSE, 'only once');
SELECT is(pg_temp.state('c'), 'booked attended', 'the booking is attended');
SELECT is(pg_temp.emitted(), 'booking.attended {"checked_in": true}', 'one event reports it');
SELECT is(
    pg_temp.answer(pg_temp.cancel('cat', 'c')), '409 not-cancellable', 'a member who is at the class cannot cancel'
);
SELECT pg_temp.policy('door', '{"check_in_minutes_before": 15, "check_in_minutes_after": 5}');
SELECT pg_temp.strict('d', 'door', p_ahead => '30 minutes'), pg_temp.book('cat', 'd', 'd');
SELECT is(
    pg_temp.checks_in('cat', 'd'),
    'WL409 check-in-not-open {"opens_at": "2030-01-01T16:15:00Z"}',
    'the policy''s window'
);
SELECT pg_temp.wait('35 minutes');
SELECT is(
    pg_temp.checks_in('cat', 'd'), 'WL409 check-in-closed {"closed_at": "2030-01-01T16:35:00Z"}', 'the window has ended'
);
SELECT is(pg_temp.marks('d', 'attended', 'd'), 'nothing', 'an operator can still mark it');
SELECT pg_temp.sound();

-- Late cancellations
SELECT pg_temp.gift('dan', 30), pg_temp.strict('e', 'fee'), pg_temp.book('dan', 'e', 'e'), pg_temp.emitted();
SELECT is(pg_temp.answer(pg_temp.cancel('dan', 'e')), '200 cancelled 10 credit returned 0 late', 'cancelled late');
SELECT
    is((SELECT o.credits FROM pg_temp.cancel('dan', 'e') AS o), 17::bigint, 'the answer has the balance after the fee');
SELECT
    is(pg_temp.state('e') || ', ' || pg_temp.funds('dan'), 'cancelled unmarked fee 3, 17 0 0 0', 'the fee is charged');
SELECT is(pg_temp.emitted(), 'booking.cancelled {"fee": 3, "strike": false}', 'the event has the fee');
SELECT is(
    pg_temp.marks('e', 'attended', 'e'), format('WL409 booking-cancelled {"booking_id": "%s"}', pg_temp.id_of('e')),
    'a cancelled booking has no attendance'
);
SELECT is(
    pg_temp.raised(format(
        'UPDATE admin.bookings SET returned = amount, reason = ''ill'' WHERE booking_id = %L', pg_temp.id_of('e')
    ), 'wallet_admin'), 'nothing', 'waived'
);
SELECT is(pg_temp.state('e') || ', ' || pg_temp.funds('dan'), 'cancelled unmarked, 30 0 0 0', 'price and fee return');
SELECT pg_temp.sound();
SELECT pg_temp.strict('e2', 'fee', 10, '2 days'), pg_temp.book('dan', 'e2', 'e2');
SELECT is(pg_temp.answer(pg_temp.cancel('dan', 'e2')), '200 cancelled 10 credit returned 10', 'cancelled in time');
SELECT is(pg_temp.funds('dan'), '30 0 0 0', 'without a fee');

-- A booking keeps the terms that it copied
SELECT pg_temp.strict('f', 'fee', 10), pg_temp.book('dan', 'f', 'f');
SELECT pg_temp.policy('fee', '{"no_show_fee": 7, "late_cancel_fee": 3, "free_minutes_before": 60}');
SELECT
    is((SELECT c.free_minutes_before FROM wallet.classes AS c WHERE c.class_id = 'f'), 60, 'the class has new terms');
SELECT
    is(
        (SELECT c.free_minutes_before FROM wallet.classes AS c WHERE c.class_id = 'b'),
        1440,
        'one that has begun keeps its'
    );
SELECT pg_temp.gift('eva', 30), pg_temp.book('eva', 'f2', 'f'), pg_temp.wait('90 minutes');
SELECT pg_temp.marks('f', 'no_show', 'f', 'f2');
SELECT
    is(
        pg_temp.state('f') || ', ' || pg_temp.state('f2'),
        'booked no_show fee 4, booked no_show fee 7',
        'each has its terms'
    );
SELECT pg_temp.sound();

-- Strikes and blocks, also for members of an unlimited plan
SELECT pg_temp.buy('uma', 'u', 'plan.unlimited', '{"expires_at": "2031-01-01T00:00:00Z"}');
SELECT pg_temp.strict(c.id, 'strike', 10, c.ahead), pg_temp.book('uma', c.id, c.id)
FROM
    (VALUES ('g', interval '1 hour'), ('h', interval '2 hours'), ('i', interval '4 days'), ('late', interval '3 hours'))
    AS c (id, ahead);
SELECT pg_temp.emitted(), pg_temp.marks('g', 'no_show', 'g');
SELECT
    is(
        pg_temp.state('g') || coalesce(pg_temp.blocked('uma'), ', not blocked'),
        'booked no_show strike, not blocked',
        'one strike is allowed'
    );
SELECT is(pg_temp.answer(pg_temp.cancel('uma', 'late')), '200 cancelled 0 returned 0 late', 'a late cancellation');
SELECT is(pg_temp.state('late'), 'cancelled unmarked strike', 'is another strike');
SELECT
    is(
        pg_temp.blocked('uma'),
        wallet.rfc3339(wallet.now() + interval '1 hour' + interval '7 days'),
        'the later strike is one too many'
    );
SELECT is(
    pg_temp.emitted(),
    format('booking.no_show {"fee": 0, "strike": true}, user.booking_blocked {"blocked_until": "%s"}, '
    'booking.cancelled {"fee": 0, "strike": true}', pg_temp.blocked('uma')), 'an event reports the block'
);
SELECT pg_temp.strict('j', 'strike', 10, '5 days');
SELECT is(
    (SELECT concat_ws(' ', o.status, o.slug, o.detail) FROM pg_temp.book('uma', 'j', 'j') AS o),
    format('403 booking-blocked {"blocked_until": "%s"}', pg_temp.blocked('uma')), 'a blocked member cannot book'
);
SELECT is(
    (SELECT concat_ws(' ', o.status, o.slug) FROM pg_temp.ask('quote', 'uma', 'j', 'j') AS o), '403 booking-blocked',
    'nor get a quote'
);
SELECT is(pg_temp.state('i'), 'booked unmarked', 'existing bookings stay');
SELECT pg_temp.sound();
SELECT is(
    pg_temp.raised(format(
        'UPDATE admin.bookings SET strike = FALSE, reason = ''ill'' WHERE booking_id = %L', pg_temp.id_of('late')
    ), 'wallet_admin'), 'nothing', 'waived, although the booking cost nothing'
);
SELECT is(pg_temp.blocked('uma'), NULL, 'the block ends with the strike');
SELECT is(pg_temp.answer(pg_temp.book('uma', 'j', 'j')), '201 booked 0', 'the member can book');
SELECT pg_temp.wait('1 hour'), pg_temp.marks('h', 'no_show', 'h');
SELECT isnt(pg_temp.blocked('uma'), NULL, 'blocked by the second no-show');
SELECT pg_temp.marks('g', 'attended', 'g');
SELECT is(pg_temp.blocked('uma'), NULL, 'marking the first one again ends the block');
SELECT pg_temp.marks('g', 'no_show', 'g'), pg_temp.wait('7 days 1 hour'), pg_temp.strict('k', 'strike', 10);
SELECT is(pg_temp.answer(pg_temp.book('uma', 'k', 'k')), '201 booked 0', 'the block ends by itself');
SELECT pg_temp.sound();

-- The studio cancels after the mark
SELECT pg_temp.gift('fay', 30), pg_temp.strict('l', 'fee'), pg_temp.book('fay', 'l', 'l'), pg_temp.wait('70 minutes');
SELECT pg_temp.marks('l', 'no_show', 'l');
SELECT is(pg_temp.funds('fay'), '13 0 0 0', 'price and fee are spent');
SELECT wallet.cancel_class('l', 'ill', 'operator', NULL);
SELECT is(
    pg_temp.marks('l', 'attended', 'l'), format('WL409 booking-cancelled {"booking_id": "%s"}', pg_temp.id_of('l')),
    'the class is cancelled'
);
SELECT pg_temp.emitted(), wallet.settle_classes(100);
SELECT is(pg_temp.state('l') || ', ' || pg_temp.funds('fay'), 'cancelled unmarked, 30 0 0 0', 'everything returns');
SELECT is(pg_temp.emitted(), 'booking.unmarked, booking.cancelled', 'events report it');
SELECT pg_temp.sound();
SELECT pg_temp.strict('m', 'fee'), pg_temp.book('fay', 'm', 'm'), pg_temp.wait('3 hours');
SELECT pg_temp.marks('m', 'no_show', 'm');
SELECT is(pg_temp.answer(pg_temp.cancel_by(wallet.account_for('fay'), 'production', pg_temp.id_of('m'), 'studio')),
    '200 cancelled 10 credit returned 10', 'a cancellation in full after the class');
SELECT is(pg_temp.state('m') || ', ' || pg_temp.funds('fay'), 'cancelled unmarked, 30 0 0 0', 'the fee returns, too');
SELECT pg_temp.sound();

-- The class is moved after the mark
SELECT pg_temp.strict('n', 'fee'), pg_temp.book('fay', 'n', 'n'), pg_temp.wait('70 minutes');
SELECT pg_temp.marks('n', 'no_show', 'n'), pg_temp.strict('n', 'fee', 10, '3 days');
SELECT pg_temp.sound();
SELECT pg_temp.emitted(), wallet.settle_classes(100);
SELECT
    is(
        pg_temp.state('n') || ', ' || pg_temp.funds('fay'),
        'booked unmarked, 20 0 0 0',
        'the mark of the old start is gone'
    );
SELECT matches(pg_temp.emitted(), '^booking.unmarked, booking.moved', 'events report it');
SELECT is(pg_temp.answer(pg_temp.cancel('fay', 'n')), '200 cancelled 10 credit returned 10', 'the member can cancel');
SELECT pg_temp.sound();

-- It is marked again, or its member checks in, before a worker has applied the move
SELECT pg_temp.gift('mia', 40);
SELECT pg_temp.strict(k.key, 'fee'), pg_temp.book('mia', k.key, k.key) FROM (VALUES ('n1'), ('n2')) AS k (key);
SELECT pg_temp.wait('70 minutes');
SELECT pg_temp.marks(k.key, 'no_show', k.key), pg_temp.strict(k.key, 'fee', 10, '40 minutes')
FROM (VALUES ('n1'), ('n2')) AS k (key);
SELECT pg_temp.emitted();
SELECT is(pg_temp.marks('n1', 'no_show', 'n1'), 'nothing', 'the same mark, for the new start');
SELECT matches(
    pg_temp.emitted(), '^booking.unmarked.*, booking.moved .*, booking.no_show', 'it follows the move'
);
SELECT is(pg_temp.checks_in('mia', 'n2'), 'nothing', 'a mark of the old start prevents no check-in for the new one');
SELECT wallet.settle_classes(100);
SELECT is(pg_temp.state('n1'), 'booked no_show fee 7', 'the worker removes no mark of the new start');
SELECT is(pg_temp.state('n2'), 'booked attended', 'nor the check-in');
SELECT pg_temp.sound();

-- A merge: the consequences follow the booking, and the strikes of both accounts count together
SELECT wallet.account_for('anon', TRUE), pg_temp.gift('anon', 20), pg_temp.gift('gus', 20);
SELECT pg_temp.policy('both', '{"no_show_fee": 15, "no_show_strike": true, "strikes_allowed": 1, "strike_days": 30,
    "block_days": 7}');
SELECT pg_temp.strict(c.id, 'both'), pg_temp.book(c.name, c.id, c.id)
FROM (VALUES ('o', 'anon'), ('p', 'gus')) AS c (id, name);
SELECT pg_temp.wait('3 hours'), pg_temp.marks(c.id, 'no_show', c.id) FROM (VALUES ('o'), ('p')) AS c (id);
SELECT is(pg_temp.funds('anon') || ', ' || pg_temp.funds('gus'), '0 0 5 0, 0 0 5 0', 'both owe a part of the fee');
SELECT pg_temp.emitted(), wallet.merge_accounts('anon', 'gus');
SELECT is(pg_temp.funds('gus'), '0 0 10 0', 'the debts are merged');
SELECT isnt(pg_temp.blocked('gus'), NULL, 'the strikes of both accounts block the member');
SELECT matches(pg_temp.emitted(), 'user.booking_blocked', 'an event reports the block');
SELECT pg_temp.sound();
SELECT is(pg_temp.marks('o', 'attended', 'o'), 'nothing', 'the booking of the merged account is marked again');
SELECT is(pg_temp.funds('gus'), '10 0 5 0', 'its fee returns to the lots of the member; the other fee is still owed');
SELECT is(pg_temp.blocked('gus'), NULL, 'its strike is withdrawn');
SELECT pg_temp.sound();
SELECT pg_temp.marks('o', 'no_show', 'o');
SELECT is(pg_temp.state('o'), 'booked no_show fee 15 strike', 'and marked once more');
SELECT pg_temp.sound();

-- A merge of two bookings of one class that has begun: the cancelled booking loses its mark and its consequence
SELECT wallet.account_for('anon2', TRUE), pg_temp.gift('anon2', 20), pg_temp.gift('hal', 20);
SELECT
    pg_temp.strict('q', 'fee'),
    pg_temp.book('anon2', 'q1', 'q'),
    pg_temp.book('hal', 'q2', 'q'),
    pg_temp.wait('3 hours');
SELECT pg_temp.marks('q', 'no_show', 'q1'), pg_temp.marks('q', 'attended', 'q2');
SELECT wallet.merge_accounts('anon2', 'hal');
SELECT
    is(
        pg_temp.state('q1') || ', ' || pg_temp.state('q2'),
        'cancelled unmarked, booked attended',
        'the other booking keeps its mark'
    );
SELECT pg_temp.sound();

-- A deletion: a marked booking stays, and so does the fee; the debt of a fee stays with the account
SELECT pg_temp.buy('jon', 'j', 'starter'), pg_temp.strict('s', 'fee', 23), pg_temp.book('jon', 's', 's');
SELECT pg_temp.wait('70 minutes'), pg_temp.marks('s', 'no_show', 's');
SELECT is(pg_temp.funds('jon'), '0 0 5 0', 'the fee is owed');
SELECT wallet.delete_account('jon');
SELECT pg_temp.sound();
SELECT is(pg_temp.state('s'), 'booked no_show fee 7', 'the marked booking stays');
SELECT wallet.restore(wallet.account_for('kim'), jsonb_build_array(pg_temp.fact('j', 'starter')), NULL);
SELECT is(pg_temp.funds('kim'), '0 0 0 0', 'nothing of the purchase is left');
SELECT is(pg_temp.marks('s', 'excused', 's'), 'nothing', 'excused after the restore');
SELECT is(pg_temp.funds('kim'), '2 0 0 0', 'the fee returns to the account that holds the lot now');
SELECT pg_temp.sound();

-- A mark for the old start of a moved class prevents neither a cancellation nor the deletion of the account
SELECT pg_temp.gift(u.id, 20) FROM unnest('{val,vic,viv}'::text[]) AS u (id);
SELECT pg_temp.strict('moved', 'fee', 5, '55 minutes');
SELECT pg_temp.book(u.id, u.id || 'm', 'moved') FROM unnest('{val,vic,viv}'::text[]) AS u (id);
SELECT is(pg_temp.marks('moved', 'no_show', 'valm', 'vicm', 'vivm'), 'nothing', 'marked before the move');
SELECT pg_temp.strict('moved', 'fee', 5, '1 day');
SELECT is(
    pg_temp.answer(pg_temp.cancel('val', 'valm')), '200 cancelled 5 credit returned 5', 'cancelled before the worker'
);
SELECT is(
    pg_temp.funds('val') || ', ' || pg_temp.state('valm'), '20 0 0 0, cancelled unmarked', 'price and fee return'
);
SELECT wallet.delete_account('vic');
SELECT is(pg_temp.state('vicm'), 'cancelled unmarked', 'a deletion cancels the booking, too');
SELECT is(pg_temp.seats_sold('moved'), 1, 'the seats are free');
SELECT wallet.settle_classes(10);
SELECT is(
    pg_temp.state('vivm') || ', ' || pg_temp.funds('viv'), 'booked unmarked, 15 0 0 0', 'the worker removes the other'
);
SELECT pg_temp.sound();

-- Attendance by psql, and the reports
SELECT pg_temp.gift('lia', 20), pg_temp.strict('t', 'fee', 5), pg_temp.book('lia', 't', 't'), pg_temp.wait('3 hours');
SELECT is(
    pg_temp.raised(format(
        'UPDATE admin.bookings SET attendance = ''no_show'' WHERE booking_id = %L', pg_temp.id_of('t')
    ), 'wallet_admin'), 'nothing', 'marked in psql, without a reason'
);
SELECT is(
    (SELECT concat_ws(' ', r.user_id, r.attendance, r.fee, r.strike) FROM admin.roster AS r WHERE r.class_id = 't'),
    'lia no_show 7 f', 'the roster shows it'
);
SELECT is(
    (SELECT concat_ws(' ', a.bookings, a.attended, a.no_shows, a.unmarked, a.no_show_percentage)
    FROM admin.attendance_by_class AS a WHERE a.class_id = 't' AND a.environment = 'production'), '1 0 1 0 100.0',
    'the report of the class'
);
SELECT is(
    (SELECT concat_ws(' ', a.bookings, a.attended, a.no_shows, a.strikes, a.no_show_percentage)
    FROM admin.attendance_by_member AS a WHERE a.user_id = 'lia' AND a.environment = 'production'), '1 0 1 0 100.0',
    'the report of the member'
);
SELECT is(
    (SELECT string_agg(regexp_replace(t.fact, ' of 2030-.{11}', ''), '; ' ORDER BY t.at, t.kind)
    FROM admin.timeline AS t WHERE t.user_id = 'lia' AND t.booking_id IS NOT NULL),
    '−5 credits: booked Class t; −7 credits: fee for not coming to Class t; did not come to Class t',
    'the timeline shows it'
);
SELECT is(
    (SELECT concat_ws(' ', a.action, a.before, a.after) FROM admin.audit AS a
    WHERE a.object_id = 't' AND a.action = 'mark-attendance'),
    format('mark-attendance {"fees": 0, "%1$s": "unmarked"} {"fees": 7, "%1$s": "no_show"}', pg_temp.id_of('t')),
    'the audit has it'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
