-- admin.timeline, admin.lots and admin.waitlist: the data about one user that support reads.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
-- A user's facts in order, from an instant on.
CREATE FUNCTION pg_temp.facts(p_user text, p_environment wallet.environment DEFAULT 'production') RETURNS SETOF text
LANGUAGE sql AS $$
    SELECT t.fact FROM admin.timeline AS t WHERE t.user_id = p_user AND t.environment = p_environment
    ORDER BY t.at, t.version, t.fact;
$$;
SELECT pg_temp.lesson('Ceramics', 20), pg_temp.lesson('Yoga', 15), pg_temp.lesson('Full', 5, NULL, 1);
SELECT pg_temp.buy('ann', 'p1', 'starter'), pg_temp.wait('1 hour');
INSERT INTO admin.adjustments (reference, user_id, amount, reason, source)
VALUES ('t1', 'ann', 10, 'sorry', 'gift'), ('t2', 'ann', 3, 'counted again', 'adjustment');
SELECT pg_temp.wait('1 hour'), pg_temp.book('ann', 'k1', 'Ceramics');
SELECT pg_temp.wait('1 hour'), pg_temp.book('ann', 'k2', 'Yoga');
SELECT pg_temp.wait('1 hour'), pg_temp.cancel('ann', 'k2');
SELECT pg_temp.wait('56 hours 30 minutes'), pg_temp.cancel('ann', 'k1');
SELECT pg_temp.wait('1 hour'), pg_temp.buy('ann', 'p1', 'starter', '{"refunded_millionths": 1000000}');
SELECT pg_temp.wait('1 hour'), pg_temp.buy('ann', 's1', 'plan.explorer'), pg_temp.buy('ann', 'n1', 'not.yet');
SELECT pg_temp.wait('1 hour');
SELECT wallet.release_claim(c.claim_id) FROM wallet.claims AS c WHERE c.transaction_id = 's1';
SELECT results_eq($$ SELECT pg_temp.facts('ann') $$, $$ VALUES
    ('+25 credits: bought Starter'), ('+10 credits: a gift by postgres: sorry'),
    ('+3 credits: adjusted by postgres: counted again'),
    ('−20 credits: booked Class Ceramics of 2030-01-04 12:00'), ('−15 credits: booked Class Yoga of 2030-01-04 12:00'),
    ('+15 credits: cancelled Class Yoga of 2030-01-04 12:00, 1 d 20 h 0 min before the free cancellation '
     'deadline, all returned'),
    ('cancelled Class Ceramics of 2030-01-04 12:00, 12 h 30 min too late, nothing returned'),
    ('−5 credits: the store refunded Starter; the debt increased by 20'),
    ('+4 visits: bought Hobbyist Explorer'), ('bought not.yet, not granted: unknown-product'),
    ('released Hobbyist Explorer for any user with proof of purchase') $$, 'each fact is one line of text'
);
SELECT is(
    (SELECT concat_ws(' ', t.balance_after, t.actor, t.reason, t.version) FROM admin.timeline AS t
    WHERE t.fact LIKE '+3 credits%'), '38 postgres counted again 3', 'the fact contains the data of its ledger entry'
);
SELECT results_eq(
    $$ SELECT t.balance_after, t.version FROM admin.timeline AS t
       WHERE t.user_id = 'ann' AND t.booking_id IS NOT NULL ORDER BY t.at $$,
    $$ VALUES (18::bigint, 4::bigint), (3, 6), (18, 8), (NULL, NULL) $$,
    'a booking and its return, too: the last entry of each; none where nothing moved'
);
SELECT is_empty($$ SELECT pg_temp.facts('ann', 'sandbox') $$, 'each environment shows its own facts');

-- The newest first, and facts without amounts
SELECT ok(
    (SELECT bool_and(o.at >= o.next) FROM (
        SELECT t.at, lead(t.at) OVER () AS next FROM admin.timeline AS t WHERE t.user_id = 'ann'
    ) AS o), 'newest first'
);
INSERT INTO wallet.review_flags (account_id, environment, refunds, raised_at)
VALUES (wallet.account_for('gus'), 'production', 3, wallet.now());
INSERT INTO wallet.inbox (source, source_event_id, type, payload, status, reason, received_at)
VALUES ('revenuecat', 'e', 'TRANSFER', '{"transfer": {"from": ["gus"]}}', 'quarantined', 'unknown-user', wallet.now());
SELECT pg_temp.wait('1 minute');
UPDATE admin.review_flags SET resolution = 'blocked', reason = 'a thief' WHERE user_id = 'gus';
SELECT pg_temp.wait('1 minute');
INSERT INTO admin.testers (user_id) VALUES ('gus');
SELECT results_eq(
    $$ SELECT replace(f, session_user, 'dana') COLLATE "C" FROM (
           SELECT t.fact FROM admin.timeline AS t WHERE t.user_id = 'gus' ORDER BY t.at, t.fact COLLATE "C"
       ) AS t (f) $$,
    $$ SELECT v.f COLLATE "C" FROM (VALUES
        ('3 refunds raised a flag'), ('a message from revenuecat is waiting: TRANSFER, quarantined, unknown-user'),
        ('the flag was resolved: the account is blocked, by dana: a thief'), ('made a tester, by dana')) AS v (f) $$,
    'flags, messages that wait, and what administrators did'
);

-- Sandbox, an unlimited plan and the waitlist
SELECT pg_temp.buy('bob', 'x1', 'starter', '{"environment": "sandbox"}');
SELECT results_eq($$ SELECT pg_temp.facts('bob', 'sandbox') $$, $$ VALUES ('+25 credits: bought Starter') $$, 'apart');
SELECT is_empty($$ SELECT pg_temp.facts('bob') $$, 'production shows no sandbox facts');
SELECT pg_temp.lesson('Late', 5, NULL, 1), pg_temp.gift('cid', 10), pg_temp.gift('dan', 10);
SELECT pg_temp.book('cid', 'k', 'Late');
SELECT wallet.join_waitlist(wallet.account_for('dan'), 'production', 'Late', 1, NULL, NULL);
SELECT is(
    (SELECT t.fact FROM admin.timeline AS t WHERE t.user_id = 'dan' AND t.fact LIKE 'on the waitlist%'),
    format('on the waitlist for Class Late of %s, place 1',
        to_char(wallet.now() + interval '3 days', 'YYYY-MM-DD HH24:MI')),
    'a waiting user'
);
SELECT results_eq(
    'SELECT w.user_id, w.environment::text, w.class_id, w.place FROM admin.waitlist AS w',
    $$ VALUES ('dan', 'production', 'Late', 1) $$, 'the waitlist has a separate view, too'
);
SELECT wallet.cancel_class('Late', 'the oven failed', 'operator', NULL), wallet.settle_classes(10);
SELECT is(
    (SELECT t.fact FROM admin.timeline AS t WHERE t.user_id = 'cid' AND t.fact LIKE '%studio%'),
    format('+5 credits: the studio cancelled Class Late of %s, all returned: the oven failed',
        to_char(wallet.now() + interval '3 days', 'YYYY-MM-DD HH24:MI')), 'a class cancelled by the studio'
);

-- A merged account's facts are its new account's
SELECT wallet.admit_token('x', wallet.now(), TRUE), pg_temp.buy('x', 'p2', 'starter');
SELECT wallet.merge_accounts('x', 'eve');
SELECT results_eq(
    $$ SELECT f FROM pg_temp.facts('eve') AS f ORDER BY (f COLLATE "C") $$, $$ VALUES
        ('+25 credits: bought Starter'), ('+25 credits: moved from another account'),
        ('−25 credits: moved to another account') $$, 'a merge'
);

-- Lots
SELECT results_eq(
    $$ SELECT l.unit::text, l.source, l.transaction_id, l.granted, l.remaining, l.owed, l.expires_at IS NULL, l.released
       FROM admin.lots AS l WHERE l.user_id = 'ann' ORDER BY l.created_at, l.lot_id $$,
    $$ VALUES ('credit', 'pack', 'p1', 25::bigint, 0::bigint, 20::bigint, TRUE, FALSE),
        ('credit', 'gift', NULL, 10, 10, 0, TRUE, FALSE), ('credit', 'adjustment', NULL, 3, 3, 0, TRUE, FALSE),
        ('visit', 'plan', 's1', 4, 4, 0, FALSE, TRUE) $$, 'the balance of each grant'
);
SELECT pg_temp.gift('fay', 5, 'credit', '1 hour'), pg_temp.wait('1 hour');
SELECT results_eq(
    $$ SELECT l.remaining, l.lapsed FROM admin.lots AS l WHERE l.user_id = 'fay' $$, 'VALUES (0::bigint, 5::bigint)',
    'due expiries show as lapsed'
);
SELECT is(
    (SELECT p.used_by -> 0 ->> 'used_at' FROM admin.purchases AS p WHERE p.transaction_id = 'p1'),
    '2030-01-01T14:00:00+00:00', 'an instant is one, not a number'
);
SELECT is(w.environment::text, 'production', 'a wallet names its environment') FROM admin.wallets AS w
WHERE w.user_id = 'ann';
-- A waiver
SELECT wallet.waive_cancellation(
    wallet.account_for('ann'), 'production', pg_temp.id_of('k1'), row('dana', 'sorry', NULL, NULL)::wallet.action_note
);
SELECT results_eq(
    $$ SELECT t.kind, t.amount > 0, t.balance_after IS NULL FROM admin.timeline AS t
       WHERE t.booking_id = pg_temp.id_of('k1') ORDER BY t.at $$,
    $$ VALUES ('booked', FALSE, FALSE), ('cancelled', FALSE, TRUE), ('waived', TRUE, FALSE) $$, 'a waiver, too'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
