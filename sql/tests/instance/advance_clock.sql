-- wallet.advance_clock: moves the clock of a dev database only (rule 3).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
\ir ../../functions/instance/clock.sql
SELECT clock_timestamp() AS began \gset
SELECT ok(
    c.at BETWEEN :'began'::timestamptz + interval '30 days' AND clock_timestamp() + interval '30 days',
    'the function returns the new time'
) FROM wallet.advance_clock('30 days') AS c (at);
SELECT clock_timestamp() AS began \gset
SELECT ok(
    n.at BETWEEN :'began'::timestamptz + interval '30 days' AND clock_timestamp() + interval '30 days',
    'the offset of the clock stays'
) FROM wallet.now() AS n (at);
SELECT wallet.advance_clock('-10 days');
SELECT is((SELECT i.clock_offset FROM wallet.instance AS i), interval '20 days', 'moves add up, also backwards');
SELECT is(pg_temp.raised('SELECT wallet.advance_clock(NULL)'), '23502', 'null moves nothing');
UPDATE wallet.instance SET clock_offset = '0', kind = 'production';
SELECT is(
    pg_temp.raised('SELECT wallet.advance_clock(''1 second'')'), 'WL403 clock-is-real', 'a production clock is real'
);
SELECT throws_ok(
    'UPDATE wallet.instance SET clock_offset = interval ''1 second''', '23514', NULL, 'a CHECK protects the clock, too'
);
SELECT throws_ok($$ UPDATE wallet.instance SET kind = 'staging' $$, '23514', NULL, 'an instance is dev or production');
SELECT throws_ok(
    'INSERT INTO wallet.instance (only_row) VALUES (FALSE)', '23514', NULL, 'the instance has exactly one row'
);
SELECT * FROM finish();
ROLLBACK;
