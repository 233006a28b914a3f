-- wallet.apply_statement: a store's report, applied for the owner that it names (rules 13, 31).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
SELECT is(
    pg_temp.report('ann', 't1', 'starter'), 'granted 25 credit', 'the purchase goes to the owner that the store names'
);
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'the named owner''s account is created and granted');
SELECT is(pg_temp.report(NULL, 't2', 'starter'), 'skipped unknown-user', 'a report without an owner');
SELECT is(
    pg_temp.report('$RCAnonymousID:1', 't2', 'starter'), 'skipped unknown-user', 'a report with an unknown owner'
);
SELECT is(pg_temp.says(pg_temp.buy('bob', 't2', 'starter')), 'granted 25 credit', 'a submitter then claims it');
SELECT is(
    pg_temp.says(wallet.apply_statement(jsonb_build_object('fact', pg_temp.fact('t2', 'starter')))),
    'granted 25 credit duplicate', 'a statement without owners keeps the owner'
);
SELECT is(
    pg_temp.report('ann', 't2', 'starter'), 'skipped transaction-already-claimed duplicate',
    'a store''s report does not take it from its owner'
);

-- A foreign account token: refused if a user submits it, accepted in the store's own report
SELECT wallet.account_for('cid');
CREATE FUNCTION pg_temp.token(p_user text) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object('app_account_token', wallet.app_account_token(p_user));
$$;
SELECT is(
    pg_temp.says(pg_temp.buy('ann', 't3', 'starter', pg_temp.token('cid'))), 'skipped account-token-mismatch',
    'a submitter with another''s token'
);
SELECT is(
    pg_temp.report('ann', 't3', 'starter', pg_temp.token('cid')), 'granted 25 credit',
    'the store''s owner wins over the account token'
);
SELECT is(pg_temp.report(NULL, 't4', 'starter', pg_temp.token('cid')), 'granted 25 credit', 'else the token names it');
SELECT is(pg_temp.funds('cid'), '25 0 0 0', 'the named owner has the purchase');
SELECT is(
    pg_temp.report(NULL, 't5', 'starter', pg_temp.token('nobody')), 'skipped unknown-user', 'a token of an unknown user'
);
SELECT wallet.account_for('nobody');
SELECT is(
    pg_temp.report(NULL, 't5', 'starter', pg_temp.token('nobody')), 'granted 25 credit',
    'the token''s user gets the purchase once known'
);

-- A report that proves no payment reserves the purchase for the owner that the store names
SELECT is(
    pg_temp.report('ann', 't6', 'starter', '{"pending": true}'), 'skipped pending', 'a pending purchase grants nothing'
);
SELECT is(
    pg_temp.says(pg_temp.buy('bob', 't6', 'starter')), 'skipped transaction-already-claimed', 'no other user gets it'
);
SELECT is(
    pg_temp.funds('ann'), '75 0 0 0',
    'if another user proves the payment, the owner that the store named gets the purchase'
);
SELECT is(pg_temp.report(NULL, 't6', 'starter'), 'granted 25 credit duplicate', 'the owner has the purchase once');
SELECT is(
    pg_temp.says(pg_temp.buy('ann', 't7', 'starter', '{"pending": true}')), 'skipped pending',
    'a submitted pending purchase'
);
SELECT is(
    pg_temp.says(pg_temp.buy('bob', 't7', 'starter')), 'granted 25 credit', 'reserves nothing'
);
SELECT is(
    pg_temp.raised($$ SELECT wallet.apply_statement('{"owners": ["zoe"]}') $$), 'WL422 purchase-data-incomplete',
    'a missing fact is refused'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
