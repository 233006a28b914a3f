-- wallet.lock_lot_owners: locks the other wallets that now hold the lots that paid for a booking.
-- isolation/bookings/booking_and_cancellation.spec tests a wallet that another session has locked.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE EXTENSION IF NOT EXISTS pgrowlocks;
SELECT pg_temp.gift(u.id, 1), pg_temp.gift(u.id, 1, p_environment => 'sandbox')
FROM unnest('{ann,bob,cid,dan}'::text[]) AS u (id);
CREATE FUNCTION pg_temp.slices(VARIADIC p_users text[]) RETURNS wallet.owned_slice[] LANGUAGE sql AS $$
    SELECT array_agg(ROW(wallet.account_for(u.id), wallet.new_id(), 1)::wallet.owned_slice)
    FROM unnest(p_users) AS u (id);
$$;
SELECT is(
    wallet.lock_lot_owners(wallet.account_for('ann'), 'production', pg_temp.slices('ann', 'bob', 'ann', 'bob')), TRUE,
    'the other user''s wallet is locked'
);
SELECT results_eq(
    $$ SELECT u.user_id, w.environment FROM public.pgrowlocks('wallet.wallets') AS l
       INNER JOIN wallet.wallets AS w ON w.ctid = l.locked_row
       INNER JOIN wallet.users AS u ON w.account_id = u.account_id
       WHERE l.modes = '{"For Update"}' $$,
    $$ VALUES ('bob', 'production'::wallet.environment) $$, 'only the wallet of the booking''s environment is locked'
);
SELECT is(wallet.lock_lot_owners(wallet.account_for('ann'), 'production', '{}'), TRUE, 'an empty list needs no lock');

-- A lot that repaid a debt of such a lot may belong to a third account
INSERT INTO wallet.repayments (account_id, debtor_lot_id, payer_account_id, payer_lot_id, amount)
SELECT d.account_id AS debtor_id, d.lot_id AS debtor_lot_id, p.account_id, p.lot_id, p.amount
FROM wallet.lots AS d
CROSS JOIN (
    SELECT l.*, 0 AS amount FROM wallet.lots AS l WHERE l.account_id = wallet.account_for('dan')
    UNION ALL
    SELECT l.*, 1 FROM wallet.lots AS l WHERE l.account_id = wallet.account_for('cid')
) AS p
WHERE d.account_id = wallet.account_for('ann') AND d.environment = 'production' AND p.environment = 'production';
-- The debt of another lot
INSERT INTO wallet.repayments (account_id, debtor_lot_id, payer_account_id, payer_lot_id, amount)
SELECT
    wallet.account_for('ann') AS debtor_id, pg_temp.gift('ann', 2) AS debtor_lot_id, wallet.account_for('eve'),
    pg_temp.gift('eve', 1), 1;
SELECT is(
    wallet.lock_lot_owners(wallet.account_for('ann'), 'production', (
        SELECT array_agg(row(l.account_id, l.lot_id, 1)::wallet.owned_slice) FROM wallet.lots AS l
        WHERE l.account_id = wallet.account_for('ann') AND l.environment = 'production' AND l.granted = 1
    )), TRUE, 'a payer''s wallet is taken'
);
SELECT results_eq(
    $$ SELECT u.user_id FROM public.pgrowlocks('wallet.wallets') AS l
       INNER JOIN wallet.wallets AS w ON w.ctid = l.locked_row
       INNER JOIN wallet.users AS u ON w.account_id = u.account_id
       WHERE l.modes = '{"For Update"}' ORDER BY u.user_id $$,
    $$ VALUES ('bob'), ('cid') $$, 'only payers of these lots with an amount are locked'
);
SELECT is(
    wallet.lock_lot_owners(
        wallet.account_for('ann'), 'production', pg_temp.slices('nobody')
    ), FALSE, 'the function returns false if a wallet is missing'
);

-- A lot may move to another account after its holder was read
SELECT set_config('t.slices', (
    SELECT array_agg(row(l.account_id, l.lot_id, 1)::wallet.owned_slice) FROM wallet.lots AS l
    WHERE l.account_id = wallet.account_for('cid') AND l.environment = 'production'
)::text, TRUE);
SELECT is(
    wallet.lock_lot_owners(
        wallet.account_for('ann'), 'production', current_setting('t.slices')::wallet.owned_slice[]
    ), TRUE, 'cid holds the lot'
);
SELECT wallet.move_lots(wallet.account_for('cid'), wallet.account_for('bob'), 'production', (
    SELECT array_agg(l.lot_id) FROM wallet.lots AS l
    WHERE l.account_id = wallet.account_for('cid') AND l.environment = 'production'
));
SELECT is(
    wallet.lock_lot_owners(
        wallet.account_for('ann'), 'production', current_setting('t.slices')::wallet.owned_slice[]
    ), FALSE, 'the function returns false if a lot has moved meanwhile'
);
SELECT pg_temp.gift('cid', 2);
SELECT is(
    wallet.lock_lot_owners(wallet.account_for('ann'), 'production', (
        SELECT array_agg(row(l.account_id, l.lot_id, 1)::wallet.owned_slice) FROM wallet.lots AS l
        WHERE l.account_id IN (wallet.account_for('bob'), wallet.account_for('cid')) AND l.moved_to IS NULL
    )), TRUE, 'the new holder of a moved lot, and another lot of its former holder'
);
SELECT * FROM finish();
ROLLBACK;
