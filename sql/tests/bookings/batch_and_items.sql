-- wallet.book_batch: a batch has the same answers and effects as its items one after the other (rules 7, 18 to 23). The
-- same random items run twice on the same books: in batches of up to twenty, and as batches of one.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();

-- Ids come from a counter, so that both runs create the same ids.
CREATE OR REPLACE FUNCTION wallet.new_id() RETURNS uuid LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM set_config('t.id', (current_setting('t.id')::integer + 1)::text, TRUE);
    RETURN lpad(to_hex(current_setting('t.id')::integer), 32, '0')::uuid;
END;
$$;

-- Books with every state that an item can meet: several lots, visits, expiries, an unlimited plan, limits, reserved
-- seats, waiting members, a blocked and a deleted account, refunded lots, moved and cancelled classes.
CREATE FUNCTION pg_temp.open_books() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('t.id', '0', TRUE);
    PERFORM set_config('t.now', '2030-01-01 12:00:00+00', TRUE);
    FOR n IN 0 .. 9 LOOP
        PERFORM pg_temp.gift('u' || n, 4 + 3 * n), pg_temp.gift('u' || n, 5, 'credit', '2 days');
        PERFORM pg_temp.gift('u' || n, 2, 'visit') WHERE n % 2 = 0;
    END LOOP;
    PERFORM pg_temp.buy('u1', 'plan-1', 'plan.unlimited'), pg_temp.buy('u2', 'plan-2', 'plan.basic');
    PERFORM pg_temp.buy('u3', 'pack-3', 'starter');
    PERFORM pg_temp.lesson('free', 1), pg_temp.lesson('twin', 3, 1), pg_temp.lesson('dear', 7, NULL, 4);
    PERFORM pg_temp.lesson('few', 1, 1, 3), pg_temp.lesson('full', 1, NULL, 2), pg_temp.lesson('visits', NULL, 1);
    PERFORM pg_temp.lesson('soon', 2, NULL, 10, '2 hours'), pg_temp.lesson('moved', 2, 1);
    PERFORM pg_temp.lesson('gone', 1), pg_temp.lesson('late', 2, 1, 10, '5 days');
    PERFORM pg_temp.lesson('waited', 1, NULL, 2), pg_temp.lesson('strict', 1);
    UPDATE wallet.classes SET max_seats = 1, max_overlaps = 0, days_ahead = 30 WHERE class_id = 'strict';
    PERFORM pg_temp.book('u8', 'before-moved', 'moved'), pg_temp.book('u9', 'before-gone', 'gone');
    PERFORM pg_temp.book('u8', 'before-w1', 'waited'), pg_temp.book('u9', 'before-w2', 'waited');
    PERFORM wallet.join_waitlist(wallet.account_for('u7'), 'production', 'waited', 1, NULL, NULL);
    PERFORM wallet.put_class(
        'moved', 'Class moved', wallet.now() + interval '4 days', wallet.now() + interval '4 days 1 hour', 10, 2, 1,
        1440, 'operator', NULL
    );
    PERFORM wallet.cancel_class('gone', 'ill', 'operator', NULL);
    UPDATE wallet.accounts SET blocked_at = wallet.now() WHERE account_id = wallet.account_for('u6');
    UPDATE wallet.accounts SET deleted_at = wallet.now() WHERE account_id = wallet.account_for('u5');
END;
$$;

CREATE TEMPORARY TABLE items (
    round integer, item integer, who text, operation text, booking_id uuid, key text, class_id text, seats integer,
    pay_with text, max_amount bigint
);
-- One seed gives one sequence; keys and bookings repeat on purpose.
SELECT setseed(0.4711);
INSERT INTO items
SELECT
    r, n, 'u' || floor(random() * 10)::integer, (ARRAY['book', 'book', 'book', 'cancel', 'quote'])[k.kind],
    md5(k.key)::uuid, k.key,
    (ARRAY[
        'free', 'twin', 'dear', 'few', 'full', 'visits', 'soon', 'moved', 'gone', 'late', 'waited', 'strict', 'nowhere'
    ])[1 + floor(random() * 13)::integer],
    CASE WHEN random() < 0.8 THEN 1 ELSE floor(random() * 4)::integer END,
    (ARRAY[NULL, NULL, NULL, NULL, 'credits', 'visits', 'unlimited', 'nothing'])[1 + floor(random() * 8)::integer],
    CASE WHEN random() < 0.1 THEN 1 END
FROM generate_series(1, 60) AS r
CROSS JOIN LATERAL generate_series(1, 1 + floor(random() * 20 + r * 0)::integer) AS n
CROSS JOIN LATERAL (
    SELECT
        1 + floor(random() * 5 + n * 0)::integer AS kind,
        CASE WHEN random() < 0.05 THEN 'before-moved' ELSE 'k' || floor(random() * 250)::integer END AS key
) AS k;

CREATE FUNCTION pg_temp.play(p_round integer, p_as_group boolean) RETURNS SETOF wallet.booking_outcome
LANGUAGE plpgsql AS $$
DECLARE
    v_requests CONSTANT wallet.booking_request[] := ARRAY(
        SELECT ROW(
            wallet.account_for(i.who), 'production', i.operation, i.booking_id, i.key, i.class_id, i.seats, i.pay_with,
            i.max_amount
        )::wallet.booking_request
        FROM items AS i
        WHERE i.round = p_round
        ORDER BY i.item
    );
    v_outcome wallet.booking_outcome;
BEGIN
    IF p_as_group THEN
        RETURN QUERY SELECT * FROM wallet.book_batch(v_requests);
        RETURN;
    END IF;
    FOR v_item IN 1 .. cardinality(v_requests) LOOP
        SELECT * INTO v_outcome FROM wallet.book_batch(v_requests[v_item : v_item]);
        v_outcome.item := v_item;
        RETURN NEXT v_outcome;
    END LOOP;
END;
$$;

-- Runs all rounds on fresh books, stores every answer and the final books, and rolls everything back.
CREATE TEMPORARY TABLE answers (as_group boolean, round integer, item integer, answer jsonb);
CREATE TEMPORARY TABLE books (as_group boolean, name text, content jsonb);
CREATE FUNCTION pg_temp.play_all(p_as_group boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_reported jsonb;
    v_books jsonb;
BEGIN
    BEGIN
        PERFORM pg_temp.open_books();
        FOR v_round IN 1 .. 60 LOOP
            SELECT coalesce(v_reported, '[]') || jsonb_agg(jsonb_build_array(v_round, p.item, to_jsonb(p)))
            INTO v_reported FROM pg_temp.play(v_round, p_as_group) AS p;
            PERFORM pg_temp.wait('17 minutes');
        END LOOP;
        v_books := jsonb_build_object(
            -- One account was deleted by hand, so this violation is expected.
            'violations', (SELECT count(*) FROM wallet.violations AS v WHERE v.name <> 'accounts'),
            'wallets', (SELECT jsonb_agg(to_jsonb(w) - 'head_hash' ORDER BY w.account_id, w.environment) FROM wallet.wallets AS w),
            'lots', (SELECT jsonb_agg(to_jsonb(l) - 'claim_id' ORDER BY l.account_id, l.lot_id) FROM wallet.lots AS l),
            'entries', (SELECT jsonb_agg(
                            -- The actor's digest is salted, so the hash chains differ; the violations check the chains.
                            to_jsonb(e) - '{hash,prev_hash,actor_digest,reason_digest,claim_id}'::text[]
                            ORDER BY e.account_id, e.environment, e.version
                        )
                        FROM wallet.entries AS e),
            'bookings', (SELECT jsonb_agg(to_jsonb(b) ORDER BY b.account_id, b.booking_id)
                         FROM wallet.bookings AS b),
            'seats', (SELECT jsonb_agg(to_jsonb(s) ORDER BY s.class_id, s.environment) FROM wallet.class_seats AS s),
            'waitlist', (SELECT jsonb_agg(to_jsonb(w) - 'entry_id' ORDER BY w.class_id, w.account_id)
                         FROM wallet.waitlist AS w),
            'events', (SELECT jsonb_agg(to_jsonb(o) - '{event_id,xid,claim_id}'::text[]
                           ORDER BY o.account_id, o.at, o.version, o.type, o.booking_id)
                       FROM wallet.outbox AS o)
        );
        RAISE EXCEPTION 'undo' USING ERRCODE = 'UNDO1';
    EXCEPTION WHEN SQLSTATE 'UNDO1' THEN NULL;
    END;
    INSERT INTO answers SELECT p_as_group, (t ->> 0)::integer, (t ->> 1)::integer, t -> 2
    FROM jsonb_array_elements(v_reported) AS t;
    INSERT INTO books SELECT p_as_group, b.key, b.value FROM jsonb_each(v_books) AS b;
END;
$$;
-- Users keep their accounts, so that both runs have the same account ids.
SELECT wallet.account_for('u' || n) FROM generate_series(0, 9) AS n;
SELECT pg_temp.play_all(TRUE);
SELECT pg_temp.play_all(FALSE);

SELECT cmp_ok((SELECT count(*) FROM answers)::integer, '>', 1000, 'there are answers to compare');
SELECT is_empty(
    $$ SELECT g.round, g.item, g.answer, s.answer FROM answers AS g
       INNER JOIN answers AS s ON g.round = s.round AND g.item = s.item AND NOT s.as_group
       WHERE g.as_group AND g.answer <> s.answer ORDER BY g.round, g.item LIMIT 5 $$,
    'every item of a group gets the same answer as alone'
);
SELECT is_empty(
    $$ SELECT g.name FROM books AS g INNER JOIN books AS s ON g.name = s.name AND NOT s.as_group
       WHERE g.as_group AND g.content IS DISTINCT FROM s.content $$,
    'both runs leave the same wallets, lots, entries, bookings, seats, waiting members and events'
);
SELECT is(
    (SELECT array_agg(b.content::text) FROM books AS b WHERE b.name = 'violations'), '{0,0}',
    'no run violates an invariant'
);
SELECT is_empty(
    $$ SELECT w.wanted FROM (VALUES ('201 '), ('200 '), ('409 class-full'), ('409 already-booked'),
           ('402 insufficient-credits'), ('409 price-changed'), ('404 class-not-found'), ('404 booking-not-found'),
           ('403 account-blocked'), ('401 unauthenticated'), ('409 class-closed'), ('422 idempotency-key-reused'),
           ('400 malformed-request'), ('409 payment-not-accepted'), ('409 too-many-seats'),
           ('409 overlapping-booking')) AS w (wanted)
       WHERE NOT EXISTS (
           SELECT FROM answers AS t
           WHERE t.as_group AND concat(t.answer ->> 'status', ' ', t.answer ->> 'slug') = w.wanted
       ) $$,
    'all kinds of answers occurred'
);
SELECT * FROM finish();
ROLLBACK;
