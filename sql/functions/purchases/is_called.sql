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
