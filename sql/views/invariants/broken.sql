-- Every invariant is a view that must be empty. Each row describes a violation: environment, account, ledger version
-- (if an entry is wrong) and a detail that names no user. Violations of an account are found by the account, so that
-- some accounts, or a range of them, can be checked without reading the others.

CREATE VIEW wallet.broken_wallet_sums AS
SELECT w.environment, w.account_id, w.version, format(
    'wallet has credits %s, visits %s, owed %s and %s; the sums of its lots are %s, %s, %s and %s',
    w.credits, w.visits, w.owed_credits, w.owed_visits,
    coalesce(l.credits, 0), coalesce(l.visits, 0), coalesce(l.owed_credits, 0), coalesce(l.owed_visits, 0)
) AS detail
FROM wallet.wallets AS w
CROSS JOIN LATERAL (
    SELECT
        sum(o.remaining) FILTER (WHERE o.unit = 'credit') AS credits,
        sum(o.remaining) FILTER (WHERE o.unit = 'visit') AS visits,
        sum(o.owed) FILTER (WHERE o.unit = 'credit') AS owed_credits,
        sum(o.owed) FILTER (WHERE o.unit = 'visit') AS owed_visits
    FROM wallet.lots AS o
    WHERE o.account_id = w.account_id AND o.environment = w.environment
) AS l
WHERE (w.credits, w.visits, w.owed_credits, w.owed_visits) <> (
    coalesce(l.credits, 0), coalesce(l.visits, 0), coalesce(l.owed_credits, 0), coalesce(l.owed_visits, 0)
);
COMMENT ON VIEW wallet.broken_wallet_sums IS 'Wallets whose stored sums differ from those of their lots.';

CREATE VIEW wallet.broken_ledger_sums AS
SELECT w.environment, w.account_id, w.version, format(
    'wallet has credits %s, visits %s, owed %s and %s; the sums of its ledger are %s, %s, %s and %s',
    w.credits, w.visits, w.owed_credits, w.owed_visits,
    coalesce(e.credits, 0), coalesce(e.visits, 0), coalesce(e.owed_credits, 0), coalesce(e.owed_visits, 0)
) AS detail
FROM wallet.wallets AS w
CROSS JOIN LATERAL (
    SELECT
        sum(n.amount) FILTER (WHERE n.unit = 'credit') AS credits,
        sum(n.amount) FILTER (WHERE n.unit = 'visit') AS visits,
        sum(n.owed_change) FILTER (WHERE n.unit = 'credit') AS owed_credits,
        sum(n.owed_change) FILTER (WHERE n.unit = 'visit') AS owed_visits
    FROM wallet.entries AS n
    WHERE n.account_id = w.account_id AND n.environment = w.environment
) AS e
WHERE (w.credits, w.visits, w.owed_credits, w.owed_visits) <> (
    coalesce(e.credits, 0), coalesce(e.visits, 0), coalesce(e.owed_credits, 0), coalesce(e.owed_visits, 0)
);
COMMENT ON VIEW wallet.broken_ledger_sums IS 'Wallets whose stored sums differ from those of their ledger.';

CREATE VIEW wallet.broken_lots AS
SELECT e.environment, e.account_id, NULL::BIGINT AS version, format(
    'lot %s has %s remaining; the sum of its entries is %s', e.lot_id, l.remaining, e.amount
) AS detail
FROM (
    SELECT n.account_id, n.environment, n.lot_id, sum(n.amount) AS amount
    FROM wallet.entries AS n
    WHERE n.lot_id IS NOT NULL
    GROUP BY n.account_id, n.environment, n.lot_id
) AS e
LEFT JOIN wallet.lots AS l
    ON e.account_id = l.account_id AND e.lot_id = l.lot_id AND e.environment = l.environment
WHERE e.amount IS DISTINCT FROM l.remaining
UNION ALL
SELECT l.environment, l.account_id, NULL, format('lot %s has %s remaining, but no entries', l.lot_id, l.remaining)
FROM wallet.lots AS l
WHERE NOT EXISTS (
    SELECT FROM wallet.entries AS n
    WHERE n.account_id = l.account_id AND n.environment = l.environment AND n.lot_id = l.lot_id
)
UNION ALL
SELECT l.environment, l.account_id, NULL, format(
    'lot %s has a repaid amount of %s; the sum of its repayments is %s', l.lot_id, l.repaid, coalesce(r.amount, 0)
)
FROM wallet.lots AS l
CROSS JOIN LATERAL (
    SELECT sum(p.amount) AS amount FROM wallet.repayments AS p
    WHERE p.account_id = l.account_id AND p.debtor_lot_id = l.lot_id
) AS r
WHERE l.repaid <> coalesce(r.amount, 0)
UNION ALL
SELECT l.environment, l.account_id, NULL, format(
    'lot %s has moved, but a repayment still refers to it in this account', l.lot_id
)
FROM wallet.repayments AS r
INNER JOIN wallet.lots AS l
    ON (l.account_id, l.lot_id) IN ((r.account_id, r.debtor_lot_id), (r.payer_account_id, r.payer_lot_id))
WHERE l.moved_to IS NOT NULL
UNION ALL
SELECT l.environment, l.account_id, NULL, format('lot %s has bought credits with an expiry', l.lot_id)
FROM wallet.lots AS l WHERE l.source = 'pack' AND l.expires_at < 'infinity';
COMMENT ON VIEW wallet.broken_lots IS 'Lots that differ from their entries and repayments.';

CREATE VIEW wallet.broken_versions AS
SELECT n.environment, n.account_id, n.version, format('entry %s follows entry %s', n.version, n.before) AS detail
FROM (
    SELECT
        e.environment, e.account_id, e.version,
        coalesce(lag(e.version) OVER (PARTITION BY e.account_id, e.environment ORDER BY e.version), 0) AS before
    FROM wallet.entries AS e
) AS n
WHERE n.version <> n.before + 1
UNION ALL
SELECT w.environment, w.account_id, w.version, format('wallet is at version %s, its ledger at %s', w.version, e.version)
FROM wallet.wallets AS w
LEFT JOIN LATERAL (
    SELECT coalesce(max(n.version), 0) AS version FROM wallet.entries AS n
    WHERE n.account_id = w.account_id AND n.environment = w.environment
) AS e ON TRUE
WHERE w.version <> e.version;
COMMENT ON VIEW wallet.broken_versions IS 'Gaps in the versions of a wallet''s entries.';

CREATE VIEW wallet.broken_running_balances AS
SELECT n.environment, n.account_id, n.version, format(
    'entry has a balance of %s; the sum of the entries so far is %s', n.balance_after, n.running
) AS detail
FROM (
    SELECT
        e.environment, e.account_id, e.version, e.balance_after,
        sum(e.amount) OVER (
            PARTITION BY e.account_id, e.environment, coalesce(e.unit, 'credit') ORDER BY e.version
        ) AS running
    FROM wallet.entries AS e
) AS n
WHERE n.balance_after <> n.running;
COMMENT ON VIEW wallet.broken_running_balances IS 'Entries whose balance is not the sum of the entries so far.';

CREATE VIEW wallet.broken_chain_links AS
SELECT n.environment, n.account_id, n.version, 'entry does not link to the previous entry' AS detail
FROM (
    SELECT
        e.environment, e.account_id, e.version, e.prev_hash,
        lag(e.hash, 1, decode(repeat('00', 32), 'hex')) OVER (
            PARTITION BY e.account_id, e.environment ORDER BY e.version
        ) AS expected
    FROM wallet.entries AS e
) AS n
WHERE n.prev_hash <> n.expected
UNION ALL
SELECT w.environment, w.account_id, w.version, 'wallet does not have the hash of its last entry'
FROM wallet.wallets AS w
INNER JOIN wallet.entries AS e
    ON w.account_id = e.account_id AND w.environment = e.environment AND w.version = e.version
WHERE w.head_hash <> e.hash;
COMMENT ON VIEW wallet.broken_chain_links IS 'Entries and wallets that do not link to the previous hash.';

CREATE VIEW wallet.broken_chain_hashes AS
SELECT e.environment, e.account_id, e.version, 'entry does not match its hash' AS detail
FROM wallet.entries AS e
WHERE e.hash <> wallet.entry_hash(e);
COMMENT ON VIEW wallet.broken_chain_hashes IS 'Entries whose content does not match their hash.';

CREATE VIEW wallet.broken_times AS
SELECT n.environment, n.account_id, n.version, 'entry is earlier than the previous entry' AS detail
FROM (
    SELECT
        e.environment, e.account_id, e.version, e.at,
        lag(e.at) OVER (PARTITION BY e.account_id, e.environment ORDER BY e.version) AS before
    FROM wallet.entries AS e
) AS n
WHERE n.at < n.before;
COMMENT ON VIEW wallet.broken_times IS 'Entries that are earlier than the previous one.';

CREATE VIEW wallet.broken_bookings AS
SELECT e.environment, e.account_id, e.first_version AS version, CASE
    WHEN b.booking_id IS NULL THEN format('booking %s has entries, but does not exist', e.booking_id)
    ELSE format(
        'booking %s cost %s in %s entries from %s on and returned %s; its ledger has %s in %s entries, and %s returns',
        e.booking_id, b.amount, b.entry_count, b.first_version, coalesce(b.returned, 0), e.paid, e.spends, e.returns
    )
END AS detail
FROM (
    SELECT
        n.account_id,
        n.environment,
        n.booking_id,
        -sum(n.amount) FILTER (WHERE n.kind = 'spend') AS paid,
        count(*) FILTER (WHERE n.kind = 'spend') AS spends,
        min(n.version) FILTER (WHERE n.kind = 'spend') AS first_version,
        count(*) FILTER (WHERE n.kind = 'return') AS returns,
        min(n.unit) FILTER (WHERE n.kind = 'spend') AS unit
    FROM wallet.entries AS n
    WHERE n.booking_id IS NOT NULL
    GROUP BY n.account_id, n.environment, n.booking_id
) AS e
LEFT JOIN LATERAL (
    SELECT k.* FROM wallet.bookings AS k
    WHERE k.account_id = e.account_id AND k.booking_id = e.booking_id AND k.ledger_account_id IS NULL
    UNION ALL
    SELECT k.* FROM wallet.bookings AS k
    WHERE k.ledger_account_id = e.account_id AND k.booking_id = e.booking_id
) AS b ON TRUE
WHERE
    -- A return to a moved lot is in another ledger, which does not contain the payment.
    e.spends > 0 AND (
        b.booking_id IS NULL OR b.environment <> e.environment
        OR b.amount <> e.paid OR b.entry_count <> e.spends OR b.first_version <> e.first_version
        OR b.unit IS DISTINCT FROM e.unit
        OR (
            e.returns <> CASE WHEN b.returned > 0 THEN b.entry_count ELSE 0 END
            AND CASE WHEN b.returned > 0 THEN b.entry_count ELSE 0 END <> (
                SELECT count(*) FROM wallet.entries AS n
                WHERE
                    n.environment = e.environment AND n.booking_id = e.booking_id AND n.kind = 'return'
                    AND n.account_id IN (
                        SELECT e.account_id
                        UNION ALL
                        SELECT b.account_id
                        UNION ALL
                        SELECT h.account_id
                        FROM wallet.entries AS p
                        CROSS JOIN LATERAL (
                            SELECT wallet.lot_owner(p.account_id, p.lot_id) AS account_id
                            UNION ALL
                            SELECT m.account_id FROM wallet.lots AS m
                            WHERE m.lot_id = p.lot_id AND m.moved_to IS NOT NULL
                        ) AS h
                        WHERE
                            p.account_id = e.account_id AND p.environment = e.environment
                            AND p.version BETWEEN e.first_version AND e.first_version + e.spends - 1
                    )
            )
        )
    )
UNION ALL
SELECT b.environment, b.account_id, b.first_version, format(
    'booking %s has no payment at its first entry', b.booking_id
)
FROM wallet.bookings AS b
WHERE NOT EXISTS (
    SELECT FROM wallet.entries AS n
    WHERE
        n.account_id = coalesce(b.ledger_account_id, b.account_id) AND n.environment = b.environment
        AND n.version = b.first_version AND n.booking_id = b.booking_id AND n.kind = 'spend'
)
UNION ALL
SELECT b.environment, b.account_id, b.first_version, format(
    'booking %s was not settled, although class %s is settled', b.booking_id, b.class_id
)
FROM wallet.bookings AS b
INNER JOIN wallet.classes AS c ON b.class_id = c.class_id
WHERE
    b.cancelled_at IS NULL AND c.settled
    AND (c.status = 'cancelled' OR greatest(b.moves_seen, b.moves_notified) < c.moves)
UNION ALL
SELECT b.environment, b.account_id, b.first_version, format(
    'booking %s refers to class %s or a wallet that does not exist', b.booking_id, b.class_id
)
FROM wallet.bookings AS b
LEFT JOIN wallet.wallets AS w ON b.account_id = w.account_id AND b.environment = w.environment
LEFT JOIN wallet.class_seats AS s ON b.class_id = s.class_id AND b.environment = s.environment
WHERE w.account_id IS NULL OR s.class_id IS NULL;
COMMENT ON VIEW wallet.broken_bookings IS 'Bookings that differ from their entries.';

CREATE VIEW wallet.broken_consequences AS
SELECT c.environment, c.account_id, c.first_version AS version, format(
    'the consequence %s of booking %s has a fee of %s in %s entries; its ledger has %s in %s entries',
    c.consequence_id, c.booking_id, c.fee, c.entry_count, coalesce(e.fee, 0), e.entries
) AS detail
FROM wallet.consequences AS c
CROSS JOIN LATERAL (
    SELECT count(*) AS entries, sum(n.owed_change - n.amount) AS fee FROM wallet.entries AS n
    WHERE
        n.account_id = c.ledger_account_id AND n.environment = c.environment AND n.kind = 'fee'
        AND n.booking_id = c.booking_id
        AND n.version BETWEEN c.first_version AND c.first_version + c.entry_count - 1
) AS e
WHERE (c.fee, c.entry_count) <> (coalesce(e.fee, 0), e.entries)
UNION ALL
SELECT n.environment, n.account_id, n.version, 'fee belongs to no consequence of its booking'
FROM wallet.entries AS n
WHERE
    n.kind = 'fee' AND NOT EXISTS (
        SELECT FROM wallet.consequences AS c
        WHERE
            c.ledger_account_id = n.account_id AND c.environment = n.environment AND c.booking_id = n.booking_id
            AND n.version BETWEEN c.first_version AND c.first_version + c.entry_count - 1
    )
UNION ALL
SELECT c.environment, c.account_id, NULL, format(
    'booking %s withdrew fees of %s entries, but %s returned', c.booking_id, c.entries, r.entries
)
FROM (
    SELECT
        k.environment, k.account_id, k.booking_id,
        coalesce(sum(k.entry_count) FILTER (WHERE k.withdrawn_at IS NOT NULL), 0) AS entries
    FROM wallet.consequences AS k
    GROUP BY k.environment, k.account_id, k.booking_id
) AS c
CROSS JOIN LATERAL (
    SELECT count(*) AS entries FROM wallet.entries AS n
    WHERE
        n.environment = c.environment AND n.booking_id = c.booking_id AND n.kind = 'fee_return'
        -- A fee returns to the account that held its lot at that time.
        AND n.account_id IN (
            SELECT h.account_id
            FROM wallet.consequences AS k
            INNER JOIN wallet.entries AS p
                ON
                    k.ledger_account_id = p.account_id AND k.environment = p.environment
                    AND p.version BETWEEN k.first_version AND k.first_version + k.entry_count - 1
            CROSS JOIN LATERAL (
                SELECT p.account_id
                UNION ALL
                SELECT wallet.lot_owner(p.account_id, p.lot_id)
                UNION ALL
                SELECT m.account_id FROM wallet.lots AS m WHERE m.lot_id = p.lot_id AND m.moved_to IS NOT NULL
            ) AS h
            WHERE k.account_id = c.account_id AND k.booking_id = c.booking_id
        )
) AS r
WHERE c.entries <> r.entries
UNION ALL
SELECT c.environment, c.account_id, NULL, format(
    'consequence %s of booking %s is a %s, but the booking is not', c.consequence_id, c.booking_id, c.cause
)
FROM wallet.consequences AS c
INNER JOIN wallet.bookings AS b ON c.account_id = b.account_id AND c.booking_id = b.booking_id
INNER JOIN wallet.classes AS s ON b.class_id = s.class_id
LEFT JOIN wallet.attendances AS a ON c.account_id = a.account_id AND c.booking_id = a.booking_id
WHERE
    c.withdrawn_at IS NULL AND CASE c.cause
        WHEN 'no_show' THEN
            a.attendance IS DISTINCT FROM 'no_show' OR b.cancelled_by = 'studio'
            -- The move of a class is applied to its bookings later.
            OR (
                abs(extract(EPOCH FROM c.at - s.starts_at)) >= 1
                AND greatest(b.moves_seen, b.moves_notified) >= s.moves
            )
        ELSE b.cancelled_by IS DISTINCT FROM 'user' OR c.at <> b.cancelled_at OR b.cancelled_at <= b.free_until
    END
UNION ALL
SELECT c.environment, c.account_id, NULL, format(
    'consequence %s of booking %s differs from its terms', c.consequence_id, c.booking_id
)
FROM wallet.consequences AS c
LEFT JOIN wallet.policy_terms AS t ON c.terms_id = t.terms_id
LEFT JOIN wallet.bookings AS b ON c.account_id = b.account_id AND c.booking_id = b.booking_id
WHERE
    (b.environment, b.terms_id) IS DISTINCT FROM (c.environment, c.terms_id)
    OR (c.fee, c.strike) IS DISTINCT FROM CASE c.cause
        WHEN 'no_show' THEN (t.no_show_fee, t.no_show_strike) ELSE (t.late_cancel_fee, t.late_cancel_strike)
    END
UNION ALL
SELECT NULL, a.account_id, NULL, format('the attendance of booking %s is marked, but it does not exist', a.booking_id)
FROM wallet.attendances AS a
WHERE NOT EXISTS (
    SELECT FROM wallet.bookings AS b WHERE b.account_id = a.account_id AND b.booking_id = a.booking_id
)
UNION ALL
SELECT NULL, NULL, NULL, format('the terms %s belong to policy %s, not to %s', p.terms_id, t.policy_id, p.owner)
FROM (
    SELECT o.terms_id, o.policy_id, 'policy ' || o.policy_id AS owner FROM wallet.policies AS o
    UNION ALL
    SELECT c.terms_id, c.policy_id, 'class ' || c.class_id FROM wallet.classes AS c WHERE c.terms_id IS NOT NULL
) AS p
LEFT JOIN wallet.policy_terms AS t ON p.terms_id = t.terms_id
WHERE t.policy_id IS DISTINCT FROM p.policy_id
UNION ALL
SELECT b.environment, b.account_id, NULL, format('booking %s is a no-show without its consequence', b.booking_id)
FROM wallet.attendances AS a
INNER JOIN wallet.bookings AS b ON a.account_id = b.account_id AND a.booking_id = b.booking_id
INNER JOIN wallet.policy_terms AS t ON b.terms_id = t.terms_id
WHERE
    a.attendance = 'no_show' AND (t.no_show_fee > 0 OR t.no_show_strike) AND NOT EXISTS (
        SELECT FROM wallet.consequences AS c
        WHERE c.account_id = a.account_id AND c.booking_id = a.booking_id AND c.withdrawn_at IS NULL
    )
UNION ALL
SELECT b.environment, b.account_id, NULL, format(
    'the attendance of booking %s is marked, but the studio cancelled it', b.booking_id
)
FROM wallet.attendances AS a
INNER JOIN wallet.bookings AS b ON a.account_id = b.account_id AND a.booking_id = b.booking_id
WHERE b.cancelled_by IN ('user', 'studio')
UNION ALL
SELECT w.environment, w.account_id, w.version, format(
    'strikes block the wallet until %s, but the wallet has %s', coalesce(s.until, '-infinity'), w.blocked_until
)
FROM wallet.wallets AS w
CROSS JOIN LATERAL (
    SELECT max(o.blocked_until) AS until FROM wallet.strike_blocks AS o
    WHERE o.account_id = w.account_id AND o.environment = w.environment
) AS s
WHERE w.blocked_until <> coalesce(s.until, '-infinity');
COMMENT ON VIEW wallet.broken_consequences IS
'Consequences and blocks that differ from their entries, bookings, terms or strikes.';

CREATE VIEW wallet.broken_seats AS
SELECT s.environment, NULL::BIGINT AS account_id, NULL::BIGINT AS version, format(
    'class %s has sold %s of %s seats and reserves %s; its bookings have %s',
    s.class_id,
    s.sold,
    s.capacity,
    s.reserved,
    coalesce(b.seats, 0)
) AS detail, s.class_id
FROM wallet.class_seats AS s
CROSS JOIN LATERAL (
    SELECT sum(k.seats) AS seats FROM wallet.bookings AS k
    WHERE k.class_id = s.class_id AND k.environment = s.environment AND k.cancelled_at IS NULL
) AS b
WHERE s.sold <> coalesce(b.seats, 0) OR s.sold + s.reserved > s.capacity
UNION ALL
SELECT s.environment, NULL, NULL, format(
    'class %s reserves %s seats for an empty waitlist', s.class_id, s.reserved
), s.class_id
FROM wallet.class_seats AS s
WHERE s.reserved > 0 AND NOT EXISTS (
    SELECT FROM wallet.waitlist AS w WHERE w.class_id = s.class_id AND w.environment = s.environment
)
UNION ALL
SELECT w.environment, w.account_id, NULL, format(
    'account is on the waitlist of class %s, which it has booked', w.class_id
), w.class_id
FROM wallet.waitlist AS w
INNER JOIN wallet.bookings AS b
    ON w.class_id = b.class_id AND w.environment = b.environment AND w.account_id = b.account_id
WHERE b.cancelled_at IS NULL
UNION ALL
SELECT w.environment, w.account_id, NULL, format(
    'account is on the waitlist of class %s, which is cancelled', w.class_id
), w.class_id
FROM wallet.waitlist AS w
INNER JOIN wallet.classes AS c ON w.class_id = c.class_id
WHERE c.status = 'cancelled'
UNION ALL
SELECT w.environment, w.account_id, NULL, format(
    'account is on the waitlist of class %s, but is deleted or merged', w.class_id
), w.class_id
FROM wallet.waitlist AS w
INNER JOIN wallet.accounts AS a ON w.account_id = a.account_id
WHERE a.deleted_at IS NOT NULL OR a.merged_into IS NOT NULL;
COMMENT ON VIEW wallet.broken_seats IS
'Seat counts that differ from the active bookings, seats reserved without a waitlist, and invalid waitlist entries.';

CREATE VIEW wallet.broken_claims AS
SELECT c.environment, c.account_id, NULL::BIGINT AS version, format(
    'claim %s is worth %s, %s of it refunded; its lots %s have %s granted and %s refunded',
    c.claim_id, wallet.claim_worth(c, i.item), wallet.claim_refunded(c, i.item), i.item,
    coalesce(l.granted, 0), coalesce(l.refunded, 0)
) AS detail
FROM wallet.claims AS c
CROSS JOIN LATERAL generate_series(0, coalesce(cardinality(c.bundle_items), 0)) AS i (item)
CROSS JOIN LATERAL (
    SELECT count(*) AS lots, sum(o.granted) AS granted, sum(o.refunded) AS refunded
    FROM wallet.lots AS o WHERE o.claim_id = c.claim_id AND o.bundle_item = i.item
) AS l
WHERE c.granted_at IS NOT NULL AND (
    coalesce(l.granted, 0) <> wallet.claim_worth(c, i.item)
    OR coalesce(l.refunded, 0) <> wallet.claim_refunded(c, i.item)
    OR coalesce(l.lots, 0) > 1
)
UNION ALL
SELECT l.environment, l.account_id, NULL, format(
    'lot %s belongs to claim %s, which did not grant it', l.lot_id, l.claim_id
)
FROM wallet.lots AS l
INNER JOIN wallet.claims AS c ON l.claim_id = c.claim_id
WHERE c.granted_at IS NULL OR l.bundle_item NOT BETWEEN 0 AND coalesce(cardinality(c.bundle_items), 0)
UNION ALL
SELECT c.environment, c.account_id, NULL, format('claim %s waits for data that is known: %s', c.claim_id, c.verdict)
FROM wallet.claims AS c
WHERE
    c.account_id IS NOT NULL AND c.granted_at IS NULL AND c.duplicate_of IS NULL AND CASE c.verdict
        WHEN 'unknown-product' THEN (wallet.product_of(c)).product_id IS NOT NULL
        WHEN 'period-end-unknown' THEN c.expires_at IS NOT NULL
    END;
COMMENT ON VIEW wallet.broken_claims IS
'Claims whose lots have a different amount, and claims that wait for data that is already known.';

CREATE VIEW wallet.broken_due_dates AS
SELECT w.environment, w.account_id, w.version, format(
    'a lot expires at %s, before the next expiry of the wallet at %s', l.expires_at, w.next_expiry
) AS detail
FROM wallet.wallets AS w
INNER JOIN wallet.lots AS l ON w.account_id = l.account_id AND w.environment = l.environment
WHERE l.is_open AND l.expires_at < w.next_expiry
UNION ALL
SELECT w.environment, w.account_id, w.version, format(
    'a lot starts at %s, after the last start of the wallet at %s', l.starts_at, w.last_start
)
FROM wallet.wallets AS w
INNER JOIN wallet.lots AS l ON w.account_id = l.account_id AND w.environment = l.environment
WHERE l.starts_at > w.last_start;
COMMENT ON VIEW wallet.broken_due_dates IS 'Wallets that would miss an expiry or the start of a lot.';

CREATE VIEW wallet.broken_texts AS
SELECT e.environment, e.account_id, e.version, 'actor or reason differs from the posted one' AS detail
FROM wallet.entries AS e
INNER JOIN wallet.entry_texts AS t
    ON e.account_id = t.account_id AND e.environment = t.environment AND e.version = t.version
WHERE
    e.actor_digest IS DISTINCT FROM sha256(t.salt || convert_to(t.actor, 'UTF8'))
    OR e.reason_digest IS DISTINCT FROM sha256(t.salt || convert_to(t.reason, 'UTF8'));
COMMENT ON VIEW wallet.broken_texts IS 'Actors and reasons that differ from the posted ones.';

CREATE VIEW wallet.broken_uses AS
SELECT u.environment, u.account_id, u.version, format(
    'a visit of claim %s was used directly; its entry is a %s of %s', u.claim_id, e.kind, e.amount
) AS detail
FROM wallet.pass_uses AS u
INNER JOIN wallet.entries AS e
    ON u.account_id = e.account_id AND u.environment = e.environment AND u.version = e.version
WHERE
    (e.kind, e.unit, e.amount) <> ('spend', 'visit', -1) OR e.booking_id IS NOT NULL
    OR u.reference_digest <> sha256(convert_to(u.reference, 'UTF8'))
UNION ALL
SELECT u.environment, u.account_id, u.version, format('a use of claim %s has no entry of its lot', u.claim_id)
FROM wallet.pass_uses AS u
WHERE NOT EXISTS (
    SELECT FROM wallet.entries AS e
    LEFT JOIN wallet.claims AS c ON e.claim_id = c.claim_id
    WHERE
        e.account_id = u.account_id AND e.environment = u.environment AND e.version = u.version
        -- A use recorded under one of two merged claims also applies to the other.
        AND u.claim_id IN (c.claim_id, c.duplicate_of)
        AND EXISTS (
            SELECT FROM wallet.lots AS l
            WHERE l.claim_id = c.claim_id AND l.lot_id = e.lot_id AND l.bundle_item = u.bundle_item
        )
)
UNION ALL
SELECT e.environment, e.account_id, e.version, 'entry spends without a booking or a use of a pass'
FROM wallet.entries AS e
WHERE
    e.kind = 'spend' AND e.booking_id IS NULL AND NOT EXISTS (
        SELECT FROM wallet.pass_uses AS u
        WHERE u.account_id = e.account_id AND u.environment = e.environment AND u.version = e.version
    );
COMMENT ON VIEW wallet.broken_uses IS 'Visits spent directly by an app that differ from their entries.';

-- The counter-account of every movement, by environment, unit and kind. It is not stored, so it is never locked.
CREATE VIEW wallet.counter_accounts AS
SELECT e.environment, e.unit, e.kind::TEXT AS kind, -sum(e.amount) AS amount
FROM wallet.entries AS e
WHERE e.unit IS NOT NULL
GROUP BY e.environment, e.unit, e.kind;
COMMENT ON VIEW wallet.counter_accounts IS 'The counter-account of every movement, by environment, unit and kind.';

CREATE VIEW wallet.broken_books AS
SELECT b.environment, NULL::BIGINT AS account_id, NULL::BIGINT AS version, format(
    'wallets and counter-accounts in %ss sum to %s', b.unit, sum(b.amount)
) AS detail
FROM (
    SELECT w.environment, 'credit'::wallet.unit AS unit, sum(w.credits) AS amount FROM wallet.wallets AS w
    GROUP BY w.environment
    UNION ALL
    SELECT w.environment, 'visit', sum(w.visits) FROM wallet.wallets AS w GROUP BY w.environment
    UNION ALL
    SELECT a.environment, a.unit, a.amount FROM wallet.counter_accounts AS a
) AS b
GROUP BY b.environment, b.unit
HAVING sum(b.amount) <> 0;
COMMENT ON VIEW wallet.broken_books IS
'Environments and units in which wallets and counter-accounts do not sum to zero.';

-- The daily sums must equal those of the ledger, as far as they have been computed.
CREATE VIEW wallet.broken_daily_sums AS
SELECT
    coalesce(d.environment, k.environment) AS environment,
    NULL::BIGINT AS account_id,
    NULL::BIGINT AS version,
    format(
        '%s of %s: the ledger has %s, the daily sums have %s',
        coalesce(d.kind, k.kind), coalesce(d.day, k.day), d.amount, k.amount
    ) AS detail
FROM (
    SELECT
        e.day,
        e.environment,
        e.unit,
        e.source,
        e.product_id,
        e.currency,
        e.kind,
        count(*) AS entries,
        sum(e.amount) AS amount,
        sum(e.owed_change) AS owed_change,
        sum(e.value_minor) AS value_minor
    FROM wallet.summed_wallets AS s
    INNER JOIN wallet.entry_values AS e
        ON s.account_id = e.account_id AND s.environment = e.environment AND s.version >= e.version
    GROUP BY e.day, e.environment, e.unit, e.source, e.product_id, e.currency, e.kind
) AS d
FULL JOIN wallet.daily_sums AS k
    ON
        d.day = k.day AND d.environment = k.environment AND d.unit = k.unit AND d.source = k.source
        AND d.product_id = k.product_id AND d.currency = k.currency AND d.kind = k.kind
WHERE
    (d.entries, d.amount, d.owed_change, d.value_minor)
    IS DISTINCT FROM (k.entries, k.amount, k.owed_change, k.value_minor)
UNION ALL
SELECT s.environment, s.account_id, s.version, 'the daily sums include entries that do not exist'
FROM wallet.summed_wallets AS s
LEFT JOIN wallet.wallets AS w ON s.account_id = w.account_id AND s.environment = w.environment
WHERE s.version > coalesce(w.version, 0);
COMMENT ON VIEW wallet.broken_daily_sums IS 'Days whose sums differ from those of the ledger.';
