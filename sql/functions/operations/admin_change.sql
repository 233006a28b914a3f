-- Carries out every statement on a view of schema admin: calls the function of the view, and converts an error that the
-- statement caused into text for people. A function that returns a row may change it, for example to show defaults;
-- null means that the statement changed nothing.
-- Locks and codes: see the called functions.
CREATE OR REPLACE FUNCTION wallet.admin_change() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_refusal wallet.admin_refusal;
BEGIN
    CASE lower(TG_OP) || ' ' || TG_TABLE_NAME
        WHEN 'insert adjustments' THEN NEW := wallet.admin_insert_adjustment(NEW);
        WHEN 'update bookings' THEN PERFORM wallet.admin_update_booking(OLD, NEW);
        WHEN 'insert classes', 'update classes' THEN NEW := wallet.admin_write_class(TG_OP, OLD, NEW);
        WHEN 'insert compensations' THEN NEW := wallet.admin_insert_compensation(NEW);
        WHEN 'insert holidays', 'delete holidays' THEN PERFORM wallet.admin_write_holiday(TG_OP, OLD, NEW);
        WHEN 'update lots' THEN PERFORM wallet.admin_update_lot(OLD, NEW);
        WHEN 'insert offers', 'update offers' THEN NEW := wallet.admin_write_offer(TG_OP, OLD, NEW);
        WHEN 'insert outbox' THEN PERFORM wallet.admin_insert_outbox(NEW);
        WHEN 'update outbox' THEN PERFORM wallet.admin_update_outbox(OLD, NEW);
        WHEN 'insert policies', 'update policies' THEN PERFORM wallet.admin_write_policy(TG_OP, OLD, NEW);
        WHEN 'insert products', 'update products' THEN PERFORM wallet.admin_write_product(TG_OP, OLD, NEW);
        WHEN 'update purchases' THEN PERFORM wallet.admin_release_purchase(OLD, NEW);
        WHEN 'update review_flags' THEN PERFORM wallet.admin_update_review_flag(OLD, NEW);
        WHEN 'insert series', 'update series' THEN NEW := wallet.admin_write_series(TG_OP, OLD, NEW);
        WHEN 'insert stores' THEN NEW := wallet.admin_write_store(NEW);
        WHEN 'insert testers', 'delete testers' THEN NEW := wallet.admin_write_tester(TG_OP, OLD, NEW);
        WHEN 'update users' THEN PERFORM wallet.admin_update_user(OLD, NEW);
        WHEN 'update wallets' THEN NEW := wallet.admin_update_wallet(OLD, NEW);
        WHEN 'update webhook_inbox' THEN PERFORM wallet.admin_update_inbox(OLD, NEW);
    END CASE;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    RETURN NEW;
EXCEPTION
    WHEN SQLSTATE 'WL000' OR integrity_constraint_violation OR data_exception THEN
        GET STACKED DIAGNOSTICS
            v_refusal.state = RETURNED_SQLSTATE, v_refusal.message = MESSAGE_TEXT,
            v_refusal.detail = PG_EXCEPTION_DETAIL, v_refusal.hint = PG_EXCEPTION_HINT,
            v_refusal.name = CONSTRAINT_NAME, v_refusal.lacking = COLUMN_NAME;
        v_refusal := wallet.admin_refusal(v_refusal);
        RAISE EXCEPTION USING ERRCODE = v_refusal.state, MESSAGE = v_refusal.message, DETAIL = v_refusal.detail,
            HINT = v_refusal.hint;
END;
$$;
COMMENT ON FUNCTION wallet.admin_change() IS 'Carries out every statement on a view of schema admin.';

-- Converts an error raised by a statement on a view of schema admin into text for people: the message is a sentence,
-- the detail is the slug with its members, and a hint follows if there is one. The functions behind the views raise
-- errors for programs, with the slug as the message and its members as the detail. The HTTP service calls them too, so
-- they stay unchanged.
-- If a constraint refused a value, the message is the comment of that constraint, not its name.
-- p_refusal: the raised error; name is the constraint, lacking the column that requires a value.
CREATE OR REPLACE FUNCTION wallet.admin_refusal(p_refusal wallet.admin_refusal) RETURNS wallet.admin_refusal
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_answer wallet.admin_refusal := p_refusal;
    v_slug TEXT;
BEGIN
    IF wallet.admin_sentence(substring(p_refusal.detail FROM '^[a-z-]+')) = p_refusal.message THEN
        RETURN p_refusal;
    ELSIF p_refusal.state LIKE 'WL%' THEN
        v_slug := p_refusal.message;
        v_answer.detail := concat_ws(' ', v_slug, CASE v_slug
            -- Offers are for apps, not for administrators.
            WHEN 'insufficient-credits' THEN (p_refusal.detail::JSONB - 'offers')::TEXT
            ELSE nullif(p_refusal.detail, '')
        END);
        v_answer.message := coalesce(wallet.admin_sentence(v_slug), v_slug);
    ELSE
        v_slug := CASE p_refusal.state
            WHEN '23502' THEN 'value-missing'
            WHEN '23503' THEN 'unknown-reference'
            WHEN '23505' THEN 'already-exists'
            ELSE 'invalid-value'
        END;
        v_answer.detail := v_slug;
        v_answer.message := coalesce(
            CASE WHEN p_refusal.state = '23502' THEN p_refusal.lacking || ' is required.' END,
            (
                SELECT min(d.description) FROM pg_catalog.pg_constraint AS c
                INNER JOIN pg_catalog.pg_description AS d
                    ON c.oid = d.objoid AND d.classoid = 'pg_catalog.pg_constraint'::REGCLASS
                WHERE c.conname = p_refusal.name AND c.connamespace = 'wallet'::REGNAMESPACE
            ),
            wallet.admin_sentence(v_slug)
        );
    END IF;
    v_answer.hint := coalesce(nullif(p_refusal.hint, ''), CASE v_slug
        WHEN 'amount-too-large' THEN 'An adjustment can be at most 1000000000000.'
        WHEN 'capacity-below-sold' THEN 'Cancel bookings first, or set a larger capacity.'
        WHEN 'expiry-passed' THEN 'Set expires_at to a time in the future, or omit it.'
        WHEN 'gift-not-positive' THEN 'To deduct an amount, use the source adjustment.'
        WHEN 'reference-reused' THEN 'See its first use in admin.adjustments and admin.audit. Use another reference.'
        WHEN 'wallet-busy' THEN 'Nothing was changed. Try again.'
        ELSE 'Nothing was changed.'
    END);
    RETURN v_answer;
END;
$$;
COMMENT ON FUNCTION wallet.admin_refusal(wallet.admin_refusal) IS
'Converts an error raised by a statement of an administrator into text for people.';

-- Returns a sentence that explains a refusal to an administrator; null for a slug that is not in problems.yaml.
-- `make problems` writes the rows from that file.
CREATE OR REPLACE FUNCTION wallet.admin_sentence(p_slug TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    SELECT s.sentence
    FROM (VALUES
        ('account-blocked', 'The account is blocked.'),
        ('account-token-mismatch', 'The purchase was made for another account.'),
        ('already-booked', 'The class is already booked.'),
        ('already-consumed', 'The purchase has no visits left.'),
        ('already-exists', 'A row with these values already exists.'),
        ('already-granted', 'Stores have already granted purchases from before the cut-over.'),
        ('already-marked', 'The attendance is already marked.'),
        ('already-waiting', 'Already on the waitlist.'),
        ('amount-is-zero', 'An amount is required, and it cannot be 0.'),
        ('amount-too-large', 'The amount exceeds the maximum for one adjustment.'),
        ('attendance-not-open', 'The attendance cannot be marked yet.'),
        ('authentication-unavailable', 'The token cannot be verified now.'),
        ('balance-too-low', 'Insufficient balance.'),
        ('booking-blocked', 'Bookings are blocked until the block ends.'),
        ('booking-cancelled', 'The booking is cancelled.'),
        ('booking-closed', 'Booking has closed.'),
        ('booking-not-found', 'There is no such booking.'),
        ('booking-not-open', 'Booking has not opened yet.'),
        ('capacity-below-sold', 'The capacity is below the number of seats sold.'),
        ('check-in-closed', 'Check-in has closed.'),
        ('check-in-not-open', 'Check-in has not opened yet.'),
        ('class-changed', 'The class changed after the statement read it.'),
        ('class-closed', 'The class is cancelled or has started.'),
        ('class-exists', 'A class with this class_id exists.'),
        ('class-full', 'The class is full.'),
        ('class-in-the-past', 'The class would start in the past.'),
        ('class-not-found', 'There is no such class.'),
        ('clock-is-real', 'The clock of a production database cannot be moved.'),
        ('column-not-editable', 'The statement sets a column that cannot be changed.'),
        ('conflict', 'The request conflicts with existing data.'),
        ('cut-over-ahead', 'The cut-over is in the future.'),
        ('daily-amount-exceeded', 'The operator''s daily limit is reached.'),
        ('database-is-production', 'The database is in production.'),
        ('database-unavailable', 'The wallet''s database is unavailable.'),
        ('event-not-found', 'There is no such event.'),
        ('expiry-passed', 'The expiry has passed.'),
        ('flag-not-found', 'There is no such review flag.'),
        ('forecast-out-of-range', 'The forecast''s date is out of range.'),
        ('freeze-out-of-range', 'The freeze is too short or too long.'),
        ('gift-not-positive', 'The amount of a gift must be positive.'),
        ('headers-too-large', 'The header fields are too large.'),
        ('idempotency-key-missing', 'An Idempotency-Key is required.'),
        ('idempotency-key-reused', 'The Idempotency-Key was already used for a different request.'),
        ('insufficient-credits', 'The balance is too low for the booking.'),
        ('internal-error', 'Something went wrong.'),
        ('invalid-attendee', 'An attendee''s data is incomplete.'),
        ('invalid-balance', 'Invalid balance.'),
        ('invalid-resolution', 'The flag cannot be resolved in this way.'),
        ('invalid-source', 'source must be adjustment or gift.'),
        ('invalid-status', 'The status cannot be set to this value.'),
        ('invalid-value', 'A value is invalid.'),
        ('invalid-values', 'The values cannot be accepted.'),
        ('ledger-is-append-only', 'Rows of the ledger and the audit cannot be changed or removed.'),
        ('lot-booked', 'Bookings depend on the lot.'),
        ('lot-frozen', 'The lot is frozen.'),
        ('lot-not-found', 'There is no such lot.'),
        ('lot-not-freezable', 'The lot cannot be frozen.'),
        ('malformed-receipt', 'The receipt cannot be read.'),
        ('malformed-request', 'The request cannot be understood.'),
        ('message-already-processed', 'The message was already processed.'),
        ('message-incomplete', 'The store''s message is incomplete.'),
        ('message-not-found', 'There is no such message.'),
        ('method-not-allowed', 'Method not allowed.'),
        ('no-active-subscription', 'There is no active subscription.'),
        ('no-purchase-found', 'The proof contains no such purchase.'),
        ('not-cancellable', 'The booking is already cancelled, its attendance is marked, or the class has started.'),
        ('not-eligible', 'The account is not eligible for the offer.'),
        ('not-mergeable', 'The accounts cannot be merged.'),
        ('not-ready', 'The service does not accept requests now.'),
        ('nothing-granted', 'The purchase grants nothing.'),
        ('nothing-to-waive', 'The booking was not cancelled late, or its full cost was already returned.'),
        ('offer-changed', 'The offer changed after the statement read it.'),
        ('offer-not-found', 'There is no such offer.'),
        ('one-row-at-a-time', 'The statement would change several rows.'),
        ('one-wallet-at-a-time', 'The transaction would change several wallets.'),
        ('outbox-of-another-cluster', 'The outbox has transaction ids of another PostgreSQL cluster.'),
        ('overlapping-booking', 'There is another booking at the same time.'),
        ('overloaded', 'The service is overloaded.'),
        ('owner-deleted', 'The owner deleted the account, so the purchase stays released.'),
        ('payload-too-large', 'The body is too large.'),
        ('payment-not-accepted', 'The class does not accept this payment method.'),
        ('policy-changed', 'The policy changed after the statement read it.'),
        ('policy-not-found', 'There is no such policy.'),
        ('preview-outdated', 'The data changed after the preview.'),
        ('price-changed', 'The price has changed.'),
        ('product-changed', 'The product changed after the statement read it.'),
        ('product-exists', 'A product with this product_id already exists.'),
        ('product-kind-fixed', 'The kind and the unit of a product cannot change.'),
        ('proof-of-purchase-required', 'A proof of purchase is required.'),
        ('purchase-data-incomplete', 'The store''s data identifies no purchase.'),
        ('purchase-data-out-of-range', 'The store''s data has values that a purchase cannot have.'),
        ('purchase-not-found', 'There is no such purchase.'),
        ('purchase-without-visits', 'The purchase contains no visits.'),
        ('rate-limited', 'Too many requests.'),
        ('reason-required', 'A reason is required.'),
        ('receipt-rejected', 'The store rejected the receipt.'),
        ('reference-reused', 'The reference was already used for a different action.'),
        ('request-timeout', 'The request took too long to arrive.'),
        ('right-missing', 'The operator lacks the required role.'),
        ('route-not-found', 'There is no such route.'),
        ('seats-available', 'The class has free seats.'),
        ('series-changed', 'The series changed after the statement read it.'),
        ('series-empty', 'The series has no class.'),
        ('series-exists', 'A series with this series_id exists.'),
        ('series-not-found', 'There is no such series.'),
        ('store-id-taken', 'Another product already has this store id.'),
        ('too-far-ahead', 'The class is too far ahead to be booked.'),
        ('too-many-seats', 'Too many seats for one booking.'),
        ('too-many-streams', 'The user has too many open streams.'),
        ('transaction-already-claimed', 'The purchase belongs to another account.'),
        ('transfer-coding-unsupported', 'The transfer coding is not supported.'),
        ('unauthenticated', 'The account was deleted or merged in the meantime.'),
        ('unknown-reference', 'A referenced row does not exist.'),
        ('unsigned-transaction', 'The transaction is not signed.'),
        ('unsupported-media-type', 'The body has the wrong media type.'),
        ('user-and-reference-required', 'A user_id and a reference are required.'),
        ('user-not-found', 'There is no such user.'),
        ('user-required', 'A user_id is required.'),
        ('value-missing', 'A value is missing.'),
        ('verification-unavailable', 'The store cannot verify the purchase now.'),
        ('waitlist-closed', 'The waitlist has closed.'),
        ('wallet-busy', 'Another transaction is changing the wallet.'),
        ('wallet-moved', 'The balance changed after the statement read it.'),
        ('wallet-owes', 'The wallet has a debt in this unit.'),
        ('webhook-not-configured', 'This store''s messages are not configured.'),
        ('webhook-not-proven', 'The message''s sender cannot be verified.'),
        ('wrong-app', 'The receipt belongs to another app.')
    ) AS s (slug, sentence)
    WHERE s.slug = p_slug;
$$;
COMMENT ON FUNCTION wallet.admin_sentence(TEXT) IS
'Returns a sentence that explains a refusal to an administrator.';

-- Limits a statement of an administrator to one row, so that a forgotten WHERE changes nothing. To change several rows,
-- the administrator sets wallet.bulk to 'on' in the same transaction. Each view has two triggers with this function:
-- one before the statement, which resets the count, and one for each row, which runs before the trigger that carries
-- out the change.
-- Locks: none. Codes: WL422 one-row-at-a-time.
CREATE OR REPLACE FUNCTION wallet.admin_one_row() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF TG_LEVEL = 'STATEMENT' THEN
        PERFORM set_config('wallet.changed_in', '', TRUE);
        RETURN NULL;
    ELSIF
        current_setting('wallet.changed_in', TRUE) = TG_TABLE_NAME
        AND coalesce(current_setting('wallet.bulk', TRUE), '') <> 'on'
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', DETAIL = 'one-row-at-a-time',
            MESSAGE = wallet.admin_sentence('one-row-at-a-time'),
            HINT = 'If all of these rows should change: BEGIN; SET LOCAL wallet.bulk = ''on''; …';
    END IF;
    PERFORM set_config('wallet.changed_in', TG_TABLE_NAME, TRUE);
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END;
$$;
COMMENT ON FUNCTION wallet.admin_one_row() IS 'Limits a statement of an administrator to one row.';
