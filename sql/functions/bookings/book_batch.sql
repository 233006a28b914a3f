-- Books, quotes and cancels for the service. It takes a batch of items in order of arrival, decides each separately,
-- and returns one answer for each, in any order. A refused item never affects another item.
-- An item's account is null if the user's token is not valid. Its operation is 'book', 'quote' (what booking would do)
-- or 'cancel'. A cancellation needs only account, environment and booking; a quote needs no key and no id.
-- p_wait: whether to wait for wallets and seats that another transaction holds. If false, their items are answered with
-- 503 wallet-busy, and the caller sends them again on another connection.
-- p_opened: when each item's account was created, as an earlier answer to the same user reported. Such an item is
-- answered with 401 if the account was deleted or merged, or if the database was restored and the number now belongs to
-- another account.
-- p_user_ids, p_issued_times, p_anonymous, p_account_tokens: the users of all items and the data of their tokens; the
-- function then finds the accounts (wallet.admit_users). Null if all accounts are known.
-- Locks and codes: see wallet.admit_users and wallet.decide_batch.
CREATE OR REPLACE FUNCTION wallet.book_batch(
    p_requests wallet.booking_request[],
    p_wait BOOLEAN DEFAULT TRUE,
    p_opened TIMESTAMPTZ[] DEFAULT NULL,
    p_user_ids TEXT[] DEFAULT NULL,
    p_issued_times TIMESTAMPTZ[] DEFAULT NULL,
    p_anonymous BOOLEAN[] DEFAULT NULL,
    p_account_tokens UUID[] DEFAULT NULL
) RETURNS SETOF wallet.booking_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_accounts BIGINT[];
BEGIN
    IF p_user_ids IS NOT NULL THEN
        v_accounts := wallet.admit_users(p_user_ids, p_issued_times, p_anonymous, p_account_tokens);
        FOR v_place IN 1 .. cardinality(p_requests) LOOP
            p_requests[v_place].account_id := v_accounts[v_place];
        END LOOP;
    END IF;
    RETURN QUERY SELECT d.* FROM wallet.decide_batch(
        p_requests, 'user', p_wait, CASE WHEN p_user_ids IS NULL THEN p_opened END
    ) AS d;
END;
$$;
COMMENT ON FUNCTION wallet.book_batch(
    wallet.booking_request[], BOOLEAN, TIMESTAMPTZ[], TEXT[], TIMESTAMPTZ[], BOOLEAN[], UUID[]
) IS 'Books, quotes and cancels a batch of items, and decides each separately.';

-- Decides every booking, quote and cancellation. It locks, reads, decides each item in order of arrival, writes and
-- answers. Answers come in any order.
-- A decision (rules.sql) depends only on the item as read and on the wallets,
-- lots and seats after the earlier items, which this function keeps in memory. A fixed number of statements then writes
-- all decisions, however many items there are. Some items need the written result of an earlier item of the same wallet
-- or class. They are deferred, with all later items of both, and read again after the write: a second booking of a
-- wallet with the same key, of the same class, or of a class that limits overlaps; an item after a cancellation of its
-- wallet; and an item after a change of a class's waitlist. The function is long because passing its state to other
-- functions would copy it.
-- p_by: the actor, 'user'; 'studio' or 'wallet' for cancellations (see wallet.decide_cancellation). A booking by the
-- 'wallet' is a promotion from the waitlist (see wallet.read_bookings).
-- p_wait: whether to wait for wallets and seats that another transaction holds. If false, their items are answered with
-- 503 wallet-busy.
-- p_opened: see wallet.book_batch.
-- Locks: wallets in order of (account, environment), then class seats in order of (class, environment); then, without
-- waiting, the wallets that now own lots that paid for a cancelled booking.
-- Codes, per item in status and slug: 400 malformed-request, 401 unauthenticated, 503 wallet-busy, 422
-- idempotency-key-reused; for a cancellation those of wallet.decide_cancellation; for a booking or quote those of
-- wallet.decide_booking.
CREATE OR REPLACE FUNCTION wallet.decide_batch(
    p_requests wallet.booking_request[],
    p_by TEXT,
    p_wait BOOLEAN,
    p_opened TIMESTAMPTZ[] DEFAULT NULL
) RETURNS SETOF wallet.booking_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp
-- A cached plan made while the tables were small would keep scanning them.
SET enable_seqscan = OFF SET enable_hashjoin = OFF SET enable_mergejoin = OFF SET jit = OFF AS $$
DECLARE
    v_now TIMESTAMPTZ;
    v_locked_wallets CONSTANT TID[] := wallet.lock_wallets(p_requests, p_wait);
    v_locked_seats CONSTANT TID[] := wallet.lock_seats(p_requests, p_wait);
    -- The items to read (null for all), the number of items to read, and the items deferred to the next round.
    v_items INTEGER[];
    v_expected INTEGER := cardinality(p_requests);
    v_waiting INTEGER[];
    v_read wallet.batch_item[];
    v_item wallet.batch_item;
    v_plan wallet.booking_plan;
    v_outcome wallet.booking_outcome;
    -- The wallets and classes whose later items are deferred, and the classes and keys that each wallet has used.
    v_changed_wallets TID[];
    v_changed_seats TID[];
    v_used TEXT[];
    -- The wallets, seats and lots that change. Each is identified by the ctid of its row and keeps one index in its
    -- arrays. All growing arrays start as null: initializing them would cost one statement each for every batch.
    v_wallet_ctids TID[];
    v_wallets wallet.wallet_change[];
    v_seats_ctids TID[];
    v_seats wallet.seats_change[];
    v_lots UUID[];
    v_lot_ctids TID[];
    v_spent BIGINT[];
    -- The new rows, the cancelled bookings, the cancelled bookings whose return is posted separately, and the items
    -- that change a class's waitlist.
    v_bookings wallet.bookings[];
    v_entries wallet.entries[];
    v_cancelled wallet.batch_item[];
    v_apart wallet.batch_item[];
    v_with_waiting wallet.batch_item[];
    -- The current item.
    v_w INTEGER;
    v_s INTEGER;
    v_l INTEGER;
    v_left BIGINT[];
    v_wallet wallet.wallet_change;
    v_seat wallet.seats_change;
    v_hash BYTEA;
    v_kind TEXT;
    v_lot_id UUID;
    v_amount BIGINT;
    v_count INTEGER;
BEGIN
    v_now := wallet.now();
    LOOP
        v_read := ARRAY(
            SELECT r FROM wallet.read_bookings(p_requests, v_items, p_by = 'wallet', v_now, p_opened) AS r
            ORDER BY r.item
        );
        IF cardinality(v_read) < v_expected THEN
            v_read := v_read || ARRAY(
                SELECT r FROM wallet.read_cancellations(p_requests, v_items, p_by, v_now, p_opened) AS r
            );
            v_read := ARRAY(SELECT r FROM unnest(v_read) AS r ORDER BY r.item);
        END IF;
        FOREACH v_item IN ARRAY v_read LOOP
            -- The state after the earlier items.
            v_w := array_position(v_wallet_ctids, v_item.wallet_ctid);
            v_s := array_position(v_seats_ctids, v_item.seats_ctid);
            v_left := v_item.lot_amounts;
            IF v_w IS NULL THEN
                v_wallet := ROW(
                    v_item.wallet_ctid, v_item.credits, v_item.visits, v_item.version, v_item.head_hash,
                    greatest(v_now, v_item.last_at)
                );
            ELSE
                v_wallet := v_wallets[v_w];
                FOR v_lot IN 1 .. coalesce(cardinality(v_left), 0) LOOP
                    v_l := array_position(v_lots, v_item.lot_ids[v_lot]);
                    IF v_l IS NOT NULL THEN
                        v_left[v_lot] := v_left[v_lot] - v_spent[v_l];
                    END IF;
                END LOOP;
            END IF;

            -- The decision.
            IF v_item.is_complete IS NOT TRUE OR v_item.is_gone THEN
                v_plan := wallet.refuse_request(v_item);
            ELSIF
                -- An item in a later round was locked in the first one, and its rows have moved since they were
                -- written.
                v_items IS NULL AND v_item.operation <> 'quote' AND (
                    (v_item.wallet_ctid = ANY(v_locked_wallets)) IS NOT TRUE
                    -- A class that does not exist has no seats to lock.
                    OR (v_item.seats_ctid IS NOT NULL AND v_item.seats_ctid <> ALL(v_locked_seats))
                )
            THEN
                v_plan := wallet.refusal(503, 'wallet-busy');
            ELSIF
                v_item.wallet_ctid = ANY(v_changed_wallets) OR v_item.seats_ctid = ANY(v_changed_seats)
                OR (v_w IS NOT NULL AND (
                    v_item.operation = 'cancel' OR v_item.limits_overlaps
                    OR v_item.wallet_ctid || ' class ' || v_item.class_id = ANY(v_used)
                    OR v_item.wallet_ctid || ' key ' || v_item.idempotency_key = ANY(v_used)
                ))
            THEN
                v_waiting := v_waiting || v_item.item;
                v_changed_wallets := v_changed_wallets || v_item.wallet_ctid;
                v_changed_seats := v_changed_seats || v_item.seats_ctid;
                CONTINUE;
            ELSIF v_item.known_id IS NOT NULL THEN
                IF wallet.is_same_request(v_item) THEN
                    v_outcome := wallet.booking_answer(200, TRUE, v_item.account_id, v_item.known_id);
                    v_outcome.item := v_item.item;
                    v_outcome.credits := v_wallet.credits;
                    v_outcome.visits := v_wallet.visits;
                    v_outcome.version := v_wallet.version;
                    RETURN NEXT v_outcome;
                    CONTINUE;
                END IF;
                v_plan := wallet.refusal(422, 'idempotency-key-reused');
            ELSIF v_item.operation = 'cancel' THEN
                v_plan := wallet.decide_cancellation(v_item, v_now);
            ELSE
                v_plan := wallet.decide_booking(
                    v_item, v_item.seats_left - coalesce((v_seats[v_s]).sold, 0), v_left, v_now
                );
            END IF;
            -- Locks so far follow the global order. The wallets of the lots' current owners are locked only if free
            -- (SKIP LOCKED).
            IF v_plan.status IS NULL AND v_item.returns_apart AND cardinality(v_plan.lot_ids) > 0 THEN
                -- This is a separate IF, because a query in the condition would be initialized for every item.
                IF NOT (
                    SELECT wallet.lock_lot_owners(b.account_id, b.environment, wallet.booking_slices(b))
                    FROM wallet.bookings AS b
                    WHERE b.account_id = v_item.account_id AND b.booking_id = v_item.booking_id
                ) THEN
                    v_plan := wallet.refusal(503, 'wallet-busy');
                END IF;
            END IF;
            IF v_plan.status IS NOT NULL THEN
                v_outcome := wallet.booking_refusal(v_plan.status, v_plan.slug, v_plan.detail);
                v_outcome.item := v_item.item;
                RETURN NEXT v_outcome;
                CONTINUE;
            ELSIF v_item.operation = 'quote' THEN
                v_outcome := wallet.quote_answer(
                    v_item, v_plan, v_wallet.credits, v_wallet.visits, v_wallet.version, v_now
                );
                v_outcome.item := v_item.item;
                RETURN NEXT v_outcome;
                CONTINUE;
            END IF;

            -- The ledger. An unlimited plan pays by one entry of amount 0.
            v_kind := CASE v_item.operation WHEN 'book' THEN 'spend' ELSE 'return' END;
            v_count := CASE
                WHEN v_item.returns_apart THEN 0
                WHEN v_plan.unit IS NULL AND v_kind = 'spend' THEN 1
                ELSE cardinality(v_plan.lot_ids)
            END;
            FOR v_slice IN 1 .. v_count LOOP
                v_lot_id := v_plan.lot_ids[v_slice];
                v_amount := CASE v_kind
                    WHEN 'spend' THEN -coalesce(v_plan.amounts[v_slice], 0) ELSE v_plan.amounts[v_slice]
                END;
                v_wallet.version := v_wallet.version + 1;
                IF v_plan.unit = 'visit' THEN
                    v_wallet.visits := v_wallet.visits + v_amount;
                ELSE
                    v_wallet.credits := v_wallet.credits + v_amount;
                END IF;
                -- This repeats wallet.entry_hash, because calling it would cost more than the hash itself.
                v_hash := sha256(record_send(ROW(
                    v_wallet.head_hash, v_item.account_id, v_item.environment::TEXT, v_wallet.version, v_kind,
                    v_plan.unit::TEXT, v_amount, 0::BIGINT,
                    CASE v_plan.unit WHEN 'visit' THEN v_wallet.visits ELSE v_wallet.credits END, v_lot_id,
                    v_item.booking_id, NULL::BIGINT, NULL::BYTEA, NULL::BYTEA, v_wallet.last_at
                )));
                v_entries := v_entries || ROW(
                    v_item.account_id, v_item.environment, v_wallet.version, v_kind, v_plan.unit, v_amount, 0,
                    CASE v_plan.unit WHEN 'visit' THEN v_wallet.visits ELSE v_wallet.credits END, v_lot_id,
                    v_item.booking_id, NULL, NULL, NULL, v_wallet.last_at, v_wallet.head_hash, v_hash
                )::wallet.entries;
                v_wallet.head_hash := v_hash;
                IF v_lot_id IS NOT NULL THEN
                    v_l := array_position(v_lots, v_lot_id);
                    IF v_l IS NULL THEN
                        v_lots := v_lots || v_lot_id;
                        v_lot_ctids := v_lot_ctids || v_item.lot_ctids[array_position(v_item.lot_ids, v_lot_id)];
                        v_spent := v_spent || -v_amount;
                    ELSE
                        v_spent[v_l] := v_spent[v_l] - v_amount;
                    END IF;
                END IF;
            END LOOP;
            IF v_w IS NOT NULL THEN
                v_wallets[v_w] := v_wallet;
            ELSIF v_count > 0 THEN
                v_wallet_ctids := v_wallet_ctids || v_item.wallet_ctid;
                v_wallets := v_wallets || v_wallet;
            END IF;

            -- The seats, the booking, the event.
            v_count := CASE v_kind WHEN 'spend' THEN v_item.seats ELSE -v_item.seats END;
            v_seat := ROW(
                v_item.seats_ctid, v_count, CASE WHEN v_kind = 'spend' AND v_item.promoted THEN v_count ELSE 0 END
            );
            IF v_s IS NULL THEN
                v_seats_ctids := v_seats_ctids || v_item.seats_ctid;
                v_seats := v_seats || v_seat;
            ELSE
                v_seats[v_s] := ROW(
                    v_seat.at, (v_seats[v_s]).sold + v_seat.sold, (v_seats[v_s]).promoted + v_seat.promoted
                )::wallet.seats_change;
            END IF;
            IF v_item.has_waiting THEN
                v_with_waiting := v_with_waiting || v_item;
                v_changed_seats := v_changed_seats || v_item.seats_ctid;
            END IF;
            IF v_kind = 'spend' THEN
                v_used := v_used || ARRAY[
                    v_item.wallet_ctid || ' class ' || v_item.class_id,
                    v_item.wallet_ctid || ' key ' || v_item.idempotency_key
                ];
                v_bookings := v_bookings || ROW(
                    v_item.account_id, v_item.booking_id, v_item.environment, v_item.class_id, v_item.idempotency_key,
                    v_item.seats, v_item.pay_with, v_item.max_amount, v_plan.unit, v_plan.amount,
                    v_wallet.version - greatest(cardinality(v_plan.lot_ids), 1) + 1,
                    greatest(cardinality(v_plan.lot_ids), 1),
                    v_item.free_minutes_before, v_item.free_until, v_now, NULL, NULL, NULL, NULL,
                    v_item.moves, v_item.moves, v_item.promoted
                )::wallet.bookings;
                v_outcome := ROW(
                    v_item.item, 201, NULL, NULL, FALSE, v_item.booking_id, v_item.class_id, v_item.class_title,
                    v_item.starts_at, 'booked', v_item.seats, v_plan.unit, v_plan.amount, v_item.free_minutes_before,
                    v_item.free_until, v_now, NULL, FALSE, NULL, v_wallet.credits, v_wallet.visits, v_wallet.version,
                    FALSE, v_item.promoted, NULL, v_plan.lot_ids, v_plan.amounts, v_item.account_id, v_item.opened_at
                )::wallet.booking_outcome;
                RETURN NEXT v_outcome;
                CONTINUE;
            END IF;
            v_changed_wallets := v_changed_wallets || v_item.wallet_ctid;
            v_outcome := ROW(
                v_item.item, 200, NULL, NULL, FALSE, v_item.booking_id, v_item.class_id, v_item.class_title,
                v_item.starts_at, 'cancelled', v_item.seats, v_item.unit, v_item.amount, v_item.free_minutes_before,
                v_item.free_until, v_item.created_at, v_now,
                v_item.cancelled_by = 'user' AND v_now > v_item.free_until, v_plan.amount, v_wallet.credits,
                v_wallet.visits, v_wallet.version, v_item.moved, v_item.promoted, v_item.cancelled_by,
                v_item.lot_ids, v_item.lot_amounts, NULL, NULL
            )::wallet.booking_outcome;
            v_item.amount := v_plan.amount;
            v_item.version := v_wallet.version;
            IF v_item.returns_apart AND cardinality(v_plan.lot_ids) > 0 THEN
                v_item.version := NULL;
                v_apart := v_apart || v_item;
            ELSE
                RETURN NEXT v_outcome;
            END IF;
            v_cancelled := v_cancelled || v_item;
        END LOOP;

        IF v_seats IS NOT NULL THEN
            PERFORM wallet.write_batch(ROW(
                v_bookings, v_cancelled, v_entries, v_lot_ctids, v_spent, v_wallets, v_seats, v_now
            )::wallet.batch_change);
        END IF;
        IF v_apart IS NOT NULL THEN
            FOREACH v_item IN ARRAY v_apart LOOP
                v_outcome := wallet.return_slices(v_item, v_now);
                v_outcome.item := v_item.item;
                RETURN NEXT v_outcome;
            END LOOP;
        END IF;
        IF v_with_waiting IS NOT NULL THEN
            FOREACH v_item IN ARRAY v_with_waiting LOOP
                IF v_item.operation = 'cancel' THEN
                    PERFORM wallet.reserve_waitlist_seats(v_item.class_id, v_item.environment, v_item.seats);
                ELSE
                    PERFORM wallet.stop_waiting(v_item.account_id, v_item.environment, v_item.class_id);
                END IF;
            END LOOP;
        END IF;
        EXIT WHEN v_waiting IS NULL;
        v_items := v_waiting;
        v_expected := cardinality(v_items);
        v_waiting := NULL;
        v_changed_wallets := NULL;
        v_changed_seats := NULL;
        v_used := NULL;
        v_wallet_ctids := NULL;
        v_wallets := NULL;
        v_seats_ctids := NULL;
        v_seats := NULL;
        v_lots := NULL;
        v_lot_ctids := NULL;
        v_spent := NULL;
        v_bookings := NULL;
        v_entries := NULL;
        v_cancelled := NULL;
        v_apart := NULL;
        v_with_waiting := NULL;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.decide_batch(wallet.booking_request[], TEXT, BOOLEAN, TIMESTAMPTZ[]) IS
'Decides all bookings, quotes and cancellations.';

-- Locks, in one order, the seat counts that a batch's items will change. Returns the ctids of the locked rows, which no
-- other transaction can change. Without waiting, it skips rows that another transaction holds. It skips classes that do
-- not exist.
-- It has no SET clauses, because they cost as much as a small statement; every name in it is qualified.
-- Locks: class seats in order of (class, environment). Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_seats(p_requests wallet.booking_request[], p_wait BOOLEAN) RETURNS TID[]
LANGUAGE plpgsql AS $$
DECLARE
    v_request wallet.booking_request;
    v_cancels BOOLEAN := FALSE;
    v_class_ids TEXT[];
    v_environments wallet.environment[];
    v_held TID[];
BEGIN
    FOREACH v_request IN ARRAY coalesce(p_requests, '{}') LOOP
        IF v_request.operation = 'book' THEN
            v_class_ids := v_class_ids || v_request.class_id;
            v_environments := v_environments || v_request.environment;
        ELSIF v_request.operation = 'cancel' THEN
            v_cancels := TRUE;
        END IF;
    END LOOP;
    IF v_cancels THEN
        SELECT v_class_ids || array_agg(b.class_id), v_environments || array_agg(b.environment)
        INTO v_class_ids, v_environments
        FROM unnest(p_requests) AS i
        INNER JOIN wallet.bookings AS b
            ON b.account_id = i.account_id AND b.booking_id = i.booking_id AND b.environment = i.environment
        WHERE i.operation = 'cancel';
    END IF;
    IF p_wait THEN
        SELECT array_agg(l.at) INTO v_held FROM (
            SELECT s.ctid AS at FROM wallet.class_seats AS s
            WHERE (s.class_id, s.environment) IN (
                SELECT n.class_id, n.environment FROM unnest(v_class_ids, v_environments) AS n (class_id, environment)
            )
            ORDER BY s.class_id, s.environment
            FOR UPDATE OF s
        ) AS l;
    ELSE
        SELECT array_agg(l.at) INTO v_held FROM (
            SELECT s.ctid AS at FROM wallet.class_seats AS s
            WHERE (s.class_id, s.environment) IN (
                SELECT n.class_id, n.environment FROM unnest(v_class_ids, v_environments) AS n (class_id, environment)
            )
            ORDER BY s.class_id, s.environment
            FOR UPDATE OF s SKIP LOCKED
        ) AS l;
    END IF;
    RETURN coalesce(v_held, '{}');
END;
$$;
COMMENT ON FUNCTION wallet.lock_seats(wallet.booking_request[], BOOLEAN) IS
'Locks the seat counts that a batch''s items will change, in one order, and returns the locked rows.';

-- Returns whether an item repeats an earlier request, identified by its key or by a cancelled booking. A cancellation
-- always does. A booking does if it has the same class, seats and payment options.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.is_same_request(p_item wallet.batch_item) RETURNS BOOLEAN
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN p_item.operation = 'cancel' OR EXISTS (
        SELECT FROM wallet.bookings AS b
        WHERE
            b.account_id = p_item.account_id AND b.booking_id = p_item.known_id
            AND (b.class_id, b.seats) = (p_item.class_id, p_item.seats)
            AND b.asked_pay_with IS NOT DISTINCT FROM p_item.pay_with
            AND b.asked_max_amount IS NOT DISTINCT FROM p_item.max_amount
    );
END;
$$;
COMMENT ON FUNCTION wallet.is_same_request(wallet.batch_item) IS
'Returns whether an item repeats the earlier request that has its key or cancelled its booking.';

-- Returns the answer to a refused item.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.booking_refusal(
    p_status INTEGER, p_slug TEXT, p_detail JSONB
) RETURNS wallet.booking_outcome
LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_outcome wallet.booking_outcome;
BEGIN
    v_outcome.status := p_status;
    v_outcome.slug := p_slug;
    v_outcome.detail := p_detail;
    v_outcome.replayed := FALSE;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.booking_refusal(INTEGER, TEXT, JSONB) IS 'Returns the answer to a refused item.';

-- Returns the answer to a quote: the price, the lots that would pay, and the balance afterwards. The balance excludes
-- expired lots, which a booking would first post as lapsed.
-- p_credits, p_visits, p_version: the wallet after the earlier items; null if the wallet does not exist yet.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.quote_answer(
    p_item wallet.batch_item,
    p_plan wallet.booking_plan,
    p_credits BIGINT,
    p_visits BIGINT,
    p_version BIGINT,
    p_now TIMESTAMPTZ
) RETURNS wallet.booking_outcome LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_outcome wallet.booking_outcome;
BEGIN
    v_outcome.status := 200;
    v_outcome.replayed := FALSE;
    v_outcome.unit := p_plan.unit;
    v_outcome.amount := p_plan.amount;
    v_outcome.lot_ids := p_plan.lot_ids;
    v_outcome.lot_amounts := p_plan.amounts;
    SELECT
        coalesce(p_credits, 0) - coalesce(sum(l.remaining) FILTER (WHERE l.unit = 'credit'), 0),
        coalesce(p_visits, 0) - coalesce(sum(l.remaining) FILTER (WHERE l.unit = 'visit'), 0),
        coalesce(p_version, 0) + greatest(cardinality(p_plan.lot_ids), 1) + count(*)
    INTO v_outcome.credits, v_outcome.visits, v_outcome.version
    FROM wallet.lots AS l
    WHERE
        l.account_id = p_item.account_id AND l.environment = p_item.environment AND l.is_open AND l.expires_at <= p_now;
    v_outcome.credits := v_outcome.credits - CASE p_plan.unit WHEN 'credit' THEN p_plan.amount ELSE 0 END;
    v_outcome.visits := v_outcome.visits - CASE p_plan.unit WHEN 'visit' THEN p_plan.amount ELSE 0 END;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.quote_answer(
    wallet.batch_item, wallet.booking_plan, BIGINT, BIGINT, BIGINT, TIMESTAMPTZ
) IS 'Returns the answer to a quote: the effect of booking.';

-- Writes the changes of a batch with one statement for each table, however many items there are. It has no SET clauses,
-- because they cost as much as a small statement; every name in it is qualified.
-- The caller holds the wallets and the seats, and has read the ctids of all rows, including the lots, under those
-- locks. Locks: no others. Codes: none (if a row is no longer at its ctid, the whole batch fails).
CREATE OR REPLACE FUNCTION wallet.write_batch(p_change wallet.batch_change) RETURNS VOID
LANGUAGE plpgsql AS $$
DECLARE
    v_lots BIGINT;
    v_wallets BIGINT;
    v_seats BIGINT;
    v_cancelled BIGINT;
BEGIN
    INSERT INTO wallet.bookings SELECT b.* FROM unnest(p_change.bookings) AS b;
    IF p_change.cancelled IS NOT NULL THEN
        UPDATE wallet.bookings AS b SET
            cancelled_at = p_change.at,
            cancelled_by = c.cancelled_by,
            returned = c.amount,
            -- Later moves of the class no longer affect this booking.
            free_until = c.free_until,
            moves_notified = c.moves
        FROM unnest(p_change.cancelled) AS c
        WHERE b.account_id = c.account_id AND b.booking_id = c.booking_id;
        GET DIAGNOSTICS v_cancelled = ROW_COUNT;
    END IF;
    INSERT INTO wallet.entries SELECT e.* FROM unnest(p_change.entries) AS e;
    UPDATE wallet.lots AS l SET spent = l.spent + c.spent
    FROM unnest(p_change.lot_ctids, p_change.spent) AS c (at, spent)
    WHERE l.ctid = c.at;
    GET DIAGNOSTICS v_lots = ROW_COUNT;
    UPDATE wallet.wallets AS w SET
        credits = c.credits, visits = c.visits, version = c.version, head_hash = c.head_hash, last_at = c.last_at
    FROM unnest(p_change.wallets) AS c
    WHERE w.ctid = c.at;
    GET DIAGNOSTICS v_wallets = ROW_COUNT;
    UPDATE wallet.class_seats AS s SET
        sold = s.sold + c.sold,
        -- A promotion uses reserved seats first. After the cutoff, any booking may use reserved seats that no sweep has
        -- released yet.
        reserved = least(greatest(s.reserved - c.promoted, 0), s.capacity - s.sold - c.sold)
    FROM unnest(p_change.seats) AS c
    WHERE s.ctid = c.at;
    GET DIAGNOSTICS v_seats = ROW_COUNT;
    -- In one write, no wallet has both event types.
    INSERT INTO wallet.outbox (type, account_id, environment, booking_id, version, details, at)
    SELECT
        'booking.cancelled', c.account_id, c.environment, c.booking_id, c.version, NULL::JSONB, p_change.at
    FROM unnest(p_change.cancelled) AS c
    WHERE c.version IS NOT NULL
    UNION ALL
    SELECT
        'booking.created', b.account_id, b.environment, b.booking_id, b.first_version + b.entry_count - 1,
        CASE WHEN b.promoted THEN '{"from_waitlist": true}'::JSONB END, p_change.at
    FROM unnest(p_change.bookings) AS b;
    IF
        v_lots <> coalesce(cardinality(p_change.lot_ctids), 0)
        OR v_wallets <> coalesce(cardinality(p_change.wallets), 0)
        OR v_seats <> coalesce(cardinality(p_change.seats), 0) OR v_cancelled <> cardinality(p_change.cancelled)
    THEN
        RAISE EXCEPTION 'a batch missed rows that it had locked: it found % lots, % wallets, % seats, % bookings',
            v_lots, v_wallets, v_seats, v_cancelled;
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.write_batch(wallet.batch_change) IS 'Writes the changes of a batch.';
