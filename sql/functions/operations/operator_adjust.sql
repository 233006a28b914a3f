-- Adjusts a user's wallet for an operator, once per key and once per reference. Repeating the request returns the first
-- result and the current balance.
-- p_source: adjustment, or promo for a gift. p_expires_at: null for never. p_dry_run: whether to return the result and
-- undo the adjustment. p_right: the actor's role. p_new_user: whether to create the account of an unknown user.
-- p_shown: the preview returned by a dry run; the adjustment is refused if it or the wallet has changed since.
-- p_daily_amount: how much the actor may move in production on one day (UTC), added and deducted amounts together; null
-- for no limit.
-- Locks: the operator's key, then see wallet.adjust, then the operator's total. Codes: WL403 right-missing, WL403
-- daily-amount-exceeded, WL404 user-not-found, WL412 preview-outdated with the current preview; see wallet.adjust;
-- WL422 idempotency-key-reused; WL503 wallet-busy (the account was deleted or merged meanwhile).
CREATE OR REPLACE FUNCTION wallet.operator_adjust(
    p_user_id TEXT,
    p_environment wallet.environment,
    p_unit wallet.unit,
    p_amount BIGINT,
    p_reference TEXT,
    p_reason TEXT,
    p_source TEXT,
    p_expires_at TIMESTAMPTZ,
    p_actor TEXT,
    p_key TEXT,
    p_dry_run BOOLEAN DEFAULT FALSE,
    p_right wallet.operator_right DEFAULT 'admin',
    p_new_user BOOLEAN DEFAULT FALSE,
    p_shown TEXT DEFAULT NULL,
    p_daily_amount BIGINT DEFAULT NULL
) RETURNS wallet.adjustment_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_user_id CONSTANT TEXT := wallet.canonical_user_id(p_user_id);
    v_request CONSTANT JSONB := jsonb_build_array(
        v_user_id, p_environment, p_unit, p_amount, p_reference, p_reason, p_source, extract(EPOCH FROM p_expires_at),
        p_new_user
    );
    v_known_id CONSTANT BIGINT := (SELECT i.account_id FROM wallet.identities AS i WHERE i.user_id = v_user_id);
    v_answer wallet.adjustment_answer;
    v_account_id BIGINT;
    v_before wallet.wallets;
    v_replayed BOOLEAN;
BEGIN
    PERFORM wallet.check_right('adjust', p_right);
    BEGIN
        v_replayed := wallet.operator_replays(p_actor, p_key, 'adjust', v_request);
        IF NOT v_replayed THEN
            v_account_id := wallet.known_account(p_user_id, p_new_user);
            PERFORM wallet.lock_wallet(v_account_id, p_environment);
            -- A deletion that committed meanwhile erased the texts about the user. This call must not store new ones.
            IF EXISTS (
                SELECT FROM wallet.accounts AS a WHERE a.account_id = v_account_id AND a.deleted_at IS NOT NULL
            ) THEN
                RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
            END IF;
            SELECT w.* INTO STRICT v_before FROM wallet.wallets AS w
            WHERE w.account_id = v_account_id AND w.environment = p_environment;
            v_replayed := NOT wallet.adjust(
                v_account_id, p_environment, p_unit, p_amount, p_reference, p_actor, p_reason,
                coalesce(p_expires_at, 'infinity'), p_source
            );
        END IF;
        v_answer := wallet.adjustment_done(p_reference, p_environment);
        v_answer.replayed := v_replayed;
        IF NOT v_replayed THEN
            v_answer.before_credits := v_before.credits;
            v_answer.before_visits := v_before.visits;
            -- The preview covers the account that was found: a user who is deleted and returns has another account.
            v_answer.preview := wallet.preview_digest('adjust', v_request, jsonb_build_array(
                v_known_id, v_before.version, v_before.credits, v_before.visits, v_before.owed_credits,
                v_before.owed_visits, v_answer.credits, v_answer.visits
            ));
            IF p_environment = 'production' AND p_daily_amount IS NOT NULL THEN
                PERFORM wallet.add_to_operator_total(p_actor, p_amount, p_daily_amount);
            END IF;
        END IF;
        IF p_dry_run THEN
            RAISE EXCEPTION USING ERRCODE = 'WLDRY';
        ELSIF NOT v_replayed AND p_shown <> v_answer.preview THEN
            RAISE EXCEPTION USING ERRCODE = 'WL412', MESSAGE = 'preview-outdated', DETAIL = jsonb_build_object(
                'preview', v_answer.preview,
                'before', jsonb_build_object('credits', v_answer.before_credits, 'visits', v_answer.before_visits),
                'after', jsonb_build_object('credits', v_answer.credits, 'visits', v_answer.visits)
            )::TEXT;
        END IF;
    EXCEPTION
        -- The exception undoes all writes, but v_answer keeps its value. The lot does not exist, so its id is removed.
        WHEN SQLSTATE 'WLDRY' THEN
            IF NOT v_replayed THEN
                v_answer.lot_id := NULL;
            END IF;
    END;
    RETURN v_answer;
END;
$$;
COMMENT ON FUNCTION wallet.operator_adjust(
    TEXT, wallet.environment, wallet.unit, BIGINT, TEXT, TEXT, TEXT, TIMESTAMPTZ, TEXT, TEXT, BOOLEAN,
    wallet.operator_right, BOOLEAN, TEXT, BIGINT
) IS 'Adjusts a user''s wallet for an operator, once per key and reference, or returns the result of a dry run.';

-- Returns an adjustment's lot and the current balance of its wallet.
CREATE OR REPLACE FUNCTION wallet.adjustment_done(p_reference TEXT, p_environment wallet.environment)
RETURNS wallet.adjustment_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_answer wallet.adjustment_answer;
    v_account_id BIGINT;
    v_owner BIGINT;
BEGIN
    SELECT a.account_id, coalesce(o.merged_into, o.account_id), e.lot_id
    INTO v_account_id, v_owner, v_answer.lot_id
    FROM wallet.adjustments AS a
    INNER JOIN wallet.accounts AS o ON a.account_id = o.account_id
    LEFT JOIN wallet.entries AS e
        ON
            a.account_id = e.account_id AND a.environment = e.environment AND a.first_version = e.version
            AND a.amount > 0
    -- A reference that named a deleted user was replaced by its digest.
    WHERE a.reference IN (p_reference, 'erased ' || encode(sha256(convert_to(p_reference, 'UTF8')), 'hex'));
    -- Each query uses a key; a join would scan all wallets and lots.
    SELECT b.credits, b.visits, b.version INTO v_answer.credits, v_answer.visits, v_answer.version
    FROM wallet.balances AS b
    WHERE b.account_id = v_owner AND b.environment = p_environment;
    SELECT nullif(l.expires_at, 'infinity') INTO v_answer.expires_at FROM wallet.lots AS l
    WHERE l.account_id = wallet.lot_owner(v_account_id, v_answer.lot_id) AND l.lot_id = v_answer.lot_id;
    RETURN v_answer;
END;
$$;
COMMENT ON FUNCTION wallet.adjustment_done(TEXT, wallet.environment) IS
'Returns the lot of an adjustment and the current balance of its wallet.';

-- Adds an adjustment to the operator's total of the current day (UTC). Refuses if the total exceeds the limit.
-- Locks: the operator's total. Codes: WL403 daily-amount-exceeded.
CREATE OR REPLACE FUNCTION wallet.add_to_operator_total(p_actor TEXT, p_amount BIGINT, p_daily_amount BIGINT)
RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_total BIGINT;
BEGIN
    INSERT INTO wallet.operator_totals AS t (actor_digest, day, moved)
    VALUES (sha256(convert_to(p_actor, 'UTF8')), (wallet.now() AT TIME ZONE 'UTC')::DATE, abs(p_amount))
    ON CONFLICT (actor_digest, day) DO UPDATE SET moved = t.moved + excluded.moved
    RETURNING t.moved INTO v_total;
    IF v_total > p_daily_amount THEN
        RAISE EXCEPTION USING ERRCODE = 'WL403', MESSAGE = 'daily-amount-exceeded', DETAIL = jsonb_build_object(
            'maximum', p_daily_amount, 'remaining', greatest(p_daily_amount - (v_total - abs(p_amount)), 0)
        )::TEXT;
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.add_to_operator_total(TEXT, BIGINT, BIGINT) IS
'Adds an adjustment to its operator''s daily total, and refuses if it exceeds the limit.';
