-- What this database is for, as the executable asks before it serves.
CREATE VIEW wallet.instance_facts AS
SELECT i.kind, i.clock_offset, i.sandbox_purchases FROM wallet.instance AS i;
COMMENT ON VIEW wallet.instance_facts IS 'What this database is for.';

-- Who is behind an account; the service looks its callers up here. A user who was merged into another is nobody.
CREATE VIEW wallet.users AS
SELECT
    i.user_id,
    i.account_id,
    i.app_account_token,
    t.account_id IS NOT NULL AS is_tester
FROM wallet.identities AS i
LEFT JOIN wallet.testers AS t ON i.account_id = t.account_id
WHERE i.merged_at IS NULL;
COMMENT ON VIEW wallet.users IS 'User ids, their accounts and account tokens, and who tests.';

-- All accounts whose things are a user's: the user's own, and those that were merged into it.
CREATE VIEW wallet.user_accounts AS
SELECT u.user_id, u.account_id FROM wallet.users AS u
UNION ALL
SELECT u.user_id, a.account_id
FROM wallet.users AS u
INNER JOIN wallet.accounts AS a ON u.account_id = a.merged_into;
COMMENT ON VIEW wallet.user_accounts IS 'All accounts whose things are a user''s, merged ones included.';
