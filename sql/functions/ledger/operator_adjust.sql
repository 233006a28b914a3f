-- Adjusts a user's wallet for an operator, once per key and once per reference; the same request again answers what it
-- did and the present balance.
-- p_source: adjustment, or promo for a gift. p_expires_at: null for never.
-- Locks: the operator's key, then see wallet.adjust. Codes: see wallet.adjust; WL422 idempotency-key-reused.
CREATE OR REPLACE FUNCTION wallet.operator_adjust(
    p_user_id TEXT,
    p_environment wallet.environment,
    p_unit wallet.unit,
    p_amount BIGINT,
    p_reference TEXT,
    p_reason TEXT,
    p_source TEXT,
    p_expires_at TIMESTAMPTZ,
    p_actor TEXT,
    p_key TEXT
) RETURNS wallet.adjustment_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_answer wallet.adjustment_answer;
    v_account_id BIGINT;
    v_owner BIGINT;
BEGIN
    v_answer.replayed := wallet.operator_replays(p_actor, p_key, 'adjust', jsonb_build_array(
        wallet.canonical_user_id(p_user_id), p_environment, p_unit, p_amount, p_reference, p_reason, p_source,
        extract(EPOCH FROM p_expires_at)
    ));
    IF NOT v_answer.replayed THEN
        v_answer.replayed := NOT wallet.adjust(
            wallet.account_for(p_user_id), p_environment, p_unit, p_amount, p_reference, p_actor, p_reason,
            coalesce(p_expires_at, 'infinity'), p_source
        );
    END IF;
    SELECT a.account_id, coalesce(o.merged_into, o.account_id), e.lot_id
    INTO v_account_id, v_owner, v_answer.lot_id
    FROM wallet.adjustments AS a
    INNER JOIN wallet.accounts AS o ON a.account_id = o.account_id
    LEFT JOIN wallet.entries AS e
        ON
            a.account_id = e.account_id AND a.environment = e.environment AND a.first_version = e.version
            AND a.amount > 0
    -- A reference that named a user was erased with them.
    WHERE a.reference IN (p_reference, 'erased ' || encode(sha256(convert_to(p_reference, 'UTF8')), 'hex'));
    -- Each by its key: joined, they would be looked for in all wallets and lots.
    SELECT b.credits, b.visits, b.version INTO v_answer.credits, v_answer.visits, v_answer.version
    FROM wallet.balances AS b
    WHERE b.account_id = v_owner AND b.environment = p_environment;
    SELECT nullif(l.expires_at, 'infinity') INTO v_answer.expires_at FROM wallet.lots AS l
    WHERE l.account_id = wallet.lot_owner(v_account_id, v_answer.lot_id) AND l.lot_id = v_answer.lot_id;
    RETURN v_answer;
END;
$$;
COMMENT ON FUNCTION wallet.operator_adjust(
    TEXT, wallet.environment, wallet.unit, BIGINT, TEXT, TEXT, TEXT, TIMESTAMPTZ, TEXT, TEXT
) IS 'Adjusts a user''s wallet for an operator, once per key and reference.';
