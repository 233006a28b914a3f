-- admin.audit and wallet.record_action: every action of an operator or administrator leaves a permanent row.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
-- Returns the rows written since the last call.
CREATE TEMPORARY TABLE seen (audit_id bigint);
CREATE FUNCTION pg_temp.written() RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT concat_ws(
        '|', a.actor, a.action, a.kind, a.object_id, a.user_id, a.environment, a.reason, a.reference, a.before, a.after
    ) FROM admin.audit AS a WHERE a.audit_id > (SELECT coalesce(max(s.audit_id), 0) FROM seen AS s) ORDER BY a.audit_id;
    INSERT INTO seen SELECT max(a.audit_id) FROM wallet.audit AS a;
END;
$$;
CREATE FUNCTION pg_temp.as_admin(p_statement text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(p_statement, 'wallet_admin');
$$;
SELECT is_empty('SELECT pg_temp.written()', 'reads leave no audit rows');
SELECT pg_temp.buy('ann', 'p', 'starter'), pg_temp.lesson('a', 5), pg_temp.book('ann', 'k', 'a');
SELECT results_eq(
    $$ SELECT substr(w, 1, 28) FROM pg_temp.written() AS w $$, $$ VALUES ('operator|put-class|class|a|{') $$,
    'actions of users and stores leave no rows'
);

-- In psql
SELECT is(pg_temp.as_admin(s.statement), 'nothing', s.statement) FROM (VALUES
    ($$ UPDATE admin.wallets SET credits = 30, visits = 2, reason = 'by phone' WHERE user_id = 'ann' $$),
    ($$ INSERT INTO admin.adjustments (reference, user_id, amount, reason, source)
        VALUES ('t-1', 'ann', 5, 'sorry', 'gift') $$),
    ($$ INSERT INTO admin.adjustments (reference, user_id, amount, reason, source)
        VALUES ('t-1', 'ann', 5, 'sorry', 'gift') $$),
    ($$ UPDATE admin.purchases SET released = TRUE, reason = 'another user has it' WHERE transaction_id = 'p' $$),
    ($$ UPDATE admin.purchases SET released = TRUE, reason = 'again' WHERE transaction_id = 'p' $$),
    ($$ UPDATE admin.purchases SET released = FALSE WHERE transaction_id = 'p' $$),
    ($$ INSERT INTO admin.testers (user_id) VALUES ('ann') $$),
    ($$ DELETE FROM admin.testers WHERE user_id = 'ann' $$),
    ($$ INSERT INTO admin.products (product_id, kind, name, unit, amount, price_minor)
        VALUES ('n', 'pack', 'New', 'credit', 3, 100) $$),
    ($$ UPDATE admin.products SET price_minor = 200, app_store_id = 'x' WHERE product_id = 'n' $$),
    ($$ INSERT INTO admin.offers (product_id, offer_id, name)
        VALUES ('com.hobbyist.bookingapp.subscription.explorer', 'one', 'Back') $$),
    ($$ UPDATE admin.offers SET is_active = FALSE $$),
    ($$ INSERT INTO admin.stores (store, grants_from) VALUES ('new_store', '2030-01-01') $$),
    ($$ UPDATE admin.classes SET capacity = 12 WHERE class_id = 'a' $$),
    ($$ UPDATE admin.classes SET status = 'cancelled', cancel_reason = 'ill' WHERE class_id = 'a' $$),
    ($$ UPDATE admin.outbox SET status = 'pending'
        WHERE event_id = (SELECT min(o.event_id) FROM admin.outbox AS o WHERE o.user_id = 'ann') $$)
) AS s (statement);
SELECT results_eq(
    'SELECT replace(w, session_user || ''|'', '''') COLLATE "C" FROM pg_temp.written() AS w',
    format($$ SELECT v.line COLLATE "C" FROM (VALUES
        ('adjust|wallet|ann|production|by phone|' || (SELECT string_agg(a.reference, '') FROM
            admin.adjustments AS a WHERE a.reference LIKE '%% credits') || '|{"credits": 20}|{"credits": 30}'),
        ('adjust|wallet|ann|production|by phone|' || (SELECT string_agg(a.reference, '') FROM
            admin.adjustments AS a WHERE a.reference LIKE '%% visits') || '|{"visits": 0}|{"visits": 2}'),
        ('gift|wallet|ann|production|sorry|t-1|{"credits": 30}|{"credits": 35}'),
        ('release-purchase|purchase|%1$s|ann|production|another user has it|{"released": false}|{"released": true}'),
        ('undo-release|purchase|%1$s|ann|production|{"released": true}|{"released": false}'),
        ('set-tester|user|ann|{"tester": false}|{"tester": true}'),
        ('set-tester|user|ann|{"tester": true}|{"tester": false}'),
        ('put-product|product|n|{}|{"kind": "pack", "name": "New", "tier": 0, "unit": "credit", "bonus": 0, '
            '"amount": 3, "currency": "USD", "is_active": true, "unlimited": false, "grace_days": 7, '
            '"is_popular": false, "product_id": "n", "description": "", "price_minor": 100, "bundle_items": [], '
            '"entitlements": [], '
            '"grant_source": "purchase", "trial_amount": 0, "display_order": 0, "rollover_percentage": 0}'),
        ('put-product|product|n|{"price_minor": 100}|{"price_minor": 200, "app_store_id": "x"}'),
        ('add-offer|offer|com.hobbyist.bookingapp.subscription.explorer one|{}|{"name": "Back", "offer_id": "one", '
            '"is_active": true, "product_id": "com.hobbyist.bookingapp.subscription.explorer", '
            '"eligibility": "subscribed_before"}'),
        ('change-offer|offer|com.hobbyist.bookingapp.subscription.explorer one|{"is_active": true}|'
            '{"is_active": false}'),
        ('enable-store|store|new_store|{}|{"store": "new_store", "grants_from": "2030-01-01T00:00:00+00:00"}'),
        ('put-class|class|a|{"capacity": 10}|{"capacity": 12}'),
        ('cancel-class|class|a|ill|{"status": "scheduled"}|{"status": "cancelled", "visits": 0, "credits": 5, '
            '"waiting": 0, "bookings": 1}'),
        ('resend-event|event|%2$s|ann|production|{}|{"status": "pending", "attempts": 0}')) AS v (line)
    $$, (SELECT c.claim_id FROM wallet.claims AS c), (SELECT min(o.event_id) FROM admin.outbox AS o WHERE o.user_id = 'ann')),
    'each action has a row with actor, action, object, reason, before and after; actions without effect have none'
);
INSERT INTO wallet.inbox (source, source_event_id, type, payload, status, received_at)
VALUES ('app_store', 'e', 'TEST', '{}', 'quarantined', wallet.now());
INSERT INTO wallet.review_flags (account_id, environment, refunds, raised_at)
VALUES (wallet.account_for('ann'), 'production', 3, wallet.now());
SELECT set_config('wallet.reason', 'mended', TRUE);
SELECT is(pg_temp.as_admin(s.statement), 'nothing', s.statement) FROM (VALUES
    ($$ UPDATE admin.webhook_inbox SET status = 'new' WHERE source_event_id = 'e' $$),
    ($$ UPDATE admin.review_flags SET resolution = 'blocked', reason = 'a thief' $$),
    ($$ UPDATE admin.review_flags SET resolution = 'dismissed' $$)
) AS s (statement);
SELECT set_config('wallet.reason', '', TRUE);
SELECT results_eq(
    'SELECT regexp_replace(w, ''^[^|]*\|([a-z-]+\|[a-z]+\|)[0-9]+'', ''\1'') FROM pg_temp.written() AS w', $$ VALUES
        ('replay-message|message||mended|{"status": "quarantined"}|{"status": "new"}'),
        ('resolve-flag|flag||ann|production|a thief|{}|{"resolution": "blocked"}'),
        ('resolve-flag|flag||ann|production|mended|{"resolution": "blocked"}|{"resolution": "dismissed"}') $$,
    'the reason comes from a setting if the view has no column for it'
);

-- Over HTTP the actor is the operator
SELECT wallet.operator_adjust('ann', 'production', 'credit', 1, 'r', 'one', 'adjustment', NULL, 'op', 'k');
SELECT wallet.put_product('n', '{"kind": "pack", "name": "N", "unit": "credit", "amount": 3, "price_minor": 200}',
    'op', 'k2');
SELECT wallet.put_product('n', '{"kind": "pack", "name": "N", "unit": "credit", "amount": 3, "price_minor": 200}',
    'op', 'k2');
SELECT results_eq(
    $$ SELECT a.actor, a.role, a.action FROM admin.audit AS a WHERE a.actor = 'op' ORDER BY a.audit_id $$,
    $$ VALUES ('op', session_user::text COLLATE "default", 'adjust'), ('op', session_user::text, 'put-product') $$,
    'a replay is not an action'
);

-- Append-only like the ledger, even for the owner
SELECT is(pg_temp.raised(s.statement, 'wallet_owner'), 'WL403 ledger-is-append-only', s.statement) FROM (VALUES
    ('UPDATE wallet.audit SET action = ''x'''), ('DELETE FROM wallet.audit'), ('TRUNCATE wallet.audit CASCADE'),
    ('UPDATE wallet.audit_texts SET reason = ''x'''), ('TRUNCATE wallet.audit_texts')
) AS s (statement);
SELECT is(pg_temp.as_admin(s.statement), s.state, s.statement) FROM (VALUES
    -- This view is not updatable.
    ('UPDATE admin.audit SET action = ''x''', '55000'), ('DELETE FROM admin.audit', '55000'),
    ('INSERT INTO admin.audit (action) VALUES (''x'')', '55000'), ('DELETE FROM wallet.audit_texts', '42501')
) AS s (statement, state);
-- A rolled-back action leaves no row, and an action fails if its row cannot be written
ALTER TABLE wallet.audit ADD CONSTRAINT no_more CHECK (FALSE) NOT VALID;
SELECT isnt(pg_temp.as_admin(s.statement), 'nothing', 'without its row there is no ' || s.statement) FROM (VALUES
    ($$ UPDATE admin.wallets SET credits = 99, reason = 'x' WHERE user_id = 'ann' $$),
    ($$ UPDATE admin.purchases SET released = TRUE $$), ($$ UPDATE admin.review_flags SET resolution = 'blocked' $$),
    ($$ INSERT INTO admin.testers (user_id) VALUES ('ann') $$),
    ($$ UPDATE admin.products SET price_minor = 7 WHERE product_id = 'n' $$),
    ($$ UPDATE admin.offers SET is_active = TRUE $$),
    ($$ INSERT INTO admin.stores (store, grants_from) VALUES ('s', '2030-01-01') $$),
    ($$ UPDATE admin.webhook_inbox SET status = 'new' $$)
) AS s (statement);
ALTER TABLE wallet.audit DROP CONSTRAINT no_more;
SELECT is(pg_temp.funds('ann'), '36 2 0 0', 'no balance changed');

-- A merged and deleted user: the rows stay but name no user
SELECT wallet.admit_token('x', wallet.now(), TRUE), pg_temp.gift('x', 5), wallet.merge_accounts('x', 'ann');
SELECT is(
    (SELECT a.user_id FROM admin.audit AS a ORDER BY a.audit_id DESC LIMIT 1), 'ann',
    'a merged account''s row names the remaining user'
);
CREATE TEMPORARY TABLE rows_before AS SELECT count(*) AS n FROM wallet.audit;
SELECT wallet.delete_account('ann');
SELECT is((SELECT count(*) FROM wallet.audit), r.n + 1,
    'no row is removed, and the deletion adds one') FROM rows_before AS r;
SELECT is_empty(
    $$ SELECT a.* FROM admin.audit AS a WHERE (a.kind IN ('wallet', 'purchase', 'user', 'flag')
       AND concat(a.actor, a.reason, a.reference, a.user_id) <> a.role)
       OR a::text ~ 'ann' $$, 'no row names the user or contains a reason after the deletion'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
