-- Creates a lot of an amount above 0, posts the grant, and settles the lot: it repays the wallet's debts in its unit. A
-- purchase may be released before it is granted; its lot is then released from the start. The caller holds the wallet's
-- row.
-- p_bundle_item: which lot of its purchase it is. p_starts_at: the latest start, if the first use starts its validity;
-- p_expires_at then counts from it.
-- Locks: no others. Codes: WL503 wallet-busy if the account was merged into another meanwhile, or if it was deleted and
-- the lot is a gift or an adjustment; on retry, the caller finds the current account.
CREATE OR REPLACE FUNCTION wallet.open_lot(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_kind TEXT,
    p_unit wallet.unit,
    p_source TEXT,
    p_amount BIGINT,
    p_expires_at TIMESTAMPTZ,
    p_product_id TEXT,
    p_claim_id BIGINT,
    p_actor TEXT DEFAULT NULL,
    p_reason TEXT DEFAULT NULL,
    p_bundle_item INTEGER DEFAULT 0,
    p_starts_at TIMESTAMPTZ DEFAULT NULL
) RETURNS UUID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot_id CONSTANT UUID := wallet.new_id();
    v_posting wallet.posting;
BEGIN
    IF EXISTS (
        SELECT FROM wallet.accounts AS a
        WHERE
            a.account_id = p_account_id AND (
                a.merged_into IS NOT NULL
                -- Purchases are kept for a user who proves them, but a gift to a deleted account would have no owner.
                OR (a.deleted_at IS NOT NULL AND p_source IN ('promo', 'adjustment'))
            )
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
    INSERT INTO wallet.lots (
        account_id, lot_id, environment, unit, source, product_id, claim_id, granted, expires_at, released_at,
        created_at, starts_at, bundle_item
    ) VALUES (
        p_account_id, v_lot_id, p_environment, p_unit, p_source, p_product_id, p_claim_id, p_amount, p_expires_at,
        (SELECT c.released_at FROM wallet.claims AS c WHERE c.claim_id = p_claim_id), wallet.now(), p_starts_at,
        p_bundle_item
    );
    v_posting.account_id := p_account_id;
    v_posting.environment := p_environment;
    v_posting.kind := p_kind;
    v_posting.unit := p_unit;
    v_posting.amount := p_amount;
    v_posting.owed_change := 0;
    v_posting.lot_id := v_lot_id;
    v_posting.claim_id := p_claim_id;
    v_posting.actor := p_actor;
    v_posting.reason := p_reason;
    PERFORM wallet.post(ARRAY[v_posting]);
    IF p_expires_at < 'infinity' THEN
        UPDATE wallet.wallets AS w SET next_expiry = p_expires_at
        WHERE w.account_id = p_account_id AND w.environment = p_environment AND w.next_expiry > p_expires_at;
    END IF;
    IF p_starts_at IS NOT NULL THEN
        -- Bookings look for lots that have not started only until then.
        UPDATE wallet.wallets AS w SET last_start = p_starts_at
        WHERE w.account_id = p_account_id AND w.environment = p_environment AND w.last_start < p_starts_at;
    END IF;
    -- Most new lots have not expired, and their wallets have no debts.
    IF (p_expires_at < 'infinity' AND p_expires_at <= wallet.now()) OR EXISTS (
        SELECT FROM wallet.wallets AS w
        WHERE
            w.account_id = p_account_id AND w.environment = p_environment
            AND greatest(w.owed_credits, w.owed_visits) > 0
    ) THEN
        PERFORM wallet.settle(p_account_id, v_lot_id, p_returns => FALSE, p_repays => TRUE);
    END IF;
    RETURN v_lot_id;
END;
$$;
COMMENT ON FUNCTION wallet.open_lot(
    BIGINT, wallet.environment, TEXT, wallet.unit, TEXT, BIGINT, TIMESTAMPTZ, TEXT, BIGINT, TEXT, TEXT, INTEGER,
    TIMESTAMPTZ
) IS 'Creates a lot, posts the grant and repays debts from it; returns the lot''s id.';

-- Changes one lot and posts the matching entry: the entry's amount is the change of the remaining amount, its
-- owed_change the change of the debt. Both are computed from the lot, so that lot and ledger always agree. It posts
-- nothing else; wallet.settle posts what follows from the change. Spending is a use: see wallet.start_lots. The caller
-- holds the wallet's row.
-- p_at: a time in the past, as in wallet.post.
-- Locks: no others. Codes: none (the lot's CHECKs refuse invalid values).
CREATE OR REPLACE FUNCTION wallet.post_lot(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_lot_id UUID,
    p_kind TEXT,
    p_granted BIGINT DEFAULT 0,
    p_spent BIGINT DEFAULT 0,
    p_lapsed BIGINT DEFAULT 0,
    p_refunded BIGINT DEFAULT 0,
    p_owed_elsewhere BIGINT DEFAULT 0,
    p_booking_id UUID DEFAULT NULL,
    p_claim_id BIGINT DEFAULT NULL,
    p_actor TEXT DEFAULT NULL,
    p_reason TEXT DEFAULT NULL,
    p_at TIMESTAMPTZ DEFAULT NULL
) RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old wallet.lots;
    v_new wallet.lots;
    v_posting wallet.posting;
    v_version BIGINT;
BEGIN
    SELECT l.* INTO STRICT v_old FROM wallet.lots AS l WHERE l.account_id = p_account_id AND l.lot_id = p_lot_id;
    UPDATE wallet.lots AS l SET
        granted = l.granted + p_granted,
        spent = l.spent + p_spent,
        lapsed = l.lapsed + p_lapsed,
        refunded = l.refunded + p_refunded,
        repaid = least(
            l.repaid, greatest(l.refunded + p_refunded + l.spent + p_spent - l.granted - p_granted, 0)
        )
    WHERE l.account_id = p_account_id AND l.lot_id = p_lot_id
    RETURNING l.* INTO v_new;
    v_posting.account_id := p_account_id;
    v_posting.environment := p_environment;
    v_posting.kind := p_kind;
    v_posting.unit := v_new.unit;
    v_posting.amount := v_new.remaining - v_old.remaining;
    v_posting.owed_change := v_new.owed - v_old.owed + p_owed_elsewhere;
    v_posting.lot_id := p_lot_id;
    v_posting.booking_id := p_booking_id;
    v_posting.claim_id := p_claim_id;
    v_posting.actor := p_actor;
    v_posting.reason := p_reason;
    v_posting.at := p_at;
    v_version := (wallet.post(ARRAY[v_posting]))[1];
    -- A reopened lot may expire before the wallet's stored next_expiry.
    IF v_new.is_open AND NOT v_old.is_open AND v_new.expires_at < 'infinity' THEN
        UPDATE wallet.wallets AS w SET next_expiry = v_new.expires_at
        WHERE w.account_id = p_account_id AND w.environment = p_environment AND w.next_expiry > v_new.expires_at;
    END IF;
    IF p_spent > 0 AND v_old.starts_at IS NOT NULL THEN
        PERFORM wallet.start_lots(p_account_id, p_environment, ARRAY[p_lot_id]);
    END IF;
    RETURN v_version;
END;
$$;
COMMENT ON FUNCTION wallet.post_lot(
    BIGINT, wallet.environment, UUID, TEXT, BIGINT, BIGINT, BIGINT, BIGINT, BIGINT, UUID, BIGINT, TEXT, TEXT,
    TIMESTAMPTZ
) IS 'Changes a lot and posts the matching entry; returns the entry''s version.';

-- Starts the validity of lots that have just been used for the first time, if the first use starts it (rule 40): they
-- expire after the same time as from their latest start. Every debit is a use: a booking, a visit spent directly, a
-- fee, a deduction by an operator and the repayment of a debt. A start is final: a cancellation of the booking or a
-- refund does not undo it, because a member could otherwise extend a lot by booking and cancelling. Lots that have
-- started stay unchanged. The start is the time of the entry of the use, which must be the last one of the wallet.
-- The caller holds the wallet and has posted the use. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.start_lots(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_lot_ids UUID[]
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    UPDATE wallet.lots AS l SET
        starts_at = w.last_at,
        expires_at = w.last_at + make_interval(secs => extract(EPOCH FROM l.expires_at - l.starts_at)::BIGINT)
    FROM wallet.wallets AS w
    WHERE
        w.account_id = p_account_id AND w.environment = p_environment
        AND l.account_id = p_account_id AND l.lot_id = ANY(p_lot_ids) AND l.starts_at > w.last_at;
    IF FOUND THEN
        UPDATE wallet.wallets AS w SET next_expiry = least(w.next_expiry, n.expires_at), last_start = n.last_start
        FROM (
            SELECT
                min(l.expires_at) FILTER (WHERE l.lot_id = ANY(p_lot_ids)) AS expires_at,
                max(l.starts_at) AS last_start
            FROM wallet.lots AS l
            WHERE l.account_id = p_account_id AND l.environment = p_environment
        ) AS n
        WHERE w.account_id = p_account_id AND w.environment = p_environment;
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.start_lots(BIGINT, wallet.environment, UUID[]) IS
'Starts the validity of lots that have just been used for the first time.';

-- Selects the lots that pay an amount without a booking, in burn order: soonest expiry first, lots without expiry last,
-- then lot id. A lot pays only if it expires after p_valid_at. A lot that has not started has the expiry of its latest
-- start here, so it comes after lots that would expire unused before that.
-- If the lots are insufficient, the detail contains the shortage: {"unit", "required", "available", "needed"}.
-- Locks: none. Codes: 402 insufficient-credits in the answer.
CREATE OR REPLACE FUNCTION wallet.allocate_lots(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_unit wallet.unit,
    p_amount BIGINT,
    p_valid_at TIMESTAMPTZ
) RETURNS wallet.booking_plan LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_plan wallet.booking_plan;
    v_lot RECORD;
    v_left BIGINT := p_amount;
BEGIN
    v_plan.unit := p_unit;
    v_plan.amount := p_amount;
    v_plan.lot_ids := '{}';
    v_plan.amounts := '{}';
    FOR v_lot IN
        SELECT l.lot_id, l.remaining FROM wallet.lots AS l
        WHERE
            l.account_id = p_account_id AND l.environment = p_environment AND l.unit = p_unit AND l.is_open
            AND l.expires_at > p_valid_at AND l.expires_at > (SELECT wallet.now())
        ORDER BY l.expires_at, l.lot_id
    LOOP
        v_plan.lot_ids := v_plan.lot_ids || v_lot.lot_id;
        v_plan.amounts := v_plan.amounts || least(v_lot.remaining, v_left);
        v_left := v_left - least(v_lot.remaining, v_left);
        EXIT WHEN v_left = 0;
    END LOOP;
    IF v_left > 0 THEN
        v_plan.status := 402;
        v_plan.slug := 'insufficient-credits';
        v_plan.detail := jsonb_build_object(
            'unit', p_unit, 'required', p_amount, 'available', p_amount - v_left, 'needed', v_left
        );
    END IF;
    RETURN v_plan;
END;
$$;
COMMENT ON FUNCTION wallet.allocate_lots(BIGINT, wallet.environment, wallet.unit, BIGINT, TIMESTAMPTZ) IS
'Selects the lots that pay an amount, in burn order.';

-- Returns the account that holds a lot now. Lots follow their purchase when it is restored or its account is merged.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lot_owner(p_account_id BIGINT, p_lot_id UUID) RETURNS BIGINT LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_owner BIGINT := p_account_id;
    v_next BIGINT;
    v_seen BIGINT[] := '{}';
BEGIN
    LOOP
        SELECT l.moved_to INTO v_next FROM wallet.lots AS l WHERE l.account_id = v_owner AND l.lot_id = p_lot_id;
        -- The check stops at a cycle, which only tampering can create.
        EXIT WHEN v_next IS NULL OR v_next = ANY(v_seen);
        v_seen := v_seen || v_owner;
        v_owner := v_next;
    END LOOP;
    RETURN v_owner;
END;
$$;
COMMENT ON FUNCTION wallet.lot_owner(BIGINT, UUID) IS 'Returns the account that holds a lot now.';
