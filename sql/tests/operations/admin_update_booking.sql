-- UPDATE admin.bookings: wallet.cancel_for_user and wallet.waive_cancellation, which operators use as well.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.sets(p_key text, p_what text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(
        format('UPDATE admin.bookings SET %s WHERE booking_id = %L', p_what, pg_temp.id_of(p_key)), 'wallet_admin'
    );
$$;
CREATE FUNCTION pg_temp.waives(p_key text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.sets(p_key, $i$ returned = amount, reason = 'the bus broke down' $i$);
$$;
CREATE FUNCTION pg_temp.booked(p_key text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', b.status, b.cancelled_by, b.returned, CASE WHEN b.late_cancel THEN 'late' END)
    FROM admin.bookings AS b WHERE b.booking_id = pg_temp.id_of(p_key);
$$;

-- By the user's rules, or in full
SELECT pg_temp.buy('ann', 'p', 'power'), pg_temp.gift('ann', 100);
SELECT pg_temp.lesson(c, 20), pg_temp.book('ann', c, c) FROM unnest('{a,b,c,d,e,f}'::text[]) AS c;
SELECT is(pg_temp.sets('a', 'status = ''cancelled'''), 'WL422 reason-required', 'a reason is required');
SELECT is(pg_temp.sets('a', $$ status = 'cancelled', reason = 'ill' $$), 'nothing', 'cancelled in time');
SELECT is(pg_temp.booked('a'), 'cancelled user 20', 'the user''s own cancellation policy applies');
SELECT is(pg_temp.sets('a', s.what), 'WL422 column-not-editable', s.what) FROM (VALUES
    ('status = ''booked'', reason = ''x'''), ('returned = 5, reason = ''x'''), ('cancelled_by = ''studio''')
) AS s (what);
SELECT is(pg_temp.sets('b', s.what), 'WL422 column-not-editable', s.what) FROM (VALUES
    ('returned = amount, reason = ''x'''), ($$ status = 'cancelled', cancelled_by = 'wallet', reason = 'x' $$),
    ($$ status = 'cancelled', returned = 0, reason = 'x' $$)
) AS s (what);
SELECT is(pg_temp.waives('a'), 'nothing', 'waiving an already returned booking changes nothing');
SELECT is(pg_temp.funds('ann'), '200 0 0 0', 'the amount does not return twice');
SELECT pg_temp.wait('2 days 12 hours');
SELECT is(pg_temp.sets('b', $$ status = 'cancelled', reason = 'ill' $$), 'nothing', 'cancelled late');
SELECT is(pg_temp.booked('b'), 'cancelled user 0 late', 'a late cancellation returns nothing');
SELECT is(
    pg_temp.sets('c', $$ status = 'cancelled', cancelled_by = 'studio', reason = 'goodwill' $$), 'nothing',
    'a cancellation in full'
);
SELECT is(
    pg_temp.booked('c') || ', ' || pg_temp.funds('ann'), 'cancelled studio 20, 220 0 0 0', 'the whole price returns'
);
SELECT is(pg_temp.seats_sold('c'), 0, 'the seat is freed');
SELECT pg_temp.sound();

-- Bookings of other users and environments, and classes that have begun
SELECT is(pg_temp.raised(format(
    'SELECT wallet.%s(wallet.account_for(%L), %L, %L, %s ROW(''a'', ''b'', NULL, NULL))', f.name, w.user_id,
    w.environment, pg_temp.id_of('e'), f.more
)), 'WL404 booking-not-found', f.name || ': no booking of ' || w.user_id || ' in ' || w.environment)
FROM (VALUES ('waive_cancellation', ''), ('cancel_for_user', 'TRUE,')) AS f (name, more)
CROSS JOIN (VALUES ('nobody', 'production'), ('ann', 'sandbox')) AS w (user_id, environment);
SELECT is_empty($$ SELECT FROM wallet.wallets AS w WHERE w.environment = 'sandbox' $$, 'no sandbox wallet is created');
SELECT pg_temp.lesson('m', 20), pg_temp.book('ann', 'm', 'm'), pg_temp.wait('3 days');
SELECT is(pg_temp.sets('m', $$ status = 'cancelled', reason = 'x' $$), 'WL409 not-cancellable', 'the class has begun');
SELECT is(
    pg_temp.sets('m', $$ status = 'cancelled', cancelled_by = 'studio', reason = 'x' $$), 'nothing',
    'a cancellation in full after the start'
);
SELECT is(
    pg_temp.booked('m') || ', ' || pg_temp.funds('ann'), 'cancelled studio 20, 220 0 0 0', 'the whole price returns'
);
SELECT is(pg_temp.booked(b.key), 'booked', 'another booking stays') FROM (VALUES ('d'), ('e'), ('f')) AS b (key);
SELECT pg_temp.wait('-3 days');

-- A waiver, only once
SELECT is(pg_temp.sets('b', 'returned = amount'), 'WL422 reason-required', 'a waiver needs a reason');
SELECT is(pg_temp.waives('b'), 'nothing', 'waived');
SELECT is(
    pg_temp.booked('b') || ', ' || pg_temp.funds('ann'), 'cancelled user 20 late, 240 0 0 0', 'the whole price returns'
);
SELECT is(pg_temp.waives('b'), 'nothing', 'a repeated waiver changes nothing');
SELECT is(
    pg_temp.raised(format(
        'SELECT wallet.waive_cancellation('
        'wallet.account_for(''ann''), ''production'', %L, ROW(''a'', ''b'', NULL, NULL))',
        pg_temp.id_of(k.key)
    )), k.state, 'nothing to waive: ' || k.key
) FROM (VALUES ('a', 'WL409 nothing-to-waive'), ('b', 'WL409 nothing-to-waive'), ('c', 'WL409 nothing-to-waive'),
    ('d', 'WL409 nothing-to-waive'), ('none', 'WL404 booking-not-found')) AS k (key, state);
SELECT is(pg_temp.funds('ann'), '240 0 0 0', 'the price returns once');
SELECT is(
    (SELECT string_agg(regexp_replace(replace(t.fact, session_user, 'dana'), ' of 2030-.{11}', ''), '; '
        ORDER BY t.at, t.kind) FROM admin.timeline AS t WHERE t.booking_id = pg_temp.id_of('b')),
    '−20 credits: booked Class b; cancelled Class b by dana, 12 h 0 min too late, nothing returned: ill; '
    '+20 credits: the late cancellation of Class b was waived by dana: the bus broke down',
    'the timeline shows the waiver'
);
SELECT is(
    (SELECT string_agg(concat_ws(' ', a.action, a.reason, a.before, a.after), '; ' ORDER BY a.audit_id)
    FROM admin.audit AS a WHERE a.object_id = pg_temp.id_of('b')::text),
    'cancel-booking ill {"status": "booked", "late_cancel": false} {"status": "cancelled", '
    '"returned": 0, "late_cancel": true, "cancelled_by": "user"}; '
    'waive-cancellation the bus broke down {"credits": 220, "returned": 0} '
    '{"credits": 240, "returned": 20}', 'the audit has the waiver, too'
);
SELECT pg_temp.sound();

-- A booking paid by a purchase that was refunded since: the returned amount repays the refund's debt
SELECT pg_temp.cancel('ann', 'd');
SELECT pg_temp.buy('ann', 'p', 'power', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.waives('d'), 'nothing', 'waived after the refund');
SELECT pg_temp.sound();
SELECT is(pg_temp.booked('d'), 'cancelled user 20 late', 'a booking paid by a refunded purchase can be waived');

-- A booking paid by a lot that has expired since: the lot gets its days of grace, once
SELECT pg_temp.gift('bob', 2, 'visit', '4 days');
SELECT pg_temp.lesson(c, NULL, 1), pg_temp.book('bob', c, c) FROM unnest('{g,h}'::text[]) AS c;
SELECT pg_temp.wait('2 days 12 hours'), pg_temp.cancel('bob', 'g'), pg_temp.cancel('bob', 'h');
SELECT pg_temp.wait('10 days');
SELECT is(pg_temp.funds('bob'), '0 0 0 0', 'the lot that paid has expired');
SELECT is(pg_temp.waives('g'), 'nothing', 'a waiver afterwards');
SELECT is(pg_temp.funds('bob'), '0 1 0 0', 'the waiver reopens the lot');
SELECT pg_temp.sound();
SELECT pg_temp.wait('1 day'), pg_temp.waives('h');
SELECT is(pg_temp.funds('bob'), '0 2 0 0', 'the second one has the rest of its days');
SELECT pg_temp.sound();
SELECT pg_temp.wait('30 days');
SELECT is(pg_temp.funds('bob'), '0 0 0 0', 'the grace period has ended');

-- A booking paid by a purchase that another user restored since: the amount returns to the purchase's new wallet
SELECT pg_temp.buy('cid', 'q', 'starter'), pg_temp.lesson('i', 20), pg_temp.book('cid', 'i', 'i');
SELECT pg_temp.wait('2 days 12 hours'), pg_temp.cancel('cid', 'i');
UPDATE admin.purchases SET released = TRUE WHERE transaction_id = 'q';
SELECT wallet.restore(wallet.account_for('dan'), jsonb_build_array(pg_temp.fact('q', 'starter')), NULL);
SELECT is(pg_temp.funds('cid') || ', ' || pg_temp.funds('dan'), '0 0 0 0, 5 0 0 0', 'a purchase moved');
SELECT is(pg_temp.waives('i'), 'nothing', 'the booking stayed');
SELECT is(pg_temp.funds('cid') || ', ' || pg_temp.funds('dan'), '0 0 0 0, 25 0 0 0', 'the purchase has it again');
SELECT pg_temp.sound();

-- Another user's deletion changes nothing; a booking that an unlimited plan covered returns nothing
SELECT pg_temp.buy('fay', 's', 'plan.unlimited'), pg_temp.gift('zoe', 20), pg_temp.lesson('n', 20, 1);
SELECT pg_temp.book('fay', 'n', 'n'), pg_temp.book('zoe', 'z', 'n', 1, 'credits'), wallet.delete_account('bob');
SELECT pg_temp.wait('2 days 12 hours'), pg_temp.cancel('fay', 'n'), pg_temp.cancel('zoe', 'z');
SELECT is(pg_temp.booked('n'), 'cancelled user 0 late', 'a late cancellation of what cost nothing');
SELECT is(pg_temp.raised(format(
    'SELECT wallet.waive_cancellation(wallet.account_for(''fay''), ''production'', %L, ROW(''a'', ''b'', NULL, NULL))',
    pg_temp.id_of('n')
)), 'WL409 nothing-to-waive', 'an unlimited booking has nothing to return');
SELECT is(
    pg_temp.waives('z') || ' ' || pg_temp.funds('zoe'), 'nothing 20 0 0 0', 'another user''s paid booking can be waived'
);
SELECT pg_temp.sound();

-- A merged account, then deleted
SELECT wallet.admit_token('x', wallet.now(), TRUE), pg_temp.gift('x', 50);
SELECT pg_temp.lesson(c, 20), pg_temp.book('x', c, c) FROM unnest('{j,k}'::text[]) AS c;
SELECT pg_temp.wait('2 days 12 hours');
SELECT pg_temp.cancel('x', 'j'), pg_temp.cancel('x', 'k'), wallet.merge_accounts('x', 'eve');
SELECT is(pg_temp.waives('j') || ' ' || pg_temp.funds('eve'), 'nothing 30 0 0 0', 'a merged account''s booking');
SELECT pg_temp.sound();
SELECT wallet.delete_account('eve');
SELECT is(pg_temp.waives('k'), 'WL404 user-not-found', 'a deleted user is given nothing');
SELECT pg_temp.sound();

-- A late cancellation that cost a fee or a strike, but no price
SELECT wallet.write_policy(
    wallet.new_terms(p.id, '{"name": "Policy", "strikes_allowed": 2, "strike_days": 30, "block_days": 7}' || p.terms),
    row('test', NULL, NULL, NULL)
) FROM (VALUES ('fee', '{"late_cancel_fee": 3}'::jsonb), ('strike', '{"late_cancel_strike": true}')) AS p (id, terms);
SELECT wallet.put_class(p.id, 'Class', wallet.now() + interval '2 hours', wallet.now() + interval '3 hours', 9, 20,
    NULL, 1440, 'test', NULL, p_policy_id => p.id) FROM unnest(ARRAY['fee', 'strike']) AS p (id);
SELECT pg_temp.buy('gil', 'u', 'plan.unlimited'), pg_temp.gift('gil', 5);
SELECT pg_temp.book('gil', 'gil' || p.id, p.id), pg_temp.cancel('gil', 'gil' || p.id)
FROM unnest(ARRAY['fee', 'strike']) AS p (id);
CREATE FUNCTION pg_temp.consequences() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', b.class_id, b.amount, b.fee, b.strike), ', ' ORDER BY b.class_id)
    FROM wallet.booking_details AS b WHERE b.account_id = wallet.account_for('gil');
$$;
SELECT is(pg_temp.consequences() || '; ' || pg_temp.funds('gil'), 'fee 0 3 f, strike 0 0 t; 2 0 0 0', 'both were late');
SELECT is(pg_temp.raised(format(
    'SELECT wallet.waive_cancellation(wallet.account_for(''gil''), ''production'', %L, ROW(''a'', ''b'', NULL, NULL))',
    pg_temp.id_of('gil' || p.id)
)), 'nothing', 'waived: a ' || p.id) FROM unnest(ARRAY['fee', 'strike']) AS p (id);
SELECT is(
    pg_temp.consequences() || '; ' || pg_temp.funds('gil'), 'fee 0 0 f, strike 0 0 f; 5 0 0 0',
    'the fee returns, and the strike is withdrawn'
);
SELECT pg_temp.sound();

-- A lot that paid may be in another wallet, which another session may have locked
SELECT pg_temp.gift('hal', 20), pg_temp.lesson('o', 20), pg_temp.book('hal', 'o', 'o');
SELECT pg_temp.wait('2 days 12 hours'), pg_temp.cancel('hal', 'o');
CREATE OR REPLACE FUNCTION wallet.lock_lot_owners(
    p_account_id bigint, p_environment wallet.environment, p_slices wallet.owned_slice[]
) RETURNS boolean LANGUAGE sql AS $$ SELECT FALSE; $$;
SELECT is(pg_temp.waives('o'), 'WL503 wallet-busy', 'a waiver does not wait for that wallet');
SELECT is(
    pg_temp.booked('o') || ', ' || pg_temp.funds('hal'), 'cancelled user 0 late, 0 0 0 0', 'nothing returns without it'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
