-- Functions with the owner's rights use the wallet's own tables, types and functions, even if the caller has created
-- temporary objects of the same names or set a search_path.
BEGIN;
\ir ../support/books.sql
\ir ../support/unpinned.sql
SELECT * FROM no_plan();
SELECT is_empty(
    $$ SELECT p.oid::regprocedure FROM pg_catalog.pg_proc AS p
       INNER JOIN pg_catalog.pg_roles AS r ON r.oid = p.proowner AND r.rolname LIKE 'wallet\_%'
       WHERE p.prosecdef AND p.proconfig[1] IS DISTINCT FROM 'search_path=wallet, pg_temp' $$,
    'functions with the owner''s rights pin their search_path, with the temporary schema last'
);
CREATE TEMPORARY VIEW without_path AS SELECT p.* FROM pg_catalog.pg_proc AS p
WHERE p.pronamespace = 'wallet'::regnamespace AND p.proname IN (SELECT u.name FROM unpinned AS u);
SELECT is_empty(
    $$ SELECT p.proname FROM without_path AS p WHERE p.prosecdef $$,
    'functions without a pinned search_path run with the caller''s rights'
);
SELECT is_empty(
    $$ SELECT p.proname, m.name FROM without_path AS p
       CROSS JOIN LATERAL regexp_matches(
           regexp_replace(p.prosrc, '--[^\n]*', '', 'g'), '(?:FROM|JOIN)\s+([a-z_]+)(?=[\s;)])', 'g'
       ) AS m (name)
       WHERE m.name[1] NOT IN ('unnest', 'lateral') $$,
    'these functions qualify each table with its schema'
);

-- A typical day of a user of the service; returns its results
CREATE FUNCTION pg_temp.day(p_user text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_story text[];
BEGIN
    PERFORM pg_temp.lesson('of-' || p_user, 20, 1), pg_temp.lesson('full-' || p_user, 1, NULL, 1);
    v_story := v_story || pg_temp.says(pg_temp.buy(p_user, 'pack ' || p_user, 'explorer'));
    v_story := v_story || pg_temp.says(pg_temp.buy(p_user, 'plan ' || p_user, 'plan.explorer'));
    v_story := v_story || pg_temp.answer(pg_temp.book(p_user, 'a ' || p_user, 'of-' || p_user));
    v_story := v_story || pg_temp.answer(pg_temp.book(p_user, 'a ' || p_user, 'of-' || p_user));
    v_story := v_story || pg_temp.answer(pg_temp.cancel(p_user, 'a ' || p_user));
    v_story := v_story || pg_temp.answer(pg_temp.book(p_user, 'b ' || p_user, 'of-' || p_user, 1, 'credits'));
    v_story := v_story || pg_temp.answer(pg_temp.book(p_user, 'c ' || p_user, 'full-' || p_user));
    v_story := v_story || pg_temp.says(pg_temp.buy(
        p_user, 'pack ' || p_user, 'explorer', jsonb_build_object(
            'refunded_millionths', 1000000, 'source_at', wallet.now() + interval '1 minute'
        )
    ));
    PERFORM wallet.join_waitlist(
        wallet.account_for('friend of ' || p_user), 'production', 'full-' || p_user, 1, NULL, NULL
    );
    v_story := v_story || pg_temp.answer(pg_temp.cancel(p_user, 'c ' || p_user));
    PERFORM wallet.promote_next('full-' || p_user, 'production');
    PERFORM wallet.sweep(10), wallet.settle_classes(10), wallet.sweep_subscriptions(10), wallet.end_unlimited(10);
    PERFORM wallet.receive_event('revenuecat', 'event ' || p_user, 'TEST', '{}');
    PERFORM wallet.operator_adjust(
        p_user, 'production', 'credit', 3, 'gift ' || p_user, 'gift', 'promo', 'infinity', 'operator', 'key ' || p_user
    );
    RETURN array_to_string(v_story || pg_temp.funds(p_user), '; ');
END;
$$;
CREATE TEMPORARY TABLE days (name text, story text);
GRANT ALL ON days TO public;

-- Before any name is resolved, the service's session creates decoys: a temporary table, and with it a type, of every
-- name.
CREATE TEMPORARY TABLE names AS
SELECT DISTINCT n.name FROM (
    SELECT c.relname::text FROM pg_catalog.pg_class AS c
    WHERE c.relnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace) AND c.relkind IN ('r', 'p', 'v', 'S')
    UNION ALL
    SELECT t.typname::text FROM pg_catalog.pg_type AS t
    WHERE t.typnamespace = 'wallet'::regnamespace AND t.typelem = 0
    UNION ALL
    SELECT u.name FROM unnest(ARRAY['pg_class', 'pg_roles', 'pg_namespace', 'pg_inherits', 'now']) AS u (name)
) AS n (name);
GRANT SELECT ON names TO public;
SET LOCAL SESSION AUTHORIZATION wallet_service;
DO $$
DECLARE
    v_name text;
BEGIN
    FOR v_name IN SELECT n.name FROM names AS n LOOP
        EXECUTE format('CREATE TEMPORARY TABLE %I (account_id bigint, amount bigint)', v_name);
    END LOOP;
END;
$$;
CREATE FUNCTION pg_temp.seats_left(wallet.classes, wallet.environment, boolean) RETURNS integer
LANGUAGE sql AS 'SELECT 0';
CREATE FUNCTION pg_temp.sha256(bytea) RETURNS bytea LANGUAGE sql AS 'SELECT ''\x00''::bytea';
DO $$ BEGIN
    EXECUTE 'CREATE OPERATOR pg_temp.< (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = pg_catalog.int8gt)';
    EXECUTE 'CREATE OPERATOR pg_temp.- (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = pg_catalog.int8pl)';
END $$;
-- The decoys come as early in the search_path as a caller can put them.
SET LOCAL search_path = pg_temp, public, pg_catalog;
INSERT INTO pg_temp.days VALUES ('bob', pg_temp.day('bob'));
SET LOCAL search_path = public;
CREATE TEMPORARY TABLE caught (name text, rows bigint);
DO $$
DECLARE
    v_name text;
BEGIN
    FOR v_name IN SELECT n.name FROM names AS n LOOP
        EXECUTE format('INSERT INTO caught SELECT %L, count(*) FROM pg_temp.%I', v_name, v_name);
        EXECUTE format('DROP TABLE pg_temp.%I CASCADE', v_name);
    END LOOP;
END;
$$;
GRANT SELECT ON caught TO public;
RESET SESSION AUTHORIZATION;
DISCARD PLANS;
INSERT INTO pg_temp.days VALUES ('ann', pg_temp.day('ann'));

SELECT cmp_ok((SELECT count(*)::integer FROM caught), '>', 100, 'there were decoys of many names');
SELECT is_empty('SELECT c.name, c.rows FROM caught AS c WHERE c.rows > 0', 'no decoy was used');
SELECT is(b.story, a.story, 'the day is the same with the bait and without')
FROM days AS a
CROSS JOIN days AS b
WHERE a.name = 'ann' AND b.name = 'bob';
SELECT matches(d.story, '^granted .*; 201 booked .*; 200 cancelled .*',
    'the day had grants, bookings and cancellations') FROM days AS d;
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
