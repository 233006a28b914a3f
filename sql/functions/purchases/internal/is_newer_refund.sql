-- Returns whether what a fact says of refunds counts: it must say something, and nothing newer may be known. At the
-- same instant a refund counts and its absence does not.
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
'Whether a fact''s refunded share replaces the one that is known.';
