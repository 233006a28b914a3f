-- Invariants that recompute stored data from entries and facts, each an empty view as in broken.sql. All rows of a
-- wallet are read by its account, so that a range of accounts can be checked separately.

-- All entries of a lot in every account that has held it. Each lot has one additional row, so that lots without entries
-- are included.
CREATE VIEW wallet.lot_entries AS
SELECT
    l.account_id, l.environment, l.lot_id, n.kind, n.unit, n.amount, n.owed_change, n.booking_id, n.version, n.at,
    n.account_id + 0 AS posted_in
FROM wallet.lots AS l
INNER JOIN wallet.entries AS n
    ON l.account_id = n.account_id AND l.environment = n.environment AND l.lot_id = n.lot_id
WHERE l.moved_to IS NULL
UNION ALL
SELECT
    l.account_id, l.environment, l.lot_id, n.kind, n.unit, n.amount, n.owed_change, n.booking_id, n.version, n.at,
    n.account_id AS posted_in
FROM wallet.lots AS l
INNER JOIN wallet.lots AS m ON l.lot_id = m.lot_id AND m.moved_to IS NOT NULL
INNER JOIN wallet.entries AS n
    ON m.account_id = n.account_id AND m.environment = n.environment AND m.lot_id = n.lot_id
WHERE l.moved_to IS NULL
UNION ALL
SELECT l.account_id, l.environment, l.lot_id, NULL, l.unit, NULL, NULL, NULL, NULL, NULL, NULL
FROM wallet.lots AS l
WHERE l.moved_to IS NULL;
COMMENT ON VIEW wallet.lot_entries IS 'All entries of every lot, in every account that has held it.';

-- The granted, spent and lapsed amounts of a lot according to its entries. An entry contains the change of the
-- remaining amount, which may differ from the whole movement. A return equals the amount that its booking spent from
-- the lot, and a withdrawn fee the amount that it took. A lot of a fee was granted what the fee added to the debt. A
-- reopening reverses everything that had lapsed. The amount that a debt returns to a lot with a debt of its own is at
-- least the entry's amount. A lot whose repayment was settled with its debtor in another account has spent more than
-- its repayments show, but not more than its entries show.
CREATE VIEW wallet.lot_sums AS
SELECT
    b.account_id,
    b.environment,
    b.lot_id,
    coalesce(sum(b.given), 0) AS given,
    coalesce(sum(b.bought), 0) AS bought,
    coalesce(sum(b.grants), 0) AS grants,
    coalesce(sum(b.used), 0) AS used,
    coalesce(sum(b.repaid), 0) AS repaid,
    coalesce(sum(b.lapsed), 0) AS lapsed,
    coalesce(bool_or(b.reopened), FALSE) AS reopened,
    coalesce(bool_or(b.refunded), FALSE) AS refunded,
    bool_and(b.one_unit) AS one_unit
FROM (
    SELECT
        n.account_id,
        n.environment,
        n.lot_id,
        sum(CASE n.kind WHEN 'fee' THEN n.owed_change ELSE n.amount END) FILTER (
            WHERE n.kind IN ('rollover', 'fee') OR (n.kind IN ('adjust', 'import') AND n.amount > 0)
        ) AS given,
        sum(n.amount) FILTER (WHERE n.kind = 'grant') AS bought,
        count(*) FILTER (WHERE n.kind = 'grant') AS grants,
        CASE WHEN bool_or(n.kind = 'return') THEN 0 ELSE -sum(
            CASE n.kind WHEN 'fee' THEN n.amount - n.owed_change ELSE n.amount END
        ) FILTER (
            WHERE n.kind = 'spend' OR (n.kind IN ('adjust', 'import') AND n.amount < 0) OR (
                n.kind = 'fee' AND NOT EXISTS (
                    SELECT FROM wallet.consequences AS c
                    WHERE
                        c.ledger_account_id = n.posted_in AND c.environment = n.environment
                        AND n.version BETWEEN c.first_version AND c.first_version + c.entry_count - 1
                        AND c.withdrawn_at IS NOT NULL
                )
            )
        ) END AS used,
        -sum(CASE n.kind WHEN 'repay' THEN n.amount ELSE n.amount - n.owed_change END) FILTER (
            WHERE n.kind IN ('repay', 'repay_return')
        ) AS repaid,
        -sum(n.amount) FILTER (WHERE n.kind = 'lapse') AS lapsed,
        bool_or(n.kind = 'reopen') AS reopened,
        bool_or(n.kind = 'refund') AS refunded,
        min(n.unit) = max(n.unit) AS one_unit
    FROM wallet.lot_entries AS n
    -- The lapse of an amount returned to an expired lot has a booking id, too.
    GROUP BY n.account_id, n.environment, n.lot_id, CASE WHEN n.kind IN ('spend', 'return') THEN n.booking_id END
) AS b
GROUP BY b.account_id, b.environment, b.lot_id;
COMMENT ON VIEW wallet.lot_sums IS 'The granted, spent and lapsed amounts of every lot, according to its entries.';

CREATE VIEW wallet.broken_lot_parts AS
SELECT e.environment, e.account_id, NULL::BIGINT AS version, format(
    'lot %s has %s granted, %s spent, %s lapsed, %s refunded; its entries have %s bought, %s given, %s used, up to %s '
    'repaid, %s lapsed', l.lot_id, l.granted, l.spent, l.lapsed, l.refunded, e.bought, e.given, e.used, e.repaid,
    e.lapsed
) AS detail
FROM wallet.lot_sums AS e
INNER JOIN wallet.lots AS l
    ON e.account_id = l.account_id AND e.lot_id = l.lot_id AND e.environment = l.environment
LEFT JOIN LATERAL (
    SELECT coalesce(sum(r.amount), 0) AS amount FROM wallet.repayments AS r
    WHERE r.account_id = l.account_id AND r.payer_lot_id = l.lot_id
) AS p ON TRUE
WHERE
    NOT e.one_unit
    OR CASE e.grants
        WHEN 0 THEN l.granted <> e.given
        WHEN 1 THEN l.granted <> e.bought
        -- If the lot has a debt, a later increase of its grant reduces the debt and is not in the entries' amounts.
        ELSE l.granted < e.bought
    END
    OR l.spent - e.used NOT BETWEEN p.amount AND e.repaid
    OR CASE l.source WHEN 'fee' THEN l.refunded <> l.granted ELSE l.refunded > 0 AND NOT e.refunded END
    OR l.lapsed <> CASE WHEN NOT e.reopened THEN e.lapsed ELSE (
        SELECT coalesce(-sum(n.amount), 0)
        FROM (
            SELECT
                o.kind, o.amount, bool_or(o.kind = 'reopen') OVER (
                    ORDER BY o.at, o.posted_in = l.account_id, o.version
                    ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING
                ) AS reopens
            FROM wallet.lot_entries AS o
            WHERE o.account_id = l.account_id AND o.lot_id = l.lot_id AND o.version IS NOT NULL
        ) AS n
        WHERE n.kind = 'lapse' AND n.reopens IS NOT TRUE
    ) END
UNION ALL
SELECT l.environment, l.account_id, NULL, format('lot %s moved to another account, but has amounts here', l.lot_id)
FROM wallet.lots AS l
WHERE
    l.moved_to IS NOT NULL
    AND (l.granted, l.spent, l.lapsed, l.refunded, l.repaid) IS DISTINCT FROM (0::BIGINT, 0, 0, 0, 0);
COMMENT ON VIEW wallet.broken_lot_parts IS 'Lots whose amounts differ from those of their entries.';

CREATE VIEW wallet.broken_lot_terms AS
SELECT t.environment, t.account_id, NULL::BIGINT AS version, format('lot %s %s', t.lot_id, t.problem) AS detail
FROM (
    SELECT
        l.environment,
        l.account_id,
        l.lot_id,
        CASE
            WHEN w.account_id IS NULL THEN 'has no wallet'
            WHEN l.moved_to IS NOT NULL THEN CASE
                WHEN l.moved_to = l.account_id OR h.lot_id IS NULL THEN 'does not exist in the account it moved to'
                WHEN
                    (h.unit, h.source, h.environment) <> (l.unit, l.source, l.environment)
                    OR coalesce(h.product_id, '') <> coalesce(l.product_id, '')
                    THEN 'differs from the lot in the account it moved to'
                WHEN coalesce(l.claim_id, l.rolled_from) IS NOT NULL OR l.released_at IS NOT NULL
                    OR l.frozen_seconds <> 0 OR l.starts_at IS NOT NULL OR l.bundle_item <> 0
                    THEN 'moved to another account, but still refers to its purchase here'
            END
            WHEN (l.frozen_from IS DISTINCT FROM z.frozen_from) OR (l.frozen_until IS DISTINCT FROM z.frozen_until)
                OR (l.frozen_seconds IS DISTINCT FROM z.frozen_seconds) THEN 'differs from its freezes'
            WHEN (l.source IN ('pack', 'pass', 'plan')) <> (num_nonnulls(l.claim_id, l.rolled_from) = 1)
                OR num_nonnulls(l.claim_id, l.rolled_from) > 1
                OR (l.rolled_from IS NOT NULL AND l.source <> 'plan') THEN 'does not match the kind of its purchase'
            WHEN coalesce(l.claim_id, l.rolled_from) IS NULL THEN CASE
                WHEN l.product_id IS NOT NULL OR l.released_at IS NOT NULL
                    OR l.starts_at IS NOT NULL OR l.bundle_item <> 0
                    THEN 'has the terms of a purchase, but no purchase'
            END
            WHEN c.claim_id IS NULL OR c.account_id <> l.account_id OR c.environment <> l.environment
                THEN 'belongs to a different account than its purchase'
            WHEN p.product_id IS NULL OR i.kind <> l.source OR (i.terms).unit <> l.unit OR i.kind IS NULL
                OR (l.rolled_from IS NOT NULL AND l.bundle_item <> 0)
                OR (l.claim_id IS NOT NULL AND c.product_id <> l.product_id) THEN 'does not match its product'
            WHEN l.created_at < c.granted_at THEN 'is older than its purchase'
            WHEN (l.released_at IS NULL) <> (c.released_at IS NULL)
                THEN 'is released without its purchase, or the reverse'
            WHEN (l.starts_at IS NULL) <> ((i.terms).starts_within_days IS NULL)
                -- The answer about a token may date a purchase earlier than the message that granted it.
                OR l.starts_at NOT BETWEEN least(
                    u.first_used_at, c.purchased_at + make_interval(hours => 24 * (i.terms).starts_within_days)
                ) AND least(u.first_used_at, c.purchased_at + make_interval(
                    hours => 24 * ((i.terms).starts_within_days + (c.store = 'play_store')::INTEGER)
                )) THEN format('starts at %s, but was first used at %s', l.starts_at, u.first_used_at)
            WHEN l.reopened_until IS NOT NULL THEN CASE
                WHEN l.expires_at <> l.reopened_until THEN 'does not end with its grace days'
                WHEN NOT EXISTS (
                    SELECT FROM wallet.lot_entries AS n
                    INNER JOIN wallet.bookings AS b ON
                        n.booking_id = b.booking_id AND n.posted_in IN (b.account_id, b.ledger_account_id)
                    WHERE
                        n.account_id = l.account_id AND n.lot_id = l.lot_id AND n.kind = 'spend'
                        AND (
                            b.cancelled_at = l.reopened_until - make_interval(hours => 24 * coalesce(c.grace_days, 7))
                            OR EXISTS (
                                SELECT FROM wallet.audit AS r
                                WHERE
                                    r.kind = 'booking' AND r.object_id = b.booking_id::TEXT
                                    AND r.action = 'waive-cancellation'
                                    AND r.at = l.reopened_until - make_interval(hours => 24 * coalesce(c.grace_days, 7))
                            )
                        )
                ) THEN 'was reopened for longer than its grace days'
            END
            WHEN l.source = 'pack' AND l.expires_at <> 'infinity' THEN 'has an expiry, but its product never expires'
            WHEN l.source = 'pass' AND coalesce(
                l.expires_at - make_interval(secs => l.frozen_seconds + 86400::BIGINT * (i.terms).valid_days)
                NOT BETWEEN coalesce(l.starts_at, c.purchased_at) AND coalesce(
                    l.starts_at, c.purchased_at + make_interval(hours => 24 * (c.store = 'play_store')::INTEGER)
                ), l.expires_at <> 'infinity'
            ) THEN format(
                'ends at %s, but started at %s for %s days', l.expires_at, coalesce(l.starts_at, c.purchased_at),
                (i.terms).valid_days
            )
            -- The rollover of a duplicate period is taken back and no longer follows a period.
            WHEN l.source = 'plan' AND l.refunded < l.granted AND l.expires_at <> coalesce(o.ends_at + make_interval(
                secs => CASE WHEN o.ends_at < o.reported_ends_at THEN 0 ELSE l.frozen_seconds END
            ), 'infinity') THEN format('ends at %s, but its period does not', l.expires_at)
        END AS problem
    FROM wallet.lots AS l
    LEFT JOIN wallet.wallets AS w ON l.account_id = w.account_id AND l.environment = w.environment
    LEFT JOIN wallet.lots AS h ON l.moved_to = h.account_id AND l.lot_id = h.lot_id
    LEFT JOIN wallet.claims AS c ON coalesce(l.claim_id, l.rolled_from) = c.claim_id
    LEFT JOIN wallet.products AS p ON l.product_id = p.product_id
    -- The terms of the lot in its purchase.
    CROSS JOIN LATERAL (
        SELECT
            t.terms,
            CASE
                WHEN l.bundle_item = 0 THEN p.kind
                WHEN (t.terms).unit = 'credit' THEN 'pack'
                WHEN (t.terms).unit = 'visit' THEN 'pass'
            END AS kind
        FROM (
            SELECT CASE
                WHEN l.bundle_item > 0 THEN c.bundle_items[l.bundle_item]
                ELSE row(p.unit, NULL, c.valid_days, c.starts_within_days)::wallet.bundle_item
            END AS terms
        ) AS t
    ) AS i
    LEFT JOIN LATERAL (
        SELECT min(n.at) AS first_used_at FROM wallet.lot_entries AS n
        WHERE
            n.account_id = l.account_id AND n.lot_id = l.lot_id AND l.starts_at IS NOT NULL AND n.amount < 0
            AND n.kind IN ('spend', 'fee', 'repay', 'adjust')
    ) AS u ON TRUE
    LEFT JOIN LATERAL (
        SELECT wallet.period_end(n.period) AS ends_at, (n.period).expires_at AS reported_ends_at
        FROM (
            -- Both parts name the source, so that no period is evaluated for the lots of packs and passes.
            SELECT c AS period WHERE l.source = 'plan' AND l.claim_id IS NOT NULL
            UNION ALL
            SELECT a AS period FROM wallet.period_after(c) AS a WHERE l.source = 'plan' AND l.claim_id IS NULL
        ) AS n
    ) AS o ON TRUE
    CROSS JOIN LATERAL (
        SELECT
            max(f.from_at) AS frozen_from, max(f.until_at) AS frozen_until,
            coalesce(sum(extract(EPOCH FROM f.until_at - f.from_at)), 0)::BIGINT AS frozen_seconds
        FROM wallet.freezes AS f
        WHERE f.account_id = l.account_id AND f.lot_id = l.lot_id
    ) AS z
) AS t
WHERE t.problem IS NOT NULL;
COMMENT ON VIEW wallet.broken_lot_terms IS 'Lots whose owner, product or expiry differs from that of their purchase.';

-- Postings of administrators and imports: one row each, with the entries that belong to it.
CREATE VIEW wallet.broken_postings AS
SELECT p.environment, p.account_id, p.first_version AS version, format(
    'the %s of %s %ss differs from its entries: %s in %s entries', p.kind, p.amount, p.unit, e.amount, e.entries
) AS detail
FROM (
    SELECT
        a.environment, a.account_id, a.first_version, a.entry_count, 'adjust' AS kind, a.unit, a.amount, a.source,
        a.expires_at, a.at
    FROM wallet.adjustments AS a
    UNION ALL
    SELECT
        m.environment, m.account_id, m.first_version, m.entry_count, 'import', NULL, NULL, 'import', m.expires_at, NULL
    FROM wallet.imports AS m
) AS p
CROSS JOIN LATERAL (
    SELECT
        count(*) AS entries,
        sum(n.amount) FILTER (WHERE n.kind = p.kind) AS amount,
        bool_and(n.kind IN (p.kind, 'repay', 'repay_return')) AS is_own,
        bool_and(p.unit IS NULL OR n.unit = p.unit) AS one_unit,
        bool_or(n.version = p.first_version AND n.kind = p.kind) AS begins,
        max(n.at) AS at
    FROM wallet.entries AS n
    WHERE
        n.account_id = p.account_id AND n.environment = p.environment
        AND n.version BETWEEN p.first_version AND p.first_version + p.entry_count - 1
) AS e
WHERE
    e.entries <> p.entry_count OR NOT e.is_own OR NOT e.one_unit
    OR (p.kind = 'adjust' AND (p.entry_count = 0 OR e.amount <> p.amount OR e.at <> p.at))
    OR (p.entry_count > 0 AND NOT e.begins)
    OR EXISTS (
        SELECT FROM wallet.entries AS n
        WHERE
            n.account_id = p.account_id AND n.environment = p.environment AND p.entry_count > 0
            AND n.version = p.first_version + p.entry_count AND n.kind = 'repay'
    )
UNION ALL
SELECT p.environment, p.account_id, p.first_version, format(
    'lot %s was posted with source %s until %s, but has source %s until %s', l.lot_id, p.source, p.expires_at, l.source,
    l.expires_at
)
FROM (
    SELECT a.environment, a.account_id, a.first_version, a.entry_count, 'adjust' AS kind, a.source, a.expires_at
    FROM wallet.adjustments AS a
    WHERE a.amount > 0
    UNION ALL
    SELECT m.environment, m.account_id, m.first_version, m.entry_count, 'import', 'import', m.expires_at
    FROM wallet.imports AS m
) AS p
INNER JOIN wallet.entries AS n
    ON
        p.account_id = n.account_id AND p.environment = n.environment AND p.kind = n.kind AND n.amount > 0
        AND n.version BETWEEN p.first_version AND p.first_version + p.entry_count - 1
INNER JOIN wallet.lots AS f ON n.account_id = f.account_id AND n.lot_id = f.lot_id
INNER JOIN wallet.lots AS l
    ON
        n.lot_id = l.lot_id
        AND l.account_id = CASE
            WHEN f.moved_to IS NULL THEN f.account_id ELSE wallet.lot_owner(f.account_id, f.lot_id)
        END
INNER JOIN wallet.accounts AS h ON l.account_id = h.account_id
WHERE
    (l.source, l.unit) <> (p.source, n.unit)
    -- Gifts and adjustments of a deleted user end with the deletion, also during their days of grace.
    OR l.expires_at <> least(coalesce(l.reopened_until, p.expires_at), CASE
        WHEN h.deleted_at >= least(l.reopened_until, p.expires_at)
            OR l.expires_at = h.deleted_at THEN h.deleted_at
    END)
UNION ALL
SELECT a.environment, a.account_id, a.first_version, 'two adjustments refer to the same entry'
FROM wallet.adjustments AS a
INNER JOIN wallet.adjustments AS o
    ON a.account_id = o.account_id AND a.environment = o.environment AND a.first_version = o.first_version
WHERE a.reference < o.reference
UNION ALL
SELECT m.environment, m.account_id, m.first_version, format(
    'the import from %s has the same entries as the import from %s', m.source, o.source
)
FROM wallet.imports AS m
INNER JOIN wallet.imports AS o
    ON m.account_id = o.account_id AND m.environment = o.environment AND m.first_version = o.first_version
WHERE m.entry_count > 0 AND o.entry_count > 0 AND (m.source, m.user_digest) < (o.source, o.user_digest)
UNION ALL
SELECT n.environment, n.account_id, n.version, 'entry belongs to no adjustment or import'
FROM wallet.entries AS n
WHERE
    (n.kind = 'adjust' AND NOT EXISTS (
        SELECT FROM wallet.adjustments AS a
        WHERE
            a.account_id = n.account_id AND a.environment = n.environment
            AND n.version BETWEEN a.first_version AND a.first_version + a.entry_count - 1
    ))
    OR (n.kind = 'import' AND NOT EXISTS (
        SELECT FROM wallet.imports AS m
        WHERE
            m.account_id = n.account_id AND m.environment = n.environment
            AND n.version BETWEEN m.first_version AND m.first_version + m.entry_count - 1
    ));
COMMENT ON VIEW wallet.broken_postings IS 'Adjustments and imports that differ from their entries and lots.';

CREATE VIEW wallet.broken_subscriptions AS
SELECT s.environment, s.account_id, NULL::BIGINT AS version, format(
    'subscription %s has %s; its periods have %s', s.subscription_id,
    concat_ws(
        ' ', s.current_claim_id, s.account_id, s.product_id, s.tier, s.entitlements, s.unlimited,
        s.rollover_percentage, s.days_ahead, s.period_type, s.period_start, s.period_end, s.grace_ends_at, s.will_renew,
        s.billing_issue, s.paused, s.ended, s.released_at
    ),
    concat_ws(
        ' ', e.current_claim_id, e.account_id, e.product_id, e.tier, e.entitlements, e.unlimited,
        e.rollover_percentage, e.days_ahead, e.period_type, e.period_start, e.period_end, e.grace_ends_at, e.will_renew,
        e.billing_issue, e.paused, e.ended, e.released_at
    )
) AS detail
FROM wallet.subscriptions AS s
LEFT JOIN LATERAL (
    SELECT
        c.claim_id AS current_claim_id, wallet.transferred_to(c) AS account_id, c.product_id, c.tier, c.entitlements,
        c.unlimited, c.rollover_percentage, c.days_ahead, coalesce(c.period_type, 'normal') AS period_type,
        c.released_at, c.account_id AS buyer, c.purchased_at AS period_start,
        wallet.period_end(c) AS period_end,
        wallet.grace_end(c) AS grace_ends_at,
        wallet.period_renews(c) AS will_renew,
        wallet.has_billing_issue(c) AS billing_issue,
        coalesce(wallet.period_flag(c.claim_id, 'paused')::BOOLEAN, FALSE) AS paused,
        CASE
            WHEN wallet.period_flag(c.claim_id, 'revoked')::BOOLEAN THEN 'revoked'
            WHEN c.refunded_millionths = 1000000 THEN 'refunded'
            WHEN wallet.period_flag(c.claim_id, 'expired_at')::TIMESTAMPTZ + INTERVAL '1 second'
                > c.expires_at THEN 'expired'
        END AS ended
    FROM wallet.claims AS c
    WHERE
        c.store = s.store AND c.environment = s.environment AND c.kind = 'subscription'
        AND c.chain_id = s.original_transaction_id AND c.granted_at IS NOT NULL AND c.duplicate_of IS NULL
    ORDER BY c.purchased_at DESC, c.expires_at DESC, c.transaction_id DESC
    LIMIT 1
) AS e ON TRUE
WHERE
    CASE WHEN e.current_claim_id IS NULL THEN s.ended IS DISTINCT FROM 'revoked' ELSE (
        s.current_claim_id, s.account_id, s.product_id, s.tier, s.entitlements, s.unlimited, s.rollover_percentage,
        s.days_ahead, s.period_type, s.period_start, s.period_end, s.grace_ends_at, s.will_renew, s.billing_issue,
        s.paused, s.ended
    ) IS DISTINCT FROM (
        e.current_claim_id, e.account_id, e.product_id, e.tier, e.entitlements, e.unlimited, e.rollover_percentage,
        e.days_ahead, e.period_type, e.period_start, e.period_end, e.grace_ends_at, e.will_renew, e.billing_issue,
        e.paused, e.ended
    ) OR (s.account_id = e.buyer AND (s.released_at IS NULL) <> (e.released_at IS NULL)) END
UNION ALL
SELECT c.environment, c.account_id, NULL, format('claim %s granted a period without a subscription', c.claim_id)
FROM wallet.claims AS c
WHERE
    c.kind = 'subscription' AND c.granted_at IS NOT NULL AND c.duplicate_of IS NULL AND NOT EXISTS (
        SELECT FROM wallet.subscriptions AS s
        WHERE
            s.store = c.store AND s.environment = c.environment AND s.original_transaction_id = c.chain_id
    );
COMMENT ON VIEW wallet.broken_subscriptions IS 'Subscriptions that differ from their periods and flags.';

-- Claims with contradictory data.
CREATE VIEW wallet.broken_facts AS
SELECT t.environment, t.account_id, NULL::BIGINT AS version, format('claim %s %s', t.claim_id, t.problem) AS detail
FROM (
    SELECT
        c.environment,
        c.account_id,
        c.claim_id,
        CASE
            WHEN coalesce(c.expires_at, '-infinity')
                <> coalesce(wallet.reported_end(c.claim_id), '-infinity')
                THEN 'does not end at the time that the stores reported'
            WHEN (c.refunded_millionths > 0 AND c.duplicate_of IS NULL) <> (c.refunded_at IS NOT NULL)
                AND c.duplicate_of IS NULL THEN 'has a refund without a time, or a time without a refund'
            WHEN c.duplicate_of IS NOT NULL AND (
                d.claim_id IS NULL OR d.duplicate_of IS NOT NULL OR d.claim_id = c.claim_id
                OR (d.store, d.environment) <> (c.store, c.environment)
            ) THEN 'is a duplicate of no valid claim'
            WHEN c.duplicate_of IS NULL AND CASE
                WHEN c.granted_at IS NULL THEN c.verdict = 'granted' ELSE c.verdict NOT IN ('granted', 'refunded')
            END
                THEN 'has a verdict that contradicts its grant'
            WHEN c.granted_at IS NULL AND num_nonnulls(
                c.grant_amount, c.tier, c.entitlements, c.unlimited, c.days_ahead, c.valid_days, c.grace_days,
                c.price_minor, c.currency, c.commitment_amount
            ) > 0 THEN 'has the terms of a product, but granted nothing'
            WHEN c.granted_at IS NOT NULL AND c.duplicate_of IS NULL AND (
                p.product_id IS NULL OR (p.kind = 'plan') <> (c.kind = 'subscription')
            ) THEN 'does not match the kind of its product'
            WHEN c.granted_at IS NOT NULL AND (
                c.ownership <> 'purchased' OR (c.pending AND NOT c.grants_reported_amount)
                OR c.created_at > c.granted_at
                OR (c.grants_reported_amount AND c.reported_amount IS NULL)
                OR num_nulls(
                    c.grant_amount, c.grace_days, c.tier, c.entitlements, c.unlimited, c.price_minor, c.currency
                ) > 0
                OR (c.unlimited AND c.grant_amount <> 0)
                OR wallet.period_share(c.commitment_amount, c.billing_period, c.billing_periods) > c.grant_amount
            ) THEN 'has a grant that its data does not permit'
        END AS problem
    FROM wallet.claims AS c
    LEFT JOIN wallet.claims AS d ON c.duplicate_of = d.claim_id
    LEFT JOIN wallet.products AS p ON c.product_id = p.product_id
) AS t
WHERE t.problem IS NOT NULL
UNION ALL
SELECT NULL, NULL, NULL, format('a flag refers to claim %s, which does not exist', f.claim_id)
FROM wallet.period_flags AS f
WHERE NOT EXISTS (SELECT FROM wallet.claims AS c WHERE c.claim_id = f.claim_id)
UNION ALL
SELECT l.environment, l.account_id, NULL, format(
    'lot %s has %s rolled over, but the terms of period %s allow %s', l.lot_id, l.granted, c.claim_id,
    least(c.rollover_percentage * o.granted / 100, c.rollover_cap)
)
FROM wallet.lots AS l
INNER JOIN wallet.claims AS c ON l.rolled_from = c.claim_id
LEFT JOIN wallet.lots AS o ON c.claim_id = o.claim_id
WHERE l.granted > coalesce(least(c.rollover_percentage * o.granted / 100, c.rollover_cap), 0);
COMMENT ON VIEW wallet.broken_facts IS 'Claims that contradict themselves, their flags or their rollovers.';

CREATE VIEW wallet.broken_accounts AS
SELECT NULL::wallet.environment AS environment, t.account_id, NULL::BIGINT AS version, t.problem AS detail
FROM (
    SELECT
        a.account_id,
        CASE
            WHEN a.merged_into IS NOT NULL THEN CASE
                WHEN m.account_id IS NULL OR m.merged_into IS NOT NULL
                    THEN 'account was merged into a missing or merged account'
                WHEN EXISTS (SELECT FROM wallet.lots AS l WHERE l.account_id = a.account_id AND l.moved_to IS NULL)
                    OR EXISTS (SELECT FROM wallet.claims AS c WHERE c.account_id = a.account_id)
                    OR EXISTS (SELECT FROM wallet.bookings AS b WHERE b.account_id = a.account_id)
                    OR EXISTS (SELECT FROM wallet.subscriptions AS s WHERE s.account_id = a.account_id)
                    OR EXISTS (SELECT FROM wallet.identities AS i WHERE i.account_id = a.account_id)
                    OR EXISTS (SELECT FROM wallet.profiles AS p WHERE p.account_id = a.account_id)
                    THEN 'account was merged, but still has records'
                WHEN EXISTS (
                    SELECT FROM wallet.bookings AS b
                    WHERE b.ledger_account_id = a.account_id AND b.account_id <> a.merged_into
                ) THEN 'account was merged, but its bookings moved to a different account'
            END
            WHEN a.deleted_at IS NOT NULL THEN CASE
                WHEN EXISTS (SELECT FROM wallet.identities AS i WHERE i.account_id = a.account_id)
                    OR EXISTS (SELECT FROM wallet.profiles AS p WHERE p.account_id = a.account_id)
                    THEN 'account is deleted, but still has a user'
                WHEN EXISTS (
                    SELECT FROM wallet.entry_texts AS e
                    WHERE e.account_id = a.account_id AND NOT EXISTS (
                        SELECT FROM wallet.entries AS n
                        WHERE
                            n.account_id = e.account_id AND n.environment = e.environment AND n.version = e.version
                            AND n.at >= a.deleted_at
                    )
                ) THEN 'account is deleted, but its actors and reasons were not erased'
                WHEN EXISTS (
                    SELECT FROM wallet.lots AS l
                    WHERE
                        l.account_id = a.account_id AND l.moved_to IS NULL AND l.released_at IS NULL
                        AND l.source IN ('pack', 'pass', 'plan')
                ) THEN 'account is deleted, but its purchases are not released'
            END
            WHEN NOT EXISTS (SELECT FROM wallet.identities AS i WHERE i.account_id = a.account_id)
                THEN 'account has no user, but is neither deleted nor merged'
        END AS problem
    FROM wallet.accounts AS a
    LEFT JOIN wallet.accounts AS m ON a.merged_into = m.account_id
) AS t
WHERE t.problem IS NOT NULL;
COMMENT ON VIEW wallet.broken_accounts IS
'Merged and deleted accounts that still have records that should have been moved or erased.';

-- Checks of missing foreign keys of the ledger, and of the state of wallets.
CREATE VIEW wallet.broken_rows AS
SELECT e.environment, e.account_id, e.version, 'entry has no wallet' AS detail
FROM wallet.entries AS e
WHERE NOT EXISTS (
    SELECT FROM wallet.wallets AS w WHERE w.account_id = e.account_id AND w.environment = e.environment
)
UNION ALL
SELECT w.environment, w.account_id, w.version, 'wallet does not have the time of its last entry'
FROM wallet.wallets AS w
LEFT JOIN wallet.entries AS e
    ON w.account_id = e.account_id AND w.environment = e.environment AND w.version = e.version
WHERE w.last_at <> coalesce(e.at, '-infinity')
UNION ALL
SELECT w.environment, w.account_id, w.version, 'wallet without entries has a hash, or the wallet has no account'
FROM wallet.wallets AS w
LEFT JOIN wallet.accounts AS a ON w.account_id = a.account_id
WHERE (w.version = 0 AND w.head_hash <> decode(repeat('00', 32), 'hex')) OR a.account_id IS NULL
UNION ALL
SELECT t.environment, t.account_id, t.version, 'actor and reason have no entry'
FROM wallet.entry_texts AS t
WHERE NOT EXISTS (
    SELECT FROM wallet.entries AS e
    WHERE
        e.account_id = t.account_id AND e.environment = t.environment AND e.version = t.version
        AND e.actor_digest IS NOT NULL
)
UNION ALL
SELECT NULL, r.account_id, NULL, format(
    'lot %s repaid lot %s, but one of them does not exist or does not match', r.payer_lot_id, r.debtor_lot_id
)
FROM wallet.repayments AS r
LEFT JOIN wallet.lots AS p ON r.payer_account_id = p.account_id AND r.payer_lot_id = p.lot_id
LEFT JOIN wallet.lots AS d ON r.account_id = d.account_id AND r.debtor_lot_id = d.lot_id
WHERE p.lot_id IS NULL OR d.lot_id IS NULL OR (p.unit, p.environment) <> (d.unit, d.environment)
UNION ALL
SELECT t.environment, t.from_account_id, NULL, format(
    'subscriptions moved to account %s, which does not exist or is not the account of the merge', t.to_account_id
)
FROM wallet.subscription_transfers AS t
LEFT JOIN wallet.accounts AS f ON t.from_account_id = f.account_id
LEFT JOIN wallet.accounts AS o ON t.to_account_id = o.account_id
WHERE
    f.account_id IS NULL OR o.account_id IS NULL OR f.account_id = o.account_id
    OR (t.is_merge AND coalesce(o.merged_into, o.account_id) IS DISTINCT FROM f.merged_into)
UNION ALL
SELECT s.environment, NULL, NULL, format('seats refer to class %s, which does not exist', s.class_id)
FROM wallet.class_seats AS s
WHERE NOT EXISTS (SELECT FROM wallet.classes AS c WHERE c.class_id = s.class_id)
UNION ALL
SELECT e.environment, NULL, NULL, format('class %s has no seats', c.class_id)
FROM wallet.classes AS c
CROSS JOIN unnest(enum_range(NULL::wallet.environment)) AS e (environment)
WHERE NOT EXISTS (
    SELECT FROM wallet.class_seats AS s WHERE s.class_id = c.class_id AND s.environment = e.environment
)
UNION ALL
SELECT w.environment, w.account_id, NULL, format(
    'account is on the waitlist of class %s, which does not exist', w.class_id
)
FROM wallet.waitlist AS w
WHERE NOT EXISTS (
    SELECT FROM wallet.class_seats AS s WHERE s.class_id = w.class_id AND s.environment = w.environment
);
COMMENT ON VIEW wallet.broken_rows IS 'Rows that refer to a missing row.';
