-- wallet.admin_refusal and wallet.admin_sentence: the message that psql shows to a refused administrator.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.shown(p_statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_state text;
    v_message text;
    v_detail text;
    v_hint text;
    v_context text;
BEGIN
    SET LOCAL ROLE wallet_admin;
    EXECUTE p_statement;
    RESET ROLE;
    RETURN 'nothing';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS
        v_state = RETURNED_SQLSTATE, v_message = MESSAGE_TEXT, v_detail = PG_EXCEPTION_DETAIL,
        v_hint = PG_EXCEPTION_HINT, v_context = PG_EXCEPTION_CONTEXT;
    RETURN concat_ws(
        '|', v_state, v_message, v_detail, v_hint,
        (SELECT count(*) FROM regexp_matches(v_context, 'function [a-z_.]*admin_', 'g')) || ' line'
    );
END;
$$;
SELECT pg_temp.buy('ann', 'p', 'starter'), pg_temp.lesson('a', 5), pg_temp.book('ann', 'k', 'a');
INSERT INTO admin.offers (product_id, offer_id, name)
VALUES ('com.hobbyist.bookingapp.subscription.explorer', 'one', 'Back');
SELECT is(pg_temp.shown(s.statement), s.shown || '|1 line', s.shown) FROM (VALUES
    ($$ UPDATE admin.wallets SET credits = 9 $$,
        'WL422|A reason is required.|reason-required|A reason must be one line without control characters.'),
    ($$ UPDATE admin.wallets SET credits = 2.5, reason = 'x' $$,
        '23514|Amounts must be whole numbers.|invalid-value|Nothing was changed.'),
    ($$ INSERT INTO admin.adjustments (reference, user_id, amount, reason) VALUES ('r', 'nobody', 5, 'x') $$,
        'WL404|There is no such user.|user-not-found|'
        'Check the user_id. To add a new user, set new_user = TRUE.'),
    ($$ INSERT INTO admin.adjustments (reference, user_id, amount, reason)
        VALUES (repeat('r', 201), 'ann', 5, 'x') $$,
        '23514|A reference must have 1 to 200 characters.|invalid-value|Nothing was changed.'),
    ($$ INSERT INTO admin.adjustments (reference, user_id, amount, reason, source)
        VALUES ('r', 'ann', 5, 'x', 'plan') $$,
        'WL422|source must be adjustment or gift.|invalid-source|Nothing was changed.'),
    ($$ UPDATE admin.products SET price_minor = -1 WHERE name = 'Starter' $$,
        '23514|A price must be 0 or more.|invalid-value|Nothing was changed.'),
    ($$ UPDATE admin.products SET amount = 12.6 WHERE name = 'Starter' $$,
        '23514|Amounts must be whole numbers.|invalid-value|Nothing was changed.'),
    ($$ INSERT INTO admin.products (product_id, kind, unit, amount, price_minor)
        VALUES ('n', 'pack', 'credit', 1, 1) $$,
        '23502|name is required.|value-missing|Nothing was changed.'),
    ($$ UPDATE admin.classes SET capacity = 100001 WHERE class_id = 'a' $$,
        '23514|A class can have at most 100000 seats.|invalid-value|Nothing was changed.'),
    ($$ UPDATE admin.classes SET capacity = 0 WHERE class_id = 'a' $$,
        'WL409|The capacity is below the number of seats sold.|capacity-below-sold {"capacity": 0, "seats_sold": 1}|'
        'Cancel bookings first, or set a larger capacity.'),
    ($$ INSERT INTO admin.offers (product_id, offer_id, name)
        VALUES ('com.hobbyist.bookingapp.subscription.explorer', 'one', 'Again') $$,
        '23505|The product already has an offer with this offer_id.|already-exists|Nothing was changed.'),
    ($$ INSERT INTO admin.offers (product_id, offer_id, name) VALUES ('none', 'one', 'None') $$,
        '23503|There is no product with this product_id.|unknown-reference|Nothing was changed.'),
    ($$ UPDATE admin.offers SET offer_id = 'two' $$,
        'WL422|The statement sets a column that cannot be changed.|column-not-editable|'
        'The App Store identifies the offer by its product and offer_id.'),
    ($$ INSERT INTO admin.stores (store, grants_from) VALUES ('App Store', now()) $$,
        '23514|A store''s name must have only lowercase letters, digits and _, such as app_store.|invalid-value|'
        'Nothing was changed.'),
    ($$ UPDATE admin.outbox SET status = 'dead' WHERE event_id = (SELECT min(o.event_id) FROM admin.outbox AS o) $$,
        'WL422|The status cannot be set to this value.|invalid-status|'
        'Only ''pending'' can be set: it sends the event again.'),
    ($$ UPDATE admin.products SET is_active = FALSE $$, 'WL422|The statement would change several rows.|'
        'one-row-at-a-time|If all of these rows should change: BEGIN; '
        'SET LOCAL wallet.bulk = ''on''; …')
) AS s (statement, shown);
SELECT is(
    pg_temp.shown($$ INSERT INTO admin.adjustments (reference, user_id, amount, reason)
        VALUES ('r', 'ann', -21, 'x') $$),
    'WL409|Insufficient balance.|balance-too-low {"unit": "credit", "needed": 1, "required": 21, '
    '"available": 20}|The amount to deduct exceeds the balance. Deduct at most the balance.|1 line',
    'the members of the problem follow the slug in the detail'
);
SELECT is(
    pg_temp.shown($$ UPDATE admin.offers SET name = 'Come back', is_active = FALSE WHERE offer_id = 'one' $$),
    'nothing', 'an offer is changed'
);
SELECT is(
    (SELECT concat_ws(' ', o.name, o.eligibility, o.is_active) FROM admin.offers AS o), 'Come back subscribed_before f',
    'the offer is stored'
);
SELECT alike(
    pg_temp.raised($$ SELECT wallet.put_class('a', 'A', now(), now(), 0, 1, 1, 1, 'operator', NULL) $$), '23514',
    'the functions that are called over HTTP answer as they did'
);
SELECT is(
    pg_temp.raised($$ SELECT wallet.operator_adjust('ann', 'production', 'credit', 0, 'r', 'x', 'adjustment', NULL,
        'operator', 'k') $$), 'WL422 amount-is-zero', 'over HTTP the message is the slug'
);

-- Every constraint that may refuse a change has a description.
SELECT is_empty(
    $$ SELECT c.conrelid::regclass, c.conname FROM pg_catalog.pg_constraint AS c
       WHERE c.contype = 'c' AND obj_description(c.oid, 'pg_constraint') IS NULL AND c.conrelid = ANY(ARRAY[
           'wallet.products', 'wallet.offers', 'wallet.classes', 'wallet.class_seats', 'wallet.stores',
           'wallet.adjustments', 'wallet.entry_texts']::regclass[]) $$,
    'every CHECK of what administrators write has a comment in a sentence'
);
SELECT is_empty(
    $$ SELECT p.proname, m.slug[1] FROM pg_catalog.pg_proc AS p
       CROSS JOIN LATERAL regexp_matches(
           p.prosrc, 'ERRCODE = ''WL[45]\d\d'',\s+MESSAGE = ''([a-z-]+)''', 'g'
       ) AS m (slug)
       WHERE p.pronamespace = 'wallet'::regnamespace AND wallet.admin_sentence(m.slug[1]) IS NULL $$,
    'every slug that a function raises has a sentence'
);
SELECT * FROM finish();
ROLLBACK;
