-- Returns the users that a store's message names, each once: owners, both sides of a transfer, account tokens, and the
-- users in an unreadable message. It ignores all other text, and account tokens that are empty, all-zero or not a UUID.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.event_names(p_event JSONB) RETURNS TEXT[] LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN ARRAY(
        SELECT DISTINCT wallet.canonical_user_id(n.name)
        FROM (
            SELECT p.value #>> '{}' AS name
            FROM unnest(ARRAY['$.statements[*].owners[*]', '$.transfer.from[*]', '$.transfer.to[*]']::JSONPATH[])
                AS o (place)
            CROSS JOIN LATERAL jsonb_path_query(p_event, o.place) AS p (value)
            WHERE jsonb_typeof(p.value) = 'string'
            UNION ALL
            SELECT wallet.read_account_token(p.value #>> '{}')::TEXT
            FROM jsonb_path_query(p_event, '$.statements[*].fact.app_account_token') AS p (value)
            UNION ALL
            -- Few messages have "raw", and searching a missing value for names takes as long as searching a message.
            SELECT r.name FROM wallet.raw_names(p_event -> 'raw') AS r (name) WHERE p_event ? 'raw'
        ) AS n
        WHERE n.name IS NOT NULL
        ORDER BY 1
    );
END;
$$;
COMMENT ON FUNCTION wallet.event_names(JSONB) IS 'Returns the users that a store''s message names.';
