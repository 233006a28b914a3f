-- Every history of a purchase ends in the same books, in any order of reports. Each story is first reported as it
-- happened, with a moving clock, then in every order at its end, with one report repeated. Balance, debts, ledger sums,
-- lots, status, tier and flags must be equal.
BEGIN;
\ir ../support/books.sql
\ir ../support/orders.sql
SELECT plan(30);

INSERT INTO wallet.stores (store, grants_from) VALUES ('play_store', '2020-01-01T00:00Z')
ON CONFLICT (store) DO NOTHING;

-- A report about a subscription's period or a purchase: hour of the source, transaction, product, further members, and
-- the owner that the sender names.
CREATE FUNCTION pg_temp.said(p_hour integer, p_id text, p_product text, p_more jsonb, p_owner text DEFAULT NULL)
RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
    RETURN jsonb_build_object(
        'owners', to_jsonb(array_remove(ARRAY[p_owner], NULL)),
        'fact', pg_temp.fact(p_id, p_product) - 'refunded_millionths' - 'expires_at' || jsonb_build_object(
            'original_transaction_id', CASE WHEN p_product LIKE 'plan.%' THEN 'chain' ELSE p_id END,
            'source', 'notification', 'source_at', '2030-01-01T00:00Z'::timestamptz + make_interval(hours => p_hour)
        ) || p_more
    );
END;
$$;

-- A period between two hours.
CREATE FUNCTION pg_temp.span(p_from integer, p_to integer, p_more jsonb DEFAULT '{}') RETURNS jsonb
LANGUAGE plpgsql AS $$
BEGIN
    RETURN jsonb_build_object(
        'purchased_at', '2030-01-01T00:00Z'::timestamptz + make_interval(hours => p_from),
        'expires_at', '2030-01-01T00:00Z'::timestamptz + make_interval(hours => p_to)
    ) || p_more;
END;
$$;

CREATE FUNCTION pg_temp.ended() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN concat_ws(E'\n',
        (SELECT string_agg(format(
            '%s: %s credits, %s visits, owes %s and %s', u.user_id, b.credits, b.visits, b.owed_credits, b.owed_visits
        ), E'\n' ORDER BY u.user_id) FROM wallet.balances AS b
        INNER JOIN wallet.users AS u ON b.account_id = u.account_id),
        (SELECT string_agg(l.line, E'\n' ORDER BY l.line) FROM (
            SELECT format(
                '%s %s %s: %s left until %s', u.user_id, o.source, o.product_id, o.remaining, o.expires_at
            ) AS line
            FROM wallet.lots AS o INNER JOIN wallet.users AS u ON o.account_id = u.account_id
            WHERE o.remaining > 0 OR o.owed > 0
        ) AS l),
        (SELECT string_agg(format('%s ledger %s: %s, debts %s', s.user_id, s.unit, s.amount, s.owed), E'\n'
            ORDER BY s.user_id, s.unit) FROM (
            SELECT u.user_id, e.unit, sum(e.amount) AS amount, sum(e.owed_change) AS owed
            FROM wallet.entries AS e INNER JOIN wallet.users AS u ON e.account_id = u.account_id
            WHERE e.unit IS NOT NULL
            GROUP BY u.user_id, e.unit
        ) AS s),
        (SELECT string_agg(format(
            '%s %s: %s tier %s %s-%s %s %s', u.user_id, s.original_transaction_id, s.status, s.tier, s.period_start,
            s.period_end, s.will_renew, s.grace_ends_at
        ), E'\n' ORDER BY s.original_transaction_id) FROM wallet.subscription_states AS s
        INNER JOIN wallet.users AS u ON s.account_id = u.account_id)
    );
END;
$$;

-- Applies the facts in an order and rolls everything back; a moving clock follows the messages' own hours.
CREATE FUNCTION pg_temp.books_after(p_reports jsonb[], p_order integer[], p_moves boolean, p_end integer) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_report integer;
    v_ended text;
    v_start CONSTANT timestamptz := '2030-01-01T00:00Z';
BEGIN
    PERFORM set_config('t.now', (v_start + make_interval(hours => p_end))::text, TRUE);
    FOREACH v_report IN ARRAY p_order LOOP
        IF p_moves THEN
            PERFORM set_config('t.now', coalesce(
                p_reports[v_report] #>> '{fact,source_at}', p_reports[v_report] #>> '{transfer,at}'
            ), TRUE);
        END IF;
        PERFORM wallet.apply_event(CASE
            WHEN p_reports[v_report] ? 'fact' THEN jsonb_build_object('statements', jsonb_build_array(p_reports[v_report]))
            ELSE p_reports[v_report]
        END);
    END LOOP;
    PERFORM set_config('t.now', (v_start + make_interval(hours => p_end))::text, TRUE);
    PERFORM wallet.sweep(100);
    PERFORM wallet.apply_event(CASE
        WHEN p_reports[p_order[1]] ? 'fact'
        THEN jsonb_build_object('statements', jsonb_build_array(p_reports[p_order[1]]))
        ELSE p_reports[p_order[1]]
    END);
    v_ended := pg_temp.ended() || coalesce((
        SELECT E'\nbroken: ' || string_agg(v.name || ' ' || v.detail, E'\n') FROM wallet.violations AS v
    ), '');
    RAISE EXCEPTION USING ERRCODE = 'ZZ000', MESSAGE = v_ended;
EXCEPTION WHEN SQLSTATE 'ZZ000' THEN
    RETURN SQLERRM;
END;
$$;

CREATE FUNCTION pg_temp.converges(p_story text, p_end integer, VARIADIC p_reports jsonb[]) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_first CONSTANT integer[] := ARRAY(SELECT generate_series(1, cardinality(p_reports)));
    v_expected text;
    v_order integer[];
    v_ended text;
BEGIN
    v_expected := pg_temp.books_after(p_reports, v_first, TRUE, p_end);
    FOR v_order IN SELECT o.* FROM pg_temp.orders(cardinality(p_reports)) AS o LOOP
        v_ended := pg_temp.books_after(p_reports, v_order, FALSE, p_end);
        IF v_ended <> v_expected THEN
            RETURN is(v_ended, v_expected, p_story || ' in the order ' || v_order::text);
        END IF;
    END LOOP;
    RETURN pass(p_story || ', in any order');
END;
$$;

SELECT pg_temp.converges('a first purchase, reported twice and with a quantity', 100,
    pg_temp.said(1, 't', 'starter', pg_temp.span(1, 1) - 'expires_at', 'ann'),
    pg_temp.said(2, 't', 'starter', (pg_temp.span(1, 1) - 'expires_at') || '{"quantity": 3}'),
    pg_temp.said(3, 't', 'starter', (pg_temp.span(1, 1) - 'expires_at') || '{"quantity": 2}', 'ann'));
SELECT pg_temp.converges('a refund', 100,
    pg_temp.said(1, 't', 'starter', pg_temp.span(1, 1) - 'expires_at', 'ann'),
    pg_temp.said(5, 't', 'starter', (pg_temp.span(1, 1) - 'expires_at')
        || '{"pending": true, "refunded_millionths": 1000000, "occasion": "refund"}', 'ann'),
    pg_temp.said(6, 't', 'starter', (pg_temp.span(1, 1) - 'expires_at') || '{"refunded_millionths": 1000000}'));
SELECT pg_temp.converges('a refund that is undone', 100,
    pg_temp.said(1, 't', 'starter', pg_temp.span(1, 1) - 'expires_at', 'ann'),
    pg_temp.said(5, 't', 'starter', (pg_temp.span(1, 1) - 'expires_at')
        || '{"pending": true, "refunded_millionths": 1000000}', 'ann'),
    pg_temp.said(9, 't', 'starter', (pg_temp.span(1, 1) - 'expires_at')
        || '{"pending": true, "refunded_millionths": 0}', 'ann'));
SELECT pg_temp.converges('a part refunded, then the whole', 100,
    pg_temp.said(1, 't', 'power', pg_temp.span(1, 1) - 'expires_at', 'ann'),
    pg_temp.said(5, 't', 'power', (pg_temp.span(1, 1) - 'expires_at') || '{"refunded_millionths": 333333}', 'ann'),
    pg_temp.said(9, 't', 'power', (pg_temp.span(1, 1) - 'expires_at') || '{"refunded_millionths": 1000000}', 'ann'));
SELECT pg_temp.converges('renewals with rollover', 2200,
    pg_temp.said(0, 'p1', 'plan.enthusiast', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(720, 'p2', 'plan.enthusiast', pg_temp.span(720, 1440), 'ann'),
    pg_temp.said(1440, 'p3', 'plan.enthusiast', pg_temp.span(1440, 2160), 'ann'),
    pg_temp.said(2160, 'p4', 'plan.enthusiast', pg_temp.span(2160, 2880), 'ann'));
SELECT pg_temp.converges('a renewal refunded, with its rollover', 1500,
    pg_temp.said(0, 'p1', 'plan.enthusiast', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(720, 'p2', 'plan.enthusiast', pg_temp.span(720, 1600), 'ann'),
    pg_temp.said(800, 'p1', 'plan.enthusiast', pg_temp.span(0, 720) || '{"refunded_millionths": 500000}'),
    pg_temp.said(900, 'p2', 'plan.enthusiast', pg_temp.span(720, 1600) || '{"refunded_millionths": 200000}'));
SELECT pg_temp.converges('a failed renewal with grace, then recovery', 800,
    pg_temp.said(0, 'p1', 'plan.enthusiast', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(720, 'p1', 'plan.enthusiast', (pg_temp.span(0, 720) - 'expires_at')
        || '{"pending": true, "billing_issue": true, "grace_ends_at": "2030-02-10T00:00Z",
        "occasion": "billing_issue"}', 'ann'),
    pg_temp.said(720, 'p1', 'plan.enthusiast', pg_temp.span(0, 720)
        || '{"pending": true, "will_renew": false, "occasion": "cancellation"}', 'ann'),
    pg_temp.said(740, 'p2', 'plan.enthusiast', pg_temp.span(740, 1460), 'ann'),
    pg_temp.said(741, 'p1', 'plan.enthusiast', (pg_temp.span(0, 720) - 'expires_at') || jsonb_build_object(
        'pending', TRUE, 'expired_at', '2030-01-31T00:00Z', 'occasion', 'expiration'), 'ann'));
SELECT pg_temp.converges('a failed renewal that expires', 1000,
    pg_temp.said(0, 'p1', 'plan.enthusiast', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(720, 'p1', 'plan.enthusiast', (pg_temp.span(0, 720) - 'expires_at')
        || '{"pending": true, "billing_issue": true, "grace_ends_at": "2030-02-28T00:00Z",
        "occasion": "billing_issue"}', 'ann'),
    pg_temp.said(720, 'p1', 'plan.enthusiast', pg_temp.span(0, 720)
        || '{"pending": true, "will_renew": false, "occasion": "cancellation"}', 'ann'),
    pg_temp.said(800, 'p1', 'plan.enthusiast', (pg_temp.span(0, 720) - 'expires_at') || jsonb_build_object(
        'pending', TRUE, 'expired_at', '2030-01-31T00:00Z', 'occasion', 'expiration'), 'ann'));
SELECT pg_temp.converges('cancelled, taken back, cancelled, then over', 1000,
    pg_temp.said(0, 'p1', 'plan.explorer', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(10, 'p1', 'plan.explorer', pg_temp.span(0, 720)
        || '{"pending": true, "will_renew": false, "occasion": "cancellation"}', 'ann'),
    pg_temp.said(20, 'p1', 'plan.explorer', pg_temp.span(0, 720)
        || '{"pending": true, "will_renew": true, "occasion": "uncancellation"}', 'ann'),
    pg_temp.said(30, 'p1', 'plan.explorer', pg_temp.span(0, 720)
        || '{"pending": true, "will_renew": false, "occasion": "cancellation"}', 'ann'),
    pg_temp.said(720, 'p1', 'plan.explorer', (pg_temp.span(0, 720) - 'expires_at') || jsonb_build_object(
        'pending', TRUE, 'expired_at', '2030-01-31T00:00Z', 'occasion', 'expiration'), 'ann'));
SELECT pg_temp.converges('a late EXPIRATION after the RENEWAL of the same instant', 900,
    pg_temp.said(0, 'p1', 'plan.explorer', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(720, 'p2', 'plan.explorer', pg_temp.span(720, 1440), 'ann'),
    pg_temp.said(725, 'p1', 'plan.explorer', (pg_temp.span(0, 720) - 'expires_at') || jsonb_build_object(
        'pending', TRUE, 'expired_at', '2030-01-31T00:00Z', 'occasion', 'expiration'), 'ann'));
SELECT pg_temp.converges('an upgrade in the middle', 900,
    pg_temp.said(0, 'p1', 'plan.enthusiast', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(300, 'p2', 'plan.unlimited', pg_temp.span(300, 1020), 'ann'),
    pg_temp.said(300, 'p1', 'plan.enthusiast', pg_temp.span(0, 720) || '{"upgraded": true}'));
SELECT pg_temp.converges('up, down and up again', 900,
    pg_temp.said(0, 'p1', 'plan.explorer', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(100, 'p2', 'plan.enthusiast', pg_temp.span(100, 820), 'ann'),
    pg_temp.said(200, 'p3', 'plan.explorer', pg_temp.span(200, 920), 'ann'),
    pg_temp.said(300, 'p4', 'plan.enthusiast', pg_temp.span(300, 1020), 'ann'));
SELECT pg_temp.converges('a downgrade at the renewal rolls over', 900,
    pg_temp.said(0, 'p1', 'plan.enthusiast', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(720, 'p2', 'plan.explorer', pg_temp.span(720, 1440), 'ann'));
SELECT pg_temp.converges('a trial that converts', 400,
    pg_temp.said(0, 'p1', 'plan.enthusiast', pg_temp.span(0, 168, '{"period_type": "trial"}'), 'ann'),
    pg_temp.said(168, 'p2', 'plan.enthusiast', pg_temp.span(168, 888), 'ann'));
SELECT pg_temp.converges('an extension', 800,
    pg_temp.said(0, 'p1', 'plan.explorer', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(600, 'p1', 'plan.explorer', pg_temp.span(0, 960) || '{"pending": true}', 'ann'),
    pg_temp.said(650, 'p1', 'plan.explorer', pg_temp.span(0, 960) || '{"pending": true, "will_renew": false}', 'ann'));
SELECT pg_temp.converges('a transfer', 1500,
    pg_temp.said(0, 'p1', 'plan.explorer', pg_temp.span(0, 720), 'ann'),
    jsonb_build_object('transfer', '{"from": ["ann"], "to": ["bob"], "at": "2030-01-20T00:00:00Z"}'::jsonb),
    pg_temp.said(720, 'p2', 'plan.explorer', pg_temp.span(720, 1440), 'bob'),
    pg_temp.said(1440, 'p3', 'plan.explorer', pg_temp.span(1440, 2160), 'bob'));
SELECT pg_temp.converges('a subscription refunded and revived', 1500,
    pg_temp.said(0, 'p1', 'plan.explorer', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(100, 'p1', 'plan.explorer', pg_temp.span(0, 720)
        || '{"pending": true, "refunded_millionths": 1000000, "occasion": "refund"}', 'ann'),
    pg_temp.said(1000, 'p2', 'plan.explorer', pg_temp.span(1000, 1720), 'ann'));
SELECT pg_temp.converges('Google Play: an order each, one token, and an upgrade to a linked one', 900,
    pg_temp.said(0, 'G.1', 'plan.explorer', pg_temp.span(0, 720, '{"store": "play_store", "order_id": "G.1",
        "original_transaction_id": "G", "purchase_token": "tok"}'), 'ann'),
    pg_temp.said(720, 'G.2', 'plan.explorer', pg_temp.span(720, 1440, '{"store": "play_store", "order_id": "G.2",
        "original_transaction_id": "G", "purchase_token": "tok"}'), 'ann'),
    pg_temp.said(800, 'H.1', 'plan.unlimited', pg_temp.span(800, 1520, '{"store": "play_store", "order_id": "H.1",
        "original_transaction_id": "H", "purchase_token": "tok2", "linked_purchase_token": "tok"}'), 'ann'));
SELECT pg_temp.converges('one refund reported by two sources', 100,
    pg_temp.said(1, 't', 'starter', pg_temp.span(1, 1) - 'expires_at', 'ann'),
    pg_temp.said(2, 't', 'starter', pg_temp.span(1, 1) - 'expires_at'),
    pg_temp.said(5, 't', 'starter', (pg_temp.span(1, 1) - 'expires_at')
        || '{"pending": true, "refunded_millionths": 1000000}', 'ann'),
    pg_temp.said(5, 't', 'starter', (pg_temp.span(1, 1) - 'expires_at') || '{"refunded_millionths": 1000000}'));
SELECT pg_temp.converges('a paused subscription', 1000,
    pg_temp.said(0, 'p1', 'plan.explorer', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(500, 'p1', 'plan.explorer', (pg_temp.span(0, 720) - 'expires_at')
        || '{"pending": true, "paused": true}', 'ann'),
    pg_temp.said(720, 'p1', 'plan.explorer', (pg_temp.span(0, 720) - 'expires_at') || jsonb_build_object(
        'pending', TRUE, 'expired_at', '2030-01-31T00:00Z', 'occasion', 'expiration', 'paused', TRUE), 'ann'));
SELECT pg_temp.converges('flags of one instant go by their weight', 100,
    pg_temp.said(0, 'p1', 'plan.explorer', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(9, 'p1', 'plan.explorer', pg_temp.span(0, 720)
        || '{"pending": true, "will_renew": true, "occasion": "uncancellation"}', 'ann'),
    pg_temp.said(9, 'p1', 'plan.explorer', pg_temp.span(0, 720)
        || '{"pending": true, "will_renew": false, "occasion": "cancellation"}', 'ann'));
SELECT pg_temp.converges('family sharing', 100,
    pg_temp.said(0, 'p1', 'plan.explorer', pg_temp.span(0, 720, '{"ownership": "family_shared"}'), 'ann'),
    pg_temp.said(1, 'p1', 'plan.explorer', pg_temp.span(0, 720, '{"ownership": "family_shared"}')));
SELECT pg_temp.converges('restored transaction ids', 100,
    pg_temp.said(0, 'p1', 'plan.explorer', pg_temp.span(0, 720, '{"line_item_id": "w1"}'), 'ann'),
    pg_temp.said(1, 'r1', 'plan.explorer', pg_temp.span(0, 720, '{"line_item_id": "w1"}'), 'ann'),
    pg_temp.said(2, 'r2', 'plan.explorer', pg_temp.span(0, 720), 'ann'));
SELECT pg_temp.converges('two sources with different ends of one period', 800,
    pg_temp.said(0, 'p1', 'plan.enthusiast', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(10, 'p1', 'plan.enthusiast', pg_temp.span(0, 700) || '{"pending": true}', 'ann'),
    pg_temp.said(20, 'p1', 'plan.enthusiast', pg_temp.span(0, 960) || '{"pending": true}'),
    pg_temp.said(20, 'p1', 'plan.enthusiast', pg_temp.span(0, 950) || '{"pending": true}'));
SELECT pg_temp.converges('two claims of one period, with flags, that turn out to be one', 400,
    pg_temp.said(0, 'p1', 'plan.enthusiast', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(5, 'p1', 'plan.enthusiast', pg_temp.span(0, 720)
        || '{"pending": true, "will_renew": false, "occasion": "cancellation"}', 'ann'),
    pg_temp.said(9, NULL, 'plan.enthusiast', pg_temp.span(0, 800)
        || '{"pending": true, "will_renew": true, "occasion": "uncancellation", "order_id": "o1",
        "original_transaction_id": null}', 'ann'),
    pg_temp.said(10, 'p1', 'plan.enthusiast', pg_temp.span(0, 720)
        || '{"pending": true, "billing_issue": true, "order_id": "o1"}', 'ann'));
SELECT pg_temp.converges('a refund of an upgraded period', 900,
    pg_temp.said(0, 'p1', 'plan.enthusiast', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(300, 'p2', 'plan.unlimited', pg_temp.span(300, 1020), 'ann'),
    pg_temp.said(310, 'p1', 'plan.enthusiast', pg_temp.span(0, 720)
        || '{"pending": true, "refunded_millionths": 583333, "occasion": "refund"}'),
    pg_temp.said(1020, 'p3', 'plan.enthusiast', pg_temp.span(1020, 1740), 'ann'));
SELECT pg_temp.converges('a grace period reported after the expiration', 740,
    pg_temp.said(0, 'p1', 'plan.explorer', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(720, 'p1', 'plan.explorer', (pg_temp.span(0, 720) - 'expires_at') || jsonb_build_object(
        'pending', TRUE, 'expired_at', '2030-01-31T00:00Z', 'occasion', 'expiration'), 'ann'),
    pg_temp.said(721, 'p1', 'plan.explorer', (pg_temp.span(0, 720) - 'expires_at')
        || '{"pending": true, "billing_issue": true, "grace_ends_at": "2030-02-10T00:00Z",
        "occasion": "billing_issue"}', 'ann'));
SELECT pg_temp.converges('Google Play on hold, paused, then back', 1000,
    pg_temp.said(0, 'G', 'plan.enthusiast', pg_temp.span(0, 720, '{"store": "play_store", "order_id": "G",
        "original_transaction_id": "G", "purchase_token": "tok"}'), 'ann'),
    pg_temp.said(720, 'G', 'plan.enthusiast', pg_temp.span(0, 720, '{"store": "play_store", "order_id": "G",
        "original_transaction_id": "G", "purchase_token": "tok", "billing_issue": true}'), 'ann'),
    pg_temp.said(730, 'G', 'plan.enthusiast', pg_temp.span(0, 720, '{"store": "play_store", "order_id": "G",
        "original_transaction_id": "G", "purchase_token": "tok", "billing_issue": false, "paused": true}'), 'ann'),
    pg_temp.said(800, 'G..0', 'plan.enthusiast', pg_temp.span(800, 1520, '{"store": "play_store",
        "order_id": "G..0", "original_transaction_id": "G", "purchase_token": "tok"}'), 'ann'));
SELECT pg_temp.converges('an extension reported before the purchase, and a renewal after it', 1100,
    pg_temp.said(0, 'p1', 'plan.enthusiast', pg_temp.span(0, 720), 'ann'),
    pg_temp.said(600, 'p1', 'plan.enthusiast', pg_temp.span(0, 960) || '{"pending": true}', 'ann'),
    pg_temp.said(960, 'p2', 'plan.enthusiast', pg_temp.span(960, 1680), 'ann'),
    pg_temp.said(970, 'p2', 'plan.enthusiast', pg_temp.span(960, 1680) || '{"will_renew": false}'));
SELECT pg_temp.converges('three transfers, one of them back', 500,
    pg_temp.said(0, 'p1', 'plan.explorer', pg_temp.span(0, 720), 'ann'),
    jsonb_build_object('transfer', '{"from": ["ann"], "to": ["bob"], "at": "2030-01-05T00:00:00Z"}'::jsonb),
    jsonb_build_object('transfer', '{"from": ["bob"], "to": ["ann"], "at": "2030-01-06T00:00:00Z"}'::jsonb),
    jsonb_build_object('transfer', '{"from": ["ann"], "to": ["cid"], "at": "2030-01-07T00:00:00Z"}'::jsonb));
SELECT * FROM finish();
ROLLBACK;
