-- A period is identified by its purchase instant, not by its id alone: a renewal that a source reports under the first
-- period's id is the second period, in any order, at each store (rules 12, 27, 29). Each of Apple's line items is one
-- period.
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
\ir ../../support/orders.sql
SELECT * FROM no_plan();
SELECT wallet.enable_store('play_store', '2020-01-01'), wallet.enable_store('stripe', '2020-01-01');
UPDATE wallet.products SET play_store_id = 'enthusiast', revenuecat_id = 'enthusiast', rollover_percentage = 0
WHERE product_id = 'com.hobbyist.bookingapp.subscription.enthusiast';

-- A report of the period between two days; %s in an id is the number of the run.
CREATE FUNCTION pg_temp.period(
    p_store text, p_id text, p_from numeric, p_to numeric, p_more jsonb DEFAULT '{}'
) RETURNS jsonb LANGUAGE sql AS $$
    SELECT pg_temp.fact(p_id, 'plan.enthusiast', pg_temp.days(p_from, p_to)) || jsonb_build_object(
        'store', p_store, 'original_transaction_id', 'T%s', 'source', 'notification', 'refunded_millionths', NULL
    ) || CASE p_store WHEN 'app_store' THEN '{}'::jsonb ELSE '{"store_product_id": "enthusiast"}' END
    || CASE p_store WHEN 'play_store' THEN jsonb_build_object('order_id', p_id) ELSE '{}' END || p_more;
$$;
-- The balances of a user's granted periods, and the state of the subscription.
CREATE FUNCTION pg_temp.ending(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        '; ', (
            SELECT string_agg(l.line, ', ' ORDER BY l.line)
            FROM unnest(string_to_array(pg_temp.plan_lots(p_user), ', ')) AS l (line)
        ), (
            SELECT string_agg(s.status || ' until ' || to_char(s.period_end AT TIME ZONE 'UTC', 'MM-DD'), ', ')
            FROM wallet.subscription_states AS s WHERE s.account_id = wallet.account_for(p_user)
        )
    );
$$;

SELECT pg_temp.wait('31 days');
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.period(s.store, 'T%s', 0, 30), pg_temp.period(s.store, 'T%s', 30, 60),
        pg_temp.period(s.store, s.renewal, 30, 60)
    ]), ARRAY['0/10 until 01-31, 10/10 until 03-02; active until 03-02'], s.store || ': two messages, one second period'
) FROM (VALUES
    ('stripe', 'R%s'), ('app_store', 'R%s'), ('play_store', 'T%s..0')
) AS s (store, renewal);
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.period(s.store, 'T%s', 0, 30), pg_temp.period(s.store, 'T%s', 30, 60),
        pg_temp.period(s.store, 'T%s', 60, 90)
    ]), ARRAY['0/10 until 01-31, 10/10 until 03-02, 10/10 until 04-01; active until 04-01'],
    s.store || ': each renewal under the first id is a period'
) FROM (VALUES ('stripe'), ('app_store'), ('play_store')) AS s (store);
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.period('stripe', 'T%s', 0, 30, '{"original_transaction_id": null}'),
        pg_temp.period('stripe', 'T%s', 30, 60, '{"original_transaction_id": null}'),
        pg_temp.period('stripe', 'R%s', 30, 60)
    ]), ARRAY['0/10 until 01-31, 10/10 until 03-02; active until 03-02'], 'also without an original id'
);
-- Google's own answer computes the date of a renewal.
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.period('play_store', 'T%s', 0, 30), pg_temp.period('play_store', 'T%s', 30, 60),
        pg_temp.period('play_store', 'T%s..0', 27, 60, '{"purchase_token": "token %s"}')
    ]), ARRAY[
        '0/10 until 01-31, 10/10 until 03-02; active until 03-02'
    ], 'play_store: an answer that dates the renewal otherwise is the same period'
);
-- The same period again, with another end
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.period('stripe', 'T%s', 0, 30),
        pg_temp.period('stripe', 'T%s', 0, 45, '{"source_at": "2030-02-02T00:00Z"}')
    ]), ARRAY['10/10 until 02-15; active until 02-15'], 'a period that is extended stays one'
);
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.period('stripe', 'T%s', 0, 30), pg_temp.period('stripe', 'T%s', 30, 60),
        pg_temp.period('stripe', 'R%s', 30, 60),
        pg_temp.period('stripe', 'R%s', 30, 60, '{"refunded_millionths": 1000000, "source_at": "2030-02-02T00:00Z"}')
    ]), ARRAY['0/10 until 01-31, 0/10 until 03-02; refunded until 03-02'], 'a refund of the second period is its'
);
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.period('stripe', 'T%s', 0, 30), pg_temp.period('stripe', 'T%s', 30, 60),
        pg_temp.period('stripe', 'T%s', 0, 30, '{"refunded_millionths": 500000, "source_at": "2030-02-02T00:00Z"}'),
        pg_temp.period('stripe', 'R%s', 30, 60)
    ]), ARRAY['0/10 until 01-31, 10/10 until 03-02; active until 03-02'],
    'a report of the first period counts for the first'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.claims AS c
     WHERE c.refunded_millionths = 500000 AND c.purchased_at <> pg_temp.noon(0)), 0,
     'a refund counts for the right period in every order'
);

-- Spending the whole first period does not affect the second
CREATE FUNCTION pg_temp.sid(p_user text, p_id text, p_from integer, p_to integer) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.apply_fact(
        CASE WHEN p_user IS NOT NULL THEN wallet.account_for(p_user) END,
        replace(pg_temp.period('stripe', p_id, p_from, p_to)::text, '%s', 'sid')::jsonb
    );
$$;
SELECT pg_temp.sid('sid', 'T%s', 0, 60);
SELECT pg_temp.lesson('c', 1, 10), pg_temp.book('sid', 'k', 'c');
SELECT pg_temp.wait('30 days');
SELECT is(pg_temp.funds('sid'), '0 0 0 0', 'the first period is used up');
SELECT pg_temp.sid(NULL, 'T%s', 60, 90), pg_temp.sid(NULL, 'R%s', 60, 90);
SELECT is(pg_temp.funds('sid'), '0 10 0 0', 'the second period is granted once');

-- Google Play's periods with equal dates are distinguished by their orders
CREATE FUNCTION pg_temp.renewal(p_order text, p_to numeric) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy('pam', p_order, 'plan.enthusiast', pg_temp.days(61, p_to) || jsonb_build_object(
        'store', 'play_store', 'store_product_id', 'enthusiast', 'order_id', p_order,
        'original_transaction_id', 'GPA.9', 'source', 'server_api'
    )));
$$;
SELECT is(
    (
        SELECT string_agg(pg_temp.renewal(o.name, o.ends), ', ') FROM (VALUES
            ('GPA.9', 91), ('GPA.9', 91), ('GPA.9..0', 121), ('GPA.9..0', 121), ('GPA.9', 91), ('GPA.9..1', 151)
        ) AS o (name, ends)
    ),
    'granted 10 visit, granted 10 visit duplicate, granted 10 visit, granted 10 visit duplicate, '
    || 'granted 10 visit duplicate, granted 10 visit', 'each order is a period, although all begin at the same second'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.claims AS c WHERE c.original_transaction_id = 'GPA.9'), 3,
    'a repeated report adds no claim'
);

-- One line item is one period: Apple documents it as the key of a subscription's purchase
CREATE FUNCTION pg_temp.line(p_user text, p_id text, p_line text, p_more jsonb DEFAULT '{}') RETURNS text
LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_id, 'plan.enthusiast', pg_temp.days(61, 91) || jsonb_build_object(
        'original_transaction_id', 'chain of ' || p_id, 'line_item_id', p_line
    ) || p_more));
$$;
SELECT is(pg_temp.line('lou', 'l1', 'line'), 'granted 10 visit', 'a line');
SELECT is(
    pg_temp.line('lou', 'l2', 'line', pg_temp.days(62, 92) - 'original_transaction_id'),
    'granted 10 visit duplicate', 'a line under another original id is the line'
);
SELECT is(
    pg_temp.line('liz', 'l3', 'line'), 'skipped transaction-already-claimed duplicate',
    'the line item belongs to its owner'
);
SELECT is(
    pg_temp.funds('lou') || ', ' || coalesce(pg_temp.funds('liz'), 'none'), '0 10 0 0, none',
    'the line item grants once'
);
SELECT is(pg_temp.line('liz', 'l4', '0'), 'granted 10 visit', 'a line item id of 0, as in local tests, is ignored');
SELECT is(pg_temp.line('lee', 'l5', '0'), 'granted 10 visit', 'two line items of 0 are two periods');
SELECT is(
    pg_temp.line('lex', 'l6', 'line', '{"environment": "sandbox"}'), 'granted 10 visit',
    'a sandbox line item is a different period'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
