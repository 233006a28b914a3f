-- wallet.lock_wallets: locks the wallets of a group, and returns the locked ones (rule 19; isolation/ tests the order).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT wallet.account_for('ann'), wallet.account_for('bob');
CREATE FUNCTION pg_temp.held(p_wait boolean, VARIADIC p_operations text[]) RETURNS integer LANGUAGE sql AS $$
    SELECT cardinality(wallet.lock_wallets(pg_temp.requests(
        array_fill(wallet.account_for('ann'), ARRAY[cardinality(p_operations)]),
        array_fill('production'::wallet.environment, ARRAY[cardinality(p_operations)]), p_operations, '{}'
    ), p_wait));
$$;
SELECT is(pg_temp.held(TRUE, 'book'), 1, 'a booking locks its wallet');
SELECT is(pg_temp.held(TRUE, 'book', 'cancel', 'book'), 1, 'a wallet is locked once for several items');
SELECT is(pg_temp.held(p.wait, p.operation), 0, concat_ws(' ', 'no wallet is locked:', p.operation, p.wait)) FROM (
    SELECT w.wait, o.operation FROM unnest(ARRAY[TRUE, FALSE]) AS w (wait)
    CROSS JOIN unnest(ARRAY['quote', 'steal', NULL]) AS o (operation)
) AS p;
SELECT is(
    pg_temp.wallets_at(wallet.lock_wallets(pg_temp.requests(
        ARRAY[wallet.account_for('bob'), wallet.account_for('ann'), NULL], '{sandbox,production,production}',
        '{book,book,book}', '{}'
    ), FALSE)),
    'production ann, sandbox bob', 'wallets are locked in order of account, new ones too'
);
SELECT pg_temp.gift('dan', 5, 'credit', '1 day'), pg_temp.gift('ann', 1);
SELECT pg_temp.wait('2 days');
SELECT is(
    pg_temp.wallets_at(wallet.lock_wallets(pg_temp.requests(
        ARRAY[wallet.account_for('dan')], '{production}', '{book}', '{}'
    ), FALSE)),
    'production dan', 'after a lapse, the wallet''s new row location is returned'
);
SELECT is(pg_temp.funds('dan'), '0 0 0 0', 'the lot has lapsed');
SELECT pg_temp.gift('eve', 5, 'credit', '1 day'), pg_temp.wait('1 day'), wallet.lock_wallets(pg_temp.requests(
    ARRAY[wallet.account_for('eve')], '{production}', '{book}', '{}'
), TRUE);
SELECT is(pg_temp.story('eve'), 'adjust 5, lapse -5', 'a lot lapses at the instant of its expiry');
SELECT is(pg_temp.funds('bob'), NULL, 'only the wallet of the given environment is created');
SELECT * FROM finish();
ROLLBACK;
