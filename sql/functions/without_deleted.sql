-- Takes whoever deleted their account out of a store's message that is kept for another attempt: an owner, a side of a
-- transfer, an account token. An unreadable message that names one loses its text: there is no other way to be sure.
-- What the message says of purchases stays, for a claim is found by its transaction.
-- Called by: wallet.mark_event, wallet.park_raw. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.without_deleted(p_event JSONB) RETURNS JSONB LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    WITH gone AS (
        SELECT v.value FROM jsonb_path_query(p_event, 'strict $.**') AS v (value)
        INNER JOIN wallet.deleted_users AS d ON d.user_digest = wallet.user_digest(v.value #>> '{}')
        WHERE jsonb_typeof(v.value) = 'string'
    ),

    names AS (
        SELECT coalesce(array_agg(DISTINCT g.value #>> '{}'), '{}') AS ids FROM gone AS g
    )

    SELECT CASE
        WHEN p_event ? 'raw' AND cardinality(n.ids) > 0 THEN p_event || '{"raw": null}'
        WHEN p_event ? 'raw' THEN p_event
        ELSE p_event || jsonb_strip_nulls(jsonb_build_object(
            'statements', (
                SELECT jsonb_agg(
                    s.value || jsonb_build_object(
                        'owners', coalesce((s.value -> 'owners') - n.ids, '[]'),
                        'fact', CASE
                            WHEN EXISTS (
                                SELECT FROM wallet.released_tokens AS t
                                WHERE t.token_digest = sha256(uuid_send((s.value #>> '{fact,app_account_token}')::UUID))
                            ) THEN (s.value -> 'fact') - 'app_account_token'
                            ELSE s.value -> 'fact'
                        END
                    ) ORDER BY s.place
                ) FROM jsonb_array_elements(
                    CASE jsonb_typeof(p_event -> 'statements') WHEN 'array' THEN p_event -> 'statements' END
                ) WITH ORDINALITY AS s (value, place)
            ),
            'transfer', CASE jsonb_typeof(p_event -> 'transfer') WHEN 'object' THEN p_event -> 'transfer'
                || jsonb_build_object(
                    'from', (p_event #> '{transfer,from}') - n.ids, 'to', (p_event #> '{transfer,to}') - n.ids
                )
            END
        ))
    END
    FROM names AS n;
$$;
COMMENT ON FUNCTION wallet.without_deleted(JSONB) IS
'A store''s message without whoever deleted their account.';
