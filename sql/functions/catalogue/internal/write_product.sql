-- Writes all columns of a new or existing product.
-- Locks: the product, then see wallet.grant_waiting. Codes: WL409 product-kind-fixed, WL409 store-id-taken (another
-- transaction has just used the store id).
CREATE OR REPLACE FUNCTION wallet.write_product(p_product wallet.products) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_constraint TEXT;
BEGIN
    INSERT INTO wallet.products (
        product_id, kind, name, description, unit, amount, bonus, price_minor, currency, is_active, is_popular,
        display_order, app_store_id, play_store_id, revenuecat_id, valid_days, grace_days, tier, entitlements, period,
        unlimited, trial_amount, rollover_percentage, rollover_cap, subscription_group, grant_source, days_ahead,
        commitment_amount
    ) VALUES (
        p_product.product_id, p_product.kind, p_product.name, p_product.description, p_product.unit,
        p_product.amount, p_product.bonus, p_product.price_minor, p_product.currency, p_product.is_active,
        p_product.is_popular, p_product.display_order, p_product.app_store_id, p_product.play_store_id,
        p_product.revenuecat_id, p_product.valid_days, p_product.grace_days, p_product.tier, p_product.entitlements,
        p_product.period, p_product.unlimited, p_product.trial_amount, p_product.rollover_percentage,
        p_product.rollover_cap, p_product.subscription_group, p_product.grant_source, p_product.days_ahead,
        p_product.commitment_amount
    )
    ON CONFLICT (product_id) DO UPDATE SET
        name = excluded.name,
        description = excluded.description,
        amount = excluded.amount,
        bonus = excluded.bonus,
        price_minor = excluded.price_minor,
        currency = excluded.currency,
        is_active = excluded.is_active,
        is_popular = excluded.is_popular,
        display_order = excluded.display_order,
        app_store_id = excluded.app_store_id,
        play_store_id = excluded.play_store_id,
        revenuecat_id = excluded.revenuecat_id,
        valid_days = excluded.valid_days,
        grace_days = excluded.grace_days,
        tier = excluded.tier,
        entitlements = excluded.entitlements,
        period = excluded.period,
        unlimited = excluded.unlimited,
        trial_amount = excluded.trial_amount,
        rollover_percentage = excluded.rollover_percentage,
        rollover_cap = excluded.rollover_cap,
        subscription_group = excluded.subscription_group,
        grant_source = excluded.grant_source,
        days_ahead = excluded.days_ahead,
        commitment_amount = excluded.commitment_amount
    WHERE products.kind = excluded.kind AND products.unit = excluded.unit;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'product-kind-fixed';
    END IF;
EXCEPTION
    WHEN unique_violation THEN
        GET STACKED DIAGNOSTICS v_constraint = CONSTRAINT_NAME;
        IF v_constraint LIKE 'products\_%\_id\_key' THEN
            RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'store-id-taken';
        END IF;
        RAISE;
END;
$$;
COMMENT ON FUNCTION wallet.write_product(wallet.products) IS 'Writes all columns of a new or existing product.';
