-- Returns what an operator's search text refers to: a user by id or by the first three or more characters of the id (as
-- typed, or in lower case), a booking, a purchase by any store id, an adjustment or an operator's action by its
-- reference, or a class. The id of a request that created a booking is the booking's own id.
-- All searches use an index except the one for confirmation codes, because an index on them would make each booking
-- write one more page. That search covers active bookings of classes from yesterday to two weeks ahead, which is enough
-- to check people in at a class.
-- Users come first, then the latest results. Results of a merged user are shown under the account that it was merged
-- into.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.operator_search(p_text TEXT, p_limit INTEGER DEFAULT 20)
RETURNS SETOF wallet.search_hit LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp
-- PostgreSQL cannot estimate how many user ids start with the text. Only a few hits are returned, so every join uses
-- keys.
SET enable_seqscan = OFF SET enable_hashjoin = OFF SET enable_mergejoin = OFF AS $$
DECLARE
    v_text CONSTANT TEXT := btrim(p_text);
    v_user_id CONSTANT TEXT := wallet.canonical_user_id(v_text);
    v_id UUID;
    v_code TEXT;
BEGIN
    IF v_text ~* '^(?:HB)?[0-9A-F]{8}$' THEN
        v_code := lower(right(v_text, 8));
    END IF;
    IF v_text ~ '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' THEN
        v_id := v_text::UUID;
    END IF;
    RETURN QUERY
    SELECT f.kind, f.id, i.user_id, f.environment, f.at, f.summary
    FROM (
        (
            SELECT
                'user' AS kind, u.user_id AS id, u.account_id, NULL::wallet.environment AS environment,
                u.created_at AS at,
                CASE WHEN u.merged_at IS NOT NULL THEN 'merged into another user' END AS summary
            FROM wallet.identities AS u
            INNER JOIN (SELECT v_user_id AS text UNION SELECT lower(v_user_id)) AS p
                ON
                    u.user_id = p.text
                    OR (
                        char_length(p.text) >= 3
                        AND u.user_id ~>=~ p.text AND u.user_id ~<~ (p.text || chr(1114111))
                    )
            ORDER BY u.user_id <> v_user_id, u.user_id USING ~<~
            LIMIT p_limit
        )
        UNION ALL
        SELECT
            'booking', b.booking_id::TEXT, b.account_id, b.environment, b.created_at,
            concat(b.class_title, ', ', b.status)
        FROM wallet.booking_details AS b
        WHERE b.booking_id = v_id
        UNION ALL
        SELECT
            'booking', b.booking_id::TEXT, b.account_id, b.environment, b.created_at, concat(c.title, ', booked')
        FROM wallet.classes AS c
        INNER JOIN wallet.bookings AS b ON c.class_id = b.class_id AND b.cancelled_at IS NULL
        WHERE
            v_code IS NOT NULL AND right(b.booking_id::TEXT, 8) = v_code
            AND c.starts_at BETWEEN wallet.now() - INTERVAL '1 day' AND wallet.now() + INTERVAL '14 days'
        UNION ALL
        SELECT
            'purchase', coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id), c.account_id, c.environment,
            c.purchased_at, concat(coalesce(c.product_id, c.store_product_id), ', ', c.verdict)
        FROM wallet.claims AS c
        WHERE
            c.duplicate_of IS NULL AND c.claim_id IN (
                SELECT coalesce(m.duplicate_of, m.claim_id) FROM wallet.claims AS m
                WHERE
                    m.store IN (SELECT s.store FROM wallet.stores AS s)
                    AND m.environment = ANY(enum_range(NULL::wallet.environment)) AND m.transaction_id = v_text
                UNION ALL
                SELECT coalesce(m.duplicate_of, m.claim_id) FROM wallet.claims AS m
                WHERE
                    m.store IN (SELECT s.store FROM wallet.stores AS s)
                    AND m.environment = ANY(enum_range(NULL::wallet.environment)) AND m.order_id = v_text
            )
        UNION ALL
        SELECT
            'adjustment', a.reference, a.account_id, a.environment, a.at,
            concat(CASE WHEN a.amount > 0 THEN '+' END, a.amount, ' ', a.unit)
        FROM wallet.adjustments AS a
        WHERE a.reference = v_text
        UNION ALL
        SELECT
            'action', v_text, r.account_id, r.environment, r.at,
            concat(r.action, ' of ' || r.kind || ' ' || r.object_id, ', by ' || t.actor)
        FROM wallet.action_rights AS k
        INNER JOIN wallet.audit AS r ON wallet.reference_digest(k.action, v_text, '{}') = r.reference_digest
        LEFT JOIN wallet.audit_texts AS t ON r.audit_id = t.audit_id
        UNION ALL
        SELECT 'class', c.class_id, NULL::BIGINT, NULL::wallet.environment, c.starts_at, concat(c.title, ', ', c.status)
        FROM wallet.classes AS c
        WHERE c.class_id = v_text
    ) AS f
    LEFT JOIN wallet.accounts AS a ON f.account_id = a.account_id
    LEFT JOIN wallet.identities AS i ON coalesce(a.merged_into, a.account_id) = i.account_id AND i.merged_at IS NULL
    ORDER BY f.kind <> 'user', f.kind = 'user' AND f.id <> v_user_id, f.at DESC, f.id
    LIMIT p_limit;
END;
$$;
COMMENT ON FUNCTION wallet.operator_search(TEXT, INTEGER) IS
'Returns what a search text refers to: users, bookings, purchases and more.';
