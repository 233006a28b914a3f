-- Adds a lot to a forecast, as a grant would: it first repays the wallet's debts in its unit.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.forecast_grant(p_lots wallet.forecast_lot[], p_lot wallet.forecast_lot)
RETURNS wallet.forecast_lot[] LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lots wallet.forecast_lot[] := p_lots;
    v_lot wallet.forecast_lot := p_lot;
    v_share BIGINT;
BEGIN
    FOR v_place IN 1 .. cardinality(v_lots) LOOP
        IF v_lots[v_place].unit = v_lot.unit AND v_lots[v_place].released = v_lot.released THEN
            v_share := least(v_lots[v_place].owed, v_lot.remaining);
            v_lots[v_place].owed := v_lots[v_place].owed - v_share;
            v_lot.spent := v_lot.spent + v_share;
            v_lot.remaining := v_lot.remaining - v_share;
        END IF;
    END LOOP;
    RETURN v_lots || v_lot;
END;
$$;
COMMENT ON FUNCTION wallet.forecast_grant(wallet.forecast_lot[], wallet.forecast_lot) IS
'Adds a lot to a forecast, as a grant would.';
