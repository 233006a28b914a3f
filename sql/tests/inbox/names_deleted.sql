-- wallet.names_deleted: whether a statement is about a deleted user (rule 33).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
INSERT INTO wallet.deleted_users (user_digest, deleted_at) VALUES (wallet.user_digest('gone'), wallet.now());
INSERT INTO wallet.released_tokens
SELECT sha256(uuid_send(wallet.app_account_token('left'))), wallet.account_for('someone'), wallet.now();
SELECT is(wallet.names_deleted(s.statement), s.names, s.why) FROM (VALUES
    ('{"owners": ["gone"], "fact": {}}'::jsonb, TRUE, 'a deleted user'),
    ('{"owners": ["ann", "gone"], "fact": {}}', TRUE, 'among others'),
    ('{"owners": ["ann"], "fact": {}}', FALSE, 'a living one'),
    ('{"owners": [], "fact": {}}', FALSE, 'no owner'),
    ('{"fact": {}}', FALSE, 'no list of owners'),
    (jsonb_build_object('fact', jsonb_build_object('app_account_token', wallet.app_account_token('left'))), TRUE,
        'a deleted account''s token'),
    (jsonb_build_object('fact', jsonb_build_object('app_account_token', wallet.app_account_token('ann'))), FALSE,
        'a living one''s'),
    ('{"fact": {"app_account_token": "00000000-0000-0000-0000-000000000000"}}', FALSE, 'no token'),
    ('{"fact": {"app_account_token": "left"}}', FALSE, 'text that is no token')
) AS s (statement, names, why);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
