-- Tells what to buy when an amount is missing: each pack that covers it, cheapest first, and the plans.
-- Called by: wallet.burn_plan. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.offers_for(p_unit wallet.unit, p_needed BIGINT) RETURNS JSONB LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT jsonb_build_object(
        'packs', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'product_id', p.product_id, 'name', p.name, 'unit', p.unit, 'credits', p.credits,
                'bonus_credits', p.bonus_credits, 'total_credits', p.total_credits,
                'price', jsonb_build_object('amount', p.price, 'currency', p.currency),
                'price_per_credit', p.price_per_credit
            ) ORDER BY p.price, p.product_id)
            FROM wallet.packs AS p WHERE p.unit = p_unit AND p.total_credits >= p_needed
        ), '[]'),
        'plans', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'product_id', p.product_id, 'name', p.name, 'tier', p.tier, 'period', p.period,
                'unlimited', p.unlimited, 'unit', p.unit, 'amount', p.amount,
                'price', jsonb_build_object('amount', p.price, 'currency', p.currency)
            ) ORDER BY p.price, p.product_id)
            FROM wallet.plans AS p
        ), '[]')
    );
$$;
COMMENT ON FUNCTION wallet.offers_for(wallet.unit, BIGINT) IS 'What to buy when an amount is missing.';
