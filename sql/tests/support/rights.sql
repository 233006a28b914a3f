-- All rights of roles other than the owner to objects in the schemas wallet and admin: role, right, and the objects of
-- the right (a column in parentheses). A test compares the grants of the database with this list exactly, so a new
-- right fails the tests until it is listed here.
CREATE TEMPORARY TABLE allowed AS
SELECT a.role, a.action, o.object
FROM (VALUES
    ('wallet_service', 'USAGE', 'wallet admin'),
    ('wallet_admin', 'USAGE', 'wallet admin'),
    ('wallet_auditor', 'USAGE', 'wallet admin'),
    (
        'wallet_service',
        'EXECUTE',
        'wallet.now wallet.studio_time_zone wallet.studio_time wallet.entry_hash wallet.claim_worth wallet.refunded_part
        wallet.claim_refunded wallet.period_price wallet.period_share wallet.period_renews wallet.has_billing_issue
        wallet.product_of wallet.is_called wallet.lot_owner wallet.period_end wallet.grace_end wallet.period_after
        wallet.period_flag wallet.reported_end wallet.transferred_to'
    ),
    (
        'wallet_admin',
        'EXECUTE',
        'wallet.now wallet.studio_time_zone wallet.studio_time wallet.entry_hash wallet.claim_worth wallet.refunded_part
        wallet.claim_refunded wallet.period_price wallet.period_share wallet.period_renews wallet.has_billing_issue
        wallet.product_of wallet.is_called wallet.lot_owner wallet.period_end wallet.grace_end wallet.period_after
        wallet.period_flag wallet.reported_end wallet.transferred_to wallet.operator_search'
    ),
    (
        'wallet_auditor',
        'EXECUTE',
        'wallet.now wallet.studio_time_zone wallet.studio_time wallet.entry_hash wallet.claim_worth wallet.refunded_part
        wallet.claim_refunded wallet.period_price wallet.period_share wallet.period_renews wallet.has_billing_issue
        wallet.product_of wallet.is_called wallet.lot_owner wallet.period_end wallet.grace_end wallet.period_after
        wallet.period_flag wallet.reported_end wallet.transferred_to wallet.operator_search'
    ),
    ('wallet_service', 'EXECUTE', $$
        wallet.account_for wallet.acknowledge_claim wallet.admit_token wallet.await_standby
        wallet.applied_migrations wallet.applied_repeatables wallet.apply_fact wallet.apply_batch wallet.apply_statement
        wallet.book_batch wallet.cancel_class wallet.check_in wallet.compensate
        wallet.check_right wallet.classes_to_promote wallet.compare_statement wallet.caller_account wallet.consume_pass wallet.delete_account
        wallet.drop_old_events wallet.drop_quarantined wallet.due_deliveries wallet.due_events wallet.enable_store wallet.end_unlimited
        wallet.end_session wallet.extend_series wallet.find_users wallet.is_session_ended wallet.enqueue_deliveries wallet.fail_event wallet.followed_changes wallet.forecast wallet.join_waitlist wallet.keep_partitions
        wallet.leave_waitlist wallet.check_changed_accounts wallet.merge_accounts wallet.money wallet.note_changes wallet.note_profile
        wallet.offer_eligibility
        wallet.operator_act wallet.operator_adjust wallet.operator_search wallet.quarantine_event wallet.process_event wallet.promote_next wallet.put_class
        wallet.put_product wallet.receive_event wallet.history_start wallet.note_history wallet.record_access wallet.record_delivery wallet.record_reconciliation wallet.refresh_reports wallet.restore wallet.set_sandbox_purchases wallet.set_studio_time_zone wallet.settle_classes wallet.sum_days wallet.sweep
        wallet.sweep_subscriptions wallet.warn
    $$),
    ('wallet_service', 'SELECT', $$
        wallet.account_range wallet.balances wallet.booking_details
        wallet.breakage_report wallet.revenue_months wallet.revenue_now wallet.revenue_report wallet.subscription_report wallet.catalogue wallet.class_list wallet.consumptions
        wallet.credit_movements wallet.entitlements wallet.inbox_ages wallet.inbox_backlog wallet.finding_counts
        wallet.instance_facts wallet.ledger wallet.lifetimes wallet.lot_totals wallet.open_accounts wallet.open_lots wallet.outbox_backlog
        wallet.pack_purchases wallet.packs wallet.passes wallet.plans wallet.policy_list wallet.promotional_offers wallet.purchases
        wallet.store_customers wallet.store_purchase_owners wallet.subscription_states
        admin.attendance_by_class admin.attendance_by_member admin.attention admin.audit admin.bookings admin.classes admin.compensations admin.deferred_revenue admin.holidays admin.lots admin.movements_daily
        admin.outbox admin.policies admin.products admin.purchases
        admin.refunds admin.review_flags admin.roster admin.seats_daily admin.series
        admin.subscriptions admin.testers admin.today admin.undelivered admin.users admin.waitlist admin.webhook_inbox
        wallet.timeline wallet.order_usage wallet.unacknowledged wallet.user_accounts wallet.users wallet.violations wallet.waitlist_places
    $$),
    ('wallet_admin', 'SELECT', $$
        admin.adjustments admin.attendance_by_class admin.attendance_by_member admin.attention admin.audit admin.bookings admin.breakage admin.classes admin.compensations admin.deferred_revenue admin.holidays admin.movements_daily admin.invariants admin.ledger admin.lots admin.offers
        admin.outbox admin.policies admin.products admin.purchases admin.refunds admin.revenue_daily admin.review_flags admin.roster admin.seats_daily admin.series admin.stores
        admin.subscription_months admin.subscriptions admin.testers admin.timeline admin.today admin.undelivered admin.users admin.waitlist admin.wallets
        admin.webhook_inbox
    $$),
    ('wallet_auditor', 'SELECT', $$
        admin.adjustments admin.attendance_by_class admin.attendance_by_member admin.attention admin.audit admin.bookings admin.breakage admin.classes admin.compensations admin.deferred_revenue admin.holidays admin.movements_daily admin.invariants admin.ledger admin.lots admin.offers
        admin.outbox admin.policies admin.products admin.purchases admin.refunds admin.revenue_daily admin.review_flags admin.roster admin.seats_daily admin.series admin.stores
        admin.subscription_months admin.subscriptions admin.testers admin.timeline admin.today admin.undelivered admin.users admin.waitlist admin.wallets
        admin.webhook_inbox
        wallet.account_range wallet.counter_accounts wallet.ledger_chain wallet.violations
    $$),
    ('wallet_admin', 'INSERT', $$
        admin.adjustments admin.classes admin.compensations admin.holidays admin.offers admin.outbox admin.policies admin.products admin.series admin.stores
        admin.testers
    $$),
    ('wallet_admin', 'UPDATE', $$
        admin.bookings(attendance) admin.bookings(cancelled_by) admin.bookings(fee) admin.bookings(reason) admin.bookings(returned)
        admin.bookings(status) admin.bookings(strike)
        admin.classes admin.lots(frozen_from) admin.lots(frozen_until) admin.lots(reason) admin.offers admin.outbox(status) admin.policies admin.products admin.purchases(reason) admin.purchases(released)
        admin.review_flags(reason) admin.review_flags(resolution) admin.series admin.users(email) admin.users(name) admin.users(reason) admin.wallets(credits) admin.wallets(reason) admin.wallets(visits)
        admin.webhook_inbox(status)
    $$),
    ('wallet_admin', 'DELETE', 'admin.holidays admin.testers')
) AS a (role, action, objects)
CROSS JOIN LATERAL regexp_split_to_table(trim(BOTH e' \n' FROM a.objects), '\s+') AS o (object);

-- The grants of the database to roles other than the object's owner; 'public' is PUBLIC.
CREATE TEMPORARY VIEW granted AS
WITH objects AS (
    SELECT n.nspname::text AS object, n.nspowner AS owner, coalesce(n.nspacl, acldefault('n', n.nspowner)) AS rights
    FROM pg_catalog.pg_namespace AS n
    WHERE n.nspname IN ('wallet', 'admin')
    UNION ALL
    SELECT format('%s.%s', c.relnamespace::regnamespace, c.relname), c.relowner, c.relacl
    FROM pg_catalog.pg_class AS c
    WHERE c.relnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
    UNION ALL
    SELECT format('%s.%s(%s)', c.relnamespace::regnamespace, c.relname, a.attname), c.relowner, a.attacl
    FROM pg_catalog.pg_class AS c
    INNER JOIN pg_catalog.pg_attribute AS a ON c.oid = a.attrelid
    WHERE c.relnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
    UNION ALL
    SELECT
        format('%s.%s', p.pronamespace::regnamespace, p.proname), p.proowner,
        coalesce(p.proacl, acldefault('f', p.proowner))
    FROM pg_catalog.pg_proc AS p
    WHERE p.pronamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
    UNION ALL
    -- All roles may use a type without an explicit ACL.
    SELECT format('%s.%s', t.typnamespace::regnamespace, t.typname), t.typowner, t.typacl
    FROM pg_catalog.pg_type AS t
    WHERE t.typnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
)

SELECT
    coalesce(r.rolname, 'public')::text AS role,
    a.privilege_type || CASE WHEN a.is_grantable THEN ' and to grant it' ELSE '' END AS action,
    o.object
FROM objects AS o
CROSS JOIN LATERAL aclexplode(o.rights) AS a
LEFT JOIN pg_catalog.pg_roles AS r ON a.grantee = r.oid
WHERE a.grantee <> o.owner;
