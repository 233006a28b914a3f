-- The owners and privileges of all objects. Applied last, and again whenever a function or view has changed.
--   wallet_owner    owns everything; a trigger prevents even this role from changing the ledger
--   wallet_service  the role of `credit-wallet serve`: functions, read models and views of schema admin, no tables
--   wallet_admin    the views of schema admin, with their writable columns
--   wallet_auditor  reads the views of schema admin, the invariants and the ledger's chain
-- All privileges are revoked first, so every privilege that is not granted below is missing.
-- sql/tests/support/rights.sql lists all granted privileges again, and a test compares both lists with the database.
-- `migrate` creates objects as the role that it connects as, in the same transaction as this file. 0001 must create
-- roles, and an owner without a login should not have that privilege. Other sessions never see the objects before this
-- file has run. Objects of an extension keep the extension's owner, also in these schemas.

-- A superuser may change any owner; another role must be a member of the new owner's role.
DO $$
BEGIN
    IF
        NOT pg_has_role(
            'wallet_owner',
            CASE WHEN current_setting('server_version_num')::INTEGER >= 160000 THEN 'SET' ELSE 'MEMBER' END
        )
    THEN
        GRANT wallet_owner TO CURRENT_USER;
    END IF;
END;
$$;

DO $$
DECLARE
    v_object RECORD;
BEGIN
    -- Schemas come first: a role that becomes the owner of an object must be allowed to create objects in its schema.
    FOR v_object IN
        SELECT format('ALTER SCHEMA %I OWNER TO wallet_owner', n.nspname) AS command
        FROM pg_catalog.pg_namespace AS n
        WHERE n.nspname IN ('wallet', 'admin') AND pg_get_userbyid(n.nspowner) <> 'wallet_owner'
    LOOP
        EXECUTE v_object.command;
    END LOOP;
    -- Sequences get the owner of their tables.
    FOR v_object IN
        SELECT format('ALTER %s %I.%I OWNER TO wallet_owner', CASE c.relkind
            WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, n.nspname, c.relname) AS command
        FROM pg_catalog.pg_class AS c
        INNER JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        WHERE
            n.nspname IN ('wallet', 'admin') AND c.relkind IN ('r', 'p', 'v')
            AND pg_get_userbyid(c.relowner) <> 'wallet_owner'
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'e')
        UNION ALL
        SELECT format('ALTER ROUTINE %s OWNER TO wallet_owner', p.oid::REGPROCEDURE)
        FROM pg_catalog.pg_proc AS p
        INNER JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
        WHERE
            n.nspname IN ('wallet', 'admin') AND pg_get_userbyid(p.proowner) <> 'wallet_owner'
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d WHERE d.objid = p.oid AND d.deptype = 'e')
        UNION ALL
        SELECT format('ALTER TYPE %I.%I OWNER TO wallet_owner', n.nspname, t.typname)
        FROM pg_catalog.pg_type AS t
        INNER JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
        WHERE
            n.nspname = 'wallet' AND pg_get_userbyid(t.typowner) <> 'wallet_owner'
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d WHERE d.objid = t.oid AND d.deptype = 'e')
            AND (t.typtype IN ('d', 'e') OR (t.typtype = 'c' AND EXISTS (
                SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = t.typrelid AND c.relkind = 'c'
            )))
    LOOP
        EXECUTE v_object.command;
    END LOOP;
END;
$$;

DO $$
DECLARE
    v_objects RECORD;
BEGIN
    FOR v_objects IN
        SELECT o.kind, string_agg(o.name, ', ') AS names FROM (
            SELECT
                c.oid,
                CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind,
                format('%I.%I', n.nspname, c.relname) AS name
            FROM pg_catalog.pg_class AS c
            INNER JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname IN ('wallet', 'admin') AND c.relkind IN ('r', 'p', 'v', 'S')
            UNION ALL
            SELECT p.oid, 'ROUTINE', p.oid::REGPROCEDURE::TEXT
            FROM pg_catalog.pg_proc AS p
            INNER JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
            WHERE n.nspname IN ('wallet', 'admin')
        ) AS o
        WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d WHERE d.objid = o.oid AND d.deptype = 'e')
        GROUP BY o.kind
    LOOP
        EXECUTE format(
            'REVOKE ALL ON %s %s FROM public, wallet_service, wallet_admin, wallet_auditor', v_objects.kind, v_objects.names
        );
    END LOOP;
END;
$$;
REVOKE ALL ON SCHEMA wallet, admin FROM public, wallet_service, wallet_admin, wallet_auditor;
-- Functions that the owner creates manually have no privileges until they are granted. PostgreSQL has no such default
-- for one schema, and a default of the connecting role would affect its other objects in this database.
ALTER DEFAULT PRIVILEGES FOR ROLE wallet_owner REVOKE EXECUTE ON ROUTINES FROM public;

-- An administrator needs schema wallet only for the names of the column types in schema admin.
GRANT USAGE ON SCHEMA wallet TO wallet_service, wallet_admin, wallet_auditor;
-- The service shows operators the views of administrators, and makes changes only through functions.
GRANT USAGE ON SCHEMA admin TO wallet_service, wallet_admin, wallet_auditor;

GRANT EXECUTE ON FUNCTION
wallet.applied_migrations(),
wallet.applied_repeatables(),
wallet.enable_store(TEXT, TIMESTAMPTZ),
wallet.set_sandbox_purchases(TEXT),
wallet.account_for(TEXT, BOOLEAN, UUID),
wallet.admit_token(TEXT, TIMESTAMPTZ, BOOLEAN, UUID),
wallet.caller_account(TEXT, TIMESTAMPTZ, BOOLEAN, UUID),
wallet.note_profile(TEXT, TIMESTAMPTZ, TEXT, TEXT),
wallet.find_users(TEXT),
wallet.delete_account(TEXT, TIMESTAMPTZ),
wallet.merge_accounts(TEXT, TEXT, TIMESTAMPTZ, TIMESTAMPTZ),
wallet.apply_fact(BIGINT, JSONB, BOOLEAN),
wallet.apply_statement(JSONB),
wallet.apply_batch(wallet.store_request[]),
wallet.compare_statement(JSONB),
wallet.restore(BIGINT, JSONB, TEXT),
wallet.acknowledge_claim(BIGINT),
wallet.await_standby(),
wallet.offer_eligibility(TEXT, wallet.environment, TEXT, TEXT),
wallet.sweep_subscriptions(INTEGER),
wallet.book_batch(wallet.booking_request[], BOOLEAN, TIMESTAMPTZ[], TEXT[], TIMESTAMPTZ[], BOOLEAN[], UUID[]),
wallet.join_waitlist(BIGINT, wallet.environment, TEXT, INTEGER, TEXT, BIGINT),
wallet.leave_waitlist(BIGINT, wallet.environment, TEXT),
wallet.check_in(BIGINT, wallet.environment, UUID),
wallet.classes_to_promote(INTEGER),
wallet.promote_next(TEXT, wallet.environment),
wallet.put_class(
    TEXT, TEXT, TIMESTAMPTZ, TIMESTAMPTZ, INTEGER, BIGINT, BIGINT, INTEGER, TEXT, TEXT, wallet.class_limits,
    wallet.operator_right, TEXT
),
wallet.cancel_class(TEXT, TEXT, TEXT, TEXT, wallet.operator_right),
wallet.settle_classes(INTEGER),
wallet.extend_series(INTEGER),
wallet.end_unlimited(INTEGER),
wallet.consume_pass(BIGINT, wallet.environment, TEXT, TEXT),
wallet.forecast(BIGINT, wallet.environment, TIMESTAMPTZ),
wallet.put_product(TEXT, JSONB, TEXT, TEXT, wallet.operator_right),
wallet.operator_adjust(
    TEXT, wallet.environment, wallet.unit, BIGINT, TEXT, TEXT, TEXT, TIMESTAMPTZ, TEXT, TEXT, BOOLEAN,
    wallet.operator_right, BOOLEAN, TEXT, BIGINT
),
wallet.compensate(
    TEXT, wallet.environment, wallet.unit, TEXT, JSONB, BIGINT, TEXT, TEXT, TIMESTAMPTZ, TEXT, BOOLEAN,
    wallet.operator_right, BOOLEAN, TEXT, BIGINT, INTEGER
),
wallet.operator_act(TEXT, JSONB, TEXT, TEXT, TEXT, BOOLEAN, wallet.operator_right, TEXT),
wallet.record_reconciliation(TEXT, TEXT, INTEGER),
wallet.history_start(TEXT, wallet.environment),
wallet.note_history(TEXT, wallet.environment, TIMESTAMPTZ),
wallet.record_access(TEXT, TEXT, TEXT, TEXT, wallet.environment, JSONB),
wallet.sum_days(INTEGER),
wallet.set_studio_time_zone(TEXT),
wallet.money(NUMERIC, TEXT),
wallet.refresh_reports(),
wallet.check_right(TEXT, wallet.operator_right),
wallet.end_session(BYTEA, TIMESTAMPTZ),
wallet.is_session_ended(BYTEA),
wallet.followed_changes(BIGINT[], XID8, INTEGER),
wallet.sweep(INTEGER),
wallet.warn(BIGINT, BIGINT, INTERVAL, INTEGER),
wallet.note_changes(),
wallet.check_changed_accounts(INTEGER),
wallet.receive_event(TEXT, TEXT, TEXT, JSONB),
wallet.due_events(INTEGER),
wallet.process_event(BIGINT, JSONB),
wallet.fail_event(BIGINT, TEXT, INTEGER, BOOLEAN),
wallet.quarantine_event(TEXT, TEXT, TEXT, JSONB, TEXT),
wallet.drop_old_events(INTERVAL, INTEGER),
wallet.drop_quarantined(INTERVAL, INTEGER),
wallet.keep_partitions(INTERVAL),
wallet.enqueue_deliveries(INTEGER),
wallet.due_deliveries(INTEGER),
wallet.record_delivery(BIGINT, TEXT)
TO wallet_service;
GRANT SELECT ON
wallet.instance_facts,
wallet.users,
wallet.open_accounts,
wallet.packs,
wallet.catalogue,
wallet.plans,
wallet.subscription_states,
wallet.entitlements,
wallet.balances,
wallet.open_lots,
wallet.ledger,
wallet.credit_movements,
wallet.lifetimes,
wallet.pack_purchases,
wallet.class_list,
wallet.policy_list,
wallet.waitlist_places,
wallet.booking_details,
wallet.passes,
wallet.purchases,
wallet.promotional_offers,
wallet.unacknowledged,
wallet.consumptions,
wallet.order_usage,
wallet.store_customers,
wallet.store_purchase_owners,
wallet.violations,
wallet.finding_counts,
wallet.account_range,
wallet.lot_totals,
wallet.outbox_backlog,
wallet.inbox_backlog,
wallet.inbox_ages,
wallet.timeline,
wallet.user_accounts,
wallet.revenue_report,
wallet.revenue_months,
wallet.revenue_now,
wallet.breakage_report,
wallet.subscription_report,
admin.attendance_by_class,
admin.attendance_by_member,
admin.attention,
admin.audit,
admin.bookings,
admin.classes,
admin.compensations,
admin.deferred_revenue,
admin.holidays,
admin.lots,
admin.movements_daily,
admin.outbox,
admin.policies,
admin.products,
admin.purchases,
admin.refunds,
admin.review_flags,
admin.roster,
admin.seats_daily,
admin.series,
admin.subscriptions,
admin.testers,
admin.today,
admin.undelivered,
admin.users,
admin.waitlist,
admin.webhook_inbox
TO wallet_service;

-- A view reads tables as its owner, but calls functions as its reader. Views call these functions, so all three roles
-- need them.
GRANT EXECUTE ON FUNCTION wallet.now(), wallet.studio_time_zone(), wallet.studio_time(TIMESTAMPTZ),
wallet.entry_hash(wallet.entries), wallet.claim_worth(wallet.claims, INTEGER),
wallet.refunded_part(wallet.claims, BIGINT), wallet.claim_refunded(wallet.claims, INTEGER),
wallet.product_of(wallet.claims), wallet.is_called(wallet.claims, TEXT[]),
wallet.period_price(BIGINT, TEXT, INTEGER, INTEGER),
wallet.period_share(BIGINT, INTEGER, INTEGER),
wallet.period_renews(wallet.claims),
wallet.lot_owner(BIGINT, UUID), wallet.period_end(wallet.claims), wallet.grace_end(wallet.claims),
wallet.has_billing_issue(wallet.claims), wallet.period_after(wallet.claims),
wallet.period_flag(BIGINT, TEXT), wallet.reported_end(BIGINT), wallet.transferred_to(wallet.claims)
TO wallet_service, wallet_admin, wallet_auditor;
GRANT EXECUTE ON FUNCTION wallet.operator_search(TEXT, INTEGER) TO wallet_service, wallet_admin, wallet_auditor;
DO $$
BEGIN
    EXECUTE (
        SELECT format('GRANT SELECT ON %s TO wallet_admin, wallet_auditor', string_agg(format('admin.%I', c.relname), ', '))
        FROM pg_catalog.pg_class AS c
        WHERE
            c.relnamespace = 'admin'::REGNAMESPACE AND c.relkind = 'v'
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'e')
    );
END;
$$;
GRANT UPDATE (credits, visits, reason) ON admin.wallets TO wallet_admin;
GRANT INSERT ON admin.adjustments, admin.compensations, admin.outbox TO wallet_admin;
GRANT UPDATE (status, cancelled_by, returned, attendance, fee, strike, reason) ON admin.bookings TO wallet_admin;
GRANT UPDATE (name, email, reason) ON admin.users TO wallet_admin;
GRANT UPDATE (frozen_from, frozen_until, reason) ON admin.lots TO wallet_admin;
GRANT UPDATE (released, reason) ON admin.purchases TO wallet_admin;
GRANT INSERT, UPDATE ON admin.products, admin.classes, admin.policies, admin.offers, admin.series TO wallet_admin;
GRANT INSERT ON admin.stores TO wallet_admin;
GRANT UPDATE (status) ON admin.webhook_inbox, admin.outbox TO wallet_admin;
GRANT UPDATE (resolution, reason) ON admin.review_flags TO wallet_admin;
GRANT INSERT, DELETE ON admin.testers, admin.holidays TO wallet_admin;
GRANT SELECT ON wallet.violations, wallet.counter_accounts, wallet.ledger_chain, wallet.account_range TO wallet_auditor;

-- The settings belong to the role, because pgbouncer does not pass settings of a connection.
ALTER ROLE wallet_service SET lock_timeout = '2s';
ALTER ROLE wallet_service SET statement_timeout = '10s';
ALTER ROLE wallet_service SET idle_in_transaction_session_timeout = '10s';
ALTER ROLE wallet_service SET plan_cache_mode = 'force_generic_plan';
-- The first change of a page after a checkpoint writes the whole page. With many wallets, most changes are the first
-- one, and compression reduces them to a third. Only a superuser may change this setting, or a role with GRANT SET ON
-- PARAMETER wal_compression; otherwise the setting stays unchanged.
DO $$
BEGIN
    IF has_parameter_privilege('wal_compression', 'SET') AND EXISTS (
        SELECT FROM pg_catalog.pg_settings AS s WHERE s.name = 'wal_compression' AND 'lz4' = ANY(s.enumvals)
    ) THEN
        ALTER ROLE wallet_service SET wal_compression = 'lz4';
    END IF;
END;
$$;
-- Compiling a query costs more than running any of the wallet's paged queries.
ALTER ROLE wallet_service SET jit = 'off';
ALTER ROLE wallet_admin SET jit = 'off';
ALTER ROLE wallet_auditor SET jit = 'off';
ALTER ROLE wallet_admin SET lock_timeout = '2s';
ALTER ROLE wallet_admin SET idle_in_transaction_session_timeout = '10s';
