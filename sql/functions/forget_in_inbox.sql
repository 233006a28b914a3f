-- Takes a user's id and account token out of the messages that still wait, so that nothing names a deleted user; tells
-- how many it changed. What the messages say of purchases stays, for a claim is found by its transaction. An
-- unreadable message that names the user loses its text: there is no other way to be sure.
-- Called by: whatever deletes an account. Locks: the messages that name the user. Codes: none.
CREATE OR REPLACE FUNCTION wallet.forget_in_inbox(p_user_id TEXT) RETURNS INTEGER LANGUAGE sql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    WITH named AS (
        SELECT i.inbox_id, i.payload FROM wallet.inbox AS i
        CROSS JOIN (
            -- As JSON text has it: quoted, and inside another string with its quotes escaped.
            SELECT to_jsonb(n.name)::TEXT AS plain, btrim(to_jsonb(to_jsonb(n.name)::TEXT)::TEXT, '"') AS nested
            FROM (VALUES (p_user_id), (wallet.app_account_token(p_user_id)::TEXT)) AS n (name)
        ) AS w
        WHERE
            i.status IN ('new', 'parked', 'failed')
            AND (
                position(lower(w.plain) IN lower(i.payload::TEXT)) > 0
                OR position(lower(w.nested) IN lower(i.payload::TEXT)) > 0
            )
        GROUP BY i.inbox_id
    ),

    changed AS (
        UPDATE wallet.inbox AS i SET payload = CASE
            WHEN n.payload ? 'raw' THEN '{"raw": null}'
            ELSE n.payload || jsonb_strip_nulls(jsonb_build_object(
                'statements', (
                    SELECT jsonb_agg(
                        s.value || jsonb_build_object(
                            'owners', coalesce((s.value -> 'owners') - p_user_id, '[]'),
                            'fact', CASE
                                WHEN
                                    lower(s.value #>> '{fact,app_account_token}')
                                    = wallet.app_account_token(p_user_id)::TEXT
                                THEN (s.value -> 'fact') - 'app_account_token'
                                ELSE s.value -> 'fact'
                            END
                        ) ORDER BY s.place
                    ) FROM jsonb_array_elements(n.payload -> 'statements') WITH ORDINALITY AS s (value, place)
                ),
                'transfer', n.payload -> 'transfer' || jsonb_build_object(
                    'from', (n.payload #> '{transfer,from}') - p_user_id,
                    'to', (n.payload #> '{transfer,to}') - p_user_id
                )
            ))
        END
        FROM named AS n
        WHERE i.inbox_id = n.inbox_id
        RETURNING 1
    )

    SELECT count(*)::INTEGER FROM changed;
$$;
COMMENT ON FUNCTION wallet.forget_in_inbox(TEXT) IS 'Takes a user out of the messages that still wait.';
