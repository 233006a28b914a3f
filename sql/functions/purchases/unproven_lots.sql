-- Returns the number of lots that stay behind in the former accounts of the given purchases: released lots with a
-- remaining amount that no user has proved, because a store no longer reports finished purchases.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.unproven_lots(p_claim_ids BIGINT[]) RETURNS BIGINT LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT count(*) FROM wallet.lots AS l
    WHERE
        l.released_at IS NOT NULL AND l.moved_to IS NULL AND l.is_open
        AND coalesce(l.claim_id, l.rolled_from) <> ALL(p_claim_ids)
        AND l.account_id IN (
            SELECT c.account_id FROM wallet.claims AS c
            WHERE c.claim_id = ANY(p_claim_ids) AND c.released_at IS NOT NULL
            UNION
            SELECT o.account_id FROM wallet.lots AS n
            INNER JOIN wallet.lots AS o ON n.lot_id = o.lot_id AND o.moved_to IS NOT NULL
            WHERE n.claim_id = ANY(p_claim_ids)
        );
$$;
COMMENT ON FUNCTION wallet.unproven_lots(BIGINT[]) IS
'Returns the number of released lots that stay behind in the former accounts of the given purchases.';
