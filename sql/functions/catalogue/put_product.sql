-- Creates or changes a product for an operator, once per key: see wallet.change_product.
-- p_definition: an object with the column names of wallet.products. A missing or null column gets the default of a new
-- product, and unknown names are ignored.
-- Locks: the operator's key, then see wallet.change_product. Codes: WL403 right-missing, WL422 idempotency-key-reused;
-- see wallet.change_product.
CREATE OR REPLACE FUNCTION wallet.put_product(
    p_product_id TEXT,
    p_definition JSONB,
    p_actor TEXT,
    p_key TEXT,
    p_right wallet.operator_right DEFAULT 'admin'
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_new CONSTANT wallet.products := wallet.new_product(p_product_id, p_definition);
BEGIN
    PERFORM wallet.check_right('put-product', p_right);
    IF wallet.operator_replays(p_actor, p_key, 'put-product', jsonb_strip_nulls(to_jsonb(v_new))) THEN
        RETURN;
    END IF;
    PERFORM wallet.change_product(v_new, ROW(p_actor, NULL, NULL, NULL)::wallet.action_note);
END;
$$;
COMMENT ON FUNCTION wallet.put_product(TEXT, JSONB, TEXT, TEXT, wallet.operator_right) IS
'Creates or changes a product for an operator.';

-- Returns a product from a JSON object with the column names of wallet.products. A missing or null column gets the
-- default of a new product, and unknown names are ignored.
CREATE OR REPLACE FUNCTION wallet.new_product(p_product_id TEXT, p_definition JSONB) RETURNS wallet.products
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT jsonb_populate_record(NULL::wallet.products, '{
        "description": "", "amount": 0, "bonus": 0, "currency": "USD", "is_active": true, "is_popular": false,
        "display_order": 0, "grace_days": 7, "tier": 0, "entitlements": [], "unlimited": false, "trial_amount": 0,
        "rollover_percentage": 0, "grant_source": "purchase", "bundle_items": []
    }' || jsonb_strip_nulls(p_definition) || jsonb_build_object('product_id', p_product_id));
$$;
COMMENT ON FUNCTION wallet.new_product(TEXT, JSONB) IS
'Returns a product from its definition; missing columns get the defaults of a new product.';

-- Creates or changes a product, for example through the view admin.products. Lots already sold keep their terms, and
-- purchases that waited for the product are granted. If the terms change, the answer includes how often the old terms
-- were granted, as far as the daily sums have been computed.
-- Locks: the catalogue against claims of missing products, the product, then see wallet.grant_waiting. Codes: WL409
-- product-kind-fixed, WL409 store-id-taken.
CREATE OR REPLACE FUNCTION wallet.change_product(p_new wallet.products, p_note wallet.action_note)
RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old wallet.products;
    v_before JSONB;
    v_after JSONB := to_jsonb(p_new) - 'created_at';
    v_taken_by TEXT;
BEGIN
    -- This lock comes before the product's: a claim that locks the catalogue may need to read the product.
    LOCK TABLE wallet.products IN ROW EXCLUSIVE MODE;
    SELECT p.* INTO v_old FROM wallet.products AS p WHERE p.product_id = p_new.product_id FOR UPDATE;
    IF FOUND AND (v_old.kind, v_old.unit) IS DISTINCT FROM (p_new.kind, p_new.unit) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'product-kind-fixed',
            DETAIL = jsonb_build_object('kind', v_old.kind, 'unit', v_old.unit)::TEXT;
    END IF;
    SELECT min(p.product_id) INTO v_taken_by FROM wallet.products AS p
    WHERE
        p.product_id <> p_new.product_id AND (
            p.app_store_id = p_new.app_store_id OR p.play_store_id = p_new.play_store_id
            OR p.revenuecat_id = p_new.revenuecat_id
        );
    IF v_taken_by IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'store-id-taken',
            DETAIL = jsonb_build_object('product_id', v_taken_by)::TEXT;
    END IF;
    PERFORM wallet.write_product(p_new);
    v_before := CASE WHEN v_old.product_id IS NULL THEN '{}' ELSE to_jsonb(v_old) - 'created_at' END;
    IF v_before <> v_after THEN
        -- Of a bundle, only the lots of the product's own unit are counted: one of each purchase, and their further ones.
        SELECT v_after || jsonb_build_object('granted_under_old_terms', div(sum(s.entries), (
            SELECT 1 + count(*) FROM unnest(v_old.bundle_items) AS i WHERE i.unit = v_old.unit
        ))) INTO v_after
        FROM wallet.daily_sums AS s
        WHERE
            s.product_id = p_new.product_id AND s.environment = 'production' AND s.kind = 'grant'
            AND s.unit = p_new.unit;
    END IF;
    RETURN wallet.record_action(
        p_note, 'put-product', 'product', p_new.product_id, v_before, v_after
    );
END;
$$;
COMMENT ON FUNCTION wallet.change_product(wallet.products, wallet.action_note) IS 'Creates or changes a product.';

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
        commitment_amount, freeze_days, freeze_minimum_days, starts_within_days, bundle_items
    ) VALUES (
        p_product.product_id, p_product.kind, p_product.name, p_product.description, p_product.unit,
        p_product.amount, p_product.bonus, p_product.price_minor, p_product.currency, p_product.is_active,
        p_product.is_popular, p_product.display_order, p_product.app_store_id, p_product.play_store_id,
        p_product.revenuecat_id, p_product.valid_days, p_product.grace_days, p_product.tier, p_product.entitlements,
        p_product.period, p_product.unlimited, p_product.trial_amount, p_product.rollover_percentage,
        p_product.rollover_cap, p_product.subscription_group, p_product.grant_source, p_product.days_ahead,
        p_product.commitment_amount, p_product.freeze_days, p_product.freeze_minimum_days,
        p_product.starts_within_days, p_product.bundle_items
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
        commitment_amount = excluded.commitment_amount,
        freeze_days = excluded.freeze_days,
        freeze_minimum_days = excluded.freeze_minimum_days,
        starts_within_days = excluded.starts_within_days,
        bundle_items = excluded.bundle_items
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

-- Runs before a statement changes products. It waits for transactions that record a purchase of a product missing from
-- the catalogue (see wallet.lock_catalogue), so that wallet.grant_waiting sees the purchase.
-- Locks: the catalogue, until the transaction ends. Codes: none.
CREATE OR REPLACE FUNCTION wallet.change_catalogue() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('wallet.products', 0));
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.change_catalogue() IS
'Waits for transactions that record a purchase of a product missing from the catalogue.';

DROP TRIGGER IF EXISTS products_change ON wallet.products;
CREATE TRIGGER products_change BEFORE INSERT OR UPDATE ON wallet.products
FOR EACH STATEMENT EXECUTE FUNCTION wallet.change_catalogue();

-- Keeps the catalogue unchanged until the transaction ends, so that a transaction that adds a missing product sees the
-- claim of it. It never waits, because a transaction that adds a product may need the claim that the caller holds. It
-- uses an advisory lock: VACUUM and ANALYZE also take the table's lock and would cause purchases to be refused while
-- they run.
-- Locks: the catalogue against changes (see wallet.change_catalogue). Codes: WL503 wallet-busy while another
-- transaction changes a product.
CREATE OR REPLACE FUNCTION wallet.lock_catalogue() RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock_shared(hashtextextended('wallet.products', 0)) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.lock_catalogue() IS 'Keeps the catalogue unchanged until the transaction ends.';
