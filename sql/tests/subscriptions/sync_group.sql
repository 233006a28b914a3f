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
-- A renewal that is reported after the previous period has ended
SELECT pg_temp.buy('eli', 'e1', 'plan.enthusiast', pg_temp.days(115, 145, '{"original_transaction_id": "eli"}'));
SELECT pg_temp.day(146);
SELECT pg_temp.buy('eli', 'e2', 'plan.enthusiast', pg_temp.days(145, 175, '{"original_transaction_id": "eli"}'));
SELECT is(pg_temp.funds('eli'), '0 15 0 0', 'half of the lapsed visits roll over at once');

-- A late report that ends two other subscriptions: they lapse in the order in which they began
SELECT pg_temp.buy('fin', 'f2', 'plan.enthusiast', pg_temp.days(146, 176, '{"original_transaction_id": "f2"}'));
SELECT pg_temp.buy('fin', 'f1', 'plan.enthusiast', pg_temp.days(145, 175, '{"original_transaction_id": "f1"}'));
SELECT pg_temp.lesson('w', NULL, 3), pg_temp.book('fin', 'k', 'w'), pg_temp.day(151);
SELECT pg_temp.buy('fin', 'f3', 'plan.explorer', pg_temp.days(150, 180, '{"original_transaction_id": "f3"}'));
SELECT is(
    pg_temp.story('fin'), 'grant 10, grant 10, spend -3, grant 4, lapse -7, lapse -10',
    'the rest of the older subscription lapses first'
);

-- A refund of a period changes the rollover from it and the rollover into it, in the order in which the periods were
-- recorded
SELECT pg_temp.buy('gil', 'g2', 'plan.enthusiast', pg_temp.days(180, 210, '{"original_transaction_id": "gil"}'));
SELECT pg_temp.buy('gil', 'g1', 'plan.enthusiast', pg_temp.days(150, 180, '{"original_transaction_id": "gil"}'));
SELECT pg_temp.buy('gil', 'g3', 'plan.enthusiast', pg_temp.days(210, 240, '{"original_transaction_id": "gil"}'));
SELECT pg_temp.day(181), pg_temp.day(211), pg_temp.by_index(FALSE);
SELECT pg_temp.buy('gil', 'g2', 'plan.enthusiast', pg_temp.days(180, 210, '{"original_transaction_id": "gil",
    "refunded_millionths": 1000000}'));
SELECT is(
    pg_temp.story('gil', 3), 'lapse -10, rollover 5, lapse -10, rollover 5, lapse -5, refund 0, refund -5, refund 0',
    'the refunded period was recorded first, so the rollover from it is refunded first'
);
SELECT pg_temp.by_index(TRUE);

-- A pack with an end of its own, under the id of a subscription, is no period
SELECT pg_temp.buy('eli', 'e0', 'starter', pg_temp.days(120, 300, '{"original_transaction_id": "eli"}'));
SELECT pg_temp.buy('eli', 'e3', 'plan.enthusiast', pg_temp.days(211, 241, '{"original_transaction_id": "e3"}'));
SELECT is(pg_temp.funds('eli'), '25 10 0 0', 'visits that rolled over and lapsed do not return with the pack');

-- A subscription with the same id in the other environment
SELECT pg_temp.buy('kay', 'x1', 'plan.enthusiast', '{"environment": "sandbox"}');
SELECT is(
    pg_temp.says(pg_temp.buy('lou', 'x1', 'plan.enthusiast')), 'granted 10 visit',
    'another user''s sandbox subscription does not matter'
);
SELECT pg_temp.sound();

-- No other lots change: neither those of other users, environments, stores or duplicates, nor those of periods that
-- ended before. The lots' ends were changed, so that each correction would be visible
UPDATE wallet.products SET play_store_id = 'play' WHERE app_store_id LIKE '%subscription.enthusiast';
SELECT wallet.enable_store('play_store', '2020-01-01');
SELECT pg_temp.buy('hal', 'h1', 'plan.enthusiast', pg_temp.days(211, 241, '{"original_transaction_id": "h1"}'));
SELECT pg_temp.buy(i.who, i.id, 'plan.enthusiast', pg_temp.days(i.begins, i.ends, i.more)) FROM (VALUES
    ('ivy', 'i1', 211, 241, '{"original_transaction_id": "i1"}'::jsonb),
    ('hal', 'h2', 211, 241, '{"original_transaction_id": "h2", "environment": "sandbox"}'),
    ('hal', 'h3', 211, 241, '{"original_transaction_id": "h3", "store": "play_store", "store_product_id": "play"}'),
    ('hal', 'h4', 200, 210, '{"original_transaction_id": "h4"}'),
    ('hal', 'h5', 212, 242, '{"original_transaction_id": "h5"}')
) AS i (who, id, begins, ends, more);
UPDATE wallet.claims SET duplicate_of = (pg_temp.claim('h1')).claim_id, verdict = 'duplicate'
WHERE transaction_id = 'h5';
UPDATE wallet.lots AS l SET expires_at = c.expires_at + interval '1 day' FROM wallet.claims AS c
WHERE l.claim_id = c.claim_id AND c.transaction_id IN ('i1', 'h2', 'h3', 'h4', 'h5');
SELECT pg_temp.buy('ivy', 'i2', 'singleVisit'), pg_temp.wait('29 days 23 hours');
UPDATE wallet.lots SET expires_at = wallet.now() WHERE claim_id = (pg_temp.claim('i2')).claim_id;
SELECT pg_temp.buy('hal', 'h1', 'plan.enthusiast', pg_temp.days(211, 241, '{"original_transaction_id": "h1"}'));
SELECT is(
    (
        SELECT string_agg(c.transaction_id, ' ' ORDER BY c.transaction_id) FROM wallet.claims AS c
        INNER JOIN wallet.lots AS l ON c.claim_id = l.claim_id AND l.expires_at = c.expires_at + interval '1 day'
        WHERE c.kind = 'subscription'
    ), 'h2 h3 h4 h5 i1', 'no other lot changes'
);
SELECT is(pg_temp.story('ivy'), 'grant 10, grant 1', 'another user''s due expiry is not posted');
SELECT * FROM finish();
ROLLBACK;
