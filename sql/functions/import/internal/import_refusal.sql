-- Returns why a balance cannot be imported, or null. Amounts must be small enough that sums cannot overflow. No time
-- may lie in the future: the times of a ledger never run backwards, so all later entries would lie in the future, too.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.import_refusal(
    p_user_id TEXT,
    p_movements wallet.import_movement[],
    p_credits BIGINT,
    p_visits BIGINT,
    p_at TIMESTAMPTZ,
    p_expires_at TIMESTAMPTZ
) RETURNS TEXT LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT CASE
        WHEN (char_length(p_user_id) BETWEEN 1 AND 320 AND wallet.is_plain_text(p_user_id)) IS NOT TRUE
            THEN 'user-id-malformed'
        WHEN p_credits IS NULL OR p_visits IS NULL THEN 'balance-missing'
        WHEN p_credits < 0 OR p_visits < 0 THEN 'balance-negative'
        WHEN greatest(p_credits, p_visits) > 1000000000000 THEN 'out-of-range'
        WHEN NOT isfinite(coalesce(p_at, wallet.now())) THEN 'instant-malformed'
        WHEN p_at > wallet.now() THEN 'in-the-future'
        WHEN p_expires_at IS NULL OR p_expires_at <= wallet.now() THEN 'expiry-passed'
        ELSE (
            SELECT min(CASE
                WHEN m.amount IS NULL OR m.at IS NULL OR NOT isfinite(m.at) THEN 'movement-malformed'
                WHEN abs(m.amount) > 1000000000000 THEN 'out-of-range'
                WHEN m.at > wallet.now() THEN 'in-the-future'
            END) FROM unnest(p_movements) AS m (at, amount, kind, reason)
        )
    END;
$$;
COMMENT ON FUNCTION wallet.import_refusal(
    TEXT, wallet.import_movement[], BIGINT, BIGINT, TIMESTAMPTZ, TIMESTAMPTZ
) IS 'Returns why a balance cannot be imported, or null.';
