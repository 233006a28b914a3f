-- Applies the rollover of wallet.roll_over in a forecast: from the lot of a period that has ended by p_at into the next
-- period, if that is known.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.forecast_rollover(
    p_lots wallet.forecast_lot[],
    p_place INTEGER,
    p_at TIMESTAMPTZ
) RETURNS wallet.forecast_lot[] LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lots wallet.forecast_lot[] := p_lots;
    v_own CONSTANT wallet.forecast_lot := p_lots[p_place];
    v_rolled wallet.forecast_lot;
    v_amount BIGINT;
BEGIN
    IF
        v_own.claim_id IS NULL OR v_own.next_ends_at IS NULL OR v_own.expires_at > p_at
        OR v_own.expires_at < v_own.period_ends_at
    THEN
        RETURN v_lots;
    END IF;
    v_lots[p_place].claim_id := NULL;
    v_rolled.granted := wallet.rollover_worth(
        v_own.rollover_percentage, v_own.rollover_cap, v_own.granted - v_own.spent
    );
    IF v_rolled.granted = 0 THEN
        RETURN v_lots;
    END IF;
    v_amount := wallet.rollover_worth(
        v_own.rollover_percentage, v_own.rollover_cap, v_own.granted - v_own.spent - v_own.refunded
    );
    v_amount := v_amount - coalesce(wallet.refunded_part(v_own.next, v_amount), 0);
    v_rolled.lot_id := md5(v_own.lot_id || ' rolled over')::UUID;
    v_rolled.unit := v_own.unit;
    v_rolled.source := 'plan';
    v_rolled.product_id := v_own.next_product_id;
    v_rolled.spent := 0;
    v_rolled.refunded := v_rolled.granted - v_amount;
    v_rolled.remaining := CASE WHEN v_own.next_ends_at > p_at THEN v_amount ELSE 0 END;
    v_rolled.owed := 0;
    v_rolled.expires_at := v_own.next_ends_at;
    v_rolled.released := v_own.released;
    RETURN wallet.forecast_grant(v_lots, v_rolled);
END;
$$;
COMMENT ON FUNCTION wallet.forecast_rollover(wallet.forecast_lot[], INTEGER, TIMESTAMPTZ) IS
'Applies the rollover from a period''s lot in a forecast.';
