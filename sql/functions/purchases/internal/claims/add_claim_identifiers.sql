-- Lets a claim know every identifier that a fact knows: fills its gaps, and keeps what it has no room for (the new
-- transaction id of a restored purchase, say) on a duplicate of it, so that no identifier can ever grant again. Says
-- false when the claim is not the one to name, or no longer: the caller looks again.
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
    -- What the claim knew and what the fact adds may together name a third.
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
        -- Another product of the purchase may hold an identifier as the first claim of it, and so may this one not.
        p_fact.part := wallet.product_label(v_claim.store, v_claim.store_product_id);
        PERFORM wallet.keep_identifiers(
            v_claim, wallet.unclaimed_identifiers(wallet.identifiers_lacking(p_claim_id, p_fact))
        );
    END IF;
    RETURN TRUE;
EXCEPTION
    -- Somebody has just recorded one of the identifiers for a claim that was not there when this looked.
    WHEN unique_violation THEN RETURN FALSE;
END;
$$;
COMMENT ON FUNCTION wallet.add_claim_identifiers(BIGINT, wallet.claims) IS
'Lets a claim know every identifier that a fact knows; false when the caller must look again.';
