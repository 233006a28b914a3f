-- The service's own login: statements that a session started as the superuser could still do (become another role), or
-- can do only outside a transaction.
\connect - wallet_service
\set ON_ERROR_STOP 0
\set VERBOSITY terse
SET client_min_messages = warning;
SELECT * FROM no_plan();
SELECT is(session_user::text || ' ' || current_user::text, 'wallet_service wallet_service', 'the service logs in');
\o /dev/null
SET SESSION AUTHORIZATION postgres;
\set state1 :SQLSTATE
SET SESSION AUTHORIZATION wallet_owner;
\set state2 :SQLSTATE
SET ROLE wallet_owner;
\set state3 :SQLSTATE
SET ROLE wallet_admin;
\set state4 :SQLSTATE
ALTER SYSTEM SET fsync = off;
\set state5 :SQLSTATE
CREATE DATABASE mine;
\set state6 :SQLSTATE
DROP DATABASE template1;
\set state7 :SQLSTATE
CREATE TABLESPACE mine LOCATION '/tmp';
\set state8 :SQLSTATE
ALTER TABLE wallet.entries DISABLE TRIGGER ALL;
\set state9 :SQLSTATE
COPY wallet.entries TO PROGRAM 'true';
\set state10 :SQLSTATE
COPY wallet.entries TO STDOUT;
\set state11 :SQLSTATE
CREATE SUBSCRIPTION mine CONNECTION 'dbname=postgres' PUBLICATION mine WITH (connect = FALSE);
\set state12 :SQLSTATE
\o
SELECT is(s.state, '42501', s.what || ' is refused') FROM (VALUES
    ('to be the superuser', :'state1'), ('to be the owner', :'state2'), ('the owner''s role', :'state3'),
    ('the administrators'' role', :'state4'), ('ALTER SYSTEM', :'state5'), ('CREATE DATABASE', :'state6'),
    ('DROP DATABASE', :'state7'), ('CREATE TABLESPACE', :'state8'), ('DISABLE TRIGGER', :'state9'),
    ('COPY TO PROGRAM', :'state10'), ('COPY TO STDOUT', :'state11'), ('CREATE SUBSCRIPTION', :'state12')
) AS s (what, state);
-- The settings come with the role
SELECT is(current_setting(s.name), s.value, s.name || ' is ' || s.value) FROM (VALUES
    ('lock_timeout', '2s'), ('statement_timeout', '10s'), ('idle_in_transaction_session_timeout', '10s')
) AS s (name, value);
SELECT * FROM finish();
