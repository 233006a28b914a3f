-- wallet.caller_account: a token is checked again when its request writes (rule 33).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.called(p_user text, p_issued timestamptz, p_anonymous boolean DEFAULT FALSE) RETURNS text
LANGUAGE sql AS $$
    SELECT pg_temp.raised(format('SELECT wallet.caller_account(%L, %L, %L)', p_user, p_issued, p_anonymous));
$$;
CREATE FUNCTION pg_temp.is_known(p_user text) RETURNS boolean LANGUAGE sql AS $$
    SELECT EXISTS (SELECT FROM wallet.identities AS i WHERE i.user_id = p_user);
$$;
SELECT is(
    wallet.caller_account('ann', clock_timestamp(), FALSE), wallet.account_for('ann'), 'a user first seen is opened'
);
SELECT wallet.caller_account('anon', clock_timestamp(), TRUE);
SELECT ok((SELECT i.is_anonymous FROM wallet.identities AS i WHERE i.user_id = 'anon'), 'an anonymous one, too');
SELECT wallet.delete_account('ann'), wallet.delete_account('nobody');
SELECT is(pg_temp.called(t.user_id, t.issued), 'WL401 unauthenticated', t.why) FROM (VALUES
    ('ann', clock_timestamp() - interval '1 minute', 'a token from before the deletion'),
    ('ann', NULL, 'one without a date'), ('nobody', clock_timestamp() - interval '1 minute',
    'a new user without a usable token')
) AS t (user_id, issued, why);
SELECT ok(NOT pg_temp.is_known('ann') AND NOT pg_temp.is_known('nobody'), 'a refused token creates no account');
SELECT is(pg_temp.called('ann', clock_timestamp() + interval '1 minute'), 'nothing', 'a later one does');
SELECT wallet.merge_accounts('anon', 'bob');
SELECT is(
    pg_temp.called('anon', clock_timestamp(), TRUE), 'WL401 unauthenticated', 'a token of a merged user is refused'
);

-- The two tokens of a merge
SELECT wallet.caller_account('guest', clock_timestamp(), TRUE), wallet.delete_account('guest');
SELECT is(
    pg_temp.raised(format('SELECT wallet.merge_accounts(%L, %L, %L)', 'guest', 'bob', t.issued)), t.raised, t.why
) FROM (VALUES
    (clock_timestamp() - interval '1 minute', 'WL403 not-mergeable', 'a deleted guest is merged by no old token'),
    ((
        SELECT d.deleted_at FROM wallet.deleted_users AS d WHERE d.user_digest = wallet.user_digest('guest')
    ), 'WL403 not-mergeable', 'a deleted guest is not merged by a token issued at the instant of the deletion'),
    (clock_timestamp() + interval '1 minute', 'nothing', 'a deleted guest is merged with a new token')
) AS t (issued, raised, why);
SELECT is(
    pg_temp.raised(format('SELECT wallet.merge_accounts(%L, %L, %L)', 'guest3', 'bob', t.issued)), 'nothing',
    'a guest is merged with a token that is older than the deletion of another user'
) FROM (SELECT clock_timestamp() - interval '1 minute' AS issued) AS t;
SELECT wallet.caller_account('guest2', clock_timestamp(), TRUE), wallet.delete_account('bob');
SELECT is(
    pg_temp.raised(format(
        'SELECT wallet.merge_accounts(%L, %L, %L, %L)', 'guest2', 'bob', clock_timestamp(),
        clock_timestamp() - interval '1 minute'
    )), 'WL401 unauthenticated', 'no guest is merged into a deleted user'
);
SELECT is(
    pg_temp.raised(format('SELECT wallet.delete_account(%L, %L)', 'bob', clock_timestamp() - interval '1 minute')),
    'WL401 unauthenticated', 'a second deletion with the same token is already done'
);
SELECT ok(NOT pg_temp.is_known('bob'), 'the refused token creates no account');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
