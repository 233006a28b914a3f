-- Removes users who deleted their account from a store's message that is kept for another attempt: an owner, a side of
-- a transfer, an account token. The changed part is marked as forgotten, so that it waits for no user. The data about
-- purchases stays, because a claim is found by its transaction. Users who have returned since also stay.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.without_deleted(p_event JSONB) RETURNS JSONB LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_names CONSTANT TEXT[] := ARRAY(
        SELECT n.name FROM unnest(wallet.event_names(p_event)) AS n (name)
        CROSS JOIN LATERAL (
            SELECT CASE WHEN n.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN n.name::UUID END AS token
        ) AS t
        WHERE
            (
                EXISTS (SELECT FROM wallet.deleted_users AS d WHERE d.user_digest = wallet.user_digest(n.name))
                OR EXISTS (SELECT FROM wallet.released_tokens AS r WHERE r.token_digest = sha256(uuid_send(t.token)))
            )
            AND NOT EXISTS (SELECT FROM wallet.identities AS i WHERE i.user_id = n.name)
            AND NOT EXISTS (
                SELECT FROM wallet.identities AS i
                WHERE sha256(uuid_send(i.app_account_token)) = sha256(uuid_send(t.token))
            )
    );
    v_mark CONSTANT TEXT[] := '{forgotten}';
    v_last CONSTANT INTEGER := CASE jsonb_typeof(p_event -> 'statements')
        WHEN 'array' THEN jsonb_array_length(p_event -> 'statements') ELSE 0
    END - 1;
    v_event JSONB := p_event;
    v_path TEXT[];
    v_left JSONB;
BEGIN
    IF cardinality(v_names) = 0 THEN
        RETURN p_event;
    ELSIF p_event ? 'raw' THEN
        RETURN jsonb_set(p_event, '{raw}', wallet.without_names(p_event -> 'raw', v_names));
    END IF;
    FOR v_path IN
        SELECT p.path FROM (
            SELECT ARRAY['statements', s.n::TEXT, 'owners'] AS path FROM generate_series(0, v_last) AS s (n)
            UNION ALL
            VALUES (ARRAY['transfer', 'from']), (ARRAY['transfer', 'to'])
        ) AS p
        WHERE jsonb_typeof(p_event #> p.path) = 'array'
    LOOP
        SELECT coalesce(jsonb_agg(o.value ORDER BY o.place), '[]') INTO v_left
        FROM jsonb_array_elements(p_event #> v_path) WITH ORDINALITY AS o (value, place)
        WHERE (wallet.canonical_user_id(o.value #>> '{}') = ANY(v_names)) IS NOT TRUE;
        CONTINUE WHEN v_left = p_event #> v_path;
        v_event := jsonb_set(v_event, v_path, v_left);
        -- A message never waits for the previous owner of a transferred subscription, so that side needs no mark.
        IF v_path[2] <> 'from' THEN
            v_event := jsonb_set(v_event, trim_array(v_path, 1) || v_mark, 'true');
        END IF;
    END LOOP;
    FOR v_statement IN 0 .. v_last LOOP
        v_path := ARRAY['statements', v_statement::TEXT, 'fact', 'app_account_token'];
        IF wallet.canonical_user_id(p_event #>> v_path) = ANY(v_names) THEN
            v_event := jsonb_set(v_event #- v_path, trim_array(v_path, 2) || v_mark, 'true');
        END IF;
    END LOOP;
    RETURN v_event;
END;
$$;
COMMENT ON FUNCTION wallet.without_deleted(JSONB) IS
'Returns a store''s message without users who deleted their account.';
