-- Two spellings of one UUID are one user at every entry point, and no user can take another's account token (rules 1
-- and 13). isolation/accounts/two_spellings.spec tests concurrent requests.
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.small(p_number integer) RETURNS text LANGUAGE sql AS $$
    SELECT '6f9619ff-8b86-4d01-b42d-00cf4fc9' || to_char(p_number, 'FM0009');
$$;
CREATE FUNCTION pg_temp.big(p_number integer) RETURNS text LANGUAGE sql AS $$
    SELECT upper(pg_temp.small(p_number));
$$;
CREATE FUNCTION pg_temp.known() RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM wallet.identities WHERE lower(user_id) LIKE '6f9619ff-%';
$$;

-- The account is the same in every order and from every source
SELECT is(wallet.account_for(pg_temp.small(1)), wallet.account_for(pg_temp.big(1)), 'first in lower case');
SELECT is(wallet.account_for(pg_temp.big(2)), wallet.account_for(pg_temp.small(2)), 'first in upper case');
SELECT is(
    wallet.account_for_owners(ARRAY[pg_temp.big(3)]), wallet.account_for(pg_temp.small(3)),
    'first by a store, in upper case'
);
SELECT is(wallet.account_for_owners(ARRAY[pg_temp.big(1)]), wallet.account_for(pg_temp.small(1)), 'known to a store');
SELECT is(
    wallet.admit_users(
        ARRAY[pg_temp.small(4), 'ann', pg_temp.big(4), pg_temp.big(1)],
        array_fill(clock_timestamp(), ARRAY[4]), array_fill(FALSE, ARRAY[4])
    ), ARRAY[
        wallet.account_for(pg_temp.small(4)), wallet.account_for('ann'), wallet.account_for(pg_temp.small(4)),
        wallet.account_for(pg_temp.small(1))
    ], 'a group of bookings with both spellings'
);
SELECT wallet.admit_token(pg_temp.big(5), clock_timestamp(), TRUE);
SELECT wallet.admit_token(pg_temp.small(5), clock_timestamp(), FALSE);
SELECT ok(
    NOT i.is_anonymous, 'a guest who signs in with another spelling is not anonymous'
) FROM wallet.identities AS i WHERE i.account_id = wallet.account_for(pg_temp.small(5));
SELECT is(pg_temp.known(), 5::bigint, 'each user has one account');
SELECT bag_eq(
    'SELECT i.user_id FROM wallet.identities AS i', $$
        SELECT pg_temp.small(n) FROM generate_series(1, 5) AS n UNION ALL VALUES ('ann')
    $$, 'user ids are stored in lower case'
);

-- Purchases
SELECT is(
    pg_temp.says(pg_temp.buy(
        pg_temp.small(1), 't1', 'starter', jsonb_build_object('app_account_token', pg_temp.big(1))
    )), 'granted 25 credit', 'a purchase that carries the token in upper case'
);
SELECT is(
    pg_temp.says(wallet.apply_statement(jsonb_build_object(
        'fact', pg_temp.fact('t2', 'starter'), 'owners', ARRAY[pg_temp.big(1)]
    ))), 'granted 25 credit', 'a purchase that a store reports'
);
SELECT is(pg_temp.funds(pg_temp.small(1)), '50 0 0 0', 'both purchases go to the user');
SELECT pg_temp.buy(pg_temp.small(1), 'p1', 'plan.explorer', pg_temp.days(0, 30));
INSERT INTO wallet.offers (product_id, offer_id, name, eligibility, is_active) VALUES
('com.hobbyist.bookingapp.subscription.explorer', 'any', 'Any', 'subscribed_before', TRUE);
SELECT is(
    wallet.offer_eligibility(pg_temp.big(1), 'production', 'com.hobbyist.bookingapp.subscription.explorer', 'any'),
    NULL, 'a subscriber gets an offer under either spelling'
);

-- Administrators and operators
SELECT is(
    pg_temp.raised(format(
        'INSERT INTO admin.adjustments (reference, user_id, amount, reason) VALUES (%L, %L, 5, %L)',
        'for ' || pg_temp.big(2), pg_temp.big(2), 'gift'
    ), 'wallet_admin'), 'nothing', 'an adjustment in upper case'
);
SELECT is(pg_temp.funds(pg_temp.small(2)), '5 0 0 0', 'both adjustments go to the user');
SELECT is(a.user_id, pg_temp.small(2), 'the adjustment shows the stored id')
FROM admin.adjustments AS a WHERE a.reference LIKE 'for %';
INSERT INTO admin.testers (user_id) VALUES (pg_temp.big(2)), (pg_temp.small(2));
SELECT results_eq('SELECT t.user_id FROM admin.testers AS t', 'SELECT pg_temp.small(2)', 'a tester is added once');
SELECT is(t.is_tester, TRUE,
    'the user is a tester in either spelling') FROM wallet.users AS t WHERE t.user_id = pg_temp.small(2);
CREATE FUNCTION pg_temp.gives(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT o.replayed || ' ' || o.credits FROM wallet.operator_adjust(
        p_user, 'production', 'credit', 7, 'r', 'because', 'adjustment', NULL, 'op', 'k'
    ) AS o;
$$;
SELECT is(pg_temp.gives(pg_temp.big(2)), 'false 12', 'an operator''s adjustment');
SELECT is(pg_temp.gives(pg_temp.small(2)), 'true 12', 'the adjustment is replayed in the other spelling');

-- Imports
CREATE FUNCTION pg_temp.imports(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', o.result, o.reason, o.credits) FROM wallet.import_wallet(
        'old', p_user, 'production', NULL, 9, 0, NULL, FALSE
    ) AS o;
$$;
SELECT is(pg_temp.imports(pg_temp.big(6)), 'imported 9', 'a balance in upper case');
SELECT is(pg_temp.imports(pg_temp.small(6)), 'unchanged 9', 'a repeated import in the other spelling changes nothing');
SELECT is(pg_temp.imports(pg_temp.small(3)), 'imported 9', 'an import in lower case');
SELECT is(pg_temp.imports(pg_temp.big(3)), 'unchanged 9', 'a repeated import in upper case changes nothing');

-- Merging
SELECT wallet.admit_token(pg_temp.big(7), clock_timestamp(), TRUE);
SELECT wallet.account_for(pg_temp.small(3)), pg_temp.gift(pg_temp.small(7), 4);
SELECT is(
    pg_temp.raised(format('SELECT wallet.merge_accounts(%L, %L)', pg_temp.big(7), pg_temp.big(3))), 'nothing',
    'a guest is merged in upper case'
);
SELECT is(pg_temp.funds(pg_temp.small(3)), '13 0 0 0', 'into the account in lower case');
SELECT is(
    pg_temp.raised(format('SELECT wallet.admit_token(%L, clock_timestamp(), TRUE)', pg_temp.small(7))),
    'WL401 unauthenticated', 'the merged guest is refused in either spelling'
);

-- Deletion
SELECT wallet.receive_event('revenuecat', 'waits', 'INITIAL_PURCHASE', jsonb_build_object(
    'source', 'revenuecat', 'id', 'waits', 'type', 'INITIAL_PURCHASE', 'statements', jsonb_build_array(
        jsonb_build_object('fact', pg_temp.fact('t9', 'starter', '{"pending": true}'), 'owners', ARRAY[pg_temp.big(2)])
    )
));
SELECT wallet.delete_account(pg_temp.big(2));
SELECT is_empty(
    format('SELECT FROM wallet.identities WHERE lower(user_id) = %L', pg_temp.small(2)),
    'a user is deleted by either spelling'
);
SELECT ok(a.reference LIKE 'erased %', 'the erased reference had the id in upper case')
FROM wallet.adjustments AS a WHERE a.amount = 5;
SELECT is(wallet.account_for_owners(ARRAY[o.id]), NULL, 'a store''s message does not create the user again: ' || o.id)
FROM (VALUES (pg_temp.small(2)), (pg_temp.big(2))) AS o (id);
SELECT ok(
    wallet.names_deleted(jsonb_build_object('owners', ARRAY[o.id], 'fact', '{}'::jsonb)), 'the user is known as deleted'
) FROM (VALUES (pg_temp.small(2)), (pg_temp.big(2))) AS o (id);
SELECT is(
    pg_temp.raised(format('SELECT wallet.admit_token(%L, %L, FALSE)', o.id, clock_timestamp() - interval '1 minute')),
    'WL401 unauthenticated', 'an older token is refused'
) FROM (VALUES (pg_temp.small(2)), (pg_temp.big(2))) AS o (id);
SELECT is(
    wallet.admit_users(
        ARRAY[pg_temp.big(2), 'ann'], array_fill(clock_timestamp() - interval '1 minute', ARRAY[2]), '{f,f}'
    ), ARRAY[NULL, wallet.account_for('ann')], 'an older token is refused in a group, too'
);
SELECT is(pg_temp.imports(pg_temp.big(2)), 'refused user-deleted 0', 'an import for the deleted user is refused');
SELECT is_empty(
    format('SELECT FROM wallet.identities WHERE lower(user_id) = %L', pg_temp.small(2)),
    'no account was created'
);
SELECT is_empty(format(
    'SELECT FROM wallet.inbox WHERE payload::TEXT ILIKE %L AND status IN (%L, %L)', '%' || pg_temp.small(2) || '%',
    'new', 'awaiting_user'
), 'no waiting message names the user');

-- A user id equal to another user's account token: in either order, each user has a separate token
SELECT wallet.account_for('bob'), wallet.account_for(wallet.app_account_token('bob')::TEXT);
SELECT wallet.account_for(wallet.app_account_token('dan')::TEXT), wallet.account_for('dan');
SELECT is((
    SELECT count(DISTINCT i.app_account_token) FROM wallet.identities AS i
    WHERE i.user_id IN ('bob', 'dan', wallet.app_account_token('bob')::TEXT, wallet.app_account_token('dan')::TEXT)
), 4::bigint, 'four users, four tokens');
SELECT is(
    pg_temp.says(pg_temp.buy(
        NULL, 'd1', 'starter', jsonb_build_object('app_account_token', wallet.app_account_token('dan'))
    )), 'granted 25 credit', 'a purchase that identifies its user only by the token'
);
SELECT is(pg_temp.funds('dan'), '25 0 0 0', 'the token''s user gets the purchase');
SELECT is(
    pg_temp.says(pg_temp.buy(
        wallet.app_account_token('bob')::TEXT, 'b1', 'starter',
        jsonb_build_object('app_account_token', wallet.app_account_token('bob'))
    )), 'skipped account-token-mismatch', 'a user whose id equals the token does not get the purchase'
);
SELECT is(
    pg_temp.says(pg_temp.buy(
        'bob', 'b1', 'starter', jsonb_build_object('app_account_token', wallet.app_account_token('bob'))
    )), 'granted 25 credit', 'the other does'
);
SELECT wallet.delete_account(wallet.app_account_token('dan')::TEXT);
SELECT is(
    pg_temp.says(pg_temp.buy(
        NULL, 'd2', 'starter', jsonb_build_object('app_account_token', wallet.app_account_token('dan'))
    )), 'granted 25 credit', 'the deletion of one releases nothing of the other'
);
SELECT is(
    wallet.app_account_token(upper(wallet.app_account_token('bob')::TEXT)),
    wallet.app_account_token(wallet.app_account_token('bob')::TEXT),
    'a user id that equals a token has one token in every spelling'
);

-- Two users with one token, possible only by a SHA-1 collision: the token decides for neither
INSERT INTO wallet.accounts (created_at) VALUES (wallet.now());
INSERT INTO wallet.identities (user_id, account_id, app_account_token, created_at)
SELECT 'eve', max(a.account_id), wallet.app_account_token('bob'), wallet.now() FROM wallet.accounts AS a;
SELECT is(
    pg_temp.says(pg_temp.buy(
        NULL, 'b2', 'starter', jsonb_build_object('app_account_token', wallet.app_account_token('bob'))
    )), 'skipped unknown-user', 'a purchase whose token belongs to two users has no owner yet'
);
SELECT is(
    pg_temp.says(pg_temp.buy(
        'bob', 'b2', 'starter', jsonb_build_object('app_account_token', wallet.app_account_token('bob'))
    )), 'granted 25 credit', 'the user who submits it becomes the owner'
);

-- An invalid user id does not affect the other bookings of the group
SELECT is(
    wallet.admit_users(
        ARRAY['ann', repeat('x', 321), '', 'new'], array_fill(clock_timestamp(), ARRAY[4]), array_fill(FALSE, ARRAY[4])
    ), ARRAY[wallet.account_for('ann'), NULL, NULL, wallet.account_for('new')], 'the others of a group are let in'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
