-- The user of each account, with the name that operators read. Merged identities are not included.
CREATE VIEW wallet.people AS
SELECT i.account_id, i.user_id, coalesce(p.name, p.email) AS user_name
FROM wallet.identities AS i
LEFT JOIN wallet.profiles AS p ON i.account_id = p.account_id
WHERE i.merged_at IS NULL;
COMMENT ON VIEW wallet.people IS 'The user of each account, with the name that operators read.';
COMMENT ON COLUMN wallet.people.user_name IS 'The name, or the email address without a name; null without a profile.';
