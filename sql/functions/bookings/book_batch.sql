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

-- Decides every booking, quote and cancellation. It locks, reads, decides and answers each item in order of arrival,
-- posts and writes. Answers come in any order.
-- A decision (rules.sql) depends only on the item as read and on the wallets, lots and seats after the earlier items,
-- which this function keeps in memory. A fixed number of statements then writes all decisions, however many items there
-- are. Some items need the written result of an earlier item of the same wallet or class. They are deferred, with all
-- later items of both, and read again after the write: a second booking of a wallet with the same key, of the same
-- class, or of a class that limits overlaps; an item after a cancellation of its wallet, or after a booking that may
-- start the validity of its lots; and an item after a change of a class's waitlist. Not deferred is an item whose
-- wallet gets credits back from another user's cancellation, because a restore moved the lot that paid: it is decided
-- as if it had arrived before. The function is long because passing its state to other functions would copy it.
-- p_by: the actor, 'user'; 'studio' or 'wallet' for cancellations (see wallet.decide_cancellation). A booking by the
-- 'wallet' is a promotion from the waitlist (see wallet.read_bookings).
-- p_wait: whether to wait for wallets and seats that another transaction holds. If false, their items are answered with
-- 503 wallet-busy.
-- p_opened: see wallet.book_batch.
-- Locks: wallets in order of (account, environment), then class seats in order of (class, environment); then, without
-- waiting, the wallets that now own lots that paid for a cancelled booking.
-- Codes, per item in status and slug: those of wallet.refuse_request, 503 wallet-busy, 422 idempotency-key-reused; for
-- a cancellation those of wallet.decide_cancellation; for a booking or quote those of wallet.decide_booking.
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
    -- Whether several items may have the same wallet, or the same class. If not, the searches for an earlier item are
    -- left out.
    v_shares_wallets CONSTANT BOOLEAN := cardinality(v_locked_wallets) < cardinality(p_requests);
    v_shares_seats CONSTANT BOOLEAN := cardinality(v_locked_seats) < cardinality(p_requests);
    -- The items to read (null for all), and the items deferred to the next round.
    v_items INTEGER[];
    v_waiting INTEGER[];
    v_read wallet.batch_item[];
    -- The current item, with its wallet after the earlier items.
    v_item wallet.batch_item;
    v_plan wallet.booking_plan;
    v_outcome wallet.booking_outcome;
    v_wallet wallet.wallet_head;
    -- The wallets and classes whose later items are deferred, and the classes and keys that each wallet has used.
    v_changed_wallets TID[];
    v_changed_seats TID[];
    v_used TEXT[];
    -- The wallets, seats and lots that change. Each is identified by the ctid of its row and keeps one index in its
    -- arrays. All growing arrays start as null: initializing them would cost one statement each for every batch. The
    -- heads are the wallets as read.
    v_wallet_ctids TID[];
    v_heads wallet.wallet_head[];
    v_wallets wallet.wallet_head[];
    v_seats_ctids TID[];
    v_sold INTEGER[];
    v_lots UUID[];
    v_lot_ctids TID[];
    v_spent BIGINT[];
    -- The new entries and bookings, the cancelled bookings, the cancelled bookings whose return is posted separately,
    -- the items that change a class's waitlist, and the bookings that may start the validity of lots.
    v_postings wallet.posting[];
    v_bookings wallet.bookings[];
    v_cancelled wallet.batch_item[];
    v_apart wallet.batch_item[];
    v_with_waiting wallet.batch_item[];
    v_starting wallet.batch_item[];
    -- The places of the current item's wallet, seats and lot in the arrays.
    v_w INTEGER;
    v_s INTEGER;
    v_l INTEGER;
    v_left BIGINT[];
    -- Whether the current item has the class or the key of an earlier booking of its wallet.
    v_is_repeated BOOLEAN;
    v_seats INTEGER;
    v_lot_id UUID;
    v_amount BIGINT;
    v_count INTEGER;
BEGIN
    v_now := wallet.now();
    LOOP
        -- Read.
        v_read := ARRAY(
            SELECT r FROM wallet.read_bookings(p_requests, v_items, p_by = 'wallet', v_now, p_opened) AS r
            ORDER BY r.item
        );
        IF cardinality(v_read) < coalesce(cardinality(v_items), cardinality(p_requests)) THEN
            v_read := v_read || ARRAY(
                SELECT r FROM wallet.read_cancellations(p_requests, v_items, p_by, v_now, p_opened) AS r
            );
            v_read := ARRAY(SELECT r FROM unnest(v_read) AS r ORDER BY r.item);
        END IF;

        -- Decide.
        FOREACH v_item IN ARRAY v_read LOOP
            v_w := CASE WHEN v_shares_wallets THEN array_position(v_wallet_ctids, v_item.wallet_ctid) END;
            v_s := CASE WHEN v_shares_seats THEN array_position(v_seats_ctids, v_item.seats_ctid) END;
            v_left := v_item.lot_amounts;
            IF v_w IS NULL THEN
                v_wallet := wallet.new_head(
                    p_at => v_item.wallet_ctid, p_account_id => v_item.account_id,
                    p_environment => v_item.environment, p_credits => v_item.credits, p_visits => v_item.visits,
                    p_owed_credits => 0, p_owed_visits => 0, p_version => v_item.version,
                    p_head_hash => v_item.head_hash, p_last_at => v_item.last_at
                );
            ELSE
                v_wallet := v_wallets[v_w];
                v_is_repeated := v_w || ' class ' || v_item.class_id = ANY(v_used)
                    OR v_w || ' key ' || v_item.idempotency_key = ANY(v_used);
                FOR v_lot IN 1 .. coalesce(cardinality(v_left), 0) LOOP
                    v_l := array_position(v_lots, v_item.lot_ids[v_lot]);
                    IF v_l IS NOT NULL THEN
                        v_left[v_lot] := v_left[v_lot] - v_spent[v_l];
                    END IF;
                END LOOP;
            END IF;
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
                OR (v_w IS NOT NULL AND (v_item.operation = 'cancel' OR v_item.limits_overlaps OR v_is_repeated))
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
                    v_item, v_item.seats_left - coalesce(v_sold[v_s], 0), v_left, v_now
                );
            END IF;
            -- Locks so far follow the global order. The wallets of the lots' current owners are locked only if free
            -- (SKIP LOCKED).
            IF v_plan.status IS NULL AND v_item.returns_apart THEN
                -- This is a separate IF, because a query in the condition would be initialized for every item.
                IF NOT (
                    SELECT wallet.lock_lot_owners(b.account_id, b.environment, CASE
                        WHEN v_plan.amount > 0 THEN wallet.booking_slices(b) ELSE '{}'
                    END || wallet.fee_slices(b))
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
                v_outcome := wallet.quote_answer(v_item, v_plan, v_wallet, v_now);
                RETURN NEXT v_outcome;
                CONTINUE;
            END IF;

            -- The entries. An unlimited plan pays by one entry of amount 0.
            v_seats := CASE v_item.operation WHEN 'book' THEN v_item.seats ELSE -v_item.seats END;
            v_count := CASE
                WHEN v_item.returns_apart THEN 0
                WHEN v_plan.unit IS NULL AND v_seats > 0 THEN 1
                ELSE cardinality(v_plan.lot_ids)
            END;
            IF v_w IS NULL AND v_count > 0 THEN
                v_wallet_ctids := v_wallet_ctids || v_item.wallet_ctid;
                v_heads := v_heads || v_wallet;
                v_w := cardinality(v_heads);
            END IF;
            FOR v_slice IN 1 .. v_count LOOP
                v_lot_id := v_plan.lot_ids[v_slice];
                v_amount := CASE
                    WHEN v_seats > 0 THEN -coalesce(v_plan.amounts[v_slice], 0) ELSE v_plan.amounts[v_slice]
                END;
                v_postings := v_postings || wallet.new_posting(
                    p_account_id => v_item.account_id, p_environment => v_item.environment,
                    p_kind => CASE WHEN v_seats > 0 THEN 'spend' ELSE 'return' END, p_unit => v_plan.unit,
                    p_amount => v_amount, p_lot_id => v_lot_id, p_booking_id => v_item.booking_id, p_at => v_now,
                    p_head => v_w
                );
                IF v_plan.unit = 'visit' THEN
                    v_wallet.visits := v_wallet.visits + v_amount;
                ELSE
                    v_wallet.credits := v_wallet.credits + v_amount;
                END IF;
                IF v_lot_id IS NOT NULL THEN
                    v_l := CASE WHEN v_shares_wallets THEN array_position(v_lots, v_lot_id) END;
                    IF v_l IS NULL THEN
                        v_lots := v_lots || v_lot_id;
                        v_lot_ctids := v_lot_ctids || v_item.lot_ctids[array_position(v_item.lot_ids, v_lot_id)];
                        v_spent := v_spent || -v_amount;
                    ELSE
                        v_spent[v_l] := v_spent[v_l] - v_amount;
                    END IF;
                END IF;
            END LOOP;
            IF v_count > 0 THEN
                v_wallet.version := v_wallet.version + v_count;
                IF v_shares_wallets THEN
                    v_wallets[v_w] := v_wallet;
                END IF;
            END IF;

            -- The seats and the waitlist.
            IF v_s IS NULL THEN
                v_seats_ctids := v_seats_ctids || v_item.seats_ctid;
                v_sold := v_sold || v_seats;
            ELSE
                v_sold[v_s] := v_sold[v_s] + v_seats;
            END IF;
            IF v_item.has_waiting THEN
                v_with_waiting := v_with_waiting || v_item;
                v_changed_seats := v_changed_seats || v_item.seats_ctid;
            END IF;

            -- The booking and the answer.
            IF v_seats > 0 THEN
                IF v_item.has_unstarted THEN
                    v_item.lot_ids := v_plan.lot_ids;
                    v_starting := v_starting || v_item;
                    v_changed_wallets := v_changed_wallets || v_item.wallet_ctid;
                END IF;
                v_bookings := v_bookings || wallet.new_booking(
                    p_account_id => v_item.account_id, p_booking_id => v_item.booking_id,
                    p_environment => v_item.environment, p_class_id => v_item.class_id,
                    p_idempotency_key => v_item.idempotency_key, p_seats => v_item.seats,
                    p_asked_pay_with => v_item.pay_with, p_asked_max_amount => v_item.max_amount,
                    p_unit => v_plan.unit, p_amount => v_plan.amount,
                    p_first_version => v_wallet.version - v_count + 1, p_entry_count => v_count,
                    p_free_minutes_before => v_item.free_minutes_before, p_free_until => v_item.free_until,
                    p_created_at => v_now, p_moves_seen => v_item.moves, p_promoted => v_item.promoted,
                    p_terms_id => v_item.terms_id
                );
                IF v_shares_wallets THEN
                    v_used := v_used
                        || ARRAY[v_w || ' class ' || v_item.class_id, v_w || ' key ' || v_item.idempotency_key];
                END IF;
                RETURN NEXT wallet.new_outcome(
                    p_item => v_item.item, p_status => 201, p_booking_id => v_item.booking_id,
                    p_class_id => v_item.class_id, p_class_title => v_item.class_title,
                    p_starts_at => v_item.starts_at, p_booking_status => 'booked', p_seats => v_item.seats,
                    p_unit => v_plan.unit, p_amount => v_plan.amount,
                    p_free_minutes_before => v_item.free_minutes_before, p_free_until => v_item.free_until,
                    p_created_at => v_now, p_credits => v_wallet.credits, p_visits => v_wallet.visits,
                    p_version => v_wallet.version, p_promoted => v_item.promoted, p_lot_ids => v_plan.lot_ids,
                    p_lot_amounts => v_plan.amounts, p_account_id => v_item.account_id,
                    p_opened_at => v_item.opened_at
                );
                CONTINUE;
            END IF;
            v_changed_wallets := v_changed_wallets || v_item.wallet_ctid;
            v_outcome := wallet.new_outcome(
                p_item => v_item.item, p_status => 200, p_booking_id => v_item.booking_id,
                p_class_id => v_item.class_id, p_class_title => v_item.class_title, p_starts_at => v_item.starts_at,
                p_booking_status => 'cancelled', p_seats => v_item.seats, p_unit => v_item.unit,
                p_amount => v_item.amount, p_free_minutes_before => v_item.free_minutes_before,
                p_free_until => v_item.free_until, p_created_at => v_item.created_at, p_cancelled_at => v_now,
                p_late_cancel => v_item.cancelled_by = 'user' AND v_now > v_item.free_until,
                p_returned => v_plan.amount, p_credits => v_wallet.credits, p_visits => v_wallet.visits,
                p_version => v_wallet.version, p_moved => v_item.moved, p_promoted => v_item.promoted,
                p_cancelled_by => v_item.cancelled_by, p_lot_ids => v_item.lot_ids,
                p_lot_amounts => v_item.lot_amounts
            );
            v_item.amount := v_plan.amount;
            v_item.version := v_wallet.version;
            IF v_item.returns_apart THEN
                v_item.version := NULL;
                v_apart := v_apart || v_item;
            ELSE
                RETURN NEXT v_outcome;
            END IF;
            v_cancelled := v_cancelled || v_item;
        END LOOP;

        -- Post and write. These are assignments, because PERFORM would start a query for each.
        IF v_postings IS NOT NULL THEN
            v_count := cardinality(wallet.post(v_postings, v_heads));
        END IF;
        IF v_seats_ctids IS NOT NULL THEN
            v_count := wallet.write_batch(
                p_bookings => v_bookings, p_cancelled => v_cancelled, p_lot_ctids => v_lot_ctids, p_spent => v_spent,
                p_seats_ctids => v_seats_ctids, p_sold => v_sold, p_promoted => p_by = 'wallet', p_at => v_now
            );
        END IF;
        IF v_starting IS NOT NULL THEN
            FOREACH v_item IN ARRAY v_starting LOOP
                PERFORM wallet.start_lots(v_item.account_id, v_item.environment, v_item.lot_ids);
            END LOOP;
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
        v_waiting := NULL;
        v_changed_wallets := NULL;
        v_changed_seats := NULL;
        v_used := NULL;
        v_wallet_ctids := NULL;
        v_heads := NULL;
        v_wallets := NULL;
        v_seats_ctids := NULL;
        v_sold := NULL;
        v_lots := NULL;
        v_lot_ctids := NULL;
        v_spent := NULL;
        v_postings := NULL;
        v_bookings := NULL;
        v_cancelled := NULL;
        v_apart := NULL;
        v_with_waiting := NULL;
        v_starting := NULL;
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
    v_cancels BOOLEAN;
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
-- p_wallet: the wallet after the earlier items; its sums and version are null if the wallet does not exist yet.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.quote_answer(
    p_item wallet.batch_item,
    p_plan wallet.booking_plan,
    p_wallet wallet.wallet_head,
    p_now TIMESTAMPTZ
) RETURNS wallet.booking_outcome LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_outcome wallet.booking_outcome;
BEGIN
    v_outcome.item := p_item.item;
    v_outcome.status := 200;
    v_outcome.replayed := FALSE;
    v_outcome.unit := p_plan.unit;
    v_outcome.amount := p_plan.amount;
    v_outcome.lot_ids := p_plan.lot_ids;
    v_outcome.lot_amounts := p_plan.amounts;
    SELECT
        coalesce(p_wallet.credits, 0) - coalesce(sum(l.remaining) FILTER (WHERE l.unit = 'credit'), 0),
        coalesce(p_wallet.visits, 0) - coalesce(sum(l.remaining) FILTER (WHERE l.unit = 'visit'), 0),
        coalesce(p_wallet.version, 0) + greatest(cardinality(p_plan.lot_ids), 1) + count(*)
    INTO v_outcome.credits, v_outcome.visits, v_outcome.version
    FROM wallet.lots AS l
    WHERE
        l.account_id = p_item.account_id AND l.environment = p_item.environment AND l.is_open AND l.expires_at <= p_now;
    v_outcome.credits := v_outcome.credits - CASE p_plan.unit WHEN 'credit' THEN p_plan.amount ELSE 0 END;
    v_outcome.visits := v_outcome.visits - CASE p_plan.unit WHEN 'visit' THEN p_plan.amount ELSE 0 END;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.quote_answer(wallet.batch_item, wallet.booking_plan, wallet.wallet_head, TIMESTAMPTZ) IS
'Returns the answer to a quote: the effect of booking.';

-- Writes the changes of a batch to the bookings, lots and seats, with one statement for each table, and emits its
-- events. Returns the number of seat counts that change. It has no SET clauses, because they cost as much as a small
-- statement; every name in it is qualified.
-- p_bookings: the new bookings.
-- p_cancelled: the items whose bookings are cancelled, with the returned amount, and the wallet's version after it, or
-- null if the return is posted separately.
-- p_lot_ctids, p_spent: the lots that change, and by how much more of each is spent.
-- p_seats_ctids, p_sold: the seat counts that change, and how many more seats of each are sold.
-- p_promoted: whether the waitlist books.
-- The caller holds the wallets and the seats, and has read the ctids of all rows, including the lots, under those
-- locks. Locks: no others. Codes: none (if a row is no longer at its ctid, the whole batch fails).
CREATE OR REPLACE FUNCTION wallet.write_batch(
    p_bookings wallet.bookings[],
    p_cancelled wallet.batch_item[],
    p_lot_ctids TID[],
    p_spent BIGINT[],
    p_seats_ctids TID[],
    p_sold INTEGER[],
    p_promoted BOOLEAN,
    p_at TIMESTAMPTZ
) RETURNS INTEGER LANGUAGE plpgsql AS $$
DECLARE
    v_lots BIGINT;
    v_seats INTEGER;
    v_cancelled BIGINT;
BEGIN
    IF p_cancelled IS NOT NULL THEN
        UPDATE wallet.bookings AS b SET
            cancelled_at = p_at,
            cancelled_by = c.cancelled_by,
            returned = c.amount,
            -- Later moves of the class no longer affect this booking.
            free_until = c.free_until,
            moves_notified = c.moves
        FROM unnest(p_cancelled) AS c
        WHERE b.account_id = c.account_id AND b.booking_id = c.booking_id;
        GET DIAGNOSTICS v_cancelled = ROW_COUNT;
        INSERT INTO wallet.outbox (type, account_id, environment, booking_id, version, at)
        SELECT 'booking.cancelled', c.account_id, c.environment, c.booking_id, c.version, p_at
        FROM unnest(p_cancelled) AS c
        WHERE c.version IS NOT NULL;
    END IF;
    IF p_bookings IS NOT NULL THEN
        INSERT INTO wallet.bookings (
            account_id, booking_id, environment, class_id, idempotency_key, seats, asked_pay_with, asked_max_amount,
            unit, amount, first_version, entry_count, free_minutes_before, free_until, created_at, moves_seen,
            moves_notified, promoted, terms_id
        )
        SELECT
            b.account_id, b.booking_id, b.environment, b.class_id, b.idempotency_key, b.seats, b.asked_pay_with,
            b.asked_max_amount, b.unit, b.amount, b.first_version, b.entry_count, b.free_minutes_before, b.free_until,
            b.created_at, b.moves_seen, b.moves_notified, b.promoted, b.terms_id
        FROM unnest(p_bookings) AS b;
        INSERT INTO wallet.outbox (type, account_id, environment, booking_id, version, details, at)
        SELECT
            'booking.created', b.account_id, b.environment, b.booking_id, b.first_version + b.entry_count - 1,
            CASE WHEN b.promoted THEN '{"from_waitlist": true}'::JSONB END, b.created_at
        FROM unnest(p_bookings) AS b;
    END IF;
    UPDATE wallet.lots AS l SET spent = l.spent + c.spent
    FROM unnest(p_lot_ctids, p_spent) AS c (at, spent)
    WHERE l.ctid = c.at;
    GET DIAGNOSTICS v_lots = ROW_COUNT;
    UPDATE wallet.class_seats AS s SET
        sold = s.sold + c.sold,
        -- A promotion uses reserved seats first. After the cutoff, any booking may use reserved seats that no sweep has
        -- released yet.
        reserved = least(
            greatest(s.reserved - CASE WHEN p_promoted THEN greatest(c.sold, 0) ELSE 0 END, 0),
            s.capacity - s.sold - c.sold
        )
    FROM unnest(p_seats_ctids, p_sold) AS c (at, sold)
    WHERE s.ctid = c.at;
    GET DIAGNOSTICS v_seats = ROW_COUNT;
    IF
        v_lots <> coalesce(cardinality(p_lot_ctids), 0) OR v_seats <> cardinality(p_seats_ctids)
        OR v_cancelled <> cardinality(p_cancelled)
    THEN
        RAISE EXCEPTION 'a batch missed rows that it had locked: it found % lots, % seats, % bookings',
            v_lots, v_seats, v_cancelled;
    END IF;
    RETURN v_seats;
END;
$$;
COMMENT ON FUNCTION wallet.write_batch(
    wallet.bookings[], wallet.batch_item[], TID[], BIGINT[], TID[], INTEGER[], BOOLEAN, TIMESTAMPTZ
) IS 'Writes the changes of a batch, and emits its events.';

-- Returns a new booking; see wallet.new_entry.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.new_booking(
    p_account_id BIGINT,
    p_booking_id UUID,
    p_environment wallet.environment,
    p_class_id TEXT,
    p_idempotency_key TEXT,
    p_seats INTEGER,
    p_asked_pay_with TEXT,
    p_asked_max_amount BIGINT,
    p_unit wallet.unit,
    p_amount BIGINT,
    p_first_version BIGINT,
    p_entry_count INTEGER,
    p_free_minutes_before INTEGER,
    p_free_until TIMESTAMPTZ,
    p_created_at TIMESTAMPTZ,
    p_moves_seen INTEGER,
    p_promoted BOOLEAN,
    p_terms_id BIGINT
) RETURNS wallet.bookings LANGUAGE sql IMMUTABLE AS $$
    SELECT ROW(
        p_account_id, p_booking_id, p_environment, p_class_id, p_idempotency_key, p_seats, p_asked_pay_with,
        p_asked_max_amount, p_unit, p_amount, p_first_version, p_entry_count, p_free_minutes_before, p_free_until,
        p_created_at, NULL, NULL, NULL, NULL, p_moves_seen, p_moves_seen, p_promoted, p_terms_id
    )::wallet.bookings;
$$;
COMMENT ON FUNCTION wallet.new_booking(
    BIGINT, UUID, wallet.environment, TEXT, TEXT, INTEGER, TEXT, BIGINT, wallet.unit, BIGINT, BIGINT, INTEGER, INTEGER,
    TIMESTAMPTZ, TIMESTAMPTZ, INTEGER, BOOLEAN, BIGINT
) IS 'Returns a new booking.';

-- Returns the answer to a new booking or a cancellation; see wallet.new_entry.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.new_outcome(
    p_item INTEGER,
    p_status INTEGER,
    p_booking_id UUID,
    p_class_id TEXT,
    p_class_title TEXT,
    p_starts_at TIMESTAMPTZ,
    p_booking_status TEXT,
    p_seats INTEGER,
    p_unit wallet.unit,
    p_amount BIGINT,
    p_free_minutes_before INTEGER,
    p_free_until TIMESTAMPTZ,
    p_created_at TIMESTAMPTZ,
    p_credits BIGINT,
    p_visits BIGINT,
    p_version BIGINT,
    p_promoted BOOLEAN,
    p_lot_ids UUID[],
    p_lot_amounts BIGINT[],
    p_account_id BIGINT DEFAULT NULL,
    p_opened_at TIMESTAMPTZ DEFAULT NULL,
    p_cancelled_at TIMESTAMPTZ DEFAULT NULL,
    p_late_cancel BOOLEAN DEFAULT FALSE,
    p_returned BIGINT DEFAULT NULL,
    p_moved BOOLEAN DEFAULT FALSE,
    p_cancelled_by TEXT DEFAULT NULL
) RETURNS wallet.booking_outcome LANGUAGE sql IMMUTABLE AS $$
    SELECT ROW(
        p_item, p_status, NULL, NULL, FALSE, p_booking_id, p_class_id, p_class_title, p_starts_at, p_booking_status,
        p_seats, p_unit, p_amount, p_free_minutes_before, p_free_until, p_created_at, p_cancelled_at, p_late_cancel,
        p_returned, p_credits, p_visits, p_version, p_moved, p_promoted, p_cancelled_by, p_lot_ids, p_lot_amounts,
        p_account_id, p_opened_at, NULL, NULL, NULL
    )::wallet.booking_outcome;
$$;
COMMENT ON FUNCTION wallet.new_outcome(
    INTEGER, INTEGER, UUID, TEXT, TEXT, TIMESTAMPTZ, TEXT, INTEGER, wallet.unit, BIGINT, INTEGER, TIMESTAMPTZ,
    TIMESTAMPTZ, BIGINT, BIGINT, BIGINT, BOOLEAN, UUID[], BIGINT[], BIGINT, TIMESTAMPTZ, TIMESTAMPTZ, BOOLEAN, BIGINT,
    BOOLEAN, TEXT
) IS 'Returns the answer to a new booking or a cancellation.';
