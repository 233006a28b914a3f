-- wallet.read_fact: the required members of a fact, and the meaning of missing ones.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.without(p_more jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format('SELECT wallet.read_fact(%L)', pg_temp.fact('t', 'starter', p_more)));
$$;
SELECT is(
    pg_temp.without(jsonb_build_object(i.member, NULL)), 'WL422 purchase-data-incomplete', 'a fact needs ' || i.member
)
FROM unnest(ARRAY[
    'store', 'environment', 'transaction_id', 'store_product_id', 'purchased_at', 'source', 'source_at'
]) AS i (member);
SELECT is(
    pg_temp.without(i.more::jsonb), i.says, i.what
) FROM (VALUES
    ('{"transaction_id": null, "order_id": "o"}', 'nothing', 'an order id identifies'),
    ('{"transaction_id": null, "purchase_token": "p"}', 'nothing', 'a purchase token identifies one purchase'),
    ('{"transaction_id": null, "purchase_token": "p", "kind": "subscription"}', 'WL422 purchase-data-incomplete',
        'a token does not identify a period: every repetition would be another claim'),
    ('{"transaction_id": null, "line_item_id": "l"}', 'nothing', 'a line item with its original identifies'),
    ('{"transaction_id": null, "line_item_id": "l", "original_transaction_id": null}', 'WL422 purchase-data-incomplete',
        'without it, it does not: every repeat would be another claim'),
    ('{"environment": "staging"}', 'WL422 purchase-data-out-of-range', 'an unknown environment'),
    ('{"quantity": "many"}', 'WL422 purchase-data-out-of-range', 'a quantity that is no number'),
    ('{"quantity": 99999999999}', 'WL422 purchase-data-out-of-range', 'a quantity that is too large'),
    ('{"purchased_at": "yesterday-ish"}', 'WL422 purchase-data-out-of-range', 'an invalid instant')
) AS i (more, says, what);
SELECT results_eq(
    $$ SELECT f.kind::text, f.quantity::integer, f.ownership::text, f.pending, f.upgraded,
           f.refunded_millionths::integer, f.token_digest
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
    (wallet.read_fact(pg_temp.fact('t', 'starter', i.more))).token_digest, NULL, i.more::text || ' is no account token'
)
FROM unnest(ARRAY[
    '{"app_account_token": ""}', '{"app_account_token": "00000000-0000-0000-0000-000000000000"}',
    '{"app_account_token": "ann"}', '{"app_account_token": "{6f1c2a3e-0000-4000-8000-00000000000a}"}',
    '{"app_account_token": "6f1c2a3e00004000800000000000000a"}', '{"app_account_token": 7}', '{"app_account_token": []}'
]::jsonb[]) AS i (more);
-- Values beyond the tables' limits, refused before the tables' own checks
SELECT is(
    pg_temp.raised(format($$ SELECT pg_temp.buy('ann', 't', 'starter', %L) $$, i.more)),
    'WL422 purchase-data-out-of-range', i.more::text
)
FROM unnest(ARRAY[
    '{"refunded_millionths": 1000001}', '{"refunded_millionths": -1}', '{"kind": "gift"}', '{"ownership": "stolen"}',
    '{"quantity": 0}', '{"quantity": 1001}', '{"quantity": 1.5}', '{"quantity": []}', '{"reported_amount": 1000000001}',
    '{"reported_amount": -1}',
    '{"expires_at": "infinity"}',
    '{"purchased_at": "-infinity"}',
    '{"source_at": "infinity"}',
    '{"refunded_at": "10000-01-01T00:00:00Z"}', '{"grace_ends_at": "infinity"}', '{"expired_at": "0044-03-15 BC"}',
    '{"expired_at": {}}', '{"will_renew": "perhaps"}', '{"needs_acknowledgement": 7}', '{"receipt_sha256": "xyz"}',
    '{"pending": "soon"}'
]::jsonb[]) AS i (more);
SELECT is(
    pg_temp.without(jsonb_build_object(i.member, repeat('x', i.most + 1))), 'WL422 purchase-data-out-of-range', i.member
)
FROM (VALUES
    ('transaction_id', 1500), ('original_transaction_id', 1500), ('line_item_id', 1000), ('purchase_token', 1500),
    ('linked_purchase_token', 1500), ('order_id', 1500), ('app_transaction_id', 1500), ('store_product_id', 1500)
) AS i (member, most);
CREATE FUNCTION pg_temp.noise(p_length integer) RETURNS text LANGUAGE sql AS $$
    SELECT left(string_agg(encode(sha256(random()::text::bytea), 'base64'), ''), p_length)
    FROM generate_series(1, 1 + p_length / 40);
$$;
SELECT is(
    pg_temp.says(pg_temp.buy('ann', pg_temp.noise(1500), 'starter', jsonb_build_object(
        'original_transaction_id', pg_temp.noise(1500), 'line_item_id', pg_temp.noise(1000), 'order_id',
        pg_temp.noise(1500), 'purchase_token', pg_temp.noise(1500), 'app_transaction_id', pg_temp.noise(1500),
        'quantity', 1000, 'reported_amount', 1000000000
    ))), 'granted 25000 credit', 'the longest and the most that the tables hold'
);
SELECT is(
    pg_temp.says(pg_temp.buy('bob', 'e1', 'starter', '{"original_transaction_id": "", "order_id": ""}')),
    'granted 25 credit', 'an empty identifier is ignored'
);
SELECT is(
    pg_temp.says(pg_temp.buy('ann', 'e2', 'starter', '{"original_transaction_id": "", "order_id": ""}')),
    'granted 25 credit', 'empty identifiers do not connect purchases'
);
SELECT is(
    pg_temp.without('{"transaction_id": ""}'), 'WL422 purchase-data-incomplete',
    'an empty identifier identifies no purchase'
);
SELECT * FROM finish();
ROLLBACK;
