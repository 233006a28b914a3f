-- Which right each action of an operator needs. The functions that carry actions out ask wallet.check_right, and a test
-- compares the guide's table with this.
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
COMMENT ON VIEW wallet.action_rights IS 'Which right each action of an operator needs.';
COMMENT ON COLUMN wallet.action_rights.needs IS
'viewer, support (moves no money), operator (moves money) or admin; each includes those before it.';
