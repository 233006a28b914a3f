-- The history of a user, newest first. Support uses it to answer "where are my credits?".
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
COMMENT ON VIEW admin.timeline IS 'The history of a user, one sentence a row, newest first. Query it for one user.';
COMMENT ON COLUMN admin.timeline.environment IS 'production or sandbox; null for a waiting store message.';
COMMENT ON COLUMN admin.timeline.kind IS 'The kind of the ledger entry, or another kind, such as booked or cancelled.';
COMMENT ON COLUMN admin.timeline.fact IS
'The event and its amount as a sentence; times are in the studio''s time zone.';
COMMENT ON COLUMN admin.timeline.balance_after IS
'The balance in this unit after the ledger entry; null without an entry.';
COMMENT ON COLUMN admin.timeline.version IS 'The version of the last ledger entry; null without an entry.';
