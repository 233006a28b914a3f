-- Returns the lots that claims granted to an account, and the lots rolled over from them.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.claims_lots(p_account_id BIGINT, p_claim_ids BIGINT[]) RETURNS UUID[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT coalesce(array_agg(l.lot_id ORDER BY l.lot_id), '{}') FROM wallet.lots AS l
    WHERE
        l.account_id = p_account_id AND l.moved_to IS NULL
        AND (l.claim_id = ANY(p_claim_ids) OR l.rolled_from = ANY(p_claim_ids));
$$;
COMMENT ON FUNCTION wallet.claims_lots(BIGINT, BIGINT[]) IS
'Returns the lots that claims granted to an account, and the lots rolled over from them.';
