-- wallet.note_changes, wallet.check_changed_accounts: checks accounts that any session has changed since the last
-- check; a finding remains until a later check finds it repaired.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.found() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(f.name || ' ' || f.violations, ', ' ORDER BY f.name) FROM wallet.finding_counts AS f
    WHERE f.violations > 0;
$$;
SELECT pg_temp.lesson('a', 20), pg_temp.buy('ann', 't', 'explorer'), pg_temp.book('ann', 'k', 'a');
SELECT pg_temp.gift('bob', 5);
SELECT ok(wallet.note_changes() >= 2, 'the first time all accounts wait');
SELECT is(wallet.check_changed_accounts(1), 1, 'some are looked at');
SELECT ok(wallet.check_changed_accounts(100) >= 1, 'the next call checks the rest');
SELECT is(wallet.check_changed_accounts(100), 0, 'no account waits for a check');
SELECT is(pg_temp.found(), NULL, 'no violation is found');
UPDATE wallet.wallets SET credits = credits + 1 WHERE account_id = wallet.account_for('bob');
SELECT ok(
    wallet.note_changes() >= 1 AND wallet.check_changed_accounts(100) >= 1,
    'a changed wallet is checked'
);
SELECT is(pg_temp.found(), 'ledger_sums 1, wallet_sums 1', 'the violation is found');
UPDATE wallet.look_cursor SET xid = pg_snapshot_xmax(pg_current_snapshot())::text::bigint::text::xid8;
SELECT ok(
    wallet.note_changes() >= 1 AND wallet.check_changed_accounts(100) >= 1, 'a wallet with a violation is checked again'
);
SELECT is(pg_temp.found(), 'ledger_sums 1, wallet_sums 1', 'the finding stays');
UPDATE wallet.wallets SET credits = credits - 1 WHERE account_id = wallet.account_for('bob');
UPDATE wallet.class_seats SET sold = sold + 1 WHERE class_id = 'a' AND environment = 'production';
SELECT ok(wallet.note_changes() >= 1 AND wallet.check_changed_accounts(100) >= 1, 'a third look');
SELECT is(pg_temp.found(), 'seats 1', 'the wallet is repaired, and the changed seats are found');
UPDATE wallet.class_seats SET sold = sold - 1 WHERE class_id = 'a' AND environment = 'production';
SELECT ok(wallet.note_changes() >= 0, 'a fourth');
SELECT is(pg_temp.found(), NULL, 'finds these mended');
UPDATE wallet.look_cursor SET xid = '4611686018427387904';
SELECT ok(wallet.note_changes() >= 2, 'in a restored database, all accounts are checked again');
SELECT * FROM finish();
ROLLBACK;
