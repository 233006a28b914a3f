-- The actions of operators: the role that each requires and, for those that wallet.operator_act carries out, the
-- members that its target must have. wallet.check_right and wallet.carry_out read this list, and tests compare it with
-- the table in the guide.
CREATE VIEW wallet.action_rights AS
SELECT
    r.action,
    r.needs::wallet.operator_right AS needs,
    r.target::TEXT[] AS target
FROM (VALUES
    ('read', 'viewer', NULL),
    ('cancel-booking', 'support', '{user_id, booking_id}'),
    ('replay-message', 'support', '{inbox_id}'),
    ('resend-event', 'support', '{event_id}'),
    ('send-test-event', 'support', '{user_id}'),
    ('set-tester', 'support', '{user_id, tester}'),
    ('put-profile', 'support', '{user_id}'),
    ('adjust', 'operator', NULL),
    ('compensate-class', 'operator', NULL),
    ('compensate-users', 'operator', NULL),
    ('cancel-booking-in-full', 'operator', NULL),
    ('waive-cancellation', 'operator', '{user_id, booking_id}'),
    ('freeze', 'operator', '{user_id, lot_id, from, until}'),
    ('unfreeze', 'operator', '{user_id, lot_id}'),
    ('resolve-flag', 'operator', '{flag_id, resolution}'),
    ('put-class', 'operator', '{definition}'),
    ('cancel-class', 'operator', '{class_id}'),
    ('mark-attendance', 'operator', '{class_id, booking_ids, attendance}'),
    ('put-policy', 'operator', '{policy_id, definition}'),
    ('put-series', 'operator', '{definition}'),
    ('cancel-series', 'operator', '{series_id}'),
    ('put-holiday', 'operator', '{on_date, name}'),
    ('remove-holiday', 'operator', '{on_date}'),
    ('reconcile', 'operator', NULL),
    ('put-product', 'admin', '{product_id, definition}'),
    ('release-purchase', 'admin', '{user_id, claim_id}'),
    ('undo-release', 'admin', '{user_id, claim_id}')
) AS r (action, needs, target);
COMMENT ON VIEW wallet.action_rights IS 'The role and the members of the target that each operator action requires.';
COMMENT ON COLUMN wallet.action_rights.needs IS
'viewer, support (cannot move money), operator (can move money) or admin; each includes the ones before it.';
COMMENT ON COLUMN wallet.action_rights.target IS
'The required members of the target; null if wallet.operator_act does not carry out the action.';
