-- The uses of the lots that purchases granted: bookings without a return, and visits that an app spent directly. The
-- views of passes and purchases read it.
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
    -- Payments of a lot before it moved are in the ledger of its former account.
    SELECT e.account_id, e.booking_id, -sum(e.amount)::BIGINT AS amount
    FROM wallet.entries AS e
    WHERE
        -- An array, so that each account's entries are found by their key even before the tables are analyzed.
        e.account_id = any(array(
            SELECT l.account_id
            UNION ALL
            SELECT h.account_id FROM wallet.lots AS h WHERE h.lot_id = l.lot_id AND h.moved_to IS NOT NULL
        ))
        AND e.environment = l.environment AND e.lot_id = l.lot_id
        AND e.kind = 'spend' AND e.booking_id IS NOT NULL
    GROUP BY e.account_id, e.booking_id
) AS p
-- A booking is found through its own account's ledger or through that of a merged account, each by its own index.
CROSS JOIN LATERAL (
    SELECT o.booking_id, o.class_id, o.created_at, o.returned FROM wallet.bookings AS o
    WHERE o.account_id = p.account_id AND o.booking_id = p.booking_id AND o.ledger_account_id IS NULL
    UNION ALL
    SELECT m.booking_id, m.class_id, m.created_at, m.returned FROM wallet.bookings AS m
    WHERE m.ledger_account_id = p.account_id AND m.booking_id = p.booking_id
) AS b
INNER JOIN wallet.classes AS c ON b.class_id = c.class_id
-- A return may have repaid the lot's own debt without changing the balance, so the booking's returned amount decides.
WHERE l.claim_id IS NOT NULL AND coalesce(b.returned, 0) = 0
UNION ALL
SELECT
    l.account_id,
    l.lot_id,
    NULL,
    NULL,
    NULL,
    -- A former owner's reference is shown only to the account that the owner was merged into. A user who restored the
    -- purchase does not see it.
    CASE WHEN l.account_id IN (a.account_id, a.merged_into) THEN u.reference END,
    1,
    u.used_at
FROM wallet.lots AS l
INNER JOIN wallet.pass_uses AS u ON l.claim_id = u.claim_id AND l.bundle_item = u.bundle_item
INNER JOIN wallet.accounts AS a ON u.account_id = a.account_id;
COMMENT ON VIEW wallet.lot_uses IS 'The uses of the lots that purchases granted.';
