-- Returns the digest by which a repeated import is recognized: the time, amount and kind of every movement, and the
-- balance, in any order. Reasons are not included, because they are personal text.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.import_digest(
    p_movements wallet.import_movement[],
    p_credits BIGINT,
    p_visits BIGINT
) RETURNS BYTEA LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT sha256(convert_to(jsonb_build_array(p_credits, p_visits, (
        SELECT jsonb_agg(jsonb_build_array(extract(EPOCH FROM m.at), m.amount, m.kind) ORDER BY m.at, m.amount, m.kind)
        FROM unnest(p_movements) AS m (at, amount, kind, reason)
    ))::TEXT, 'UTF8'));
$$;
COMMENT ON FUNCTION wallet.import_digest(wallet.import_movement[], BIGINT, BIGINT) IS
'Returns the digest by which a repeated import is recognized.';
