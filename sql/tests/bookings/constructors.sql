-- wallet.new_entry, wallet.new_head, wallet.new_posting, wallet.new_booking, wallet.new_outcome: each argument becomes
-- the member of its name.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
-- A value of the type that no other argument of the function has.
CREATE FUNCTION pg_temp.value_of(p_type regtype, p_number bigint) RETURNS text LANGUAGE sql AS $$
    SELECT CASE p_type::text
        WHEN 'uuid' THEN '00000000-0000-0000-0000-' || lpad(p_number::text, 12, '0')
        WHEN 'uuid[]' THEN '{00000000-0000-0000-0000-' || lpad(p_number::text, 12, '0') || '}'
        WHEN 'bigint[]' THEN '{' || p_number || '}'
        WHEN 'timestamp with time zone' THEN '2030-01-01 00:00:' || lpad(p_number::text, 2, '0') || '+00'
        WHEN 'tid' THEN '(' || p_number || ',1)'
        WHEN 'bytea' THEN '\x' || lpad(p_number::text, 4, '0')
        WHEN 'boolean' THEN 'true'
        WHEN 'wallet.environment' THEN 'sandbox'
        WHEN 'wallet.unit' THEN 'visit'
        -- The kind of an entry has a domain.
        WHEN 'text' THEN CASE WHEN p_number = 4 THEN 'spend' ELSE 'text ' || p_number END
        ELSE p_number::text
    END;
$$;
-- The arguments that are not the member of their name.
CREATE FUNCTION pg_temp.misplaced(p_name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_call text;
    v_found text;
BEGIN
    CREATE TEMPORARY TABLE arguments ON COMMIT DROP AS
    SELECT
        substr(n.name, 3) AS member, n.type::regtype AS type,
        pg_temp.value_of(n.type::regtype, CASE WHEN n.name = 'p_kind' THEN 4 ELSE n.number END) AS value
    FROM pg_proc AS p
    CROSS JOIN LATERAL unnest(p.proargnames, p.proargtypes::oid[]) WITH ORDINALITY AS n (name, type, number)
    WHERE p.proname = p_name AND p.pronamespace = 'wallet'::regnamespace;
    v_call := (SELECT string_agg(format('p_%s => %L::%s', a.member, a.value, a.type), ', ') FROM arguments AS a);
    EXECUTE format(
        'SELECT string_agg(a.member, '', '') FROM arguments AS a, wallet.%I(%s) AS m
         WHERE CASE a.member %s END IS DISTINCT FROM a.value',
        p_name, v_call,
        (SELECT string_agg(format('WHEN %L THEN m.%I::text', a.member, a.member), ' ') FROM arguments AS a)
    ) INTO v_found;
    DROP TABLE arguments;
    RETURN v_found;
END;
$$;
SELECT is(pg_temp.misplaced(f.name), NULL, f.name || ' puts each argument in its place')
FROM unnest(ARRAY['new_entry', 'new_head', 'new_posting', 'new_booking', 'new_outcome']) AS f (name);
SELECT is(
    (SELECT array_agg(m.key ORDER BY m.key) FROM wallet.new_outcome(
        1, 200, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    ) AS o, jsonb_each(jsonb_strip_nulls(to_jsonb(o))) AS m),
    ARRAY['item', 'late_cancel', 'moved', 'replayed', 'status'], 'an answer has no other members'
);
SELECT * FROM finish();
ROLLBACK;
