-- Returns offers that cover a shortage. Of each unit, it lists the packs and passes that cover the need alone, or how
-- many of one are needed if none does, cheapest first. Then it lists the plans, those that cover the need first. A pass
-- that would expire before p_starts_at is not offered. The result has at most 20 of each.
-- p_needs: the shortage in each unit that may pay, {"credit": 15, "visit": 1}.
-- p_seats: the seats to book, of which an unlimited plan covers one; null if nothing is booked.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.offers_for(
    p_needs JSONB,
    p_seats INTEGER,
    p_starts_at TIMESTAMPTZ DEFAULT NULL
) RETURNS JSONB LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        WITH counted AS (
            SELECT
                p.*,
                ceil((p_needs ->> p.unit::TEXT)::NUMERIC / p.total_credits)::BIGINT AS quantity,
                bool_or(p.total_credits >= (p_needs ->> p.unit::TEXT)::NUMERIC)
                    OVER (PARTITION BY p.unit) AS is_one_enough
            FROM wallet.packs AS p
            WHERE
                p_needs ? p.unit::TEXT
                AND (
                    p_starts_at IS NULL OR p.valid_days IS NULL
                    OR p_starts_at < wallet.now() + make_interval(hours => 24 * p.valid_days)
                )
        ),

        packs AS (
            SELECT c.*, c.price * c.quantity AS total_price FROM counted AS c
            WHERE c.quantity = 1 OR NOT c.is_one_enough
            ORDER BY c.price * c.quantity, c.product_id
            LIMIT 20
        ),

        plans AS (
            SELECT
                p.*,
                coalesce(CASE
                    -- A plan that renews pays for a booking after its current period only if it is unlimited.
                    WHEN p.unlimited THEN p_seats = 1
                    ELSE
                        p.amount >= (p_needs ->> p.unit::TEXT)::NUMERIC
                        AND (
                            p_starts_at IS NULL
                            -- Months are counted in UTC, as in the rest of the schema.
                            OR p_starts_at
                            < (wallet.now() AT TIME ZONE 'UTC' + p.period::INTERVAL) AT TIME ZONE 'UTC'
                        )
                END, FALSE) AS covers
            FROM wallet.plans AS p
        ),

        best_plans AS (
            SELECT p.* FROM plans AS p
            ORDER BY p.covers DESC, p.price, p.product_id
            LIMIT 20
        )

        SELECT jsonb_build_object(
            'packs', coalesce((
                SELECT jsonb_agg(jsonb_build_object(
                    'product_id', p.product_id, 'name', p.name, 'unit', p.unit, 'credits', p.credits,
                    'bonus_credits', p.bonus_credits, 'total_credits', p.total_credits, 'quantity', p.quantity,
                    'total_price', jsonb_build_object('amount', p.total_price, 'currency', p.currency),
                    'price', jsonb_build_object('amount', p.price, 'currency', p.currency),
                    'price_per_credit', p.price_per_credit, 'savings_percentage', p.savings_percentage,
                    'is_popular', p.is_popular, 'store_ids', jsonb_build_object(
                        'app_store', p.app_store_id, 'play_store', p.play_store_id, 'revenuecat', p.revenuecat_id
                    )
                ) ORDER BY p.total_price, p.product_id)
                FROM packs AS p
            ), '[]'),
            'plans', coalesce((
                SELECT jsonb_agg(jsonb_build_object(
                    'product_id', p.product_id, 'name', p.name, 'tier', p.tier, 'period', p.period,
                    'unlimited', p.unlimited, 'unit', p.unit, 'amount', p.amount, 'trial_amount', p.trial_amount,
                    'covers', p.covers, 'price', jsonb_build_object('amount', p.price, 'currency', p.currency),
                    'store_ids', jsonb_build_object(
                        'app_store', p.app_store_id, 'play_store', p.play_store_id, 'revenuecat', p.revenuecat_id
                    )
                ) ORDER BY p.covers DESC, p.price, p.product_id)
                FROM best_plans AS p
            ), '[]')
        )
    );
END;
$$;
COMMENT ON FUNCTION wallet.offers_for(JSONB, INTEGER, TIMESTAMPTZ) IS 'Returns offers that cover a shortage.';
