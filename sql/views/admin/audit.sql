-- All actions of operators and administrators.
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
    i.user_name,
    r.environment,
    t.reason,
    t.reference,
    r.before,
    r.after,
    r.account_id
FROM wallet.audit AS r
LEFT JOIN wallet.audit_texts AS t ON r.audit_id = t.audit_id
LEFT JOIN wallet.accounts AS a ON r.account_id = a.account_id
LEFT JOIN wallet.people AS i ON coalesce(a.merged_into, a.account_id) = i.account_id;
COMMENT ON VIEW admin.audit IS
'Every action of operators and administrators, their reads of users, exports and refused attempts. Read-only.';
COMMENT ON COLUMN admin.audit.actor IS
'The operator''s subject, or the database role; null if the user concerned was deleted.';
COMMENT ON COLUMN admin.audit.role IS 'The database role of the session; wallet_service for HTTP requests.';
COMMENT ON COLUMN admin.audit.kind IS
'The object type: wallet, lot, booking, purchase, flag, user, message, event, product, offer, class, series, holiday, '
'policy, store, list or call.';
COMMENT ON COLUMN admin.audit.object_id IS 'The object''s id; null for a user or a wallet.';
COMMENT ON COLUMN admin.audit.user_id IS 'The user concerned; null if there is none, or if the user was deleted.';
COMMENT ON COLUMN admin.audit.before IS 'The changed values before the action.';
COMMENT ON COLUMN admin.audit.after IS 'The changed values after the action.';
