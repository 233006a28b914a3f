-- Returns the expected balance of a wallet at a future time, without changing anything. Lots that expire by then are
-- gone. Plans renew period by period on the catalogue's current terms, with rollovers; commitments renew by billing
-- period and stop at their end if they do not renew. Every grant first repays the wallet's debts. For the current time,
-- the result equals wallet.balances. Lots of future grants have ids that exist nowhere else.
-- p_at: at most 730 days ahead, and at most one minute in the past, to allow for the duration of the request.
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
        -- Lots that are due now but not posted yet have not rolled over yet.
        EXIT WHEN v_due IS NULL OR v_due > v_at OR v_at = v_now;
        v_lots := wallet.forecast_lapse(v_lots, v_due);
        FOR v_place IN 1 .. cardinality(v_plans) LOOP
            CONTINUE WHEN NOT v_plans[v_place].renews OR v_plans[v_place].period_ends_at > v_due;
            v_plans[v_place].renewals := v_plans[v_place].renewals + 1;
            v_plans[v_place].billing_period
                := v_plans[v_place].billing_period % v_plans[v_place].billing_periods + 1;
            -- Ends are counted from the first one, in UTC, so that a plan that ends on the 31st does not stay on the
            -- 28th after February.
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
'Returns the expected balance of a wallet at a future time.';
