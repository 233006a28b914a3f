-- What operators and administrators did.
CREATE VIEW admin.audit AS
SELECT
    r.audit_id,
    r.at,
    coalesce(t.actor, CASE WHEN r.role <> 'wallet_service' THEN r.role END) AS actor,
    r.role,
    r.action,
    r.kind,
    r.object_id,
    i.user_id,
    r.environment,
    t.reason,
    t.reference,
    r.before,
    r.after,
    r.account_id
FROM wallet.audit AS r
LEFT JOIN wallet.audit_texts AS t ON r.audit_id = t.audit_id
LEFT JOIN wallet.accounts AS a ON r.account_id = a.account_id
LEFT JOIN wallet.identities AS i
    ON coalesce(a.merged_into, a.account_id) = i.account_id AND i.merged_at IS NULL;
COMMENT ON VIEW admin.audit IS
'Every action of an operator or administrator, in the ledger or not, and operators'' reads of users, exports and refused
attempts. Nothing here can be changed.';
COMMENT ON COLUMN admin.audit.actor IS
'Who did it: the operator''s subject, or the database role; null where the user whom it concerned is deleted.';
COMMENT ON COLUMN admin.audit.role IS 'The database role of the session; wallet_service for what came over HTTP.';
COMMENT ON COLUMN admin.audit.kind IS
'What it was done to: wallet, booking, purchase, flag, user, message, event, product, offer, class, store, list, call.';
COMMENT ON COLUMN admin.audit.object_id IS 'Its id; null for a user and their wallet.';
COMMENT ON COLUMN admin.audit.user_id IS 'Whom it concerns; null where it is nobody, or the user is deleted.';
COMMENT ON COLUMN admin.audit.before IS 'What was changed, as it was before.';
COMMENT ON COLUMN admin.audit.after IS 'What was changed, as it was afterwards.';
