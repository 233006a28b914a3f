-- The history of a user, one sentence a row. Support uses it to answer "where are my credits?". The ledger has one
-- entry for each lot of a booking, and none for changes without a balance. This view has one row for each booking,
-- cancellation, purchase, change of a subscription, message and operator action. The history of a merged account
-- belongs to its new account.
CREATE VIEW wallet.timeline AS
SELECT
    i.user_id,
    f.environment,
    f.at,
    f.kind,
    CASE
        WHEN f.amount <> 0 THEN concat(
            CASE WHEN f.amount > 0 THEN '+' ELSE '−' END, abs(f.amount), ' ', f.unit,
            CASE WHEN abs(f.amount) <> 1 THEN 's' END, ': ', f.what
        )
        ELSE f.what
    END AS fact,
    f.unit,
    f.amount,
    f.balance_after,
    f.actor,
    f.reason,
    f.booking_id,
    f.transaction_id,
    f.version,
    i.account_id
FROM wallet.identities AS i
CROSS JOIN LATERAL (
    SELECT i.account_id
    UNION ALL
    SELECT m.account_id FROM wallet.accounts AS m WHERE m.merged_into = i.account_id
) AS a
CROSS JOIN LATERAL (
    SELECT
        e.environment,
        e.at,
        e.kind,
        e.what,
        e.unit,
        e.amount,
        e.balance_after,
        e.actor,
        e.reason,
        e.booking_id,
        e.transaction_id,
        e.version
    FROM wallet.ledger_facts AS e
    WHERE e.account_id = a.account_id
    UNION ALL
    SELECT
        b.environment, b.at, b.kind, b.what, b.unit, b.amount, e.balance_after, b.actor, b.reason, b.booking_id, NULL,
        e.version
    FROM wallet.booking_facts AS b
    -- The last entry of the booking or return, which has one entry for each lot. A booking is paid once, and returns at
    -- most once.
    LEFT JOIN (
        SELECT DISTINCT ON (l.booking_id, l.kind) l.booking_id, l.kind, l.balance_after, l.version
        FROM wallet.entries AS l
        WHERE l.account_id = a.account_id AND l.kind IN ('spend', 'return') AND l.booking_id IS NOT NULL
        ORDER BY l.booking_id, l.kind, l.version DESC
    ) AS e
        ON
            b.booking_id = e.booking_id
            AND e.kind = CASE WHEN b.amount < 0 THEN 'spend' WHEN b.amount > 0 THEN 'return' END
    WHERE b.account_id = a.account_id
    UNION ALL
    SELECT c.environment, c.at, c.kind, c.what, NULL, 0, NULL, c.actor, c.reason, NULL, c.transaction_id, NULL
    FROM wallet.purchase_facts AS c
    WHERE c.account_id = a.account_id
    UNION ALL
    SELECT r.environment, r.at, r.kind, r.what, NULL, 0, NULL, r.actor, r.reason, NULL, NULL, NULL
    FROM wallet.action_facts AS r
    WHERE r.account_id = a.account_id
) AS f
WHERE i.merged_at IS NULL;
COMMENT ON VIEW wallet.timeline IS 'The history of a user, one sentence a row. Query it for one user.';
