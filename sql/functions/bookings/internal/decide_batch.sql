-- Decides every booking, quote and cancellation. It locks, reads, decides each item in order of arrival, writes and
-- answers. Answers come in any order.
-- A decision (wallet.choose_payment, wallet.decide_cancellation) depends only on the item as read and on the wallets,
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
-- wallet.read_bookings, 409 class-full and those of wallet.choose_payment, in this order.
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
            IF NOT coalesce(v_item.is_complete, FALSE) THEN
                v_plan := wallet.payment_refusal(400, 'malformed-request');
            ELSIF v_item.account_id IS NULL OR (v_item.refused).status = 401 THEN
                v_plan := wallet.payment_refusal(401, 'unauthenticated');
            ELSIF
                -- An item in a later round was locked in the first one, and its rows have moved since they were
                -- written.
                v_items IS NULL AND v_item.operation <> 'quote' AND (
                    (v_item.wallet_ctid = ANY(v_locked_wallets)) IS NOT TRUE
                    -- A class that does not exist has no seats to lock.
                    OR (v_item.seats_ctid IS NOT NULL AND v_item.seats_ctid <> ALL(v_locked_seats))
                )
            THEN
                v_plan := wallet.payment_refusal(503, 'wallet-busy');
            ELSIF
                v_item.wallet_ctid = ANY(v_changed_wallets) OR v_item.seats_ctid = ANY(v_changed_seats)
                OR (v_w IS NOT NULL AND (
                    v_item.operation = 'cancel' OR v_item.is_limited
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
                v_plan := wallet.payment_refusal(422, 'idempotency-key-reused');
            ELSIF v_item.operation = 'cancel' THEN
                v_plan := wallet.decide_cancellation(v_item, v_now);
            ELSIF (v_item.refused).status IS NOT NULL THEN
                v_plan := v_item.refused;
            ELSIF v_item.seats_left - coalesce((v_seats[v_s]).sold, 0) < v_item.seats THEN
                v_plan := wallet.payment_refusal(409, 'class-full', jsonb_build_object(
                    'seats_left', v_item.seats_left - coalesce((v_seats[v_s]).sold, 0), 'seats_requested', v_item.seats
                ));
            ELSE
                v_plan := wallet.choose_payment(v_item, v_left);
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
                    v_plan := wallet.payment_refusal(503, 'wallet-busy');
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
