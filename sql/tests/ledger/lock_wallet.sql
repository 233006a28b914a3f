-- wallet.lock_wallet: creates a wallet when it is first needed, and posts due expiries (rule 6).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT wallet.lock_wallet(wallet.account_for('ann'), 'production');
SELECT is(pg_temp.funds('ann'), '0 0 0 0', 'a wallet is made');
SELECT wallet.lock_wallet(wallet.account_for('ann'), 'production');
SELECT is((SELECT count(*)::integer FROM wallet.wallets), 1, 'once');
SELECT pg_temp.gift('ann', 5, 'credit', '1 day'), pg_temp.gift('ann', 6, 'credit', '2 days');
SELECT pg_temp.wait('1 day - 1 microsecond'), wallet.lock_wallet(wallet.account_for('ann'), 'production');
SELECT is(pg_temp.story('ann'), 'adjust 5, adjust 6', 'nothing is due before its instant');
SELECT set_config('t.row', (SELECT w.ctid FROM wallet.wallets AS w)::text, TRUE);
SELECT wallet.lock_wallet(wallet.account_for('ann'), 'production');
SELECT is((SELECT w.ctid FROM wallet.wallets AS w)::text, current_setting('t.row'), 'the wallet is not written');
SELECT pg_temp.wait('1 microsecond'), wallet.lock_wallet(wallet.account_for('ann'), 'production');
SELECT is(pg_temp.story('ann', 2), 'lapse -5', 'a due lot lapses at its instant');
SELECT is((SELECT w.next_expiry FROM wallet.wallets AS w), wallet.now() + interval '1 day', 'the next is noted');
SELECT pg_temp.wait('10 days'), wallet.lock_wallet(wallet.account_for('ann'), 'production');
SELECT is((SELECT w.next_expiry FROM wallet.wallets AS w), 'infinity', 'without expiries the date is infinity');
SELECT wallet.lock_wallet(wallet.account_for('ann'), 'sandbox');
SELECT is(pg_temp.funds('ann', 'sandbox'), '0 0 0 0', 'each environment has a separate wallet');
SELECT is(
    pg_temp.raised('SELECT wallet.lock_wallet(-1, ''production'')'), '23503', 'a wallet requires an account'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
