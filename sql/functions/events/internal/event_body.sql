-- Returns the body of an outgoing event: {"type", "timestamp", "data"}, with the timestamp in RFC 3339 in whole
-- seconds. A receiver orders the events of one wallet by data.version, and recognizes duplicates by data.event_id.
--
--   all types             event_id, user_id (null once the user is erased), environment, version (of the wallet)
--   credits.granted       unit, amount (the movement, signed: refunds, expiries and debits are negative), balance_after
--   credits.debited       (spendable in that unit), store, transaction_id, product_id (these three are null without a
--   credits.reversed      purchase), lot_id (null if the movement is not of one lot)
--   credits.expired
--   credits.transferred
--   booking.created       booking_id, class_id, class_title, starts_at, seats, unit (null when unlimited), amount
--   booking.cancelled     the same, and cancelled_at, cancelled_by (user, studio, wallet), late_cancel, returned
--   booking.moved         the same as created, with the class's new start, and ends_at, free_until
--   waitlist.*            the details given to wallet.emit: class_id, and place if there is one
--   subscription.*        the details given to wallet.emit
--   waitlist.joined       class_id, place (from 1)
--   waitlist.left         class_id; a member who books leaves with booking.created instead (from_waitlist if promoted)
--   waitlist.closed       class_id; the class is cancelled
--   review_flag.raised    the details given to wallet.emit
--   endpoint.test         no further members; an operator tests the endpoint
--
-- waitlist.* are joined, left and closed (the class was cancelled).
-- subscription.* are started, renewed, billing_issue, grace, cancelled, uncancelled, expired, refunded, revoked, paused
-- and transferred. Details override members of the same name, so that the caller can replace them. The amount of
-- credits.* always comes from the ledger, because the details contain it without its sign.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.event_body(p_event wallet.outbox) RETURNS JSONB LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT jsonb_build_object(
        'type', p_event.type,
        'timestamp', wallet.rfc3339(p_event.at),
        'data', jsonb_build_object(
            'event_id', p_event.event_id,
            'user_id', (
                SELECT i.user_id FROM wallet.accounts AS a
                INNER JOIN wallet.identities AS i ON coalesce(a.merged_into, a.account_id) = i.account_id
                WHERE a.account_id = p_event.account_id AND i.merged_at IS NULL
                ORDER BY i.user_id
                LIMIT 1
            ),
            'environment', p_event.environment,
            'version', p_event.version
        ) || CASE
            WHEN p_event.type LIKE 'credits.%' THEN '{"lot_id": null}' || wallet.event_movement(p_event)
            WHEN p_event.type LIKE 'booking.%' THEN coalesce(wallet.event_booking(p_event), '{}')
            ELSE '{}'
        END || CASE
            WHEN p_event.type LIKE 'credits.%' THEN coalesce(p_event.details, '{}') - 'amount'
            ELSE coalesce(p_event.details, '{}')
        END
    );
$$;
COMMENT ON FUNCTION wallet.event_body(wallet.outbox) IS 'Returns the body of an outgoing event.';
