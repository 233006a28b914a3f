-- Lists whom a store's message names, each once: owners, both sides of a transfer, account tokens, and what an
-- unreadable one names. Other text names nobody, whatever it says.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.event_names(p_event JSONB) RETURNS TEXT[] LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN ARRAY(
        SELECT DISTINCT wallet.canonical_user_id(n.name)
        FROM (
            SELECT p.value #>> '{}' AS name
            FROM unnest(ARRAY[
                '$.statements[*].owners[*]', '$.statements[*].fact.app_account_token', '$.transfer.from[*]',
                '$.transfer.to[*]'
            ]::JSONPATH[]) AS o (place)
            CROSS JOIN LATERAL jsonb_path_query(p_event, o.place) AS p (value)
            WHERE jsonb_typeof(p.value) = 'string'
            UNION ALL
            -- Few have it, and to look for names in nothing takes as long as in something.
            SELECT r.name FROM wallet.raw_names(p_event -> 'raw') AS r (name) WHERE p_event ? 'raw'
        ) AS n
        ORDER BY 1
    );
END;
$$;
COMMENT ON FUNCTION wallet.event_names(JSONB) IS 'Whom a store''s message names.';
