-- Helpers for every test, included inside its transaction: pgTAP, a clock that only the test moves, and short functions
-- to buy, book, cancel and read. They contain no rules: each calls the functions that the service calls.
SET LOCAL client_min_messages = warning;
-- Off, as for the service's roles: compiling all invariants takes long.
SET LOCAL jit = off;
CREATE EXTENSION IF NOT EXISTS pgtap;
DO $$ BEGIN PERFORM wallet.mark_dev(); END $$;
SET LOCAL timezone = 'UTC';
SELECT set_config('t.now', '2030-01-01 12:00:00+00', TRUE);

-- In PL/pgSQL, as most functions here: a function in SQL plans its statement for each call.
CREATE OR REPLACE FUNCTION wallet.now() RETURNS timestamptz LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN current_setting('t.now')::timestamptz;
END;
$$;

CREATE FUNCTION pg_temp.wait(p_by interval) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('t.now', (wallet.now() + p_by)::text, TRUE);
END;
$$;

-- Allows or forbids index scans, whose order could hide a missing ORDER BY.
CREATE FUNCTION pg_temp.by_index(p_may boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('enable_indexscan', p_may::text, TRUE), set_config('enable_bitmapscan', p_may::text, TRUE);
    DISCARD PLANS;
END;
$$;

-- One of the given texts at random.
CREATE FUNCTION pg_temp.pick(VARIADIC p_of text[]) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN p_of[1 + floor(random() * cardinality(p_of))::integer];
END;
$$;

-- A store's fact; null members of p_more are left out.
CREATE FUNCTION pg_temp.fact(p_id text, p_product text, p_more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
    RETURN jsonb_strip_nulls(jsonb_build_object(
        'store', 'app_store', 'environment', 'production', 'transaction_id', p_id, 'original_transaction_id', p_id,
        'store_product_id', CASE
            WHEN p_product IN ('starter', 'explorer', 'enthusiast', 'power')
            THEN 'com.hobbyist.bookingapp.credits.' || p_product
            WHEN p_product LIKE 'plan.%' THEN 'com.hobbyist.bookingapp.subscription.' || substr(p_product, 6)
            ELSE p_product
        END,
        'kind', CASE WHEN p_product LIKE 'plan.%' THEN 'subscription' ELSE 'one_time' END,
        'period_type', CASE WHEN p_product LIKE 'plan.%' THEN 'normal' END,
        'expires_at', CASE WHEN p_product LIKE 'plan.%' THEN wallet.now() + interval '30 days' END,
        'quantity', 1, 'ownership', 'purchased', 'purchased_at', wallet.now(), 'pending', FALSE, 'upgraded', FALSE,
        'refunded_millionths', 0, 'source', 'receipt', 'source_at', wallet.now()
    ) || p_more);
END;
$$;

-- Submits a fact for a user, or for none.
CREATE FUNCTION pg_temp.buy(p_user text, p_id text, p_product text, p_more jsonb DEFAULT '{}')
RETURNS wallet.fact_outcome LANGUAGE plpgsql AS $$
DECLARE
    v_account_id bigint;
BEGIN
    IF p_user IS NOT NULL THEN
        v_account_id := wallet.account_for(p_user);
    END IF;
    RETURN wallet.apply_fact(v_account_id, pg_temp.fact(p_id, p_product, p_more));
END;
$$;

CREATE FUNCTION pg_temp.says(p_outcome wallet.fact_outcome) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', p_outcome.verdict, CASE WHEN p_outcome.verdict = 'granted' THEN p_outcome.amount END, p_outcome.unit,
        p_outcome.reason, CASE WHEN p_outcome.duplicate THEN 'duplicate' END
    );
$$;

-- Gives a user a lot by an adjustment, and returns the lot's id.
CREATE FUNCTION pg_temp.gift(
    p_user text,
    p_amount bigint,
    p_unit wallet.unit DEFAULT 'credit',
    p_valid interval DEFAULT NULL,
    p_environment wallet.environment DEFAULT 'production'
) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
    v_reference CONSTANT text := gen_random_uuid();
BEGIN
    PERFORM wallet.adjust(
        wallet.account_for(p_user), p_environment, p_unit, p_amount, v_reference, 'test', 'gift',
        coalesce(wallet.now() + p_valid, 'infinity')
    );
    RETURN (
        SELECT e.lot_id FROM wallet.adjustments AS a
        INNER JOIN wallet.entries AS e
            ON a.account_id = e.account_id AND a.environment = e.environment AND a.first_version = e.version
        WHERE a.reference = v_reference
    );
END;
$$;

CREATE FUNCTION pg_temp.lesson(
    p_class_id text,
    p_credits bigint,
    p_visits bigint DEFAULT NULL,
    p_capacity integer DEFAULT 10,
    p_ahead interval DEFAULT '3 days',
    p_free_minutes integer DEFAULT 1440
) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.put_class(
        p_class_id, 'Class ' || p_class_id, wallet.now() + p_ahead, wallet.now() + p_ahead + interval '1 hour',
        p_capacity,
        p_credits, p_visits, p_free_minutes, 'operator', NULL
    );
$$;

-- The id that pg_temp.book gives to the booking of a key.
CREATE FUNCTION pg_temp.id_of(p_key text) RETURNS uuid LANGUAGE sql AS $$ SELECT md5(p_key)::uuid; $$;

-- The answer to a batch of one item.
CREATE FUNCTION pg_temp.ask(
    p_operation text,
    p_user text,
    p_key text,
    p_class_id text DEFAULT NULL,
    p_seats integer DEFAULT 1,
    p_pay_with text DEFAULT NULL,
    p_max_amount bigint DEFAULT NULL,
    p_environment wallet.environment DEFAULT 'production'
) RETURNS wallet.booking_outcome LANGUAGE sql AS $$
    SELECT o.* FROM wallet.book_batch(ARRAY[ROW(
        wallet.account_for(p_user), p_environment, p_operation, pg_temp.id_of(p_key), p_key, p_class_id, p_seats,
        p_pay_with, p_max_amount
    )::wallet.booking_request]) AS o;
$$;

-- Items from arrays, one element per item; missing elements are null.
CREATE FUNCTION pg_temp.requests(
    p_account_ids bigint[],
    p_environments wallet.environment[],
    p_operations text[],
    p_booking_ids uuid[],
    p_keys text[] DEFAULT '{}',
    p_class_ids text[] DEFAULT '{}',
    p_seats integer[] DEFAULT '{}',
    p_pay_with text[] DEFAULT '{}',
    p_max_amounts bigint[] DEFAULT '{}'
) RETURNS wallet.booking_request[] LANGUAGE sql AS $$
    SELECT ARRAY(
        SELECT ROW(i.account, i.environment, i.operation, i.id, i.key, i.class, i.seats, i.pay, i.amount)::wallet.booking_request
        FROM unnest(
            p_account_ids, p_environments, p_operations, p_booking_ids, p_keys, p_class_ids, p_seats, p_pay_with,
            p_max_amounts
        ) WITH ORDINALITY AS i (account, environment, operation, id, key, class, seats, pay, amount, n)
        ORDER BY i.n
    );
$$;
CREATE FUNCTION pg_temp.batch(
    p_account_ids bigint[],
    p_environments wallet.environment[],
    p_operations text[],
    p_booking_ids uuid[],
    p_keys text[],
    p_class_ids text[],
    p_seats integer[],
    p_pay_with text[],
    p_max_amounts bigint[],
    p_wait boolean DEFAULT TRUE
) RETURNS SETOF wallet.booking_outcome LANGUAGE sql AS $$
    SELECT * FROM wallet.book_batch(pg_temp.requests(
        p_account_ids, p_environments, p_operations, p_booking_ids, p_keys, p_class_ids, p_seats, p_pay_with,
        p_max_amounts
    ), p_wait);
$$;

-- A cancellation by the studio, the wallet or a user.
CREATE FUNCTION pg_temp.cancel_by(p_account_id bigint, p_environment wallet.environment, p_booking_id uuid, p_by text)
RETURNS wallet.booking_outcome LANGUAGE sql AS $$
    SELECT o.* FROM wallet.decide_batch(
        pg_temp.requests(ARRAY[p_account_id], ARRAY[p_environment], '{cancel}', ARRAY[p_booking_id]), p_by, TRUE
    ) AS o;
$$;

CREATE FUNCTION pg_temp.book(
    p_user text,
    p_key text,
    p_class_id text,
    p_seats integer DEFAULT 1,
    p_pay_with text DEFAULT NULL,
    p_max_amount bigint DEFAULT NULL,
    p_environment wallet.environment DEFAULT 'production'
) RETURNS wallet.booking_outcome LANGUAGE sql AS $$
    SELECT pg_temp.ask('book', p_user, p_key, p_class_id, p_seats, p_pay_with, p_max_amount, p_environment);
$$;

CREATE FUNCTION pg_temp.cancel(p_user text, p_key text, p_environment wallet.environment DEFAULT 'production')
RETURNS wallet.booking_outcome LANGUAGE sql AS $$
    SELECT pg_temp.ask('cancel', p_user, p_key, p_environment => p_environment);
$$;

CREATE FUNCTION pg_temp.answer(p_outcome wallet.booking_outcome) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', p_outcome.status, p_outcome.slug, p_outcome.booking_status, p_outcome.amount, p_outcome.unit,
        'returned ' || p_outcome.returned, CASE WHEN p_outcome.late_cancel THEN 'late' END,
        CASE WHEN p_outcome.replayed THEN 'replayed' END
    );
$$;

-- Credits, visits, owed credits and owed visits, as readers see them.
CREATE FUNCTION pg_temp.funds(p_user text, p_environment wallet.environment DEFAULT 'production') RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    RETURN (
        SELECT concat_ws(' ', b.credits, b.visits, b.owed_credits, b.owed_visits)
        FROM wallet.balances AS b
        INNER JOIN wallet.users AS u ON b.account_id = u.account_id
        WHERE u.user_id = p_user AND b.environment = p_environment
    );
END;
$$;
-- The wallets at the row locations that a function returned, in its order; read after that function has finished.
CREATE FUNCTION pg_temp.wallets_at(p_places tid[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN coalesce((
        SELECT string_agg(w.environment || ' ' || i.user_id, ', ' ORDER BY p.n)
        FROM unnest(p_places) WITH ORDINALITY AS p (place, n)
        INNER JOIN wallet.wallets AS w ON w.ctid = p.place
        INNER JOIN wallet.identities AS i ON i.account_id = w.account_id
    ), '');
END;
$$;

-- The ledger as text, from an entry on: 'kind amount', and the change of the debt.
CREATE FUNCTION pg_temp.story(p_user text, p_after bigint DEFAULT 0) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', e.kind, e.amount, 'owed ' || nullif(e.owed_change, 0)), ', ' ORDER BY e.version)
    FROM wallet.entries AS e
    INNER JOIN wallet.users AS u ON e.account_id = u.account_id
    WHERE u.user_id = p_user AND e.environment = 'production' AND e.version > p_after;
$$;

-- The events since the last call.
CREATE FUNCTION pg_temp.unread() RETURNS SETOF wallet.outbox LANGUAGE plpgsql AS $$
DECLARE
    v_after CONSTANT bigint := coalesce(nullif(current_setting('t.read_event', TRUE), ''), '0');
BEGIN
    PERFORM set_config('t.read_event', (SELECT max(o.event_id) FROM wallet.outbox AS o)::text, TRUE);
    RETURN QUERY SELECT o.* FROM wallet.outbox AS o WHERE o.event_id > v_after ORDER BY o.event_id;
END;
$$;

CREATE FUNCTION pg_temp.seats_sold(p_class_id text, p_environment wallet.environment DEFAULT 'production')
RETURNS integer LANGUAGE sql AS $$
    SELECT s.sold FROM wallet.class_seats AS s WHERE s.class_id = p_class_id AND s.environment = p_environment;
$$;

-- The error of a statement: SQLSTATE, message and detail; 'nothing' if it succeeds. Runs as a role, if one is given.
CREATE FUNCTION pg_temp.raised(p_statement text, p_role text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_state text;
    v_message text;
    v_detail text;
BEGIN
    IF p_role IS NOT NULL THEN
        EXECUTE format('SET LOCAL ROLE %I', p_role);
    END IF;
    EXECUTE p_statement;
    RESET ROLE;
    RETURN 'nothing';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS
        v_state = RETURNED_SQLSTATE, v_message = MESSAGE_TEXT, v_detail = PG_EXCEPTION_DETAIL;
    IF v_state NOT LIKE 'WL%' THEN
        RETURN v_state;
    END IF;
    -- The views of schema admin raise a sentence, with the rest in the detail.
    IF wallet.admin_sentence(substring(v_detail FROM '^[a-z-]+')) = v_message THEN
        RETURN v_state || ' ' || v_detail;
    END IF;
    RETURN concat_ws(' ', v_state, v_message, nullif(v_detail, ''));
END;
$$;

-- p_but: invariants that the test broke on purpose, by writing to tables or calling internal functions.
CREATE FUNCTION pg_temp.sound(VARIADIC p_but text[] DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT is_empty(
        format('SELECT v.name, v.detail FROM wallet.violations AS v WHERE v.name <> ALL(%L::text[])', p_but),
        'no invariant is broken'
    );
$$;
