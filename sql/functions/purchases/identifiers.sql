-- Adds all identifiers of a fact to a claim. It fills the claim's empty columns. Identifiers without a free column (for
-- example the new transaction id of a restored purchase) are stored on a duplicate of the claim, so that no identifier
-- can grant again. Returns false if a concurrent transaction has just recorded one of the identifiers for a new claim;
-- the caller then searches again.
-- The caller holds the claim. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.add_claim_identifiers(p_claim_id BIGINT, p_fact wallet.claims) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
    v_new CONSTANT wallet.claims := wallet.unclaimed_identifiers(wallet.whole_claim(p_claim_id, p_fact));
BEGIN
    SELECT c.* INTO STRICT v_claim FROM wallet.claims AS c WHERE c.claim_id = p_claim_id;
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
    WHEN unique_violation THEN RETURN FALSE;
END;
$$;
COMMENT ON FUNCTION wallet.add_claim_identifiers(BIGINT, wallet.claims) IS
'Adds all identifiers of a fact to a claim; returns false if the caller must search again.';

-- Returns a claim with the identifiers that it lacks and a fact has.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.whole_claim(p_claim_id BIGINT, p_fact wallet.claims) RETURNS wallet.claims
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
BEGIN
    SELECT c.* INTO STRICT v_claim FROM wallet.claims AS c WHERE c.claim_id = p_claim_id;
    v_claim.transaction_id := coalesce(v_claim.transaction_id, p_fact.transaction_id);
    v_claim.original_transaction_id := coalesce(v_claim.original_transaction_id, p_fact.original_transaction_id);
    v_claim.line_item_id := coalesce(v_claim.line_item_id, p_fact.line_item_id);
    v_claim.purchase_token := coalesce(v_claim.purchase_token, p_fact.purchase_token);
    v_claim.order_id := coalesce(v_claim.order_id, p_fact.order_id);
    RETURN v_claim;
END;
$$;
COMMENT ON FUNCTION wallet.whole_claim(BIGINT, wallet.claims) IS
'Returns a claim with the identifiers that it lacks and a fact has.';

-- Removes from a fact the identifiers that a claim with the same part already has, and returns the fact with the new
-- ones.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.unclaimed_identifiers(p_fact wallet.claims) RETURNS wallet.claims LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment
            AND c.transaction_id = p_fact.transaction_id AND c.part = p_fact.part
    ) THEN
        p_fact.transaction_id := NULL;
    END IF;
    IF EXISTS (
        SELECT FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment AND c.order_id = p_fact.order_id
            AND c.part = p_fact.part
    ) THEN
        p_fact.order_id := NULL;
    END IF;
    IF EXISTS (
        SELECT FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment
            AND c.purchase_token = p_fact.purchase_token AND c.kind = 'one_time' AND p_fact.kind = 'one_time'
            AND c.part = p_fact.part
    ) THEN
        p_fact.purchase_token := NULL;
    END IF;
    IF EXISTS (
        SELECT FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment AND c.line_item_id = p_fact.line_item_id
    ) THEN
        p_fact.line_item_id := NULL;
    END IF;
    -- The original id is unique only together with the second of purchase.
    IF EXISTS (
        SELECT FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment AND c.part = p_fact.part
            AND c.original_transaction_id = p_fact.original_transaction_id
            AND c.purchase_second = floor(extract(EPOCH FROM p_fact.purchased_at))::BIGINT
            AND (c.store <> 'play_store' OR coalesce(c.transaction_id, c.order_id) IS NULL)
    ) THEN
        p_fact.original_transaction_id := NULL;
    END IF;
    RETURN p_fact;
END;
$$;
COMMENT ON FUNCTION wallet.unclaimed_identifiers(wallet.claims) IS
'Returns a fact with only the identifiers that no claim with the same part has.';

-- Removes from a fact the identifiers that a claim or one of its duplicates has, and returns the fact with the missing
-- ones.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.identifiers_lacking(p_claim_id BIGINT, p_fact wallet.claims) RETURNS wallet.claims
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_known wallet.claims;
BEGIN
    FOR v_known IN
        SELECT c.* FROM wallet.claims AS c WHERE c.claim_id = p_claim_id OR c.duplicate_of = p_claim_id
    LOOP
        p_fact.transaction_id := nullif(p_fact.transaction_id, v_known.transaction_id);
        p_fact.order_id := nullif(p_fact.order_id, v_known.order_id);
        p_fact.purchase_token := nullif(p_fact.purchase_token, v_known.purchase_token);
        p_fact.line_item_id := nullif(p_fact.line_item_id, v_known.line_item_id);
        IF
            v_known.original_transaction_id = p_fact.original_transaction_id
            AND (v_known.store = 'play_store' OR floor(extract(EPOCH FROM p_fact.purchased_at)) = v_known.purchase_second)
        THEN
            p_fact.original_transaction_id := NULL;
        END IF;
    END LOOP;
    RETURN p_fact;
END;
$$;
COMMENT ON FUNCTION wallet.identifiers_lacking(BIGINT, wallet.claims) IS
'Returns a fact with only the identifiers that a claim and its duplicates lack.';

-- Stores identifiers for which a claim has no free column on a duplicate of it. Inserts nothing if no identifier
-- remains.
-- p_new: a fact with the identifiers to store, and the part under which they are free.
-- Locks: no others; the caller holds the claim. Codes: none.
CREATE OR REPLACE FUNCTION wallet.keep_identifiers(p_claim wallet.claims, p_new wallet.claims) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    IF
        coalesce(p_new.transaction_id, p_new.order_id) IS NOT NULL
        -- Google Play's periods may share one start, so there the subscription and the second of purchase do not
        -- identify a purchase.
        OR (p_new.original_transaction_id IS NOT NULL AND p_new.store <> 'play_store')
        OR (p_new.purchase_token IS NOT NULL AND p_new.kind = 'one_time')
    THEN
        INSERT INTO wallet.claims (
            store, environment, duplicate_of, transaction_id, original_transaction_id, line_item_id, purchase_token,
            order_id, kind, store_product_id, part, chain_line, purchased_at, verdict, source, source_at, created_at
        ) VALUES (
            p_claim.store, p_claim.environment, p_claim.claim_id, p_new.transaction_id, p_new.original_transaction_id,
            p_new.line_item_id, p_new.purchase_token, p_new.order_id, p_new.kind, p_new.store_product_id, p_new.part,
            p_claim.chain_line, p_new.purchased_at, 'duplicate', p_new.source, p_new.source_at, wallet.now()
        );
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.keep_identifiers(wallet.claims, wallet.claims) IS
'Stores identifiers for which a claim has no free column on a duplicate of it.';
