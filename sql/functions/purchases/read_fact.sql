-- Parses a store fact's JSON into the shape of a claim.
-- Locks: none. Codes: WL422 purchase-data-incomplete for a fact without product, times or a sufficient identifier (a
-- subscription's token identifies all its periods), WL422 purchase-data-out-of-range for a member of the wrong type
-- or outside the tables' limits.
CREATE OR REPLACE FUNCTION wallet.read_fact(p_fact JSONB) RETURNS wallet.claims LANGUAGE plpgsql STABLE
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_answers CONSTANT TEXT[] := '{
        will_renew, billing_issue, paused, revoked, needs_acknowledgement, commitment_renews
    }';
    v_fact wallet.claims;
    v_grace_ends_at TIMESTAMPTZ;
    v_expired_at TIMESTAMPTZ;
    v_in_range BOOLEAN;
BEGIN
    BEGIN
        v_fact.store := p_fact ->> 'store';
        v_fact.environment := (p_fact ->> 'environment')::wallet.environment;
        v_fact.transaction_id := nullif(p_fact ->> 'transaction_id', '');
        v_fact.original_transaction_id := nullif(p_fact ->> 'original_transaction_id', '');
        -- Local tests of the App Store use 0 for every line item.
        v_fact.line_item_id := nullif(nullif(p_fact ->> 'line_item_id', ''), '0');
        v_fact.purchase_token := nullif(p_fact ->> 'purchase_token', '');
        v_fact.order_id := nullif(p_fact ->> 'order_id', '');
        v_fact.app_transaction_id := nullif(p_fact ->> 'app_transaction_id', '');
        v_fact.kind := coalesce(p_fact ->> 'kind', 'one_time');
        v_fact.store_product_id := nullif(p_fact ->> 'store_product_id', '');
        v_fact.other_names := '{}';
        v_fact.part := '';
        v_fact.chain_line := '';
        IF jsonb_typeof(p_fact -> 'purchase_products') = 'array' THEN
            v_fact.purchase_products := ARRAY(
                SELECT DISTINCT wallet.product_label(v_fact.store, p.name) AS label
                FROM jsonb_array_elements_text(p_fact -> 'purchase_products') AS p (name)
                WHERE p.name <> ''
                ORDER BY label
            );
        END IF;
        v_fact.quantity := coalesce((p_fact ->> 'quantity')::INTEGER, 1);
        v_fact.ownership := coalesce(p_fact ->> 'ownership', 'purchased');
        v_fact.purchased_at := (p_fact ->> 'purchased_at')::TIMESTAMPTZ;
        v_fact.expires_at := (p_fact ->> 'expires_at')::TIMESTAMPTZ;
        v_fact.period_type := p_fact ->> 'period_type';
        v_fact.pending := coalesce((p_fact ->> 'pending')::BOOLEAN, FALSE);
        v_fact.upgraded := coalesce((p_fact ->> 'upgraded')::BOOLEAN, FALSE);
        v_fact.token_digest := sha256(uuid_send(wallet.read_account_token(p_fact ->> 'app_account_token')));
        v_fact.refunded_millionths := coalesce((p_fact ->> 'refunded_millionths')::INTEGER, 0);
        v_fact.reported_amount := (p_fact ->> 'reported_amount')::BIGINT;
        v_fact.billing_period := (p_fact ->> 'billing_period')::INTEGER;
        v_fact.billing_periods := (p_fact ->> 'billing_periods')::INTEGER;
        v_fact.linked_purchase_token := nullif(p_fact ->> 'linked_purchase_token', '');
        v_fact.refunded_at := (p_fact ->> 'refunded_at')::TIMESTAMPTZ;
        v_fact.receipt_sha256 := decode(p_fact ->> 'receipt_sha256', 'hex');
        v_fact.source := p_fact ->> 'source';
        v_fact.source_at := (p_fact ->> 'source_at')::TIMESTAMPTZ;
        v_grace_ends_at := (p_fact ->> 'grace_ends_at')::TIMESTAMPTZ;
        v_expired_at := (p_fact ->> 'expired_at')::TIMESTAMPTZ;
        -- PostgreSQL formats other years in a form that it cannot parse, and no lot may last until 'infinity'.
        v_in_range := coalesce(
            least(
                v_fact.purchased_at, v_fact.expires_at, v_fact.refunded_at, v_fact.source_at, v_grace_ends_at,
                v_expired_at
            ) >= '0001-01-01 00:00:00Z'
            AND greatest(
                v_fact.purchased_at, v_fact.expires_at, v_fact.refunded_at, v_fact.source_at, v_grace_ends_at,
                v_expired_at
            ) <= '9999-12-31 23:59:59Z', TRUE
        );
        PERFORM (p_fact ->> a.name)::BOOLEAN FROM unnest(v_answers) AS a (name);
    EXCEPTION WHEN data_exception OR check_violation THEN
        -- The domains of the claim's columns refuse other values.
        v_in_range := FALSE;
    END;
    IF v_fact.purchase_products IS NOT NULL THEN
        -- A list of only one product, under any number of names, adds nothing to the fact. Neither does a list without
        -- this product.
        IF
            NOT wallet.is_called(v_fact, v_fact.purchase_products) OR (
                SELECT bool_and(wallet.is_called(v_fact, ARRAY[p.label]))
                FROM unnest(v_fact.purchase_products) AS p (label)
            )
        THEN
            v_fact.purchase_products := NULL;
        -- An index entry holds 2,700 bytes, and the entry of a further product contains its label and an identifier.
        ELSIF EXISTS (SELECT FROM unnest(v_fact.purchase_products) AS p (label) WHERE octet_length(p.label) > 1000) THEN
            v_in_range := FALSE;
        END IF;
    END IF;
    IF
        NOT v_in_range
        OR (v_fact.billing_period IS NULL) <> (v_fact.billing_periods IS NULL)
        OR v_fact.billing_period NOT BETWEEN 1 AND v_fact.billing_periods OR v_fact.billing_periods > 1000
        OR cardinality(v_fact.purchase_products) > 100
        OR octet_length(v_fact.line_item_id) > 1000 OR greatest(
            octet_length(v_fact.transaction_id), octet_length(v_fact.original_transaction_id),
            octet_length(v_fact.purchase_token), octet_length(v_fact.linked_purchase_token),
            octet_length(v_fact.order_id), octet_length(v_fact.app_transaction_id),
            octet_length(v_fact.store_product_id)
        ) > 1500
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'purchase-data-out-of-range';
    END IF;
    IF
        v_fact.store IS NULL OR v_fact.environment IS NULL OR v_fact.store_product_id IS NULL
        OR v_fact.purchased_at IS NULL OR v_fact.source IS NULL OR v_fact.source_at IS NULL
        OR NOT (
            v_fact.transaction_id IS NOT NULL OR v_fact.order_id IS NOT NULL
            OR (v_fact.purchase_token IS NOT NULL AND v_fact.kind = 'one_time')
            OR (v_fact.line_item_id IS NOT NULL AND v_fact.original_transaction_id IS NOT NULL)
        )
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'purchase-data-incomplete';
    END IF;
    RETURN v_fact;
END;
$$;
COMMENT ON FUNCTION wallet.read_fact(JSONB) IS 'Parses a store fact''s JSON into the shape of a claim.';
