-- wallet.order_usage: the usage data for a store that reviews a refund: the used share of an order, with dates and
-- reasons.
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
INSERT INTO wallet.stores (store, grants_from) VALUES ('play_store', '2020-01-01') ON CONFLICT DO NOTHING;
CREATE FUNCTION pg_temp.usage(p_order text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', o.spent || '/' || o.granted, (
        SELECT string_agg(concat(u.value ->> 'what', ' ', u.value ->> 'amount', ' at ', to_char(
            to_timestamp((u.value ->> 'used_at')::numeric) AT TIME ZONE 'UTC', 'MM-DD'
        )), ', ') FROM jsonb_array_elements(o.uses) AS u
    )), '; ' ORDER BY o.granted)
    FROM wallet.order_usage AS o WHERE o.store = 'play_store' AND o.order_id = p_order;
$$;
CREATE FUNCTION pg_temp.order(p_id text, p_more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
    SELECT '{"store": "play_store", "original_transaction_id": null}' || jsonb_build_object(
        'order_id', p_id, 'purchase_token', p_id || '.token'
    ) || p_more;
$$;
SELECT is(pg_temp.usage('GPA.1'), NULL, 'an order that was never reported');
SELECT pg_temp.buy('ann', 'GPA.1', 'starter', pg_temp.order('GPA.1'));
SELECT is(pg_temp.usage('GPA.1'), '0/25', 'nothing is used yet');
SELECT pg_temp.lesson('pot', 5), pg_temp.lesson('clay', 7), pg_temp.book('ann', 'k', 'pot'), pg_temp.day(1);
SELECT pg_temp.book('ann', 'l', 'clay');
SELECT is(
    pg_temp.usage('GPA.1'), '12/25 Class clay 7 at 01-02, Class pot 5 at 01-01',
    'all bookings are listed, the latest first'
);
SELECT pg_temp.cancel('ann', 'l');
SELECT is(pg_temp.usage('GPA.1'), '5/25 Class pot 5 at 01-01', 'a cancelled booking does not count as used');
SELECT pg_temp.buy('ann', 'GPA.2', 'threeVisit', pg_temp.order('GPA.2'));
SELECT wallet.consume_pass(wallet.account_for('ann'), 'production', 'GPA.2', 'door 7');
SELECT is(pg_temp.usage('GPA.2'), '1/3 visit 1 at 01-02', 'a consumed visit, without the app''s reference');
-- RevenueCat reports the order id as the transaction id.
SELECT pg_temp.buy('bob', 'GPA.3', 'starter', '{"store": "play_store", "original_transaction_id": null}');
SELECT is(pg_temp.usage('GPA.3'), '0/25', 'an order that only RevenueCat reported');
SELECT pg_temp.buy('bob', 'GPA.4', 'plan.unlimited', pg_temp.order('GPA.4'));
SELECT is(pg_temp.usage('GPA.4'), '0/0', 'an unlimited plan has no share');
SELECT pg_temp.buy('cid', 'GPA.5', 'no.such', pg_temp.order('GPA.5'));
SELECT is(pg_temp.usage('GPA.5'), NULL, 'an order without a grant');
UPDATE wallet.products SET period = 'P1Y', amount = 120, bonus = 0 WHERE app_store_id LIKE '%subscription.enthusiast';
SELECT pg_temp.buy('dan', 'GPA.6', 'plan.enthusiast', pg_temp.order('GPA.6') || m.more)
FROM (VALUES ('{}'::jsonb), ('{"billing_period": 1, "billing_periods": 12}')) AS m (more);
SELECT is(pg_temp.usage('GPA.6'), '0/10', 'a month of a year is measured by the month');
-- The usage moves with its purchase
SELECT wallet.account_for('anon', TRUE), pg_temp.buy('anon', 'GPA.7', 'starter', pg_temp.order('GPA.7')),
    pg_temp.lesson('wheel', 5), pg_temp.book('anon', 'w', 'wheel');
SELECT wallet.merge_accounts('anon', 'eve');
SELECT is(pg_temp.usage('GPA.7'), '5/25 Class wheel 5 at 01-02', 'an order of a merged user');
SELECT wallet.delete_account('ann');
SELECT is(pg_temp.usage('GPA.1'), '0/25', 'upcoming bookings of a deleted user do not count');
SELECT is(pg_temp.usage('GPA.2'), '1/3 visit 1 at 01-02', 'consumed visits of a deleted user still count');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
