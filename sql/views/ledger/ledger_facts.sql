-- The changes of a balance as sentences, except bookings: one row for each ledger entry.
CREATE VIEW wallet.ledger_facts AS
SELECT
    e.account_id,
    e.environment,
    e.at,
    e.kind::TEXT AS kind,
    CASE e.kind
        WHEN 'grant' THEN 'bought ' || coalesce(p.name, c.store_product_id)
        WHEN 'rollover' THEN 'rolled over from the previous period'
        WHEN 'import' THEN 'imported from another system'
        WHEN 'adjust' THEN CASE WHEN l.source = 'promo' AND e.amount > 0 THEN 'a gift' ELSE 'adjusted' END
            || coalesce(' by ' || t.actor, '') || coalesce(': ' || t.reason, '')
        WHEN 'lapse' THEN 'expired unused'
        WHEN 'refund' THEN 'the store refunded ' || coalesce(p.name, c.store_product_id, 'a purchase')
        WHEN 'refund_reversal' THEN 'the store reversed the refund of '
            || coalesce(p.name, c.store_product_id, 'a purchase')
        WHEN 'repay' THEN 'repaid a debt'
        WHEN 'repay_return' THEN 'the repayment of a debt was returned'
        WHEN 'reopen' THEN 'available again after a class change or a waiver'
        WHEN 'transfer_out' THEN 'moved to another account'
        WHEN 'transfer_in' THEN 'moved from another account'
        WHEN 'spend' THEN 'used in the app'
        WHEN 'return' THEN 'returned'
        WHEN 'fee' THEN 'fee for ' || f.reason
        WHEN 'fee_return' THEN 'the fee for ' || f.reason || ' was returned'
        -- Its amount is 0; the action's own row has the dates.
        WHEN 'freeze' THEN 'the expiry moved'
    END || CASE
        WHEN e.owed_change > 0 THEN format('; the debt increased by %s', e.owed_change)
        WHEN e.owed_change < 0 THEN format('; the debt decreased by %s', -e.owed_change)
        ELSE ''
    END AS what,
    e.unit,
    e.amount,
    e.balance_after,
    t.actor,
    t.reason,
    e.booking_id,
    coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id) AS transaction_id,
    e.version
FROM wallet.entries AS e
LEFT JOIN wallet.lots AS l ON e.account_id = l.account_id AND e.lot_id = l.lot_id
LEFT JOIN wallet.claims AS c ON e.claim_id = c.claim_id
LEFT JOIN wallet.products AS p ON c.product_id = p.product_id
LEFT JOIN wallet.entry_texts AS t
    ON e.account_id = t.account_id AND e.environment = t.environment AND e.version = t.version
LEFT JOIN LATERAL (
    SELECT CASE
        WHEN b.cancelled_at IS NULL THEN 'not coming to ' ELSE 'the cancellation of '
    END || s.title AS reason
    FROM wallet.bookings AS b
    INNER JOIN wallet.classes AS s ON b.class_id = s.class_id
    WHERE b.booking_id = e.booking_id AND e.kind IN ('fee', 'fee_return')
) AS f ON TRUE
WHERE e.kind NOT IN ('spend', 'return') OR e.booking_id IS NULL;
COMMENT ON VIEW wallet.ledger_facts IS 'The changes of a balance as sentences, except bookings.';
