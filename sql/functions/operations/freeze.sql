-- Freezes a pass or the visits of a plan from one time to another (rule 39): the lot pays for no class that starts
-- meanwhile, and its expiry moves by the frozen time. A freeze starts now at the earliest. A lot has one freeze at a
-- time. A lot whose validity has not started yet loses nothing, so it cannot be frozen, and neither can the lot of a
-- period that another one replaces, because its end is fixed. The product limits the days of all its lots of the user
-- in the year before the end of the freeze. The limits are those of the catalogue today, because they bind operators,
-- not the purchase.
-- Locks: the wallet. Codes: WL404 lot-not-found, WL404 user-not-found (the account was deleted), WL409
-- lot-not-freezable, WL409 lot-frozen (until later than now), WL422 freeze-out-of-range, WL409 lot-booked (it paid for
-- classes that start during the freeze).
CREATE OR REPLACE FUNCTION wallet.freeze_lot(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_lot_id UUID,
    p_from TIMESTAMPTZ,
    p_until TIMESTAMPTZ,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_now TIMESTAMPTZ;
    v_lot wallet.lots;
    v_product wallet.products;
    v_from TIMESTAMPTZ;
    v_until CONSTANT TIMESTAMPTZ := date_trunc('second', p_until);
    v_seconds BIGINT;
    v_left BIGINT;
BEGIN
    v_lot := wallet.lock_lot(p_account_id, p_environment, p_lot_id);
    v_now := wallet.now();
    v_from := greatest(date_trunc('second', p_from), date_trunc('second', v_now));
    IF (v_lot.frozen_from, v_lot.frozen_until) = (date_trunc('second', p_from), v_until) THEN
        RETURN ROW(NULL, TRUE, '{}', '{}', NULL)::wallet.action_answer;
    END IF;
    SELECT p.* INTO v_product FROM wallet.products AS p WHERE p.product_id = v_lot.product_id;
    IF
        v_lot.source NOT IN ('pass', 'plan') OR v_product.freeze_days IS NULL OR NOT v_lot.is_open
        OR v_lot.expires_at = 'infinity' OR v_lot.expires_at <= v_from OR v_lot.reopened_until IS NOT NULL
        OR v_lot.starts_at > v_now OR wallet.is_cut_short(v_lot)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'lot-not-freezable';
    ELSIF v_lot.frozen_until > v_now THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'lot-frozen', DETAIL = jsonb_build_object(
            'lot_id', v_lot.lot_id, 'frozen_until', wallet.rfc3339(v_lot.frozen_until)
        )::TEXT, HINT = 'End this freeze first.';
    END IF;
    v_seconds := extract(EPOCH FROM v_until - v_from);
    v_left := greatest(v_product.freeze_days * 86400::BIGINT - (
        SELECT coalesce(sum(extract(
            EPOCH FROM f.until_at - greatest(f.from_at, v_until - make_interval(hours => 24 * 365))
        )), 0)
        FROM wallet.freezes AS f
        INNER JOIN wallet.lots AS l ON f.account_id = l.account_id AND f.lot_id = l.lot_id
        WHERE
            f.account_id = p_account_id AND l.environment = p_environment AND l.product_id = v_lot.product_id
            AND f.until_at > v_until - make_interval(hours => 24 * 365)
    ), 0);
    IF (v_seconds BETWEEN coalesce(v_product.freeze_minimum_days, 1) * 86400::BIGINT AND v_left) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'freeze-out-of-range', DETAIL = jsonb_build_object(
            'minimum_days', coalesce(v_product.freeze_minimum_days, 1), 'days_left', v_left / 86400
        )::TEXT;
    END IF;
    PERFORM wallet.refuse_booked(v_lot, v_from, v_until);
    INSERT INTO wallet.freezes (account_id, lot_id, from_at, until_at)
    VALUES (p_account_id, p_lot_id, v_from, v_until);
    RETURN wallet.write_freeze(v_lot, 'freeze', v_from, v_until, v_seconds, p_note);
END;
$$;
COMMENT ON FUNCTION wallet.freeze_lot(
    BIGINT, wallet.environment, UUID, TIMESTAMPTZ, TIMESTAMPTZ, wallet.action_note
) IS 'Freezes a pass or the visits of a plan, and moves its expiry by the frozen time.';

-- Ends the freeze of a lot now, or cancels it if it has not started. The expiry moves back by the time that is left of
-- the freeze, unless another period has replaced the lot's. A lot that is not frozen stays unchanged.
-- Locks: the wallet. Codes: WL404 lot-not-found, WL404 user-not-found (the account was deleted), WL409 lot-booked (it
-- paid for classes that start after the new expiry).
CREATE OR REPLACE FUNCTION wallet.unfreeze_lot(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_lot_id UUID,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot wallet.lots;
    v_until TIMESTAMPTZ;
    v_seconds BIGINT;
    v_last wallet.freezes;
BEGIN
    v_lot := wallet.lock_lot(p_account_id, p_environment, p_lot_id);
    v_until := greatest(date_trunc('second', wallet.now()), v_lot.frozen_from);
    IF (v_lot.frozen_until > v_until) IS NOT TRUE THEN
        RETURN ROW(NULL, TRUE, '{}', '{}', NULL)::wallet.action_answer;
    END IF;
    v_seconds := extract(EPOCH FROM v_lot.frozen_until - v_until);
    PERFORM wallet.refuse_booked(v_lot, v_lot.expires_at - make_interval(secs => v_seconds), 'infinity')
    WHERE NOT wallet.is_cut_short(v_lot);
    IF v_until = v_lot.frozen_from THEN
        DELETE FROM wallet.freezes AS f
        WHERE f.account_id = p_account_id AND f.lot_id = p_lot_id AND f.from_at = v_lot.frozen_from;
    ELSE
        UPDATE wallet.freezes AS f SET until_at = v_until
        WHERE f.account_id = p_account_id AND f.lot_id = p_lot_id AND f.from_at = v_lot.frozen_from;
    END IF;
    SELECT f.* INTO v_last FROM wallet.freezes AS f
    WHERE f.account_id = p_account_id AND f.lot_id = p_lot_id
    ORDER BY f.from_at DESC
    LIMIT 1;
    RETURN wallet.write_freeze(v_lot, 'unfreeze', v_last.from_at, v_last.until_at, -v_seconds, p_note);
END;
$$;
COMMENT ON FUNCTION wallet.unfreeze_lot(BIGINT, wallet.environment, UUID, wallet.action_note) IS
'Ends the freeze of a lot, and moves its expiry back by the time that is left.';

-- Returns whether another period replaces the period of a plan's lot (rule 29). Freezes then do not move its expiry.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.is_cut_short(p_lot wallet.lots) RETURNS BOOLEAN LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_period wallet.claims;
BEGIN
    SELECT c.* INTO v_period FROM wallet.claims AS c
    WHERE c.claim_id = coalesce(p_lot.claim_id, p_lot.rolled_from) AND c.kind = 'subscription';
    IF p_lot.claim_id IS NULL THEN
        v_period := wallet.period_after(v_period);
    END IF;
    RETURN coalesce(wallet.period_end(v_period) < v_period.expires_at, FALSE);
END;
$$;
COMMENT ON FUNCTION wallet.is_cut_short(wallet.lots) IS
'Returns whether another period replaces the period of a plan''s lot.';

-- Locks the wallet of a lot, and returns the lot. A lot of a deleted account is refused: the deletion erased the texts
-- about the user, and an action would store new ones.
-- Locks: the wallet. Codes: WL404 lot-not-found, WL404 user-not-found (the account was deleted).
CREATE OR REPLACE FUNCTION wallet.lock_lot(p_account_id BIGINT, p_environment wallet.environment, p_lot_id UUID)
RETURNS wallet.lots LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot wallet.lots;
BEGIN
    PERFORM FROM wallet.wallets AS w WHERE w.account_id = p_account_id AND w.environment = p_environment;
    IF FOUND THEN
        PERFORM wallet.lock_wallet(p_account_id, p_environment);
    END IF;
    SELECT l.* INTO v_lot FROM wallet.lots AS l
    WHERE
        l.account_id = p_account_id AND l.environment = p_environment AND l.lot_id = p_lot_id AND l.moved_to IS NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'lot-not-found';
    ELSIF EXISTS (
        SELECT FROM wallet.accounts AS a WHERE a.account_id = p_account_id AND a.deleted_at IS NOT NULL
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'user-not-found';
    END IF;
    RETURN v_lot;
END;
$$;
COMMENT ON FUNCTION wallet.lock_lot(BIGINT, wallet.environment, UUID) IS
'Locks the wallet of a lot, and returns the lot.';

-- Refuses a freeze if the lot paid for active bookings of classes that start in a span.
-- The caller holds the wallet. Locks: none. Codes: WL409 lot-booked.
CREATE OR REPLACE FUNCTION wallet.refuse_booked(p_lot wallet.lots, p_from TIMESTAMPTZ, p_until TIMESTAMPTZ)
RETURNS VOID LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_booked CONSTANT UUID[] := ARRAY(
        -- The query starts from the entries of the lot, because a member may have years of bookings.
        SELECT DISTINCT b.booking_id FROM wallet.lot_entries AS e
        INNER JOIN wallet.bookings AS b
            ON e.booking_id = b.booking_id AND e.posted_in IN (b.account_id, b.ledger_account_id)
        INNER JOIN wallet.classes AS c ON b.class_id = c.class_id
        WHERE
            e.account_id = p_lot.account_id AND e.lot_id = p_lot.lot_id AND e.kind = 'spend'
            AND b.cancelled_at IS NULL AND c.starts_at >= p_from AND c.starts_at < p_until
            AND c.starts_at > wallet.now()
        ORDER BY b.booking_id
        LIMIT 20
    );
BEGIN
    IF cardinality(v_booked) > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'lot-booked',
            DETAIL = jsonb_build_object('booking_ids', v_booked)::TEXT,
            HINT = 'Cancel these bookings first, or choose other dates.';
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.refuse_booked(wallet.lots, TIMESTAMPTZ, TIMESTAMPTZ) IS
'Refuses a freeze if the lot paid for active bookings of classes that start in a span.';

-- Writes the last freeze and the moved expiry of a lot, posts the entry, emits the event and records the action. The
-- entry has the amount 0: it changes the version, so that readers load the wallet again.
-- The caller holds the wallet. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.write_freeze(
    p_lot wallet.lots,
    p_action TEXT,
    p_from TIMESTAMPTZ,
    p_until TIMESTAMPTZ,
    p_seconds BIGINT,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_expires_at CONSTANT TIMESTAMPTZ := p_lot.expires_at + make_interval(
        secs => CASE WHEN wallet.is_cut_short(p_lot) THEN 0 ELSE p_seconds END
    );
    v_after CONSTANT JSONB := jsonb_build_object(
        'frozen_from', wallet.rfc3339(p_from), 'frozen_until', wallet.rfc3339(p_until),
        'expires_at', wallet.rfc3339(v_expires_at)
    );
BEGIN
    UPDATE wallet.lots AS l SET
        frozen_from = p_from,
        frozen_until = p_until,
        frozen_seconds = l.frozen_seconds + p_seconds,
        expires_at = v_expires_at
    WHERE l.account_id = p_lot.account_id AND l.lot_id = p_lot.lot_id;
    UPDATE wallet.wallets AS w SET next_expiry = v_expires_at
    WHERE w.account_id = p_lot.account_id AND w.environment = p_lot.environment AND w.next_expiry > v_expires_at;
    PERFORM wallet.post_lot(
        p_lot.account_id, p_lot.environment, p_lot.lot_id, 'freeze', p_actor => p_note.actor, p_reason => p_note.reason
    );
    PERFORM wallet.emit(
        CASE p_action WHEN 'freeze' THEN 'lot.frozen' ELSE 'lot.unfrozen' END, p_lot.account_id, p_lot.environment,
        p_details => v_after || jsonb_build_object('lot_id', p_lot.lot_id, 'product_id', p_lot.product_id)
    );
    RETURN wallet.record_action(
        p_note, p_action, 'lot', p_lot.lot_id::TEXT, jsonb_build_object(
            'frozen_from', wallet.rfc3339(p_lot.frozen_from), 'frozen_until', wallet.rfc3339(p_lot.frozen_until),
            'expires_at', wallet.rfc3339(p_lot.expires_at)
        ), v_after, p_lot.account_id, p_lot.environment
    );
END;
$$;
COMMENT ON FUNCTION wallet.write_freeze(
    wallet.lots, TEXT, TIMESTAMPTZ, TIMESTAMPTZ, BIGINT, wallet.action_note
) IS 'Writes the last freeze and the moved expiry of a lot, with its entry, event and audit row.';

-- Carries out UPDATE admin.lots: sets frozen_from and frozen_until, or ends the freeze if both are null. Each change
-- needs a reason.
-- Locks and codes: see wallet.freeze_lot, wallet.unfreeze_lot; WL422 column-not-editable, WL422 reason-required.
CREATE OR REPLACE FUNCTION wallet.admin_update_lot(p_old RECORD, p_new RECORD) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.lots := p_old;
    v_new CONSTANT admin.lots := p_new;
    v_note CONSTANT wallet.action_note := ROW(session_user, v_new.reason, NULL, NULL);
BEGIN
    IF
        to_jsonb(v_old) - ARRAY['frozen_from', 'frozen_until', 'reason']
        <> to_jsonb(v_new) - ARRAY['frozen_from', 'frozen_until', 'reason']
        OR num_nulls(v_new.frozen_from, v_new.frozen_until) = 1
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'To freeze, SET frozen_from = …, frozen_until = …, reason = ''…''. '
                'To end the freeze, SET both to NULL.';
    ELSIF (v_old.frozen_from, v_old.frozen_until) IS NOT DISTINCT FROM (v_new.frozen_from, v_new.frozen_until) THEN
        RETURN;
    ELSIF wallet.is_plain_text(v_new.reason) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'reason-required';
    ELSIF v_new.frozen_from IS NULL THEN
        PERFORM wallet.unfreeze_lot(v_old.account_id, v_old.environment, v_old.lot_id, v_note);
    ELSE
        PERFORM wallet.freeze_lot(
            v_old.account_id, v_old.environment, v_old.lot_id, v_new.frozen_from, v_new.frozen_until, v_note
        );
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.admin_update_lot(RECORD, RECORD) IS 'Carries out UPDATE admin.lots.';
