-- Roles, schemas, the two closed sets, the one row that says what this database is for, and what checks its books.

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
    -- Roles belong to the cluster: another database's migration may create them at this very moment.
    WHEN duplicate_object OR unique_violation THEN NULL;
END;
$$;

CREATE SCHEMA IF NOT EXISTS wallet;
CREATE SCHEMA IF NOT EXISTS admin;

CREATE TYPE wallet.environment AS ENUM ('production', 'sandbox');
CREATE TYPE wallet.unit AS ENUM ('credit', 'visit');
-- What an operator may do; each right includes those before it. wallet.action_rights says which action needs which.
CREATE TYPE wallet.operator_right AS ENUM ('viewer', 'support', 'operator', 'admin');
-- What administrators write into their views, which are NUMERIC: a BIGINT column would round 12.6 to 13 before any
-- trigger could see it. The triggers cast to this, so that they say in words what is wrong.
CREATE DOMAIN wallet.whole_number AS NUMERIC CONSTRAINT whole_numbers_only CHECK (value % 1 = 0);
COMMENT ON CONSTRAINT whole_numbers_only ON DOMAIN wallet.whole_number IS 'Amounts are whole numbers.';
-- What a statement of an administrator raised, and what is told of it.
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
    -- What was sold before the cut-over came with the import, also of a store that is enabled later.
    cut_over TIMESTAMPTZ NOT NULL DEFAULT '-infinity',
    CONSTRAINT instance_is_one_row CHECK (only_row),
    CONSTRAINT instance_kind_known CHECK (kind IN ('dev', 'production')),
    CONSTRAINT instance_clock_true_in_production CHECK (kind = 'dev' OR clock_offset = INTERVAL '0'),
    CONSTRAINT instance_sandbox_purchases_known CHECK (sandbox_purchases IN ('accept', 'testers', 'refuse'))
);
INSERT INTO wallet.instance DEFAULT VALUES;

-- What a store sold before grants_from is claimed and recorded, but not granted. A store without a row is not enabled.
CREATE TABLE wallet.stores (
    store TEXT PRIMARY KEY,
    grants_from TIMESTAMPTZ NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT stores_store_known CHECK (store ~ '^[a-z][a-z0-9_]{0,31}$')
);
-- What an administrator reads who offers what a CHECK refuses.
COMMENT ON CONSTRAINT stores_store_known ON wallet.stores IS
'A store is named in small letters, digits and _, such as app_store.';
COMMENT ON CONSTRAINT stores_pkey ON wallet.stores IS 'The store is enabled already.';

-- Here and not with the other functions: the tables' CHECKs call it. It has its own list of blanks, since the classes
-- of a regular expression depend on the database's locale. Controls of direction show a text other than it is.
CREATE FUNCTION wallet.is_plain_text(p_text TEXT) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = wallet, pg_temp AS $$
    SELECT
        p_text ~ '[^ \u00A0\u00AD\u1680\u2000-\u200D\u202F\u205F\u2060\u3000\uFEFF]'
        AND p_text !~ '[\u0001-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]';
$$;
COMMENT ON FUNCTION wallet.is_plain_text(
    TEXT
) IS 'Whether a text is one line with something to see, without control characters and controls of direction.';

-- Sessions of the operators' console that were signed out before their end; a cookie alone could come back.
CREATE TABLE wallet.ended_sessions (
    session_digest BYTEA PRIMARY KEY,
    ends_at TIMESTAMPTZ NOT NULL
);

-- What the running checks of the invariants keep: the transaction up to which changes were collected, the accounts that
-- are still to be checked, and the findings that no later check found mended.
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
