-- wallet.post_lot, wallet.lapse_due, wallet.sync_expiry: the instant of a wallet's next expiry check (rule 7).
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.due() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(
        u.user_id || ' ' || left(w.environment::text, 4) || ' ' || coalesce(
            to_char(nullif(w.next_expiry, 'infinity'), 'DD'), 'never'
        ), ', ' ORDER BY u.user_id, w.environment
    )
    FROM wallet.wallets AS w INNER JOIN wallet.users AS u ON w.account_id = u.account_id;
$$;
SELECT pg_temp.lesson('a', 2, 2, 10, '3 days', 0);
SELECT pg_temp.gift('bob', 5), pg_temp.gift('ann', 5, 'credit', NULL, 'sandbox');
SELECT pg_temp.gift('ann', 2, 'credit', '6 days'), pg_temp.gift('ann', 5);
SELECT is(pg_temp.due(), 'ann prod 07, ann sand never, bob prod never', 'a lot that ends is looked at when it ends');
SELECT pg_temp.book('ann', 'a', 'a', 1, 'credits');
SELECT wallet.lapse_due(wallet.account_for('ann'), 'production');
SELECT is(pg_temp.due(), 'ann prod never, ann sand never, bob prod never', 'a spent lot sets no date');
SELECT pg_temp.cancel('ann', 'a');
SELECT is(
    pg_temp.due(), 'ann prod 07, ann sand never, bob prod never', 'a reopened lot sets the date of its own wallet only'
);

-- An earlier check is not postponed
SELECT pg_temp.gift('bob', 2, 'credit', '4 days'), pg_temp.gift('bob', 2, 'visit', '6 days');
SELECT pg_temp.book('bob', 'a', 'a', 1, 'visits');
SELECT wallet.lapse_due(wallet.account_for('bob'), 'production');
SELECT pg_temp.cancel('bob', 'a');
SELECT is(pg_temp.due(), 'ann prod 07, ann sand never, bob prod 05', 'the earlier date stays');

-- A lot that is spent and closed sets no date
SELECT pg_temp.lesson('p', NULL, 3), pg_temp.buy('cid', 't', 'threeVisit'), pg_temp.book('cid', 'p', 'p');
UPDATE wallet.lots SET expires_at = wallet.now() + interval '20 days' WHERE product_id IS NOT NULL;
SELECT wallet.lapse_due(wallet.account_for('cid'), 'production');
SELECT pg_temp.wait('1 second'), pg_temp.buy('cid', 't', 'threeVisit', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.funds('cid'), '0 0 0 3', 'refunded visits that were spent are owed');
SELECT is(
    pg_temp.due(), 'ann prod 07, ann sand never, bob prod 05, cid prod never', 'the wallet needs no check'
);

-- A lot lapses exactly at its expiry, and the next expiry is stored
SELECT pg_temp.wait('4 days - 1 second - 1 microsecond');
SELECT is(wallet.sweep(10), 0, 'a microsecond before, nothing is due');
SELECT pg_temp.wait('1 microsecond');
SELECT is(wallet.sweep(10), 1, 'at that instant one wallet is due');
SELECT is(pg_temp.due(), 'ann prod 07, ann sand never, bob prod 07, cid prod never', 'the next date is later');
SELECT is(pg_temp.funds('bob'), '5 2 0 0', 'lots that have not expired keep their balance');
SELECT pg_temp.sound('lot_terms');
SELECT * FROM finish();
ROLLBACK;
