-- What the lots that purchases granted have paid for and what still stands of it: bookings that gave nothing back, and
-- visits that an app spent by itself. Read by the views of passes and purchases.
CREATE VIEW wallet.lot_uses AS
SELECT
    l.account_id,
    l.lot_id,
    b.booking_id,
    b.class_id,
    c.title AS class_title,
    NULL::TEXT AS reference,
    p.amount,
    b.created_at AS used_at
FROM wallet.lots AS l
CROSS JOIN LATERAL (
    -- What a lot paid for before it moved is in the ledger of the account that owned it then.
    SELECT e.account_id, e.booking_id, -sum(e.amount)::BIGINT AS amount
    FROM wallet.entries AS e
    WHERE
        e.account_id IN (
            SELECT l.account_id
            UNION ALL
            SELECT h.account_id FROM wallet.lots AS h WHERE h.lot_id = l.lot_id AND h.moved_to IS NOT NULL
        )
        AND e.environment = l.environment AND e.lot_id = l.lot_id
        AND e.kind = 'spend' AND e.booking_id IS NOT NULL
    GROUP BY e.account_id, e.booking_id
) AS p
-- The two ways to a booking, each by its own index: its account's own ledger, or that of the account that was merged.
CROSS JOIN LATERAL (
    SELECT o.booking_id, o.class_id, o.created_at, o.returned FROM wallet.bookings AS o
    WHERE o.account_id = p.account_id AND o.booking_id = p.booking_id AND o.ledger_account_id IS NULL
    UNION ALL
    SELECT m.booking_id, m.class_id, m.created_at, m.returned FROM wallet.bookings AS m
    WHERE m.ledger_account_id = p.account_id AND m.booking_id = p.booking_id
) AS b
INNER JOIN wallet.classes AS c ON b.class_id = c.class_id
-- A return may have paid the lot's own debt and moved no balance, so the booking says what came back.
WHERE l.claim_id IS NOT NULL AND coalesce(b.returned, 0) = 0
UNION ALL
SELECT
    l.account_id,
    l.lot_id,
    NULL,
    NULL,
    NULL,
    -- What a former owner wrote is for the account they became, not for whom the purchase was released to.
    CASE WHEN l.account_id IN (a.account_id, a.merged_into) THEN u.reference END,
    1,
    u.used_at
FROM wallet.lots AS l
INNER JOIN wallet.pass_uses AS u ON l.claim_id = u.claim_id
INNER JOIN wallet.accounts AS a ON u.account_id = a.account_id;
COMMENT ON VIEW wallet.lot_uses IS 'What the lots of purchases have paid for and what still stands of it.';
