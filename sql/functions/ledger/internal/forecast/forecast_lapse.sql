-- Lapses the lots of a forecast that expire by p_at, soonest first, and applies their rollovers.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.forecast_lapse(p_lots wallet.forecast_lot[], p_at TIMESTAMPTZ)
RETURNS wallet.forecast_lot[] LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lots wallet.forecast_lot[] := p_lots;
    v_place INTEGER;
BEGIN
    FOR v_place IN
        SELECT g.place FROM generate_subscripts(p_lots, 1) AS g (place)
        WHERE (p_lots[g.place]).remaining > 0 AND (p_lots[g.place]).expires_at <= p_at
        ORDER BY (p_lots[g.place]).expires_at, (p_lots[g.place]).lot_id
    LOOP
        v_lots[v_place].remaining := 0;
        v_lots := wallet.forecast_rollover(v_lots, v_place, p_at);
    END LOOP;
    RETURN v_lots;
END;
$$;
COMMENT ON FUNCTION wallet.forecast_lapse(wallet.forecast_lot[], TIMESTAMPTZ) IS
'Lapses the lots of a forecast that expire by a time.';
