-- wallet.sync_expiry: a plan's lots expire with their period (rule 29).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.extend(p_id text, p_to numeric) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.report(NULL, p_id, 'plan.explorer', jsonb_build_object(
        'original_transaction_id', 'chain', 'expires_at', pg_temp.noon(p_to), 'pending', TRUE,
        'purchased_at', (pg_temp.claim(p_id)).purchased_at
    ));
    SELECT pg_temp.plan_lots('ann');
$$;
SELECT pg_temp.buy('ann', 'p1', 'plan.explorer', pg_temp.days(0, 30));
SELECT pg_temp.lesson('v', NULL, 1), pg_temp.book('ann', 'k', 'v');
SELECT pg_temp.day(20);
SELECT is(pg_temp.extend('p1', 40), '3/4 until 02-10', 'an extension grants nothing and lets the lot live longer');
SELECT pg_temp.day(39.9);
SELECT is(pg_temp.funds('ann'), '0 3 0 0', 'the visits are valid until the new end');
SELECT pg_temp.day(40);
SELECT is(pg_temp.funds('ann'), '0 0 0 0', 'the visits lapse at the new end');
SELECT pg_temp.day(45);
SELECT is(pg_temp.extend('p1', 50), '3/4 until 02-20', 'an extension after the lapse opens it again');
SELECT is(pg_temp.extend('p1', 50), '3/4 until 02-20', 'once');
SELECT is(pg_temp.funds('ann'), '0 3 0 0', 'for lapsed visits, not for spent ones');
SELECT pg_temp.day(46);
SELECT is(pg_temp.extend('p1', 44), '0/4 until 02-14', 'an end that turns out to be past lapses it at once');
SELECT pg_temp.day(47);
SELECT is(pg_temp.extend('p1', 46), '0/4 until 02-16', 'an extension that is over itself opens nothing');
SELECT is(pg_temp.extend('p1', 47), '0/4 until 02-17', 'nor does one that ends now');
SELECT is(
    pg_temp.story('ann'), 'grant 4, spend -1, lapse -3, reopen 3, lapse -3', 'the entries of the ledger'
);

-- A rolled-over amount is not reopened
SELECT pg_temp.buy('bob', 'b1', 'plan.enthusiast', pg_temp.days(47, 77, '{"original_transaction_id": "bob"}'));
SELECT pg_temp.day(77);
SELECT pg_temp.buy('bob', 'b2', 'plan.enthusiast', pg_temp.days(77, 107, '{"original_transaction_id": "bob"}'));
SELECT is(
    pg_temp.plan_lots('bob'), '0/10 until 03-19, 10/10 until 04-18, rolled 5/5 until 04-18',
    'the lapsed visits rolled over'
);
SELECT pg_temp.day(78);
SELECT pg_temp.report(NULL, 'b1', 'plan.enthusiast',
    pg_temp.days(47, 90, '{"original_transaction_id": "bob", "pending": true}'));
SELECT is(
    pg_temp.plan_lots('bob'), '0/10 until 04-01, 10/10 until 04-18, rolled 5/5 until 04-18',
    'an extension reopens nothing'
);
SELECT pg_temp.report(NULL, 'b2', 'plan.enthusiast',
    pg_temp.days(77, 120, '{"original_transaction_id": "bob", "pending": true}'));
SELECT is(
    pg_temp.plan_lots('bob'), '0/10 until 04-01, 10/10 until 05-01, rolled 5/5 until 05-01',
    'a rollover expires with its period'
);

-- A lot that the studio reopened keeps its days of grace
UPDATE wallet.lots SET reopened_until = expires_at WHERE claim_id = (pg_temp.claim('b2')).claim_id;
SELECT pg_temp.day(79);
SELECT pg_temp.report(NULL, 'b2', 'plan.enthusiast',
    pg_temp.days(77, 130, '{"original_transaction_id": "bob", "pending": true}'));
SELECT is(
    pg_temp.plan_lots('bob'), '0/10 until 04-01, 10/10 until 05-01, rolled 5/5 until 05-11',
    'the reopened lot is unchanged'
);
-- Visits that were refunded after they had lapsed come back without value
SELECT pg_temp.buy('cid', 'c1', 'plan.explorer', pg_temp.days(80, 110, '{"original_transaction_id": "cid"}'));
SELECT pg_temp.day(111);
SELECT pg_temp.report(NULL, 'c1', 'plan.explorer',
    pg_temp.days(80, 110, '{"original_transaction_id": "cid", "refunded_millionths": 1000000}'));
SELECT pg_temp.report(NULL, 'c1', 'plan.explorer',
    pg_temp.days(80, 120, '{"original_transaction_id": "cid", "pending": true, "refunded_millionths": 1000000}'));
SELECT is(pg_temp.story('cid'), 'grant 4, lapse -4, refund 0, reopen 0', 'the ledger moves nothing');
SELECT is(
    (
        SELECT count(*) FROM wallet.outbox AS o
        WHERE o.type = 'credits.granted' AND o.account_id = wallet.account_for('cid')
    ), 1::bigint, 'no event is sent for zero visits'
);
SELECT pg_temp.sound('lot_terms');
SELECT * FROM finish();
ROLLBACK;
