-- Parses the history of a balance from another system: [{"at", "amount", "kind", "reason"}], where "at" is in RFC 3339
-- or in seconds since 1970, and the amount is signed. The oldest movement comes first; at the same time, credits come
-- before debits.
-- Locks: none. Codes: none (an invalid number or time raises 22P02, 22007 or 22008).
CREATE OR REPLACE FUNCTION wallet.read_movements(p_movements JSONB) RETURNS wallet.import_movement[] LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT coalesce(array_agg(
        ROW(t.at, (j.movement ->> 'amount')::BIGINT, j.movement ->> 'kind', j.movement ->> 'reason')
            ::wallet.import_movement
        ORDER BY t.at, (j.movement ->> 'amount')::BIGINT DESC, j.n
    ), '{}')
    FROM jsonb_array_elements(coalesce(p_movements, '[]')) WITH ORDINALITY AS j (movement, n)
    CROSS JOIN LATERAL (
        SELECT CASE jsonb_typeof(j.movement -> 'at')
            WHEN 'number' THEN to_timestamp((j.movement ->> 'at')::DOUBLE PRECISION)
            ELSE (j.movement ->> 'at')::TIMESTAMPTZ
        END AS at
    ) AS t;
$$;
COMMENT ON FUNCTION wallet.read_movements(JSONB) IS 'Parses the history of a balance from another system.';
