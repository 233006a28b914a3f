-- The functions and views that isolation specs share. Each spec runs in a clone of a database that has them. All of
-- them work in the production environment.

-- The plan of this view takes long, and a function keeps it.
CREATE FUNCTION broken() RETURNS TABLE (name text, detail text) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT v.name, v.detail FROM wallet.violations AS v;
END;
$$;

-- The rows of the template: the catalogue, and the state of the instance.
CREATE SCHEMA kept;
DO $$
DECLARE
    v_table regclass;
    v_has_rows boolean;
BEGIN
    FOR v_table IN SELECT c.oid FROM pg_class AS c
    WHERE c.relnamespace = 'wallet'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', v_table) INTO v_has_rows;
        IF v_has_rows THEN
            EXECUTE format('CREATE TABLE kept.%s AS TABLE %s', split_part(v_table::text, '.', 2), v_table);
        END IF;
    END LOOP;
END;
$$;

-- Returns the wallet to the rows of the template. TRUNCATE would discard the plans of all sessions, and they would be
-- made again in each permutation.
CREATE PROCEDURE reset() LANGUAGE plpgsql SET session_replication_role = replica AS $$
DECLARE
    v_table record;
BEGIN
    FOR v_table IN
        SELECT
            c.oid::regclass AS name,
            to_regclass('kept.' || c.relname) AS kept,
            (
                SELECT string_agg(quote_ident(a.attname), ', ') FROM pg_attribute AS a
                WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
            ) AS columns
        FROM pg_class AS c
        WHERE c.relnamespace = 'wallet'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    LOOP
        EXECUTE format('DELETE FROM %s', v_table.name);
        IF v_table.kept IS NOT NULL THEN
            EXECUTE format(
                'INSERT INTO %1$s (%2$s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM %3$s',
                v_table.name, v_table.columns, v_table.kept
            );
        END IF;
    END LOOP;
END;
$$;

-- Credits and classes
CREATE FUNCTION gift(who text, amount bigint, expires timestamptz DEFAULT 'infinity') RETURNS boolean
LANGUAGE sql AS $$
    SELECT wallet.adjust(
        wallet.account_for(who), 'production', 'credit', amount, 'gift ' || who || ' ' || amount || ' ' || expires,
        'test', 'gift', expires
    );
$$;
CREATE FUNCTION lesson(class text, price bigint, seats integer DEFAULT 10) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.put_class(
        class, class, wallet.now() + interval '3 days', wallet.now() + interval '3 days 1 hour', seats, price, NULL,
        1440, 'test', NULL
    );
$$;
CREATE FUNCTION lesson_at(class text, ahead interval, limits wallet.class_limits DEFAULT NULL) RETURNS void
LANGUAGE sql AS $$
    SELECT wallet.put_class(
        class, class, date_trunc('day', wallet.now()) + ahead,
        date_trunc('day', wallet.now()) + ahead + interval '1 hour', 10, 20, NULL, 1440, 'test', NULL, limits
    );
$$;
CREATE VIEW funds AS
SELECT u.user_id, b.credits, b.owed_credits AS owed, b.version
FROM wallet.balances AS b INNER JOIN wallet.users AS u ON b.account_id = u.account_id
ORDER BY u.user_id COLLATE "C", b.environment;
CREATE VIEW seats AS
SELECT s.class_id, s.capacity, s.sold FROM wallet.class_seats AS s
WHERE s.environment = 'production' AND s.class_id !~ '^demo-'
ORDER BY s.class_id COLLATE "C";

-- Bookings and cancellations of one batch; the lists are separated by commas.
CREATE FUNCTION ask(ops text, whos text, keys text, classes text, wait boolean DEFAULT TRUE) RETURNS TABLE (said text)
LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', o.item, o.status, o.slug, o.booking_status, CASE WHEN o.replayed THEN 'replayed' END,
        'credits ' || o.credits
    )
    FROM wallet.book_batch(ARRAY(
        SELECT ROW(
            wallet.account_for(i.who), 'production', i.op, md5(i.key)::uuid, i.key, i.class, 1, NULL, NULL
        )::wallet.booking_request
        FROM unnest(
            string_to_array(ops, ','), string_to_array(whos, ','), string_to_array(keys, ','),
            string_to_array(classes, ',')
        ) WITH ORDINALITY AS i (op, who, key, class, n)
        ORDER BY i.n
    ), wait) AS o
    ORDER BY o.item;
$$;
CREATE FUNCTION book(who text, key text, class text, wait boolean DEFAULT TRUE) RETURNS TABLE (said text)
LANGUAGE sql AS $$
    SELECT * FROM ask('book', who, key, class, wait);
$$;
CREATE FUNCTION cancel(who text, key text) RETURNS TABLE (said text) LANGUAGE sql AS $$
    SELECT * FROM ask('cancel', who, key, NULL);
$$;

-- Purchases
CREATE FUNCTION fact(id text, more jsonb DEFAULT jsonb_build_object()) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'store', 'app_store', 'environment', 'production', 'transaction_id', id,
        'store_product_id', 'com.hobbyist.bookingapp.credits.starter', 'kind', 'one_time',
        'purchased_at', '2026-01-01T00:00:00Z', 'refunded_millionths', 0, 'source', 'receipt',
        'source_at', '2026-01-01T00:00:00Z'
    ) || more);
$$;
CREATE FUNCTION buy(who text, id text, more jsonb DEFAULT jsonb_build_object()) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', f.verdict, f.amount, f.reason, CASE WHEN f.duplicate THEN 'duplicate' END)
    FROM wallet.apply_fact(wallet.account_for(who), fact(id, more)) AS f;
$$;

-- Waitlists
CREATE VIEW reserved_seats AS
SELECT s.class_id, s.capacity, s.sold, s.reserved FROM wallet.class_seats AS s
WHERE s.environment = 'production' AND s.class_id !~ '^demo-'
ORDER BY s.class_id COLLATE "C";
CREATE FUNCTION joins(who text, class text, seats integer DEFAULT 1) RETURNS text LANGUAGE sql AS $$
    SELECT CASE
        WHEN wallet.join_waitlist(wallet.account_for(who), 'production', class, seats, NULL, NULL) THEN 'new'
        ELSE 'known'
    END;
$$;
CREATE FUNCTION leaves(who text, class text) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.leave_waitlist(wallet.account_for(who), 'production', class);
$$;
CREATE FUNCTION promote(class text) RETURNS text LANGUAGE sql AS $$
    SELECT wallet.promote_next(class, 'production');
$$;
CREATE VIEW line AS
SELECT p.class_id, p.place, u.user_id
FROM wallet.waitlist_places AS p INNER JOIN wallet.users AS u ON p.account_id = u.account_id
ORDER BY p.class_id, p.place;
CREATE VIEW booked AS
SELECT u.user_id, b.class_id, b.status, b.promoted
FROM wallet.booking_details AS b LEFT JOIN wallet.users AS u ON b.account_id = u.account_id
ORDER BY u.user_id COLLATE "C", b.class_id, b.status;

-- Changes of the timetable, and a series of daily classes with one seat
CREATE FUNCTION timetable(action text, target jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(n.key || ' ' || n.value, ', ' ORDER BY n.key COLLATE "C")
    FROM wallet.operator_act(action, target, 'test', 'timetable', NULL) AS a
    CROSS JOIN jsonb_each_text(a.after) AS n
    WHERE n.key IN ('series_id', 'created', 'changed', 'moved', 'cancelled', 'bookings', 'credits');
$$;
CREATE FUNCTION put_series(
    start text DEFAULT '18:00', price integer DEFAULT 20, ahead integer DEFAULT 2,
    days text DEFAULT 'monday,tuesday,wednesday,thursday,friday,saturday,sunday', id text DEFAULT 'yoga'
) RETURNS text LANGUAGE sql AS $$
    SELECT timetable('put-series', jsonb_build_object(
        'series_id', id,
        'definition', jsonb_build_object(
            'title', 'Yoga', 'weekdays', string_to_array(days, ','), 'start_time', start, 'minutes', 60,
            'time_zone', 'UTC', 'capacity', 1, 'price_credits', price, 'from_date', '2030-01-02',
            'create_days_ahead', ahead
        )
    ));
$$;

-- Waits until no other session has been active for half a second, at most a minute.
CREATE FUNCTION quiet() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_calm integer := 0;
BEGIN
    FOR v_turn IN 1 .. 1200 LOOP
        PERFORM pg_sleep(0.05), pg_stat_clear_snapshot();
        v_calm := CASE WHEN EXISTS (
            SELECT FROM pg_stat_activity AS a
            WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.backend_type = 'client backend'
                AND a.state = 'active' AND a.query NOT LIKE '%session_is_blocked%'
        ) THEN 0 ELSE v_calm + 1 END;
        EXIT WHEN v_calm = 10;
    END LOOP;
END;
$$;
