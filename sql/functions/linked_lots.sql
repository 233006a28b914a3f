-- Lists the given lots of an account with all that repayments tie to them: whoever takes a debtor along must take what
-- repaid it, or an undone debt could not give back.
-- Called by: wallet.move_lots, wallet.linked_claims. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.linked_lots(p_account_id BIGINT, p_lot_ids UUID[]) RETURNS UUID[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    WITH RECURSIVE ties AS (
        SELECT r.debtor_lot_id AS from_lot_id, r.payer_lot_id AS to_lot_id FROM wallet.repayments AS r
        WHERE r.account_id = p_account_id AND r.amount > 0
        UNION ALL
        SELECT r.payer_lot_id, r.debtor_lot_id FROM wallet.repayments AS r
        WHERE r.account_id = p_account_id AND r.amount > 0
    ),

    linked AS (
        SELECT l.lot_id FROM wallet.lots AS l
        WHERE l.account_id = p_account_id AND l.lot_id = ANY(p_lot_ids) AND l.moved_to IS NULL
        UNION
        SELECT t.to_lot_id FROM linked AS k
        INNER JOIN ties AS t ON k.lot_id = t.from_lot_id
    )

    SELECT coalesce(array_agg(k.lot_id ORDER BY k.lot_id), '{}') FROM linked AS k;
$$;
COMMENT ON FUNCTION wallet.linked_lots(BIGINT, UUID[]) IS 'Lots of an account with all that repayments tie to them.';
