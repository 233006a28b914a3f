-- The one way to book and to cancel. Takes a group of items in order of arrival, decides each on its own, and answers
-- each; one item's refusal never touches another. The arrays are of one length, one element an item:
--   account (null where the user's token speaks for nobody) and environment; operation 'book', 'quote' (what booking
--   would do) or 'cancel'; the id for the new booking or of the one to cancel; then for book and quote the
--   Idempotency-Key, class, seats, pay_with and max_amount.
-- Answers come in no order.
-- Plain items are decided in order of arrival and written by a fixed number of statements however many they are: the
-- function carries wallets, lots and seats in memory from item to item, so that items of one wallet or class see what
-- those before them did. An item that is not plain, or comes after one of the same wallet or class that is not, is
-- decided by itself afterwards (wallet.decide_singly): as it shares nothing with later plain items, all is as if the
-- items came one after the other. The rules are those of wallet.plan_booking and wallet.cancel_one;
-- sql/tests/bookings/group_and_single.sql holds both to the same answers. It is long because what it carries could not be
-- handed from function to function without copying it.
-- p_wait: whether to wait for wallets and seats that somebody else holds; if not, their items answer 503 wallet-busy
-- and the caller sends them again on another connection.
-- Locks: wallets in order of (account, environment), then class seats in order of (class, environment). Codes: per
-- item, in status and slug: 400 malformed-request, 401 unauthenticated, 503 wallet-busy (else see wallet.plan_booking,
-- wallet.book_one, wallet.cancel_one).
CREATE OR REPLACE FUNCTION wallet.book_batch(
    p_account_ids BIGINT[],
    p_environments wallet.environment[],
    p_operations TEXT[],
    p_booking_ids UUID[],
    p_keys TEXT[],
    p_class_ids TEXT[],
    p_seats INTEGER[],
    p_pay_with TEXT[],
    p_max_amounts BIGINT[],
    p_wait BOOLEAN DEFAULT TRUE
) RETURNS SETOF wallet.booking_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp
-- A plan that was made while the tables were small would scan them for ever.
SET enable_seqscan = OFF SET enable_hashjoin = OFF SET enable_mergejoin = OFF SET jit = OFF AS $$
DECLARE
    v_now TIMESTAMPTZ;
    v_held_wallets TEXT[];
    v_held_seats TEXT[];
    v_decided INTEGER[] := '{}';
    v_item wallet.group_item;
    v_outcome wallet.booking_outcome;
    -- What is left for afterwards, and which classes and keys of a wallet the group has used.
    v_odd_wallets TEXT[] := '{}';
    v_odd_seats TEXT[] := '{}';
    v_used TEXT[] := '{}';
    -- The wallets, seats and lots that change, each named and kept at one place of its arrays.
    v_wallets TEXT[] := '{}';
    v_wallet_ats TID[] := '{}';
    v_credits BIGINT[] := '{}';
    v_visits BIGINT[] := '{}';
    v_versions BIGINT[] := '{}';
    v_heads BYTEA[] := '{}';
    v_last_ats TIMESTAMPTZ[] := '{}';
    v_seats TEXT[] := '{}';
    v_seats_ats TID[] := '{}';
    v_sold INTEGER[] := '{}';
    v_lots UUID[] := '{}';
    v_lot_ats TID[] := '{}';
    v_spent BIGINT[] := '{}';
    -- The rows that are new, and the bookings that are cancelled, with what returns and the version after it.
    v_bookings wallet.bookings[] := '{}';
    v_entries wallet.entries[] := '{}';
    v_cancelled wallet.group_item[] := '{}';
    -- The item at hand.
    v_w INTEGER;
    v_s INTEGER;
    v_l INTEGER;
    v_is_plain BOOLEAN;
    v_may_change BOOLEAN;
    v_unit wallet.unit;
    v_amount BIGINT;
    v_returned BIGINT;
    v_left BIGINT;
    v_credit BIGINT;
    v_visit BIGINT;
    v_version BIGINT;
    v_head BYTEA;
    v_hash BYTEA;
    v_at TIMESTAMPTZ;
    v_lot_ids UUID[];
    v_item_lot_ats TID[];
    v_amounts BIGINT[];
    v_paid_lots UUID[];
    v_paid BIGINT[];
BEGIN
    v_held_wallets := wallet.lock_wallets(p_account_ids, p_environments, p_operations, p_wait);
    v_held_seats := wallet.lock_seats(
        p_account_ids, p_environments, p_operations, p_booking_ids, p_class_ids, p_wait
    );
    v_now := wallet.now();
    FOR v_item IN
        SELECT g.* FROM wallet.group_bookings(
            p_account_ids, p_environments, p_operations, p_booking_ids, p_keys, p_class_ids, p_seats, p_pay_with,
            p_max_amounts, v_now
        ) AS g
        UNION ALL
        SELECT g.* FROM wallet.group_cancellations(
            p_account_ids, p_environments, p_operations, p_booking_ids, v_now
        ) AS g
        ORDER BY item
    LOOP
        -- Busy: decided another time, whatever the others do.
        CONTINUE WHEN v_item.wallet_key <> ALL(v_held_wallets) OR v_item.seats_key <> ALL(v_held_seats);
        v_w := array_position(v_wallets, v_item.wallet_key);
        v_s := array_position(v_seats, v_item.seats_key);
        v_is_plain := coalesce(
            v_item.is_plain AND v_item.wallet_key <> ALL(v_odd_wallets) AND v_item.seats_key <> ALL(v_odd_seats), FALSE
        );
        -- What is to come for its wallet, or was cancelled, may make possible what was not when it was read.
        v_may_change := v_item.may_change OR v_item.wallet_key = ANY(v_odd_wallets);
        IF v_w IS NULL THEN
            v_credit := v_item.credits;
            v_visit := v_item.visits;
            v_version := v_item.version;
            v_head := v_item.head_hash;
            v_at := greatest(v_now, v_item.last_at);
        ELSE
            v_credit := v_credits[v_w];
            v_visit := v_visits[v_w];
            v_version := v_versions[v_w];
            v_head := v_heads[v_w];
            v_at := greatest(v_now, v_last_ats[v_w]);
            v_is_plain := v_is_plain AND v_item.operation = 'book' AND NOT v_item.is_limited
                AND v_item.wallet_key || ' class ' || v_item.class_id <> ALL(v_used)
                AND v_item.wallet_key || ' key ' || v_item.idempotency_key <> ALL(v_used);
        END IF;

        -- What pays, or what returns: changes of lots, in order.
        IF NOT v_is_plain THEN
            NULL;
        ELSIF v_item.operation = 'cancel' THEN
            v_unit := v_item.unit;
            v_amount := v_item.amount;
            v_returned := CASE WHEN v_now <= v_item.free_until THEN v_amount ELSE 0 END;
            v_paid_lots := v_item.lot_ids;
            v_paid := v_item.lot_amounts;
            v_lot_ids := CASE WHEN v_returned > 0 THEN v_item.lot_ids ELSE '{}' END;
            v_item_lot_ats := v_item.lot_ats;
            v_amounts := v_item.lot_amounts;
        ELSIF v_item.seats_left - coalesce(v_sold[v_s], 0) < v_item.seats THEN
            v_outcome := wallet.refusal(409, 'class-full', jsonb_build_object(
                'seats_left', v_item.seats_left - coalesce(v_sold[v_s], 0), 'seats_requested', v_item.seats
            ));
            v_outcome.item := v_item.item;
            v_decided := v_decided || v_item.item;
            RETURN NEXT v_outcome;
            CONTINUE;
        ELSE
            IF v_item.is_unlimited AND v_item.pay_with IS NULL THEN
                v_unit := NULL;
                v_amount := 0;
                v_lot_ids := ARRAY[NULL::UUID];
                v_item_lot_ats := ARRAY[NULL::TID];
                v_left := 0;
                v_paid_lots := '{}';
                v_paid := '{}';
            ELSIF v_item.visit_lot_id IS NOT NULL AND v_item.pay_with IS DISTINCT FROM 'credits' THEN
                v_unit := 'visit';
                v_amount := v_item.price_visits * v_item.seats;
                v_lot_ids := ARRAY[v_item.visit_lot_id];
                v_item_lot_ats := ARRAY[v_item.visit_lot_at];
                v_left := v_item.visit_lot_left - coalesce(v_spent[array_position(v_lots, v_item.visit_lot_id)], 0);
            ELSIF v_item.credit_lot_id IS NOT NULL AND v_item.pay_with IS DISTINCT FROM 'visits' THEN
                v_unit := 'credit';
                v_amount := v_item.price_credits * v_item.seats;
                v_lot_ids := ARRAY[v_item.credit_lot_id];
                v_item_lot_ats := ARRAY[v_item.credit_lot_at];
                v_left := v_item.credit_lot_left - coalesce(v_spent[array_position(v_lots, v_item.credit_lot_id)], 0);
            ELSE
                v_amount := 1;
                v_left := 0;
            END IF;
            IF v_left < v_amount THEN
                IF
                    v_w IS NULL AND coalesce(v_item.price_visits * v_item.seats > v_visit, TRUE)
                    AND coalesce(v_item.price_credits * v_item.seats > v_credit, TRUE)
                THEN
                    -- All that the wallet has is too little, so it is refused, and what it lacks is told as it is now.
                    SELECT p.status, p.slug, p.detail INTO v_outcome.status, v_outcome.slug, v_outcome.detail
                    FROM wallet.classes AS c
                    CROSS JOIN LATERAL wallet.choose_payment(
                        v_item.account_id, v_item.environment, c, v_item.seats, v_item.pay_with
                    ) AS p
                    WHERE c.class_id = v_item.class_id;
                    v_outcome := wallet.refusal(v_outcome.status, v_outcome.slug, v_outcome.detail);
                    v_outcome.item := v_item.item;
                    v_decided := v_decided || v_item.item;
                    RETURN NEXT v_outcome;
                    CONTINUE;
                END IF;
                -- Several lots, or what is left of one that others of the group have used: not for here.
                v_is_plain := FALSE;
                v_may_change := TRUE;
            ELSIF v_amount > v_item.max_amount THEN
                v_outcome := wallet.refusal(409, 'price-changed', jsonb_build_object(
                    'amount', v_amount, 'max_amount', v_item.max_amount
                ));
                v_outcome.item := v_item.item;
                v_decided := v_decided || v_item.item;
                RETURN NEXT v_outcome;
                CONTINUE;
            END IF;
            v_amounts := ARRAY[-v_amount];
            IF v_unit IS NOT NULL THEN
                v_paid_lots := v_lot_ids;
                v_paid := ARRAY[v_amount];
            END IF;
        END IF;
        IF NOT v_is_plain THEN
            v_odd_wallets := v_odd_wallets || v_item.wallet_key;
            IF v_may_change THEN
                v_odd_seats := v_odd_seats || v_item.seats_key;
            END IF;
            CONTINUE;
        END IF;

        -- The ledger.
        FOR v_slice IN 1 .. cardinality(v_lot_ids) LOOP
            v_version := v_version + 1;
            IF v_unit = 'visit' THEN
                v_visit := v_visit + v_amounts[v_slice];
            ELSE
                v_credit := v_credit + v_amounts[v_slice];
            END IF;
            -- As in wallet.entry_hash, which would cost more than the hash itself.
            v_hash := sha256(record_send(ROW(
                v_head, v_item.account_id, v_item.environment::TEXT, v_version,
                CASE v_item.operation WHEN 'book' THEN 'spend' ELSE 'return' END, v_unit::TEXT, v_amounts[v_slice],
                0::BIGINT, CASE v_unit WHEN 'visit' THEN v_visit ELSE v_credit END, v_lot_ids[v_slice],
                v_item.booking_id, NULL::BIGINT, NULL::BYTEA, NULL::BYTEA, v_at
            )));
            v_entries := v_entries || ROW(
                v_item.account_id, v_item.environment, v_version,
                CASE v_item.operation WHEN 'book' THEN 'spend' ELSE 'return' END, v_unit, v_amounts[v_slice], 0,
                CASE v_unit WHEN 'visit' THEN v_visit ELSE v_credit END, v_lot_ids[v_slice], v_item.booking_id, NULL,
                NULL, NULL, v_at, v_head, v_hash
            )::wallet.entries;
            v_head := v_hash;
            IF v_lot_ids[v_slice] IS NOT NULL THEN
                v_l := array_position(v_lots, v_lot_ids[v_slice]);
                IF v_l IS NULL THEN
                    v_lots := v_lots || v_lot_ids[v_slice];
                    v_lot_ats := v_lot_ats || v_item_lot_ats[v_slice];
                    v_spent := v_spent || -v_amounts[v_slice];
                ELSE
                    v_spent[v_l] := v_spent[v_l] - v_amounts[v_slice];
                END IF;
            END IF;
        END LOOP;
        IF v_w IS NULL THEN
            v_wallets := v_wallets || v_item.wallet_key;
            v_wallet_ats := v_wallet_ats || v_item.wallet_at;
            v_credits := v_credits || v_credit;
            v_visits := v_visits || v_visit;
            v_versions := v_versions || v_version;
            v_heads := v_heads || v_head;
            v_last_ats := v_last_ats || CASE WHEN cardinality(v_lot_ids) > 0 THEN v_at ELSE v_item.last_at END;
        ELSE
            v_credits[v_w] := v_credit;
            v_visits[v_w] := v_visit;
            v_versions[v_w] := v_version;
            v_heads[v_w] := v_head;
            v_last_ats[v_w] := v_at;
        END IF;

        -- The seats, the booking, the event.
        IF v_s IS NULL THEN
            v_seats := v_seats || v_item.seats_key;
            v_seats_ats := v_seats_ats || v_item.seats_at;
            v_sold := v_sold || CASE v_item.operation WHEN 'book' THEN v_item.seats ELSE -v_item.seats END;
        ELSE
            v_sold[v_s] := v_sold[v_s] + CASE v_item.operation WHEN 'book' THEN v_item.seats ELSE -v_item.seats END;
        END IF;
        IF v_item.operation = 'book' THEN
            v_used := v_used || ARRAY[
                v_item.wallet_key || ' class ' || v_item.class_id,
                v_item.wallet_key || ' key ' || v_item.idempotency_key
            ];
            v_bookings := v_bookings || ROW(
                v_item.account_id, v_item.booking_id, v_item.environment, v_item.class_id, v_item.idempotency_key,
                v_item.seats, v_item.pay_with, v_item.max_amount, v_unit, v_amount, v_version, 1, 'booked',
                v_item.free_minutes_before, v_item.free_until, v_now, NULL, NULL, NULL, NULL, v_item.moves,
                v_item.moves, FALSE
            )::wallet.bookings;
            v_outcome := ROW(
                v_item.item, 201, NULL, NULL, FALSE, v_item.booking_id, v_item.class_id, v_item.class_title,
                v_item.starts_at, 'booked', v_item.seats, v_unit, v_amount, v_item.free_minutes_before,
                v_item.free_until, v_now, NULL, FALSE, NULL, v_credit, v_visit, v_version, FALSE, FALSE, NULL,
                v_paid_lots, v_paid
            )::wallet.booking_outcome;
        ELSE
            v_outcome := ROW(
                v_item.item, 200, NULL, NULL, FALSE, v_item.booking_id, v_item.class_id, v_item.class_title,
                v_item.starts_at, 'cancelled', v_item.seats, v_unit, v_amount, v_item.free_minutes_before,
                v_item.free_until, v_item.created_at, v_now, v_now > v_item.free_until, v_returned, v_credit, v_visit,
                v_version, FALSE, v_item.promoted, 'user', v_paid_lots, v_paid
            )::wallet.booking_outcome;
            -- What returned may pay for what comes next of this wallet, and before the lots that were read.
            v_odd_wallets := v_odd_wallets || v_item.wallet_key;
            v_item.amount := v_returned;
            v_item.version := v_version;
            v_cancelled := v_cancelled || v_item;
        END IF;
        v_decided := v_decided || v_item.item;
        RETURN NEXT v_outcome;
    END LOOP;
    IF cardinality(v_wallets) > 0 THEN
        PERFORM wallet.write_group(ROW(
            v_bookings, v_cancelled, v_entries, v_lot_ats, v_spent, v_wallet_ats, v_credits, v_visits, v_versions,
            v_heads, v_last_ats, v_seats_ats, v_sold, v_now
        )::wallet.group_change);
    END IF;
    IF cardinality(v_decided) < greatest(cardinality(p_account_ids), cardinality(p_operations)) THEN
        RETURN QUERY SELECT d.* FROM wallet.decide_singly(
            p_account_ids, p_environments, p_operations, p_booking_ids, p_keys, p_class_ids, p_seats, p_pay_with,
            p_max_amounts, v_held_wallets, v_held_seats, v_decided
        ) AS d;
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.book_batch(
    BIGINT[], wallet.environment[], TEXT[], UUID[], TEXT[], TEXT[], INTEGER[], TEXT[], BIGINT[], BOOLEAN
) IS 'Books, quotes and cancels a group of items, each decided on its own.';
