-- Adjusts a user's wallet for an operator, once per key and once per reference; the same request again answers what it
-- did and the present balance.
-- p_source: adjustment, or promo for a gift. p_expires_at: null for never. p_dry_run: whether to answer what it would
-- do, and undo it. p_right: what the actor may do.
-- Locks: the operator's key, then see wallet.adjust. Codes: WL403 right-missing; see wallet.adjust; WL422
-- idempotency-key-reused.
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
    p_key TEXT,
    p_dry_run BOOLEAN DEFAULT FALSE,
    p_right wallet.operator_right DEFAULT 'admin'
) RETURNS wallet.adjustment_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_answer wallet.adjustment_answer;
    v_replayed BOOLEAN;
BEGIN
    PERFORM wallet.check_right('adjust', p_right);
    BEGIN
        v_replayed := wallet.operator_replays(p_actor, p_key, 'adjust', jsonb_build_array(
            wallet.canonical_user_id(p_user_id), p_environment, p_unit, p_amount, p_reference, p_reason, p_source,
            extract(EPOCH FROM p_expires_at)
        ));
        IF NOT v_replayed THEN
            v_replayed := NOT wallet.adjust(
                wallet.account_for(p_user_id), p_environment, p_unit, p_amount, p_reference, p_actor, p_reason,
                coalesce(p_expires_at, 'infinity'), p_source
            );
        END IF;
        v_answer := wallet.adjustment_done(p_reference, p_environment);
        v_answer.replayed := v_replayed;
        IF p_dry_run THEN
            RAISE EXCEPTION USING ERRCODE = 'WLDRY';
        END IF;
    EXCEPTION
        -- What it wrote is undone; the answer is not. The lot does not exist.
        WHEN SQLSTATE 'WLDRY' THEN
            IF NOT v_replayed THEN
                v_answer.lot_id := NULL;
            END IF;
    END;
    RETURN v_answer;
END;
$$;
COMMENT ON FUNCTION wallet.operator_adjust(
    TEXT, wallet.environment, wallet.unit, BIGINT, TEXT, TEXT, TEXT, TIMESTAMPTZ, TEXT, TEXT, BOOLEAN,
    wallet.operator_right
) IS 'Adjusts a user''s wallet for an operator, once per key and reference, or says what it would do.';
