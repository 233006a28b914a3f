-- wallet.cancel_duplicate_bookings: if both accounts of a merge booked a class, one booking is cancelled in full and
-- the others stay unchanged (rule 32).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT wallet.admit_token('anon', wallet.now(), TRUE), set_config('t.anon', wallet.account_for('anon')::text, TRUE);
SELECT pg_temp.gift(u.id, 200), pg_temp.gift(u.id, 200, 'credit', NULL, 'sandbox')
FROM unnest(ARRAY['anon', 'ann', 'bob']) AS u (id);
SELECT pg_temp.lesson(c.id, 10) FROM unnest(ARRAY['a', 'b', 'c', 'dropped', 'gone', 'apart', 'other']) AS c (id);

-- Three classes that both users and a third user booked, each in the same order
SELECT pg_temp.book(u.id, u.id || c.id, c.id)
FROM unnest(ARRAY['anon', 'ann', 'bob']) AS u (id) CROSS JOIN unnest(ARRAY['b', 'c', 'a']) AS c (id);
-- One booking that the other user cancelled, one that only the anonymous user has, one in another environment, one of
-- other users
SELECT pg_temp.book('ann', 'anndropped', 'dropped'), pg_temp.cancel('ann', 'anndropped');
SELECT pg_temp.book('anon', 'anondropped', 'dropped');
SELECT pg_temp.book('anon', 'anongone', 'gone'), pg_temp.cancel('anon', 'anongone');
SELECT pg_temp.book('ann', 'anngone', 'gone');
SELECT pg_temp.book('anon', 'anonapart', 'apart', p_environment => 'sandbox'), pg_temp.book('ann', 'annapart', 'apart');
SELECT pg_temp.book('anon', 'anonother', 'other'), pg_temp.book('bob', 'bobother', 'other');
SELECT is(
    pg_temp.funds('anon') || ', ' || pg_temp.funds('ann') || ', ' || pg_temp.funds('bob'),
    '150 0 0 0, 150 0 0 0, 160 0 0 0', 'before'
);
SELECT pg_temp.sound();

SELECT pg_temp.by_index(FALSE), wallet.merge_accounts('anon', 'ann'), pg_temp.by_index(TRUE);
SELECT results_eq(
    $$ SELECT b.class_id, b.environment::text, b.idempotency_key, b.status, b.cancelled_by
       FROM wallet.booking_details AS b
       WHERE b.account_id = wallet.account_for('ann') ORDER BY b.class_id, b.idempotency_key $$,
    $$ VALUES ('a', 'production', 'anna', 'booked', NULL), ('a', 'production', 'anona', 'cancelled', 'wallet'),
        ('apart', 'production', 'annapart', 'booked', NULL), ('apart', 'sandbox', 'anonapart', 'booked', NULL),
        ('b', 'production', 'annb', 'booked', NULL), ('b', 'production', 'anonb', 'cancelled', 'wallet'),
        ('c', 'production', 'annc', 'booked', NULL), ('c', 'production', 'anonc', 'cancelled', 'wallet'),
        ('dropped', 'production', 'anndropped', 'cancelled', 'user'),
        ('dropped', 'production', 'anondropped', 'booked', NULL),
        ('gone', 'production', 'anngone', 'booked', NULL), ('gone', 'production', 'anongone', 'cancelled', 'user'),
        ('other', 'production', 'anonother', 'booked', NULL) $$,
    'a class booked by both users in one environment is cancelled for one of them'
);
SELECT results_eq(
    $$ SELECT b.class_id, b.status FROM wallet.booking_details AS b
       WHERE b.account_id = wallet.account_for('bob') ORDER BY b.class_id $$,
    $$ VALUES ('a', 'booked'), ('b', 'booked'), ('c', 'booked'), ('other', 'booked') $$,
    'bookings by other users stay'
);
SELECT is(
    pg_temp.funds('ann') || ', ' || pg_temp.funds('ann', 'sandbox') || ', ' || pg_temp.funds('bob'),
    '330 0 0 0, 390 0 0 0, 160 0 0 0', 'three classes come back'
);
SELECT is(
    (SELECT string_agg(s.class_id || ' ' || s.sold, ', ' ORDER BY s.class_id) FROM wallet.class_seats AS s
    WHERE s.environment = 'production' AND s.sold > 0),
    'a 2, apart 1, b 2, c 2, dropped 1, gone 1, other 2', 'the seats of the cancelled bookings are free'
);
SELECT is(
    (SELECT string_agg(b.class_id, ', ' ORDER BY e.version) FROM wallet.entries AS e
    INNER JOIN wallet.bookings AS b ON e.booking_id = b.booking_id
    WHERE e.account_id = current_setting('t.anon')::bigint AND e.kind = 'return' AND b.cancelled_by = 'wallet'),
    'a, b, c', 'the ledger has them in order of the classes'
);
SELECT pg_temp.sound();

-- After the class has begun, the cancelled booking has no fee and no strike of its own
SELECT wallet.write_policy(
    wallet.new_terms('strict', '{"name": "Strict", "no_show_fee": 7, "no_show_strike": true, "strikes_allowed": 1,
        "strike_days": 30, "block_days": 7}'), row('test', NULL, NULL, NULL)
);
SELECT wallet.admit_token('late', wallet.now(), TRUE), pg_temp.gift('late', 50), pg_temp.gift('lou', 50);
SELECT wallet.put_class('begun', 'Begun', wallet.now() + interval '30 minutes', wallet.now() + interval '90 minutes', 9,
    5, NULL, 0, 'test', NULL, p_policy_id => 'strict');
SELECT pg_temp.book('late', 'latebegun', 'begun'), pg_temp.book('lou', 'loubegun', 'begun'), pg_temp.wait('40 minutes');
SELECT wallet.mark_attendance(
    'production', 'begun', ARRAY[pg_temp.id_of('latebegun'), pg_temp.id_of('loubegun')], 'no_show',
    row('test', NULL, NULL, NULL)
);
SELECT wallet.merge_accounts('late', 'lou');
SELECT results_eq(
    $$ SELECT b.status, b.attendance, b.fee, b.strike FROM wallet.booking_details AS b
    WHERE b.class_id = 'begun' ORDER BY b.status $$,
    $$ VALUES ('booked', 'no_show', 7::bigint, TRUE), ('cancelled', 'unmarked', 0, FALSE) $$,
    'one fee and one strike for one person'
);
SELECT is(pg_temp.funds('lou'), '83 0 0 0', 'the fee of the cancelled booking returns, its price does not');
SELECT pg_temp.sound();

-- A lot that paid may now be in a third account's wallet, which another session may have locked
SELECT wallet.admit_token('guest', wallet.now(), TRUE), pg_temp.buy('guest', 'g1', 'starter'), pg_temp.gift('host', 10);
SELECT pg_temp.book('guest', 'guest', 'a'), pg_temp.book('host', 'host', 'a');
SELECT wallet.move_lots(wallet.account_for('guest'), wallet.account_for('cid'), 'production', (
    SELECT array_agg(l.lot_id) FROM wallet.lots AS l WHERE l.account_id = wallet.account_for('guest')
));
CREATE OR REPLACE FUNCTION wallet.lock_lot_owners(
    p_account_id bigint, p_environment wallet.environment, p_slices wallet.owned_slice[]
) RETURNS boolean LANGUAGE sql AS $$ SELECT FALSE; $$;
SELECT is(
    pg_temp.raised($$ SELECT wallet.merge_accounts('guest', 'host') $$), 'WL503 wallet-busy',
    'the merge is refused while another session holds that wallet'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.bookings AS b
    WHERE b.cancelled_at IS NULL AND b.idempotency_key IN ('guest', 'host')), 2, 'both bookings stay active'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
