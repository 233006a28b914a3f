-- What happened to a user, newest first, for support that answers "where are my credits?".
CREATE VIEW admin.timeline AS
SELECT
    t.user_id,
    t.environment,
    t.at,
    t.kind,
    t.fact,
    t.unit,
    t.amount,
    t.balance_after,
    t.actor,
    t.reason,
    t.booking_id,
    t.transaction_id,
    t.version,
    t.account_id
FROM wallet.timeline AS t
ORDER BY t.at DESC, t.version DESC NULLS LAST;
COMMENT ON VIEW admin.timeline IS
'What happened to a user, one line a fact in words, newest first. Ask for one user.';
COMMENT ON COLUMN admin.timeline.environment IS 'production or sandbox; null for a message of a store that waits.';
COMMENT ON COLUMN admin.timeline.kind IS
'The ledger''s kind of entry, or what else it is, such as booked or cancelled.';
COMMENT ON COLUMN admin.timeline.fact IS
'What happened, with what it gave or took; instants in the session''s time zone.';
COMMENT ON COLUMN admin.timeline.balance_after IS
'What the ledger says was left in this unit; null where it has no line.';
COMMENT ON COLUMN admin.timeline.version IS 'The ledger''s number of its last entry; null where it has none.';
