-- The rules of a booking: every refusal, once, for bookings, quotes, joins of a waitlist and promotions, in the order
-- in which they apply. wallet.book_batch and wallet.join_waitlist read the data (wallet.read_bookings); these functions
-- decide.

-- Returns the refusal of any request without a valid form or account, or null.
-- Locks: none. Codes, in the answer, in this order: 400 malformed-request, 401 unauthenticated.
CREATE OR REPLACE FUNCTION wallet.refuse_request(p_item wallet.batch_item) RETURNS wallet.booking_plan
LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    IF p_item.is_complete IS NOT TRUE THEN
        RETURN wallet.refusal(400, 'malformed-request');
    ELSIF p_item.is_gone THEN
        RETURN wallet.refusal(401, 'unauthenticated');
    END IF;
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.refuse_request(wallet.batch_item) IS
'Returns the refusal of any request without a valid form or account, or null.';

-- Decides a booking, a quote or a join of a waitlist (operation 'wait'): refuses it, or chooses how it is paid. A join
-- pays nothing, and has its own rules as well: see wallet.refuse_waiting. If pay_with is set (unlimited, visits,
-- credits or a lot id), it decides. Otherwise an unlimited plan pays (one seat only), then visits, then credits. A
-- booking is paid in one unit, from its lots in burn order. The function decides every booking of a batch. It has no
-- SET clauses, because applying them would double its cost; every name in it is qualified. It is one function, because
-- passing the item costs as much as deciding it.
-- p_seats_left: the seats that the booking may take, after the earlier items of the batch.
-- p_left: the remaining amount of each lot of the item, after the earlier items of the batch.
-- Locks: none. Codes, in the answer, in this order: 404 class-not-found, 409 class-closed, those of
-- wallet.refuse_blocked, 409 already-booked, those of wallet.refuse_waiting, those of wallet.check_limits, 409
-- class-full, then 409 price-changed, 409 payment-not-accepted, 409 lot-frozen or 402 insufficient-credits.
CREATE OR REPLACE FUNCTION wallet.decide_booking(
    p_item wallet.batch_item,
    p_seats_left INTEGER,
    p_left BIGINT[],
    p_now TIMESTAMPTZ
) RETURNS wallet.booking_plan LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_plan wallet.booking_plan;
    v_slug TEXT;
    v_units wallet.unit[];
    v_lot_id UUID;
    v_unit wallet.unit;
    v_price BIGINT;
    v_missing BIGINT;
    v_shortages JSONB;
BEGIN
    -- This is one expression, because each costs 2,000 instructions a call.
    v_slug := CASE
        WHEN p_item.class_status IS NULL THEN 'class-not-found'
        WHEN p_item.class_status <> 'scheduled' OR p_item.starts_at <= p_now THEN 'class-closed'
        WHEN p_item.is_blocked THEN 'account-blocked'
        WHEN p_item.booked_id IS NOT NULL THEN 'already-booked'
    END;
    IF v_slug = 'account-blocked' THEN
        RETURN wallet.refuse_blocked(p_item, p_now);
    ELSIF v_slug IS NOT NULL THEN
        RETURN wallet.refusal(
            CASE v_slug WHEN 'class-not-found' THEN 404 ELSE 409 END, v_slug,
            CASE WHEN v_slug = 'already-booked' THEN jsonb_build_object('booking_id', p_item.booked_id) END
        );
    ELSIF p_item.operation = 'wait' OR p_item.has_limits OR p_item.has_plan THEN
        IF p_item.operation = 'wait' THEN
            v_plan := wallet.refuse_waiting(p_item);
            IF p_item.has_waiting OR v_plan.status IS NOT NULL THEN
                RETURN v_plan;
            END IF;
        END IF;
        v_plan := wallet.check_limits(p_item, p_now);
        -- A member may wait for more seats than are free, but not for more than the class has.
        IF v_plan.status IS NOT NULL OR (p_item.operation = 'wait' AND p_item.capacity >= p_item.seats) THEN
            RETURN v_plan;
        END IF;
    END IF;
    IF p_seats_left < p_item.seats THEN
        RETURN wallet.refusal(409, 'class-full', jsonb_build_object(
            'seats_left', p_seats_left, 'seats_requested', p_item.seats
        ));
    END IF;

    -- The payment.
    IF
        p_item.has_plan AND p_item.seats = 1 AND coalesce(p_item.pay_with, 'unlimited') = 'unlimited'
        AND wallet.has_unlimited(p_item.account_id, p_item.environment, p_item.starts_at)
    THEN
        v_plan.amount := 0;
        v_plan.lot_ids := '{}';
        v_plan.amounts := '{}';
        RETURN v_plan;
    ELSIF p_item.pay_with = 'visits' THEN
        v_units := '{visit}';
    ELSIF p_item.pay_with = 'credits' THEN
        v_units := '{credit}';
    ELSIF p_item.pay_with IS NOT NULL THEN
        -- A lot that is used up still has its unit.
        SELECT l.lot_id, ARRAY[l.unit] INTO v_lot_id, v_units FROM wallet.lots AS l
        WHERE
            l.account_id = p_item.account_id AND l.environment = p_item.environment
            AND l.lot_id::TEXT = lower(p_item.pay_with);
        IF NOT FOUND THEN
            v_units := '{}';
        END IF;
    END IF;
    FOREACH v_unit IN ARRAY coalesce(v_units, '{visit,credit}') LOOP
        v_price := CASE v_unit WHEN 'credit' THEN p_item.price_credits ELSE p_item.price_visits END;
        CONTINUE WHEN v_price IS NULL;
        v_plan.unit := v_unit;
        v_plan.amount := v_price * p_item.seats;
        v_missing := v_plan.amount;
        FOR v_lot IN 1 .. coalesce(cardinality(p_left), 0) LOOP
            EXIT WHEN v_missing = 0;
            CONTINUE WHEN
                p_item.lot_units[v_lot] <> v_unit OR p_left[v_lot] = 0 OR p_item.lot_ids[v_lot] <> v_lot_id;
            v_plan.lot_ids := v_plan.lot_ids || p_item.lot_ids[v_lot];
            v_plan.amounts := v_plan.amounts || least(p_left[v_lot], v_missing);
            v_missing := v_missing - least(p_left[v_lot], v_missing);
        END LOOP;
        IF v_missing = 0 AND v_plan.amount > p_item.max_amount THEN
            RETURN wallet.refusal(
                409, 'price-changed', jsonb_build_object('amount', v_plan.amount, 'max_amount', p_item.max_amount)
            );
        ELSIF v_missing = 0 THEN
            RETURN v_plan;
        END IF;
        v_plan.lot_ids := NULL;
        v_plan.amounts := NULL;
        v_shortages := coalesce(v_shortages, '[]') || jsonb_build_object(
            'unit', v_unit, 'required', v_plan.amount, 'available', v_plan.amount - v_missing, 'needed', v_missing
        );
    END LOOP;
    IF v_shortages IS NULL THEN
        RETURN wallet.refusal(409, 'payment-not-accepted', jsonb_build_object('pay_with', p_item.pay_with));
    END IF;
    v_plan := wallet.refuse_frozen(p_item);
    IF v_plan.status IS NOT NULL THEN
        RETURN v_plan;
    END IF;
    RETURN wallet.insufficient_credits(v_shortages, p_item.seats, p_item.starts_at);
END;
$$;
COMMENT ON FUNCTION wallet.decide_booking(wallet.batch_item, INTEGER, BIGINT[], TIMESTAMPTZ) IS
'Refuses a booking, a quote or a join of a waitlist, or chooses how it is paid.';

-- Returns a refusal, as the plan of the refused request.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.refusal(p_status INTEGER, p_slug TEXT, p_detail JSONB DEFAULT NULL)
RETURNS wallet.booking_plan LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_plan wallet.booking_plan;
BEGIN
    v_plan.status := p_status;
    v_plan.slug := p_slug;
    v_plan.detail := p_detail;
    RETURN v_plan;
END;
$$;
COMMENT ON FUNCTION wallet.refusal(INTEGER, TEXT, JSONB) IS 'Returns the plan of a refused request.';

-- Returns the refusal of a blocked member. An operator blocks an account in both environments and without an end;
-- strikes block a wallet until an end.
-- Locks: none. Codes, in the answer: 403 account-blocked, 403 booking-blocked.
CREATE OR REPLACE FUNCTION wallet.refuse_blocked(p_item wallet.batch_item, p_now TIMESTAMPTZ)
RETURNS wallet.booking_plan LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_until CONSTANT TIMESTAMPTZ := (
        SELECT w.blocked_until FROM wallet.wallets AS w
        INNER JOIN wallet.accounts AS a ON w.account_id = a.account_id AND a.blocked_at IS NULL
        WHERE w.account_id = p_item.account_id AND w.environment = p_item.environment AND w.blocked_until > p_now
    );
BEGIN
    IF v_until IS NULL THEN
        RETURN wallet.refusal(403, 'account-blocked');
    END IF;
    RETURN wallet.refusal(403, 'booking-blocked', jsonb_build_object('blocked_until', wallet.rfc3339(v_until)));
END;
$$;
COMMENT ON FUNCTION wallet.refuse_blocked(wallet.batch_item, TIMESTAMPTZ) IS 'Returns the refusal of a blocked member.';

-- Returns the refusal of a join of a waitlist by the waitlist itself, or null. A member who waits already is not
-- refused if the request is the same.
-- The caller holds the class's seats. Locks: none. Codes, in the answer, in this order: 409 already-waiting (with
-- another request), 409 payment-not-accepted (pay_with has no valid form), 409 seats-available, 409 waitlist-closed.
CREATE OR REPLACE FUNCTION wallet.refuse_waiting(p_item wallet.batch_item) RETURNS wallet.booking_plan
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_known wallet.waitlist;
    v_class wallet.classes;
BEGIN
    IF p_item.has_waiting THEN
        SELECT w.* INTO STRICT v_known FROM wallet.waitlist AS w
        WHERE
            w.class_id = p_item.class_id AND w.environment = p_item.environment AND w.account_id = p_item.account_id;
        IF
            v_known.seats = p_item.seats AND v_known.asked_pay_with IS NOT DISTINCT FROM p_item.pay_with
            AND v_known.asked_max_amount IS NOT DISTINCT FROM p_item.max_amount
        THEN
            RETURN NULL;
        END IF;
        RETURN wallet.refusal(409, 'already-waiting', (
            SELECT jsonb_build_object('place', count(*)) FROM wallet.waitlist AS w
            WHERE
                w.class_id = p_item.class_id AND w.environment = p_item.environment AND w.entry_id <= v_known.entry_id
        ));
    ELSIF p_item.pay_with !~ '^(unlimited|visits|credits|[0-9A-Fa-f-]{36})$' THEN
        RETURN wallet.refusal(
            409, 'payment-not-accepted', jsonb_build_object('pay_with', left(p_item.pay_with, 100))
        );
    ELSIF p_item.seats_left >= p_item.seats THEN
        RETURN wallet.refusal(409, 'seats-available', jsonb_build_object('seats_left', p_item.seats_left));
    END IF;
    SELECT c.* INTO STRICT v_class FROM wallet.classes AS c WHERE c.class_id = p_item.class_id;
    IF NOT wallet.waitlist_is_open(v_class) THEN
        RETURN wallet.refusal(409, 'waitlist-closed', jsonb_build_object('closed_at', wallet.rfc3339(
            v_class.starts_at - make_interval(mins => v_class.waitlist_cutoff_minutes)
        )));
    END IF;
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.refuse_waiting(wallet.batch_item) IS
'Returns the refusal of a join of a waitlist by the waitlist itself, or null.';

-- Returns the limit of a class or plan that a booking would break (rule 23), or null. A null limit does not apply.
-- Overlaps are counted in the account's wallet, so the result is reliable only while the caller holds the wallet.
-- Locks: none. Codes, in the answer, in this order: 409 too-many-seats, 409 booking-not-open, 409 booking-closed, 409
-- too-far-ahead, 409 overlapping-booking.
CREATE OR REPLACE FUNCTION wallet.check_limits(p_item wallet.batch_item, p_now TIMESTAMPTZ)
RETURNS wallet.booking_plan LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes;
    v_opens_at TIMESTAMPTZ;
    v_closes_at TIMESTAMPTZ;
    v_days_ahead INTEGER;
    v_near_at TIMESTAMPTZ;
    v_overlapping UUID[];
BEGIN
    SELECT c.* INTO STRICT v_class FROM wallet.classes AS c WHERE c.class_id = p_item.class_id;
    v_opens_at := v_class.starts_at - make_interval(mins => v_class.opens_minutes_before);
    v_closes_at := v_class.starts_at - make_interval(mins => v_class.closes_minutes_before);
    -- A class's own number of days applies to all accounts, but a live plan with a greater number extends it. If the
    -- class has none, the account's live plans decide: the greatest number applies, and only if every plan has one.
    SELECT CASE
        WHEN v_class.days_ahead IS NOT NULL THEN greatest(v_class.days_ahead, max(s.days_ahead))
        WHEN bool_and(s.days_ahead IS NOT NULL) THEN max(s.days_ahead)
    END INTO v_days_ahead
    FROM wallet.subscription_states AS s
    WHERE s.account_id = p_item.account_id AND s.environment = p_item.environment AND s.has_access;
    -- A day has 24 hours here, in every time zone of the session.
    v_near_at := v_class.starts_at - make_interval(hours => 24 * v_days_ahead);
    IF p_item.seats > v_class.max_seats THEN
        RETURN wallet.refusal(409, 'too-many-seats', jsonb_build_object('max_seats', v_class.max_seats));
    ELSIF p_now < v_opens_at THEN
        RETURN wallet.refusal(409, 'booking-not-open', jsonb_build_object('opens_at', wallet.rfc3339(v_opens_at)));
    ELSIF p_now >= v_closes_at THEN
        RETURN wallet.refusal(409, 'booking-closed', jsonb_build_object('closed_at', wallet.rfc3339(v_closes_at)));
    ELSIF p_now < v_near_at THEN
        RETURN wallet.refusal(409, 'too-far-ahead', jsonb_build_object(
            'days_ahead', v_days_ahead, 'opens_at', wallet.rfc3339(v_near_at)
        ));
    ELSIF v_class.max_overlaps IS NULL THEN
        RETURN NULL;
    END IF;
    v_overlapping := ARRAY(
        -- The query starts from the few classes at that time, because a member may have years of bookings.
        SELECT b.booking_id FROM wallet.classes AS c
        INNER JOIN wallet.bookings AS b
            ON
                c.class_id = b.class_id AND b.environment = p_item.environment AND b.account_id = p_item.account_id
                AND b.cancelled_at IS NULL
        WHERE
            tstzrange(c.starts_at, c.ends_at) && tstzrange(v_class.starts_at, v_class.ends_at)
            AND c.class_id <> v_class.class_id AND c.status = 'scheduled'
        ORDER BY c.starts_at, b.booking_id
    );
    IF cardinality(v_overlapping) > v_class.max_overlaps THEN
        RETURN wallet.refusal(409, 'overlapping-booking', jsonb_build_object(
            'booking_id', v_overlapping[1], 'max_overlaps', v_class.max_overlaps
        ));
    END IF;
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.check_limits(wallet.batch_item, TIMESTAMPTZ) IS
'Returns the limit of a class or plan that a booking would break, or null.';

-- Returns the refusal of a booking for which a lot does not pay because it is frozen when the class starts, or null.
-- Locks: none. Codes, in the answer: 409 lot-frozen.
CREATE OR REPLACE FUNCTION wallet.refuse_frozen(p_item wallet.batch_item) RETURNS wallet.booking_plan
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot wallet.lots;
BEGIN
    SELECT l.* INTO v_lot FROM wallet.lots AS l
    WHERE
        l.account_id = p_item.account_id AND l.environment = p_item.environment AND l.is_open
        AND l.frozen_from <= p_item.starts_at AND l.frozen_until > p_item.starts_at
        AND l.expires_at > p_item.starts_at
        AND CASE l.unit WHEN 'credit' THEN p_item.price_credits ELSE p_item.price_visits END IS NOT NULL
        AND (p_item.pay_with IS NULL OR lower(p_item.pay_with) IN (l.unit::TEXT || 's', l.lot_id::TEXT))
    ORDER BY l.frozen_until, l.lot_id
    LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    RETURN wallet.refusal(409, 'lot-frozen', jsonb_build_object(
        'lot_id', v_lot.lot_id, 'frozen_until', wallet.rfc3339(v_lot.frozen_until)
    ));
END;
$$;
COMMENT ON FUNCTION wallet.refuse_frozen(wallet.batch_item) IS
'Returns the refusal of a booking for which a lot does not pay because it is frozen, or null.';

-- Returns the refusal for insufficient credits or visits: the shortage of every unit that was tried, the last one in
-- detail, and offers to buy.
-- p_shortages: [{"unit", "required", "available", "needed"}] in the order in which the units were tried.
-- Locks: none. Codes: 402 insufficient-credits in the answer.
CREATE OR REPLACE FUNCTION wallet.insufficient_credits(
    p_shortages JSONB,
    p_seats INTEGER DEFAULT NULL,
    p_starts_at TIMESTAMPTZ DEFAULT NULL
) RETURNS wallet.booking_plan LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_last CONSTANT JSONB := p_shortages -> -1;
BEGIN
    RETURN wallet.refusal(402, 'insufficient-credits', jsonb_build_object(
        'unit', v_last -> 'unit',
        'credits_required', v_last -> 'required',
        'credits_available', v_last -> 'available',
        'credits_needed', v_last -> 'needed',
        'shortages', p_shortages,
        'offers', wallet.offers_for((
            SELECT jsonb_object_agg(s.shortage ->> 'unit', s.shortage -> 'needed')
            FROM jsonb_array_elements(p_shortages) AS s (shortage)
        ), p_seats, p_starts_at)
    ));
END;
$$;
COMMENT ON FUNCTION wallet.insufficient_credits(JSONB, INTEGER, TIMESTAMPTZ) IS
'Returns the refusal for insufficient credits or visits, with offers to buy.';

-- Decides whether a booking can be cancelled and how much returns to which lots. Until the booking's own deadline,
-- every amount returns to the lot that paid it; later, nothing returns. A cancellation by the studio always returns
-- everything. A cancellation by the wallet returns everything until the class begins. A member whose attendance is
-- marked cannot cancel: a free cancellation at the door would be a class for nothing.
-- Locks: none. Codes, in the answer: 404 booking-not-found, 409 not-cancellable.
CREATE OR REPLACE FUNCTION wallet.decide_cancellation(p_item wallet.batch_item, p_now TIMESTAMPTZ)
RETURNS wallet.booking_plan LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_plan wallet.booking_plan;
BEGIN
    IF p_item.class_id IS NULL THEN
        RETURN wallet.refusal(404, 'booking-not-found');
    ELSIF p_item.cancelled_by = 'user' AND (p_now >= p_item.starts_at OR p_item.is_blocked) THEN
        RETURN wallet.refusal(409, 'not-cancellable');
    END IF;
    v_plan.unit := p_item.unit;
    v_plan.amount := 0;
    v_plan.lot_ids := '{}';
    v_plan.amounts := '{}';
    IF
        p_item.cancelled_by = 'studio' OR p_now <= p_item.free_until
        OR (p_item.cancelled_by = 'wallet' AND p_now < p_item.starts_at)
    THEN
        v_plan.amount := p_item.amount;
        v_plan.lot_ids := p_item.lot_ids;
        v_plan.amounts := p_item.lot_amounts;
    END IF;
    RETURN v_plan;
END;
$$;
COMMENT ON FUNCTION wallet.decide_cancellation(wallet.batch_item, TIMESTAMPTZ) IS
'Decides whether a booking can be cancelled, and how much returns.';
