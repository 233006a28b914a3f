-- wallet.operator_act: the operators' actions over HTTP except adjustments.
BEGIN;
\ir ../support/books.sql
\ir ../support/waitlist.sql
SELECT * FROM no_plan();
-- The answer to an action, called as the service.
CREATE FUNCTION pg_temp.acts(
    p_action text,
    p_target jsonb,
    p_reference text DEFAULT NULL,
    p_dry_run boolean DEFAULT FALSE,
    p_actor text DEFAULT 'op'
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_raised text;
    v_answer wallet.action_answer;
BEGIN
    v_raised := pg_temp.raised(format(
        'SELECT wallet.operator_act(%L, %L, %L, %L, %L, TRUE)', p_action, p_target, p_actor, 'ticket', p_reference
    ), 'wallet_service');
    IF v_raised <> 'nothing' THEN
        RETURN v_raised;
    END IF;
    SELECT a.* INTO v_answer
    FROM wallet.operator_act(p_action, p_target, p_actor, 'ticket', p_reference, p_dry_run) AS a;
    RETURN concat_ws(
        ' ', v_answer.before, v_answer.after, CASE WHEN v_answer.replayed THEN 'replayed' END,
        CASE WHEN v_answer.audit_id IS NULL THEN 'unwritten' END
    );
END;
$$;
-- Everything that an action may change, for comparison.
CREATE FUNCTION pg_temp.everything() RETURNS text LANGUAGE sql AS $$
    SELECT md5(concat(
        (SELECT string_agg(w::text, '' ORDER BY w.account_id, w.environment) FROM wallet.wallets AS w),
        (SELECT string_agg(l::text, '' ORDER BY l.lot_id) FROM wallet.lots AS l),
        (SELECT string_agg(e::text, '' ORDER BY e.account_id, e.environment, e.version) FROM wallet.entries AS e),
        (SELECT string_agg(b::text, '' ORDER BY b.booking_id) FROM wallet.bookings AS b),
        (SELECT string_agg(s::text, '' ORDER BY s.class_id, s.environment) FROM wallet.class_seats AS s),
        (SELECT string_agg(c::text, '' ORDER BY c.claim_id) FROM wallet.claims AS c),
        (SELECT string_agg(f::text, '' ORDER BY f.flag_id) FROM wallet.review_flags AS f),
        (SELECT string_agg(a::text, '' ORDER BY a.account_id) FROM wallet.accounts AS a),
        (SELECT string_agg(i::text, '' ORDER BY i.inbox_id) FROM wallet.inbox AS i),
        (SELECT string_agg(o::text, '' ORDER BY o.event_id) FROM wallet.outbox AS o),
        (SELECT string_agg(d::text, '' ORDER BY d.event_id) FROM wallet.deliveries AS d),
        (SELECT string_agg(t::text, '' ORDER BY t.account_id) FROM wallet.testers AS t),
        (SELECT string_agg(c::text, '' ORDER BY c.class_id) FROM wallet.classes AS c),
        (SELECT string_agg(w::text, '' ORDER BY w.account_id) FROM wallet.waitlist AS w),
        (SELECT string_agg(p::text, '' ORDER BY p.product_id) FROM wallet.products AS p),
        (SELECT string_agg(r::text, '' ORDER BY r.audit_id) FROM wallet.audit AS r)
    ));
$$;
CREATE FUNCTION pg_temp.ref(p_key text, p_user text DEFAULT 'ann') RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object('user_id', p_user, 'booking_id', pg_temp.id_of(p_key));
$$;
SELECT pg_temp.buy('ann', 'p', 'power');
SELECT pg_temp.lesson(c, 20), pg_temp.book('ann', c, c) FROM unnest('{a,b,c}'::text[]) AS c;
SELECT pg_temp.lesson('full', 20, NULL, 2);
SELECT pg_temp.gift(u, 50), pg_temp.book(u, 'full-' || u, 'full') FROM unnest('{una,vic}'::text[]) AS u;
SELECT pg_temp.gift('wes', 50), pg_temp.join('wes', 'full');
INSERT INTO wallet.inbox (source, source_event_id, type, payload, status, received_at)
VALUES ('app_store', 'e', 'TEST', '{}', 'quarantined', wallet.now());
INSERT INTO wallet.review_flags (account_id, environment, refunds, raised_at)
VALUES (wallet.account_for('ann'), 'production', 3, wallet.now());
CREATE TEMPORARY TABLE steps AS
SELECT s.* FROM (VALUES
    (1, 'cancel-booking', pg_temp.ref('a'),
        '{"status": "booked", "credits": 140} {"status": "cancelled", "credits": 160, "returned": 20, '
        '"cancelled_by": "user"}'),
    (2, 'waive-cancellation', pg_temp.ref('b'),
        '{"credits": 160, "returned": 0} {"credits": 180, "returned": 20}'),
    (3, 'cancel-booking', pg_temp.ref('c') || '{"in_full": true}',
        '{"status": "booked", "credits": 180} {"status": "cancelled", "credits": 200, "returned": 20, '
        '"cancelled_by": "studio"}'),
    (4, 'release-purchase', jsonb_build_object('user_id', 'ann', 'claim_id', (
        SELECT c.claim_id FROM wallet.claims AS c
    )), '{"released": false} {"released": true}'),
    (5, 'undo-release', jsonb_build_object('user_id', 'ann', 'claim_id', (
        SELECT c.claim_id FROM wallet.claims AS c
    )), '{"released": true} {"released": false}'),
    (6, 'resolve-flag', jsonb_build_object('resolution', 'blocked', 'flag_id', (
        SELECT f.flag_id FROM wallet.review_flags AS f
    )), '{} {"resolution": "blocked"}'),
    (7, 'replay-message', jsonb_build_object('inbox_id', (SELECT i.inbox_id FROM wallet.inbox AS i)),
        '{"status": "quarantined"} {"status": "new"}'),
    (8, 'resend-event', jsonb_build_object('event_id', (
        SELECT min(o.event_id) FROM admin.outbox AS o WHERE o.user_id = 'ann'
    )),
        '{} {"status": "pending", "attempts": 0}'),
    (9, 'set-tester', '{"user_id": "ann", "tester": true}', '{"tester": false} {"tester": true}'),
    (10, 'send-test-event', '{"user_id": "ann"}', '{} {"type": "endpoint.test"}'),
    (11, 'put-class', jsonb_build_object(
        'class_id', 'full', 'definition', wallet.class_state('full') || '{"capacity": 1, "title": "Ninety"}'
    ), 'WL409 capacity-below-sold {"capacity": 1, "seats_sold": 2}'),
    (12, 'put-class', jsonb_build_object(
        'class_id', 'full', 'definition', wallet.class_state('full') || '{"price_credits": 25, "title": "Ninety"}'
    ), '{"title": "Class full", "price_credits": 20} {"title": "Ninety", "price_credits": 25}'),
    (13, 'cancel-class', '{"class_id": "full"}',
        '{"status": "scheduled"} {"status": "cancelled", "visits": 0, "credits": 40, "waiting": 1, "bookings": 2}'),
    (14, 'put-product', jsonb_build_object('product_id', 'threeVisit', 'definition', (
        SELECT to_jsonb(p) || '{"price_minor": 9900}' FROM wallet.products AS p WHERE p.product_id = 'threeVisit'
    )), '{"price_minor": 4499} {"price_minor": 9900}')
) AS s (n, action, target, answer);
CREATE FUNCTION pg_temp.step(p_step steps) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    v_before text;
    v_after text;
BEGIN
    IF p_step.n = 2 THEN
        PERFORM pg_temp.wait('2 days 12 hours'), pg_temp.cancel('ann', 'b');
    END IF;
    v_before := pg_temp.everything();
    RETURN NEXT is(
        (SELECT array_agg(concat_ws(' ', a.before, a.after) ORDER BY 1) FROM wallet.operator_act(
            p_step.action, p_step.target, 'op', 'ticket', 'r' || p_step.n, TRUE
        ) AS a), ARRAY[(SELECT concat_ws(' ', split_part(p_step.answer, '} {', 1) || '}',
            '{' || split_part(p_step.answer, '} {', 2)))], p_step.action || ' is tried'
    );
    RETURN NEXT is(pg_temp.everything(), v_before, 'the dry run changes nothing');
    RETURN NEXT is(pg_temp.acts(p_step.action, p_step.target, 'r' || p_step.n), p_step.answer, 'is done, just so');
    v_after := pg_temp.everything();
    RETURN NEXT isnt(v_after, v_before, 'the action changes something');
    RETURN NEXT is(
        pg_temp.acts(p_step.action, p_step.target, 'r' || p_step.n, FALSE, 'another'), p_step.answer || ' replayed',
        'a replay has the same answer'
    );
    RETURN NEXT is(
        pg_temp.acts(p_step.action, p_step.target || '{"environment": "sandbox"}', 'r' || p_step.n),
        'WL409 reference-reused', 'another request is refused'
    );
    RETURN NEXT is(pg_temp.everything(), v_after, 'the replays change nothing');
    RETURN NEXT (SELECT is(concat_ws(' ', a.actor, a.action, a.reason, a.reference),
        concat_ws(' ', 'op', p_step.action, 'ticket', 'r' || p_step.n), 'it is written down')
    FROM admin.audit AS a ORDER BY a.audit_id DESC LIMIT 1);
    RETURN NEXT pg_temp.sound();
END;
$$;
SELECT is(pg_temp.acts(s.action, s.target, 'r'), s.answer, s.answer) FROM steps AS s WHERE s.answer LIKE 'WL%';
DELETE FROM steps WHERE answer LIKE 'WL%';
SELECT pg_temp.step(s) FROM steps AS s ORDER BY s.n;
SELECT is(pg_temp.funds('ann'), '200 0 0 0', 'each action had its effect once');

-- The same reference with another reason: it is refused, because that reason would be lost
SELECT is(
    pg_temp.raised($$
        SELECT wallet.operator_act('set-tester', '{"user_id": "ann", "tester": true}', 'another', 'why', 'r9')
    $$),
    'WL409 reference-reused', 'a different reason is a different action'
);

-- The same action again, under another reference or none
SELECT is(pg_temp.acts(s.action, s.target), s.answer, s.action || ' again') FROM (
    SELECT s.n, s.action, s.target, CASE s.action
        WHEN 'cancel-booking' THEN 'WL409 not-cancellable'
        WHEN 'waive-cancellation' THEN 'WL409 nothing-to-waive'
        WHEN 'undo-release' THEN '{} {} replayed unwritten'
        WHEN 'resolve-flag' THEN '{} {} replayed unwritten'
        WHEN 'replay-message' THEN '{} {}'
        WHEN 'resend-event' THEN '{} {}'
        WHEN 'set-tester' THEN '{} {} replayed unwritten'
        WHEN 'send-test-event' THEN '{} {"type": "endpoint.test"}'
        WHEN 'put-class' THEN 'WL409 class-closed'
        WHEN 'cancel-class' THEN '{} {} replayed unwritten'
        WHEN 'put-product' THEN '{} {}'
    END AS answer
    FROM steps AS s WHERE s.action <> 'release-purchase'
) AS s ORDER BY s.n;
SELECT is(
    pg_temp.acts('set-tester', '{"user_id": "ann", "tester": false}'), '{"tester": true} {"tester": false}', 'no tester'
);

-- Invalid actions
SELECT is(pg_temp.acts(s.action, s.target), s.state, s.state || ': ' || s.action || s.target) FROM (VALUES
    ('cancel-booking', pg_temp.ref('a', 'nobody'), 'WL404 user-not-found'),
    ('cancel-booking', pg_temp.ref('a') || '{"environment": "sandbox"}', 'WL404 booking-not-found'),
    ('waive-cancellation', pg_temp.ref('none'), 'WL404 booking-not-found'),
    ('waive-cancellation', '{"user_id": "ann", "booking_id": "x"}', '22P02'),
    ('release-purchase', '{"user_id": "ann", "claim_id": -1}', 'WL404 purchase-not-found'),
    ('resolve-flag', '{"flag_id": -1, "resolution": "blocked"}', 'WL404 flag-not-found'),
    ('resolve-flag', '{"flag_id": 1, "resolution": "forgiven"}', 'WL422 invalid-resolution'),
    ('replay-message', '{"inbox_id": -1}', 'WL404 message-not-found'),
    ('resend-event', '{"event_id": -1}', 'WL404 event-not-found'),
    ('set-tester', '{"user_id": "nobody", "tester": true}', 'WL404 user-not-found'),
    ('set-tester', '{"user_id": "ann"}', 'WL400 malformed-request'),
    ('send-test-event', '{"user_id": "nobody"}', 'WL404 user-not-found'),
    ('cancel-class', '{"class_id": "none"}', 'WL404 class-not-found'),
    ('put-class', '{"class_id": "none"}', 'WL400 malformed-request'),
    ('put-product', '{"product_id": "threeVisit", "definition": {"kind": "plan", "unit": "credit"}}',
        'WL409 product-kind-fixed {"kind": "pass", "unit": "visit"}'),
    ('drop-tables', '{}', 'WL400 malformed-request'), (NULL, '{}', 'WL400 malformed-request'),
    ('set-tester', NULL, 'WL400 malformed-request')
) AS s (action, target, state);
SELECT is(
    pg_temp.raised(format('SELECT wallet.operator_act(''set-tester'', ''{}'', ''op'', %L, NULL)', r.reason)),
    'WL422 reason-required', 'a reason is required'
) FROM (VALUES (NULL), (' '), (E'two\nlines')) AS r (reason);
SELECT is(
    pg_temp.acts('set-tester', '{"user_id": "ann", "tester": true}', repeat('r', 201)), '23514',
    'a reference has an end'
);

-- One user and one booking in different spellings
SELECT pg_temp.gift('0d4f4a5e-7d2b-4c58-9a43-6b0c6a2b1c55', 50), pg_temp.lesson('u', 20);
SELECT pg_temp.book('0d4f4a5e-7d2b-4c58-9a43-6b0c6a2b1c55', 'u', 'u');
SELECT matches(
    pg_temp.acts('cancel-booking', jsonb_build_object(
        'user_id', '0D4F4A5E-7D2B-4C58-9A43-6B0C6A2B1C55', 'booking_id', upper(pg_temp.id_of('u')::text)
    ), 'spelt'), '^{"status": "booked".*[^d]$', 'cancelled'
);
SELECT matches(
    pg_temp.acts('cancel-booking', pg_temp.ref('u', '0d4f4a5e-7d2b-4c58-9a43-6b0c6a2b1c55'), 'spelt'), ' replayed$',
    'once'
);

-- A purchase that now belongs to another user is not released
SELECT pg_temp.buy('bob', 'q', 'starter');
SELECT wallet.release_claim(c.claim_id) FROM wallet.claims AS c WHERE c.transaction_id = 'q';
SELECT wallet.restore(wallet.account_for('cid'), jsonb_build_array(pg_temp.fact('q', 'starter')), NULL);
SELECT is(
    pg_temp.acts(s.action, jsonb_build_object('user_id', 'bob', 'claim_id', c.claim_id)), s.answer, s.action
)
FROM wallet.claims AS c
CROSS JOIN (VALUES
    ('release-purchase', 'WL404 purchase-not-found'), ('undo-release', '{} {} replayed unwritten')
) AS s (action, answer)
WHERE c.transaction_id = 'q';
SELECT is(
    pg_temp.funds('bob') || ', ' || pg_temp.funds('cid'), '0 0 0 0, 25 0 0 0', 'the user who proved the purchase has it'
);

-- A confirmation applies exactly the preview
CREATE FUNCTION pg_temp.shows(p_action text, p_target jsonb, p_reason text DEFAULT 'ticket') RETURNS text LANGUAGE sql
AS $$
    SELECT a.preview FROM wallet.operator_act(p_action, p_target, 'op', p_reason, NULL, TRUE) AS a;
$$;
CREATE FUNCTION pg_temp.confirms(p_action text, p_target jsonb, p_shown text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_message text;
    v_detail text;
BEGIN
    RETURN (SELECT concat_ws(' ', a.before, a.after) FROM wallet.operator_act(
        p_action, p_target, 'op', 'ticket', NULL, FALSE, 'admin', p_shown
    ) AS a);
EXCEPTION WHEN SQLSTATE 'WL412' THEN
    GET STACKED DIAGNOSTICS v_message = MESSAGE_TEXT, v_detail = PG_EXCEPTION_DETAIL;
    RETURN concat_ws(' ', v_message, v_detail::jsonb -> 'before', v_detail::jsonb -> 'after');
END;
$$;
SELECT pg_temp.gift('zoe', 100), pg_temp.lesson('z1', 20), pg_temp.book('zoe', 'z1', 'z1');
SELECT pg_temp.lesson('z2', 20), pg_temp.book('zoe', 'z2', 'z2');
CREATE TEMPORARY TABLE shown AS
SELECT pg_temp.shows('cancel-booking', pg_temp.ref('z1', 'zoe')) AS cancel,
    pg_temp.shows('set-tester', '{"user_id": "zoe", "tester": true}') AS tester,
    pg_temp.shows('put-class', jsonb_build_object(
        'class_id', 'z2', 'definition', wallet.class_state('z2') || '{"price_credits": 25}'
    )) AS class;
SELECT is(pg_temp.confirms(c.action, c.target, (SELECT s.cancel FROM shown AS s)), c.answer, c.name) FROM (VALUES
    ('cancel-booking', pg_temp.ref('z2', 'zoe'),
        'preview-outdated {"status": "booked", "credits": 60} {"status": "cancelled", "credits": 80, "returned": 20, '
        '"cancelled_by": "user"}', 'another booking'),
    ('cancel-booking', pg_temp.ref('z1', 'zoe') || '{"in_full": true}',
        'preview-outdated {"status": "booked", "credits": 60} {"status": "cancelled", "credits": 80, "returned": 20, '
        '"cancelled_by": "studio"}', 'a cancellation in full instead of the previewed one')
) AS c (action, target, answer, name);
SELECT isnt(
    pg_temp.shows('cancel-booking', pg_temp.ref('z1', 'zoe'), 'another'), s.cancel, 'the reason belongs to the action'
) FROM shown AS s;
SELECT pg_temp.gift('zoe', 1);
SELECT matches(
    pg_temp.confirms('cancel-booking', pg_temp.ref('z1', 'zoe'), s.cancel), '^preview-outdated', 'the wallet changed'
) FROM shown AS s;
SELECT matches(
    pg_temp.confirms('set-tester', '{"user_id": "zoe", "tester": true}', s.tester), '^preview-outdated', 'any action'
) FROM shown AS s;
SELECT is(pg_temp.funds('zoe'), '61 0 0 0', 'the refused confirmation changed nothing');
SELECT is(
    pg_temp.confirms('cancel-booking', pg_temp.ref('z1', 'zoe'), pg_temp.shows(
        'cancel-booking', pg_temp.ref('z1', 'zoe')
    )), '{"status": "booked", "credits": 61} {"status": "cancelled", "credits": 81, "returned": 20, "cancelled_by": '
    '"user"}', 'the confirmed preview is applied'
);
SELECT wallet.operator_act('put-class', jsonb_build_object(
    'class_id', 'z2', 'definition', wallet.class_state('z2') || '{"title": "Other"}'
), 'two', 'ticket', NULL);
SELECT is(
    pg_temp.confirms('put-class', jsonb_build_object(
        'class_id', 'z2', 'definition', wallet.class_state('z2') || '{"price_credits": 25, "title": "Class z2"}'
    ), s.class),
    'preview-outdated {"title": "Other", "price_credits": 20} {"title": "Class z2", "price_credits": 25}',
    'a change by another operator is not undone unseen'
) FROM shown AS s;
SELECT is(
    (SELECT concat_ws(' ', a.before, a.after, a.preview) FROM wallet.operator_act(
        'set-tester', '{"user_id": "ann", "tester": true}', 'op', 'ticket', 'r9', FALSE, 'admin', 'anything'
    ) AS a), '{"tester": false} {"tester": true}', 'a repeated reference returns the first result'
);

-- A reference outlives its user and has no second effect
SELECT wallet.delete_account('ann');
SELECT is(
    pg_temp.acts('waive-cancellation', pg_temp.ref('b'), 'r2'), '{"credits": 160, "returned": 0} '
    '{"credits": 180, "returned": 20} replayed', 'the answer stays'
);
SELECT is(pg_temp.acts('waive-cancellation', pg_temp.ref('b'), 'r22'), 'WL404 user-not-found', 'the user does not');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
