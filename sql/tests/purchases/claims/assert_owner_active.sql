-- wallet.assert_owner_active: a merged account gets no claims.
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
SELECT wallet.admit_token('anon', wallet.now(), TRUE), set_config('t.anon', wallet.account_for('anon')::text, TRUE);
SELECT wallet.merge_accounts('anon', 'ann'), pg_temp.buy(NULL, 'p', 'starter'), pg_temp.buy('ann', 'q', 'starter');
SELECT is(
    pg_temp.raised(format('UPDATE wallet.claims SET account_id = %s WHERE transaction_id = %L', a.id, a.claim)), a.said,
    a.what
) FROM (VALUES
    (current_setting('t.anon'), 'p', 'WL503 wallet-busy', 'a claim without an owner is refused'),
    (current_setting('t.anon'), 'q', 'WL503 wallet-busy', 'another user''s claim is refused'),
    (wallet.account_for('ann')::text, 'p', 'nothing', 'a standing account''s it may be')
) AS a (id, claim, said, what);
SELECT * FROM finish();
ROLLBACK;
