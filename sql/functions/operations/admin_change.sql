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
        WHEN 'insert classes', 'update classes' THEN PERFORM wallet.admin_write_class(TG_OP, OLD, NEW);
        WHEN 'insert offers', 'update offers' THEN NEW := wallet.admin_write_offer(TG_OP, OLD, NEW);
        WHEN 'insert outbox' THEN PERFORM wallet.admin_insert_outbox(NEW);
        WHEN 'update outbox' THEN PERFORM wallet.admin_update_outbox(OLD, NEW);
        WHEN 'insert products', 'update products' THEN PERFORM wallet.admin_write_product(TG_OP, OLD, NEW);
        WHEN 'update purchases' THEN PERFORM wallet.admin_release_purchase(OLD, NEW);
        WHEN 'update review_flags' THEN PERFORM wallet.admin_update_review_flag(OLD, NEW);
        WHEN 'insert stores' THEN NEW := wallet.admin_write_store(NEW);
        WHEN 'insert testers', 'delete testers' THEN NEW := wallet.admin_write_tester(TG_OP, OLD, NEW);
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
        v_answer.message := wallet.admin_sentence(v_slug);
    ELSE
        v_slug := CASE p_refusal.state
            WHEN '23502' THEN 'value-missing'
            WHEN '23503' THEN 'unknown-reference'
            WHEN '23505' THEN 'already-exists'
            ELSE 'value-not-possible'
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
    v_answer.message := coalesce(
        v_answer.message, upper(left(v_slug, 1)) || translate(substr(v_slug, 2), '-', ' ') || '.'
    );
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

-- Returns a sentence that explains why a statement of an administrator is refused; null for a slug that no view of
-- schema admin raises. The HTTP interface has its own titles, in Swift, because its readers are mainly programs.
CREATE OR REPLACE FUNCTION wallet.admin_sentence(p_slug TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    SELECT s.sentence
    FROM (VALUES
        ('account-blocked', 'The account is blocked.'),
        ('already-exists', 'A row with these values already exists.'),
        ('amount-is-zero', 'An amount is required, and it cannot be 0.'),
        ('amount-too-large', 'The amount exceeds the maximum for one adjustment.'),
        ('balance-not-possible', 'Invalid balance.'),
        ('balance-too-low', 'Insufficient balance.'),
        ('booking-not-found', 'The user has no such booking.'),
        ('capacity-below-sold', 'The capacity is below the number of seats sold.'),
        ('class-changed', 'The class changed after the statement read it.'),
        ('class-closed', 'The class is cancelled or has started, so this cannot be changed.'),
        ('class-in-the-past', 'A class cannot be added in the past or moved to the past.'),
        ('class-not-found', 'There is no such class.'),
        ('column-not-editable', 'The statement sets a column that cannot be changed.'),
        ('daily-amount-exceeded', 'The operator''s daily limit is reached.'),
        ('event-already-processed', 'The message was already processed.'),
        ('event-not-found', 'There is no such message or event.'),
        ('expiry-passed', 'The expiry is in the past.'),
        ('gift-not-positive', 'The amount of a gift must be positive.'),
        ('ledger-is-append-only', 'Rows of the ledger and the audit cannot be changed or removed.'),
        ('not-cancellable', 'The booking is already cancelled, or the class has started.'),
        ('nothing-to-waive', 'The booking was not cancelled late, or its full cost was already returned.'),
        ('offer-changed', 'The offer changed after the statement read it.'),
        ('one-row-at-a-time', 'The statement would change several rows.'),
        ('one-wallet-at-a-time', 'The transaction would change several wallets.'),
        ('owner-deleted', 'The owner deleted the account, so the purchase stays released.'),
        ('preview-outdated', 'The data changed after the preview.'),
        ('product-changed', 'The product changed after the statement read it.'),
        ('product-exists', 'A product with this product_id already exists.'),
        ('product-kind-fixed', 'The kind and the unit of a product cannot be changed.'),
        ('purchase-not-found', 'The user has no such purchase.'),
        ('reason-required', 'A reason is required.'),
        ('reference-reused', 'The reference was already used for a different action.'),
        ('resolution-not-possible', 'The flag cannot be resolved in this way.'),
        ('right-missing', 'The operator lacks the required role.'),
        ('source-not-possible', 'source must be adjustment or gift.'),
        ('status-not-possible', 'The status cannot be set to this value.'),
        ('store-id-taken', 'Another product already has this store id.'),
        ('unauthenticated', 'The account was deleted or merged in the meantime.'),
        ('unknown-reference', 'A referenced row does not exist.'),
        ('user-and-reference-required', 'A user_id and a reference are required.'),
        ('user-not-found', 'There is no such user.'),
        ('user-required', 'A user_id is required.'),
        ('value-missing', 'A value is missing.'),
        ('value-not-possible', 'A value is invalid.'),
        ('wallet-busy', 'Another transaction is changing the wallet.'),
        ('wallet-moved', 'The balance changed after the statement read it.'),
        ('wallet-owes', 'The wallet has a debt in this unit.')
    ) AS s (slug, sentence)
    WHERE s.slug = p_slug;
$$;
COMMENT ON FUNCTION wallet.admin_sentence(TEXT) IS
'Returns a sentence that explains why a statement of an administrator is refused.';

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
