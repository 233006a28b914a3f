-- Actions of operators and administrators for a user, as sentences. Actions that another view reports are left out.
CREATE VIEW wallet.action_facts AS
SELECT
    r.account_id,
    r.environment,
    r.at,
    r.action AS kind,
    concat(
        CASE r.action
            WHEN 'undo-release' THEN 'a purchase is no longer released'
            WHEN 'resolve-flag' THEN 'the flag was ' || CASE r.after ->> 'resolution'
                WHEN 'blocked' THEN 'resolved: the account is blocked' ELSE 'dismissed'
            END
            WHEN 'set-tester' THEN CASE r.after ->> 'tester'
                WHEN 'false' THEN 'no longer a tester' ELSE 'made a tester'
            END
            WHEN 'put-profile' THEN 'the name or the email address was changed'
            WHEN 'freeze' THEN format(
                'frozen from %s until %s, expires %s', r.after ->> 'frozen_from', r.after ->> 'frozen_until',
                r.after ->> 'expires_at'
            )
            WHEN 'unfreeze' THEN format('no longer frozen, expires %s', r.after ->> 'expires_at')
            WHEN 'send-test-event' THEN 'a test event was sent'
            WHEN 'resend-event' THEN format('event %s was sent again', r.object_id)
            ELSE translate(r.action, '-', ' ')
        END,
        ', by ' || t.actor, ': ' || t.reason
    ) AS what,
    t.actor,
    t.reason
FROM wallet.audit AS r
LEFT JOIN wallet.audit_texts AS t ON r.audit_id = t.audit_id
WHERE
    r.action NOT IN (
        'adjust', 'gift', 'import', 'release-purchase', 'cancel-booking', 'waive-cancellation', 'reconcile',
        -- These actions do not affect the user.
        'read-user', 'export', 'refused'
    );
COMMENT ON VIEW wallet.action_facts IS
'Actions of operators for a user, as sentences, unless another view reports them.';
