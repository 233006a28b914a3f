-- Helpers for tests of subscriptions, included after books.sql: a store's own report, periods of one chain by days, and
-- the events that were sent.

-- Reports a purchase as a store does, for the owner that the store names, if any.
CREATE FUNCTION pg_temp.report(p_owner text, p_id text, p_product text, p_more jsonb DEFAULT '{}') RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    RETURN pg_temp.says(wallet.apply_statement(jsonb_build_object(
        'owners', to_jsonb(array_remove(ARRAY[p_owner], NULL)),
        'fact', pg_temp.fact(p_id, p_product, '{"source": "notification"}' || p_more)
    )));
END;
$$;

-- The noon of a day, counted from the first day of every test.
CREATE FUNCTION pg_temp.noon(p_day numeric) RETURNS timestamptz LANGUAGE sql AS $$
    SELECT timestamptz '2030-01-01 12:00:00+00' + make_interval(secs => (p_day * 86400)::float);
$$;

-- A period of one chain, from one day to another.
CREATE FUNCTION pg_temp.days(p_from numeric, p_to numeric, p_more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object(
        'purchased_at', pg_temp.noon(p_from), 'expires_at', pg_temp.noon(p_to), 'original_transaction_id', 'chain'
    ) || p_more;
$$;

-- Reports, a second later, a period of thirty days of a plan with ten visits.
CREATE FUNCTION pg_temp.buy_month(p_user text, p_id text, p_from numeric, p_refunded integer DEFAULT 0) RETURNS void
LANGUAGE sql AS $$
    SELECT pg_temp.wait('1 second'), pg_temp.buy(p_user, p_id, 'plan.enthusiast', pg_temp.days(
        p_from, p_from + 30, jsonb_build_object('refunded_millionths', p_refunded)
    ));
$$;

-- Moves the clock to a day and runs the workers.
CREATE FUNCTION pg_temp.day(p_day numeric) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('t.now', pg_temp.noon(p_day)::text, TRUE);
    PERFORM wallet.sweep(100), wallet.sweep_subscriptions(100);
END;
$$;

CREATE FUNCTION pg_temp.claim(p_id text) RETURNS wallet.claims LANGUAGE sql AS $$
    SELECT c.* FROM wallet.claims AS c WHERE c.transaction_id = p_id ORDER BY c.claim_id LIMIT 1;
$$;

-- The types of the subscription events sent since the last call.
CREATE FUNCTION pg_temp.new_events() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(substr(o.type, 14), ' ' ORDER BY o.event_id) FROM pg_temp.unread() AS o
    WHERE o.type LIKE 'subscription.%';
$$;

-- The remaining and the granted amounts of a wallet's rolled-over lots, the oldest first.
CREATE FUNCTION pg_temp.rolled(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(l.remaining || '/' || l.granted, ' ' ORDER BY l.lot_id) FROM wallet.lots AS l
    WHERE l.account_id = wallet.account_for(p_user) AND l.rolled_from IS NOT NULL;
$$;

-- The remaining amounts of a wallet's plan lots, the oldest first.
CREATE FUNCTION pg_temp.plan_lots(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(
        ' ', CASE WHEN l.rolled_from IS NOT NULL THEN 'rolled' END,
        l.remaining || '/' || l.granted, 'until ' || to_char(l.expires_at, 'MM-DD')
    ), ', ' ORDER BY l.lot_id)
    FROM wallet.lots AS l WHERE l.account_id = wallet.account_for(p_user) AND l.source = 'plan';
$$;
