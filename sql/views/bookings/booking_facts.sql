-- The history of bookings, attendances, strikes and waitlist entries as sentences. A waiver by an operator is a row
-- with its own time.
CREATE VIEW wallet.booking_facts AS
SELECT
    b.account_id,
    b.environment,
    b.created_at AS at,
    CASE WHEN b.promoted THEN 'promoted' ELSE 'booked' END AS kind,
    concat(
        CASE WHEN b.promoted THEN 'booked from the waitlist ' ELSE 'booked ' END, b.class_title, ' of ',
        wallet.studio_time(b.starts_at), CASE WHEN b.seats > 1 THEN format(', %s seats', b.seats) END,
        CASE WHEN b.unit IS NULL THEN ', covered by an unlimited plan' END
    ) AS what,
    b.unit,
    -b.amount AS amount,
    NULL::TEXT AS actor,
    NULL::TEXT AS reason,
    b.booking_id
FROM wallet.booking_details AS b
UNION ALL
SELECT
    b.account_id,
    b.environment,
    b.cancelled_at,
    'cancelled',
    concat(
        CASE b.cancelled_by
            WHEN 'user' THEN 'cancelled '
            WHEN 'studio' THEN 'the studio cancelled '
            ELSE 'the wallet cancelled '
        END,
        b.class_title, ' of ', wallet.studio_time(b.starts_at), ' by ' || d.actor,
        CASE WHEN b.cancelled_by = 'user' THEN concat(
            ', ', regexp_replace(to_char(greatest(
                b.cancelled_at - b.free_until, b.free_until - b.cancelled_at
            ), 'FMDDD "d" FMHH24 "h" FMMI "min"'), '^0 d (0 h )?', ''),
            CASE WHEN b.late_cancel THEN ' too late' ELSE ' before the free cancellation deadline' END
        ) END,
        CASE
            WHEN b.amount > 0 AND m.returned = 0 THEN ', nothing returned'
            WHEN b.amount > 0 THEN ', all returned'
        END,
        ': ' || coalesce(d.reason, CASE WHEN b.cancelled_by = 'studio' THEN c.cancel_reason END)
    ),
    b.unit,
    m.returned,
    d.actor,
    d.reason,
    b.booking_id
FROM wallet.booking_details AS b
INNER JOIN wallet.classes AS c ON b.class_id = c.class_id
LEFT JOIN LATERAL (
    SELECT t.actor, t.reason FROM wallet.audit AS r
    LEFT JOIN wallet.audit_texts AS t ON r.audit_id = t.audit_id
    WHERE r.kind = 'booking' AND r.object_id = b.booking_id::TEXT AND r.action = 'cancel-booking'
    ORDER BY r.audit_id
    LIMIT 1
) AS d ON TRUE
CROSS JOIN LATERAL (
    SELECT CASE WHEN EXISTS (
        SELECT FROM wallet.audit AS r
        WHERE r.kind = 'booking' AND r.object_id = b.booking_id::TEXT AND r.action = 'waive-cancellation'
    ) THEN 0 ELSE coalesce(b.returned, 0) END AS returned
) AS m
WHERE b.cancelled_at IS NOT NULL
UNION ALL
SELECT
    b.account_id,
    b.environment,
    r.at,
    'waived',
    concat(
        'the late cancellation of ', b.class_title, ' of ', wallet.studio_time(b.starts_at), ' was waived',
        ' by ' || t.actor, ': ' || t.reason
    ),
    b.unit,
    b.returned,
    t.actor,
    t.reason,
    b.booking_id
FROM wallet.booking_details AS b
INNER JOIN wallet.audit AS r
    ON r.kind = 'booking' AND b.booking_id::TEXT = r.object_id AND r.action = 'waive-cancellation'
LEFT JOIN wallet.audit_texts AS t ON r.audit_id = t.audit_id
UNION ALL
SELECT
    b.account_id,
    b.environment,
    a.marked_at,
    a.attendance::TEXT,
    concat(
        CASE a.attendance
            WHEN 'attended' THEN CASE WHEN a.checked_in THEN 'checked in to ' ELSE 'attended ' END
            WHEN 'no_show' THEN 'did not come to '
            ELSE 'was excused from '
        END,
        b.class_title, ' of ', wallet.studio_time(b.starts_at)
    ),
    NULL,
    0,
    NULL,
    NULL,
    b.booking_id
FROM wallet.attendances AS a
INNER JOIN wallet.booking_details AS b ON a.account_id = b.account_id AND a.booking_id = b.booking_id
UNION ALL
SELECT
    b.account_id,
    b.environment,
    c.at,
    'strike',
    concat(
        'strike for ', CASE c.cause WHEN 'no_show' THEN 'a no-show at ' ELSE 'the late cancellation of ' END,
        b.class_title, ' of ', wallet.studio_time(b.starts_at),
        CASE WHEN c.withdrawn_at IS NOT NULL THEN ', withdrawn' END
    ),
    NULL,
    0,
    NULL,
    NULL,
    b.booking_id
FROM wallet.consequences AS c
INNER JOIN wallet.booking_details AS b ON c.account_id = b.account_id AND c.booking_id = b.booking_id
WHERE c.strike
UNION ALL
SELECT
    w.account_id,
    w.environment,
    w.joined_at,
    'waits',
    format(
        'on the waitlist for %s of %s, place %s', w.class_title, wallet.studio_time(w.starts_at), w.place
    ),
    NULL,
    0,
    NULL,
    NULL,
    NULL
FROM wallet.waitlist_places AS w;
COMMENT ON VIEW wallet.booking_facts IS 'The history of bookings and waitlist entries, as sentences.';
