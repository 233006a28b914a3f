-- wallet.compensate: one amount for many users, each once for the reference (rule 42).
-- isolation/ledger/compensation_twice.spec tests two at once.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
-- The number of users, pending and refused ones, and each user's result.
CREATE FUNCTION pg_temp.says(p_answer wallet.compensation_answer) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', p_answer.users, p_answer.total, 'pending ' || nullif(p_answer.pending, 0),
        'refused ' || nullif(p_answer.refused, 0), (
            SELECT string_agg(concat_ws(
                ' ', coalesce(l.line ->> 'user_id', '-'), l.line ->> 'result', l.line ->> 'reason',
                nullif(concat_ws('-', l.line ->> 'before', l.line ->> 'after'), '')
            ), ', ' ORDER BY l.n)
            FROM jsonb_array_elements(p_answer.lines) WITH ORDINALITY AS l (line, n)
        )
    );
$$;
CREATE FUNCTION pg_temp.compensates(
    p_reference text, p_users text DEFAULT NULL, p_class_id text DEFAULT NULL, p_amount bigint DEFAULT 5,
    p_dry_run boolean DEFAULT FALSE, p_limit integer DEFAULT NULL, p_shown text DEFAULT NULL,
    p_reason text DEFAULT 'sorry', p_new_users boolean DEFAULT FALSE, p_daily bigint DEFAULT NULL,
    p_unit wallet.unit DEFAULT 'credit', p_expires_at timestamptz DEFAULT NULL, p_right text DEFAULT 'operator'
) RETURNS wallet.compensation_answer LANGUAGE sql AS $$
    SELECT wallet.compensate(
        p_reference, 'production', p_unit, p_class_id, (
            SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
                'user_id', split_part(u.listed, ':', 1), 'amount', nullif(split_part(u.listed, ':', 2), '')::bigint
            )) ORDER BY u.n)
            FROM string_to_table(p_users, ' ') WITH ORDINALITY AS u (listed, n)
        ), p_amount, p_reason, 'adjustment', p_expires_at, 'op', p_dry_run, p_right::wallet.operator_right,
        p_new_users, p_shown, p_daily, p_limit
    );
$$;
CREATE FUNCTION pg_temp.refuses(p_call text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised('SELECT pg_temp.compensates(' || p_call || ')');
$$;

SELECT wallet.account_for(u.user_id) FROM unnest(ARRAY[
    'ann', 'bob', 'cat', 'dan', '0190aaaa-0000-7000-8000-000000000001'
]) AS u (user_id);
SELECT pg_temp.gift('ann', 10);

-- A list of users
SELECT is(
    pg_temp.says(pg_temp.compensates('r1', 'ann bob:7 zoe', p_dry_run => TRUE)),
    '2 12 pending 2 refused 1 ann pending 10-15, bob pending 0-7, zoe refused user-not-found',
    'a dry run returns the expected balances'
);
SELECT is(pg_temp.funds('ann'), '10 0 0 0', 'and adds nothing');
SELECT is((SELECT count(*) FROM wallet.compensations), 0::bigint, 'and uses no reference');
SELECT is(
    pg_temp.says(pg_temp.compensates('r1', 'ann bob:7 zoe')),
    '2 12 refused 1 ann added 10-15, bob added 0-7, zoe refused user-not-found',
    'each known user is compensated, and the others are reported'
);
SELECT is(pg_temp.funds('ann') || ', ' || pg_temp.funds('bob'), '15 0 0 0, 7 0 0 0', 'the amounts are in the wallets');
SELECT is(
    pg_temp.says(pg_temp.compensates('r1', 'ann bob:7 zoe')),
    '2 12 refused 1 ann already_added 15, bob already_added 7, zoe refused user-not-found',
    'a repeated call adds nothing'
);
SELECT is(
    pg_temp.says(pg_temp.compensates('r1', 'ann bob:8 cat')),
    '2 10 refused 1 ann already_added 15, bob refused amount-changed 7, cat added 0-5',
    'a corrected list adds its new users only'
);
SELECT results_eq(
    $$ SELECT a.user_id, a.amount::bigint, a.reason, a.actor FROM admin.adjustments AS a
       WHERE a.compensation = 'r1' ORDER BY a.user_id $$,
    $$ VALUES ('ann', 5::bigint, 'sorry', 'op'), ('bob', 7, 'sorry', 'op'), ('cat', 5, 'sorry', 'op') $$,
    'each user has an adjustment of the compensation'
);
SELECT results_eq(
    $$ SELECT c.reference, c.class_id, c.amount::bigint, c.users, c.total::bigint, c.reason, c.actor, c.source
       FROM admin.compensations AS c $$,
    $$ VALUES ('r1', NULL, NULL::bigint, 3::bigint, 17::bigint, 'sorry', 'op', 'adjustment') $$,
    'a list shows the compensation'
);
SELECT is(
    pg_temp.says(pg_temp.compensates(
        'r2', 'ann ann 0190AAAA-0000-7000-8000-000000000001:1 0190aaaa-0000-7000-8000-000000000001:1'
    )),
    '2 6 refused 2 ann added 15-20, ann refused user-repeated 15, 0190aaaa-0000-7000-8000-000000000001 added 0-1, '
    '0190aaaa-0000-7000-8000-000000000001 refused user-repeated 0',
    'a user who is listed twice, also in another spelling, is compensated once'
);
SELECT is(
    pg_temp.says(pg_temp.compensates('r3', 'ann:0 bob:-3 cat:1000000000001 dan', p_amount => NULL)),
    '0 0 refused 4 ann refused amount-not-positive 20, bob refused amount-not-positive 7, '
    'cat refused amount-too-large 5, dan refused amount-not-positive 0',
    'amounts that nobody can get are reported'
);
SELECT is(
    pg_temp.says(pg_temp.compensates('r4', 'zoe zoe ' || repeat('x', 321), p_new_users => TRUE, p_dry_run => TRUE)),
    '1 5 pending 1 refused 2 zoe pending 0-5, zoe refused user-repeated, ' || repeat('x', 321)
    || ' refused user-id-malformed', 'unknown users are new if the caller allows it'
);
SELECT is((SELECT count(*) FROM wallet.identities AS i WHERE i.user_id = 'zoe'), 0::bigint, 'a dry run creates none');
SELECT is(
    pg_temp.says(pg_temp.compensates('r4', 'zoe', p_new_users => TRUE)), '1 5 zoe added 0-5', 'a new user'
);

-- Parts
SELECT is(
    pg_temp.says(pg_temp.compensates('p', 'ann bob cat', p_limit => 2)),
    '3 15 pending 1 ann added 20-25, bob added 7-12, cat pending 5-10', 'a call compensates a limited number of users'
);
SELECT is(
    pg_temp.says(pg_temp.compensates('p', 'ann bob cat', p_limit => 2)),
    '3 15 ann already_added 25, bob already_added 12, cat added 5-10', 'and the next call continues'
);

-- The preview
CREATE TEMPORARY TABLE shown AS
SELECT a.preview FROM pg_temp.compensates('s', 'ann bob zoo', p_dry_run => TRUE, p_new_users => TRUE) AS a;
SELECT is(
    (SELECT pg_temp.says(pg_temp.compensates(
        's', 'ann bob zoo', p_limit => 1, p_shown => s.preview, p_new_users => TRUE
    )) FROM shown AS s),
    '3 15 pending 2 ann added 25-30, bob pending 12-17, zoo pending 0-5', 'a preview is confirmed'
);
SELECT is(
    (SELECT pg_temp.says(pg_temp.compensates('s', 'ann bob zoo', p_shown => s.preview, p_new_users => TRUE))
     FROM shown AS s),
    '3 15 ann already_added 30, bob added 12-17, zoo added 0-5', 'also for the parts that follow'
);
SELECT matches(
    (SELECT pg_temp.refuses(format('%L, %L, p_shown => %L', 's', 'ann bob', s.preview)) FROM shown AS s),
    '^WL412 preview-outdated {"preview": "[0-9a-f]{64}"}$', 'another list needs another preview'
);

-- Refusals
SELECT is(pg_temp.refuses($$ 'r1', 'ann', p_reason => '' $$), 'WL422 reason-required', 'a reason is required');
SELECT is(
    pg_temp.refuses($$ 'r1', 'ann', p_reason => 'else' $$), 'WL409 reference-reused', 'a reference has one reason'
);
SELECT is(pg_temp.refuses($$ 'r1', 'ann', p_unit => 'visit' $$), 'WL409 reference-reused', 'and one unit');
SELECT is(
    pg_temp.refuses($$ 'r1', 'ann', p_expires_at => wallet.now() + interval '1 day' $$), 'WL409 reference-reused',
    'and one expiry'
);
SELECT is(
    pg_temp.refuses($$ 'r9', 'ann', p_expires_at => wallet.now() $$), 'WL422 expiry-passed', 'an expiry lies ahead'
);
SELECT is(
    pg_temp.refuses($$ 'r9', 'ann', p_expires_at => wallet.now(), p_dry_run => TRUE $$), 'WL422 expiry-passed',
    'also in a dry run'
);
SELECT is(pg_temp.refuses($$ 'r9' $$), 'WL400 malformed-request', 'users or a class are required');
SELECT is(pg_temp.refuses($$ 'r9', 'ann', 'c' $$), 'WL400 malformed-request', 'not both');
SELECT is(pg_temp.refuses($$ 'r9', p_class_id => 'c' $$), 'WL404 class-not-found', 'the class must exist');
SELECT is(
    pg_temp.refuses($$ 'r9', 'ann', p_right => 'support' $$),
    'WL403 right-missing {"needs": "operator", "right": "support"}', 'support moves no money'
);
SELECT is(pg_temp.refuses($$ '', 'ann' $$), '23514', 'a reference is required');
SELECT is_empty('SELECT FROM wallet.operator_totals', 'without a daily amount, no total is kept');
SELECT is(
    pg_temp.refuses($$ 'd', 'ann bob', p_daily => 9 $$), 'WL403 daily-amount-exceeded {"maximum": 9, "remaining": 9}',
    'the total counts for the daily amount'
);
SELECT is(
    pg_temp.refuses($$ 'd', 'ann bob', p_daily => 9, p_dry_run => TRUE $$),
    'WL403 daily-amount-exceeded {"maximum": 9, "remaining": 9}', 'also in a dry run'
);
SELECT is(
    pg_temp.says(pg_temp.compensates('d', 'ann bob', p_daily => 10)), '2 10 ann added 30-35, bob added 17-22',
    'up to the daily amount'
);
SELECT is(
    pg_temp.says(pg_temp.compensates('d', 'ann bob', p_daily => 10)),
    '2 10 ann already_added 35, bob already_added 22', 'a repeated call does not count again'
);

-- A debt is repaid first
SELECT pg_temp.buy('deb', 'd1', 'starter');
SELECT pg_temp.lesson('debt', 25);
SELECT pg_temp.book('deb', 'd1', 'debt');
SELECT pg_temp.buy('deb', 'd1', 'starter', '{"refunded_millionths": 1000000}');
SELECT is(
    pg_temp.says(pg_temp.compensates('o', 'deb', p_amount => 30, p_dry_run => TRUE)),
    '1 30 pending 1 deb pending 0-5', 'a dry run subtracts a debt'
);
SELECT is(
    pg_temp.says(pg_temp.compensates('o', 'deb', p_amount => 30)), '1 30 deb added 0-5', 'the amount repays a debt'
);

-- A class: active bookings, in one batch with those that the studio's cancellation returned
SELECT pg_temp.lesson('yoga', 1, p_ahead => '3 days');
SELECT pg_temp.book(u.user_id, u.user_id || '-yoga', 'yoga')
FROM unnest('{ann,bob,cat,dan,zoe}'::text[]) AS u (user_id);
SELECT pg_temp.gift('dan', 1);
SELECT pg_temp.book('dan', 'dan-yoga', 'yoga');
SELECT pg_temp.cancel('bob', 'bob-yoga');
SELECT pg_temp.cancel_by(wallet.account_for('cat'), 'production', pg_temp.id_of('cat-yoga'), 'studio');
SELECT is(
    pg_temp.says(pg_temp.compensates('y', p_class_id => 'yoga', p_dry_run => TRUE)),
    '3 15 pending 3 ann pending 34-39, dan pending 0-5, zoe pending 4-9',
    'the members of a class are those with a booking'
);
SELECT pg_temp.wait('1 hour');
SELECT wallet.cancel_class('yoga', 'no heating', 'op', NULL);
SELECT is(
    pg_temp.says(pg_temp.compensates('y', p_class_id => 'yoga', p_limit => 1)),
    '3 15 pending 2 ann added 34-39, dan pending 0-5, zoe pending 4-9', 'also of a cancelled class'
);
SELECT wallet.settle_classes(100);
SELECT is(
    pg_temp.says(pg_temp.compensates('y', p_class_id => 'yoga')),
    '3 15 ann already_added 40, dan added 1-6, zoe added 5-10', 'and after its bookings are returned'
);
SELECT is(
    pg_temp.says(pg_temp.compensates('y', p_class_id => 'yoga')),
    '3 15 ann already_added 40, dan already_added 6, zoe already_added 10', 'each member is compensated once'
);
SELECT results_eq(
    $$ SELECT a.action, a.object_id, a.after, t.actor, t.reference FROM wallet.audit AS a
       INNER JOIN wallet.audit_texts AS t ON a.audit_id = t.audit_id
       WHERE a.kind = 'class' AND a.action LIKE 'compensate%' ORDER BY a.audit_id $$,
    $$ VALUES
       ('compensate-class', 'yoga', '{"users": 1, "credits": 5}'::jsonb, 'op', 'y'),
       ('compensate-class', 'yoga', '{"users": 2, "credits": 10}', 'op', 'y') $$,
    'the audit of the class shows what each call added'
);
SELECT is(
    (SELECT concat_ws(' ', c.class_id, c.users, c.total, c.amount) FROM admin.compensations AS c
     WHERE c.reference = 'y'), 'yoga 3 15 5', 'the list shows the class'
);
SELECT is(pg_temp.refuses($$ 'y', 'ann' $$), 'WL409 reference-reused', 'a reference has one class');
SELECT is(
    pg_temp.says(pg_temp.compensates('n', p_class_id => 'debt', p_amount => 1)), '1 1 deb added 5-6',
    'a class of one member'
);
SELECT pg_temp.lesson('empty', 1);
SELECT is(pg_temp.says(pg_temp.compensates('e', p_class_id => 'empty')), '0 0', 'a class without members');

-- A merge: both accounts are one user afterwards
SELECT wallet.account_for('anon', TRUE);
SELECT pg_temp.compensates('m', 'anon');
SELECT wallet.merge_accounts('anon', 'dan');
SELECT is(
    pg_temp.says(pg_temp.compensates('m', 'dan anon')),
    '1 5 refused 1 dan already_added 11, anon refused user-repeated 11',
    'a user whose merged account was compensated gets nothing more'
);

-- A deletion: the lot lapses, the account stays compensated, and the user's return opens another account
SELECT pg_temp.compensates('x zoe', 'zoe bob');
SELECT wallet.delete_account('zoe');
SELECT is(
    pg_temp.says(pg_temp.compensates('x zoe', 'zoe bob', p_new_users => TRUE)),
    '1 5 refused 1 zoe refused user-deleted, bob already_added 27', 'a deleted user is not created again'
);
SELECT is(
    pg_temp.says(pg_temp.compensates('y', p_class_id => 'yoga')),
    '2 10 refused 1 ann already_added 40, dan already_added 11, - refused user-deleted 0',
    'a deleted member is reported without a name'
);
SELECT is_empty(
    $$ SELECT c.reference FROM wallet.compensations AS c WHERE c.reference LIKE '%zoe%'
       UNION ALL SELECT a.reference FROM wallet.adjustments AS a WHERE concat(a.reference, a.compensation) LIKE '%zoe%'
       UNION ALL SELECT t.reference FROM wallet.audit_texts AS t WHERE t.reference LIKE '%zoe%' $$,
    'a reference that names a deleted user is erased, also in the rows of the other users'
);
SELECT results_eq(
    $$ SELECT a.reference LIKE 'erased %', a.compensation LIKE 'erased %', a.amount::bigint, a.reason, a.actor
       FROM admin.adjustments AS a WHERE a.user_id = 'bob' ORDER BY a.at DESC, a.reference DESC LIMIT 1 $$,
    $$ VALUES (TRUE, TRUE, 5::bigint, 'sorry', 'op') $$, 'their adjustments keep the reason'
);
-- A class whose compensation names a member who is deleted before the next part
SELECT pg_temp.lesson('named', 1, p_ahead => '9 days'), pg_temp.gift('yan', 1), pg_temp.gift('zac', 1);
SELECT pg_temp.book('yan', 'yan-named', 'named'), pg_temp.wait('1 minute'), pg_temp.book('zac', 'zac-named', 'named');
SELECT is(
    pg_temp.says(pg_temp.compensates('for yan', p_class_id => 'named', p_limit => 1)),
    '2 10 pending 1 yan added 0-5, zac pending 0-5', 'the first part'
);
SELECT pg_temp.wait('1 minute');
SELECT wallet.delete_account('yan');
SELECT is(
    pg_temp.says(pg_temp.compensates('for yan', p_class_id => 'named')), '1 5 zac added 0-5',
    'the erased reference continues'
);
SELECT is_empty(
    $$ SELECT FROM wallet.audit_texts AS t WHERE t.reference LIKE '%yan%'
       UNION ALL SELECT FROM wallet.adjustments AS a WHERE a.reference LIKE '%yan%' $$,
    'and stores no text that names the user'
);
SELECT pg_temp.sound();

-- psql
CREATE FUNCTION pg_temp.inserts(p_columns text, p_values text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(
        format('INSERT INTO admin.compensations (%s) VALUES (%s)', p_columns, p_values), 'wallet_admin'
    );
$$;
SELECT is(
    pg_temp.inserts('reference, user_id, amount, reason', $$ 'q', 'nemo', 5, 'sorry' $$), 'WL404 user-not-found',
    'psql refuses an unknown user'
);
SELECT is(
    pg_temp.inserts('reference, user_id, amount, reason, new_user', $$ 'q', 'nemo', 5, 'sorry', TRUE $$), 'nothing',
    'psql adds a new user'
);
SELECT is(
    pg_temp.inserts('reference, user_id, amount, reason', $$ 'q', 'nemo', 6, 'sorry' $$), 'WL409 reference-reused',
    'psql refuses another amount'
);
SELECT is(
    pg_temp.inserts(c.columns, c.row), c.refusal, c.refusal || ': ' || c.row
)
FROM (VALUES
    (
        'reference, user_id, class_id, amount, reason',
        $$ 'q', 'nemo', 'yoga', 5, 'sorry' $$,
        'WL422 user-and-reference-required'
    ),
    ('user_id, amount, reason', $$ 'nemo', 5, 'sorry' $$, 'WL422 user-and-reference-required'),
    ('reference, user_id, amount, reason, source', $$ 'q', 'nemo', 5, 'sorry', 'pack' $$, 'WL422 invalid-source'),
    ('reference, user_id, reason', $$ 'q', 'nemo', 'sorry' $$, 'WL422 amount-is-zero'),
    ('reference, user_id, amount, reason', $$ 'q', 'nemo', -5, 'sorry' $$, 'WL422 gift-not-positive'),
    (
        'reference, user_id, amount, reason',
        $$ 'q', 'nemo', 1000000000001, 'sorry' $$,
        'WL422 amount-too-large {"maximum": 1000000000000}'
    ),
    ('reference, user_id, amount, reason', $$ 'q2', 'nemo', 5, '' $$, 'WL422 reason-required'),
    ('reference, class_id, amount, reason', $$ 'q2', 'none', 5, 'sorry' $$, 'WL404 class-not-found')
) AS c (columns, row, refusal);
CREATE TEMPORARY TABLE returned (users bigint, total bigint);
GRANT ALL ON returned TO wallet_admin;
SET LOCAL ROLE wallet_admin;
WITH done AS (
    INSERT INTO admin.compensations (reference, class_id, unit, amount, reason, source)
    VALUES ('q3', 'debt', 'visit', 2, 'sorry', 'gift') RETURNING users, total
)

INSERT INTO returned SELECT d.users, d.total FROM done AS d;
WITH done AS (
    INSERT INTO admin.compensations (reference, class_id, unit, amount, reason, source)
    VALUES ('q3', 'debt', 'visit', 2, 'sorry', 'gift') RETURNING users, total
)

INSERT INTO returned SELECT d.users, d.total FROM done AS d;
RESET ROLE;
SELECT results_eq(
    'SELECT r.users, r.total FROM returned AS r', 'VALUES (1::bigint, 2::bigint)',
    'psql compensates the members of a class, once'
);
SELECT is(
    (SELECT l.source::text FROM wallet.lots AS l WHERE l.account_id = wallet.account_for('deb') AND l.unit = 'visit'),
    'promo', 'as a gift'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
