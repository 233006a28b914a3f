-- wallet.merge_claims and wallet.revoke_duplicates: the newest report on refunds, the account token that counts, the
-- order in which grants are taken back (rules 11, 13, 24), and that other users' wallets do not change.
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
-- A fact without a refund, unless p_more has one.
CREATE FUNCTION pg_temp.pack(p_user text, p_id text, p_more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(
        p_user, p_id, 'starter', '{"original_transaction_id": null, "refunded_millionths": null}' || p_more
    ));
$$;
-- A purchase in the operators' view of refunds.
CREATE FUNCTION pg_temp.refund(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', r.refunded_millionths, r.refunded, to_char(r.refunded_at, 'YYYY-MM-DD'))
    FROM admin.refunds AS r WHERE r.transaction_id = p_id;
$$;

-- One claim reported a refund, the other its reversal
SELECT pg_temp.pack('ann', 'a1', '{"refunded_millionths": 400000, "refunded_at": "2030-01-01T00:00:00Z"}');
SELECT is(pg_temp.refund('a1'), '400000 10 2030-01-01', 'a refund in part');
SELECT pg_temp.wait('1 day');
SELECT pg_temp.pack(NULL, NULL, '{"order_id": "a2", "refunded_millionths": 0}');
SELECT pg_temp.pack('ann', 'a1', '{"order_id": "a2"}');
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'the newest report is that nothing is refunded');
SELECT is(pg_temp.refund('a1'), NULL, 'operators see no refund');
SELECT pg_temp.wait('1 day');
SELECT pg_temp.pack(NULL, NULL,
    '{"order_id": "a3", "refunded_millionths": 1000000, "refunded_at": "2029-12-31T00:00:00Z"}');
SELECT is(
    pg_temp.pack('ann', 'a1', '{"order_id": "a3"}'), 'skipped refunded duplicate',
    'a third claim''s newer refund counts'
);
SELECT is(pg_temp.funds('ann'), '0 0 0 0', 'the refund takes the grant back');
SELECT is(pg_temp.refund('a1'), '1000000 25 2029-12-31', 'the refund has its own date, not that of the reversed one');
SELECT pg_temp.pack('bob', 'b1');
SELECT pg_temp.pack(NULL, NULL,
    '{"order_id": "b2", "refunded_millionths": 1, "refunded_at": "2029-12-31T00:00:00Z"}');
SELECT pg_temp.pack('bob', 'b1', '{"order_id": "b2"}');
SELECT is(pg_temp.refund('b1'), '1 0 2029-12-31', 'the smallest share has its day, too');
SELECT pg_temp.pack('cid', 'c1', '{"refunded_millionths": 400000}');
SELECT pg_temp.pack(NULL, NULL, '{"order_id": "c2", "refunded_millionths": 800000}');
SELECT pg_temp.pack('cid', 'c1', '{"order_id": "c2"}');
SELECT is(pg_temp.funds('cid'), '5 0 0 0', 'at the same instant the larger share counts');
SELECT pg_temp.pack('dan', 'd1');
SELECT pg_temp.pack(NULL, NULL, '{"order_id": "d2", "refunded_millionths": 1000000}'), pg_temp.wait('1 second');
SELECT pg_temp.pack('dan', 'd1', '{"order_id": "d2", "refunded_millionths": 0}');
SELECT is(pg_temp.story('dan'), 'grant 25', 'a refund that the same fact reverses is not posted');

-- The grants of all claims are taken back in the order in which the claims were made, however the rows are found, and
-- never from another user
SELECT pg_temp.by_index(FALSE);
SELECT pg_temp.buy('eve', 'e0', 'singleVisit'), pg_temp.wait('40 days');
SELECT pg_temp.pack('fay', 'f1'), pg_temp.wait('1 minute');
SELECT pg_temp.pack('fay', NULL, '{"order_id": "f2", "quantity": 2}'), pg_temp.wait('1 minute');
SELECT pg_temp.pack('fay', 'f3', '{"original_transaction_id": "F", "quantity": 3}');
SELECT pg_temp.pack('fay', NULL, '{"order_id": "f2"}');
SELECT is(
    pg_temp.pack('fay', 'f1', '{"order_id": "f2", "original_transaction_id": "F"}'), 'granted 75 credit duplicate',
    'three grants'
);
SELECT is(
    pg_temp.story('fay'), 'grant 25, grant 50, grant 75, refund -50, refund -75, grant 50',
    'three claims are merged, with the largest quantity'
);
SELECT is(pg_temp.story('eve'), 'grant 1', 'another user''s wallet is unchanged');
SELECT pg_temp.buy('fay', 'f4', 'singleVisit');

-- The owner, if several claims name an account by its token
SELECT pg_temp.pack(NULL, 'g1', '{"original_transaction_id": "g1"}');
SELECT pg_temp.pack(NULL, NULL,
    '{"order_id": "g2", "app_account_token": "11111111-1111-4111-8111-111111111111"}');
SELECT pg_temp.pack(NULL, 'g3',
    '{"original_transaction_id": "G", "app_account_token": "22222222-2222-4222-8222-222222222222"}');
SELECT pg_temp.pack(NULL, NULL, '{"order_id": "g2"}');
SELECT is(
    pg_temp.pack(NULL, 'g1', '{"order_id": "g2", "original_transaction_id": "G"}'), 'skipped unknown-user',
    'three claims without a known owner'
);
SELECT is(
    pg_temp.pack('22222222-2222-4222-8222-222222222222', 'g1'), 'skipped account-token-mismatch',
    'the last claim''s token does not decide the owner'
);
SELECT is(
    pg_temp.pack('11111111-1111-4111-8111-111111111111', 'g1'), 'granted 25 credit',
    'the first claim''s token decides the owner'
);

-- Wallets are locked by account, so that two concurrent merges never wait for each other
SELECT pg_temp.buy('user ' || i, 'v' || i, 'singleVisit') FROM generate_series(1, 8) AS i;
SELECT pg_temp.pack('user ' || i, 'u' || i), pg_temp.wait('1 minute') FROM generate_series(8, 1, -1) AS i;
SELECT pg_temp.wait('40 days');
SET LOCAL enable_sort = off;
SET LOCAL jit = off;
DISCARD PLANS;
SELECT wallet.merge_claims(u.ids), wallet.revoke_duplicates(u.ids) FROM (
    SELECT array_agg(c.claim_id) AS ids FROM wallet.claims AS c WHERE c.transaction_id LIKE 'u_'
) AS u;
SELECT is(
    (SELECT string_agg(pg_temp.funds('user ' || i), ', ' ORDER BY i) FROM generate_series(1, 8) AS i),
    concat_ws(', ', VARIADIC array_fill('0 0 0 0'::text, '{7}') || '25 0 0 0'::text), 'one purchase of eight users'
);
SELECT is(
    (SELECT array_agg(o.account_id ORDER BY o.event_id) FROM wallet.outbox AS o
    WHERE o.type = 'credits.expired' AND o.account_id IN (
        SELECT wallet.account_for('user ' || i) FROM generate_series(1, 8) AS i
    )),
    (SELECT array_agg(wallet.account_for('user ' || i) ORDER BY i) FROM generate_series(1, 8) AS i),
    'due expiries in the wallets are posted in the order of accounts'
);
SELECT is(pg_temp.story('fay', 6), 'grant 1', 'the wallet of a user with earlier duplicates is unchanged');
SELECT pg_temp.by_index(TRUE);
SET LOCAL enable_sort = on;
DISCARD PLANS;
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
