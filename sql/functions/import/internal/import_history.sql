-- Completes a history so that its balance never falls below zero and ends at the imported balance. A missing amount is
-- added before the first movement. An excess is deducted after the last one, at the time of the balance.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.import_history(
    p_movements wallet.import_movement[],
    p_balance BIGINT,
    p_at TIMESTAMPTZ
) RETURNS wallet.import_movement[] LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    WITH steps AS (
        SELECT m.at, m.amount, sum(m.amount) OVER (ORDER BY m.n) AS running
        FROM unnest(p_movements) WITH ORDINALITY AS m (at, amount, kind, reason, n)
    ),

    sums AS (
        SELECT coalesce(sum(s.amount), 0) AS total, least(min(s.running), 0) AS lowest, min(s.at) AS first_at
        FROM steps AS s
    ),

    opening AS (
        SELECT s.first_at, s.total, greatest(-s.lowest, p_balance - s.total)::BIGINT AS amount FROM sums AS s
    )

    SELECT
        CASE WHEN o.amount > 0 THEN ARRAY[ROW(
            o.first_at, o.amount, NULL, 'difference to the imported balance'
        )::wallet.import_movement] ELSE '{}' END
        || p_movements
        || CASE WHEN p_balance < o.total + o.amount THEN ARRAY[ROW(
            p_at, (p_balance - o.total - o.amount)::BIGINT, NULL, 'difference to the imported balance'
        )::wallet.import_movement] ELSE '{}' END
    FROM opening AS o;
$$;
COMMENT ON FUNCTION wallet.import_history(wallet.import_movement[], BIGINT, TIMESTAMPTZ) IS
'Returns a history that never falls below zero and ends at the imported balance.';
