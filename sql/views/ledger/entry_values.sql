-- The amounts that each entry adds to the sums of its day. The price of a purchase is spread evenly over all units that
-- it grants, in all lots of a bundle, and a rolled-over amount keeps its value in the next period. An entry keeps its
-- value, unless a later report changes the price of a unit (wallet.revalue_sums).
CREATE VIEW wallet.entry_values AS
SELECT
    e.account_id,
    e.environment,
    e.version,
    e.lot_id,
    (e.at AT TIME ZONE (SELECT wallet.studio_time_zone()))::DATE AS day,
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
-- A lot keeps its origin when it moves to another account.
LEFT JOIN wallet.lots AS l
    ON
        o.lot_id = l.lot_id
        AND l.account_id = CASE
            WHEN o.moved_to IS NULL THEN o.account_id ELSE wallet.lot_owner(o.account_id, o.lot_id)
        END
LEFT JOIN LATERAL (
    SELECT
        c.currency,
        c.price_minor::NUMERIC * c.quantity AS price,
        wallet.claim_worth(c) + CASE WHEN c.bundle_items IS NULL THEN 0 ELSE c.quantity * (
            SELECT sum(i.amount) FROM unnest(c.bundle_items) AS i
        ) END AS granted
    FROM wallet.claims AS c
    WHERE c.claim_id = coalesce(l.claim_id, l.rolled_from) AND c.price_minor > 0
) AS v ON v.granted > 0
-- A booking with an unlimited plan changes no balance.
WHERE e.unit IS NOT NULL;
COMMENT ON VIEW wallet.entry_values IS 'The amounts that each ledger entry adds to the sums of its day.';
COMMENT ON COLUMN wallet.entry_values.value_minor IS
'The amount at the list price of the purchase, in the currency''s minor unit; 0 if it was not sold.';
