-- wallet.period_renews: whether another period follows, within a commitment and at its end (rules 28 and 29), with the
-- effect on the forecast and on rollovers.
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
UPDATE wallet.products SET period = 'P3M', amount = 31, bonus = 0, rollover_percentage = 50, rollover_cap = 4
WHERE app_store_id LIKE '%subscription.enthusiast';
-- A month of a commitment of three calendar months.
CREATE FUNCTION pg_temp.at(p_month integer) RETURNS timestamptz LANGUAGE sql AS $$
    SELECT timestamptz '2030-01-01 12:00:00+00' + make_interval(months => p_month);
$$;
CREATE FUNCTION pg_temp.month(p_user text, p_month integer, p_more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_user || p_month, 'plan.enthusiast', jsonb_build_object(
        'purchased_at', pg_temp.at(p_month - 1), 'expires_at', pg_temp.at(p_month),
        'original_transaction_id', p_user || 1, 'will_renew', TRUE, 'commitment_renews', TRUE,
        'billing_period', (p_month - 1) % 3 + 1, 'billing_periods', 3
    ) || p_more));
$$;
CREATE FUNCTION pg_temp.will_renew(p_user text) RETURNS boolean LANGUAGE sql AS $$
    SELECT s.will_renew FROM wallet.subscription_states AS s WHERE s.account_id = wallet.account_for(p_user);
$$;
CREATE FUNCTION pg_temp.ahead(p_user text, p_month integer, p_more interval DEFAULT '0') RETURNS text
LANGUAGE sql AS $$
    SELECT concat_ws(' ', f.visits, to_char(f.next_rollover_at AT TIME ZONE 'UTC', 'MM-DD'))
    FROM wallet.forecast(wallet.account_for(p_user), 'production', pg_temp.at(p_month) + p_more) AS f;
$$;
CREATE FUNCTION pg_temp.come(p_month integer, p_more interval DEFAULT '0') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('t.now', (pg_temp.at(p_month) + p_more)::text, TRUE);
    PERFORM wallet.sweep(100), wallet.sweep_subscriptions(100);
END;
$$;

SELECT pg_temp.month('goes', 1), pg_temp.month('stops', 1), pg_temp.month('quits', 1);
SELECT is(pg_temp.will_renew('goes'), TRUE, 'a month of a commitment is followed by the next');
SELECT pg_temp.wait('1 day');
SELECT pg_temp.month('stops', 1, '{"commitment_renews": false, "occasion": "cancellation"}'),
    pg_temp.month('quits', 1, '{"will_renew": false, "occasion": "cancellation"}');
SELECT is(pg_temp.will_renew('stops'), TRUE, 'a cancelled commitment renews until its end');
SELECT is(pg_temp.will_renew('quits'), TRUE, 'also if a source without commitments reports the end');
SELECT is(
    (SELECT string_agg(t.what, ', ') FROM wallet.purchase_facts AS t
    WHERE t.account_id = wallet.account_for('stops') AND t.kind = 'subscription'),
    'turned off the renewal of the commitment to ' || (SELECT p.name FROM wallet.products AS p WHERE p.period = 'P3M'),
    'the timeline shows it'
);

-- The forecast advances by the billing period: 10, 10 and 11 visits, and 4 rolled over from each
SELECT is(pg_temp.ahead('goes', m.month), m.ahead, 'continues, month ' || m.month) FROM (VALUES
    (1, '14 03-01'), (2, '15 04-01'), (3, '14 05-01'), (4, '14 06-01'), (5, '15 07-01'), (6, '14 08-01')
) AS m (month, ahead);
SELECT is(pg_temp.ahead('stops', m.month), m.ahead, 'ends with its commitment, month ' || m.month) FROM (VALUES
    (1, '14 03-01'), (2, '15'), (3, '0'), (4, '0')
) AS m (month, ahead);
SELECT is(pg_temp.ahead('quits', 1), '14 03-01', 'the forecast agrees');

-- The real events match the forecast
SELECT pg_temp.come(1), pg_temp.month('goes', 2), pg_temp.month('stops', 2, '{"commitment_renews": false}');
SELECT is(pg_temp.funds('goes'), '0 14 0 0', 'the second month, with a rollover');
SELECT is(pg_temp.ahead('goes', 4), '14 06-01', 'the forecast continues from there');
SELECT is(pg_temp.funds('stops'), '0 14 0 0', 'a cancelled commitment continues to grant');
SELECT pg_temp.come(2), pg_temp.month('goes', 3), pg_temp.month('stops', 3, '{"commitment_renews": false}');
SELECT is(pg_temp.funds('stops'), '0 15 0 0', 'the commitment grants until its end');
SELECT is(pg_temp.will_renew('stops'), FALSE, 'no month follows the last one');
SELECT is(
    (SELECT b.next_rollover_at FROM wallet.balances AS b
    WHERE b.account_id = wallet.account_for('stops') AND b.environment = 'production'), NULL, 'no rollover is expected'
);
SELECT is(pg_temp.ahead('stops', 2), '15', 'the forecast agrees for now');
SELECT is(pg_temp.will_renew('goes'), TRUE, 'the last month of one that renews is followed by the next');
SELECT pg_temp.come(3), pg_temp.month('goes', 4);
SELECT is(pg_temp.funds('goes'), '0 14 0 0', 'the next commitment');
SELECT is(pg_temp.funds('stops'), '0 0 0 0', 'the other is over');

-- An early end: the store refunds a month
SELECT pg_temp.wait('1 day'), pg_temp.month('goes', 4, '{"refunded_millionths": 1000000, "occasion": "refund"}');
SELECT is(pg_temp.funds('goes'), '0 0 0 0', 'a refunded month takes its grant and its share of the rollover');
SELECT is(
    (SELECT s.status FROM wallet.subscription_states AS s WHERE s.account_id = wallet.account_for('goes')), 'refunded',
    'the refund of the current month ends the commitment'
);
SELECT is(pg_temp.ahead('goes', 6), '0', 'no further months are expected');
SELECT pg_temp.wait('1 day'), pg_temp.month('goes', 2, '{"refunded_millionths": 1000000, "occasion": "refund"}');
SELECT is(pg_temp.funds('goes'), '0 0 0 0', 'a refund of an earlier month is its own');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
