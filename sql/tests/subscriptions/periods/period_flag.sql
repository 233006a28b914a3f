-- wallet.period_flag: the newest report on one flag of one period.
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
SELECT pg_temp.buy('ann', 'p1', 'plan.explorer', pg_temp.days(0, 30, '{"will_renew": false}'));
SELECT pg_temp.buy('ann', 'p2', 'plan.explorer', pg_temp.days(30, 60, '{"billing_issue": true}'));
SELECT is(wallet.period_flag((pg_temp.claim(f.id)).claim_id, f.flag), f.value, f.id || ' ' || f.flag)
FROM (VALUES
    ('p1', 'will_renew', 'false'), ('p2', 'will_renew', NULL), ('p1', 'billing_issue', NULL),
    ('p2', 'billing_issue', 'true'), ('p2', 'expires_at', '2030-03-02T12:00:00.000000Z')
) AS f (id, flag, value);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
