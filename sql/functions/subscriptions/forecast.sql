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

-- Returns the lots of a wallet that matter for a forecast: open lots, lots with a debt, and lots of plan periods that
-- may still roll over when the next period begins.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.forecast_lots(p_account_id BIGINT, p_environment wallet.environment)
RETURNS wallet.forecast_lot[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT coalesce(array_agg(ROW(
        l.lot_id, l.unit, l.source, l.product_id, l.granted, l.spent, l.refunded, l.remaining, l.owed, l.expires_at,
        l.released_at IS NOT NULL, c.claim_id, c.rollover_percentage, c.rollover_cap, c.expires_at, n,
        CASE WHEN n.account_id = l.account_id THEN wallet.period_end(n) END, n.product_id
    )::wallet.forecast_lot ORDER BY l.lot_id), '{}')
    FROM wallet.lots AS l
    LEFT JOIN wallet.claims AS c
        ON
            l.source = 'plan' AND l.claim_id = c.claim_id
            AND NOT EXISTS (SELECT FROM wallet.lots AS r WHERE r.rolled_from = c.claim_id)
    LEFT JOIN LATERAL wallet.period_after(c) AS n ON TRUE
    WHERE
        l.account_id = p_account_id AND l.environment = p_environment
        AND (l.is_open OR l.owed > 0 OR EXISTS (
            SELECT FROM wallet.subscriptions AS s
            WHERE s.account_id = p_account_id AND s.current_claim_id = l.claim_id
        ));
$$;
COMMENT ON FUNCTION wallet.forecast_lots(BIGINT, wallet.environment) IS
'Returns the lots of a wallet that matter for a forecast.';

-- Returns the subscriptions of a wallet that give access, with the amount that each grants when it renews. A
-- subscription in its grace period has missed a renewal, so no further renewal is expected. The same holds for one that
-- will not renew.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.forecast_plans(p_account_id BIGINT, p_environment wallet.environment)
RETURNS wallet.forecast_plan[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT coalesce(array_agg(ROW(
        s.subscription_id, t.current_claim_id, p, CASE
            WHEN p.grant_source = 'virtual_currency' THEN coalesce(c.reported_amount, 0)
            WHEN p.unlimited THEN 0
            WHEN c.billing_periods IS NOT NULL THEN coalesce(p.commitment_amount, p.amount + p.bonus) * c.quantity
            ELSE (p.amount + p.bonus) * c.quantity
        END, s.period_end, 0, s.period_end,
        CASE WHEN t.ended = 'expired' THEN s.period_end ELSE s.access_ends_at END,
        s.will_renew AND s.status IN ('trial', 'active') AND t.ended IS NULL AND NOT t.paused,
        s.will_renew, s.unlimited, s.rollover_percentage, c.billing_period, c.billing_periods,
        -- The same rule as in wallet.grant_claim.
        c.billing_periods IS NOT NULL AND p.grant_source <> 'virtual_currency'
        AND (p.commitment_amount IS NOT NULL OR p.period::INTERVAL > INTERVAL '1 month'),
        coalesce(wallet.period_flag(c.claim_id, 'commitment_renews')::BOOLEAN, TRUE)
    )::wallet.forecast_plan ORDER BY s.subscription_id), '{}')
    FROM wallet.subscription_states AS s
    INNER JOIN wallet.subscriptions AS t ON s.account_id = t.account_id AND s.subscription_id = t.subscription_id
    INNER JOIN wallet.claims AS c ON t.current_claim_id = c.claim_id
    INNER JOIN wallet.products AS p ON s.product_id = p.product_id
    WHERE s.account_id = p_account_id AND s.environment = p_environment AND s.has_access;
$$;
COMMENT ON FUNCTION wallet.forecast_plans(BIGINT, wallet.environment) IS
'Returns the subscriptions of a wallet that give access, with the amount that each grants when it renews.';

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

-- Renews a plan in a forecast at the end of its period: grants the plan's amount until p_next_end, then applies the
-- rollover from the previous period.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.forecast_renewal(
    p_lots wallet.forecast_lot[],
    p_plan wallet.forecast_plan,
    p_next_end TIMESTAMPTZ
) RETURNS wallet.forecast_lot[] LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lots wallet.forecast_lot[] := p_lots;
    v_lot wallet.forecast_lot;
    v_own INTEGER;
    v_grants CONSTANT BIGINT := CASE
        WHEN p_plan.shares THEN wallet.period_share(p_plan.grants, p_plan.billing_period, p_plan.billing_periods)
        ELSE p_plan.grants
    END;
BEGIN
    FOR v_place IN 1 .. cardinality(v_lots) LOOP
        IF v_lots[v_place].claim_id = p_plan.claim_id THEN
            v_own := v_place;
            v_lots[v_place].next_ends_at := p_next_end;
            v_lots[v_place].next_product_id := (p_plan.product).product_id;
        END IF;
    END LOOP;
    IF v_grants > 0 THEN
        v_lot.lot_id := md5('subscription ' || p_plan.subscription_id || ' until ' || p_next_end)::UUID;
        v_lot.unit := (p_plan.product).unit;
        v_lot.source := 'plan';
        v_lot.product_id := (p_plan.product).product_id;
        v_lot.granted := v_grants;
        v_lot.spent := 0;
        v_lot.refunded := 0;
        v_lot.remaining := v_grants;
        v_lot.owed := 0;
        v_lot.expires_at := p_next_end;
        v_lot.released := FALSE;
        -- Claim ids start at 1, so a future period uses the negative id of its subscription.
        v_lot.claim_id := -p_plan.subscription_id;
        v_lot.rollover_percentage := (p_plan.product).rollover_percentage;
        v_lot.rollover_cap := (p_plan.product).rollover_cap;
        v_lot.period_ends_at := p_next_end;
        v_lots := wallet.forecast_grant(v_lots, v_lot);
    END IF;
    IF v_own IS NOT NULL THEN
        v_lots := wallet.forecast_rollover(v_lots, v_own, p_plan.period_ends_at);
    END IF;
    RETURN v_lots;
END;
$$;
COMMENT ON FUNCTION wallet.forecast_renewal(wallet.forecast_lot[], wallet.forecast_plan, TIMESTAMPTZ) IS
'Renews a plan in a forecast.';

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

-- Returns the sums of a forecast in the form of wallet.balances, with the spendable lots.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.forecast_answer(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_at TIMESTAMPTZ,
    p_lots wallet.forecast_lot[],
    p_plans wallet.forecast_plan[]
) RETURNS wallet.balance_forecast LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT ROW(
        l.credits, l.visits, p.unlimited, l.owed_credits, l.owed_visits, coalesce((
            SELECT w.version FROM wallet.wallets AS w
            WHERE w.account_id = p_account_id AND w.environment = p_environment
        ), 0), ARRAY(
            SELECT o FROM unnest(p_lots) AS o WHERE o.remaining > 0 AND o.expires_at > p_at
            ORDER BY o.unit DESC, o.expires_at, o.lot_id
        ), p.next_rollover_at, p_at
    )::wallet.balance_forecast
    FROM (
        SELECT
            coalesce(sum(o.remaining) FILTER (WHERE o.unit = 'credit' AND o.expires_at > p_at), 0)::BIGINT AS credits,
            coalesce(sum(o.remaining) FILTER (WHERE o.unit = 'visit' AND o.expires_at > p_at), 0)::BIGINT AS visits,
            coalesce(sum(o.owed) FILTER (WHERE o.unit = 'credit'), 0)::BIGINT AS owed_credits,
            coalesce(sum(o.owed) FILTER (WHERE o.unit = 'visit'), 0)::BIGINT AS owed_visits
        FROM unnest(p_lots) AS o
    ) AS l
    CROSS JOIN (
        SELECT
            coalesce(bool_or(o.unlimited AND o.access_ends_at > p_at), FALSE) AS unlimited,
            min(o.period_ends_at) FILTER (
                WHERE o.access_ends_at > p_at AND o.will_renew AND o.rollover_percentage > 0
            ) AS next_rollover_at
        FROM unnest(p_plans) AS o
    ) AS p;
$$;
COMMENT ON FUNCTION wallet.forecast_answer(
    BIGINT, wallet.environment, TIMESTAMPTZ, wallet.forecast_lot[], wallet.forecast_plan[]
) IS 'Returns the sums of a forecast in the form of wallet.balances.';
