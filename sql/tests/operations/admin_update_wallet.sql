-- wallet.admin_update_wallet: UPDATE admin.wallets posts a difference and never undoes an entry (contract: Operators;
-- isolation/ tests the race).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 50), pg_temp.gift('bob', 50);
CREATE FUNCTION pg_temp.updates(p_set text, p_where text DEFAULT 'user_id = ''ann''') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format('UPDATE admin.wallets SET %s WHERE %s', p_set, p_where), 'wallet_admin');
$$;
-- One statement per transaction: forgets that there was an earlier one.
CREATE FUNCTION pg_temp.next() RETURNS text LANGUAGE sql AS $$ SELECT set_config('wallet.moved_in', '', TRUE); $$;
SELECT is(pg_temp.updates($$ credits = 120, reason = 'sorry' $$), 'nothing', 'a balance is set');
SELECT is(pg_temp.story('ann'), 'adjust 50, adjust 70', 'the difference is posted');
SELECT results_eq(
    $$ SELECT l.actor, l.reason FROM wallet.ledger AS l
       WHERE l.account_id = wallet.account_for('ann') AND l.version = 2 $$,
    $$ VALUES (session_user::text COLLATE "default", 'sorry') $$, 'under the database role and the reason'
);
SELECT is(
    pg_temp.updates($$ credits = 1, reason = 'x' $$, 'user_id = ''bob'''), 'WL422 one-wallet-at-a-time',
    'a second wallet in one transaction is refused'
);
SELECT is(
    pg_temp.updates($$ credits = 1, reason = 'x' $$, 'TRUE'), 'WL422 one-wallet-at-a-time',
    'updating every wallet at once is refused'
);
SELECT pg_temp.next();
SELECT set_config('wallet.bulk', 'on', TRUE);
SELECT is(
    pg_temp.updates($$ credits = credits + 1, reason = 'all' $$, 'user_id IN (''ann'', ''bob'')'), 'nothing',
    'several wallets can be updated with a relative amount'
);
SELECT set_config('wallet.bulk', 'off', TRUE);
SELECT pg_temp.next();
SELECT is(pg_temp.updates($$ credits = 21, visits = 3, reason = 'both' $$), 'nothing', 'both units in one statement');
SELECT is(
    pg_temp.story('ann', 3), 'adjust -50, adjust -50, adjust 3',
    'the update posts two differences, the first from two lots'
);
SELECT pg_temp.next();
SELECT is(pg_temp.updates('credits = 5'), 'WL422 reason-required', 'a reason is required');
SELECT is(
    pg_temp.updates($$ credits = -1, reason = 'x' $$), 'WL422 invalid-balance', 'negative credits are refused'
);
SELECT is(
    pg_temp.updates($$ credits = NULL, reason = 'x' $$), 'WL422 invalid-balance', 'null credits are refused'
);
SELECT is(
    pg_temp.updates($$ visits = -1, reason = 'x' $$), 'WL422 invalid-balance', 'negative visits are refused'
);
SELECT is(pg_temp.updates($$ visits = NULL, reason = 'x' $$), 'WL422 invalid-balance', 'null visits are refused');
SELECT is(
    pg_temp.updates(format($$ credits = %s, reason = 'x' $$, b.balance)), b.said, 'a balance of ' || b.balance
) FROM (VALUES
    ('9223372036854775807', 'WL422 invalid-balance'), ('1000000000001', 'WL422 invalid-balance'),
    ('12.6', '23514'), ('credits / 8', '23514')
) AS b (balance, said);
SELECT is(
    pg_temp.updates(format($$ visits = %s, reason = 'x' $$, v.visits)), 'WL422 invalid-balance',
    v.visits || ' visits are refused'
) FROM unnest('{1e30,1000000000001}'::text[]) AS v (visits);
SELECT is(pg_temp.updates('owed_credits = 0'), '42501', 'debts are not the administrator''s to forget');
SELECT is(pg_temp.updates('version = 0'), '42501', 'administrators cannot set the version');
SELECT is(
    pg_temp.raised($$ UPDATE admin.wallets SET owed_credits = 9, reason = 'x' WHERE user_id = 'ann' $$),
    'WL422 column-not-editable', 'the trigger refuses the owner, too'
);
SELECT is(
    pg_temp.raised($$ UPDATE admin.wallets SET user_id = 'eve' WHERE user_id = 'ann' $$), 'WL422 column-not-editable',
    'a wallet''s user cannot be changed'
);
SELECT is(pg_temp.updates($$ reason = 'nothing to do' $$), 'nothing', 'an update of nothing posts nothing');
SELECT is(pg_temp.funds('ann'), '21 3 0 0', 'the balance is the one that was set');
SELECT pg_temp.next();
SELECT is(
    pg_temp.updates($$ credits = 99, reason = 'x' $$, 'user_id = ''nobody'''), 'nothing',
    'an unknown wallet is not updated'
);
-- To zero, with another wallet in the sandbox
SELECT pg_temp.gift('ann', 7, 'credit', NULL, 'sandbox'), pg_temp.next();
SELECT is(pg_temp.updates($$ credits = 0, visits = 1, reason = 'x' $$), 'nothing', 'a balance may be taken away');
SELECT is(pg_temp.funds('ann'), '0 1 0 0', 'the balance is the one that was set');
SELECT is(pg_temp.funds('ann', 'sandbox'), '7 0 0 0', 'the sandbox wallet is unchanged');
-- A due expiry that is not posted yet: the view has already subtracted it
SELECT pg_temp.gift('cid', 10, 'credit', '1 day'), pg_temp.gift('cid', 5), pg_temp.wait('1 day'), pg_temp.next();
SELECT is(pg_temp.updates($$ credits = 6, reason = 'x' $$, 'user_id = ''cid'''), 'nothing', 'over a due expiry');
SELECT is(
    pg_temp.story('cid'), 'adjust 10, adjust 5, lapse -10, adjust 1',
    'the due lot lapses first and is not granted again'
);
-- A debt: a posted amount repays it first, so the balance would differ from the requested one
CREATE FUNCTION pg_temp.owe(p_user text, p_product text, p_class_id text) RETURNS void LANGUAGE sql AS $$
    SELECT pg_temp.buy(p_user, p_user, p_product), pg_temp.book(p_user, 'k', p_class_id);
    SELECT pg_temp.buy(
        p_user, p_user, p_product, '{"refunded_millionths": 1000000, "source_at": "2030-01-03T00:00:00Z"}'
    );
$$;
SELECT pg_temp.lesson('c', 20), pg_temp.lesson('one', 1), pg_temp.lesson('v', NULL, 1);
SELECT pg_temp.owe('dan', 'starter', 'c'), pg_temp.owe('eve', 'starter', 'one'), pg_temp.owe('fay', 'singleVisit', 'v');
SELECT is(pg_temp.funds('dan'), '0 0 20 0', 'a refund after spending is owed');
SELECT pg_temp.next();
SELECT is(
    pg_temp.updates($$ credits = 120, reason = 'x' $$, 'user_id = ''dan'''),
    'WL409 wallet-owes {"owed_visits": 0, "owed_credits": 20}', 'a wallet that owes is not set to more'
);
SELECT pg_temp.next();
SELECT is(
    pg_temp.updates($$ visits = 2, reason = 'x' $$, 'user_id = ''dan'''), 'nothing',
    'the unit without a debt can be set'
);
SELECT pg_temp.next();
SELECT is(
    pg_temp.updates($$ credits = 2, reason = 'x' $$, 'user_id = ''eve'''),
    'WL409 wallet-owes {"owed_visits": 0, "owed_credits": 1}', 'a debt of one credit is a debt'
);
SELECT pg_temp.next();
SELECT is(
    pg_temp.updates($$ visits = 2, reason = 'x' $$, 'user_id = ''fay'''),
    'WL409 wallet-owes {"owed_visits": 1, "owed_credits": 0}', 'a debt of one visit is a debt, too'
);
SELECT pg_temp.next();
SELECT is(
    pg_temp.updates($$ credits = 2, reason = 'x' $$, 'user_id = ''fay'''), 'nothing',
    'the credits of a wallet that owes visits can be set'
);
SELECT pg_temp.next();
CREATE FUNCTION pg_temp.returned() RETURNS text LANGUAGE sql AS $$
    UPDATE admin.wallets SET credits = 7, reason = 'x' WHERE user_id = 'cid'
    RETURNING format('%s %s %s', credits, visits, version);
$$;
SELECT is(pg_temp.returned(), '7 0 5', 'RETURNING shows the balance after the update');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
