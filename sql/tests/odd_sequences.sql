-- Money in odd orders: thousands of random facts (any identifiers, quantities, shares, source times), bookings,
-- cancellations, adjustments and waits over few users, purchases and classes. After each, every invariant holds, and no
-- wallet holds more than its purchases and gifts are worth less what its bookings cost.
BEGIN;
\ir support/books.sql
SELECT * FROM no_plan();

CREATE FUNCTION pg_temp.pick(VARIADIC p_of text[]) RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT p_of[1 + floor(random() * cardinality(p_of))::integer];
$$;

-- What a wallet may hold at most, derived from claims, adjustments and bookings alone. Lapses only make it less.
CREATE FUNCTION pg_temp.overdrawn() RETURNS text LANGUAGE sql AS $$
    SELECT format('%s %s %s', w.account_id, u.unit, u.funds)
    FROM wallet.wallets AS w
    CROSS JOIN LATERAL (VALUES
        ('credit'::wallet.unit, w.credits - w.owed_credits), ('visit', w.visits - w.owed_visits)
    ) AS u (unit, funds)
    WHERE u.funds > coalesce((
        SELECT sum(c.grant_amount * c.quantity - c.grant_amount * c.quantity * c.refunded_millionths / 1000000)
        FROM wallet.claims AS c INNER JOIN wallet.products AS p ON c.product_id = p.product_id
        WHERE c.account_id = w.account_id AND c.environment = w.environment AND c.granted_at IS NOT NULL
            AND p.unit = u.unit AND c.duplicate_of IS NULL
    ), 0) + coalesce((
        SELECT sum(a.amount) FROM wallet.adjustments AS a
        WHERE a.account_id = w.account_id AND a.environment = w.environment AND a.unit = u.unit
    ), 0) - coalesce((
        SELECT sum(b.amount - coalesce(b.returned, 0)) FROM wallet.bookings AS b
        WHERE b.account_id = w.account_id AND b.environment = w.environment AND b.unit = u.unit
    ), 0)
    LIMIT 1;
$$;

CREATE FUNCTION pg_temp.step() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_user CONSTANT text := pg_temp.pick('ann', 'bob', 'cid');
    v_what CONSTANT text := pg_temp.pick('fact', 'fact', 'fact', 'refund', 'refund', 'book', 'book', 'book', 'cancel',
        'cancel', 'gift', 'take', 'wait', 'sweep');
BEGIN
    CASE v_what
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
            PERFORM wallet.book_batch(
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
            PERFORM wallet.sweep(1);
    END CASE;
    RETURN v_what;
EXCEPTION WHEN SQLSTATE 'WL402' OR SQLSTATE 'WL422' THEN
    RETURN v_what || ' refused';
END;
$$;

-- Walks until something breaks; tells the step and what broke, then forgets all of it.
CREATE FUNCTION pg_temp.walk(p_seed float, p_steps integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_did text;
    v_broken text;
BEGIN
    PERFORM setseed(p_seed);
    PERFORM pg_temp.lesson('a', 20), pg_temp.lesson('b', 7, 1), pg_temp.lesson('c', 30, NULL, 3, '6 days', 60),
        pg_temp.lesson('v', NULL, 1, 4, '2 days', 0);
    FOR v_step IN 1 .. p_steps LOOP
        v_did := pg_temp.step();
        SELECT v.name || ': ' || v.detail INTO v_broken FROM wallet.violations AS v LIMIT 1;
        v_broken := coalesce(v_broken, 'more than was ever given: ' || pg_temp.overdrawn());
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
