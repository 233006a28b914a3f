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

-- A period that is extended keeps the frozen days; one that is cut short ends exactly at the next start
CREATE FUNCTION pg_temp.period(
    p_user text, p_id text, p_plan text, p_from numeric, p_to numeric, p_refunded integer DEFAULT 0
) RETURNS void LANGUAGE sql AS $$
    SELECT pg_temp.wait('1 second'), pg_temp.buy(p_user, p_id, 'plan.' || p_plan, pg_temp.days(
        p_from, p_to, jsonb_build_object('original_transaction_id', p_user, 'refunded_millionths', p_refunded)
    ));
$$;
CREATE FUNCTION pg_temp.ends(p_id text) RETURNS interval LANGUAGE sql AS $$
    SELECT l.expires_at - pg_temp.noon(0) FROM wallet.lots AS l WHERE l.claim_id = (pg_temp.claim(p_id)).claim_id;
$$;
UPDATE wallet.products SET freeze_days = 30 WHERE kind = 'plan';
SELECT pg_temp.day(120), pg_temp.period('dan', 'd1', 'explorer', 120, 150);
SELECT wallet.freeze_lot(
    l.account_id, 'production', l.lot_id, pg_temp.noon(122), pg_temp.noon(127), row('test', 'holiday', NULL, NULL)
) FROM wallet.lots AS l WHERE l.claim_id = (pg_temp.claim('d1')).claim_id;
SELECT is(pg_temp.ends('d1'), interval '155 days', 'five days are frozen');
SELECT pg_temp.period('dan', 'd1', 'explorer', 120, 155);
SELECT is(pg_temp.ends('d1'), interval '160 days', 'an extension by five days');
SELECT pg_temp.period('dan', 'd1', 'explorer', 120, 165);
SELECT is(pg_temp.ends('d1'), interval '170 days', 'an extension by ten days');
SELECT pg_temp.day(130), pg_temp.period('dan', 'd2', 'enthusiast', 130, 160);
SELECT is(pg_temp.ends('d1'), interval '130 days', 'an upgrade');
SELECT pg_temp.buy('dan', 'd3', 'plan.unlimited', pg_temp.days(129, 150, jsonb_build_object(
    'original_transaction_id', 'dan', 'purchased_at', pg_temp.noon(130) - interval '1 second'
)));
SELECT is(pg_temp.ends('d1'), interval '129 days 23:59:59', 'another one, which began a second earlier');

-- The upgrade of a period with a rollover: both lots lapse at once, in their order, and other wallets stay unchanged
SELECT pg_temp.day(150), pg_temp.gift('eve', 1, 'visit', NULL, 'sandbox'), pg_temp.gift('fay', 1);
SELECT pg_temp.period('eve', 'e1', 'enthusiast', 150, 180), pg_temp.period('eve', 'e2', 'enthusiast', 180, 210);
SELECT pg_temp.day(181);
-- Without indexes, only the query's own ORDER BY gives the order; the older lot is stored after the other one.
UPDATE wallet.lots SET warned_at = NULL WHERE claim_id = (pg_temp.claim('e2')).claim_id;
SELECT pg_temp.by_index(FALSE), pg_temp.period('eve', 'e3', 'explorer', 181, 211), pg_temp.by_index(TRUE);
SELECT is(
    pg_temp.story('eve', 2), 'lapse -10, rollover 5, grant 4, lapse -10, lapse -5', 'the period and its rollover'
);
SELECT is_empty(
    $$ SELECT FROM wallet.wallets AS w
       WHERE w.next_expiry < 'infinity' AND (w.environment = 'sandbox' OR w.account_id = wallet.account_for('fay')) $$,
    'other wallets have no expiry'
);

-- One visit comes back when the period is extended, and it repays a debt
SELECT pg_temp.day(190), pg_temp.lesson('w', NULL, 1), pg_temp.period('gus', 'g1', 'explorer', 190, 220);
SELECT pg_temp.book('gus', 'g', 'w', 2), pg_temp.period('gus', 'g1', 'explorer', 190, 220, 250000);
SELECT pg_temp.day(221), pg_temp.lesson('x', NULL, 1), pg_temp.buy('gus', 'g2', 'singleVisit');
SELECT pg_temp.book('gus', 'h', 'x'), pg_temp.wait('1 second');
SELECT pg_temp.buy('gus', 'g2', 'singleVisit', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.funds('gus'), '0 0 0 1', 'a visit of a refunded pass is owed');
SELECT pg_temp.period('gus', 'g1', 'explorer', 190, 230, 250000);
SELECT is(
    pg_temp.story('gus'),
    'grant 4, spend -2, refund -1, lapse -1, grant 1, spend -1, refund 0 owed 1, reopen 1, repay -1 owed -1',
    'the entries of the ledger'
);
CREATE FUNCTION pg_temp.granted(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(o.details ->> 'amount', ', ' ORDER BY o.event_id) FROM wallet.outbox AS o
    WHERE o.type = 'credits.granted' AND o.account_id = wallet.account_for(p_user);
$$;
SELECT is(pg_temp.granted('gus'), '4, 1, 1', 'an event reports the visit');

-- None comes back if the others were spent or refunded
SELECT pg_temp.lesson('y', NULL, 1), pg_temp.period('hal', 'h1', 'explorer', 221, 251);
SELECT pg_temp.book('hal', 'i', 'y', 2), pg_temp.day(252), pg_temp.period('hal', 'h1', 'explorer', 221, 251, 500000);
SELECT pg_temp.period('hal', 'h1', 'explorer', 221, 260, 500000);
SELECT is(pg_temp.story('hal'), 'grant 4, spend -2, lapse -2, refund 0, reopen 0', 'the entries of the ledger');
SELECT is(pg_temp.granted('hal'), '4', 'no event is sent');

-- A lot that has moved: the row that it left keeps its expiry
SELECT pg_temp.period('ian', 'i1', 'explorer', 252, 282);
SELECT wallet.move_lots(l.account_id, wallet.account_for('jon'), 'production', ARRAY[l.lot_id])
FROM wallet.lots AS l WHERE l.claim_id = (pg_temp.claim('i1')).claim_id;
SELECT pg_temp.wait('1 second'), pg_temp.report(NULL, 'i1', 'plan.explorer', pg_temp.days(
    252, 290, '{"original_transaction_id": "ian", "pending": true}'
));
SELECT results_eq(
    $$ SELECT u.user_id, l.expires_at - pg_temp.noon(0) FROM wallet.lots AS l
       INNER JOIN wallet.users AS u ON l.account_id = u.account_id
       WHERE u.user_id IN ('ian', 'jon') ORDER BY u.user_id $$,
    $$ VALUES ('ian', interval '282 days'), ('jon', interval '290 days') $$, 'the period is extended in its new account'
);
SELECT pg_temp.sound('lot_terms');
SELECT * FROM finish();
ROLLBACK;
