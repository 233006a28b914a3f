-- Store reports and changes of purchases outside the ledger, as sentences.
CREATE VIEW wallet.purchase_facts AS
-- Purchases without a lot: they granted nothing, or an unlimited plan.
SELECT
    c.account_id,
    c.environment,
    c.purchased_at AS at,
    'purchase' AS kind,
    concat(
        'bought ', coalesce(p.name, c.store_product_id),
        CASE
            WHEN c.granted_at IS NULL THEN ', not granted: ' || c.verdict
            WHEN c.expires_at < 'infinity' THEN ' until ' || wallet.studio_time(c.expires_at)
        END
    ) AS what,
    NULL::TEXT AS actor,
    NULL::TEXT AS reason,
    coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id) AS transaction_id
FROM wallet.claims AS c
LEFT JOIN wallet.products AS p ON c.product_id = p.product_id
WHERE c.duplicate_of IS NULL AND NOT EXISTS (SELECT FROM wallet.lots AS l WHERE l.claim_id = c.claim_id)
UNION ALL
-- Purchases released by an operator or by the deletion of their owner.
SELECT
    c.account_id,
    c.environment,
    c.released_at,
    'released',
    concat(
        'released ', coalesce(p.name, c.store_product_id), ' by ' || r.actor, ' for any user with proof of purchase',
        ': ' || r.reason
    ),
    r.actor,
    r.reason,
    coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id)
FROM wallet.claims AS c
LEFT JOIN wallet.products AS p ON c.product_id = p.product_id
LEFT JOIN LATERAL (
    SELECT t.actor, t.reason FROM wallet.audit AS o
    INNER JOIN wallet.audit_texts AS t ON o.audit_id = t.audit_id
    WHERE o.kind = 'purchase' AND o.object_id = c.claim_id::TEXT AND o.action = 'release-purchase'
    ORDER BY o.audit_id DESC
    LIMIT 1
) AS r ON TRUE
WHERE c.duplicate_of IS NULL AND c.released_at IS NOT NULL
UNION ALL
-- The last store report on each period.
SELECT
    c.account_id,
    c.environment,
    g.since,
    'subscription',
    concat(
        CASE g.flag
            WHEN 'will_renew' THEN 'turned off the renewal of '
            WHEN 'commitment_renews' THEN 'turned off the renewal of the commitment to '
            WHEN 'billing_issue' THEN 'the store could not charge for '
            WHEN 'paused' THEN 'paused '
            ELSE 'the store revoked '
        END,
        coalesce(p.name, c.store_product_id)
    ),
    NULL,
    NULL,
    coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id)
FROM wallet.claims AS c
INNER JOIN wallet.period_flags AS g ON c.claim_id = g.claim_id
LEFT JOIN wallet.products AS p ON c.product_id = p.product_id
WHERE
    c.duplicate_of IS NULL AND g.since > '-infinity'
    AND (g.flag, g.value) IN (
        ('will_renew', 'false'), ('billing_issue', 'true'), ('paused', 'true'), ('revoked', 'true'),
        ('commitment_renews', 'false')
    )
UNION ALL
SELECT
    r.account_id,
    r.environment,
    r.raised_at,
    'flag',
    format('%s refunds raised a flag', r.refunds),
    NULL,
    NULL,
    NULL
FROM wallet.review_flags AS r
UNION ALL
-- Waiting messages are linked to their user. A processed message is reported above or in the ledger.
SELECT
    i.account_id,
    NULL,
    n.received_at,
    'message',
    concat('a message from ', n.source, ' is waiting', ': ' || n.type, ', ' || n.status, ', ' || n.reason),
    NULL,
    NULL,
    NULL
FROM wallet.identities AS i
INNER JOIN wallet.inbox AS n ON n.names && ARRAY[i.user_id, i.app_account_token::TEXT];
COMMENT ON VIEW wallet.purchase_facts IS 'Store reports and changes of purchases, as sentences.';
