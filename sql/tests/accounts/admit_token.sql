-- wallet.admit_token: which tokens are accepted for which users (rules 32 and 33).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();

CREATE FUNCTION pg_temp.admitted(p_user text, p_issued_at timestamptz, p_is_anonymous boolean DEFAULT FALSE)
RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format('SELECT wallet.admit_token(%L, %L, %L)', p_user, p_issued_at, p_is_anonymous));
$$;

SELECT is(pg_temp.admitted('ann', wallet.now()), 'nothing', 'a user never seen is let in');
SELECT is_empty('SELECT FROM wallet.identities', 'admitting the token creates no account');
SELECT is(pg_temp.admitted('ann', NULL), 'nothing', 'a token need not say when it was issued');
SELECT is(pg_temp.admitted('anon', wallet.now(), TRUE), 'nothing', 'an anonymous user is let in');
SELECT results_eq(
    'SELECT i.user_id, i.is_anonymous FROM wallet.identities AS i', $$ VALUES ('anon', TRUE) $$,
    'the user is stored as anonymous'
);
SELECT pg_temp.admitted('anon', wallet.now(), TRUE);
SELECT is((SELECT count(*)::integer FROM wallet.accounts), 1, 'opened once');

-- The answer is the account and its opening time, which the service remembers with the token
SELECT results_eq(
    $$ SELECT a.account_id, a.opened_at FROM wallet.admit_token('new', wallet.now(), FALSE) AS a $$,
    $$ VALUES (NULL::bigint, NULL::timestamptz) $$, 'a user never seen has no account'
);
SELECT results_eq(
    $$ SELECT a.account_id, a.opened_at FROM wallet.admit_token('new anon', wallet.now(), TRUE) AS a $$,
    $$ VALUES (NULL::bigint, NULL::timestamptz) $$, 'an anonymous user had no account before the first token'
);
SELECT results_eq(
    $$ SELECT a.account_id, a.opened_at FROM wallet.admit_token('new anon', wallet.now(), TRUE) AS a $$,
    $$ SELECT i.account_id, o.opened_at FROM wallet.identities AS i INNER JOIN wallet.open_accounts AS o USING (account_id)
       WHERE i.user_id = 'new anon' $$, 'the second token returns the account that the first one opened'
);
SELECT pg_temp.wait('1 hour'), wallet.account_for('later');
SELECT results_eq(
    $$ SELECT a.account_id, a.opened_at FROM wallet.admit_token('later', wallet.now(), FALSE) AS a $$,
    $$ SELECT i.account_id, wallet.now() FROM wallet.identities AS i WHERE i.user_id = 'later' $$,
    'a known user''s account is returned with its opening time'
);
SELECT wallet.delete_account('later'), wallet.delete_account('new anon');

-- In the common case nothing is written
SELECT wallet.account_for('bob', FALSE);
SELECT pg_temp.admitted('bob', wallet.now()), pg_temp.admitted('anon', wallet.now(), TRUE);
SELECT pg_temp.admitted('bob', wallet.now(), TRUE);
SELECT results_eq(
    'SELECT i.user_id, i.is_anonymous FROM wallet.identities AS i ORDER BY i.user_id',
    $$ VALUES ('anon', TRUE), ('bob', FALSE) $$, 'a user who has signed in once stays signed in'
);
SELECT is(
    (SELECT i.xmin::text FROM wallet.identities AS i WHERE i.user_id = 'bob'), pg_current_xact_id()::text,
    'bob was written when he was opened'
);
SELECT pg_temp.admitted('anon', wallet.now());
SELECT ok(NOT i.is_anonymous, 'an anonymous user who signs in is not anonymous')
FROM wallet.identities AS i WHERE i.user_id = 'anon';

-- The first token decides, even if a store, an operator or an import named the user earlier
SELECT wallet.apply_statement(jsonb_build_object(
    'owners', '["stored"]'::jsonb, 'fact', pg_temp.fact('t1', 'starter')
)), pg_temp.gift('gifted', 5), wallet.account_for('member');
SELECT wallet.caller_account('called', 'infinity', NULL);
CREATE FUNCTION pg_temp.anonymous(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce(i.is_anonymous::text, 'unknown') FROM wallet.identities AS i WHERE i.user_id = p_user;
$$;
SELECT is(
    concat_ws(' ', pg_temp.anonymous('stored'), pg_temp.anonymous('gifted'), pg_temp.anonymous('called')),
    'unknown unknown unknown', 'a user who was never seen with a token may still be either kind'
);
SELECT pg_temp.admitted('stored', wallet.now(), TRUE), pg_temp.admitted('stored', wallet.now(), TRUE);
SELECT is(
    wallet.admit_users('{gifted}', ARRAY[wallet.now()], '{true}'), ARRAY[wallet.account_for('gifted')],
    'a batch admits a user who was never seen with a token'
);
SELECT pg_temp.admitted('member', wallet.now()), pg_temp.admitted('member', wallet.now(), TRUE);
SELECT is(
    concat_ws(' ', pg_temp.anonymous('stored'), pg_temp.anonymous('gifted'), pg_temp.anonymous('member')),
    'true true false', 'the first token decides'
);
SELECT is(
    pg_temp.raised($$ SELECT wallet.merge_accounts('member', 'ann') $$), 'WL403 not-mergeable', 'a member stays apart'
);
SELECT is(
    concat_ws(', ', pg_temp.raised($$ SELECT wallet.merge_accounts('stored', 'ann') $$),
        pg_temp.raised($$ SELECT wallet.merge_accounts('gifted', 'ann') $$),
        -- The user's first token is the one that identifies them.
        pg_temp.raised($$ SELECT wallet.merge_accounts('called', 'ann') $$)),
    'nothing, nothing, nothing', 'a user who never signed in can be merged'
);
SELECT is(pg_temp.funds('ann'), '30 0 0 0', 'the merged users'' credits from the store and the operator arrive');

-- Deleted users. Tokens are dated by the machine's clock, not by the wallet's.
SELECT pg_temp.wait('1 hour'), wallet.delete_account('bob');
SELECT is(pg_temp.admitted('bob', clock_timestamp() - interval '1 minute'), 'WL401 unauthenticated', 'an older token');
SELECT is((
    SELECT pg_temp.admitted('bob', max(d.deleted_at)) FROM wallet.deleted_users AS d
), 'WL401 unauthenticated', 'a token issued at the instant of the deletion');
SELECT is(pg_temp.admitted('bob', NULL), 'WL401 unauthenticated', 'a token without an issue time');
SELECT is(
    pg_temp.admitted('bob', clock_timestamp() - interval '1 minute', TRUE), 'WL401 unauthenticated', 'an anonymous one'
);
SELECT is_empty($$ SELECT FROM wallet.identities WHERE user_id = 'bob' $$, 'no refused token creates an account');
SELECT is(pg_temp.admitted('bob', clock_timestamp()), 'nothing', 'a later token is let in');
SELECT pg_temp.wait('1 minute'), pg_temp.gift('bob', 3);
SELECT is(pg_temp.funds('bob'), '3 0 0 0', 'a new, empty account is created');
SELECT is(
    pg_temp.admitted('bob', clock_timestamp() - interval '2 minutes'), 'WL401 unauthenticated',
    'the older token stays out when the user came back'
);
SELECT wallet.delete_account('never seen');
SELECT is(
    pg_temp.admitted('never seen', clock_timestamp() - interval '1 minute'), 'WL401 unauthenticated',
    'a user without data can be deleted, too'
);

-- Merged users
SELECT wallet.admit_token('cid', wallet.now(), TRUE), wallet.merge_accounts('cid', 'bob');
SELECT is(pg_temp.admitted('cid', wallet.now(), TRUE), 'WL401 unauthenticated', 'a merged user''s token');
SELECT is(
    pg_temp.admitted('cid', wallet.now() + interval '1 day'), 'WL401 unauthenticated', 'permanently, signed in or not'
);
SELECT is(pg_temp.admitted('bob', clock_timestamp()), 'nothing', 'the other user''s token is accepted');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
