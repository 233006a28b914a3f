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
'Production wallets. UPDATE sets credits or visits to a new value and needs a reason; the difference is posted.';
COMMENT ON COLUMN admin.wallets.environment IS
'Always production; admin.lots and admin.timeline show sandbox wallets, too.';
COMMENT ON COLUMN admin.wallets.credits IS 'Spendable credits, due expiries subtracted.';
COMMENT ON COLUMN admin.wallets.visits IS 'Spendable visits, due expiries subtracted.';
COMMENT ON COLUMN admin.wallets.owed_credits IS 'Credits spent of purchases that were refunded and not yet repaid.';
COMMENT ON COLUMN admin.wallets.version IS 'The number of ledger entries.';
COMMENT ON COLUMN admin.wallets.reason IS 'Always null; set it in an UPDATE to say why.';

CREATE TRIGGER wallets_update INSTEAD OF UPDATE ON admin.wallets
FOR EACH ROW EXECUTE FUNCTION wallet.admin_update_wallet();
