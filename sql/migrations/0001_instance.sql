-- Roles, schemas, the two enumerations, the single row of database settings, and the tables of the invariant checks.

DO $$
DECLARE
    v_role TEXT;
BEGIN
    FOREACH v_role IN ARRAY ARRAY['wallet_owner', 'wallet_admin', 'wallet_auditor'] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = v_role) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
        END IF;
    END LOOP;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'wallet_service') THEN
        CREATE ROLE wallet_service LOGIN;
    END IF;
EXCEPTION
    -- Roles belong to the cluster: the migration of another database may create them at the same time.
    WHEN duplicate_object OR unique_violation THEN NULL;
END;
$$;

CREATE SCHEMA IF NOT EXISTS wallet;
CREATE SCHEMA IF NOT EXISTS admin;

CREATE TYPE wallet.environment AS ENUM ('production', 'sandbox');
CREATE TYPE wallet.unit AS ENUM ('credit', 'visit');
-- The roles of operators; each includes the ones before it. wallet.action_rights defines the role that each action
-- requires.
CREATE TYPE wallet.operator_right AS ENUM ('viewer', 'support', 'operator', 'admin');
-- The type of numbers that administrators write. The columns of their views are NUMERIC, because a BIGINT column would
-- round 12.6 to 13 before a trigger sees it. The triggers cast to this domain, so that its constraint comment explains
-- the error.
CREATE DOMAIN wallet.whole_number AS NUMERIC CONSTRAINT whole_numbers_only CHECK (value % 1 = 0);
COMMENT ON CONSTRAINT whole_numbers_only ON DOMAIN wallet.whole_number IS 'Amounts must be whole numbers.';
-- An error raised by a statement of an administrator, and the text shown for it.
CREATE TYPE wallet.admin_refusal AS (
    state TEXT,
    message TEXT,
    detail TEXT,
    hint TEXT,
    name TEXT,
    lacking TEXT
);

CREATE TABLE wallet.instance (
    only_row BOOLEAN PRIMARY KEY DEFAULT TRUE,
    kind TEXT NOT NULL DEFAULT 'production',
    clock_offset INTERVAL NOT NULL DEFAULT INTERVAL '0',
    sandbox_purchases TEXT NOT NULL DEFAULT 'accept',
    -- Salts the digests of wallet.deleted_users.
    user_salt BYTEA NOT NULL DEFAULT uuid_send(gen_random_uuid()),
    -- Purchases from before the cut-over are part of the import, also for a store that is enabled later.
    cut_over TIMESTAMPTZ NOT NULL DEFAULT '-infinity',
    -- The IANA time zone in which people read times; reports count by its days. `serve` sets it.
    studio_time_zone TEXT NOT NULL DEFAULT 'UTC',
    CONSTRAINT instance_is_one_row CHECK (only_row),
    CONSTRAINT instance_kind_known CHECK (kind IN ('dev', 'production')),
    CONSTRAINT instance_clock_true_in_production CHECK (kind = 'dev' OR clock_offset = INTERVAL '0'),
    CONSTRAINT instance_sandbox_purchases_known CHECK (sandbox_purchases IN ('accept', 'testers', 'refuse'))
);
INSERT INTO wallet.instance DEFAULT VALUES;

-- Purchases made before grants_from are claimed and recorded, but not granted. A store without a row is not enabled.
CREATE TABLE wallet.stores (
    store TEXT PRIMARY KEY,
    grants_from TIMESTAMPTZ NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT stores_store_known CHECK (store ~ '^[a-z][a-z0-9_]{0,31}$')
);
-- The comment of a constraint is the error message for an administrator whose value violates it.
COMMENT ON CONSTRAINT stores_store_known ON wallet.stores IS
'A store''s name must have only lowercase letters, digits and _, such as app_store.';
COMMENT ON CONSTRAINT stores_pkey ON wallet.stores IS 'The store is already enabled.';

-- This function is defined here because CHECKs of the tables call it. It lists all blanks explicitly, because the
-- classes of a regular expression depend on the database's locale. Directional controls can make a text look different.
CREATE FUNCTION wallet.is_plain_text(p_text TEXT) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = wallet, pg_temp AS $$
    SELECT
        p_text ~ '[^ \u00A0\u00AD\u1680\u2000-\u200D\u202F\u205F\u2060\u3000\uFEFF]'
        AND p_text !~ '[\u0001-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]';
$$;
COMMENT ON FUNCTION wallet.is_plain_text(
    TEXT
) IS
'Returns whether a text is one line with a visible character, without control characters and directional controls.';

-- Console sessions that were signed out before their end. Without this table, a copied cookie would stay valid.
CREATE TABLE wallet.ended_sessions (
    session_digest BYTEA PRIMARY KEY,
    ends_at TIMESTAMPTZ NOT NULL
);

-- The state of the continuous invariant checks: the transaction up to which changes were collected, the accounts that
-- still have to be checked, and the findings that no later check has cleared.
CREATE TABLE wallet.look_cursor (
    only_row BOOLEAN PRIMARY KEY DEFAULT TRUE,
    xid XID8 NOT NULL DEFAULT '0',
    CONSTRAINT look_cursor_is_one_row CHECK (only_row)
);
INSERT INTO wallet.look_cursor DEFAULT VALUES;
CREATE TABLE wallet.look_queue (account_id BIGINT PRIMARY KEY);
CREATE TABLE wallet.findings (
    finding_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL,
    environment wallet.environment,
    account_id BIGINT,
    class_id TEXT,
    version BIGINT,
    detail TEXT NOT NULL,
    found_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX findings_account ON wallet.findings (account_id);
