-- Production wallets for administrators. UPDATE … SET credits = …, reason = '…' posts the difference.
CREATE VIEW admin.wallets AS
SELECT
    i.user_id,
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
LEFT JOIN wallet.identities AS i ON b.account_id = i.account_id AND i.merged_at IS NULL
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
