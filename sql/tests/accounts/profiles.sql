-- Profiles: names and email addresses from tokens, imports and operators, and the search by any part of them.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.profile(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce((
        SELECT concat_ws(' ', p.name, p.name_source, p.email, p.email_source) FROM wallet.profiles AS p
        INNER JOIN wallet.identities AS i ON p.account_id = i.account_id
        WHERE i.user_id = p_user
    ), 'none');
$$;
CREATE FUNCTION pg_temp.found(p_text text) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce(string_agg(f.user_id, ' ' ORDER BY f.user_id), 'nobody') FROM wallet.find_users(p_text) AS f (user_id);
$$;
SELECT wallet.account_for('ann'), wallet.account_for('bob');

-- Tokens
SELECT is(wallet.note_profile('eve', wallet.now(), 'Eve', NULL), FALSE, 'a user without an account has no profile');
SELECT is_empty($$ SELECT FROM wallet.identities WHERE user_id = 'eve' $$, 'and gets no account');
SELECT is(wallet.note_profile('ann', wallet.now(), 'Ann Lee', 'ann@example.org'), TRUE, 'a token reports both');
SELECT is(pg_temp.profile('ann'), 'Ann Lee token ann@example.org token', 'both are stored');
SELECT wallet.note_profile('ann', wallet.now(), NULL, 'lee@example.org');
SELECT is(pg_temp.profile('ann'), 'Ann Lee token lee@example.org token', 'a missing value leaves the stored one');
SELECT wallet.note_profile('ann', wallet.now(), NULL, NULL), wallet.note_profile('bob', wallet.now(), NULL, NULL);
SELECT is(pg_temp.profile('ann'), 'Ann Lee token lee@example.org token', 'a token without both changes nothing');
SELECT is(pg_temp.profile('bob'), 'none', 'nor does it create an empty profile');
SELECT wallet.note_profile('bob', wallet.now(), E' Bo\u202eb\n Ray ', 'not an address');
SELECT is(pg_temp.profile('bob'), 'Bo b  Ray token', 'control characters become spaces; an invalid address is ignored');
SELECT wallet.note_profile('bob', wallet.now(), repeat('x', 300), repeat('x', 320) || '@example.org');
SELECT is(pg_temp.profile('bob'), repeat('x', 200) || ' token', 'a long name is cut, a long address is ignored');
SELECT wallet.note_profile('bob', wallet.now(), E'\u200b \n', NULL);
SELECT is(pg_temp.profile('bob'), repeat('x', 200) || ' token', 'an invisible name is ignored');

-- A stronger source wins
SELECT is(wallet.import_profile('ann', 'Old Ann', 'old@example.org'), TRUE, 'an import reports a known user');
SELECT is(pg_temp.profile('ann'), 'Ann Lee token lee@example.org token', 'its values do not replace those of a token');
SELECT is(wallet.import_profile('zoe', 'Zoe', NULL), FALSE, 'an import creates no account for a profile');
SELECT
    wallet.account_for('zoe'), wallet.import_profile('zoe', 'Zoe', NULL), wallet.import_profile('zoe', 'Zoë', 'z@z.z');
SELECT is(pg_temp.profile('zoe'), 'Zoë import z@z.z import', 'a later import replaces an earlier one');
SELECT wallet.note_profile('zoe', wallet.now(), 'Zoe Fox', NULL);
SELECT is(pg_temp.profile('zoe'), 'Zoe Fox token z@z.z import', 'each value has its own source');
SELECT
    wallet.operator_act('put-profile', '{"user_id": "zoe", "name": "Z. Fox", "email": "z@z.z"}', 'dana', 'call', 'P-1');
SELECT wallet.note_profile('zoe', wallet.now(), 'Zoe Fox', 'zoe@z.z');
SELECT is(
    pg_temp.profile('zoe'), 'Z. Fox operator zoe@z.z token',
    'a token replaces what the operator left unchanged, and not what the operator changed'
);

-- Spellings, deletion and merging
SELECT wallet.account_for('7c9e6679-7425-40de-944b-e07fc1f90ae7');
SELECT wallet.note_profile('7C9E6679-7425-40DE-944B-E07FC1F90AE7', wallet.now(), 'Uma', NULL);
SELECT is(pg_temp.profile('7c9e6679-7425-40de-944b-e07fc1f90ae7'), 'Uma token', 'a second spelling is the same user');
SELECT set_config('t.uma', wallet.account_for('7c9e6679-7425-40de-944b-e07fc1f90ae7')::text, TRUE);
SELECT wallet.delete_account('7C9E6679-7425-40DE-944B-E07FC1F90AE7');
SELECT is_empty(
    $$ SELECT FROM wallet.profiles AS p WHERE p.account_id = current_setting('t.uma')::bigint $$,
    'it goes with the account'
);
SELECT is(
    wallet.write_profile(current_setting('t.uma')::bigint, 'Uma', NULL, 'token'), FALSE,
    'a deleted account gets no profile'
);
SELECT wallet.caller_account('7c9e6679-7425-40de-944b-e07fc1f90ae7', clock_timestamp() + interval '1 second', FALSE);
SELECT is(
    wallet.note_profile('7c9e6679-7425-40de-944b-e07fc1f90ae7', clock_timestamp() - interval '1 hour', 'Uma', NULL),
    FALSE, 'a token from before the deletion reports nothing for the new account'
);
SELECT is(
    wallet.note_profile('7c9e6679-7425-40de-944b-e07fc1f90ae7', NULL, 'Uma', NULL), FALSE,
    'nor does a token without an issue time'
);
SELECT wallet.account_for('anon', TRUE), wallet.account_for('anon2', TRUE);
SELECT wallet.import_profile('anon', 'Guest', 'guest@example.org'), wallet.import_profile('anon2', 'Other', NULL);
SELECT wallet.account_for('new', FALSE), wallet.note_profile('new', wallet.now(), NULL, 'new@example.org');
SELECT wallet.merge_accounts('anon', 'new'), wallet.merge_accounts('anon2', 'new');
SELECT is(
    (SELECT concat_ws(' ', p.name, p.name_source, p.email, p.email_source) FROM wallet.profiles AS p
    WHERE p.account_id = wallet.account_for('new')), 'Guest import new@example.org token',
    'a merge fills what the account lacks'
);
SELECT is((SELECT count(*)::integer FROM wallet.profiles AS p
    INNER JOIN wallet.accounts AS a ON p.account_id = a.account_id
    WHERE a.merged_into IS NOT NULL), 0, 'a merged account has no profile');
SELECT is(wallet.note_profile('anon', wallet.now(), 'Guest', NULL), FALSE, 'a merged user reports none');

-- The search
SELECT wallet.account_for('u1'), wallet.account_for('u2'), wallet.account_for('Abc|Def');
SELECT wallet.note_profile('u1', wallet.now(), 'Anna-Maria Müller', 'am@example.org');
SELECT wallet.note_profile('u2', wallet.now(), 'دانا الشامي', 'dana@beispiel.de');
SELECT is(pg_temp.found(t.text), t.users, format('"%s" finds %s', t.text, t.users)) FROM (VALUES
    ('anna-maria müller', 'u1'), ('MÜLL', 'u1'), ('  maria  ', 'u1'), ('müller anna', 'u1'), ('am@', 'u1'),
    ('beispiel', 'u2'),
    ('الشامي', 'u2'),
    ('دا', 'u2'),
    ('example.org', 'ann new u1'),
    ('u1', 'u1'),
    ('müller dana', 'nobody'),
    ('bc|d', 'Abc|Def'),
    ('abc|def', 'Abc|Def'),
    ('Abc|Def', 'Abc|Def'),
    ('%', 'nobody'),
    ('_a', 'nobody'),
    ('', 'nobody'),
    (' ', 'nobody'),
    ('a', 'nobody'),
    ('u', 'nobody'),
    ('oe@z', 'zoe'),
    ('944b-e07', '7c9e6679-7425-40de-944b-e07fc1f90ae7')
) AS t (text, users);
SELECT is(pg_temp.found(NULL), 'nobody', 'no text finds nothing');
SELECT pg_temp.sound();
INSERT INTO wallet.profiles (account_id, name, name_source)
SELECT a.account_id, 'Left', 'token'
FROM wallet.accounts AS a
WHERE a.deleted_at IS NOT NULL OR a.merged_into IS NOT NULL;
SELECT is(
    (SELECT count(*)::integer FROM wallet.broken_accounts), 3, 'a profile that outlives its account breaks an invariant'
);
SELECT * FROM finish();
ROLLBACK;
