-- Returns the users that an unreadable message names, in the members where stores name users, also within signed text.
-- If the message is not JSON, and therefore stored in base64, every quoted text is treated as a possible name.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.raw_names(p_raw JSONB) RETURNS SETOF TEXT LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT n.name #>> '{}' FROM wallet.raw_places(p_raw) AS p
    CROSS JOIN LATERAL jsonb_path_query(p.value, '$[*]') AS n (name)
    WHERE jsonb_typeof(n.name) = 'string';
    RETURN QUERY
    SELECT q.quoted[1] FROM regexp_matches(wallet.raw_text(p_raw), '"([^"]+)"', 'g') AS q (quoted)
    WHERE char_length(q.quoted[1]) <= 320;
    RETURN QUERY
    SELECT r.name FROM jsonb_path_query(p_raw, '$.** ? (@.type() == "string")') AS t (text)
    CROSS JOIN LATERAL wallet.raw_names(wallet.signed_content(t.text #>> '{}')) AS r (name)
    WHERE t.text #>> '{}' ~ '^[\w-]+\.[\w-]+\.[\w-]+$';
END;
$$;
COMMENT ON FUNCTION wallet.raw_names(JSONB) IS 'Returns the users that an unreadable message names.';
