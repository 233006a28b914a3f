-- Thousands of random facts (any identifiers, quantities, shares, flags, source times, stores and owners), transfers,
-- bookings, cancellations, adjustments and waits over a few users, purchases and classes. After each, every invariant
-- holds, no wallet holds more than its purchases and gifts are worth less the price of its bookings, and each
-- subscription belongs to the owner of its newest period.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();

-- The maximum that a wallet may hold, derived from claims, adjustments and bookings alone. Lapses only reduce it.
CREATE FUNCTION pg_temp.overdrawn() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN (
        SELECT format('%s %s %s', w.account_id, u.unit, u.funds)
        FROM wallet.wallets AS w
        CROSS JOIN LATERAL (VALUES
            ('credit'::wallet.unit, w.credits - w.owed_credits), ('visit', w.visits - w.owed_visits)
        ) AS u (unit, funds)
        WHERE u.funds > coalesce((
            SELECT sum(wallet.claim_worth(c) - wallet.claim_worth(c) * c.refunded_millionths / 1000000)
            FROM wallet.claims AS c INNER JOIN wallet.products AS p ON c.product_id = p.product_id
            WHERE c.account_id = w.account_id AND c.environment = w.environment AND c.granted_at IS NOT NULL
                AND p.unit = u.unit AND c.duplicate_of IS NULL
        ), 0) + coalesce((
            -- The maximum rollover by the period's terms, if another period of its subscription follows.
            SELECT sum(least(c.rollover_percentage * wallet.claim_worth(c) / 100, c.rollover_cap))
            FROM wallet.claims AS c
            WHERE c.account_id = w.account_id AND c.environment = w.environment AND c.granted_at IS NOT NULL
                AND u.unit = 'visit' AND c.expires_at <= wallet.now() AND EXISTS (
                    SELECT FROM wallet.claims AS n
                    WHERE n.store = c.store AND n.environment = c.environment AND n.account_id = c.account_id
                        AND n.original_transaction_id = c.original_transaction_id AND n.purchased_at > c.purchased_at
                        AND n.granted_at IS NOT NULL
                )
        ), 0) + coalesce((
            SELECT sum(a.amount) FROM wallet.adjustments AS a
            WHERE a.account_id = w.account_id AND a.environment = w.environment AND a.unit = u.unit
        ), 0) - coalesce((
            SELECT sum(b.amount - coalesce(b.returned, 0)) FROM wallet.bookings AS b
            WHERE b.account_id = w.account_id AND b.environment = w.environment AND b.unit = u.unit
        ), 0)
        LIMIT 1
    );
END;
$$;

-- A store's message about one of a few subscriptions: its owner, its proof and its flags.
CREATE FUNCTION pg_temp.event() RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    v_store CONSTANT text := pg_temp.pick('app_store', 'app_store', 'play_store');
    v_chain CONSTANT text := v_store || floor(random() * 3);
    v_period CONSTANT integer := floor(random() * 4);
    v_from CONSTANT timestamptz := '2030-01-01 00:00:00+00'::timestamptz
        + make_interval(days => v_period, hours => CASE WHEN random() < 0.2 THEN 12 ELSE 0 END);
    v_users CONSTANT jsonb := CASE
        WHEN random() < 0.6 THEN jsonb_build_array(pg_temp.pick('ann', 'bob', 'cid')) ELSE '[]'
    END;
BEGIN
    RETURN jsonb_build_object(
        'statements', jsonb_build_array(jsonb_build_object('owners', v_users, 'fact', pg_temp.fact(
            CASE WHEN random() < 0.95 THEN v_chain || '.' || v_period END,
            pg_temp.pick('plan.explorer', 'plan.enthusiast', 'plan.enthusiast', 'plan.unlimited'),
            jsonb_build_object(
                'store', v_store,
                'original_transaction_id', CASE WHEN random() < 0.95 THEN v_chain END,
                'order_id', CASE WHEN v_store = 'play_store' THEN v_chain || '.' || v_period END,
                'purchase_token', CASE WHEN v_store = 'play_store' THEN 'token' || v_chain END,
                'linked_purchase_token', CASE
                    WHEN v_store = 'play_store' AND random() < 0.2 THEN 'tokenplay_store' || floor(random() * 3)
                END,
                'line_item_id', CASE WHEN random() < 0.1 THEN 'l' || v_period END,
                'purchased_at', v_from,
                'expires_at', CASE
                    WHEN random() < 0.8 THEN v_from + pg_temp.pick('1 day', '1 day', '1 day', '30 hours')::interval
                END,
                'period_type', pg_temp.pick('normal', 'normal', 'normal', 'trial', NULL),
                'ownership', CASE WHEN random() < 0.03 THEN 'family_shared' END,
                'environment', CASE WHEN random() < 0.05 THEN 'sandbox' ELSE 'production' END,
                'app_account_token', CASE
                    WHEN random() < 0.1 THEN wallet.app_account_token(pg_temp.pick('ann', 'zoe'))
                END,
                'app_transaction_id', CASE WHEN random() < 0.5 THEN pg_temp.pick('app1', 'app2') END,
                'reported_amount', CASE WHEN random() < 0.1 THEN floor(random() * 20) END,
                'pending', random() < 0.4,
                'occasion', pg_temp.pick('renewal', 'uncancellation', 'cancellation', 'billing_issue', 'expiration',
                    'refund', NULL),
                'will_renew', pg_temp.pick('true', 'false', NULL)::boolean,
                'billing_issue', pg_temp.pick('true', 'false', NULL, NULL)::boolean,
                'paused', pg_temp.pick('true', 'false', NULL, NULL, NULL)::boolean,
                'revoked', pg_temp.pick('true', 'false', NULL, NULL, NULL, NULL)::boolean,
                'grace_ends_at', CASE WHEN random() < 0.2 THEN v_from + interval '36 hours' END,
                'expired_at', CASE WHEN random() < 0.2 THEN v_from + interval '1 day' END,
                'refunded_millionths',
                pg_temp.pick('0', '333333', '1000000', NULL, NULL, NULL, NULL, NULL)::integer,
                'refunded_at', CASE WHEN random() < 0.5 THEN v_from END,
                'source', 'notification',
                'source_at', v_from + make_interval(hours => floor(random() * 48)::integer)
            )
        ) || CASE WHEN random() < 0.3 THEN '{}' ELSE '{"refunded_millionths": null}'::jsonb END)),
        'transfer', CASE WHEN random() < 0.1 THEN jsonb_build_object(
            'from', jsonb_build_array(pg_temp.pick('ann', 'bob', 'cid')),
            'to', jsonb_build_array(pg_temp.pick('ann', 'bob', 'cid')),
            'at', '2030-01-01 00:00:00+00'::timestamptz + make_interval(hours => floor(random() * 96)::integer)
        ) END
    );
END;
$$;

-- Subscriptions that contradict their periods and transfers.
CREATE FUNCTION pg_temp.astray() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN (
        SELECT 'a subscription astray: ' || s.original_transaction_id FROM wallet.subscriptions AS s
        LEFT JOIN LATERAL (
            SELECT c.* FROM wallet.claims AS c
            WHERE c.store = s.store AND c.environment = s.environment AND c.kind = 'subscription'
                AND c.chain_id = s.original_transaction_id AND c.granted_at IS NOT NULL
                AND c.duplicate_of IS NULL
            ORDER BY c.purchased_at DESC, c.expires_at DESC, c.transaction_id DESC LIMIT 1
        ) AS p ON TRUE
        WHERE CASE
            WHEN p.claim_id IS NULL THEN s.ended IS DISTINCT FROM 'revoked'
            ELSE p.claim_id <> s.current_claim_id OR s.account_id <> wallet.transferred_to(p)
        END
        LIMIT 1
    );
END;
$$;

CREATE FUNCTION pg_temp.step() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_user CONSTANT text := pg_temp.pick('ann', 'bob', 'cid');
    v_what CONSTANT text := pg_temp.pick('event', 'event', 'event', 'event', 'fact', 'fact', 'refund', 'book', 'book', 'book', 'cancel',
        'cancel', 'gift', 'take', 'wait', 'sweep');
BEGIN
    CASE v_what
        WHEN 'event' THEN
            PERFORM wallet.apply_event(pg_temp.event());
        WHEN 'fact', 'refund' THEN
            PERFORM wallet.apply_fact(
                CASE WHEN random() < 0.8 THEN wallet.account_for(v_user) END,
                pg_temp.fact(NULL, pg_temp.pick('starter', 'explorer', 'singleVisit', 'threeVisit', 'plan.explorer'),
                    jsonb_build_object(
                        'transaction_id', CASE WHEN random() < 0.9 THEN 't' || floor(random() * 12) END,
                        'original_transaction_id', CASE WHEN random() < 0.05 THEN 'o' || floor(random() * 4) END,
                        'line_item_id', CASE WHEN random() < 0.05 THEN 'l' || floor(random() * 4) END,
                        'purchase_token', CASE WHEN random() < 0.05 THEN 'p' || floor(random() * 4) END,
                        'order_id', CASE WHEN random() < 0.1 THEN 'r' || floor(random() * 4) END,
                        'purchased_at',
                        timestamptz '2029-12-31 00:00:00+00' + make_interval(secs => floor(random() * 3)),
                        'expires_at', timestamptz '2030-01-05 00:00:00+00',
                        'quantity', 1 + floor(random() * 3),
                        'source_at',
                        timestamptz '2030-01-01 00:00:00+00' + make_interval(secs => floor(random() * 500)),
                        'refunded_millionths',
                        CASE WHEN v_what = 'refund' THEN pg_temp.pick('0', '333333', '1000000')::integer END
                    ))
            );
        WHEN 'book' THEN
            PERFORM pg_temp.book(v_user, pg_temp.pick('1', '2', '3') || random()::text,
                pg_temp.pick('a', 'b', 'c', 'v'),
                1 + floor(random() * 2)::integer, pg_temp.pick('credits', 'visits', NULL, NULL));
        WHEN 'cancel' THEN
            PERFORM pg_temp.batch(
                ARRAY[b.account_id], ARRAY[b.environment], ARRAY['cancel'], ARRAY[b.booking_id], '{}', '{}', '{}',
                    '{}', '{}'
            ) FROM (SELECT * FROM wallet.bookings AS b ORDER BY random() LIMIT 1) AS b;
        WHEN 'gift' THEN
            PERFORM wallet.adjust(wallet.account_for(v_user), 'production',
                pg_temp.pick('credit', 'visit')::wallet.unit,
                1 + floor(random() * 30)::integer, random()::text, 'test', 'gift',
                coalesce(wallet.now() + pg_temp.pick('1 day', '3 days', NULL)::interval, 'infinity'));
        WHEN 'take' THEN
            PERFORM wallet.adjust(wallet.account_for(v_user), 'production', 'credit', -5, random()::text, 'test',
                'taken');
        WHEN 'wait' THEN
            PERFORM pg_temp.wait(pg_temp.pick('1 second', '1 hour', '13 hours')::interval);
        ELSE
            PERFORM wallet.sweep(1), wallet.sweep_subscriptions(1);
    END CASE;
    RETURN v_what;
EXCEPTION WHEN SQLSTATE 'WL402' OR SQLSTATE 'WL409' OR SQLSTATE 'WL422' THEN
    RETURN v_what || ' refused';
END;
$$;

-- Walks until something breaks; returns the step and the problem, and rolls everything back.
CREATE FUNCTION pg_temp.walk(p_seed float, p_steps integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_did text;
    v_broken text;
BEGIN
    PERFORM setseed(p_seed);
    INSERT INTO wallet.stores (store, grants_from) VALUES ('play_store', '2020-01-01T00:00Z')
    ON CONFLICT (store) DO NOTHING;
    UPDATE wallet.products SET trial_amount = 2 WHERE kind = 'plan' AND NOT unlimited;
    PERFORM pg_temp.lesson('a', 20), pg_temp.lesson('b', 7, 1), pg_temp.lesson('c', 30, NULL, 3, '6 days', 60),
        pg_temp.lesson('v', NULL, 1, 4, '2 days', 0);
    FOR v_step IN 1 .. p_steps LOOP
        v_did := pg_temp.step();
        SELECT v.name || ': ' || v.detail INTO v_broken FROM wallet.violations AS v LIMIT 1;
        v_broken := coalesce(v_broken, 'more than was ever given: ' || pg_temp.overdrawn(), pg_temp.astray());
        IF v_broken IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'WL000', MESSAGE = format('step %s, %s: %s', v_step, v_did, v_broken);
        END IF;
    END LOOP;
    RAISE EXCEPTION USING ERRCODE = 'WL000', MESSAGE = 'sound';
EXCEPTION WHEN SQLSTATE 'WL000' THEN
    RETURN SQLERRM;
END;
$$;
SELECT is(pg_temp.walk(s / 100.0, 100), 'sound', 'a hundred steps from seed ' || s) FROM generate_series(1, 20) AS s;
SELECT * FROM finish();
ROLLBACK;
