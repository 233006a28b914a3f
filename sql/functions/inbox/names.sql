-- Stores the users that a waiting message names, so that it is found when such a user is first seen or deleted.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.note_names() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    NEW.names := wallet.event_names(NEW.payload);
    RETURN NEW;
END;
$$;
COMMENT ON FUNCTION wallet.note_names() IS 'Stores the users that a waiting message names.';

DROP TRIGGER IF EXISTS inbox_names ON wallet.inbox;
CREATE TRIGGER inbox_names BEFORE INSERT OR UPDATE OF payload ON wallet.inbox
FOR EACH ROW EXECUTE FUNCTION wallet.note_names();

-- Returns the users that a store's message names, each once: owners, both sides of a transfer, account tokens, and the
-- users in an unreadable message. It ignores all other text, and account tokens that are empty, all-zero or not a UUID.
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

-- Returns the users that an unreadable message names, in the members where stores name users, also within signed text.
-- If the message is not JSON, and therefore stored in base64, every quoted text is treated as a possible name.
CREATE OR REPLACE FUNCTION wallet.raw_names(p_raw JSONB) RETURNS SETOF TEXT LANGUAGE sql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
    WITH RECURSIVE contents (raw) AS (
        SELECT p_raw
        UNION ALL
        SELECT wallet.signed_content(t.text #>> '{}') FROM contents AS c
        CROSS JOIN LATERAL jsonb_path_query(c.raw, '$.** ? (@.type() == "string")') AS t (text)
        WHERE t.text #>> '{}' ~ '^[\w-]+\.[\w-]+\.[\w-]+$'
    )

    SELECT n.name #>> '{}' FROM contents AS c
    CROSS JOIN LATERAL wallet.raw_places(c.raw) AS p
    CROSS JOIN LATERAL jsonb_path_query(p.value, '$[*]') AS n (name)
    WHERE jsonb_typeof(n.name) = 'string'
    UNION ALL
    SELECT q.quoted[1] FROM contents AS c
    CROSS JOIN LATERAL regexp_matches(wallet.raw_text(c.raw), '"([^"]+)"', 'g') AS q (quoted)
    WHERE char_length(q.quoted[1]) <= 320;
$$;
COMMENT ON FUNCTION wallet.raw_names(JSONB) IS 'Returns the users that an unreadable message names.';

-- Returns the members of an unreadable message in which stores name users, each with its path.
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

-- Returns the text of a message that is not JSON and therefore stored in base64; null for any other. Bytes that are not
-- UTF-8 are escaped as numbers.
CREATE OR REPLACE FUNCTION wallet.raw_text(p_raw JSONB) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN convert_from(decode(p_raw ->> 'base64', 'base64'), 'UTF8');
EXCEPTION
    WHEN character_not_in_repertoire OR untranslatable_character THEN
        RETURN encode(decode(p_raw ->> 'base64', 'base64'), 'escape');
    WHEN data_exception THEN RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.raw_text(JSONB) IS 'Returns the text of a message that is not JSON.';

-- Returns the payload of a signed text (JWS) without checking its signature; null for any other text.
CREATE OR REPLACE FUNCTION wallet.signed_content(p_text TEXT) RETURNS JSONB LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_part CONSTANT TEXT := translate((regexp_match(p_text, '^[\w-]+\.([\w-]+)\.[\w-]+$'))[1], '-_', '+/');
BEGIN
    RETURN convert_from(decode(rpad(v_part, (length(v_part) + 3) / 4 * 4, '='), 'base64'), 'UTF8')::JSONB;
EXCEPTION
    -- Three words separated by dots need not be a JWS.
    WHEN data_exception THEN RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.signed_content(TEXT) IS
'Returns the payload of a signed text, without checking its signature.';

-- Makes the messages that wait for a user due immediately when the user is first seen. It skips messages that another
-- transaction is processing.
-- Locks: the messages, SKIP LOCKED. Codes: none.
CREATE OR REPLACE FUNCTION wallet.retry_awaiting_events() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    WITH waiting AS (
        SELECT i.inbox_id FROM wallet.inbox AS i
        WHERE
            i.status = 'awaiting_user' AND i.next_attempt_at > (SELECT wallet.now())
            AND i.names && ARRAY[NEW.user_id, NEW.app_account_token::TEXT]
        FOR UPDATE SKIP LOCKED
    )

    UPDATE wallet.inbox AS i SET next_attempt_at = (SELECT wallet.now())
    FROM waiting AS w
    WHERE i.inbox_id = w.inbox_id;
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.retry_awaiting_events() IS
'Makes the messages that wait for a new user due immediately.';

DROP TRIGGER IF EXISTS identities_retry_awaiting_events ON wallet.identities;
CREATE TRIGGER identities_retry_awaiting_events AFTER INSERT ON wallet.identities
FOR EACH ROW EXECUTE FUNCTION wallet.retry_awaiting_events();

-- Removes a deleted user from the waiting messages, and makes these due, because they no longer wait for the user. The
-- deletion has recorded the digests of the user's names before.
-- Locks: the messages that name the user. Codes: none.
CREATE OR REPLACE FUNCTION wallet.erase_from_inbox() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    UPDATE wallet.inbox AS i SET
        payload = wallet.without_deleted(i.payload),
        next_attempt_at = CASE WHEN i.next_attempt_at IS NOT NULL THEN least(i.next_attempt_at, wallet.now()) END
    WHERE i.names && ARRAY[OLD.user_id, OLD.app_account_token::TEXT];
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.erase_from_inbox() IS 'Removes a deleted user from the waiting messages.';

DROP TRIGGER IF EXISTS identities_erase_from_inbox ON wallet.identities;
CREATE TRIGGER identities_erase_from_inbox AFTER DELETE ON wallet.identities
FOR EACH ROW EXECUTE FUNCTION wallet.erase_from_inbox();

-- Removes users who deleted their account from a store's message that is kept for another attempt: an owner, a side of
-- a transfer, an account token. The changed part is marked as forgotten, so that it waits for no user. The data about
-- purchases stays, because a claim is found by its transaction. Users who have returned since also stay.
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

-- Removes users from an unreadable message. If the message is signed or not JSON, its whole text is removed, because a
-- changed text would no longer match its signature.
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
