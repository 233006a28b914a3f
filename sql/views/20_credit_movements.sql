-- The credits' part of the ledger with what each entry was for, as a statement of account shows it.
CREATE VIEW wallet.credit_movements AS
SELECT
    e.account_id,
    e.environment,
    e.version,
    e.at,
    e.kind,
    e.amount,
    e.balance_after,
    e.lot_id,
    l.source,
    e.booking_id,
    s.title AS class_title,
    coalesce(c.transaction_id, c.order_id, c.purchase_token) AS transaction_id,
    p.name AS product_name,
    t.reason,
    encode(e.hash, 'hex') AS hash
FROM wallet.entries AS e
LEFT JOIN wallet.lots AS l ON e.account_id = l.account_id AND e.lot_id = l.lot_id
LEFT JOIN wallet.products AS p ON l.product_id = p.product_id
LEFT JOIN wallet.claims AS c ON e.claim_id = c.claim_id
LEFT JOIN wallet.bookings AS b ON e.account_id = b.account_id AND e.booking_id = b.booking_id
LEFT JOIN wallet.classes AS s ON b.class_id = s.class_id
LEFT JOIN wallet.entry_texts AS t
    ON e.account_id = t.account_id AND e.environment = t.environment AND e.version = t.version
WHERE e.unit = 'credit';
COMMENT ON VIEW wallet.credit_movements IS 'Ledger entries of credits with what each was for.';
