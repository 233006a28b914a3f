-- Adds the data of a fact to its claim and the claim's flags, and returns the claim. A claim never loses data.
-- p_read: the fact in the shape of a claim.
-- The caller holds the claim. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.record_fact(p_claim_id BIGINT, p_fact JSONB, p_read wallet.claims)
RETURNS wallet.claims LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
BEGIN
    PERFORM wallet.note_flags(p_claim_id, p_fact);
    SELECT c.* INTO STRICT v_claim FROM wallet.claims AS c WHERE c.claim_id = p_claim_id;
    v_claim := wallet.learn_fact(v_claim, p_fact, p_read);
    UPDATE wallet.claims AS c SET
        app_transaction_id = v_claim.app_transaction_id,
        store_product_id = v_claim.store_product_id,
        other_names = v_claim.other_names,
        purchase_products = v_claim.purchase_products,
        token_digest = v_claim.token_digest,
        receipt_sha256 = v_claim.receipt_sha256,
        kind = v_claim.kind,
        quantity = v_claim.quantity,
        reported_amount = v_claim.reported_amount,
        linked_purchase_token = v_claim.linked_purchase_token,
        needs_acknowledgement = v_claim.needs_acknowledgement,
        purchased_at = v_claim.purchased_at,
        expires_at = wallet.reported_end(p_claim_id),
        period_type = v_claim.period_type,
        ownership = v_claim.ownership,
        pending = v_claim.pending,
        upgraded = v_claim.upgraded,
        billing_period = v_claim.billing_period,
        billing_periods = v_claim.billing_periods,
        refunded_millionths = v_claim.refunded_millionths,
        refunded_at = v_claim.refunded_at,
        refund_source_at = v_claim.refund_source_at,
        source_at = v_claim.source_at
    WHERE c.claim_id = p_claim_id
    RETURNING c.* INTO v_claim;
    RETURN v_claim;
END;
$$;
COMMENT ON FUNCTION wallet.record_fact(BIGINT, JSONB, wallet.claims) IS
'Adds the data of a fact to its claim and the claim''s flags.';

-- Returns a claim combined with the data of a fact; for a new claim, p_claim is the parsed fact itself. The end of a
-- period is not changed here, because it depends on the newest of all reports (wallet.reported_end).
-- p_read: the fact in the shape of a claim.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.learn_fact(p_claim wallet.claims, p_fact JSONB, p_read wallet.claims)
RETURNS wallet.claims LANGUAGE plpgsql STABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    -- Only a recorded claim has a known refund.
    v_known_refund CONSTANT INTEGER := CASE WHEN p_claim.claim_id IS NULL THEN 0 ELSE p_claim.refunded_millionths END;
BEGIN
    IF p_read.purchase_products IS NOT NULL THEN
        p_claim.purchase_products := ARRAY(
            SELECT p.label FROM unnest(p_claim.purchase_products || p_read.purchase_products) AS p (label)
            GROUP BY p.label
            ORDER BY p.label
        );
        -- The list contains this product under another name.
        IF NOT wallet.is_called(p_claim, ARRAY[wallet.product_label(p_read.store, p_read.store_product_id)]) THEN
            p_claim.other_names := p_claim.other_names
                || wallet.product_label(p_read.store, p_read.store_product_id);
        END IF;
    END IF;
    -- Until the claim is granted, its product has the name used by the source that proves the payment, otherwise a name
    -- in the catalogue.
    IF
        p_claim.granted_at IS NULL AND p_claim.store_product_id <> p_read.store_product_id
        AND (
            (p_claim.pending AND NOT p_read.pending) OR (
                (wallet.product_of(p_claim)).product_id IS NULL
                AND wallet.is_called(p_claim, ARRAY[wallet.product_label(p_read.store, p_read.store_product_id)])
            )
        )
        AND (wallet.product_of(p_read)).product_id IS NOT NULL
    THEN
        IF p_claim.purchase_products IS NOT NULL THEN
            p_claim.other_names := p_claim.other_names
                || wallet.product_label(p_claim.store, p_claim.store_product_id);
        END IF;
        p_claim.store_product_id := p_read.store_product_id;
    END IF;
    p_claim.app_transaction_id := coalesce(p_claim.app_transaction_id, p_read.app_transaction_id);
    p_claim.token_digest := coalesce(p_claim.token_digest, p_read.token_digest);
    p_claim.receipt_sha256 := coalesce(p_claim.receipt_sha256, p_read.receipt_sha256);
    p_claim.quantity := greatest(p_claim.quantity, p_read.quantity);
    p_claim.reported_amount := greatest(p_claim.reported_amount, p_read.reported_amount);
    p_claim.linked_purchase_token := coalesce(p_claim.linked_purchase_token, p_read.linked_purchase_token);
    p_claim.needs_acknowledgement := coalesce(
        (p_fact ->> 'needs_acknowledgement')::BOOLEAN, p_claim.needs_acknowledgement, FALSE
    );
    -- Google Play's answer about a token dates a renewal less exactly than a message about the renewal.
    IF p_claim.store = 'play_store' THEN
        p_claim.purchased_at := least(p_claim.purchased_at, p_read.purchased_at);
    END IF;
    p_claim.period_type := coalesce(p_claim.period_type, p_read.period_type);
    IF p_claim.granted_at IS NULL THEN
        -- A source that reports no subscription may not support periods.
        p_claim.kind := CASE p_read.kind WHEN 'subscription' THEN 'subscription' ELSE p_claim.kind END;
        -- Before the grant, one source that reports a trial is enough, because a trial grants less.
        p_claim.period_type := CASE p_read.period_type WHEN 'trial' THEN 'trial' ELSE p_claim.period_type END;
        p_claim.ownership := CASE p_read.ownership
            WHEN 'family_shared' THEN 'family_shared' ELSE p_claim.ownership
        END;
    END IF;
    -- A pending purchase may become paid; a paid one never becomes pending again.
    p_claim.pending := p_claim.pending AND p_read.pending;
    p_claim.upgraded := p_claim.upgraded OR p_read.upgraded;
    -- A granted period keeps its commitment. Before the grant, the longest reported commitment applies, because it
    -- grants least.
    IF
        p_claim.billing_periods IS NULL
        OR (p_claim.granted_at IS NULL AND (p_read.billing_periods, p_read.billing_period)
            > (p_claim.billing_periods, p_claim.billing_period))
    THEN
        p_claim.billing_period := p_read.billing_period;
        p_claim.billing_periods := p_read.billing_periods;
    END IF;
    p_claim.refunded_millionths := v_known_refund;
    IF wallet.is_newer_refund(p_fact, p_read, p_claim.refund_source_at) THEN
        p_claim.refunded_millionths := CASE
            -- Two reports of the same time have no order; the larger refund applies, because it grants less.
            WHEN p_read.source_at = p_claim.refund_source_at THEN greatest(v_known_refund, p_read.refunded_millionths)
            ELSE p_read.refunded_millionths
        END;
        p_claim.refunded_at := CASE
            -- A repeated report of a refund does not make it a newer one.
            WHEN p_read.refunded_millionths > 0 THEN coalesce(
                p_read.refunded_at, CASE WHEN v_known_refund > 0 THEN p_claim.refunded_at END, p_read.source_at
            )
        END;
        p_claim.refund_source_at := p_read.source_at;
    ELSIF p_claim.claim_id IS NULL THEN
        p_claim.refunded_at := NULL;
    END IF;
    p_claim.source_at := greatest(p_claim.source_at, p_read.source_at);
    RETURN p_claim;
END;
$$;
COMMENT ON FUNCTION wallet.learn_fact(wallet.claims, JSONB, wallet.claims) IS
'Returns a claim combined with the data of a fact.';

-- Returns whether a fact's refunded share replaces the known one. The fact must contain a share, and no newer one may
-- be known. For the same time, a refund replaces the known share and a fact without a refund does not.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.is_newer_refund(p_fact JSONB, p_read wallet.claims, p_known_at TIMESTAMPTZ)
RETURNS BOOLEAN LANGUAGE plpgsql STABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN p_fact ->> 'refunded_millionths' IS NOT NULL
        AND (
            p_known_at IS NULL OR p_read.source_at > p_known_at
            OR (p_read.source_at = p_known_at AND p_read.refunded_millionths > 0)
        );
END;
$$;
COMMENT ON FUNCTION wallet.is_newer_refund(JSONB, wallet.claims, TIMESTAMPTZ) IS
'Returns whether a fact''s refunded share replaces the known one.';
