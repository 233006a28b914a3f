-- What happened to a user, one line a fact, for support that answers "where are my credits?". The ledger has a line for
-- each lot that a booking touches and none for what moved no balance. This has a line for each booking, cancellation,
-- purchase and change of a subscription. What a merged account did before is its new account's.
CREATE VIEW admin.timeline AS
SELECT
    i.user_id,
    f.environment,
    f.at,
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
    -- What moved a balance, but for bookings.
    SELECT
        e.environment,
        e.at,
        CASE e.kind
            WHEN 'grant' THEN 'bought ' || coalesce(p.name, c.store_product_id)
            WHEN 'rollover' THEN 'rolled over from the period before'
            WHEN 'import' THEN 'brought along from another system'
            WHEN 'adjust' THEN CASE WHEN l.source = 'promo' AND e.amount > 0 THEN 'a gift' ELSE 'adjusted' END
                || coalesce(' by ' || t.actor, '') || coalesce(': ' || t.reason, '')
            WHEN 'lapse' THEN 'expired unused'
            WHEN 'refund' THEN 'the store refunded ' || coalesce(p.name, c.store_product_id, 'a purchase')
            WHEN 'refund_reversal' THEN 'the store took a refund of '
                || coalesce(p.name, c.store_product_id, 'a purchase') || ' back'
            WHEN 'repay' THEN 'repaid what was owed'
            WHEN 'repay_return' THEN 'what had been repaid came back'
            WHEN 'reopen' THEN 'may be spent again after a change of a class'
            WHEN 'transfer_out' THEN 'moved to another account'
            WHEN 'transfer_in' THEN 'moved here from another account'
            WHEN 'spend' THEN 'used in the app'
            WHEN 'return' THEN 'returned'
        END || CASE
            WHEN e.owed_change > 0 THEN format('; %s more is owed', e.owed_change)
            WHEN e.owed_change < 0 THEN format('; %s less is owed', -e.owed_change)
            ELSE ''
        END AS what,
        e.unit,
        e.amount,
        e.balance_after,
        t.actor,
        t.reason,
        e.booking_id,
        coalesce(c.transaction_id, c.order_id, c.purchase_token) AS transaction_id,
        e.version
    FROM wallet.entries AS e
    LEFT JOIN wallet.lots AS l ON e.account_id = l.account_id AND e.lot_id = l.lot_id
    LEFT JOIN wallet.claims AS c ON e.claim_id = c.claim_id
    LEFT JOIN wallet.products AS p ON c.product_id = p.product_id
    LEFT JOIN wallet.entry_texts AS t
        ON e.account_id = t.account_id AND e.environment = t.environment AND e.version = t.version
    WHERE e.account_id = a.account_id AND (e.kind NOT IN ('spend', 'return') OR e.booking_id IS NULL)
    UNION ALL
    SELECT
        b.environment,
        b.created_at,
        concat(
            CASE WHEN b.promoted THEN 'got from the waitlist ' ELSE 'booked ' END, b.class_title, ' of ',
            to_char(b.starts_at, 'YYYY-MM-DD HH24:MI'),
            CASE WHEN b.seats > 1 THEN format(', %s seats', b.seats) END,
            CASE WHEN b.unit IS NULL THEN ', covered by an unlimited plan' END
        ),
        b.unit,
        -b.amount,
        NULL,
        NULL,
        NULL,
        b.booking_id,
        NULL,
        NULL
    FROM wallet.booking_details AS b
    WHERE b.account_id = a.account_id
    UNION ALL
    SELECT
        b.environment,
        b.cancelled_at,
        concat(
            CASE b.cancelled_by
                WHEN 'user' THEN 'cancelled '
                WHEN 'studio' THEN 'the studio cancelled '
                ELSE 'the wallet cancelled '
            END,
            b.class_title, ' of ', to_char(b.starts_at, 'YYYY-MM-DD HH24:MI'),
            CASE
                WHEN b.late_cancel THEN concat(
                    ', ', regexp_replace(
                        to_char(b.cancelled_at - b.free_until, 'FMDDD "d" FMHH24 "h" FMMI "min"'),
                        '^0 d (0 h )?', ''
                    ), ' too late'
                )
            END,
            CASE WHEN b.amount > 0 AND coalesce(b.returned, 0) = 0 THEN ', nothing returned' END
        ),
        b.unit,
        coalesce(b.returned, 0),
        NULL,
        NULL,
        NULL,
        b.booking_id,
        NULL,
        NULL
    FROM wallet.booking_details AS b
    WHERE b.account_id = a.account_id AND b.cancelled_at IS NOT NULL
    UNION ALL
    -- Purchases that granted nothing, or nothing that is counted.
    SELECT
        c.environment,
        c.purchased_at,
        concat(
            'bought ', coalesce(p.name, c.store_product_id),
            CASE
                WHEN c.granted_at IS NULL THEN ', not granted: ' || c.verdict
                WHEN c.expires_at < 'infinity' THEN ' until ' || to_char(c.expires_at, 'YYYY-MM-DD HH24:MI')
            END
        ),
        NULL,
        0,
        NULL,
        NULL,
        NULL,
        NULL,
        coalesce(c.transaction_id, c.order_id, c.purchase_token),
        NULL
    FROM wallet.claims AS c
    LEFT JOIN wallet.products AS p ON c.product_id = p.product_id
    WHERE
        c.account_id = a.account_id AND c.duplicate_of IS NULL
        AND NOT EXISTS (SELECT FROM wallet.lots AS l WHERE l.claim_id = c.claim_id)
    UNION ALL
    SELECT
        c.environment,
        c.released_at,
        concat('released ', coalesce(p.name, c.store_product_id), ' for anyone who proves it'),
        NULL,
        0,
        NULL,
        NULL,
        NULL,
        NULL,
        coalesce(c.transaction_id, c.order_id, c.purchase_token),
        NULL
    FROM wallet.claims AS c
    LEFT JOIN wallet.products AS p ON c.product_id = p.product_id
    WHERE c.account_id = a.account_id AND c.duplicate_of IS NULL AND c.released_at IS NOT NULL
    UNION ALL
    -- What the stores said last of each period.
    SELECT
        c.environment,
        g.source_at,
        concat(
            CASE g.flag
                WHEN 'will_renew' THEN 'turned off the renewal of '
                WHEN 'billing_issue' THEN 'the store could not charge for '
                WHEN 'paused' THEN 'paused '
                ELSE 'the store revoked '
            END,
            coalesce(p.name, c.store_product_id)
        ),
        NULL,
        0,
        NULL,
        NULL,
        NULL,
        NULL,
        coalesce(c.transaction_id, c.order_id, c.purchase_token),
        NULL
    FROM wallet.claims AS c
    INNER JOIN wallet.period_flags AS g ON c.claim_id = g.claim_id
    LEFT JOIN wallet.products AS p ON c.product_id = p.product_id
    WHERE
        c.account_id = a.account_id AND c.duplicate_of IS NULL AND g.source_at > '-infinity'
        AND (g.flag, g.value) IN (
            ('will_renew', 'false'), ('billing_issue', 'true'), ('paused', 'true'), ('revoked', 'true')
        )
    UNION ALL
    SELECT
        w.environment,
        w.joined_at,
        format('waits for %s of %s, place %s', w.class_title, to_char(w.starts_at, 'YYYY-MM-DD HH24:MI'), w.place),
        NULL,
        0,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL
    FROM wallet.waitlist_places AS w
    WHERE w.account_id = a.account_id
    UNION ALL
    SELECT
        r.environment,
        coalesce(r.resolved_at, r.raised_at),
        format('%s refunds raised a flag%s', r.refunds, ', ' || r.resolution),
        NULL,
        0,
        NULL,
        r.resolved_by,
        NULL,
        NULL,
        NULL,
        NULL
    FROM wallet.review_flags AS r
    WHERE r.account_id = a.account_id
) AS f
WHERE i.merged_at IS NULL;
COMMENT ON VIEW admin.timeline IS
'What happened to a user, one line a fact in words. Ask for one user, and ORDER BY at, version.';
COMMENT ON COLUMN admin.timeline.fact IS
'What happened, with what it gave or took; instants in the session''s time zone.';
COMMENT ON COLUMN admin.timeline.balance_after IS
'What the ledger says was left in this unit; null where it has no line.';
COMMENT ON COLUMN admin.timeline.version IS 'The ledger''s number of the entry; null where it has none, or several.';
