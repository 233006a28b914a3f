-- The rights in the database equal those that support/rights.sql lists.
BEGIN;
\ir ../support/books.sql
\ir ../support/rights.sql
SELECT * FROM no_plan();
SELECT set_eq(
    $$ SELECT g.role || ' ' || g.action || ' ' || g.object FROM granted AS g $$,
    $$ SELECT a.role || ' ' || a.action || ' ' || a.object FROM allowed AS a $$,
    'the granted rights equal the listed rights'
);
SELECT set_eq(
    $$ SELECT r.rolname::text FROM pg_catalog.pg_roles AS r WHERE r.rolname LIKE 'wallet\_%' $$,
    ARRAY['wallet_owner', 'wallet_service', 'wallet_admin', 'wallet_auditor'], 'there are four roles'
);
SELECT is_empty(
    $$ SELECT m.roleid::regrole, m.member::regrole FROM pg_catalog.pg_auth_members AS m
       WHERE m.member IN (SELECT r.oid FROM pg_catalog.pg_roles AS r WHERE r.rolname LIKE 'wallet\_%')
           OR m.roleid = 'wallet_owner'::regrole $$,
    'no role is a member of another or of a predefined role, and none is a member of the owner'
);
SELECT set_eq(
    $$ SELECT d.defaclrole::regrole::text || ' ' || d.defaclobjtype::text || ' '
           || (d.defaclnamespace <> 0)::text || ' ' || d.defaclacl::text
       FROM pg_catalog.pg_default_acl AS d $$,
    ARRAY['wallet_owner f false {wallet_owner=X/wallet_owner}'],
    'new functions of the owner are not callable by other roles'
);
SELECT is_empty(
    'SELECT p.parname FROM pg_catalog.pg_parameter_acl AS p', 'no role may set parameters reserved for superusers'
);

-- All objects of the wallet belong to the owner
SELECT is_empty(
    $$ SELECT c.oid::regclass::text FROM pg_catalog.pg_class AS c
       WHERE c.relnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
           AND c.relowner <> 'wallet_owner'::regrole
       UNION ALL
       SELECT p.oid::regprocedure::text FROM pg_catalog.pg_proc AS p
       WHERE p.pronamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
           AND p.proowner <> 'wallet_owner'::regrole
           AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d WHERE d.objid = p.oid AND d.deptype = 'e')
       UNION ALL
       SELECT t.oid::regtype::text FROM pg_catalog.pg_type AS t
       WHERE t.typnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
           AND t.typowner <> 'wallet_owner'::regrole
       UNION ALL
       SELECT n.oid::regnamespace::text FROM pg_catalog.pg_namespace AS n
       WHERE n.nspname IN ('wallet', 'admin') AND n.nspowner <> 'wallet_owner'::regrole $$,
    'relations, functions, types and schemas belong to wallet_owner'
);
SET LOCAL ROLE wallet_owner;
CREATE FUNCTION wallet.made_by_hand() RETURNS integer LANGUAGE sql AS $$ SELECT 1; $$;
RESET ROLE;
SELECT is(
    pg_temp.raised('SELECT wallet.made_by_hand()', r.role), '42501', r.role || ' does not call what the owner just made'
) FROM (VALUES ('wallet_service'), ('wallet_admin'), ('wallet_auditor')) AS r (role);

-- Secrets: the readable columns of this kind
SELECT set_eq(
    $$ SELECT r.rolname || ' ' || c.oid::regclass || ' ' || a.attname FROM pg_catalog.pg_class AS c
       INNER JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       CROSS JOIN (VALUES ('wallet_service'), ('wallet_admin'), ('wallet_auditor')) AS r (rolname)
       WHERE c.relnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace) AND c.relkind IN ('r', 'p', 'v')
           AND has_column_privilege(r.rolname, c.oid, a.attnum, 'SELECT')
           AND a.attname ~ '(salt|digest|token|secret|password|sha256|receipt)' $$,
    ARRAY[
        -- For requests to Google.
        'wallet_service wallet.store_customers purchase_token', 'wallet_service wallet.unacknowledged purchase_token',
        -- A part of the hashed data; the salts are not readable.
        'wallet_auditor wallet.ledger_chain actor_digest', 'wallet_auditor wallet.ledger_chain reason_digest'
    ],
    'salts are not readable, and digests only by auditors'
);

-- An auditor detects what a role with all rights did, and can hash the chain without the wallet's own function
SELECT pg_temp.lesson('a', 20), pg_temp.buy('ann', 't', 'starter'), pg_temp.book('ann', 'k', 'a');
SELECT pg_temp.gift('ann', 5);
SET LOCAL ROLE wallet_auditor;
CREATE TEMPORARY TABLE audit AS
SELECT
    (SELECT count(*) FROM wallet.violations) AS violations,
    (SELECT sum(c.amount) FROM wallet.counter_accounts AS c) AS other_side,
    (SELECT sum(l.amount) FROM admin.ledger AS l) AS ledger,
    (
        SELECT count(*) FROM wallet.ledger_chain AS e
        WHERE e.hash <> sha256(record_send((
            e.prev_hash, e.account_id, e.environment::text, e.version, e.kind, e.unit::text, e.amount, e.owed_change,
            e.balance_after, e.lot_id, e.booking_id, e.claim_id, e.actor_digest, e.reason_digest, e.at
        )))
    ) AS forged,
    (SELECT count(*) FROM wallet.ledger_chain) AS entries;
RESET ROLE;
SELECT results_eq(
    'SELECT * FROM audit', $$ VALUES (0::bigint, -10::numeric, 10::numeric, 0::bigint, 3::bigint) $$,
    'an auditor sees invariants, both sides of the books and the whole chain'
);
SET LOCAL session_replication_role = replica;
UPDATE wallet.entries SET amount = 500 WHERE kind = 'adjust';
SET LOCAL session_replication_role = origin;
SET LOCAL ROLE wallet_auditor;
CREATE TEMPORARY TABLE audit_after AS SELECT DISTINCT v.name FROM wallet.violations AS v;
RESET ROLE;
SELECT set_has(
    'SELECT a.name FROM audit_after AS a', $$ VALUES ('chain_hashes'), ('ledger_sums') $$,
    'the tampering is found'
);
SELECT * FROM finish();
ROLLBACK;
