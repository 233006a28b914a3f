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
    NULL::BOOLEAN AS new_user,
    a.compensation
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
COMMENT ON COLUMN admin.adjustments.compensation IS
'The reference of the compensation that the adjustment belongs to, in admin.compensations.';
COMMENT ON COLUMN admin.adjustments.actor IS 'The database role that posted it.';

CREATE TRIGGER adjustments_insert INSTEAD OF INSERT ON admin.adjustments
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();

-- Compensations, each with its number of users. An INSERT compensates the members of a class, or one user.
CREATE VIEW admin.compensations AS
SELECT
    c.reference,
    c.class_id,
    NULL::TEXT AS user_id,
    c.environment,
    c.unit,
    a.amount,
    a.users,
    a.total,
    t.reason,
    t.actor,
    c.at,
    nullif(c.expires_at, 'infinity') AS expires_at,
    CASE WHEN c.source = 'promo' THEN 'gift' ELSE c.source END AS source,
    NULL::BOOLEAN AS new_user
FROM wallet.compensations AS c
CROSS JOIN LATERAL (
    SELECT
        CASE WHEN min(j.amount) = max(j.amount) THEN min(j.amount)::NUMERIC END AS amount,
        count(*) AS users,
        coalesce(sum(j.amount), 0) AS total,
        min(j.reference) AS first_reference
    FROM wallet.adjustments AS j
    WHERE j.compensation = c.reference
) AS a
LEFT JOIN wallet.adjustments AS f ON a.first_reference = f.reference
LEFT JOIN wallet.entry_texts AS t
    ON f.account_id = t.account_id AND f.environment = t.environment AND f.first_version = t.version;
COMMENT ON VIEW admin.compensations IS
'Compensations. INSERT (reference, class_id or user_id, amount, reason [, unit, …]) adds to each user once.';
COMMENT ON COLUMN admin.compensations.reference IS
'1 to 160 characters. Each user gets one adjustment for a reference; see admin.adjustments.compensation.';
COMMENT ON COLUMN admin.compensations.user_id IS 'Always null. Set it in an INSERT, or set class_id.';
COMMENT ON COLUMN admin.compensations.amount IS
'The positive amount that each user gets; null if the users got different amounts.';
COMMENT ON COLUMN admin.compensations.users IS 'The number of compensated users.';
COMMENT ON COLUMN admin.compensations.total IS 'The sum of all amounts.';
COMMENT ON COLUMN admin.compensations.source IS 'adjustment or gift; both lapse when the account is deleted.';
COMMENT ON COLUMN admin.compensations.new_user IS
'Always null. Set it to TRUE in an INSERT to create an unknown user; otherwise the user must exist.';
CREATE TRIGGER compensations_insert INSTEAD OF INSERT ON admin.compensations
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();
