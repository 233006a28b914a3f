-- wallet.sync_group: the effect of one period on the others of its group (rule 29).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
SELECT pg_temp.buy('ann', 'p1', 'plan.enthusiast', pg_temp.days(0, 30)), pg_temp.day(10);
SELECT is(
    pg_temp.says(pg_temp.buy('ann', 'p2', 'plan.unlimited', pg_temp.days(10, 40))), 'granted 0',
    'an upgrade that is worth nothing in visits'
);
SELECT is(pg_temp.plan_lots('ann'), '0/10 until 01-11', 'the upgrade ends the replaced period, and its rest lapses');
SELECT pg_temp.day(40), pg_temp.buy('ann', 'p3', 'plan.enthusiast', pg_temp.days(40, 70));
SELECT is(pg_temp.plan_lots('ann'), '0/10 until 01-11, 10/10 until 03-12', 'nothing rolls over, even later');
SELECT pg_temp.report(NULL, 'p1', 'plan.enthusiast', pg_temp.days(0, 55, '{"pending": true}'));
SELECT is(
    pg_temp.plan_lots('ann'), '0/10 until 01-11, 10/10 until 03-12',
    'an extension of the replaced period reopens nothing'
);
SELECT is(pg_temp.story('ann'), 'grant 10, lapse -10, grant 10', 'the entries of the ledger');

-- An upgrade that is reported late ends the replaced period at the upgrade's start
SELECT pg_temp.buy('bob', 'b1', 'plan.enthusiast', pg_temp.days(40, 70, '{"original_transaction_id": "bob"}'));
SELECT pg_temp.buy('bob', 'b3', 'plan.enthusiast', pg_temp.days(70, 100, '{"original_transaction_id": "bob"}'));
SELECT pg_temp.day(75);
SELECT is(
    pg_temp.plan_lots('bob'), '0/10 until 03-12, 10/10 until 04-11, rolled 5/5 until 04-11', 'a period rolled over'
);
SELECT pg_temp.buy('bob', 'b2', 'plan.explorer', pg_temp.days(50, 60, '{"original_transaction_id": "bob"}'));
SELECT is(
    pg_temp.plan_lots('bob'),
    '0/10 until 02-20, 10/10 until 04-11, rolled 0/5 until 03-02, 0/4 until 03-02',
    'the period was cut short, so its rollover is taken back'
);

-- A refund of an upgraded period takes its grant, and spent visits become a debt
SELECT pg_temp.buy('cid', 'c1', 'plan.enthusiast', pg_temp.days(75, 105, '{"original_transaction_id": "cid"}'));
SELECT pg_temp.lesson('v', NULL, 3), pg_temp.book('cid', 'k', 'v'), pg_temp.day(76);
SELECT pg_temp.buy('cid', 'c2', 'plan.unlimited', pg_temp.days(76, 106, '{"original_transaction_id": "cid"}'));
SELECT pg_temp.report(NULL, 'c1', 'plan.enthusiast', pg_temp.days(75, 105,
    '{"original_transaction_id": "cid", "pending": true, "refunded_millionths": 1000000, "upgraded": true}'));
SELECT is(pg_temp.funds('cid'), '0 0 0 3', 'after the refund, only spent visits are owed');
SELECT is(
    (SELECT s.status || ' ' || s.tier FROM wallet.subscription_states AS s WHERE s.original_transaction_id = 'cid'),
    'active 3', 'the upgrade itself stays'
);
-- A period that granted nothing does not end what rolled over past it
SELECT pg_temp.buy('dee', 'd1', 'plan.enthusiast', pg_temp.days(80, 110, '{"original_transaction_id": "dee"}'));
SELECT is(
    pg_temp.says(pg_temp.buy(
        'dee', 'd2', 'plan.strange', pg_temp.days(105, 112, '{"original_transaction_id": "dee"}')
    )), 'skipped unknown-product', 'a period of an unknown product'
);
SELECT pg_temp.buy('dee', 'd3', 'plan.enthusiast', pg_temp.days(110, 140, '{"original_transaction_id": "dee"}'));
SELECT pg_temp.day(115);
SELECT pg_temp.report(NULL, 'd1', 'plan.enthusiast', pg_temp.days(80, 110, '{"original_transaction_id": "dee"}'));
SELECT is(
    pg_temp.story('dee'), 'grant 10, grant 10, lapse -10, rollover 5', 'the rest rolls over once, and does not lapse'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
