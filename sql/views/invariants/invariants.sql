-- All violations of all invariants. An intact database has none.
CREATE VIEW wallet.violations AS
SELECT 'wallet_sums' AS name, v.* FROM wallet.broken_wallet_sums AS v
UNION ALL
SELECT 'ledger_sums', v.* FROM wallet.broken_ledger_sums AS v
UNION ALL
SELECT 'lots', v.* FROM wallet.broken_lots AS v
UNION ALL
SELECT 'versions', v.* FROM wallet.broken_versions AS v
UNION ALL
SELECT 'running_balances', v.* FROM wallet.broken_running_balances AS v
UNION ALL
SELECT 'chain_links', v.* FROM wallet.broken_chain_links AS v
UNION ALL
SELECT 'chain_hashes', v.* FROM wallet.broken_chain_hashes AS v
UNION ALL
SELECT 'times', v.* FROM wallet.broken_times AS v
UNION ALL
SELECT 'bookings', v.* FROM wallet.broken_bookings AS v
UNION ALL
SELECT 'consequences', v.* FROM wallet.broken_consequences AS v
UNION ALL
SELECT 'seats', v.environment, v.account_id, v.version, v.detail FROM wallet.broken_seats AS v
UNION ALL
SELECT 'claims', v.* FROM wallet.broken_claims AS v
UNION ALL
SELECT 'due_dates', v.* FROM wallet.broken_due_dates AS v
UNION ALL
SELECT 'texts', v.* FROM wallet.broken_texts AS v
UNION ALL
SELECT 'uses', v.* FROM wallet.broken_uses AS v
UNION ALL
SELECT 'books', v.* FROM wallet.broken_books AS v
UNION ALL
SELECT 'lot_parts', v.* FROM wallet.broken_lot_parts AS v
UNION ALL
SELECT 'lot_terms', v.* FROM wallet.broken_lot_terms AS v
UNION ALL
SELECT 'postings', v.* FROM wallet.broken_postings AS v
UNION ALL
SELECT 'subscriptions', v.* FROM wallet.broken_subscriptions AS v
UNION ALL
SELECT 'facts', v.* FROM wallet.broken_facts AS v
UNION ALL
SELECT 'accounts', v.* FROM wallet.broken_accounts AS v
UNION ALL
SELECT 'rows', v.* FROM wallet.broken_rows AS v
UNION ALL
SELECT 'daily_sums', v.* FROM wallet.broken_daily_sums AS v;
COMMENT ON VIEW wallet.violations IS 'All violations of all invariants; empty in an intact database.';

CREATE VIEW wallet.invariant_names AS
SELECT n.name FROM unnest(ARRAY[
    'wallet_sums', 'ledger_sums', 'lots', 'versions', 'running_balances', 'chain_links', 'chain_hashes',
    'times', 'bookings', 'consequences', 'seats', 'claims', 'due_dates', 'texts', 'uses', 'books', 'lot_parts',
    'lot_terms', 'postings', 'subscriptions', 'facts', 'accounts', 'rows', 'daily_sums'
]) AS n (name);
COMMENT ON VIEW wallet.invariant_names IS 'The names of the invariants.';

CREATE VIEW admin.invariants AS
SELECT
    n.name,
    count(v.detail)::BIGINT AS violations,
    min(coalesce(v.environment::TEXT, '-') || ' account ' || coalesce(v.account_id::TEXT, '-') || ' version '
        || coalesce(v.version::TEXT, '-') || ': ' || v.detail) AS sample
FROM wallet.invariant_names AS n
LEFT JOIN wallet.violations AS v ON n.name = v.name
GROUP BY n.name;
COMMENT ON VIEW admin.invariants IS
'The number of violations of each invariant, with a sample; every number must be 0.';

CREATE VIEW wallet.finding_counts AS
SELECT n.name, count(f.name)::BIGINT AS violations
FROM wallet.invariant_names AS n
LEFT JOIN wallet.findings AS f ON n.name = f.name
GROUP BY n.name;
COMMENT ON VIEW wallet.finding_counts IS
'The number of violations that the checks of changed wallets and classes found and that still exist.';

CREATE VIEW wallet.account_range AS
SELECT min(a.account_id) AS first, max(a.account_id) AS last FROM wallet.accounts AS a;
COMMENT ON VIEW wallet.account_range IS
'The first and the last account, for a caller that checks all accounts in parts.';
