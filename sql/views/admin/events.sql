-- Received store messages, outgoing events, refunds, subscriptions and offers, for administrators.
CREATE VIEW admin.webhook_inbox AS
SELECT
    i.inbox_id,
    i.source,
    i.source_event_id,
    i.type,
    i.status,
    i.reason,
    i.attempts,
    i.received_at,
    NULL::TIMESTAMPTZ AS processed_at,
    i.next_attempt_at,
    i.payload
FROM wallet.inbox AS i
UNION ALL
SELECT
    d.inbox_id,
    d.source,
    d.source_event_id,
    d.type,
    d.status,
    d.reason,
    d.attempts,
    d.received_at,
    d.processed_at,
    NULL,
    d.payload
FROM wallet.inbox_done AS d;
COMMENT ON VIEW admin.webhook_inbox IS
'Store messages. UPDATE … SET status = ''new'' retries a message that was not processed.';
COMMENT ON COLUMN admin.webhook_inbox.status IS
'new, processed, ignored, failed (retried), awaiting_user (waits for a user) or quarantined (needs attention).';
COMMENT ON COLUMN admin.webhook_inbox.reason IS 'Why the message is not processed: an error code or an SQLSTATE.';
COMMENT ON COLUMN admin.webhook_inbox.attempts IS
'The number of consecutive attempts that failed with the same status.';
COMMENT ON COLUMN admin.webhook_inbox.next_attempt_at IS 'The time of the next automatic attempt; null for none.';
COMMENT ON COLUMN admin.webhook_inbox.payload IS 'The content of the message; after processing, without personal text.';
CREATE TRIGGER webhook_inbox_begin BEFORE UPDATE ON admin.webhook_inbox
FOR EACH STATEMENT EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER webhook_inbox_one_row INSTEAD OF UPDATE ON admin.webhook_inbox
FOR EACH ROW EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER webhook_inbox_update INSTEAD OF UPDATE ON admin.webhook_inbox
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();

CREATE VIEW admin.outbox AS
SELECT
    o.event_id,
    o.type,
    i.user_id,
    i.user_name,
    o.environment,
    o.at,
    o.details,
    coalesce(
        d.status, CASE WHEN (o.xid, o.event_id) <= (c.xid, c.event_id) THEN 'delivered' ELSE 'waiting' END
    ) AS status,
    d.attempts,
    d.last_error,
    d.next_attempt_at
FROM wallet.outbox AS o
CROSS JOIN wallet.outbox_cursor AS c
LEFT JOIN wallet.deliveries AS d ON o.event_id = d.event_id
LEFT JOIN wallet.accounts AS a ON o.account_id = a.account_id
LEFT JOIN wallet.people AS i ON coalesce(a.merged_into, a.account_id) = i.account_id;
COMMENT ON VIEW admin.outbox IS
'Events and their delivery. UPDATE … SET status = ''pending'' resends an event; INSERT sends a test event.';
COMMENT ON COLUMN admin.outbox.status IS 'waiting (not queued yet), pending, delivered or dead (given up).';
COMMENT ON COLUMN admin.outbox.next_attempt_at IS 'When a pending event will be sent.';
CREATE TRIGGER outbox_begin BEFORE UPDATE ON admin.outbox
FOR EACH STATEMENT EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER outbox_one_row INSTEAD OF UPDATE ON admin.outbox
FOR EACH ROW EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER outbox_write INSTEAD OF INSERT OR UPDATE ON admin.outbox
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();

CREATE VIEW admin.undelivered AS
SELECT d.event_id, d.event_at, d.status, d.attempts, d.last_error, d.next_attempt_at
FROM wallet.deliveries AS d
WHERE d.status IN ('pending', 'dead');
COMMENT ON VIEW admin.undelivered IS 'Events that were not delivered: queued (pending) or given up (dead).';
COMMENT ON COLUMN admin.undelivered.last_error IS 'Why the latest attempt failed; null before the first attempt.';

CREATE VIEW admin.review_flags AS
SELECT
    f.flag_id,
    i.user_id,
    i.user_name,
    f.environment,
    f.app_transaction_id,
    f.refunds,
    f.raised_at,
    f.resolution,
    f.resolved_at,
    f.resolved_by,
    coalesce(m.blocked_at, a.blocked_at) IS NOT NULL AS is_blocked,
    f.account_id,
    NULL::TEXT AS reason
FROM wallet.review_flags AS f
INNER JOIN wallet.accounts AS a ON f.account_id = a.account_id
LEFT JOIN wallet.accounts AS m ON a.merged_into = m.account_id
LEFT JOIN wallet.people AS i ON coalesce(a.merged_into, a.account_id) = i.account_id;
COMMENT ON VIEW admin.review_flags IS
'Users with many refunds. UPDATE sets resolution to dismissed or blocked; blocked stops grants and bookings.';
COMMENT ON COLUMN admin.review_flags.app_transaction_id IS
'The user''s copy of the app, if it had the refunds, not the account; otherwise null.';
COMMENT ON COLUMN admin.review_flags.resolution IS 'dismissed or blocked; null while the flag is open.';
COMMENT ON COLUMN admin.review_flags.reason IS 'Always null. Set the reason in an UPDATE.';
COMMENT ON COLUMN admin.review_flags.resolved_by IS
'The operator who resolved the flag, or the database role of an administrator.';
CREATE TRIGGER review_flags_begin BEFORE UPDATE ON admin.review_flags
FOR EACH STATEMENT EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER review_flags_one_row INSTEAD OF UPDATE ON admin.review_flags
FOR EACH ROW EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER review_flags_update INSTEAD OF UPDATE ON admin.review_flags
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();

CREATE VIEW admin.refunds AS
SELECT
    i.user_id,
    i.user_name,
    p.environment,
    p.store,
    p.transaction_id,
    p.product_id,
    p.purchased_at,
    p.refunded_at,
    p.refunded_millionths,
    p.unit,
    p.granted,
    coalesce(l.refunded, 0) AS refunded,
    coalesce(l.owed, 0) AS owed,
    coalesce(l.repaid, 0) AS repaid,
    (
        SELECT coalesce(jsonb_agg(
            u.use || jsonb_build_object('used_at', to_timestamp((u.use ->> 'used_at')::DOUBLE PRECISION)) ORDER BY u.n
        ), '[]')
        FROM jsonb_array_elements(p.used_by) WITH ORDINALITY AS u (use, n)
    ) AS used_by,
    p.claim_id,
    p.account_id,
    p.lots
FROM wallet.purchases AS p
LEFT JOIN wallet.lots AS l ON p.claim_id = l.claim_id AND l.bundle_item = 0
LEFT JOIN wallet.people AS i ON p.account_id = i.account_id
WHERE p.refunded_millionths > 0;
COMMENT ON VIEW admin.refunds IS 'Purchases that the store refunded fully or partly, and the effect on the wallet.';
COMMENT ON COLUMN admin.refunds.refunded_at IS
'When the store refunded the purchase; null if it did not report the time.';
COMMENT ON COLUMN admin.refunds.refunded IS 'The amount of the grant that was taken back.';
COMMENT ON COLUMN admin.refunds.owed IS 'The refunded amount that was already spent and is not repaid yet.';
COMMENT ON COLUMN admin.refunds.repaid IS 'The refunded amount that was already spent and was repaid by later grants.';
COMMENT ON COLUMN admin.refunds.lots IS
'All lots that the purchase granted; of a bundle, the other columns show the first one.';
COMMENT ON COLUMN admin.refunds.used_by IS
'The bookings that it paid for, and visits that an app spent directly, which have a reference.';

CREATE VIEW admin.subscriptions AS
SELECT
    i.user_id,
    i.user_name,
    s.*,
    t.announced AS announced_status,
    p.started_at,
    greatest(p.periods - 1 - (p.trial_at < p.paid_at)::INTEGER, 0) AS renewals,
    CASE WHEN NOT s.will_renew THEN nullif(f.since, '-infinity') END AS cancelled_at,
    CASE WHEN p.trial_at < p.paid_at THEN p.paid_at END AS trial_converted_at
FROM wallet.subscription_states AS s
INNER JOIN wallet.subscriptions AS t ON s.account_id = t.account_id AND s.subscription_id = t.subscription_id
LEFT JOIN LATERAL (
    SELECT
        count(*)::INTEGER AS periods,
        min(c.purchased_at) AS started_at,
        coalesce(min(c.purchased_at) FILTER (WHERE c.period_type = 'trial'), 'infinity') AS trial_at,
        coalesce(min(c.purchased_at) FILTER (WHERE c.period_type IS DISTINCT FROM 'trial'), '-infinity') AS paid_at
    FROM wallet.claims AS c
    WHERE
        c.store = t.store AND c.environment = t.environment AND c.kind = 'subscription'
        AND c.chain_id = t.original_transaction_id AND c.duplicate_of IS NULL
        -- Periods from before the cut-over granted nothing, but the subscription had them.
        AND (c.granted_at IS NOT NULL OR c.verdict = 'before-cut-over')
) AS p ON TRUE
LEFT JOIN wallet.period_flags AS f
    ON t.current_claim_id = f.claim_id AND f.flag = 'will_renew' AND f.value = 'false'
LEFT JOIN wallet.people AS i ON s.account_id = i.account_id;
COMMENT ON VIEW admin.subscriptions IS 'All subscriptions with their current state.';
COMMENT ON COLUMN admin.subscriptions.started_at IS 'When the first known period began; it may be a trial.';
COMMENT ON COLUMN admin.subscriptions.renewals IS
'The number of periods after the first, including plan changes, except the first paid one after a trial.';
COMMENT ON COLUMN admin.subscriptions.cancelled_at IS
'When the renewal was turned off; null while it will renew, or if no store reported the time.';
COMMENT ON COLUMN admin.subscriptions.trial_converted_at IS 'When the first paid period after a trial began.';
COMMENT ON COLUMN admin.subscriptions.announced_status IS 'The state reported in the last event.';

CREATE VIEW admin.offers AS
SELECT o.product_id, o.offer_id, o.name, o.eligibility, o.is_active FROM wallet.offers AS o;
COMMENT ON VIEW admin.offers IS 'Promotional offers that may be signed. INSERT and UPDATE create and change them.';
COMMENT ON COLUMN admin.offers.offer_id IS 'The offer''s id in App Store Connect.';
COMMENT ON COLUMN admin.offers.eligibility IS 'Which users are eligible: subscribed_before, active or lapsed.';
CREATE TRIGGER offers_begin BEFORE UPDATE ON admin.offers
FOR EACH STATEMENT EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER offers_one_row INSTEAD OF UPDATE ON admin.offers
FOR EACH ROW EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER offers_write INSTEAD OF INSERT OR UPDATE ON admin.offers
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();
