-- Posts an adjustment of an administrator or operator: a positive amount creates a lot, a negative one is deducted from
-- the lots in burn order. A reference posts once; repeating it with the same content does nothing. Returns whether it
-- posted.
-- p_source: adjustment, or promo for a gift, which must be positive. p_compensation: the compensation that the
-- adjustment belongs to.
-- Locks: the wallet, then the reference. Codes: WL409 balance-too-low, WL409 reference-reused (also for another reason,
-- and for a reference erased with its user), WL422 reason-required, WL422 amount-is-zero, WL422 amount-too-large (above
-- 10^12, as for imports, so that sums cannot overflow), WL422 gift-not-positive, WL422 expiry-passed, WL503 wallet-busy
-- (the account was merged into another meanwhile; on retry, the caller finds that one).
CREATE OR REPLACE FUNCTION wallet.adjust(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_unit wallet.unit,
    p_amount BIGINT,
    p_reference TEXT,
    p_actor TEXT,
    p_reason TEXT,
    p_expires_at TIMESTAMPTZ DEFAULT 'infinity',
    p_source TEXT DEFAULT 'adjustment',
    p_compensation TEXT DEFAULT NULL
) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_plan wallet.booking_plan;
    v_before BIGINT;
    v_known wallet.adjustments;
    -- The owner of the account that the reference adjusted; another account after a merge.
    v_owner BIGINT;
    v_state JSONB;
BEGIN
    IF wallet.is_plain_text(p_reason) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'reason-required',
            HINT = 'A reason must be one line without control characters.';
    ELSIF coalesce(p_amount, 0) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'amount-is-zero';
    ELSIF p_amount NOT BETWEEN -1000000000000 AND 1000000000000 THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'amount-too-large',
            DETAIL = '{"maximum": 1000000000000}';
    ELSIF p_source = 'promo' AND p_amount < 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'gift-not-positive';
    END IF;
    PERFORM wallet.lock_wallet(p_account_id, p_environment);
    -- A merge that committed meanwhile moved everything to another account.
    IF EXISTS (
        SELECT FROM wallet.accounts AS a WHERE a.account_id = p_account_id AND a.merged_into IS NOT NULL
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
    -- A reference that named a deleted user was replaced by its digest, but is still used.
    SELECT a.* INTO v_known FROM wallet.adjustments AS a
    WHERE a.reference IN (p_reference, 'erased ' || encode(sha256(convert_to(p_reference, 'UTF8')), 'hex'));
    IF FOUND THEN
        SELECT coalesce(a.merged_into, a.account_id) INTO STRICT v_owner FROM wallet.accounts AS a
        WHERE a.account_id = v_known.account_id;
        IF (v_owner, v_known.environment, v_known.unit, v_known.amount, v_known.source)
            <> (p_account_id, p_environment, p_unit, p_amount, p_source)
            -- A different reason means a different adjustment. Treating it as a replay would lose it.
            OR EXISTS (
                SELECT FROM wallet.entry_texts AS t
                WHERE
                    t.account_id = v_known.account_id AND t.environment = v_known.environment
                    AND t.version = v_known.first_version AND t.reason <> p_reason
            )
        THEN
            RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'reference-reused';
        END IF;
        RETURN FALSE;
    ELSIF p_amount > 0 AND p_expires_at <= wallet.now() THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'expiry-passed';
    END IF;
    v_state := wallet.wallet_state(p_account_id, p_environment);
    SELECT w.version INTO STRICT v_before FROM wallet.wallets AS w
    WHERE w.account_id = p_account_id AND w.environment = p_environment;
    IF p_amount > 0 THEN
        PERFORM wallet.open_lot(
            p_account_id, p_environment, 'adjust', p_unit, p_source, p_amount, p_expires_at, NULL, NULL,
            p_actor, p_reason
        );
        PERFORM wallet.emit('credits.granted', p_account_id, p_environment);
    ELSE
        v_plan := wallet.allocate_lots(p_account_id, p_environment, p_unit, -p_amount, wallet.now());
        IF v_plan.status IS NOT NULL THEN
            -- 409 instead of 402, because 402 would offer the operator products to buy.
            RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'balance-too-low', DETAIL = v_plan.detail::TEXT,
                HINT = 'The amount to deduct exceeds the balance. Deduct at most the balance.';
        END IF;
        FOR v_slice IN 1 .. cardinality(v_plan.lot_ids) LOOP
            PERFORM wallet.post_lot(
                p_account_id, p_environment, v_plan.lot_ids[v_slice], 'adjust',
                p_spent => v_plan.amounts[v_slice], p_actor => p_actor, p_reason => p_reason
            );
        END LOOP;
        PERFORM wallet.emit('credits.debited', p_account_id, p_environment);
    END IF;
    INSERT INTO wallet.adjustments (
        reference, account_id, environment, unit, amount, source, first_version, entry_count, expires_at, compensation,
        at
    )
    SELECT
        p_reference, p_account_id, p_environment, p_unit, p_amount, p_source, v_before + 1, w.version - v_before,
        CASE WHEN p_amount > 0 THEN p_expires_at ELSE 'infinity' END, p_compensation, w.last_at
    FROM wallet.wallets AS w
    WHERE w.account_id = p_account_id AND w.environment = p_environment
    ON CONFLICT (reference) DO NOTHING;
    IF NOT FOUND THEN
        -- Only an adjustment of another wallet can have used the reference since this wallet was locked.
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'reference-reused';
    END IF;
    PERFORM wallet.record_action(
        ROW(p_actor, p_reason, p_reference, NULL)::wallet.action_note,
        CASE p_source WHEN 'promo' THEN 'gift' ELSE 'adjust' END, 'wallet', NULL, v_state,
        wallet.wallet_state(p_account_id, p_environment), p_account_id, p_environment
    );
    RETURN TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.adjust(
    BIGINT, wallet.environment, wallet.unit, BIGINT, TEXT, TEXT, TEXT, TIMESTAMPTZ, TEXT, TEXT
) IS 'Posts an adjustment once for its reference; returns whether this call posted it.';

-- Returns the sums of a wallet, as the audit records them before and after an action; zeros if the wallet does not
-- exist yet.
CREATE OR REPLACE FUNCTION wallet.wallet_state(p_account_id BIGINT, p_environment wallet.environment) RETURNS JSONB
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT jsonb_build_object(
        'credits', coalesce(sum(w.credits), 0), 'visits', coalesce(sum(w.visits), 0),
        'owed_credits', coalesce(sum(w.owed_credits), 0), 'owed_visits', coalesce(sum(w.owed_visits), 0)
    )
    FROM wallet.wallets AS w
    WHERE w.account_id = p_account_id AND w.environment = p_environment;
$$;
COMMENT ON FUNCTION wallet.wallet_state(BIGINT, wallet.environment) IS 'Returns the sums of a wallet, for the audit.';
