-- What each entry adds to the sums of its day, today as on any later day: what a purchase cost is spread over all that
-- it grants, and what rolls over into the next period is worth there what it was.
CREATE VIEW wallet.entry_values AS
SELECT
    e.account_id,
    e.environment,
    e.version,
    (e.at AT TIME ZONE 'UTC')::DATE AS day,
    e.unit,
    coalesce(CASE WHEN l.rolled_from IS NULL THEN l.source::TEXT ELSE 'rollover' END, '') AS source,
    coalesce(l.product_id, '') AS product_id,
    coalesce(v.currency, '') AS currency,
    e.kind,
    e.amount,
    e.owed_change,
    coalesce(round(e.amount * v.price / v.granted, 12), 0) AS value_minor
FROM wallet.entries AS e
LEFT JOIN wallet.lots AS o ON e.account_id = o.account_id AND e.lot_id = o.lot_id
-- A lot takes what it came from along when it moves to another account.
LEFT JOIN wallet.lots AS l
    ON
        o.lot_id = l.lot_id
        AND l.account_id = CASE
            WHEN o.moved_to IS NULL THEN o.account_id ELSE wallet.lot_owner(o.account_id, o.lot_id)
        END
LEFT JOIN LATERAL (
    SELECT c.currency, c.price_minor::NUMERIC * c.quantity AS price, wallet.claim_worth(c) AS granted
    FROM wallet.claims AS c
    WHERE c.claim_id = coalesce(l.claim_id, l.rolled_from) AND c.price_minor > 0
) AS v ON v.granted > 0
-- A booking of an unlimited plan moves nothing.
WHERE e.unit IS NOT NULL;
COMMENT ON VIEW wallet.entry_values IS 'What each entry of the ledger adds to the sums of its day.';
COMMENT ON COLUMN wallet.entry_values.value_minor IS
'The amount at the list price of the purchase, in the currency''s minor unit; 0 for what was not sold.';
