-- wallet.merge_accounts and its helpers: an anonymous user is merged into a signed-in user (rule 32).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();

CREATE FUNCTION pg_temp.merge(p_from text, p_to text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format('SELECT wallet.merge_accounts(%L, %L)', p_from, p_to));
$$;
-- Two users may use the same key, but the service never gives two bookings the same id.
CREATE FUNCTION pg_temp.take(p_user text, p_key text, p_class_id text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.answer(o.*) FROM pg_temp.batch(
        ARRAY[wallet.account_for(p_user)], ARRAY['production'::wallet.environment], ARRAY['book'],
        ARRAY[md5(p_user || p_key || p_class_id)::uuid], ARRAY[p_key], ARRAY[p_class_id], ARRAY[1], ARRAY[NULL],
        ARRAY[NULL::bigint]
    ) AS o;
$$;
CREATE FUNCTION pg_temp.give_up(p_user text, p_taken_by text, p_key text, p_class_id text) RETURNS text
LANGUAGE sql AS $$
    SELECT pg_temp.answer(o.*) FROM pg_temp.batch(
        ARRAY[wallet.account_for(p_user)], ARRAY['production'::wallet.environment], ARRAY['cancel'],
        ARRAY[md5(p_taken_by || p_key || p_class_id)::uuid], ARRAY[NULL], ARRAY[NULL], ARRAY[NULL::integer],
        ARRAY[NULL], ARRAY[NULL::bigint]
    ) AS o;
$$;
SELECT pg_temp.lesson(c, 20) FROM unnest(ARRAY['a', 'b', 'both', 'c', 'd']) AS c;
SELECT wallet.admit_token('anon', wallet.now(), TRUE);
SELECT set_config('t.anon', wallet.account_for('anon')::text, TRUE);

-- An anonymous user with every kind of data
SELECT pg_temp.buy('anon', 'p1', 'enthusiast'), pg_temp.buy('anon', 's1', 'plan.explorer'), pg_temp.gift('anon', 9);
SELECT pg_temp.gift('anon', 6, 'visit', '5 days', 'sandbox'), pg_temp.take('anon', 'k', 'a');
SELECT pg_temp.take('anon', 'same', 'b'), pg_temp.take('anon', 'twice', 'both');
SELECT pg_temp.buy('anon', 'p2', 'starter'), pg_temp.buy('anon', 'p2', 'starter', '{"refunded_millionths": 1000000}');
INSERT INTO admin.testers (user_id) VALUES ('anon');
INSERT INTO wallet.review_flags (account_id, environment, refunds, raised_at)
SELECT wallet.account_for(u), 'production', 3, wallet.now() FROM unnest(ARRAY['anon', 'ann']) AS u;
INSERT INTO wallet.review_flags (account_id, environment, app_transaction_id, refunds, raised_at)
VALUES (wallet.account_for('anon'), 'production', 'app', 4, wallet.now());
UPDATE wallet.accounts SET blocked_at = wallet.now() WHERE account_id = wallet.account_for('anon');

-- The user who signs in
SELECT pg_temp.gift('ann', 100), pg_temp.take('ann', 'same', 'c'), pg_temp.take('ann', 'mine', 'both');
SELECT is(pg_temp.funds('anon') || ', ' || pg_temp.funds('ann'), '49 4 0 0, 60 0 0 0', 'before');
SELECT pg_temp.sound();

SELECT is(pg_temp.merge('anon', 'ann'), 'nothing', 'the anonymous user is merged');
SELECT is(pg_temp.funds('ann'), '129 4 0 0', 'the other has both balances, and the class booked twice back in full');
SELECT is(pg_temp.funds('ann', 'sandbox'), '0 6 0 0', 'balances of both environments move');
SELECT results_eq(
    $$ SELECT w.credits, w.visits, w.owed_credits, w.owed_visits FROM wallet.wallets AS w
       WHERE w.account_id = current_setting('t.anon')::bigint $$,
    $$ VALUES (0::bigint, 0::bigint, 0::bigint, 0::bigint), (0, 0, 0, 0) $$, 'the anonymous wallets are empty'
);
SELECT pg_temp.sound();
SELECT results_eq(
    $$ SELECT c.class_id, b.status, b.cancelled_by, b.returned, b.idempotency_key
       FROM wallet.booking_details AS b INNER JOIN wallet.classes AS c ON b.class_id = c.class_id
       WHERE b.account_id = wallet.account_for('ann') ORDER BY c.class_id, b.status $$,
    $$ VALUES ('a', 'booked', NULL, NULL::bigint, 'k'),
        ('b', 'booked', NULL, NULL, NULL), ('both', 'booked', NULL, NULL, 'mine'),
        ('both', 'cancelled', 'wallet', 20, 'twice'), ('c', 'booked', NULL, NULL, 'same') $$,
    'all bookings move, and the remaining user keeps a key that both used'
);
SELECT is(pg_temp.seats_sold('both'), 1, 'the class booked by both has one seat fewer sold');
SELECT results_eq(
    'SELECT DISTINCT account_id FROM wallet.claims', $$ VALUES (wallet.account_for('ann')) $$, 'claims move'
);
SELECT results_eq(
    'SELECT s.account_id, s.has_access FROM wallet.subscription_states AS s',
    $$ VALUES (wallet.account_for('ann'), TRUE) $$, 'the subscription moves'
);
SELECT results_eq(
    'SELECT f.account_id, f.app_transaction_id, f.refunds FROM wallet.review_flags AS f ORDER BY f.refunds',
    $$ VALUES (wallet.account_for('ann'), 'app', 4), (wallet.account_for('ann'), NULL, 6) $$,
    'flags move, doubles add up'
);
SELECT is(
    (SELECT a.blocked_at FROM wallet.accounts AS a WHERE a.account_id = wallet.account_for('ann')), wallet.now(),
    'a block moves'
);
UPDATE wallet.accounts SET blocked_at = NULL;
SELECT results_eq('SELECT t.user_id FROM admin.testers AS t', $$ VALUES ('ann') $$, 'a tester stays one');
SELECT is(
    (SELECT a.merged_into FROM wallet.accounts AS a WHERE a.account_id = current_setting('t.anon')::bigint),
    wallet.account_for('ann'), 'the merged account refers to its target'
);
SELECT is(wallet.account_for('anon'), wallet.account_for('ann'), 'the anonymous id leads to the remaining account');
SELECT is((SELECT count(*)::integer FROM admin.wallets AS w WHERE w.user_id = 'ann'), 1, 'admins see one user');
SELECT is((SELECT count(*)::integer FROM admin.bookings AS b WHERE b.class_id = 'a'), 1, 'each booking is listed once');

-- The bookings that moved
SELECT is(
    (SELECT (b.slices[1]).amount FROM wallet.booking_details AS b WHERE b.class_id = 'a'),
    20::bigint, 'a moved booking shows what paid for it'
);
SELECT is(pg_temp.take('ann', 'k', 'a'), '200 booked 20 credit replayed', 'a key answers under the new account');
SELECT is(
    (SELECT string_agg(u.used ->> 'class_id', ', ' ORDER BY u.used ->> 'class_id')
    FROM wallet.purchases AS p CROSS JOIN LATERAL jsonb_array_elements(p.used_by) AS u (used)
    WHERE p.transaction_id = 'p1'), 'a, b',
    'the purchase shows the bookings that it had paid for'
);
SELECT is(
    pg_temp.give_up('ann', 'anon', 'k', 'a'), '200 cancelled 20 credit returned 20',
    'the moved booking can be cancelled'
);
SELECT is(pg_temp.funds('ann'), '149 4 0 0', 'the amount returns to the moved lot');
SELECT is(
    (SELECT l.spent FROM wallet.lots AS l INNER JOIN wallet.claims AS c ON l.claim_id = c.claim_id
    WHERE c.transaction_id = 'p1'), 20::bigint, 'the amount is in the moved lot'
);
SELECT pg_temp.sound();
SELECT pg_temp.wait('1 second');
SELECT pg_temp.buy(NULL, 'p1', 'enthusiast', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.funds('ann'), '69 4 20 0', 'a refund of a moved purchase affects the remaining account');
SELECT is(pg_temp.give_up('ann', 'anon', 'same', 'b'), '200 cancelled 20 credit returned 20', 'cancelling');
SELECT is(pg_temp.funds('ann'), '69 4 0 0', 'the cancellation pays the debt');
SELECT pg_temp.sound();

-- A second merge, and users who may not be merged
SELECT is(pg_temp.merge('anon', 'ann'), 'nothing', 'a repeated merge does nothing');
SELECT is(pg_temp.merge('ann', 'ann'), 'nothing', 'a merge into the same account does nothing');
SELECT is(pg_temp.merge('anon', 'bob'), 'WL403 not-mergeable', 'a merged user is not merged into another user');
SELECT wallet.admit_token('ann', clock_timestamp(), FALSE);
SELECT is(pg_temp.merge('ann', 'bob'), 'WL403 not-mergeable', 'a user who signed in is not merged');
SELECT wallet.admit_token('was', wallet.now(), TRUE), wallet.admit_token('was', wallet.now(), FALSE);
SELECT is(pg_temp.merge('was', 'bob'), 'WL403 not-mergeable', 'a user who signed in later is not merged');
SELECT is(pg_temp.merge('fresh', 'new'), 'nothing', 'two users never seen are merged');
SELECT is(wallet.account_for('fresh'), wallet.account_for('new'), 'into one account');
SELECT is(pg_temp.merge('new', 'bob'), 'WL403 not-mergeable', 'the user who took over an account has signed in');

-- A class that both users booked and that has begun: each booking keeps its seat
SELECT wallet.admit_token('guest', wallet.now(), TRUE), pg_temp.gift('guest', 20), pg_temp.gift('host', 20);
SELECT pg_temp.lesson('past', 20), pg_temp.take('guest', 'g', 'past'), pg_temp.take('host', 'h', 'past');
SELECT pg_temp.wait('4 days'), pg_temp.merge('guest', 'host');
SELECT is(pg_temp.funds('host'), '0 0 0 0', 'a class that has begun stays paid by both');
SELECT results_eq(
    $$ SELECT b.status, b.cancelled_by, b.returned FROM wallet.booking_details AS b
       WHERE b.class_id = 'past' ORDER BY b.created_at, b.idempotency_key $$,
    $$ VALUES ('cancelled', 'wallet', 0::bigint), ('booked', NULL, NULL) $$, 'the cancelled duplicate returns nothing'
);
SELECT pg_temp.sound();

-- No wallet is created in an environment that neither account uses
SELECT results_eq(
    $$ SELECT w.environment, count(*)::integer FROM wallet.wallets AS w
       INNER JOIN wallet.accounts AS a ON w.account_id = a.account_id
       WHERE wallet.account_for('host') IN (a.account_id, a.merged_into) GROUP BY w.environment $$,
    $$ VALUES ('production'::wallet.environment, 2) $$, 'no wallet is opened for the merge'
);

-- Both wallets are locked in the order of their accounts, and due expiries lapse first
SELECT wallet.admit_token('low', wallet.now(), TRUE), wallet.account_for('mid'), wallet.account_for('mid2');
SELECT wallet.admit_token('high', wallet.now(), TRUE);
SELECT pg_temp.gift(u.id, 3, 'credit', '1 day') FROM unnest(ARRAY['high', 'mid', 'low', 'mid2']) AS u (id);
SELECT set_config('t.' || u.id, wallet.account_for(u.id)::text, TRUE)
FROM unnest(ARRAY['low', 'mid', 'mid2', 'high']) AS u (id);
SELECT pg_temp.wait('1 day'), pg_temp.merge('low', 'mid'), pg_temp.merge('high', 'mid2');
SELECT is(
    (SELECT string_agg(u.id, ', ' ORDER BY o.event_id) FROM wallet.outbox AS o
    INNER JOIN unnest(ARRAY['low', 'mid', 'mid2', 'high']) AS u (id)
        ON o.account_id = current_setting('t.' || u.id)::bigint
    WHERE o.type = 'credits.expired'), 'low, mid, mid2, high', 'the older account comes first in either direction'
);
SELECT pg_temp.sound();

-- Two plans become one user's: the later period ends the earlier one. A wallet of an environment that the anonymous
-- user never used stays unchanged, even if an expiry is due there.
SELECT wallet.admit_token('sub', wallet.now(), TRUE), pg_temp.buy('sub', 'sub1', 'plan.explorer');
SELECT pg_temp.buy('peg', 'peg1', 'plan.explorer', jsonb_build_object(
    'environment', 'sandbox', 'expires_at', wallet.now() + interval '5 days'
));
SELECT pg_temp.wait('10 days'), pg_temp.buy('peg', 'peg2', 'plan.enthusiast');
SELECT is(pg_temp.funds('sub') || ', ' || pg_temp.funds('peg'), '0 4 0 0, 0 10 0 0', 'two users have a plan each');
SELECT pg_temp.merge('sub', 'peg');
SELECT is(pg_temp.funds('peg'), '0 10 0 0', 'the visits of the earlier period lapse');
SELECT is(
    (SELECT w.version FROM wallet.wallets AS w
    WHERE w.account_id = wallet.account_for('peg') AND w.environment = 'sandbox'), 1::bigint,
    'the sandbox wallet has no further entry'
);
SELECT pg_temp.sound();

-- A chain of merges, and requests that arrive late
SELECT wallet.admit_token('one', wallet.now(), TRUE), wallet.admit_token('two', wallet.now(), TRUE);
SELECT pg_temp.lesson('e', 20), pg_temp.buy('one', 'o1', 'starter'), pg_temp.take('one', 'k', 'e');
SELECT set_config('t.one', wallet.account_for('one')::text, TRUE);
SELECT pg_temp.merge('one', 'two');
SELECT is(pg_temp.merge('one', 'bob'), 'WL403 not-mergeable', 'an account that was merged cannot be merged separately');
SELECT pg_temp.merge('two', 'cid');
SELECT is(pg_temp.funds('cid'), '5 0 0 0', 'an account that took one in may be merged itself');
SELECT is(
    pg_temp.give_up('cid', 'one', 'k', 'e'), '200 cancelled 20 credit returned 20',
    'bookings of a merged account can still be cancelled'
);
SELECT is(pg_temp.funds('cid'), '25 0 0 0', 'the amount returns to the lots'' current wallet');
SELECT pg_temp.sound();
SELECT is(
    pg_temp.raised(format(
        'SELECT wallet.apply_fact(%s, pg_temp.fact(''late'', ''starter''))', current_setting('t.one')
    )), 'WL503 wallet-busy', 'a purchase decided for the merged account before the merge must be sent again'
);
SELECT is(
    pg_temp.raised(format(
        'SELECT wallet.adjust(%s, ''production'', ''credit'', 1, ''r'', ''a'', ''b'')', current_setting('t.one')
    )), 'WL503 wallet-busy', 'an adjustment of the merged account must be sent again'
);
SELECT is(
    (SELECT concat_ws(' ', o.status, o.slug) FROM pg_temp.batch(
        ARRAY[current_setting('t.one')::bigint], ARRAY['production'::wallet.environment], ARRAY['book'],
        ARRAY[gen_random_uuid()], ARRAY['n'], ARRAY['d'], ARRAY[1], ARRAY[NULL], ARRAY[NULL::bigint]
    ) AS o), '401 unauthenticated', 'a booking of the merged account is refused'
);
SELECT wallet.delete_account('cid');
SELECT is_empty(
    $$ SELECT FROM wallet.identities AS i WHERE i.user_id IN ('one', 'two', 'cid') $$, 'deletion takes merged ids along'
);
SELECT pg_temp.sound();

-- A repeated merge writes nothing, but its answer must wait for the standby
CREATE OR REPLACE FUNCTION wallet.await_standby() RETURNS void LANGUAGE sql AS $$
    SELECT set_config('t.awaited', current_setting('t.awaited', TRUE) || '1', TRUE);
$$;
SELECT set_config('t.awaited', '', TRUE), pg_temp.merge('fresh', 'new');
SELECT is(current_setting('t.awaited'), '1', 'a repeated merge waits for the standby');

-- An anonymous user is deleted and returns while the merge waits for the accounts: the new account is not merged
-- (isolation/accounts/merge_and_refund.spec tests this concurrently)
SELECT wallet.admit_token('back', wallet.now(), TRUE), pg_temp.buy('back', 'b1', 'starter');
CREATE OR REPLACE FUNCTION wallet.lock_accounts(p_from bigint, p_to bigint) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.delete_account('back');
    SELECT wallet.admit_token('back', wallet.now(), TRUE);
$$;
SELECT is(
    pg_temp.merge('back', 'bob'), 'WL403 not-mergeable',
    'a user''s former account is not merged if the user has a new one'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
