-- wallet.sweep: posts due expiries of many wallets; balances do not depend on it (rule 6).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('u' || i, 5, 'credit', make_interval(days => i)) FROM generate_series(1, 5) AS i;
SELECT pg_temp.gift('u6', 5), pg_temp.gift('u1', 1, 'visit', '1 day', 'sandbox');
SELECT is(wallet.sweep(10), 0, 'nothing is due');
SELECT pg_temp.wait('3 days');
SELECT is(pg_temp.funds('u1'), '0 0 0 0', 'readers see due lots as lapsed');
SELECT is((SELECT sum(w.credits) FROM wallet.wallets AS w), 30::numeric, 'the wallet rows still contain due lots');
SELECT pg_temp.sound();
SELECT is(wallet.sweep(2), 2, 'a sweep processes as many wallets as its limit');
SELECT is(wallet.sweep(10), 2, 'the next takes the rest');
SELECT is(wallet.sweep(10), 0, 'no lot is due after the sweep');
SELECT is((SELECT sum(w.credits) FROM wallet.wallets AS w), 15::numeric, 'the rows agree with the readers');
SELECT is((SELECT count(*)::integer FROM wallet.entries AS e WHERE e.kind = 'lapse'), 4, 'each lapse is one entry');
SELECT is(wallet.sweep(0), 0, 'a limit of 0 processes none');
SELECT is(pg_temp.raised('SELECT wallet.sweep(-1)'), '2201W', 'less than none is an error');
SELECT is(wallet.sweep(NULL), 0, 'null is no limit');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
