-- The rights of each role: every other statement is refused (rule 8).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20), pg_temp.buy('ann', 't', 'starter'), pg_temp.book('ann', 'k', 'a');

-- Only the owner has rights to the wallet's tables
SELECT is_empty(
    $$ SELECT c.oid::regclass, r.rolname, p.privilege FROM pg_catalog.pg_class AS c
       CROSS JOIN (VALUES ('wallet_service'), ('wallet_admin'), ('wallet_auditor')) AS r (rolname)
       CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES',
       'TRIGGER']) AS p (privilege)
       WHERE c.relnamespace = 'wallet'::regnamespace AND c.relkind IN ('r', 'p')
           AND c.relname NOT IN ('migrations', 'repeatables')
           AND (has_table_privilege(r.rolname, c.oid, p.privilege) OR CASE
               WHEN p.privilege IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
               THEN has_any_column_privilege(r.rolname, c.oid, p.privilege) END) $$,
    'service, administrators and auditors have no right to any table'
);
SELECT is(
    pg_temp.raised(format(s.statement, t.name), r.role), '42501', r.role || ': ' || format(s.statement, t.name)
)
FROM (VALUES ('wallet_service'), ('wallet_admin'), ('wallet_auditor')) AS r (role)
CROSS JOIN (VALUES
    ('wallet.wallets'), ('wallet.lots'), ('wallet.entries'), ('wallet.bookings'), ('wallet.claims'),
    ('wallet.identities'),
    ('wallet.class_seats'), ('wallet.waitlist'),
    ('wallet.instance'), ('wallet.adjustments'), ('wallet.products'), ('wallet.inbox'), ('wallet.inbox_done'),
    ('wallet.outbox'), ('wallet.deliveries'),
    ('wallet.audit'), ('wallet.audit_texts'), ('wallet.outbox_cursor'), ('wallet.review_flags')
) AS t (name)
CROSS JOIN (VALUES ('SELECT FROM %s'), ('DELETE FROM %s'), ('TRUNCATE %s'), ('LOCK TABLE %s')) AS s (statement);
SELECT is(pg_temp.raised(s.statement, r.role), '42501', r.role || ': ' || s.statement)
FROM (VALUES ('wallet_service'), ('wallet_admin'), ('wallet_auditor')) AS r (role)
CROSS JOIN (VALUES
    ('UPDATE wallet.wallets SET credits = 1000000'), ('INSERT INTO wallet.accounts (created_at) VALUES (now())'),
    ('UPDATE wallet.instance SET clock_offset = ''1 year'''), ('ALTER TABLE wallet.entries DISABLE TRIGGER ALL'),
    ('DROP TABLE wallet.entries'), ('CREATE TABLE wallet.mine (id int)'), ('DROP SCHEMA wallet CASCADE'),
    ('SET LOCAL session_replication_role = replica'), ('SELECT wallet.mark_dev()'),
    ('SELECT wallet.advance_clock(''1 year'')'),
    ('SELECT wallet.adjust(1, ''production'', ''credit'', 1000, ''r'', ''a'', ''b'')'),
    ('SELECT wallet.sync_claim(1)'), ('SELECT wallet.decide_batch(''{}'', ''studio'', TRUE)'),
    ('SELECT wallet.post(ARRAY[]::wallet.posting[])'),
    ('SELECT wallet.import_wallet(''old'', ''eve'', ''production'', NULL, 1000, 0, NULL, FALSE)'),
    ('SELECT wallet.set_cut_over(now(), ''production'', FALSE)')
) AS s (statement);

-- support/rights.sql lists who may call and read what, and rights_list.sql compares it (HobbyApp 10 and 11)
SELECT is_empty(
    $$ SELECT p.oid::regprocedure FROM pg_catalog.pg_proc AS p
       WHERE p.pronamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
           AND EXISTS (SELECT FROM aclexplode(coalesce(p.proacl,
           acldefault('f', p.proowner))) AS a WHERE a.grantee = 0) $$,
    'no function is granted to PUBLIC'
);
SELECT is_empty(
    $$ SELECT c.oid::regclass FROM pg_catalog.pg_class AS c
       WHERE c.relnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
           AND EXISTS (SELECT FROM aclexplode(c.relacl) AS a WHERE a.grantee = 0) $$,
           'no table or view is granted to PUBLIC'
);
SELECT is_empty(
    $$ SELECT n.nspname FROM pg_catalog.pg_namespace AS n
       WHERE n.nspname IN ('wallet', 'admin') AND EXISTS (SELECT FROM aclexplode(n.nspacl) AS a WHERE a.grantee = 0) $$,
    'no schema is granted to PUBLIC'
);
SELECT is_empty(
    $$ SELECT n.nspname, r.rolname FROM pg_catalog.pg_namespace AS n
       CROSS JOIN (VALUES ('wallet_service'), ('wallet_admin'), ('wallet_auditor')) AS r (rolname)
       WHERE n.nspname IN ('wallet', 'admin') AND has_schema_privilege(r.rolname, n.oid, 'CREATE') $$,
    'only the owner may create objects in the schemas'
);
SELECT is_empty(
    $$SELECT c.relname FROM pg_catalog.pg_class AS c
    WHERE c.relnamespace = 'admin'::regnamespace
    AND has_any_column_privilege('wallet_service', c.oid, 'INSERT, UPDATE')$$,
    'the service writes nothing through schema admin'
);
SELECT is_empty(
    $$ SELECT r.rolname FROM pg_catalog.pg_roles AS r WHERE r.rolname LIKE 'wallet\_%'
       AND (r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolbypassrls OR r.rolreplication) $$,
    'no wallet role has special attributes'
);
SELECT is_empty(
    $$ SELECT m.roleid::regrole, m.member::regrole FROM pg_catalog.pg_auth_members AS m
       WHERE m.roleid IN ('wallet_owner'::regrole, 'wallet_service'::regrole, 'wallet_admin'::regrole)
           AND m.member IN ('wallet_service'::regrole, 'wallet_admin'::regrole, 'wallet_auditor'::regrole) $$,
    'no wallet role is a member of another'
);
SELECT results_eq(
    $$ SELECT r.rolname::text COLLATE "default", r.rolcanlogin FROM pg_catalog.pg_roles AS r WHERE r.rolname IN
       ('wallet_owner', 'wallet_service', 'wallet_admin', 'wallet_auditor') ORDER BY 1 $$,
    $$ VALUES ('wallet_admin', FALSE), ('wallet_auditor', FALSE), ('wallet_owner', FALSE), ('wallet_service', TRUE) $$,
    'only the service can log in'
);
SELECT set_has(
    $$ SELECT unnest(r.rolconfig) FROM pg_catalog.pg_roles AS r WHERE r.rolname = 'wallet_service' $$,
    $$ VALUES ('lock_timeout=2s'), ('statement_timeout=10s'), ('idle_in_transaction_session_timeout=10s') $$,
    'the service''s waiting times are limited'
);
SELECT set_has(
    $$ SELECT unnest(r.rolconfig) FROM pg_catalog.pg_roles AS r WHERE r.rolname = 'wallet_service' $$,
    $$ SELECT 'wal_compression=lz4' FROM pg_catalog.pg_settings AS s
       WHERE s.name = 'wal_compression' AND 'lz4' = ANY(s.enumvals) $$,
    'full pages are compressed if the server can'
);
SELECT set_has(
    $$ SELECT unnest(r.rolconfig) FROM pg_catalog.pg_roles AS r WHERE r.rolname = 'wallet_admin' $$,
    $$ VALUES ('lock_timeout=2s'), ('idle_in_transaction_session_timeout=10s') $$,
       'administrators'' waiting times are limited'
);

-- Each role can read the objects that it has rights to
SELECT is(pg_temp.raised(format('SELECT * FROM %s', c.oid::regclass), r.role), 'nothing',
    r.role || ' reads ' || c.oid::regclass)
FROM pg_catalog.pg_class AS c
CROSS JOIN (VALUES ('wallet_service'), ('wallet_admin'), ('wallet_auditor')) AS r (role)
WHERE
    c.relkind = 'v' AND c.relnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
    AND has_table_privilege(r.role, c.oid, 'SELECT')
ORDER BY r.role, c.oid::regclass::text;
SELECT is_empty(
    $$ SELECT c.oid::regclass, r.rolname, p.privilege FROM pg_catalog.pg_class AS c
       CROSS JOIN (VALUES ('wallet_service'), ('wallet_auditor')) AS r (rolname)
       CROSS JOIN unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS p (privilege)
       WHERE c.relkind = 'v' AND c.relnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
           AND has_table_privilege(r.rolname, c.oid, p.privilege) $$,
    'service and auditors write through no view'
);
-- Administrators write the listed columns only (support/rights.sql), as the contract defines
SELECT matches(
    pg_temp.raised(s.statement, 'wallet_admin'), '42501|55000', 'wallet_admin: ' || s.statement
) FROM (VALUES
    ('UPDATE admin.stores SET grants_from = ''2000-01-01'''), ('DELETE FROM admin.products'),
    ('UPDATE admin.purchases SET quantity = 2'), ('DELETE FROM admin.bookings'), ('UPDATE admin.ledger SET amount = 1'),
    ('DELETE FROM admin.ledger'), ('DELETE FROM admin.stores'), ('UPDATE admin.wallets SET user_id = ''eve'''),
    ('UPDATE admin.webhook_inbox SET payload = NULL'), ('DELETE FROM admin.webhook_inbox'),
    ('UPDATE admin.outbox SET details = NULL'), ('DELETE FROM admin.outbox'),
    ('UPDATE admin.review_flags SET refunds = 0'), ('DELETE FROM admin.review_flags'),
    ('UPDATE admin.refunds SET owed = 0'), ('UPDATE admin.subscriptions SET tier = 9'), ('DELETE FROM admin.offers')
) AS s (statement);

-- Everything belongs to the owner
SELECT is_empty(
    $$ SELECT c.oid::regclass FROM pg_catalog.pg_class AS c
       WHERE c.relnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace) AND c.relkind IN ('r', 'p', 'v', 'S')
           AND c.relowner <> 'wallet_owner'::regrole AND c.relname NOT IN ('migrations', 'repeatables') $$,
    'tables and views belong to wallet_owner'
);
SELECT * FROM finish();
ROLLBACK;
