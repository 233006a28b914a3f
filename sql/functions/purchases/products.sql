-- Returns the catalogue's product of a claim: the product that was granted, otherwise the one with its store id and the
-- matching kind (a plan for a subscription, another kind otherwise). Google Play reports a subscription with its base
-- plan (plan:monthly). If the catalogue has only the subscription's own id, it matches all base plans.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.product_of(p_claim wallet.claims) RETURNS wallet.products LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_product wallet.products;
BEGIN
    IF p_claim.product_id IS NULL AND p_claim.store = 'app_store' THEN
        -- Most purchases take this branch: an index finds the product, and there are no base plans to compare.
        SELECT p.* INTO v_product FROM wallet.products AS p
        WHERE
            p.app_store_id = p_claim.store_product_id AND (p.kind = 'plan') = (p_claim.kind = 'subscription');
        RETURN v_product;
    END IF;
    SELECT p.* INTO v_product FROM wallet.products AS p
    WHERE CASE
        WHEN p_claim.product_id IS NOT NULL THEN p.product_id = p_claim.product_id
        WHEN p_claim.store = 'play_store' THEN p.play_store_id IN (
            p_claim.store_product_id, split_part(p_claim.store_product_id, ':', 1)
        )
        ELSE p.revenuecat_id = p_claim.store_product_id
    END
    AND (p_claim.product_id IS NOT NULL OR (p.kind = 'plan') = (p_claim.kind = 'subscription'))
    ORDER BY p_claim.store = 'play_store' AND p.play_store_id = p_claim.store_product_id DESC NULLS LAST
    LIMIT 1;
    RETURN v_product;
END;
$$;
COMMENT ON FUNCTION wallet.product_of(wallet.claims) IS 'Returns the catalogue''s product of a claim.';

-- Returns whether a claim, under any of its names, is one of several products. Two names are the same product if they
-- are equal, or if the catalogue has both for one product: the store's own column is searched first, then the others.
-- p_labels: products as returned by wallet.product_label.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.is_called(p_claim wallet.claims, p_labels TEXT[]) RETURNS BOOLEAN LANGUAGE plpgsql
STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_names CONSTANT TEXT[] := wallet.product_label(p_claim.store, p_claim.store_product_id)
        || coalesce(p_claim.other_names, '{}');
BEGIN
    IF v_names && p_labels THEN
        RETURN TRUE;
    END IF;
    RETURN EXISTS (
        SELECT FROM unnest(v_names) AS n (label)
        INNER JOIN unnest(p_labels) AS o (label)
            ON wallet.product_labelled(p_claim.store, n.label) = wallet.product_labelled(p_claim.store, o.label)
    );
END;
$$;
COMMENT ON FUNCTION wallet.is_called(wallet.claims, TEXT[]) IS 'Returns whether a claim is one of several products.';

-- Returns the label by which a store's product is compared within one purchase: the product's name, without the base
-- plan of Google Play's subscriptions (plan:monthly). The function has no search_path, so that PostgreSQL can inline
-- it: a call would cost as much as a small statement.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.product_label(p_store TEXT, p_name TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_store = 'play_store' THEN coalesce(nullif(split_part(p_name, ':', 1), ''), p_name) ELSE p_name END;
$$;
COMMENT ON FUNCTION wallet.product_label(TEXT, TEXT) IS
'Returns the label by which a store''s product is compared within one purchase.';

-- Returns the id of the catalogue's product for a label of a store or RevenueCat, or null.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.product_labelled(p_store TEXT, p_label TEXT) RETURNS TEXT LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT p.product_id FROM wallet.products AS p
        WHERE p_label IN (
            p.app_store_id, p.play_store_id, split_part(p.play_store_id, ':', 1), p.revenuecat_id,
            split_part(p.revenuecat_id, ':', 1)
        )
        ORDER BY
            -- A match in the store's own column comes before a match in another store's column.
            p_label = CASE p_store
                WHEN 'app_store' THEN p.app_store_id
                WHEN 'play_store' THEN split_part(p.play_store_id, ':', 1)
                ELSE p.revenuecat_id
            END DESC NULLS LAST,
            p.product_id
        LIMIT 1
    );
END;
$$;
COMMENT ON FUNCTION wallet.product_labelled(TEXT, TEXT) IS 'Returns the catalogue''s product for a label.';
