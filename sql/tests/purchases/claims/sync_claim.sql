-- wallet.sync_claim: the books match the claim: quantity, refunded share, reversal (rules 14, 24, 25).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.refund(p_user text, p_id text, p_millionths integer, p_more jsonb DEFAULT '{}')
RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.wait('1 second');
    SELECT pg_temp.says(pg_temp.buy(
        p_user, p_id, 'starter', jsonb_build_object('refunded_millionths', p_millionths) || p_more
    )) || ', ' || pg_temp.funds(p_user);
$$;
SELECT pg_temp.lesson('a', 20), pg_temp.lesson('b', 15), pg_temp.lesson('c', 5);

-- Full refund and its reversal
SELECT pg_temp.buy('ann', 'a1', 'starter');
SELECT is(pg_temp.refund('ann', 'a1', 1000000), 'skipped refunded duplicate, 0 0 0 0', 'a full refund takes the lot');
SELECT is(pg_temp.refund('ann', 'a1', 1000000), 'skipped refunded duplicate, 0 0 0 0', 'once');
SELECT is(pg_temp.refund('ann', 'a1', 0), 'granted 25 credit duplicate, 25 0 0 0', 'a reversed refund gives it back');
SELECT is(pg_temp.refund('ann', 'a1', 0), 'granted 25 credit duplicate, 25 0 0 0', 'once');
SELECT is(pg_temp.story('ann'), 'grant 25, refund -25, refund_reversal 25', 'each change is one entry');
SELECT is(
    (SELECT string_agg(o.type, ' ' ORDER BY o.event_id) FROM wallet.outbox AS o),
    'credits.granted credits.refunded credits.granted', 'each change is one event'
);

-- Partial shares, in millionths, rounded down
SELECT pg_temp.buy('bob', 'b1', 'starter');
SELECT is(
    pg_temp.refund('bob', 'b1', 39999), 'granted 25 credit duplicate, 25 0 0 0',
    'a share of 0.99 credits is rounded down to none'
);
SELECT is(pg_temp.refund('bob', 'b1', 40000), 'granted 25 credit duplicate, 24 0 0 0', 'a whole one is one');
SELECT is(
    (SELECT o.type || ' ' || (o.details ->> 'amount') FROM wallet.outbox AS o ORDER BY o.event_id DESC LIMIT 1),
    'credits.refunded 1', 'an event reports the refund of one credit'
);
SELECT is(pg_temp.refund('bob', 'b1', 999999), 'granted 25 credit duplicate, 1 0 0 0', 'almost all is 24');
SELECT is(
    pg_temp.refund('bob', 'b1', 500000), 'granted 25 credit duplicate, 13 0 0 0', 'shares are cumulative, not added'
);
SELECT is(
    pg_temp.refund('bob', 'b1', 500000, '{"quantity": 3}'), 'granted 75 credit duplicate, 38 0 0 0',
    'a larger quantity after a refund has the same share refunded'
);
SELECT is(
    pg_temp.story('bob'), 'grant 25, refund -1, refund -23, refund_reversal 12, grant 50, refund -25',
    'the entries of the ledger'
);

-- The newest report wins; at the same instant the larger share
SELECT pg_temp.buy('cid', 'c1', 'starter');
SELECT is(pg_temp.refund('cid', 'c1', 1000000), 'skipped refunded duplicate, 0 0 0 0', 'a refund');
SELECT is(
    pg_temp.refund('cid', 'c1', 0, '{"source_at": "2029-12-31T00:00:00Z"}'), 'skipped refunded duplicate, 0 0 0 0',
    'an older receipt without the refund does not undo it'
);
SELECT is(
    pg_temp.says(pg_temp.buy('cid', 'c1', 'starter', '{"refunded_millionths": null}')), 'skipped refunded duplicate',
    'a receipt without refund data does not undo it'
);
SELECT is(
    pg_temp.says(wallet.apply_fact(
        wallet.account_for('cid'), pg_temp.fact('c1', 'starter') || '{"refunded_millionths": null}'
    )), 'skipped refunded duplicate', 'a receipt with a null refund does not undo it'
);

SELECT is(pg_temp.says(pg_temp.buy('cil', i.id, 'starter', jsonb_build_object(
    'refunded_millionths', i.share, 'source_at', '2030-01-01T00:00:00Z'
))), i.says, 'at one instant the larger share counts, in either order')
FROM (VALUES
    ('c8', 500000, 'granted 25 credit'), ('c8', 1000000, 'skipped refunded duplicate'),
    ('c9', 1000000, 'skipped refunded'), ('c9', 500000, 'skipped refunded duplicate')
) AS i (id, share, says);
SELECT is(pg_temp.funds('cil'), '0 0 0 0', 'both orders have the same result');

-- A refund reported before its purchase (rule 25)
SELECT is(
    pg_temp.says(pg_temp.buy(NULL, 'd1', 'starter', '{"refunded_millionths": 400000}')), 'skipped unknown-user',
    'a refund of an unknown purchase'
);
SELECT is(
    pg_temp.says(pg_temp.buy('dan', 'd1', 'starter', '{"source_at": "2029-12-31T00:00:00Z"}')), 'granted 25 credit',
    'the purchase then grants'
);
SELECT is(pg_temp.story('dan'), 'grant 25, refund -10', 'grant and refund are posted together');
SELECT pg_temp.buy(NULL, 'd2', 'starter', '{"refunded_millionths": 1000000}');
SELECT is(
    pg_temp.says(pg_temp.buy('eve', 'd2', 'starter', '{"source_at": "2029-12-31T00:00:00Z"}')), 'skipped refunded',
    'wholly refunded before it was claimed'
);
SELECT is(pg_temp.story('eve'), 'grant 25, refund -25', 'the refunded purchase is recorded and worth nothing');

-- Refunded credits that were already spent are owed, to the last credit (rule 24)
SELECT pg_temp.buy('fay', 'f1', 'starter'), pg_temp.book('fay', 'k1', 'a');
SELECT is(pg_temp.refund('fay', 'f1', 400000), 'granted 25 credit duplicate, 0 0 5 0', 'refund 10 of 25 with 20 spent');
SELECT is(pg_temp.refund('fay', 'f1', 1000000), 'skipped refunded duplicate, 0 0 20 0', 'then a full refund');
SELECT is(pg_temp.refund('fay', 'f1', 200000), 'granted 25 credit duplicate, 0 0 0 0', 'then only the unspent rest');
SELECT is(pg_temp.refund('fay', 'f1', 0), 'granted 25 credit duplicate, 5 0 0 0', 'then no refund');
SELECT pg_temp.refund('fay', 'f1', 400000);
SELECT pg_temp.cancel('fay', 'k1');
SELECT is(pg_temp.funds('fay'), '15 0 0 0', 'a cancellation after a partial refund pays the debt and returns the rest');
SELECT is(
    pg_temp.refund('fay', 'f1', 0), 'granted 25 credit duplicate, 25 0 0 0', 'no credits are created or lost'
);

-- A refund of lapsed visits
SELECT wallet.account_for('gil');
SELECT pg_temp.buy('gil', 'g1', 'threeVisit'), pg_temp.lesson('v', NULL, 1), pg_temp.book('gil', 'g', 'v');
SELECT pg_temp.wait('60 days');
SELECT is(pg_temp.funds('gil'), '0 0 0 0', 'the rest of a pass lapses at its expiry');
SELECT pg_temp.buy('gil', 'g1', 'threeVisit', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.funds('gil'), '0 0 0 1', 'after a refund, only spent visits are owed');
SELECT pg_temp.wait('1 second');
SELECT pg_temp.buy('gil', 'g1', 'threeVisit');
SELECT is(pg_temp.funds('gil'), '0 0 0 0', 'reversed, nothing is spendable again');
SELECT pg_temp.wait('1 second');
SELECT pg_temp.buy('gil', 'g1', 'threeVisit', '{"refunded_millionths": 500000}');
SELECT pg_temp.wait('1 second');
SELECT pg_temp.buy('gil', 'g1', 'threeVisit', '{"quantity": 2}');
SELECT is(
    pg_temp.story('gil'),
    'grant 3, spend -1, lapse -2, refund 0 owed 1, refund_reversal 0 owed -1, refund 0, '
    || 'grant 2, lapse -2, refund_reversal 1, lapse -1',
    'a second piece of an expired pass lapses at once'
);

-- An additional piece repays a debt, and an event reports it
SELECT pg_temp.buy('ivy', 'i1', 'starter'), pg_temp.buy('ivy', 'i2', 'starter');
SELECT pg_temp.lesson('d', 20), pg_temp.book('ivy', 'i', 'd');
SELECT is(
    pg_temp.refund('ivy', 'i1', 1000000), 'skipped refunded duplicate, 25 0 20 0',
    'refunded credits that were spent are owed'
);
SELECT is(
    pg_temp.refund('ivy', 'i2', 0, '{"quantity": 2}'), 'granted 50 credit duplicate, 30 0 0 0',
    'a further piece of the other repays it'
);
SELECT results_eq(
    $$ SELECT o.type, o.details FROM wallet.outbox AS o ORDER BY o.event_id DESC LIMIT 1 $$,
    $$ SELECT 'credits.granted', jsonb_build_object('lot_id', l.lot_id, 'amount', 25) FROM wallet.lots AS l
       INNER JOIN wallet.claims AS c ON l.claim_id = c.claim_id WHERE c.transaction_id = 'i2' $$,
    'an event reports the granted amount'
);

-- A reversed refund repays another purchase's debt
SELECT pg_temp.buy('jon', 'j1', 'starter'), pg_temp.refund('jon', 'j1', 1000000), pg_temp.buy('jon', 'j2', 'starter');
SELECT pg_temp.book('jon', 'j', 'd'), pg_temp.refund('jon', 'j2', 1000000);
SELECT is(pg_temp.funds('jon'), '0 0 20 0', 'both are refunded, and the spent credits are owed');
SELECT is(
    pg_temp.refund('jon', 'j1', 0), 'granted 25 credit duplicate, 5 0 0 0', 'the returned credits repay the debt'
);

-- Every lot of a bundle grows with the quantity
INSERT INTO wallet.products (product_id, kind, name, unit, amount, price_minor, app_store_id, bundle_items)
VALUES ('mix', 'pack', 'Mix', 'credit', 10, 100, 'mix', ARRAY[row('visit', 3, NULL, NULL)::wallet.bundle_item]);
SELECT pg_temp.buy('kim', 'k1', 'mix'), pg_temp.buy('kim', 'k1', 'mix', '{"quantity": 2}');
SELECT is(pg_temp.funds('kim'), '20 6 0 0', 'a second bundle grants both amounts again');

-- Plans: one that grants nothing, one that replaces another, and one billing period of a commitment
SELECT is(pg_temp.says(pg_temp.buy('lea', 'l1', 'plan.unlimited')), 'granted 0', 'an unlimited plan has no lot');
SELECT pg_temp.buy('moe', 'm1', 'plan.enthusiast'), pg_temp.wait('1 day');
SELECT pg_temp.buy('moe', 'm2', 'plan.explorer', '{"original_transaction_id": "m1"}');
SELECT is(
    pg_temp.story('moe'), 'grant 10, grant 4, lapse -10', 'the visits of a replaced plan lapse when the new one begins'
);
UPDATE wallet.products SET period = 'P1Y', amount = 10, bonus = 0, commitment_amount = 130, price_minor = 120000
WHERE app_store_id LIKE '%subscription.enthusiast';
CREATE FUNCTION pg_temp.sold(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT c.grant_amount || ' for ' || c.price_minor FROM wallet.claims AS c WHERE c.transaction_id = p_id;
$$;
SELECT pg_temp.buy('ned', 'n1', 'plan.enthusiast'), pg_temp.buy('ola', 'o1', 'plan.enthusiast');
SELECT is(pg_temp.sold('n1'), '10 for 120000', 'a source without commitments reports a plan');
SELECT pg_temp.buy('ned', 'n1', 'plan.enthusiast', '{"billing_period": 12, "billing_periods": 12}')
FROM generate_series(1, 2);
SELECT is(pg_temp.sold('n1'), '11 for 10000', 'it was a billing period: it grants and costs its share, once');
SELECT is(pg_temp.funds('ned'), '0 11 0 0', 'the wallet has the share');
SELECT is(pg_temp.sold('o1'), '10 for 120000', 'another user''s plan keeps its amount and price');

-- Later changes of the catalogue do not affect lots (polar #11427)
SELECT pg_temp.buy('hal', 'h1', 'starter');
UPDATE admin.products SET amount = 1, bonus = 0,
    is_active = FALSE WHERE app_store_id = pg_temp.fact('', 'starter') ->> 'store_product_id';
SELECT is(pg_temp.funds('hal'), '25 0 0 0', 'polar #11427: editing a product wipes no paid balance');
SELECT is(
    pg_temp.says(pg_temp.buy('hal', 'h1', 'starter', '{"quantity": 2}')), 'granted 50 credit duplicate',
    'an additional piece has the granted terms, too'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
