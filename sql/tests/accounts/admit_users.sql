-- wallet.admit_users: the accounts of a batch's users; each user is admitted separately (rules 32 and 33). Tokens and
-- deletions are dated by the system's clock.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT set_config('t.now', (clock_timestamp() - interval '1 hour')::text, TRUE);
SELECT wallet.account_for('ann'), wallet.account_for('gone'), wallet.admit_token('guest', clock_timestamp(), TRUE);
SELECT set_config('t.now', clock_timestamp()::text, TRUE);
SELECT wallet.delete_account('gone');
CREATE FUNCTION pg_temp.named(p_accounts bigint[]) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(coalesce(i.user_id, 'nobody'), ' ' ORDER BY a.place)
    FROM unnest(p_accounts) WITH ORDINALITY AS a (account_id, place)
    LEFT JOIN wallet.identities AS i ON i.account_id = a.account_id;
$$;
SELECT is(
    pg_temp.named(wallet.admit_users(
        '{ann,gone,ann,new}', ARRAY[
            clock_timestamp(), clock_timestamp() - interval '1 minute', clock_timestamp(), clock_timestamp()
        ],
        '{f,f,f,f}'
    )), 'ann nobody ann new', 'each user is admitted or refused, and a new user gets an account'
);
SELECT is(
    pg_temp.named(wallet.admit_users('{ann}', ARRAY[clock_timestamp() - interval '1 day'], '{f}')), 'ann',
    'a token from before the account was opened is as good'
);
SELECT is(
    pg_temp.named(wallet.admit_users('{gone,ann}', '{null,null}', '{f,f}')), 'nobody ann',
    'a token without an issue time counts as older than the deletion'
);
SELECT is(
    pg_temp.named(wallet.admit_users('{gone}', ARRAY[clock_timestamp() + interval '1 second'], '{f}')), 'gone',
    'a token issued after the deletion opens a new account'
);
SELECT is(
    pg_temp.named(wallet.admit_users('{gone}', ARRAY[clock_timestamp() - interval '1 minute'], '{f}')), 'nobody',
    'an older token is still refused'
);
SELECT is(
    pg_temp.named(wallet.admit_users('{guest}', '{infinity}', '{null}')), 'guest', 'a user without a token is found'
);
SELECT ok(
    (SELECT i.is_anonymous FROM wallet.identities AS i WHERE i.user_id = 'guest'), 'the guest stays anonymous'
);
SELECT is(
    pg_temp.named(wallet.admit_users('{guest}', ARRAY[clock_timestamp()], '{f}')), 'guest',
    'a guest who signed in is admitted'
);
SELECT ok(
    NOT (SELECT i.is_anonymous FROM wallet.identities AS i WHERE i.user_id = 'guest'),
    'the guest is not anonymous after signing in'
);
SELECT wallet.admit_token('other', clock_timestamp(), TRUE), wallet.merge_accounts('other', 'ann');
SELECT is(
    wallet.admit_users('{other,ann}', ARRAY[clock_timestamp(), clock_timestamp()], '{t,f}'),
    ARRAY[NULL, wallet.account_for('ann')], 'a token of a merged account identifies no user'
);
SELECT is(wallet.admit_users('{}', '{}', '{}'), NULL, 'an empty batch returns no accounts');
SELECT is(
    pg_temp.raised($$ SELECT wallet.admit_users('{NULL}', ARRAY[wallet.now()], '{f}') $$) IS NULL, FALSE,
    'a user must have an id'
);
SELECT * FROM finish();
ROLLBACK;
