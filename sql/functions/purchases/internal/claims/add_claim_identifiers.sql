-- Adds all identifiers of a fact to a claim. It fills the claim's empty columns. Identifiers without a free column (for
-- example the new transaction id of a restored purchase) are stored on a duplicate of the claim, so that no identifier
-- can grant again. Returns false if this is not, or no longer, the right claim; the caller then searches again.
-- The caller holds the claim. Locks: see wallet.find_claim. Codes: none.
CREATE OR REPLACE FUNCTION wallet.add_claim_identifiers(
    p_claim_id BIGINT, p_fact wallet.claims
) RETURNS BOOLEAN LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
    v_whole wallet.claims;
    v_new wallet.claims;
BEGIN
    SELECT c.* INTO STRICT v_claim FROM wallet.claims AS c WHERE c.claim_id = p_claim_id;
    v_whole := v_claim;
    v_whole.transaction_id := coalesce(v_claim.transaction_id, p_fact.transaction_id);
    v_whole.original_transaction_id := coalesce(v_claim.original_transaction_id, p_fact.original_transaction_id);
    v_whole.line_item_id := coalesce(v_claim.line_item_id, p_fact.line_item_id);
    v_whole.purchase_token := coalesce(v_claim.purchase_token, p_fact.purchase_token);
    v_whole.order_id := coalesce(v_claim.order_id, p_fact.order_id);
    -- The combined identifiers of claim and fact may match a third claim.
    IF wallet.find_claim(v_whole) <> p_claim_id THEN
        RETURN FALSE;
    END IF;
    v_new := wallet.unclaimed_identifiers(v_whole);
    UPDATE wallet.claims AS c SET
        transaction_id = coalesce(c.transaction_id, v_new.transaction_id),
        original_transaction_id = coalesce(c.original_transaction_id, v_new.original_transaction_id),
        line_item_id = coalesce(c.line_item_id, v_new.line_item_id),
        purchase_token = coalesce(c.purchase_token, v_new.purchase_token),
        order_id = coalesce(c.order_id, v_new.order_id)
    WHERE c.claim_id = p_claim_id;
    p_fact.part := v_claim.part;
    PERFORM wallet.keep_identifiers(v_claim, wallet.unclaimed_identifiers(p_fact));
    IF coalesce(v_claim.purchase_products, p_fact.purchase_products) IS NOT NULL THEN
        -- Another product of the purchase may hold an identifier in its first claim, so this product stores it under
        -- its own part.
        p_fact.part := wallet.product_label(v_claim.store, v_claim.store_product_id);
        PERFORM wallet.keep_identifiers(
            v_claim, wallet.unclaimed_identifiers(wallet.identifiers_lacking(p_claim_id, p_fact))
        );
    END IF;
    RETURN TRUE;
EXCEPTION
    -- A concurrent transaction has just recorded one of the identifiers for a new claim.
    WHEN unique_violation THEN RETURN FALSE;
END;
$$;
COMMENT ON FUNCTION wallet.add_claim_identifiers(BIGINT, wallet.claims) IS
'Adds all identifiers of a fact to a claim; returns false if the caller must search again.';
