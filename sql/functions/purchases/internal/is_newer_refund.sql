-- Returns whether a fact's refunded share replaces the known one. The fact must contain a share, and no newer one may
-- be known. For the same time, a refund replaces the known share and a fact without a refund does not.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.is_newer_refund(p_fact JSONB, p_read wallet.claims, p_known_at TIMESTAMPTZ)
RETURNS BOOLEAN LANGUAGE plpgsql STABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN p_fact ->> 'refunded_millionths' IS NOT NULL
        AND (
            p_known_at IS NULL OR p_read.source_at > p_known_at
            OR (p_read.source_at = p_known_at AND p_read.refunded_millionths > 0)
        );
END;
$$;
COMMENT ON FUNCTION wallet.is_newer_refund(JSONB, wallet.claims, TIMESTAMPTZ) IS
'Returns whether a fact''s refunded share replaces the known one.';
