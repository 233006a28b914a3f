-- Adds an adjustment to the operator's total of the current day (UTC). Refuses if the total exceeds the limit.
-- Locks: the operator's total. Codes: WL403 daily-amount-exceeded.
CREATE OR REPLACE FUNCTION wallet.add_to_operator_total(p_actor TEXT, p_amount BIGINT, p_daily_amount BIGINT)
RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_total BIGINT;
BEGIN
    INSERT INTO wallet.operator_totals AS t (actor_digest, day, moved)
    VALUES (sha256(convert_to(p_actor, 'UTF8')), (wallet.now() AT TIME ZONE 'UTC')::DATE, abs(p_amount))
    ON CONFLICT (actor_digest, day) DO UPDATE SET moved = t.moved + excluded.moved
    RETURNING t.moved INTO v_total;
    IF v_total > p_daily_amount THEN
        RAISE EXCEPTION USING ERRCODE = 'WL403', MESSAGE = 'daily-amount-exceeded', DETAIL = jsonb_build_object(
            'maximum', p_daily_amount, 'remaining', greatest(p_daily_amount - (v_total - abs(p_amount)), 0)
        )::TEXT;
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.add_to_operator_total(TEXT, BIGINT, BIGINT) IS
'Adds an adjustment to its operator''s daily total, and refuses if it exceeds the limit.';
