-- Returns the members of an unreadable message in which stores name users, each with its path.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.raw_places(p_raw JSONB) RETURNS TABLE (path TEXT[], value JSONB) LANGUAGE sql
IMMUTABLE SET search_path = wallet, pg_temp AS $$
    WITH RECURSIVE members (path, value) AS (
        SELECT '{}'::TEXT[], p_raw
        UNION ALL
        SELECT m.path || i.key, i.value FROM members AS m
        CROSS JOIN LATERAL (
            SELECT o.key, o.value FROM jsonb_each(CASE jsonb_typeof(m.value) WHEN 'object' THEN m.value END) AS o
            UNION ALL
            SELECT (a.place - 1)::TEXT, a.value
            FROM jsonb_array_elements(CASE jsonb_typeof(m.value) WHEN 'array' THEN m.value END)
                WITH ORDINALITY AS a (value, place)
        ) AS i
    )

    SELECT m.path, m.value FROM members AS m
    WHERE m.path[cardinality(m.path)] IN (
        'app_user_id', 'original_app_user_id', 'aliases', 'transferred_from', 'transferred_to', 'appAccountToken',
        'obfuscatedExternalAccountId'
    );
$$;
COMMENT ON FUNCTION wallet.raw_places(JSONB) IS
'Returns the members of an unreadable message in which stores name users.';
