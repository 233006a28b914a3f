-- Removes users from an unreadable message. If the message is signed or not JSON, its whole text is removed, because a
-- changed text would no longer match its signature.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.without_names(p_raw JSONB, p_names TEXT[]) RETURNS JSONB LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_raw JSONB := p_raw;
    v_place RECORD;
BEGIN
    FOR v_place IN SELECT p.path, p.value FROM wallet.raw_places(p_raw) AS p LOOP
        IF jsonb_typeof(v_place.value) = 'array' THEN
            v_raw := jsonb_set(v_raw, v_place.path, (
                SELECT coalesce(jsonb_agg(n.value ORDER BY n.place), '[]')
                FROM jsonb_array_elements(v_place.value) WITH ORDINALITY AS n (value, place)
                WHERE (wallet.canonical_user_id(n.value #>> '{}') = ANY(p_names)) IS NOT TRUE
            ));
        ELSIF wallet.canonical_user_id(v_place.value #>> '{}') = ANY(p_names) THEN
            v_raw := v_raw #- v_place.path;
        END IF;
    END LOOP;
    IF EXISTS (SELECT FROM wallet.raw_names(v_raw) AS n (name) WHERE wallet.canonical_user_id(n.name) = ANY(p_names)) THEN
        RETURN 'null';
    END IF;
    RETURN v_raw;
END;
$$;
COMMENT ON FUNCTION wallet.without_names(JSONB, TEXT[]) IS 'Returns an unreadable message without the given users.';
