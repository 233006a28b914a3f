-- wallet.read_fact: what a fact needs, and what it means when it is silent.
BEGIN;
\ir support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.without(p_more jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format('SELECT wallet.read_fact(%L)', pg_temp.fact('t', 'starter', p_more)));
$$;
SELECT is(pg_temp.without(jsonb_build_object(i.member, NULL)), 'WL422 fact-incomplete', 'a fact needs ' || i.member)
FROM unnest(ARRAY[
    'store', 'environment', 'transaction_id', 'store_product_id', 'purchased_at', 'source', 'source_at'
]) AS i (member);
SELECT is(
    pg_temp.without(i.more::jsonb), i.says, i.what
) FROM (VALUES
    ('{"transaction_id": null, "order_id": "o"}', 'nothing', 'an order id identifies'),
    ('{"transaction_id": null, "purchase_token": "p"}', 'nothing', 'a purchase token identifies one purchase'),
    ('{"transaction_id": null, "purchase_token": "p", "kind": "subscription"}', 'WL422 fact-incomplete',
        'but not one of a subscription''s periods: every repeat would be another claim'),
    ('{"transaction_id": null, "line_item_id": "l"}', 'nothing', 'a line item with its original identifies'),
    ('{"transaction_id": null, "line_item_id": "l", "original_transaction_id": null}', 'WL422 fact-incomplete',
        'without it, it does not: every repeat would be another claim'),
    ('{"environment": "staging"}', '22P02', 'an unknown environment'),
    ('{"quantity": "many"}', '22P02', 'a quantity that is no number'),
    ('{"quantity": 99999999999}', '22003', 'a quantity that is too large'),
    ('{"purchased_at": "yesterday-ish"}', '22007', 'an instant that is none'),
    ('{"app_account_token": "ann"}', '22P02', 'a token that is no UUID')
) AS i (more, says, what);
SELECT results_eq(
    $$ SELECT f.kind, f.quantity, f.ownership, f.pending, f.upgraded, f.refunded_millionths, f.token_digest
       FROM wallet.read_fact('{"store": "s", "environment": "sandbox", "transaction_id": "t", "store_product_id": "p",
           "purchased_at": "2030-01-01T00:00:00.250Z", "source": "receipt",
           "source_at": "2030-01-01T00:00:00Z"}') AS f $$,
    $$ VALUES ('one_time', 1, 'purchased', FALSE, FALSE, 0, NULL::bytea) $$,
    'silence means one purchased, paid, unrefunded piece'
);
SELECT is(
    (wallet.read_fact(pg_temp.fact('t', 'starter', jsonb_build_object(
        'app_account_token', wallet.app_account_token('ann')
    )))).token_digest, sha256(uuid_send(wallet.app_account_token('ann'))), 'an account token is kept as a digest'
);
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.buy('ann', 't', 'starter', '{"refunded_millionths": 1000001}') $$), '23514',
    'more than the whole cannot be refunded'
);
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.buy('ann', 't', 'starter', '{"refunded_millionths": -1}') $$), '23514',
    'nor less than nothing'
);
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.buy('ann', 't', 'starter', '{"kind": "gift"}') $$), '23514', 'an unknown kind'
);
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.buy('ann', 't', 'starter', '{"ownership": "stolen"}') $$), '23514',
    'an unknown ownership'
);
SELECT * FROM finish();
ROLLBACK;
