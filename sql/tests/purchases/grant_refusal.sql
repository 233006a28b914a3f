-- wallet.grant_refusal: each reason separately, and null if none applies (rule 13; see also apply_fact.sql).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.reason(p_change text, p_attested_by_store boolean DEFAULT FALSE) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_claim wallet.claims;
BEGIN
    v_claim := jsonb_populate_record(NULL::wallet.claims, jsonb_build_object(
        'store', 'app_store', 'environment', 'production', 'kind', 'one_time', 'ownership', 'purchased',
        'store_product_id', 'com.hobbyist.bookingapp.credits.starter', 'purchased_at', wallet.now(), 'pending', FALSE,
        'refunded_millionths', 0
    ) || p_change::jsonb);
    RETURN wallet.grant_refusal(v_claim, wallet.account_for('ann'), wallet.account_for('ann'), p_attested_by_store);
END;
$$;
SELECT is(pg_temp.reason(i.change), i.reason, coalesce(i.reason, 'nothing speaks against it')) FROM (VALUES
    ('{}', NULL),
    ('{"ownership": "family_shared"}', 'family-shared'),
    ('{"pending": true}', 'pending'),
    ('{"refunded_millionths": 1000000}', 'refunded'),
    ('{"refunded_millionths": 999999}', NULL),
    ('{"store": "nowhere"}', 'store-not-enabled'),
    ('{"purchased_at": "2019-12-31T23:59:59.999Z"}', 'before-cut-over'),
    ('{"purchased_at": "2020-01-01T00:00:00Z"}', NULL),
    ('{"store_product_id": "nothing"}', 'unknown-product'),
    ('{"kind": "subscription"}', 'unknown-product'),
    ('{"kind": "subscription", "store_product_id": "com.hobbyist.bookingapp.subscription.explorer"}',
        'period-end-unknown'),
    ('{"account_id": 999999}', 'transaction-already-claimed'),
    ('{"account_id": 999999, "released_at": "2029-01-01T00:00:00Z"}', 'released'),
    ('{"token_digest": "\\x00"}', 'account-token-mismatch')
) AS i (change, reason);
SELECT is(
    pg_temp.reason('{"token_digest": "\\x00"}', TRUE), NULL, 'a store that names the owner decides, not the token'
);
SELECT is(wallet.grant_refusal(NULL, NULL, NULL), 'unknown-user', 'unknown-user');
UPDATE wallet.accounts SET blocked_at = wallet.now();
SELECT is(pg_temp.reason('{}'), 'account-blocked', 'account-blocked');
SELECT is(
    pg_temp.reason('{"granted_at": "2029-01-01T00:00:00Z"}'), NULL, 'a grant from before a block stays'
);
UPDATE wallet.accounts SET blocked_at = NULL;
SELECT wallet.set_sandbox_purchases('testers');
SELECT is(pg_temp.reason('{"environment": "sandbox"}'), 'sandbox-refused', 'sandbox-refused');
INSERT INTO admin.testers (user_id) VALUES ('tia');
SELECT is(
    pg_temp.reason('{"environment": "sandbox"}'), 'sandbox-refused', 'another user''s tester role does not matter'
);
INSERT INTO admin.testers (user_id) VALUES ('ann');
SELECT is(pg_temp.reason('{"environment": "sandbox"}'), NULL, 'a tester may');

-- A product of a virtual currency grants what the store reports, never the purchase itself
UPDATE wallet.products SET grant_source = 'virtual_currency' WHERE product_id LIKE '%credits.starter';
SELECT is(pg_temp.reason(i.change), i.reason, i.what) FROM (VALUES
    ('{}', 'granted-by-virtual-currency', 'the purchase waits for the store''s report'),
    ('{"reported_amount": 0}', 'granted-by-virtual-currency', 'a report of 0 credits grants nothing'),
    ('{"reported_amount": 1}', NULL, 'a reported credit may be granted'),
    ('{"reported_amount": 1, "pending": true}', NULL, 'a report grants before the payment is known')
) AS i (change, reason, what);
UPDATE wallet.products SET grant_source = 'purchase' WHERE product_id LIKE '%credits.starter';

-- A deleted user's token binds no purchase, until the user returns
SELECT wallet.account_for('bob'), wallet.delete_account('bob');
SELECT set_config('t.token', jsonb_build_object(
    'token_digest', sha256(uuid_send(wallet.app_account_token('bob')))
)::text, TRUE);
SELECT is(pg_temp.reason(current_setting('t.token')), NULL, 'a deleted user''s token does not bind the purchase');
SELECT wallet.account_for('bob');
SELECT is(
    pg_temp.reason(current_setting('t.token')), 'account-token-mismatch',
    'the token binds again after the user''s return'
);

-- Reasons that depend on the owner apply to that owner only
SELECT is(
    pg_temp.reason(jsonb_build_object('account_id', wallet.account_for('ann'), 'token_digest', '\x00')::text), NULL,
    'an owned purchase needs no token'
);
SELECT wallet.account_for('dan'), set_config('t.dan', wallet.account_for('dan')::text, TRUE);
SELECT wallet.delete_account('dan');
SELECT is(
    pg_temp.reason('{"token_digest": "\\x00"}'), 'account-token-mismatch',
    'a foreign token binds although another user was deleted'
);
SELECT pg_temp.buy('ann', 's1', 'plan.enthusiast', '{"original_transaction_id": "s"}');
SELECT is(wallet.grant_refusal(jsonb_populate_record(
    NULL::wallet.claims,
    pg_temp.fact('s2', 'plan.enthusiast') || '{"original_transaction_id": "s", "token_digest": "\\x00"}'
), i.submitter, wallet.account_for('ann')), NULL, i.description)
FROM (VALUES
    (wallet.account_for('ann'), 'the subscription''s owner may submit a renewal with any token'),
    (NULL, 'a renewal needs no submitter')
) AS i (submitter, description);
SELECT is(
    wallet.grant_refusal(NULL, wallet.account_for('ann'), wallet.account_for('cid')), 'transaction-already-claimed',
    'another user''s purchase, while a third user is deleted'
);
SELECT is(
    wallet.grant_refusal(NULL, wallet.account_for('ann'), current_setting('t.dan')::bigint), 'released',
    'a deleted user''s purchase is released'
);
SELECT * FROM finish();
ROLLBACK;
