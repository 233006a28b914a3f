-- The ledger entries of credits with their purpose, as on a statement of account.
CREATE VIEW wallet.credit_movements AS
SELECT
    e.account_id,
    e.environment,
    e.version,
    e.at,
    e.kind::TEXT AS kind,
    e.amount,
    e.balance_after,
    e.lot_id,
    -- Each lookup uses both parts of the key, because a join would read all lots and bookings of the account.
    (
        SELECT l.source::TEXT FROM wallet.lots AS l WHERE l.account_id = e.account_id AND l.lot_id = e.lot_id
    ) AS source,
    e.booking_id,
    (
        SELECT s.title FROM wallet.bookings AS b
        INNER JOIN wallet.classes AS s ON b.class_id = s.class_id
        WHERE b.account_id = e.account_id AND b.booking_id = e.booking_id
    ) AS class_title,
    coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id) AS transaction_id,
    (
        SELECT p.name FROM wallet.lots AS l
        INNER JOIN wallet.products AS p ON l.product_id = p.product_id
        WHERE l.account_id = e.account_id AND l.lot_id = e.lot_id
    ) AS product_name,
    t.reason,
    encode(e.hash, 'hex') AS hash
FROM wallet.entries AS e
LEFT JOIN wallet.claims AS c ON e.claim_id = c.claim_id
LEFT JOIN wallet.entry_texts AS t
    ON e.account_id = t.account_id AND e.environment = t.environment AND e.version = t.version
WHERE e.unit = 'credit';
COMMENT ON VIEW wallet.credit_movements IS 'Ledger entries of credits with their purpose.';
