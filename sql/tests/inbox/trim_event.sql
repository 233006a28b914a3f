-- wallet.trim_event: a finished message names no user.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT is(
    wallet.trim_event($${
        "source": "revenuecat", "id": "e1", "type": "TRANSFER", "odd": "ann", "consumption_request": "t1",
        "statements": [{"owners": ["ann"], "fact": {
            "store": "app_store", "environment": "production", "transaction_id": "t1", "original_transaction_id": "t0",
            "order_id": "GPA.1", "line_item_id": "l", "store_product_id": "p", "kind": "one_time",
            "purchased_at": "2030-01-01T00:00:00Z", "source_at": "2030-01-02T00:00:00Z", "refunded_millionths": 0,
            "app_account_token": "ann", "app_transaction_id": "ann", "purchase_token": "ann",
            "linked_purchase_token": "ann", "receipt_sha256": "ann", "anything_new": "ann", "store": "app_store"
        }}, {"owners": ["ann"]}, {"owners": [], "fact": {"transaction_id": {"deep": "ann"}, "kind": "subscription"}}],
        "transfer": {"environment": "sandbox", "from": ["ann"], "to": ["ann"], "at": "2030-01-03T00:00:00Z"},
        "question": {"kind": "product", "product_id": "p", "purchase_token": "ann", "order_id": "GPA.1",
            "at": "2030-01-04T00:00:00Z"}
    }$$),
    $${
        "source": "revenuecat", "id": "e1", "type": "TRANSFER", "consumption_request": "t1",
        "statements": [{"fact": {
            "store": "app_store", "environment": "production", "transaction_id": "t1", "original_transaction_id": "t0",
            "order_id": "GPA.1", "line_item_id": "l", "store_product_id": "p", "kind": "one_time",
            "purchased_at": "2030-01-01T00:00:00Z", "source_at": "2030-01-02T00:00:00Z", "refunded_millionths": 0
        }}, {"fact": {"kind": "subscription"}}],
        "transfer": {"environment": "sandbox", "at": "2030-01-03T00:00:00Z"},
        "question": {"kind": "product", "product_id": "p", "order_id": "GPA.1", "at": "2030-01-04T00:00:00Z"}
    }$$::jsonb,
    'types, transactions, products and instants stay; all other members go'
);
SELECT is(wallet.trim_event('{"id": "e", "ignored": "test"}'), '{"id": "e", "ignored": "test"}', 'a reason stays');
SELECT is(wallet.trim_event('{"raw": "ann"}'), '{}', 'raw text goes');
SELECT is(
    wallet.trim_event('{"refund_review": {"token": "r", "order_id": "GPA.1"}}'),
    '{"refund_review": {"order_id": "GPA.1"}}', 'a refund review keeps the order'
);
SELECT is(wallet.trim_event('{"statements": "ann", "transfer": null}'), '{}', 'members with another shape are removed');
SELECT is(wallet.trim_event('{"statements": [{"fact": "ann"}, 1]}'), '{}', 'inside too');
SELECT is(wallet.trim_event('{}'), '{}', 'an empty message stays empty');
SELECT is(wallet.trim_event(wallet.trim_event(e)), wallet.trim_event(e), 'twice is once')
FROM (SELECT '{"id": "e", "statements": [{"fact": {"store": "app_store"}}]}'::jsonb) AS t (e);
SELECT * FROM finish();
ROLLBACK;
