-- Returns what an operator's search text refers to: users by any part of the id, the name or the email address, a
-- booking, a purchase by any store id, an adjustment or an operator's action by its reference, or classes by the id or
-- any part of the title. Parts have at least three characters, and words of names two. The id of a request that created
-- a booking is the booking's own id.
-- Confirmation codes are found by four or more of their digits. Their search covers active bookings of classes from
-- yesterday to two weeks ahead, which is enough to check people in at a class: an index would make each booking write
-- one more page. Titles are searched along the index of the classes' starts. All other searches use an index on the
-- text.
-- Users come first, the best matches before others, then the results nearest in time. Results of a merged user are
-- shown under the account that it was merged into.
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
    v_lower CONSTANT TEXT := lower(v_text);
    v_now CONSTANT TIMESTAMPTZ := wallet.now();
    v_code CONSTANT TEXT := substring(v_lower FROM '^(?:hb)?([0-9a-f]{4,8})$');
BEGIN
    IF v_text ~ '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' THEN
        v_id := v_text::UUID;
    END IF;
    RETURN QUERY
    SELECT f.kind, f.id, i.user_id, f.environment, f.at, f.summary, i.user_name
    FROM (
        (
            SELECT
                'user' AS kind, u.user_id AS id, u.account_id, NULL::wallet.environment AS environment,
                u.created_at AS at,
                nullif(concat_ws(
                    ', ', CASE WHEN p.name IS NOT NULL THEN p.email END,
                    CASE WHEN u.merged_at IS NOT NULL THEN 'merged into another user' END
                ), '') AS summary,
                CASE
                    WHEN u.user_id = v_user_id THEN 0
                    WHEN starts_with(u.user_id, v_user_id) OR starts_with(u.user_id, v_lower) THEN 1
                    WHEN starts_with(lower(p.name), v_lower) OR starts_with(lower(p.email), v_lower) THEN 2
                    ELSE 3
                END AS place
            FROM wallet.identities AS u
            LEFT JOIN wallet.profiles AS p ON u.account_id = p.account_id AND u.merged_at IS NULL
            WHERE u.user_id = ANY(ARRAY(SELECT d.user_id FROM wallet.find_users(v_text) AS d (user_id)))
            ORDER BY place, coalesce(p.name, u.user_id) USING ~<~, u.user_id USING ~<~
            LIMIT p_limit
        )
        UNION ALL
        SELECT
            'booking', b.booking_id::TEXT, b.account_id, b.environment, b.created_at,
            concat(b.class_title, ', ', b.status), 0
        FROM wallet.booking_details AS b
        WHERE b.booking_id = v_id
        UNION ALL
        SELECT
            'booking', b.booking_id::TEXT, b.account_id, b.environment, b.created_at,
            concat(c.title, ', booked'), 0
        FROM wallet.classes AS c
        INNER JOIN wallet.bookings AS b ON c.class_id = b.class_id AND b.cancelled_at IS NULL
        WHERE
            v_code IS NOT NULL AND strpos(right(b.booking_id::TEXT, 8), v_code) > 0
            AND c.starts_at BETWEEN v_now - INTERVAL '1 day' AND v_now + INTERVAL '14 days'
        UNION ALL
        SELECT
            'purchase', coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id), c.account_id, c.environment,
            c.purchased_at, concat(coalesce(c.product_id, c.store_product_id), ', ', c.verdict), 0
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
            concat(CASE WHEN a.amount > 0 THEN '+' END, a.amount, ' ', a.unit), 0
        FROM wallet.adjustments AS a
        WHERE a.reference = v_text
        UNION ALL
        SELECT
            'action', v_text, r.account_id, r.environment, r.at,
            concat(r.action, ' of ' || r.kind || ' ' || r.object_id, ', by ' || t.actor), 0
        FROM wallet.action_rights AS k
        INNER JOIN wallet.audit AS r ON wallet.reference_digest(k.action, v_text, '{}') = r.reference_digest
        LEFT JOIN wallet.audit_texts AS t ON r.audit_id = t.audit_id
        UNION ALL
        SELECT
            'class', c.class_id, NULL::BIGINT, NULL::wallet.environment, c.starts_at, concat(c.title, ', ', c.status),
            (c.class_id <> v_text)::INTEGER
        FROM wallet.classes AS c
        WHERE c.class_id = ANY(ARRAY(
            SELECT v_text
            UNION ALL
            (
                SELECT k.class_id FROM wallet.classes AS k
                WHERE char_length(v_text) >= 3 AND k.starts_at >= v_now AND strpos(lower(k.title), v_lower) > 0
                ORDER BY k.starts_at, k.class_id
                LIMIT p_limit
            )
            UNION ALL
            (
                SELECT k.class_id FROM wallet.classes AS k
                WHERE char_length(v_text) >= 3 AND k.starts_at < v_now AND strpos(lower(k.title), v_lower) > 0
                ORDER BY k.starts_at DESC, k.class_id DESC
                LIMIT p_limit
            )
        ))
    ) AS f
    LEFT JOIN wallet.accounts AS a ON f.account_id = a.account_id
    LEFT JOIN wallet.people AS i ON coalesce(a.merged_into, a.account_id) = i.account_id
    ORDER BY f.kind <> 'user', f.place, abs(extract(EPOCH FROM f.at - v_now)), f.id
    LIMIT p_limit;
END;
$$;
COMMENT ON FUNCTION wallet.operator_search(TEXT, INTEGER) IS
'Returns what a search text refers to: users, bookings, purchases and more.';
