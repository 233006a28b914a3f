-- Locks the wallets of a batch in one order, creates missing ones, and posts their due expiries. Returns the ctids of
-- the locked rows, which no other transaction can change. Without waiting, it skips wallets that another transaction
-- holds.
-- It has no SET clauses, because they cost as much as a small statement; every name in it is qualified.
-- Locks: wallets in order of (account, environment); if one is missing, see wallet.make_wallets. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_wallets(p_requests wallet.booking_request[], p_wait BOOLEAN) RETURNS TID[]
LANGUAGE plpgsql AS $$
DECLARE
    v_held TID[];
    v_next_expiry TIMESTAMPTZ;
BEGIN
    IF p_wait THEN
        SELECT array_agg(l.at), min(l.next_expiry) INTO v_held, v_next_expiry
        FROM (
            SELECT w.ctid AS at, w.next_expiry FROM wallet.wallets AS w
            WHERE (w.account_id, w.environment) IN (
                SELECT i.account_id, i.environment FROM unnest(p_requests) AS i
                WHERE i.operation IN ('book', 'cancel')
            )
            ORDER BY w.account_id, w.environment
            FOR UPDATE
        ) AS l;
    ELSE
        SELECT array_agg(l.at), min(l.next_expiry) INTO v_held, v_next_expiry
        FROM (
            SELECT w.ctid AS at, w.next_expiry FROM wallet.wallets AS w
            WHERE (w.account_id, w.environment) IN (
                SELECT i.account_id, i.environment FROM unnest(p_requests) AS i
                WHERE i.operation IN ('book', 'cancel')
            )
            ORDER BY w.account_id, w.environment
            FOR UPDATE SKIP LOCKED
        ) AS l;
    END IF;
    v_held := coalesce(v_held, '{}');
    IF cardinality(v_held) < cardinality(p_requests) THEN
        v_held := v_held || wallet.make_wallets(p_requests, p_wait);
    END IF;
    -- Usually no lot expires, and reading the clock is unnecessary.
    IF v_next_expiry < 'infinity' AND v_next_expiry <= wallet.now() THEN
        -- Posting changes the ctids of these rows.
        v_held := ARRAY(
            SELECT
                CASE WHEN w.next_expiry <= wallet.now() THEN wallet.lapse_due(w.account_id, w.environment) ELSE w.ctid END
            FROM wallet.wallets AS w
            WHERE w.ctid = ANY(v_held)
        );
    END IF;
    RETURN v_held;
END;
$$;
COMMENT ON FUNCTION wallet.lock_wallets(wallet.booking_request[], BOOLEAN) IS
'Locks the wallets of a batch in one order and returns the locked rows.';
