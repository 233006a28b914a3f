-- Lists that administrators read, and the list of testers.
CREATE VIEW admin.bookings AS
SELECT
    i.user_id,
    i.user_name,
    b.booking_id,
    b.environment,
    b.class_id,
    b.class_title,
    b.starts_at,
    wallet.studio_time(b.starts_at) AS starts_local,
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
    b.attendance,
    b.fee,
    b.strike,
    b.policy_id,
    b.account_id,
    NULL::TEXT AS reason
FROM wallet.booking_details AS b
LEFT JOIN wallet.people AS i ON b.account_id = i.account_id;
COMMENT ON VIEW admin.bookings IS
'All bookings with class, price and attendance. UPDATE cancels one, waives a late cancellation or marks attendance.';
COMMENT ON COLUMN admin.bookings.starts_local IS 'The start in the studio''s time zone.';
COMMENT ON COLUMN admin.bookings.status IS
'booked or cancelled. SET status = ''cancelled'', reason = ''…'' cancels it by the user''s policy.';
COMMENT ON COLUMN admin.bookings.cancelled_by IS
'user, studio or wallet. SET cancelled_by = ''studio'' together with status returns the full amount.';
COMMENT ON COLUMN admin.bookings.returned IS
'The returned amount. SET returned = amount, reason = ''…'' waives a late cancellation with its fee and strike.';
COMMENT ON COLUMN admin.bookings.attendance IS
'unmarked, attended, no_show or excused. SET attendance marks it; the fee and strike of an earlier mark are withdrawn.';
COMMENT ON COLUMN admin.bookings.fee IS
'The fee in credits for a late cancellation or a no-show. SET fee = 0, reason = ''…'' waives a late cancellation.';
COMMENT ON COLUMN admin.bookings.strike IS
'Whether it counts as a strike. SET strike = FALSE, reason = ''…'' waives a late cancellation.';
COMMENT ON COLUMN admin.bookings.reason IS 'Always null. Set the reason in an UPDATE.';
CREATE TRIGGER bookings_begin BEFORE UPDATE ON admin.bookings
FOR EACH STATEMENT EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER bookings_one_row INSTEAD OF UPDATE ON admin.bookings
FOR EACH ROW EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER bookings_update INSTEAD OF UPDATE ON admin.bookings
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();

CREATE VIEW admin.purchases AS
SELECT
    i.user_id,
    i.user_name,
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
    (
        SELECT coalesce(jsonb_agg(
            u.use || jsonb_build_object('used_at', to_timestamp((u.use ->> 'used_at')::DOUBLE PRECISION)) ORDER BY u.n
        ), '[]')
        FROM jsonb_array_elements(p.used_by) WITH ORDINALITY AS u (use, n)
    ) AS used_by,
    p.claim_id,
    p.account_id,
    p.released,
    p.lots,
    NULL::TEXT AS reason
FROM wallet.purchases AS p
LEFT JOIN wallet.people AS i ON p.account_id = i.account_id;
COMMENT ON VIEW admin.purchases IS
'Store transactions and their grants. UPDATE … SET released = TRUE releases a purchase; FALSE revokes the release.';
COMMENT ON COLUMN admin.purchases.refunded_millionths IS 'The store''s cumulative refunded share, in millionths.';
COMMENT ON COLUMN admin.purchases.lots IS
'All lots that the purchase granted; of a bundle, the columns unit to owed show the first one.';
COMMENT ON COLUMN admin.purchases.released IS
'Whether another user who proves the purchase may restore it. It is true after the owner was deleted.';
COMMENT ON COLUMN admin.purchases.reason IS 'Always null. Set the reason in an UPDATE.';
CREATE TRIGGER purchases_begin BEFORE UPDATE ON admin.purchases
FOR EACH STATEMENT EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER purchases_one_row INSTEAD OF UPDATE ON admin.purchases
FOR EACH ROW EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER purchases_release INSTEAD OF UPDATE ON admin.purchases
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();

CREATE VIEW admin.ledger AS
SELECT i.user_id, i.user_name, l.*
FROM wallet.ledger AS l
LEFT JOIN wallet.people AS i ON l.account_id = i.account_id;
COMMENT ON VIEW admin.ledger IS 'All ledger entries with actor and reason. Read-only.';

CREATE VIEW admin.testers AS
SELECT i.user_id, i.user_name, t.created_at
FROM wallet.testers AS t
INNER JOIN wallet.people AS i ON t.account_id = i.account_id;
COMMENT ON VIEW admin.testers IS 'Users who may use sandbox wallets. INSERT (user_id) adds a user, DELETE removes one.';
CREATE TRIGGER testers_begin BEFORE DELETE ON admin.testers
FOR EACH STATEMENT EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER testers_one_row INSTEAD OF DELETE ON admin.testers
FOR EACH ROW EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER testers_write INSTEAD OF INSERT OR DELETE ON admin.testers
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();

CREATE VIEW admin.lots AS
SELECT
    i.user_id,
    i.user_name,
    l.environment,
    l.lot_id,
    l.unit,
    CASE WHEN l.source = 'promo' THEN 'gift' ELSE l.source END AS source,
    l.product_id,
    coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id) AS transaction_id,
    l.granted,
    CASE WHEN l.expires_at > n.now THEN l.remaining ELSE 0 END AS remaining,
    l.spent,
    l.lapsed + CASE WHEN l.expires_at > n.now THEN 0 ELSE l.remaining END AS lapsed,
    l.refunded,
    l.owed,
    l.repaid,
    nullif(l.expires_at, 'infinity') AS expires_at,
    l.released_at IS NOT NULL AS released,
    l.created_at,
    l.frozen_from,
    l.frozen_until,
    l.starts_at,
    l.account_id,
    NULL::TEXT AS reason
FROM wallet.lots AS l
CROSS JOIN (SELECT (SELECT wallet.now()) AS now) AS n
LEFT JOIN wallet.claims AS c ON l.claim_id = c.claim_id
LEFT JOIN wallet.people AS i ON l.account_id = i.account_id
WHERE l.moved_to IS NULL;
COMMENT ON VIEW admin.lots IS
'All lots: every grant of a wallet and its use. UPDATE freezes a pass or the visits of a plan, or ends the freeze.';
COMMENT ON COLUMN admin.lots.source IS
'pack, pass or plan for purchases; otherwise adjustment, gift, import or fee (the unpaid part of a fee).';
COMMENT ON COLUMN admin.lots.remaining IS 'The spendable amount; due expiries are subtracted.';
COMMENT ON COLUMN admin.lots.lapsed IS 'The amount that expired unused, posted or not.';
COMMENT ON COLUMN admin.lots.expires_at IS 'When the remaining amount lapses; null for never.';
COMMENT ON COLUMN admin.lots.starts_at IS
'If the first use starts the validity: when it started, or the latest start, from which expires_at then counts.';
COMMENT ON COLUMN admin.lots.released IS 'Whether another user who proves the purchase may restore it.';
COMMENT ON COLUMN admin.lots.frozen_from IS
'The start of the last freeze. SET frozen_from = …, frozen_until = …, reason = ''…'' freezes; NULL ends the freeze.';
COMMENT ON COLUMN admin.lots.frozen_until IS 'The end of the last freeze. The expiry moves by the frozen time.';
COMMENT ON COLUMN admin.lots.reason IS 'Always null. Set the reason in an UPDATE.';
CREATE TRIGGER lots_begin BEFORE UPDATE ON admin.lots
FOR EACH STATEMENT EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER lots_one_row INSTEAD OF UPDATE ON admin.lots
FOR EACH ROW EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER lots_update INSTEAD OF UPDATE ON admin.lots
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();

CREATE VIEW admin.waitlist AS
SELECT
    i.user_id,
    i.user_name,
    w.environment,
    w.class_id,
    w.class_title,
    w.starts_at,
    wallet.studio_time(w.starts_at) AS starts_local,
    w.seats,
    w.place,
    w.joined_at,
    w.account_id
FROM wallet.waitlist_places AS w
LEFT JOIN wallet.people AS i ON w.account_id = i.account_id;
COMMENT ON VIEW admin.waitlist IS 'The waitlist of all future classes, with each member''s position.';
COMMENT ON COLUMN admin.waitlist.starts_local IS 'The start in the studio''s time zone.';
COMMENT ON COLUMN admin.waitlist.place IS 'The position in the waitlist; the member at 1 is promoted first.';

CREATE VIEW admin.roster AS
SELECT
    b.class_id,
    b.environment,
    i.user_id,
    i.user_name,
    b.booking_id,
    b.seats::INTEGER AS seats,
    b.unit,
    b.amount,
    b.created_at,
    coalesce(a.attendance, 'unmarked')::TEXT AS attendance,
    coalesce(a.checked_in, FALSE) AS checked_in,
    coalesce(q.fee, 0) AS fee,
    coalesce(q.strike, FALSE) AS strike,
    b.account_id,
    b.cancelled_at,
    b.returned,
    b.series_id,
    b.class_title,
    b.starts_at
FROM (
    SELECT
        c.class_id, c.series_id, c.title AS class_title, c.starts_at, r.environment, r.account_id, r.booking_id,
        r.seats, r.unit, r.amount, r.created_at, r.cancelled_at, r.returned
    FROM wallet.classes AS c
    INNER JOIN wallet.bookings AS r ON c.class_id = r.class_id
    WHERE r.cancelled_at IS NULL
    UNION ALL
    SELECT
        c.class_id, c.series_id, c.title, c.starts_at, r.environment, r.account_id, r.booking_id, r.seats, r.unit,
        r.amount, r.created_at, r.cancelled_at, r.returned
    FROM wallet.classes AS c
    INNER JOIN wallet.called_off_bookings AS o ON c.class_id = o.class_id
    -- No index finds the cancelled bookings of a class that their members cancelled first.
    INNER JOIN wallet.bookings AS r ON o.booking_id = r.booking_id AND o.class_id = r.class_id
    WHERE r.cancelled_at IS NOT NULL
) AS b
LEFT JOIN wallet.attendances AS a ON b.account_id = a.account_id AND b.booking_id = a.booking_id
LEFT JOIN wallet.consequences AS q
    ON b.account_id = q.account_id AND b.booking_id = q.booking_id AND q.withdrawn_at IS NULL
LEFT JOIN wallet.people AS i ON b.account_id = i.account_id;
COMMENT ON VIEW admin.roster IS
'All active bookings by class, and for cancelled classes the bookings that they had when they were cancelled.';
COMMENT ON COLUMN admin.roster.attendance IS 'unmarked, attended, no_show or excused.';
COMMENT ON COLUMN admin.roster.checked_in IS 'Whether the member checked in.';
COMMENT ON COLUMN admin.roster.fee IS 'The fee in credits for a no-show.';
COMMENT ON COLUMN admin.roster.strike IS 'Whether the no-show counts as a strike.';
COMMENT ON COLUMN admin.roster.returned IS
'The returned amount, after the cancellation of the class; null for an active booking.';
COMMENT ON COLUMN admin.roster.amount IS 'The amount spent by the booking; 0 with an unlimited plan.';
