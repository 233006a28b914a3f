-- The owner of a subscription after transfers combined with merges, deletions, releases and restores, reported in any
-- order (rules 31 to 33).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.transfer(p_from text, p_to text, p_day numeric, p_more jsonb DEFAULT '{}') RETURNS text
LANGUAGE sql AS $$
    SELECT wallet.apply_transfer(jsonb_build_object(
        'from', to_jsonb(ARRAY[p_from]), 'to', to_jsonb(ARRAY[p_to]), 'at', pg_temp.noon(p_day)
    ) || p_more);
$$;
-- The owner of a chain's subscription: the user, or 'nobody' for an account without one, and whether it is released.
CREATE FUNCTION pg_temp.holder(p_chain text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', coalesce((
        SELECT i.user_id FROM wallet.identities AS i
        WHERE i.account_id = s.account_id AND i.merged_at IS NULL
    ), 'nobody'), CASE WHEN s.released_at IS NOT NULL THEN 'released' END)
    FROM wallet.subscriptions AS s WHERE s.original_transaction_id = p_chain;
$$;
-- A period of a chain that begins on a day, bought by a user.
CREATE FUNCTION pg_temp.subscribe(p_user text, p_chain text, p_day numeric) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(
        p_user, p_chain || p_day, 'plan.explorer', pg_temp.days(p_day, p_day + 30)
        || jsonb_build_object('original_transaction_id', p_chain)
    ));
$$;
-- A store's later report of one flag of a period.
CREATE FUNCTION pg_temp.flag(p_chain text, p_day numeric) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.wait('1 second');
    SELECT pg_temp.report(NULL, p_chain || p_day, 'plan.explorer', pg_temp.days(p_day, p_day + 30)
        || jsonb_build_object('original_transaction_id', p_chain, 'will_renew', wallet.now() < pg_temp.noon(3)));
    SELECT pg_temp.holder(p_chain);
$$;
CREATE FUNCTION pg_temp.anonymous(p_user text) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.admit_token(p_user, wallet.now(), TRUE);
$$;
CREATE FUNCTION pg_temp.restored(p_user text, p_chain text, p_day numeric, p_more jsonb DEFAULT '{}') RETURNS text
LANGUAGE sql AS $$
    SELECT string_agg(r.transaction_id || ' ' || r.result, ', ' ORDER BY r.transaction_id)
    FROM wallet.restore(wallet.account_for(p_user), jsonb_build_array(pg_temp.fact(
        p_chain || p_day, 'plan.explorer', pg_temp.days(p_day, p_day + 30)
        || jsonb_build_object('original_transaction_id', p_chain) || p_more
    )), NULL) AS r;
$$;
CREATE FUNCTION pg_temp.release(p_chain text) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.release_claim(c.claim_id) FROM wallet.claims AS c
    WHERE c.original_transaction_id = p_chain ORDER BY c.claim_id LIMIT 1;
$$;

-- Transferred first, then the former owner is merged
SELECT pg_temp.anonymous('x1'), pg_temp.subscribe('x1', 'a', 0), pg_temp.subscribe('cid', 'own', 0);
SELECT pg_temp.day(1), pg_temp.transfer('x1', 'bob', 0.5), wallet.merge_accounts('x1', 'cid');
SELECT is(pg_temp.holder('a'), 'bob', 'a merge takes no subscription that a store had transferred before');
SELECT is(pg_temp.flag('a', 0), 'bob', 'the next report does not change the owner');
SELECT is(pg_temp.flag('own', 0), 'cid', 'the other user''s own subscription stays');
SELECT is(pg_temp.report(NULL, 'a30', 'plan.explorer', pg_temp.days(30, 60, '{"original_transaction_id": "a"}')),
    'granted 4 visit', 'a renewal is reported');
SELECT is(pg_temp.holder('a') || ' ' || pg_temp.funds('bob'), 'bob 0 4 0 0', 'the receiver gets the renewal');
SELECT pg_temp.sound();

-- A transfer from before the merge, reported after it
SELECT pg_temp.anonymous('x2'), pg_temp.subscribe('x2', 'b', 0), pg_temp.day(1.5), wallet.merge_accounts('x2', 'cid');
SELECT is(pg_temp.holder('b'), 'cid', 'a merge takes the subscription along');
SELECT pg_temp.day(1.6), pg_temp.transfer('x2', 'bob', 1.4);
SELECT is(pg_temp.holder('b'), 'bob', 'a transfer from before moves what the merged one had');
SELECT is(pg_temp.flag('own', 0), 'cid', 'the remaining user''s own subscription stays');
SELECT pg_temp.day(1.7), pg_temp.transfer('cid', 'dan', 1.65);
SELECT is(
    pg_temp.flag('own', 0) || ', ' || pg_temp.flag('b', 0), 'dan, bob',
    'a transfer after the merge moves the remaining user''s subscription'
);
SELECT pg_temp.sound();

-- The receiver is merged
SELECT pg_temp.anonymous('x3'), pg_temp.subscribe('eve', 'c', 0), pg_temp.transfer('eve', 'x3', 1.7);
SELECT is(pg_temp.holder('c'), 'x3', 'a transfer to an anonymous account');
SELECT pg_temp.day(1.8), wallet.merge_accounts('x3', 'fay');
SELECT is(
    pg_temp.holder('c') || ', ' || pg_temp.flag('c', 0), 'fay, fay',
    'the merge moves the subscription to the remaining user'
);
SELECT pg_temp.transfer('fay', 'gus', 1.75);
SELECT is(pg_temp.flag('c', 0), 'fay', 'an earlier transfer by the remaining user does not include it');
SELECT pg_temp.day(1.9), pg_temp.transfer('fay', 'gus', 1.85);
SELECT is(pg_temp.flag('c', 0), 'gus', 'a later transfer by the remaining user includes it');
SELECT pg_temp.transfer('gus', 'eve', 1.86), pg_temp.transfer('eve', 'fay', 1.87);
SELECT is(pg_temp.flag('c', 0), 'fay', 'round and on');
SELECT pg_temp.sound();

-- An old transfer, and a later restore
SELECT pg_temp.subscribe('hal', 'd', 0), pg_temp.transfer('ida', 'jon', 1.5), pg_temp.day(2);
SELECT wallet.delete_account('hal');
SELECT is(pg_temp.holder('d'), 'nobody released', 'a deleted owner''s subscription is released');
SELECT pg_temp.day(2.1);
SELECT is(pg_temp.restored('ida', 'd', 0), 'd0 restored', 'the subscription is restored');
SELECT is(pg_temp.holder('d') || ', ' || pg_temp.flag('d', 0), 'ida, ida', 'an earlier transfer does not move it');
SELECT pg_temp.transfer('ida', 'kim', 2.05);
SELECT is(pg_temp.flag('d', 0), 'ida', 'whenever it is reported');
SELECT pg_temp.day(2.2), pg_temp.transfer('ida', 'kim', 2.15);
SELECT is(pg_temp.flag('d', 0), 'kim', 'a later transfer moves it');
SELECT is(
    (SELECT array_agg(DISTINCT u.user_id) FROM wallet.claims AS c INNER JOIN wallet.users AS u
    ON c.account_id = u.account_id WHERE c.original_transaction_id = 'd'), '{ida}', 'the period stays where it is'
);
SELECT pg_temp.sound();

-- Released by an administrator and restored: the same result
SELECT pg_temp.subscribe('lea', 'e', 0), pg_temp.transfer('mia', 'ned', 1.5), pg_temp.release('e');
SELECT is(pg_temp.restored('mia', 'e', 0) || ', ' || pg_temp.flag('e', 0), 'e0 restored, mia', 'released, restored');
SELECT pg_temp.release('e'), pg_temp.restored('mia', 'e', 0);
SELECT is(pg_temp.flag('e', 0), 'mia', 'released again, and taken back by its owner');
SELECT is_empty(
    'SELECT FROM wallet.claims AS c WHERE c.original_transaction_id = ''e'' AND c.released_at IS NOT NULL',
    'the claim is not released'
);
SELECT pg_temp.sound();

-- Transferred to a living user: if another user restores the former owner's period, that user gets only what the period
-- granted
SELECT pg_temp.subscribe('ole', 'f', 0), pg_temp.transfer('ole', 'pia', 2.1), pg_temp.day(2.3);
SELECT wallet.delete_account('ole');
SELECT is(pg_temp.holder('f'), 'pia', 'a transferred subscription outlives the former owner');
SELECT is(pg_temp.restored('rob', 'f', 0), 'f0 restored', 'the former owner''s period is restored');
SELECT is(
    pg_temp.flag('f', 0) || ', ' || pg_temp.funds('rob'), 'pia, 0 4 0 0',
    'the user gets the visits but not the subscription'
);
SELECT pg_temp.sound();

-- Transferred to a user who is deleted later: the user who proves the subscription gets it; the former owner still
-- exists
SELECT pg_temp.subscribe('sue', 'g', 0), pg_temp.transfer('sue', 'tim', 2.2), pg_temp.day(2.4);
SELECT wallet.delete_account('tim');
SELECT is(pg_temp.holder('g') || ', ' || pg_temp.flag('g', 0), 'nobody released, nobody released', 'deleted');
SELECT is(pg_temp.restored('una', 'g', 0, '{"ownership": "family_shared"}'), 'g0 transaction-already-claimed',
    'a member of the family proves nothing');
SELECT is(pg_temp.holder('g'), 'nobody released', 'the submission grants nothing');
SELECT pg_temp.day(2.5);
SELECT is(pg_temp.restored('una', 'g', 0), 'g0 transaction-already-claimed', 'another user proves the subscription');
SELECT is(
    pg_temp.flag('g', 0) || ', ' || pg_temp.funds('sue'), 'una, 0 4 0 0', 'the user has the subscription but no visits'
);
SELECT pg_temp.day(2.6), wallet.delete_account('una');
SELECT is(
    pg_temp.restored('sue', 'g', 0) || ', ' || pg_temp.flag('g', 0), 'g0 held, sue', 'the buyer, too, may prove it'
);
SELECT pg_temp.sound();

-- A purchase reported only after the receiver was deleted is released for the user who proves it
SELECT pg_temp.transfer('vic', 'wes', 2.5), wallet.delete_account('wes'), pg_temp.subscribe('vic', 'h', 0);
SELECT is(pg_temp.holder('h'), 'nobody released', 'reported late');
SELECT is(pg_temp.transfer('vic', 'wes', 2.6), NULL, 'a transfer to a deleted user does not wait');
SELECT is(pg_temp.restored('vic', 'h', 0) || ', ' || pg_temp.holder('h'), 'h0 held, vic', 'the former owner proves it');
-- A transfer from a deleted user moves nothing: the receiver must prove the purchase
SELECT pg_temp.subscribe('xia', 'i', 0), wallet.delete_account('xia'), pg_temp.transfer('xia', 'yan', 2.6);
SELECT is(pg_temp.holder('i'), 'nobody released', 'the subscription stays released');
SELECT is(
    pg_temp.restored('yan', 'i', 0) || ', ' || pg_temp.flag('i', 0), 'i0 restored, yan',
    'the receiver proves the purchase'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
