-- wallet.now: the wallet's single clock, which only a dev database may move (rule 3).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
\ir ../../functions/instance/clock.sql
SELECT clock_timestamp() AS began \gset
SELECT ok(n.at BETWEEN :'began'::timestamptz AND clock_timestamp(), 'the clock shows the real time')
FROM wallet.now() AS n (at);
UPDATE wallet.instance SET clock_offset = interval '40 days';
SELECT clock_timestamp() AS began \gset
SELECT ok(
    n.at BETWEEN :'began'::timestamptz + interval '40 days' AND clock_timestamp() + interval '40 days',
    'the clock of a dev database has an offset'
) FROM wallet.now() AS n (at);
SELECT volatility_is('wallet', 'now', ARRAY[]::text[], 'volatile', 'the clock advances within a transaction');
SELECT is_empty(
    $$ SELECT p.proname FROM pg_catalog.pg_proc AS p
       WHERE p.pronamespace = 'wallet'::regnamespace AND p.proname <> 'now'
           AND p.prosrc ~* '[^.]\m((current|clock|transaction|statement)_timestamp\M|now\(\))'
           -- Ids, tokens, deletions and sessions use the machine's clock; deletions are compared with tokens.
           AND p.proname NOT IN ('new_id', 'delete_account', 'erase_user', 'end_session') $$,
    'no function uses another clock'
);
SELECT * FROM finish();
ROLLBACK;
