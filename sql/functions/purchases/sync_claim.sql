-- Updates the ledger to match a claim: grants the missing amount, takes back the refunded share or returns the part
-- that is no longer refunded, and ends, extends or rolls over periods. A bundle has several lots (rule 40); each is
-- granted, increased and refunded like the lot of a separate purchase. Facts contain absolute values, so repeating the
-- call changes nothing. Returns the claim.
-- p_owner: the account to grant a claim without an owner to.
-- Locks: the owner's wallet; the caller holds the claim. Codes: none.
CREATE OR REPLACE FUNCTION wallet.sync_claim(p_claim_id BIGINT, p_owner BIGINT DEFAULT NULL) RETURNS wallet.claims
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
    v_lot wallet.lots;
    v_worth BIGINT;
    v_refunded BIGINT;
BEGIN
    SELECT c.* INTO STRICT v_claim FROM wallet.claims AS c WHERE c.claim_id = p_claim_id;
    v_claim.account_id := coalesce(v_claim.account_id, p_owner);
    PERFORM wallet.lock_wallet(v_claim.account_id, v_claim.environment);
    IF v_claim.granted_at IS NULL THEN
        v_claim := wallet.grant_claim(v_claim);
    ELSIF
        v_claim.grant_amount < wallet.period_share(
            v_claim.commitment_amount, v_claim.billing_period, v_claim.billing_periods
        )
    THEN
        -- A source without commitments was the first to report this billing period, and the product's amount is less
        -- than the period's share.
        UPDATE wallet.claims AS c SET
            grant_amount = wallet.period_share(c.commitment_amount, c.billing_period, c.billing_periods),
            price_minor = wallet.period_price(c.price_minor, p.period, c.billing_period, c.billing_periods)
        FROM wallet.products AS p
        WHERE c.claim_id = p_claim_id AND c.product_id = p.product_id
        RETURNING c.* INTO v_claim;
    END IF;
    FOR v_item IN 0 .. coalesce(cardinality(v_claim.bundle_items), 0) LOOP
        v_worth := wallet.claim_worth(v_claim, v_item);
        CONTINUE WHEN v_worth = 0;
        SELECT l.* INTO STRICT v_lot FROM wallet.lots AS l WHERE l.claim_id = p_claim_id AND l.bundle_item = v_item;
        IF v_worth > v_lot.granted THEN
            PERFORM wallet.post_lot(
                v_lot.account_id, v_lot.environment, v_lot.lot_id, 'grant',
                p_granted => v_worth - v_lot.granted, p_claim_id => p_claim_id
            );
            PERFORM wallet.settle(v_lot.account_id, v_lot.lot_id, p_repays => TRUE);
            PERFORM wallet.emit(
                'credits.granted', v_lot.account_id, v_lot.environment, p_claim_id,
                p_details => jsonb_build_object('lot_id', v_lot.lot_id, 'amount', v_worth - v_lot.granted)
            );
            SELECT l.* INTO STRICT v_lot FROM wallet.lots AS l
            WHERE l.claim_id = p_claim_id AND l.bundle_item = v_item;
        END IF;
        v_refunded := wallet.claim_refunded(v_claim, v_item) - v_lot.refunded;
        IF v_refunded <> 0 THEN
            PERFORM wallet.post_lot(
                v_lot.account_id, v_lot.environment, v_lot.lot_id,
                CASE WHEN v_refunded > 0 THEN 'refund' ELSE 'refund_reversal' END, p_refunded => v_refunded,
                p_claim_id => p_claim_id
            );
            PERFORM wallet.settle(v_lot.account_id, v_lot.lot_id, p_repays => TRUE);
            PERFORM wallet.emit(
                CASE WHEN v_refunded > 0 THEN 'credits.refunded' ELSE 'credits.granted' END,
                v_lot.account_id, v_lot.environment, p_claim_id,
                p_details => jsonb_build_object('lot_id', v_lot.lot_id, 'amount', abs(v_refunded))
            );
        END IF;
    END LOOP;
    IF v_claim.kind = 'subscription' THEN
        PERFORM wallet.sync_group(v_claim);
    END IF;
    IF v_claim.refunded_millionths > 0 THEN
        PERFORM wallet.flag_refund_abuse(v_claim);
    END IF;
    RETURN v_claim;
END;
$$;
COMMENT ON FUNCTION wallet.sync_claim(BIGINT, BIGINT) IS 'Updates the ledger to match a claim, and returns the claim.';

-- Grants a claim for the first time: copies the terms of its product, so that later edits do not change sold purchases,
-- and creates its lots: the one of the product's own amount, then those of the bundle. The caller sets the owner in
-- p_claim.
-- The caller holds the claim and the wallet. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.grant_claim(p_claim wallet.claims) RETURNS wallet.claims LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_product CONSTANT wallet.products := wallet.product_of(p_claim);
    -- Both stores bill a commitment monthly. The amount of a plan of at most one month is already that of one billing
    -- period.
    v_commitment CONSTANT BIGINT := CASE
        WHEN v_product.grant_source = 'virtual_currency' OR v_product.unlimited THEN NULL
        WHEN v_product.commitment_amount IS NOT NULL THEN v_product.commitment_amount
        WHEN v_product.period::INTERVAL > INTERVAL '1 month' THEN v_product.amount + v_product.bonus
    END;
    v_claim wallet.claims;
    v_terms wallet.bundle_item;
    v_starts_at TIMESTAMPTZ;
    v_worth BIGINT;
    v_lot_id UUID;
BEGIN
    UPDATE wallet.claims AS c SET
        -- The purchase may be refunded before its owner is known.
        verdict = CASE WHEN c.refunded_millionths = 1000000 THEN 'refunded' ELSE 'granted' END,
        account_id = p_claim.account_id,
        product_id = v_product.product_id,
        grant_amount = CASE
            WHEN v_product.grant_source = 'virtual_currency' THEN c.reported_amount
            WHEN v_product.unlimited THEN 0
            WHEN c.period_type = 'trial' THEN v_product.trial_amount
            WHEN c.billing_periods IS NOT NULL AND v_commitment IS NOT NULL
                THEN wallet.period_share(v_commitment, c.billing_period, c.billing_periods)
            ELSE v_product.amount + v_product.bonus
        END,
        -- A trial has no price, even if later facts report otherwise.
        price_minor = CASE
            WHEN c.period_type = 'trial' THEN 0
            ELSE wallet.period_price(v_product.price_minor, v_product.period, c.billing_period, c.billing_periods)
        END,
        commitment_amount = CASE WHEN c.period_type IS DISTINCT FROM 'trial' THEN v_commitment END,
        currency = v_product.currency,
        grants_reported_amount = v_product.grant_source = 'virtual_currency',
        rollover_percentage = v_product.rollover_percentage,
        rollover_cap = v_product.rollover_cap,
        subscription_group = v_product.subscription_group,
        valid_days = v_product.valid_days,
        starts_within_days = v_product.starts_within_days,
        bundle_items = nullif(v_product.bundle_items, '{}'),
        grace_days = v_product.grace_days,
        tier = v_product.tier,
        entitlements = v_product.entitlements,
        unlimited = v_product.unlimited,
        days_ahead = v_product.days_ahead,
        granted_at = wallet.now()
    WHERE c.claim_id = p_claim.claim_id
    RETURNING c.* INTO v_claim;
    -- This comes before the lot is created: a released lot repays no debts of lots that its owner keeps.
    PERFORM wallet.keep_released(v_claim);
    v_terms.unit := v_product.unit;
    v_terms.valid_days := v_product.valid_days;
    v_terms.starts_within_days := v_product.starts_within_days;
    FOR v_item IN 0 .. coalesce(cardinality(v_claim.bundle_items), 0) LOOP
        v_worth := wallet.claim_worth(v_claim, v_item);
        CONTINUE WHEN v_worth = 0;
        IF v_item > 0 THEN
            v_terms := v_claim.bundle_items[v_item];
        END IF;
        v_starts_at := v_claim.purchased_at + make_interval(hours => 24 * v_terms.starts_within_days);
        v_lot_id := wallet.open_lot(
            v_claim.account_id, v_claim.environment, 'grant', v_terms.unit,
            CASE WHEN v_item = 0 THEN v_product.kind WHEN v_terms.unit = 'credit' THEN 'pack' ELSE 'pass' END, v_worth,
            CASE
                WHEN v_product.kind = 'plan' THEN wallet.period_end(v_claim)
                ELSE wallet.lot_expiry(coalesce(v_starts_at, v_claim.purchased_at), v_terms)
            END, v_product.product_id, v_claim.claim_id, p_bundle_item => v_item, p_starts_at => v_starts_at
        );
        PERFORM wallet.emit(
            'credits.granted', v_claim.account_id, v_claim.environment, v_claim.claim_id,
            p_details => jsonb_build_object('lot_id', v_lot_id, 'amount', v_worth)
        );
    END LOOP;
    RETURN v_claim;
END;
$$;
COMMENT ON FUNCTION wallet.grant_claim(wallet.claims) IS 'Grants a claim for the first time by its product''s terms.';

-- Returns the total amount that a granted claim has in one of its lots: its quantity times the amount of one piece, or
-- the amount that the store reported.
-- p_item: 0 for the product's own amount, otherwise the place of the bundle's item.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.claim_worth(p_claim wallet.claims, p_item INTEGER DEFAULT 0) RETURNS BIGINT
LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN CASE
        WHEN p_item > 0 THEN (p_claim.bundle_items[p_item]).amount * p_claim.quantity
        WHEN p_claim.grants_reported_amount THEN p_claim.reported_amount
        ELSE p_claim.grant_amount * p_claim.quantity
    END;
END;
$$;
COMMENT ON FUNCTION wallet.claim_worth(wallet.claims, INTEGER) IS
'Returns the total amount that a granted claim has in one of its lots.';

-- Returns how much of the amount of a claim's lot is taken back. A duplicate is worth nothing, so all of it is.
-- Otherwise it is the refunded share, and any amount granted beyond the claim's share of a commitment. A source that
-- does not support commitments may be the first to report a billing period. The period then grants the whole product
-- until another source reports its number and the number of periods. Each lot of a bundle has the same refunded share.
-- p_item: as in wallet.claim_worth.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.claim_refunded(p_claim wallet.claims, p_item INTEGER DEFAULT 0) RETURNS BIGINT
LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_worth CONSTANT BIGINT := wallet.claim_worth(p_claim, p_item);
    v_due CONSTANT BIGINT := least(v_worth, p_claim.quantity * wallet.period_share(
        p_claim.commitment_amount, p_claim.billing_period, p_claim.billing_periods
    ));
BEGIN
    RETURN CASE
        WHEN p_claim.duplicate_of IS NOT NULL THEN v_worth
        ELSE v_worth - v_due + wallet.refunded_part(p_claim, v_due)
    END;
END;
$$;
COMMENT ON FUNCTION wallet.claim_refunded(wallet.claims, INTEGER) IS
'Returns how much of the amount of a claim''s lot is taken back.';

-- Raises a review flag when an account, or the user's copy of the app, has had three refunds in 180 days. Refunded
-- products of one purchase count as one refund. The flag itself has no effect: an operator may use it to block further
-- grants and bookings.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.flag_refund_abuse(
    p_claim wallet.claims
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_since CONSTANT TIMESTAMPTZ := wallet.now() - make_interval(hours => 24 * 180);
    v_flag RECORD;
BEGIN
    IF p_claim.duplicate_of IS NOT NULL OR p_claim.refunded_at <= v_since THEN
        RETURN;
    END IF;
    FOR v_flag IN
        SELECT
            NULL::TEXT AS app_transaction_id,
            count(DISTINCT (c.store, coalesce(c.transaction_id, c.order_id, c.claim_id::TEXT)))::INTEGER AS refunds,
            max(c.refunded_at) AS newest
        FROM wallet.claims AS c
        WHERE
            c.account_id = p_claim.account_id AND c.environment = p_claim.environment
            AND c.refunded_millionths > 0 AND c.refunded_at > v_since AND c.duplicate_of IS NULL
        UNION ALL
        SELECT
            p_claim.app_transaction_id,
            count(DISTINCT (c.store, coalesce(c.transaction_id, c.order_id, c.claim_id::TEXT)))::INTEGER,
            max(c.refunded_at)
        FROM wallet.claims AS c
        WHERE
            c.app_transaction_id = p_claim.app_transaction_id AND c.environment = p_claim.environment
            AND c.refunded_millionths > 0 AND c.refunded_at > v_since AND c.duplicate_of IS NULL
    LOOP
        CONTINUE WHEN v_flag.refunds < 3 OR EXISTS (
            -- After an operator has resolved a flag, only a newer refund raises another one.
            SELECT FROM wallet.review_flags AS f
            WHERE
                f.account_id = p_claim.account_id AND f.environment = p_claim.environment
                AND f.app_transaction_id IS NOT DISTINCT FROM v_flag.app_transaction_id
                AND (f.resolved_at IS NULL OR f.refunds >= v_flag.refunds AND f.raised_at >= v_flag.newest)
        );
        INSERT INTO wallet.review_flags (account_id, environment, app_transaction_id, refunds, raised_at)
        VALUES (
            p_claim.account_id, p_claim.environment, v_flag.app_transaction_id, v_flag.refunds, wallet.now()
        );
        PERFORM wallet.emit(
            'review_flag.raised', p_claim.account_id, p_claim.environment, p_claim.claim_id,
            p_details => jsonb_build_object('refunds', v_flag.refunds, 'by', CASE
                WHEN v_flag.app_transaction_id IS NULL THEN 'account' ELSE 'app_transaction_id'
            END)
        );
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.flag_refund_abuse(wallet.claims) IS 'Raises a review flag at the third refund in 180 days.';

-- Returns when a lot of a pack or a pass expires. Bought credits never expire. Visits expire after their valid_days,
-- counted as days of 24 hours, if they have any.
-- p_starts_at: when the valid_days start: at the purchase, or at the latest start.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lot_expiry(p_starts_at TIMESTAMPTZ, p_terms wallet.bundle_item) RETURNS TIMESTAMPTZ
LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN CASE p_terms.unit
        WHEN 'visit' THEN coalesce(p_starts_at + make_interval(hours => 24 * p_terms.valid_days), 'infinity')
        ELSE 'infinity'
    END;
END;
$$;
COMMENT ON FUNCTION wallet.lot_expiry(TIMESTAMPTZ, wallet.bundle_item) IS
'Returns when a lot of a pack or a pass expires.';
