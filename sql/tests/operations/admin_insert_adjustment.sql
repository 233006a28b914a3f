-- wallet.admin_insert_adjustment: INSERT INTO admin.adjustments.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.inserts(p_columns text, p_values text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(
        format('INSERT INTO admin.adjustments (%s) VALUES (%s)', p_columns, p_values), 'wallet_admin'
    );
$$;
-- The number of rows that psql would report.
CREATE FUNCTION pg_temp.inserted(p_reference text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    v_rows integer;
BEGIN
    INSERT INTO admin.adjustments (reference, user_id, amount, reason, new_user)
    VALUES (p_reference, 'zoe', 10, 'gift', TRUE);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    RETURN v_rows;
END;
$$;
SELECT is(
    pg_temp.inserts('reference, user_id, amount, reason', $$ 'r1', 'ann', 10, 'gift' $$), 'WL404 user-not-found',
    'an unknown user is refused, because the id may be mistyped'
);
SELECT is((SELECT count(*) FROM wallet.identities), 0::bigint, 'the refusal creates no account');
SELECT is(
    pg_temp.inserts('reference, user_id, amount, reason, new_user', $$ 'r1', 'ann', 10, 'gift', TRUE $$), 'nothing',
    'an unknown user is accepted with new_user'
);
SELECT results_eq(
    $$ SELECT a.reference, a.user_id, a.environment::text, a.unit::text, a.amount::bigint, a.reason, a.actor
       FROM admin.adjustments AS a $$,
    $$ VALUES ('r1', 'ann', 'production', 'credit', 10::bigint, 'gift', session_user::text COLLATE "default") $$,
    'defaults, reason and actor are stored'
);
SELECT is(
    pg_temp.inserts('reference, user_id, amount, reason', $$ 'r1', 'ann', 10, 'gift' $$), 'nothing',
    'a repeated insert is accepted'
);
SELECT is(
    pg_temp.inserted('z') || ' ' || pg_temp.inserted('z'), '1 0', 'the row count shows whether it was posted'
);
SELECT is(pg_temp.funds('ann'), '10 0 0 0', 'the repeated insert posts nothing');
SELECT is(
    pg_temp.inserts('reference, user_id, amount, reason, new_user', $$ 'r1', 'bob', 10, 'gift', TRUE $$),
    'WL409 reference-reused',
    'the reference is refused for another user'
);
SELECT is(
    pg_temp.inserts(
        'reference, user_id, amount, reason, unit, environment, expires_at, actor',
        $$ 'r2', 'ann', 3, 'promo', 'visit', 'sandbox', '2030-02-01', 'somebody else' $$
    ), 'nothing', 'visits in the sandbox with an end'
);
SELECT is(
    (SELECT l.expires_at FROM wallet.lots AS l WHERE l.unit = 'visit'), '2030-02-01 00:00:00+00'::timestamptz,
    'the requested expiry is stored'
);
SELECT is(
    (SELECT a.actor FROM admin.adjustments AS a WHERE a.reference = 'r2'), session_user::text,
    'an actor cannot be claimed'
);
SELECT is(
    pg_temp.inserts('reference, amount, reason', $$ 'r3', 1, 'x' $$), 'WL422 user-and-reference-required',
    'a user is required'
);
SELECT is(
    pg_temp.inserts('user_id, amount, reason', $$ 'ann', 1, 'x' $$), 'WL422 user-and-reference-required',
    'a reference is required'
);
SELECT is(
    pg_temp.inserts('reference, user_id, amount', $$ 'r3', 'ann', 1 $$), 'WL422 reason-required', 'a reason is required'
);
SELECT is(
    pg_temp.inserts('reference, user_id, reason', $$ 'r3', 'ann', 'x' $$), 'WL422 amount-is-zero',
    'an amount is required'
);
SELECT is(
    pg_temp.inserts('reference, user_id, amount, reason, source', $$ 'r3', 'ann', 1, 'x', 'pack' $$),
    'WL422 invalid-source', 'purchases cannot be inserted'
);
SELECT is(
    left(pg_temp.inserts('reference, user_id, amount, reason', $$ 'r3', 'ann', -11, 'x' $$), 21),
    'WL409 balance-too-low', 'more than there is'
);
SELECT is(
    pg_temp.inserts('reference, user_id, amount, reason', format($$ 'r3', 'ann', %s, 'x' $$, a.amount)), a.said,
    'an amount of ' || a.amount
) FROM (VALUES
    ('12.6', '23514'), ('-0.5', '23514'), ('''NaN''', '23514'),
    ('1000000000001', 'WL422 amount-too-large {"maximum": 1000000000000}'),
    ('-9223372036854775808', 'WL422 amount-too-large {"maximum": 1000000000000}'),
    ('99999999999999999999', '22003'), ('1000000000000', 'nothing')
) AS a (amount, said);
SELECT is(
    pg_temp.raised('UPDATE admin.adjustments SET amount = 1', 'wallet_admin'), '55000',
    'a posted adjustment cannot be changed'
);
SELECT is(pg_temp.raised('DELETE FROM admin.adjustments', 'wallet_admin'), '55000', 'an adjustment cannot be deleted');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
