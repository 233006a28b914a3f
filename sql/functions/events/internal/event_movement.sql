-- Returns the members of a credits.* event: the movement and its purchase; wallet.event_body lists them. The event
-- reports the movement posted just before its version. That is the last matching entry of its claim, together with the
-- amounts returned to lots that had repaid its debt. Without a claim, it is the adjustment or the import that the
-- version belongs to, otherwise the version's own entry.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.event_movement(p_event wallet.outbox) RETURNS JSONB LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT jsonb_build_object(
        'unit', coalesce(m.unit, a.unit, e.unit),
        'amount', coalesce(s.moved, a.amount, i.amount, e.amount - e.owed_change),
        'balance_after', e.balance_after,
        'store', c.store,
        'transaction_id', coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id),
        'product_id', coalesce(c.product_id, c.store_product_id)
    )
    FROM (SELECT p_event.claim_id) AS o (claim_id)
    LEFT JOIN wallet.claims AS c ON o.claim_id = c.claim_id
    LEFT JOIN wallet.entries AS e
        ON e.account_id = p_event.account_id AND e.environment = p_event.environment AND e.version = p_event.version
    LEFT JOIN LATERAL (
        SELECT n.version, n.unit, n.kind FROM wallet.entries AS n
        WHERE
            n.account_id = p_event.account_id AND n.environment = p_event.environment
            AND n.version <= p_event.version AND n.claim_id = o.claim_id
            AND n.kind = ANY(CASE p_event.type
                WHEN 'credits.granted' THEN ARRAY['grant', 'refund_reversal', 'rollover', 'reopen']
                WHEN 'credits.reversed' THEN ARRAY['refund']
                WHEN 'credits.expired' THEN ARRAY['lapse']
                WHEN 'credits.transferred' THEN ARRAY['transfer_in', 'transfer_out']
            END)
        ORDER BY n.version DESC
        LIMIT 1
    ) AS m ON TRUE
    LEFT JOIN LATERAL (
        -- If refunded credits were already spent, the wallet owes them. The movement is the change of balance and debt
        -- together.
        SELECT sum(n.amount - n.owed_change)::BIGINT AS moved FROM wallet.entries AS n
        WHERE
            n.account_id = p_event.account_id AND n.environment = p_event.environment
            AND n.version BETWEEN m.version AND p_event.version AND n.kind IN (m.kind, 'repay_return')
    ) AS s ON TRUE
    LEFT JOIN wallet.adjustments AS a
        ON
            o.claim_id IS NULL AND a.account_id = p_event.account_id AND a.environment = p_event.environment
            AND p_event.version BETWEEN a.first_version AND a.first_version + a.entry_count - 1
    LEFT JOIN LATERAL (
        -- The whole imported history is one movement.
        SELECT sum(n.amount)::BIGINT AS amount FROM wallet.imports AS m
        INNER JOIN wallet.entries AS n
            ON
                m.account_id = n.account_id AND m.environment = n.environment AND n.kind = 'import'
                AND n.version BETWEEN m.first_version AND p_event.version
        WHERE
            o.claim_id IS NULL AND m.account_id = p_event.account_id AND m.environment = p_event.environment
            AND p_event.version BETWEEN m.first_version AND m.first_version + m.entry_count - 1
            AND n.unit = e.unit
    ) AS i ON TRUE;
$$;
COMMENT ON FUNCTION wallet.event_movement(wallet.outbox) IS 'Returns the members of a credits.* event.';
