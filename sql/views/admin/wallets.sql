-- Production wallets for administrators. UPDATE … SET credits = …, reason = '…' posts the difference.
CREATE VIEW admin.wallets AS
SELECT
    i.user_id,
    i.user_name,
    b.account_id,
    b.environment,
    b.credits::NUMERIC AS credits,
    b.visits::NUMERIC AS visits,
    b.owed_credits,
    b.owed_visits,
    b.unlimited,
    b.version,
    a.blocked_at IS NOT NULL AS is_blocked,
    NULL::TEXT AS reason
FROM wallet.balances AS b
INNER JOIN wallet.accounts AS a ON b.account_id = a.account_id
LEFT JOIN wallet.people AS i ON b.account_id = i.account_id
WHERE b.environment = 'production';
COMMENT ON VIEW admin.wallets IS
'Production wallets. UPDATE sets credits or visits to a new value, with a reason, and posts the difference.';
COMMENT ON COLUMN admin.wallets.environment IS
'Always production; admin.lots and admin.timeline also show sandbox wallets.';
COMMENT ON COLUMN admin.wallets.credits IS 'Spendable credits; due expiries are subtracted.';
COMMENT ON COLUMN admin.wallets.visits IS 'Spendable visits; due expiries are subtracted.';
COMMENT ON COLUMN admin.wallets.owed_credits IS 'Refunded credits that were already spent and are not repaid yet.';
COMMENT ON COLUMN admin.wallets.version IS 'The number of ledger entries.';
COMMENT ON COLUMN admin.wallets.reason IS 'Always null. Set the reason in an UPDATE.';

CREATE TRIGGER wallets_update INSTEAD OF UPDATE ON admin.wallets
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();

CREATE VIEW admin.users AS
SELECT
    i.user_id,
    p.name,
    p.email,
    b.credits,
    b.visits,
    i.is_anonymous,
    a.blocked_at IS NOT NULL AS is_blocked,
    t.account_id IS NOT NULL AS is_tester,
    i.created_at,
    i.account_id,
    NULL::TEXT AS reason
FROM wallet.identities AS i
INNER JOIN wallet.accounts AS a ON i.account_id = a.account_id
LEFT JOIN wallet.profiles AS p ON i.account_id = p.account_id
LEFT JOIN wallet.testers AS t ON i.account_id = t.account_id
LEFT JOIN wallet.balances AS b ON i.account_id = b.account_id AND b.environment = 'production'
WHERE i.merged_at IS NULL;
COMMENT ON VIEW admin.users IS
'All users with names and email addresses. UPDATE sets name or email, with a reason; null removes a value.';
COMMENT ON COLUMN admin.users.name IS 'From the user''s token, an import or an operator; null if none reported it.';
COMMENT ON COLUMN admin.users.credits IS 'Spendable credits of the production wallet; null before its first entry.';
COMMENT ON COLUMN admin.users.is_anonymous IS
'Whether the user has never signed in, according to the tokens; null before the first token.';
COMMENT ON COLUMN admin.users.created_at IS 'When the wallet first saw the user.';
COMMENT ON COLUMN admin.users.reason IS 'Always null. Set the reason in an UPDATE.';
CREATE TRIGGER users_begin BEFORE UPDATE ON admin.users
FOR EACH STATEMENT EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER users_one_row INSTEAD OF UPDATE ON admin.users
FOR EACH ROW EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER users_update INSTEAD OF UPDATE ON admin.users
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();
