-- The settings of this database, which the executable checks before it serves requests.
CREATE VIEW wallet.instance_facts AS
SELECT i.kind, i.clock_offset, i.sandbox_purchases, i.studio_time_zone FROM wallet.instance AS i;
COMMENT ON VIEW wallet.instance_facts IS 'The settings of this database.';

-- The user of each account; the service looks up its callers here. Merged identities are not included.
CREATE VIEW wallet.users AS
SELECT
    i.user_id,
    i.account_id,
    t.account_id IS NOT NULL AS is_tester
FROM wallet.identities AS i
LEFT JOIN wallet.testers AS t ON i.account_id = t.account_id
WHERE i.merged_at IS NULL;
COMMENT ON VIEW wallet.users IS 'User ids with their accounts and tester status.';

-- The accounts whose tokens are valid: neither deleted nor merged.
CREATE VIEW wallet.open_accounts AS
SELECT a.account_id, a.created_at AS opened_at
FROM wallet.accounts AS a
WHERE a.deleted_at IS NULL AND a.merged_into IS NULL;
COMMENT ON VIEW wallet.open_accounts IS 'The accounts that are neither deleted nor merged.';

-- All accounts whose records belong to a user: the user's own account and the accounts merged into it.
CREATE VIEW wallet.user_accounts AS
SELECT u.user_id, u.account_id FROM wallet.users AS u
UNION ALL
SELECT u.user_id, a.account_id
FROM wallet.users AS u
INNER JOIN wallet.accounts AS a ON u.account_id = a.merged_into;
COMMENT ON VIEW wallet.user_accounts IS 'All accounts whose records belong to a user, including merged ones.';
