-- The ledger as shown to its owner.
CREATE VIEW wallet.ledger AS
SELECT
    e.account_id,
    e.environment,
    e.version,
    e.at,
    e.kind::TEXT AS kind,
    e.unit,
    e.amount,
    e.owed_change,
    e.balance_after,
    e.lot_id,
    e.booking_id,
    coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id) AS transaction_id,
    t.actor,
    t.reason,
    encode(e.hash, 'hex') AS hash
FROM wallet.entries AS e
LEFT JOIN wallet.claims AS c ON e.claim_id = c.claim_id
LEFT JOIN wallet.entry_texts AS t
    ON e.account_id = t.account_id AND e.environment = t.environment AND e.version = t.version;
COMMENT ON VIEW wallet.ledger IS 'The ledger with transaction ids and reasons.';
