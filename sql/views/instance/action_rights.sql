-- The role that each operator action requires. The functions that carry out actions call wallet.check_right, and a test
-- compares the table in the guide with this view.
CREATE VIEW wallet.action_rights AS
SELECT
    r.action,
    r.needs::wallet.operator_right AS needs
FROM (VALUES
    ('read', 'viewer'),
    ('cancel-booking', 'support'),
    ('replay-message', 'support'),
    ('resend-event', 'support'),
    ('send-test-event', 'support'),
    ('set-tester', 'support'),
    ('adjust', 'operator'),
    ('cancel-booking-in-full', 'operator'),
    ('waive-cancellation', 'operator'),
    ('resolve-flag', 'operator'),
    ('put-class', 'operator'),
    ('cancel-class', 'operator'),
    ('reconcile', 'operator'),
    ('put-product', 'admin'),
    ('release-purchase', 'admin'),
    ('keep-purchase', 'admin')
) AS r (action, needs);
COMMENT ON VIEW wallet.action_rights IS 'The role that each operator action requires.';
COMMENT ON COLUMN wallet.action_rights.needs IS
'viewer, support (cannot move money), operator (can move money) or admin; each includes the ones before it.';
