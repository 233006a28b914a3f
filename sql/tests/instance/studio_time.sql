-- wallet.studio_time, wallet.set_studio_time_zone: people read times in the studio's zone, across both changes of the
-- clocks, and reports count by its days.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT is(wallet.studio_time_zone(), 'UTC', 'the zone is UTC at first');
SELECT is(wallet.studio_time('2026-07-01T05:00:00Z'), '2026-07-01 05:00', 'times are in UTC then');
SELECT wallet.set_studio_time_zone('Europe/Berlin');
SELECT is(wallet.studio_time(t.at), t.text, t.at::text) FROM (VALUES
    (timestamptz '2026-07-01T05:00:00Z', '2026-07-01 07:00'), ('2026-12-01T06:00:00Z', '2026-12-01 07:00'),
    ('2026-03-29T00:59:59Z', '2026-03-29 01:59'), ('2026-03-29T01:00:00Z', '2026-03-29 03:00'),
    ('2026-10-24T23:59:59Z', '2026-10-25 01:59'), ('2026-10-25T00:30:00Z', '2026-10-25 02:30 +02:00'),
    ('2026-10-25T01:30:00Z', '2026-10-25 02:30'), ('2026-10-25T02:00:00Z', '2026-10-25 03:00')
) AS t (at, text);
SELECT wallet.set_studio_time_zone('America/New_York');
SELECT is(wallet.studio_time('2026-11-01T05:30:00Z'), '2026-11-01 01:30 -04:00', 'an offset west of UTC');
SELECT is(wallet.studio_time(NULL), NULL, 'no time');
SELECT is(
    pg_temp.raised(format('SELECT wallet.set_studio_time_zone(%L)', t.zone)), 'WL422 invalid-value',
    format('"%s" is no zone', t.zone)
) FROM (VALUES ('Europe/Berlino'), ('CET-1CEST'), ('+02:00'), ('EST5EDT'), (''), (NULL), ('europe/berlin')) AS t (zone);
SELECT is(wallet.studio_time_zone(), 'America/New_York', 'a refused zone changes nothing');

-- Reports
SELECT set_config('t.now', '2030-01-01 03:00:00+00', TRUE);
SELECT pg_temp.buy('ann', 't1', 'starter', '{"purchased_at": "2029-12-01T02:00:00Z"}'), pg_temp.lesson('a', 5);
UPDATE wallet.classes SET starts_at = '2030-02-01T02:00:00Z', ends_at = '2030-02-01T03:00:00Z' WHERE class_id = 'a';
SELECT pg_temp.gift('ann', 5);
SELECT wallet.sum_days(100), wallet.refresh_reports();
SELECT
    is((SELECT min(r.day) FROM wallet.revenue_report AS r), '2029-11-30'::date, 'revenue counts by the studio''s days');
SELECT is((SELECT min(r.month) FROM wallet.revenue_months AS r), '2029-11-01'::date, 'and by its months');
SELECT is((SELECT min(r.month) FROM admin.breakage AS r WHERE r.source <> 'pack'), '2029-12-01'::date, 'grants, too');
SELECT is((SELECT max(r.month) FROM admin.deferred_revenue AS r), '2029-12-01'::date, 'and balances');
SELECT is((SELECT max(r.day) FROM admin.movements_daily AS r), '2029-12-31'::date, 'and movements');
SELECT is((SELECT max(r.day) FROM admin.seats_daily AS r), '2030-01-31'::date, 'and seats');
SELECT is((SELECT c.starts_local FROM admin.classes AS c WHERE c.class_id = 'a'), '2030-01-31 21:00',
    'lists have the local start');
SELECT is_empty('SELECT v.detail FROM wallet.broken_daily_sums AS v', 'the sums are those of the ledger');
SELECT wallet.set_studio_time_zone('America/New_York');
SELECT isnt_empty('SELECT FROM wallet.daily_sums', 'the same zone again changes nothing');
SELECT wallet.set_studio_time_zone('UTC');
SELECT is_empty('SELECT FROM wallet.daily_sums', 'another zone clears the daily sums');
SELECT is_empty('SELECT v.detail FROM wallet.broken_daily_sums AS v', 'which breaks no invariant');
SELECT wallet.sum_days(100), wallet.refresh_reports();
SELECT is((SELECT max(r.day) FROM admin.movements_daily AS r), '2030-01-01'::date, 'and they are computed again');
SELECT is((SELECT min(r.day) FROM wallet.revenue_report AS r), '2029-12-01'::date, 'as are the other reports');

SELECT is(wallet.money(t.minor, t.currency)::text, t.text, concat_ws(' ', t.minor, t.currency)) FROM (VALUES
    (17900::numeric, 'USD', '179.00'), (-5, 'EUR', '-0.05'), (150000, 'JPY', '1500'), (1250, 'KWD', '12.500'),
    (100, NULL, '1.00'), (12345678901234567890, 'EUR', '123456789012345678.90'), (NULL, 'EUR', NULL)
) AS t (minor, currency, text);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
