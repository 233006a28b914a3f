-- wallet.apply_fact: every fact states absolute values, grants once, and may arrive in any order (rules 2, 11 to 17,
-- 24, 25).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();

-- Granting once
SELECT is(pg_temp.says(pg_temp.buy('ann', 't1', 'starter')), 'granted 25 credit', 'a pack grants its credits');
SELECT is(
    pg_temp.says(pg_temp.buy('ann', 't1', 'starter')), 'granted 25 credit duplicate',
    'midaz #2485, lago #3618: the same transaction again is a duplicate of the grant'
);
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'the balance moved once');
SELECT is(pg_temp.story('ann'), 'grant 25', 'the ledger has one entry for two submissions');
SELECT is(
    (SELECT count(*)::integer FROM wallet.outbox WHERE type = 'credits.granted'), 1, 'one grant makes one event'
);
SELECT is(
    pg_temp.says(pg_temp.buy('bob', 't1', 'starter')), 'skipped transaction-already-claimed duplicate',
    'another user''s transaction stays theirs (medusa #16347: a gift card redeemed twice)'
);
SELECT is(pg_temp.funds('bob'), NULL, 'the other user gets no wallet');
SELECT pg_temp.buy('fin', 't9', 'starter'), pg_temp.wait('1 second');
SELECT is(
    pg_temp.says(pg_temp.buy('bob', 't9', 'starter', '{"refunded_millionths": 1000000}')),
    'skipped transaction-already-claimed duplicate', 'another user''s receipt proves a refund'
);
SELECT is(pg_temp.funds('fin'), '0 0 0 0', 'the refund counts for the owner');
SELECT is(
    pg_temp.says(pg_temp.buy(NULL, 't1', 'starter')), 'granted 25 credit duplicate',
    'a notification of a known purchase belongs to its owner'
);

-- The columns of the outcome
SELECT results_eq(
    $$ SELECT f.verdict, f.reason, f.duplicate, f.transaction_id, f.product_id, f.unit::text, f.amount,
              f.lot_id IS NOT NULL, f.account_id = wallet.account_for('cid')
       FROM pg_temp.buy('cid', 't2', 'explorer') AS f $$,
    $$ VALUES ('granted', NULL::text, FALSE, 't2', 'com.hobbyist.bookingapp.credits.explorer', 'credit', 50::bigint,
              TRUE, TRUE) $$,
    'a grant names transaction, product, unit, amount, lot and account'
);
SELECT results_eq(
    $$ SELECT f.verdict, f.reason, f.amount, f.lot_id, f.account_id FROM pg_temp.buy('cid', 't3', 'no.such') AS f $$,
    $$ VALUES ('skipped', 'unknown-product', 0::bigint, NULL::uuid, NULL::bigint) $$,
    'a skipped transaction names its reason and no lot'
);

-- Quantity (rule 14)
SELECT is(
    pg_temp.says(pg_temp.buy('dan', 'q1', 'starter', '{"quantity": 3}')), 'granted 75 credit',
    'three pieces grant three times the amount'
);
SELECT is(
    pg_temp.says(pg_temp.buy('dan', 'q1', 'starter', '{"quantity": 1}')), 'granted 75 credit duplicate',
    'a smaller quantity takes nothing away'
);
SELECT is(
    pg_temp.says(pg_temp.buy('dan', 'q1', 'starter', '{"quantity": 4}')), 'granted 100 credit duplicate',
    'a larger proof adds the difference'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.lots WHERE account_id = wallet.account_for('dan')), 1,
    'the larger quantity goes to the same lot'
);
SELECT is(pg_temp.story('dan'), 'grant 75, grant 25', 'the difference is posted');
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.buy('dan', 'q0', 'starter', '{"quantity": 0}') $$),
    'WL422 purchase-data-out-of-range', 'a quantity of 0 is refused'
);
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.buy('dan', 'q-', 'starter', '{"quantity": -5}') $$),
    'WL422 purchase-data-out-of-range', 'a negative quantity is refused'
);
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.buy('dan', 'qx', 'starter', '{"quantity": 1001}') $$),
    'WL422 purchase-data-out-of-range', 'a quantity above a thousand is refused'
);

-- Environments (rule 2)
SELECT is(
    pg_temp.says(pg_temp.buy('eve', 'e1', 'starter', '{"environment": "sandbox"}')), 'granted 25 credit',
    'a sandbox purchase is granted'
);
SELECT is(pg_temp.funds('eve', 'sandbox'), '25 0 0 0', 'the sandbox wallet gets the credits');
SELECT is(pg_temp.funds('eve'), NULL, 'the production wallet gets none');
SELECT is(
    pg_temp.says(pg_temp.buy('eve', 'e1', 'starter')), 'granted 25 credit',
    'the same id in production is another transaction'
);
SELECT wallet.set_sandbox_purchases('testers');
SELECT is(
    pg_temp.says(pg_temp.buy('fay', 'e2', 'starter', '{"environment": "sandbox"}')), 'skipped sandbox-refused',
    'testers: another user''s sandbox purchase is skipped'
);
INSERT INTO admin.testers (user_id) VALUES ('fay');
SELECT is(
    pg_temp.says(pg_temp.buy('fay', 'e2', 'starter', '{"environment": "sandbox"}')), 'granted 25 credit',
    'testers: a tester''s is granted, even after it was skipped'
);
SELECT wallet.set_sandbox_purchases('refuse');
SELECT is(
    pg_temp.says(pg_temp.buy('fay', 'e3', 'starter', '{"environment": "sandbox"}')), 'skipped sandbox-refused',
    'refuse: not even a tester''s is granted'
);

-- Stores and cut-over (rule 15)
DELETE FROM wallet.stores WHERE store = 'play_store';
SELECT is(
    pg_temp.says(pg_temp.buy('gil', 'p1', 'starter', '{"store": "play_store"}')), 'skipped store-not-enabled',
    'a store that is not enabled grants nothing'
);
SELECT lives_ok($$ SELECT wallet.enable_store('play_store', '2030-01-01 12:00:00+00') $$, 'a store is enabled');
SELECT is(
    pg_temp.says(pg_temp.buy(
        'gil', 'p1', 'starter', '{"store": "play_store", "purchased_at": "2030-01-01T12:00:00Z"}'
    )), 'granted 25 credit', 'a purchase exactly at the cut-over is granted'
);
SELECT is(
    pg_temp.says(pg_temp.buy(
        'gil', 'p2', 'starter', '{"store": "play_store", "purchased_at": "2030-01-01T11:59:59.999Z"}'
    )), 'skipped before-cut-over', 'a purchase one millisecond before the cut-over is not granted'
);
SELECT results_eq(
    $$ SELECT c.account_id = wallet.account_for('gil'), c.verdict, c.granted_at IS NULL
       FROM wallet.claims AS c WHERE c.transaction_id = 'p2' $$,
    $$ VALUES (TRUE, 'before-cut-over', TRUE) $$, 'the early purchase is claimed and recorded'
);
SELECT is(
    pg_temp.says(pg_temp.buy(
        'hal', 'p2', 'starter', '{"store": "play_store", "purchased_at": "2030-01-01T11:59:59.999Z"}'
    )), 'skipped transaction-already-claimed', 'no other user can claim it'
);

-- Owners and proofs (rule 13)
SELECT is(
    pg_temp.says(pg_temp.buy('ida', 'o1', 'starter', '{"ownership": "family_shared"}')), 'skipped family-shared',
    'Khandoba: a family member''s share grants nothing'
);
SELECT is(
    pg_temp.says(pg_temp.buy('ida', 'o2', 'starter', '{"pending": true}')), 'skipped pending', 'a pending one waits'
);
SELECT is(
    (SELECT c.account_id FROM wallet.claims AS c WHERE c.transaction_id = 'o2'), NULL,
    'a user''s pending purchase has no owner until it is paid'
);
SELECT is(
    pg_temp.says(pg_temp.buy('ida', 'o2', 'starter')), 'granted 25 credit', 'a paid purchase is granted'
);
SELECT is(
    pg_temp.says(pg_temp.buy('ida', 'o2', 'starter', '{"pending": true}')), 'granted 25 credit duplicate',
    'a paid one is never pending again'
);
SELECT is(
    pg_temp.says(pg_temp.buy('ida', 'o3', 'starter', jsonb_build_object(
        'app_account_token', wallet.app_account_token('jon')
    ))), 'skipped account-token-mismatch', 'a purchase with another user''s token is refused'
);
SELECT is(
    (SELECT c.account_id FROM wallet.claims AS c WHERE c.transaction_id = 'o3'), NULL,
    'the submitter does not get the claim'
);
SELECT is(
    pg_temp.says(pg_temp.buy('ida', 'zero ' || i.token, 'starter', jsonb_build_object('app_account_token', i.token))),
    'granted 25 credit', format('the token %L names nobody, so the submitter has proved the purchase', i.token)
) FROM unnest(ARRAY['00000000-0000-0000-0000-000000000000', '', 'jon']) AS i (token);
SELECT is(
    pg_temp.says(pg_temp.buy('jon', 'o3', 'starter')), 'granted 25 credit', 'the token''s user gets the purchase'
);
SELECT is(
    pg_temp.says(pg_temp.buy(NULL, 'o4', 'starter', jsonb_build_object(
        'app_account_token', wallet.app_account_token('jon')
    ))), 'granted 25 credit', 'without a submitter the token decides the owner'
);
SELECT is(
    pg_temp.says(pg_temp.buy(NULL, 'o5', 'starter')), 'skipped unknown-user',
    'without a submitter or token nothing is granted'
);
SELECT is(
    pg_temp.says(pg_temp.buy('kim', 'o5', 'starter')), 'granted 25 credit',
    'the first user who submits the purchase gets it'
);
INSERT INTO wallet.released_tokens (token_digest, account_id, released_at)
SELECT sha256(uuid_send(wallet.app_account_token('gone'))), wallet.account_for('kim'), wallet.now();
SELECT is(
    pg_temp.says(pg_temp.buy('lea', 'o6', 'starter', jsonb_build_object(
        'app_account_token', wallet.app_account_token('gone')
    ))), 'granted 25 credit', 'a deleted account''s token does not bind the purchase'
);
UPDATE wallet.accounts SET blocked_at = wallet.now() WHERE account_id = wallet.account_for('lea');
SELECT is(
    pg_temp.says(pg_temp.buy('lea', 'o7', 'starter')), 'skipped account-blocked', 'a blocked account is granted nothing'
);

-- Each transaction is decided separately
SELECT results_eq(
    $$ SELECT pg_temp.says(wallet.apply_fact(wallet.account_for('mia'), pg_temp.fact(i.id, i.product)))
       FROM (VALUES ('m1', 'starter'), ('t1', 'starter'), ('m2', 'no.such'), ('m3', 'explorer')) AS i (id, product) $$,
    $$ VALUES ('granted 25 credit'), ('skipped transaction-already-claimed duplicate'), ('skipped unknown-product'),
              ('granted 50 credit') $$,
    'a submission with transactions of two owners grants only the submitter''s'
);

-- A user submits another user's purchase: the answer is about the submitter, the effect about the owner
SELECT is(
    pg_temp.says(wallet.apply_fact(
        wallet.account_for('ora'), pg_temp.fact('w1', 'starter', '{"pending": true}'), TRUE
    )), 'skipped pending', 'a pending purchase, for the owner that the store names'
);
SELECT is(
    pg_temp.says(pg_temp.buy('pia', 'w1', 'starter')), 'skipped transaction-already-claimed',
    'another user submits it after the payment'
);
SELECT is(pg_temp.funds('ora'), '25 0 0 0', 'the payment counts for the owner');
SELECT is(pg_temp.funds('pia'), NULL, 'the submitter gets nothing');
SELECT pg_temp.buy('ora', 's1', 'plan.enthusiast');
SELECT is(
    pg_temp.says(pg_temp.buy('pia', 's2', 'plan.enthusiast', jsonb_build_object(
        'original_transaction_id', 's1', 'purchased_at', wallet.now() + interval '30 days',
        'expires_at', wallet.now() + interval '60 days'
    ))), 'skipped transaction-already-claimed', 'another user submits a renewal that no store has reported'
);
SELECT results_eq(
    $$ SELECT c.account_id, c.verdict, c.granted_at FROM wallet.claims AS c WHERE c.transaction_id = 's2' $$,
    $$ VALUES (NULL::bigint, 'new', NULL::timestamptz) $$, 'the renewal waits for its owner, as a new purchase'
);

-- Two purchases turn out to be one
SELECT pg_temp.buy('rae', 'y1', 'starter', '{"original_transaction_id": null}');
SELECT pg_temp.buy('rae', NULL, 'starter', '{"order_id": "y2"}');
SELECT is(pg_temp.funds('rae'), '50 0 0 0', 'two reports without a common id grant twice');
SELECT pg_temp.buy('rae', 'y1', 'starter', '{"original_transaction_id": null, "order_id": "y2"}');
SELECT is(pg_temp.funds('rae'), '25 0 0 0', 'a report with both ids takes the second grant back');

-- A newer report changes the end of a period
SELECT pg_temp.wait('1 second');
SELECT pg_temp.buy('ora', 's1', 'plan.enthusiast', jsonb_build_object(
    'purchased_at', wallet.now() - interval '1 second', 'expires_at', wallet.now() + interval '40 days'
));
SELECT is(
    (SELECT c.expires_at FROM wallet.claims AS c WHERE c.transaction_id = 's1'), wallet.now() + interval '40 days',
    'a period is extended'
);

-- A granted claim stays granted in the lists, even if a refund is reported later
SELECT pg_temp.wait('1 second');
SELECT is(
    pg_temp.says(pg_temp.buy('mia', 'm3', 'explorer', '{"refunded_millionths": 1000000}')),
    'skipped refunded duplicate', 'a refund is an answer'
);
SELECT is(
    (SELECT c.verdict FROM wallet.claims AS c WHERE c.transaction_id = 'm3'), 'granted',
    'the verdict of the claim stays granted'
);

-- A purchase that is refunded before its owner is known
SELECT wallet.apply_statement(jsonb_build_object(
    'owners', '[]'::jsonb, 'fact', pg_temp.fact('early', 'explorer', '{"refunded_millionths": 1000000}')
));
SELECT pg_temp.buy('nan', 'early', 'explorer', '{"refunded_millionths": 1000000}');
SELECT is(
    (SELECT c.verdict FROM wallet.claims AS c WHERE c.transaction_id = 'early'), 'refunded', 'is recorded as refunded'
);
SELECT is(pg_temp.story('nan'), 'grant 50, refund -50', 'is in the ledger, with its refund');

-- An administrator adds the product just before the fact locks the catalogue
ALTER FUNCTION wallet.lock_catalogue() RENAME TO lock_catalogue_really;
CREATE FUNCTION wallet.lock_catalogue() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO wallet.products (product_id, kind, name, unit, amount, price_minor, app_store_id, bundle_items)
    VALUES (
        'new', 'pack', 'New', 'credit', 7, 100, 'new', ARRAY[row('visit', 3, NULL, NULL)::wallet.bundle_item]
    );
    PERFORM wallet.lock_catalogue_really();
END;
$$;
SELECT is(
    pg_temp.says(pg_temp.buy('oto', 'b1', 'new')), 'granted 7 credit', 'a product that was just added is granted'
);
DROP FUNCTION wallet.lock_catalogue();
ALTER FUNCTION wallet.lock_catalogue_really() RENAME TO lock_catalogue;

-- The lots of a bundle, in the order of its items, however the rows are found
SELECT pg_temp.lesson('yoga', 1), pg_temp.book('oto', 'k', 'yoga'), pg_temp.by_index(FALSE);
SELECT results_eq(
    $$ SELECT o.unit::text, o.amount, jsonb_path_query_array(o.lots, '$[*].granted'),
              o.lots #>> '{0,lot_id}' = o.lot_id::text
       FROM pg_temp.buy('oto', 'b1', 'new') AS o $$,
    $$ VALUES ('credit', 7::bigint, '[7, 3]'::jsonb, TRUE) $$, 'the product''s own lot is the first'
);
SELECT pg_temp.by_index(TRUE);

-- A new purchase writes its claim twice: when it is recorded, and when it is granted
SELECT set_config('t.writes', pg_stat_get_xact_tuples_updated('wallet.claims'::regclass)::text, TRUE);
SELECT pg_temp.buy('pam', 'u1', 'starter');
SELECT is(
    pg_stat_get_xact_tuples_updated('wallet.claims'::regclass) - current_setting('t.writes')::bigint, 1::bigint,
    'a new purchase updates its claim only for the grant'
);

-- Invalid parameters
SELECT is(
    pg_temp.raised('SELECT wallet.apply_fact(NULL, NULL)'), 'WL422 purchase-data-incomplete', 'no fact is refused'
);
SELECT is(
    pg_temp.raised($$ SELECT wallet.apply_fact(NULL, '{}') $$), 'WL422 purchase-data-incomplete',
    'an empty fact is refused'
);
SELECT is(
    pg_temp.raised($$ SELECT wallet.apply_fact(-1, pg_temp.fact('n1', 'starter')) $$), '23503',
    'an account that does not exist is granted nothing'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.claims WHERE transaction_id = 'n1'), 0, 'nothing is claimed'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
