-- What administrators read, and the list of testers.
CREATE VIEW admin.bookings AS
SELECT
    i.user_id,
    b.booking_id,
    b.environment,
    b.class_id,
    b.class_title,
    b.starts_at,
    b.status,
    b.seats,
    b.unit,
    b.amount,
    b.returned,
    b.late_cancel,
    b.cancelled_by,
    b.free_until,
    b.created_at,
    b.cancelled_at,
    b.account_id
FROM wallet.booking_details AS b
LEFT JOIN wallet.identities AS i ON b.account_id = i.account_id AND i.merged_at IS NULL;
COMMENT ON VIEW admin.bookings IS 'Every booking with its class, price and cancellation.';

CREATE VIEW admin.purchases AS
SELECT
    i.user_id,
    p.environment,
    p.store,
    p.transaction_id,
    p.product_id,
    p.purchased_at,
    p.status,
    p.quantity,
    p.unit,
    p.granted,
    p.remaining,
    p.owed,
    p.refunded_millionths,
    p.used_by,
    p.claim_id,
    p.account_id,
    p.released
FROM wallet.purchases AS p
LEFT JOIN wallet.identities AS i ON p.account_id = i.account_id AND i.merged_at IS NULL;
COMMENT ON VIEW admin.purchases IS
'Every store transaction that the wallet knows and what became of it. UPDATE … SET released = TRUE releases one.';
COMMENT ON COLUMN admin.purchases.refunded_millionths IS 'The store''s cumulative refunded share, in millionths.';
COMMENT ON COLUMN admin.purchases.released IS
'Whether another user who proves the purchase may restore it, as after the owner''s deletion.';
CREATE TRIGGER purchases_release INSTEAD OF UPDATE ON admin.purchases
FOR EACH ROW EXECUTE FUNCTION wallet.admin_release_purchase();

CREATE VIEW admin.ledger AS
SELECT i.user_id, l.*
FROM wallet.ledger AS l
LEFT JOIN wallet.identities AS i ON l.account_id = i.account_id AND i.merged_at IS NULL;
COMMENT ON VIEW admin.ledger IS 'Every ledger entry with actor and reason. Nothing here can be changed.';

CREATE VIEW admin.testers AS
SELECT i.user_id, t.created_at
FROM wallet.testers AS t
INNER JOIN wallet.identities AS i ON t.account_id = i.account_id AND i.merged_at IS NULL;
COMMENT ON VIEW admin.testers IS 'Users who act on sandbox wallets. INSERT (user_id) adds one, DELETE removes one.';
CREATE TRIGGER testers_write INSTEAD OF INSERT OR DELETE ON admin.testers
FOR EACH ROW EXECUTE FUNCTION wallet.admin_write_tester();
