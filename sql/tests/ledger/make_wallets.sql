-- wallet.make_wallets: creates the missing wallets of a group (rule 19; isolation/ tests the order).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 1), wallet.account_for('bob'), wallet.account_for('cid');
CREATE FUNCTION pg_temp.made(p_users text[], p_operations text[]) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.wallets_at(wallet.make_wallets(pg_temp.requests(
        ARRAY(SELECT wallet.account_for(u) FROM unnest(p_users) WITH ORDINALITY AS t (u, n) ORDER BY n),
        ARRAY(SELECT 'production'::wallet.environment FROM unnest(p_users)), p_operations, '{}'
    ), TRUE));
$$;
SELECT is(pg_temp.made('{ann}', '{book}'), '', 'a wallet that is there is not made');
SELECT is(pg_temp.made('{cid}', '{quote}'), '', 'a quote needs none');
SELECT is(
    pg_temp.made('{bob,ann,bob}', '{book,book,cancel}'), 'production bob', 'a missing wallet is created once and locked'
);
SELECT is(pg_temp.funds('bob'), '0 0 0 0', 'the new wallet is empty');
SELECT is(
    wallet.make_wallets(pg_temp.requests('{-1}', '{production}', '{book}', '{}'), w.waits), NULL,
    'an account that does not exist has no wallet'
) FROM (VALUES (TRUE), (FALSE)) AS w (waits);
SELECT * FROM finish();
ROLLBACK;
