-- wallet.write_batch: writes only if the rows are still where they were read.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 10), pg_temp.lesson('a', 2);
CREATE FUNCTION pg_temp.write(p_wallet tid, p_seats tid) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'SELECT wallet.write_batch(ROW(
            ''{}'', NULL, ''{}'', ''{}'', ''{}'', ARRAY[ROW(
                %L::tid, 10, 0, 1, (SELECT head_hash FROM wallet.wallets WHERE ctid = %L), wallet.now()
            )::wallet.wallet_change],
            ARRAY[ROW(%L::tid, 0, 0)::wallet.seats_change], wallet.now())::wallet.batch_change)',
        p_wallet, p_wallet, p_seats
    ));
$$;
SELECT is(pg_temp.write(
    (SELECT w.ctid FROM wallet.wallets AS w WHERE w.account_id = wallet.account_for('ann')),
    (SELECT s.ctid FROM wallet.class_seats AS s WHERE s.class_id = 'a' AND s.environment = 'production')
), 'nothing', 'rows that are where they were read are written');
SELECT is(pg_temp.write(
    '(4000000,1)',
    (SELECT s.ctid FROM wallet.class_seats AS s WHERE s.class_id = 'a' AND s.environment = 'production')
), 'P0001', 'one moved row fails the whole batch');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
