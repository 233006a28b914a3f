-- Returns what a wallet will hold at an instant, changing nothing: what expires by then is gone, plans that will renew
-- have renewed on today's terms of the catalogue, period by period (billing period by billing period of a commitment,
-- to its end where it does not renew), with rollovers, and every grant has first repaid
-- what was owed. For now it says what wallet.balances says. Lots still to come have ids that nobody else knows.
-- p_at: at most 730 days ahead; a minute that passed while it was asked is forgiven.
-- Locks: none. Codes: WL400 forecast-out-of-range.
CREATE OR REPLACE FUNCTION wallet.forecast(p_account_id BIGINT, p_environment wallet.environment, p_at TIMESTAMPTZ)
RETURNS wallet.balance_forecast LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_now CONSTANT TIMESTAMPTZ := wallet.now();
    v_at CONSTANT TIMESTAMPTZ := greatest(p_at, v_now);
    v_lots wallet.forecast_lot[] := wallet.forecast_lots(p_account_id, p_environment);
    v_plans wallet.forecast_plan[] := wallet.forecast_plans(p_account_id, p_environment);
    v_due TIMESTAMPTZ;
    v_end TIMESTAMPTZ;
BEGIN
    IF p_at IS NULL OR p_at < v_now - INTERVAL '1 minute' OR p_at > v_now + make_interval(hours => 24 * 730) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL400', MESSAGE = 'forecast-out-of-range';
    END IF;
    LOOP
        v_due := least(
            (SELECT min(l.expires_at) FROM unnest(v_lots) AS l WHERE l.remaining > 0),
            (SELECT min(p.period_ends_at) FROM unnest(v_plans) AS p WHERE p.renews)
        );
        -- What is due by now and not posted yet has rolled over nothing yet.
        EXIT WHEN v_due IS NULL OR v_due > v_at OR v_at = v_now;
        v_lots := wallet.forecast_lapse(v_lots, v_due);
        FOR v_place IN 1 .. cardinality(v_plans) LOOP
            CONTINUE WHEN NOT v_plans[v_place].renews OR v_plans[v_place].period_ends_at > v_due;
            v_plans[v_place].renewals := v_plans[v_place].renewals + 1;
            v_plans[v_place].billing_period
                := v_plans[v_place].billing_period % v_plans[v_place].billing_periods + 1;
            -- Counted from the first end in UTC: a month after the 31st is not followed by one after the 28th.
            v_end := (
                v_plans[v_place].first_ends_at AT TIME ZONE 'UTC'
                + v_plans[v_place].renewals * CASE
                    -- Both stores bill a commitment monthly.
                    WHEN v_plans[v_place].billing_periods IS NULL THEN (v_plans[v_place].product).period::INTERVAL
                    ELSE INTERVAL '1 month'
                END
            ) AT TIME ZONE 'UTC';
            v_lots := wallet.forecast_renewal(v_lots, v_plans[v_place], v_end);
            v_plans[v_place].claim_id := -v_plans[v_place].subscription_id;
            v_plans[v_place].period_ends_at := v_end;
            v_plans[v_place].access_ends_at := v_end;
            v_plans[v_place].unlimited := (v_plans[v_place].product).unlimited;
            v_plans[v_place].rollover_percentage := (v_plans[v_place].product).rollover_percentage;
            IF
                v_plans[v_place].billing_period = v_plans[v_place].billing_periods
                AND NOT v_plans[v_place].commitment_renews
            THEN
                v_plans[v_place].renews := FALSE;
                v_plans[v_place].will_renew := FALSE;
            END IF;
        END LOOP;
        v_lots := ARRAY(
            SELECT l FROM unnest(v_lots) AS l WHERE l.remaining > 0 OR l.owed > 0 OR l.claim_id IS NOT NULL
        );
    END LOOP;
    RETURN wallet.forecast_answer(p_account_id, p_environment, v_at, v_lots, v_plans);
END;
$$;
COMMENT ON FUNCTION wallet.forecast(BIGINT, wallet.environment, TIMESTAMPTZ) IS
'What a wallet will hold at an instant.';
