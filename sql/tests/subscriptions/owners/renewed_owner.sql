-- wallet.renewed_owner: a renewal belongs to the subscription's owner, regardless of its submitter; editing a plan
-- changes no sold period.
BEGIN;
\ir ../../support/books.sql
SELECT plan(6);

DO $$ BEGIN PERFORM wallet.account_for('ann'), wallet.account_for('bob'); END $$;

CREATE FUNCTION pg_temp.period(p_user text, p_transaction text, p_months integer) RETURNS text LANGUAGE sql AS $$
    SELECT o.verdict || coalesce(' ' || o.reason, '') FROM wallet.apply_fact(
        CASE WHEN p_user IS NOT NULL THEN wallet.account_for(p_user) END,
        jsonb_build_object(
            'store', 'app_store', 'environment', 'production', 'transaction_id', p_transaction,
            'original_transaction_id', 'sub-1', 'kind', 'subscription',
            'store_product_id', 'com.hobbyist.bookingapp.subscription.explorer',
            'purchased_at', wallet.now() + make_interval(months => p_months),
            'expires_at', wallet.now() + make_interval(months => p_months + 1),
            'source', 'receipt', 'source_at', wallet.now() + make_interval(months => p_months)
        )
    ) AS o;
$$;

SELECT is(pg_temp.period('ann', 's-1', 0), 'granted', 'the submitter owns the first period');
SELECT is(pg_temp.period('bob', 's-2', 1), 'skipped transaction-already-claimed', 'a stranger cannot claim a renewal');
SELECT is(pg_temp.period(NULL, 's-2', 1), 'granted', 'a report without a submitter grants it to the owner');
SELECT is(
    (SELECT c.account_id FROM wallet.claims AS c WHERE c.transaction_id = 's-2'), wallet.account_for('ann'),
    'the owner of the first period'
);

UPDATE admin.products SET tier = 9, entitlements = '{gold}'
WHERE product_id = 'com.hobbyist.bookingapp.subscription.explorer';
SELECT is(
    (SELECT s.tier FROM wallet.subscription_states AS s WHERE s.original_transaction_id = 'sub-1'), 1,
    'an edited plan leaves the running period''s tier'
);
DO $$ BEGIN PERFORM pg_temp.period(NULL, 's-3', 2); END $$;
SELECT is(
    (SELECT s.tier FROM wallet.subscription_states AS s WHERE s.original_transaction_id = 'sub-1'), 9,
    'the next period has the edited terms'
);

SELECT * FROM finish();
ROLLBACK;
