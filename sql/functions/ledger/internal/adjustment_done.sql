-- Returns an adjustment's lot and the current balance of its wallet.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.adjustment_done(p_reference TEXT, p_environment wallet.environment)
RETURNS wallet.adjustment_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_answer wallet.adjustment_answer;
    v_account_id BIGINT;
    v_owner BIGINT;
BEGIN
    SELECT a.account_id, coalesce(o.merged_into, o.account_id), e.lot_id
    INTO v_account_id, v_owner, v_answer.lot_id
    FROM wallet.adjustments AS a
    INNER JOIN wallet.accounts AS o ON a.account_id = o.account_id
    LEFT JOIN wallet.entries AS e
        ON
            a.account_id = e.account_id AND a.environment = e.environment AND a.first_version = e.version
            AND a.amount > 0
    -- A reference that named a deleted user was replaced by its digest.
    WHERE a.reference IN (p_reference, 'erased ' || encode(sha256(convert_to(p_reference, 'UTF8')), 'hex'));
    -- Each query uses a key; a join would scan all wallets and lots.
    SELECT b.credits, b.visits, b.version INTO v_answer.credits, v_answer.visits, v_answer.version
    FROM wallet.balances AS b
    WHERE b.account_id = v_owner AND b.environment = p_environment;
    SELECT nullif(l.expires_at, 'infinity') INTO v_answer.expires_at FROM wallet.lots AS l
    WHERE l.account_id = wallet.lot_owner(v_account_id, v_answer.lot_id) AND l.lot_id = v_answer.lot_id;
    RETURN v_answer;
END;
$$;
COMMENT ON FUNCTION wallet.adjustment_done(TEXT, wallet.environment) IS
'Returns the lot of an adjustment and the current balance of its wallet.';
