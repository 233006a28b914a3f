-- wallet.set_profile: operators and administrators set names and email addresses; the audit has only which changed.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.act(p_target jsonb, p_reference text, p_dry_run boolean DEFAULT FALSE) RETURNS text
LANGUAGE sql AS $$
    SELECT concat_ws(' ', a.replayed, a.before, a.after)
    FROM wallet.operator_act('put-profile', p_target, 'dana', 'they called', p_reference, p_dry_run, 'support') AS a;
$$;
CREATE FUNCTION pg_temp.profile() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', u.name, '|', u.email) FROM admin.users AS u WHERE u.user_id = 'ann';
$$;
SELECT wallet.account_for('ann');
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.act('{"user_id": "eve", "name": "Eve"}', 'x') $$), 'WL404 user-not-found',
    'the user must exist'
);
SELECT is(
    pg_temp.act('{"user_id": "ann", "name": " Ann Lee ", "email": "ann@example.org"}', 'r1', TRUE),
    'f {"name": null, "email": null} {"name": "Ann Lee", "email": "ann@example.org"}', 'a dry run shows the values'
);
SELECT is(pg_temp.profile(), '|', 'and stores nothing');
SELECT is(
    pg_temp.act('{"user_id": "ann", "name": " Ann Lee ", "email": "ann@example.org"}', 'r1'),
    'f {"name": null, "email": null} {"name": "Ann Lee", "email": "ann@example.org"}', 'the values are set'
);
SELECT is(pg_temp.profile(), 'Ann Lee | ann@example.org', 'and stored');
SELECT is(
    pg_temp.act('{"user_id": "ann", "name": " Ann Lee ", "email": "ann@example.org"}', 'r1'),
    't {} {"name": "set", "email": "set"}', 'a replay says what was set, without the values'
);
SELECT is(pg_temp.act('{"user_id": "ann", "name": "Ann Lee", "email": "ann@example.org"}', 'r2'), 't {} {}',
    'the same values change nothing');
SELECT is(
    pg_temp.act('{"user_id": "ann", "name": "Ann Ray"}', 'r3'),
    'f {"name": "Ann Lee", "email": "ann@example.org"} {"name": "Ann Ray", "email": null}', 'an absent value is removed'
);
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.act('{"user_id": "ann", "email": "nonsense"}', 'r4') $$), '23514',
    'an invalid address is refused'
);
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.act('{"user_id": "ann", "name": "a\u202eb"}', 'r5') $$), '23514',
    'so is a name with directional controls'
);
SELECT is(
    pg_temp.raised($$ UPDATE admin.users SET email = 'lee@example.org', reason = 'mail' WHERE user_id = 'ann' $$,
        'wallet_admin'), 'nothing', 'an administrator sets one value'
);
SELECT is(pg_temp.profile(), 'Ann Ray | lee@example.org', 'and leaves the other');
SELECT is(
    pg_temp.raised($$ UPDATE admin.users SET email = 'lee', reason = 'mail' WHERE user_id = 'ann' $$, 'wallet_admin'),
    '23514', 'an invalid address is refused in psql, too'
);
SELECT is(
    pg_temp.raised($$ UPDATE admin.users SET is_blocked = TRUE WHERE user_id = 'ann' $$, 'wallet_admin'), '42501',
    'no other column can be set'
);
SELECT is(
    pg_temp.raised($$ UPDATE admin.users SET name = NULL, email = NULL WHERE user_id = 'ann' $$, 'wallet_admin'),
    'nothing', 'nulls remove both'
);
SELECT is_empty('SELECT FROM wallet.profiles', 'no empty profile stays');
SELECT results_eq(
    $$ SELECT a.action, a.kind, a.object_id, a.user_id, a.before, a.after FROM admin.audit AS a ORDER BY a.audit_id $$,
    $$ VALUES
        ('put-profile', 'user', NULL, 'ann', '{}'::jsonb, '{"name": "set", "email": "set"}'::jsonb),
        ('put-profile', 'user', NULL, 'ann', '{}', '{"name": "set", "email": "removed"}'),
        ('put-profile', 'user', NULL, 'ann', '{}', '{"email": "set"}'),
        ('put-profile', 'user', NULL, 'ann', '{}', '{"name": "removed", "email": "removed"}') $$,
    'the audit says what changed, without the values'
);
SELECT results_eq(
    $$ SELECT t.fact FROM wallet.timeline AS t WHERE t.user_id = 'ann' ORDER BY t.at DESC LIMIT 1 $$,
    $$ VALUES ('the name or the email address was changed, by dana: they called') $$, 'so does the timeline'
);

-- The lists show names
SELECT pg_temp.act('{"user_id": "ann", "email": "ann@example.org"}', 'r6'), pg_temp.lesson('a', 20);
SELECT pg_temp.gift('ann', 50), pg_temp.book('ann', 'k', 'a');
SELECT is(r.user_name, 'ann@example.org', 'a roster shows the address of a user without a name') FROM admin.roster AS r;
SELECT pg_temp.act('{"user_id": "ann", "name": "Ann", "email": "ann@example.org"}', 'r7');
SELECT is((SELECT min(r.user_name) FROM admin.roster AS r), 'Ann', 'a roster shows the name');
SELECT is((SELECT min(r.user_name) FROM admin.bookings AS r), 'Ann', 'so does the list of bookings');
SELECT is((SELECT min(u.credits) FROM admin.users AS u), 30::bigint, 'the list of users has the balance');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
