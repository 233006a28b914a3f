-- Adjustments, each posted once for its reference. An INSERT posts one.
CREATE VIEW admin.adjustments AS
SELECT
    a.reference,
    i.user_id,
    i.user_name,
    a.environment,
    a.unit,
    a.amount::NUMERIC AS amount,
    t.reason,
    t.actor,
    a.at,
    NULL::TIMESTAMPTZ AS expires_at,
    CASE WHEN a.source = 'promo' THEN 'gift' ELSE a.source END AS source,
    NULL::BOOLEAN AS new_user
FROM wallet.adjustments AS a
LEFT JOIN wallet.people AS i ON a.account_id = i.account_id
LEFT JOIN wallet.entry_texts AS t
    ON a.account_id = t.account_id AND a.environment = t.environment AND a.first_version = t.version;
COMMENT ON VIEW admin.adjustments IS
'Adjustments. INSERT (reference, user_id, amount, reason [, unit, environment, source, expires_at, new_user]) posts.';
COMMENT ON COLUMN admin.adjustments.reference IS 'Unique: the same reference never posts twice.';
COMMENT ON COLUMN admin.adjustments.amount IS 'Signed amount in the unit, never 0.';
COMMENT ON COLUMN admin.adjustments.source IS 'adjustment or gift; both lapse when the account is deleted.';
COMMENT ON COLUMN admin.adjustments.new_user IS
'Always null. Set it to TRUE in an INSERT to create an unknown user; otherwise the user must exist.';
COMMENT ON COLUMN admin.adjustments.actor IS 'The database role that posted it.';

CREATE TRIGGER adjustments_insert INSTEAD OF INSERT ON admin.adjustments
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();
