-- Reads what another system says of a balance's past: [{"at", "amount", "kind", "reason"}], at an instant in RFC 3339
-- or in seconds since 1970, amount signed. The oldest first; of what happened at one instant, what was given
-- comes before what was taken.
-- Locks: none. Codes: none (a text that is no number or instant: 22P02, 22007, 22008).
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
COMMENT ON FUNCTION wallet.read_movements(JSONB) IS 'Reads what another system says of a balance''s past.';
