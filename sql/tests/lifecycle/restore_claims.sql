-- wallet.restore_claims and its helpers: proven purchases move, and nothing is granted again (rule 33).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();

CREATE FUNCTION pg_temp.claims(VARIADIC p_ids text[]) RETURNS bigint[] LANGUAGE sql AS $$
    SELECT array_agg(c.claim_id ORDER BY c.claim_id) FROM wallet.claims AS c WHERE c.transaction_id = ANY(p_ids);
$$;
CREATE FUNCTION pg_temp.restore(p_user text, p_ids text[], p_app text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(
        concat_ws(' ', r.transaction_id, r.result, r.remaining, r.unit), ', ' ORDER BY r.transaction_id
    )
    FROM wallet.restore_claims(wallet.account_for(p_user), pg_temp.claims(VARIADIC p_ids), p_app) AS r;
$$;
SELECT pg_temp.lesson('a', 20);

-- Packs, passes and a subscription, partly spent
SELECT pg_temp.buy('ann', 'a1', 'explorer'), pg_temp.buy('ann', 'a2', 'fiveVisit');
SELECT pg_temp.buy('ann', 's1', 'plan.explorer', '{"original_transaction_id": "s1"}');
SELECT pg_temp.wait('1 day');
SELECT pg_temp.buy('ann', 's2', 'plan.explorer', '{"original_transaction_id": "s1"}');
SELECT pg_temp.book('ann', 'k', 'a', 1, 'credits');
SELECT pg_temp.wait('2 days');
SELECT is(
    pg_temp.restore('ann', ARRAY['a1', 's2']), 'a1 held 30 credit, s2 held 4 visit',
    'the user''s own purchase is reported as held'
);
SELECT is(pg_temp.restore('bob', ARRAY['a1']), 'a1 claimed 30 credit', 'a living owner''s stays');
SELECT wallet.delete_account('ann'), pg_temp.wait('1 second');
SELECT is(
    pg_temp.restore('bob', ARRAY['a1', 's2']),
    'a1 restored 30 credit, s1 restored 4 visit, s2 restored 4 visit',
    'a proven pack is restored with its balance, a subscription with all its periods'
);
SELECT is(pg_temp.funds('bob'), '30 8 0 0', 'spent credits stay spent');
SELECT is(pg_temp.story('bob'), 'transfer_in 30, transfer_in 4, transfer_in 4', 'nothing is granted again');
SELECT results_eq(
    $$ SELECT s.account_id, s.has_access FROM wallet.subscription_states AS s $$,
    $$ SELECT wallet.account_for('bob'), TRUE $$, 'the subscription is active for the user who proved it'
);
SELECT is(
    (SELECT string_agg(o.type, ', ' ORDER BY o.event_id) FROM wallet.outbox AS o
    WHERE o.account_id = wallet.account_for('bob')),
    'credits.transferred, credits.transferred, credits.transferred, subscription.transferred',
    'an event reports each lot, and the subscription'
);
SELECT is(
    (SELECT string_agg(concat_ws(' ',
        wallet.event_body(o) -> 'data' ->> 'transaction_id', wallet.event_body(o) -> 'data' ->> 'amount',
        wallet.event_body(o) -> 'data' ->> 'unit', wallet.event_body(o) -> 'data' ->> 'balance_after'
    ), ', ' ORDER BY o.event_id) FROM wallet.outbox AS o WHERE o.type = 'credits.transferred'),
    'a1 30 credit 30, s1 4 visit 4, s2 4 visit 8', 'with its amount; the deleted account gets none'
);
SELECT is(wallet.unproven_lots(pg_temp.claims('a1', 's2')), 1::bigint, 'the pass was not proved and stays behind');
SELECT is(
    (SELECT p.used_by -> 0 ->> 'booking_id' FROM wallet.purchases AS p WHERE p.transaction_id = 'a1'),
    pg_temp.id_of('k')::text, 'the purchase shows the booking that it paid for'
);
SELECT pg_temp.sound();
SELECT is(
    pg_temp.restore('bob', ARRAY['a1', 's2']), 'a1 held 30 credit, s2 held 4 visit', 'a repeated restore returns held'
);
SELECT is(pg_temp.funds('bob'), '30 8 0 0', 'a repeated restore changes nothing');
SELECT is(pg_temp.restore('cid', ARRAY['a1', 'a2']), 'a1 claimed 30 credit, a2 restored 5 visit', 'the rest is free');
SELECT is(wallet.unproven_lots(pg_temp.claims('a1', 's2', 'a2')), 0::bigint, 'now nothing stays behind');
SELECT pg_temp.wait('1 second');
SELECT is(
    pg_temp.says(pg_temp.buy('bob', 's3', 'plan.explorer', '{"original_transaction_id": "s1"}')), 'granted 4 visit',
    'the new owner gets the next period'
);
SELECT pg_temp.buy('bob', 'u', 'starter', '{"pending": true}');
SELECT is(pg_temp.restore('cid', ARRAY['u']), 'u unowned 0', 'a purchase without an owner is not restored');
SELECT is(pg_temp.restore('cid', ARRAY['no such']), NULL, 'an unknown purchase is not restored');

-- Debts move along
SELECT pg_temp.lesson('d', 20), pg_temp.buy('dan', 'd1', 'starter'), pg_temp.book('dan', 'd', 'd');
SELECT pg_temp.wait('3 days'), wallet.delete_account('dan');
SELECT pg_temp.buy(NULL, 'd1', 'starter', '{"refunded_millionths": 1000000}');
SELECT pg_temp.restore('eve', ARRAY['d1']);
SELECT is(pg_temp.funds('eve'), '0 0 20 0', 'a debt is restored with its purchase');
SELECT pg_temp.buy('eve', 'e1', 'starter');
SELECT is(pg_temp.funds('eve'), '5 0 0 0', 'the next grant repays the debt');
SELECT pg_temp.sound();
SELECT wallet.delete_account('eve');
SELECT is(pg_temp.restore('fay', ARRAY['d1']), 'd1 restored 0 credit', 'a debtor moves without its payer');
SELECT is(pg_temp.restore('gil', ARRAY['e1']), 'e1 restored 5 credit', 'a payer is restored without its debtor');
SELECT pg_temp.sound();

-- By the id of the app's copy
SELECT pg_temp.buy('gus', 'g1', 'starter', '{"app_transaction_id": "app"}');
SELECT pg_temp.buy('gus', 'g2', 'explorer', '{"app_transaction_id": "app"}'), pg_temp.buy('gus', 'g3', 'starter');
SELECT is(pg_temp.restore('hal', ARRAY['none'], 'app'), NULL, 'a living owner''s purchases are not listed');
SELECT wallet.delete_account('gus');
SELECT is(
    pg_temp.restore('hal', ARRAY['none'], 'app'), 'g1 restored 25 credit, g2 restored 50 credit',
    'a proven copy of the app restores its purchases'
);
SELECT is(wallet.unproven_lots(pg_temp.claims('g1', 'g2')), 1::bigint, 'one other purchase stays unproven');
SELECT pg_temp.sound();

-- A subscription whose first transaction is unknown is identified by its own id
SELECT pg_temp.buy('mia', 'm1', 'plan.explorer', '{"original_transaction_id": null}'), wallet.delete_account('mia');
SELECT is(pg_temp.restore('ned', ARRAY['m1']), 'm1 restored 4 visit', 'the visits are restored');
SELECT results_eq(
    $$ SELECT s.account_id FROM wallet.subscription_states AS s WHERE s.original_transaction_id = 'm1' $$,
    $$ VALUES (wallet.account_for('ned')) $$, 'the subscription is restored, too'
);
UPDATE admin.purchases SET released = TRUE WHERE transaction_id = 'm1';
SELECT is_empty(
    $$ SELECT FROM wallet.subscription_states AS s WHERE s.original_transaction_id = 'm1' $$,
    'the subscription can be released in the same way'
);

-- Deleting and restoring in a loop creates no credits
SELECT pg_temp.buy('loop0', 'l1', 'power'), pg_temp.buy('loop0', 'l2', 'tenVisit');
SELECT pg_temp.lesson('x', 20), pg_temp.book('loop0', 'x', 'x'), pg_temp.gift('loop0', 500);
CREATE FUNCTION pg_temp.loop() RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    FOR v_turn IN 1 .. 10 LOOP
        PERFORM wallet.delete_account('loop' || v_turn - 1);
        PERFORM pg_temp.wait('1 second');
        PERFORM pg_temp.restore('loop' || v_turn, ARRAY['l1', 'l2']);
        RETURN NEXT pg_temp.funds('loop' || v_turn);
    END LOOP;
END;
$$;
SELECT is(array_agg(DISTINCT l), ARRAY['200 10 0 0'],
    'after ten rounds the balance equals the purchases') FROM pg_temp.loop() AS l;
SELECT pg_temp.sound();
SELECT wallet.delete_account('loop10'), pg_temp.wait('1 second');
SELECT is(
    pg_temp.restore('loop10', ARRAY['l1', 'l2']), 'l1 restored 200 credit, l2 restored 10 visit',
    'a user may restore their own purchases'
);
SELECT pg_temp.sound();

-- Blocked users
SELECT pg_temp.buy('ida', 'i1', 'starter');
UPDATE wallet.accounts SET blocked_at = wallet.now() WHERE account_id = wallet.account_for('ida');
SELECT wallet.delete_account('ida'), pg_temp.restore('jon', ARRAY['i1']);
SELECT is(
    (SELECT a.blocked_at IS NOT NULL FROM wallet.accounts AS a WHERE a.account_id = wallet.account_for('jon')), TRUE,
    'a deleted account''s block moves with its purchases'
);
SELECT pg_temp.buy('kim', 'k1', 'starter'), wallet.delete_account('kim');
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.restore('jon', ARRAY['k1']) $$), 'WL403 account-blocked',
    'the blocked restore nothing'
);
SELECT is(pg_temp.restore('jon', ARRAY['i1']), 'i1 held 25 credit', 'a blocked user still sees their own purchases');
SELECT set_config('t.lea', wallet.account_for('lea')::text, TRUE), wallet.delete_account('lea');
SELECT is(
    pg_temp.raised($$ SELECT wallet.restore_claims(current_setting('t.lea')::bigint, pg_temp.claims('k1'), NULL) $$),
    'WL401 unauthenticated', 'a deleted user restores nothing'
);
-- Dismissing the flag lifts the block
SELECT pg_temp.buy('oda', 'o' || n, 'starter', '{"refunded_millionths": 1000000}') FROM generate_series(1, 3) AS n;
UPDATE admin.review_flags SET resolution = 'blocked' WHERE user_id = 'oda';
SELECT pg_temp.buy('oda', 'o4', 'starter'), wallet.delete_account('oda'), pg_temp.wait('1 second');
SELECT pg_temp.restore('pia', ARRAY['o1']);
SELECT results_eq(
    $$ SELECT f.refunds, f.resolution, f.is_blocked FROM admin.review_flags AS f WHERE f.user_id = 'pia' $$,
    $$ VALUES (3, 'blocked', TRUE) $$, 'the flag of the block follows the purchases'
);
UPDATE admin.review_flags SET resolution = 'dismissed' WHERE user_id = 'pia';
SELECT is(
    (SELECT a.blocked_at FROM wallet.accounts AS a WHERE a.account_id = wallet.account_for('pia')), NULL,
    'its dismissal lifts the block'
);

-- An administrator releases a purchase of an active account
SELECT pg_temp.buy('quin', 'q1', 'starter'), pg_temp.gift('quin', 5);
UPDATE admin.purchases SET released = TRUE WHERE transaction_id = 'q1';
SELECT is(pg_temp.restore('roy', ARRAY['q1']), 'q1 restored 25 credit', 'another user restores it');
SELECT is(
    (SELECT string_agg(concat_ws(' ', e.body ->> 'user_id', e.body ->> 'amount', e.body ->> 'balance_after'), ', ')
    FROM (
        SELECT wallet.event_body(o) -> 'data' AS body FROM wallet.outbox AS o
        WHERE o.type = 'credits.transferred' AND o.account_id IN (wallet.account_for('quin'), wallet.account_for('roy'))
        ORDER BY o.event_id
    ) AS e), 'roy 25 25, quin -25 5', 'both users get an event'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
