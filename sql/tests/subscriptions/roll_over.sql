-- wallet.roll_over, wallet.rollovers: rolls over the plan's share of the lapsed amount, up to its cap, once (rule 29).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.pay(p_user text, p_id text, p_from numeric, p_more jsonb DEFAULT '{}') RETURNS text
LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_id, 'plan.enthusiast', pg_temp.days(p_from, p_from + 30, jsonb_build_object(
        'original_transaction_id', p_user
    ) || p_more)));
$$;
SELECT pg_temp.pay('ann', 'a1', 0), pg_temp.lesson('v', NULL, 1), pg_temp.book('ann', 'k1', 'v'), pg_temp.day(29);
SELECT pg_temp.pay('ann', 'a2', 30);
SELECT is(pg_temp.rolled('ann'), NULL, 'no rollover before the period is over');
SELECT pg_temp.day(30);
SELECT is(pg_temp.rolled('ann'), '4/4', 'half of nine is four: the percentage of the unspent amount, rounded down');
SELECT pg_temp.pay('ann', 'a1', 0), pg_temp.pay('ann', 'a2', 30);
SELECT is(pg_temp.rolled('ann'), '4/4', 'posted once');
SELECT is(pg_temp.funds('ann'), '0 14 0 0', 'in addition to the new period''s own visits');
SELECT pg_temp.day(60), pg_temp.pay('ann', 'a3', 60);
SELECT is(pg_temp.rolled('ann'), '0/4 5/5', 'the rollover lapses with its period and does not roll over again');
SELECT is(
    pg_temp.story('ann', 2),
    'grant 10, lapse -9, rollover 4, lapse -10, lapse -4, grant 10, rollover 5', 'the entries of the ledger'
);
SELECT is(
    (SELECT sum((o.details ->> 'amount')::bigint)::bigint FROM wallet.outbox AS o WHERE o.type = 'credits.granted'),
    39::bigint, 'each grant and rollover sends an event'
);

-- The cap, and other percentages
UPDATE wallet.products SET rollover_percentage = 100, rollover_cap = 7 WHERE product_id LIKE '%subscription.enthusiast';
SELECT pg_temp.pay('bob', 'b1', 60), pg_temp.day(90), pg_temp.pay('bob', 'b2', 90);
SELECT is(pg_temp.rolled('bob'), '7/7', 'the rollover does not exceed the cap');
SELECT pg_temp.pay('ann', 'a4', 90);
SELECT is(pg_temp.rolled('ann'), '0/4 0/5 5/5', 'a period goes by the terms that it was sold with');
UPDATE wallet.products SET rollover_cap = NULL WHERE product_id LIKE '%subscription.enthusiast';
SELECT pg_temp.pay('cid', 'c1', 90), pg_temp.day(120), pg_temp.pay('cid', 'c2', 120);
SELECT is(pg_temp.rolled('cid'), '10/10', 'all visits roll over without a cap');
UPDATE wallet.products SET rollover_cap = 0 WHERE product_id LIKE '%subscription.enthusiast';
SELECT pg_temp.pay('dan', 'd1', 120), pg_temp.day(150), pg_temp.pay('dan', 'd2', 150);
SELECT is(pg_temp.rolled('dan'), NULL, 'a cap of 0 rolls nothing over');
UPDATE wallet.products SET rollover_percentage = 50, rollover_cap = 10
WHERE product_id LIKE '%subscription.enthusiast';

-- A single visit
SELECT pg_temp.pay('bea', 'bea1', 150), pg_temp.lesson('u', NULL, 1), pg_temp.book('bea', 'u', 'u', 8);
SELECT pg_temp.pay('bea', 'bea2', 180), pg_temp.day(180);
SELECT is(pg_temp.rolled('bea'), '1/1', 'half of two visits');
SELECT set_config('t.now', pg_temp.noon(150)::text, TRUE);

-- RENEWAL arrives before INITIAL_PURCHASE
SELECT pg_temp.pay('eve', 'e2', 150);
SELECT is(pg_temp.rolled('eve'), NULL, 'a renewal alone rolls nothing');
SELECT pg_temp.pay('eve', 'e1', 120);
SELECT is(pg_temp.rolled('eve'), '5/5', 'the first period, reported last, rolls over into it');

-- A refund of either period takes its share of the rollover
CREATE FUNCTION pg_temp.refund(p_id text, p_from numeric, p_millionths integer) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.wait('1 second');
    SELECT pg_temp.pay('eve', p_id, p_from, jsonb_build_object('refunded_millionths', p_millionths));
    SELECT pg_temp.rolled('eve');
$$;
SELECT is(pg_temp.refund('e1', 120, 400000), '3/5', 'a share of the old period''s refund');
SELECT is(pg_temp.refund('e2', 150, 600000), '2/5', 'the later period''s share of what the earlier one leaves');
SELECT is(pg_temp.refund('e1', 120, 1000000), '0/5', 'refunded with its period');
SELECT is(pg_temp.refund('e1', 120, 0), '2/5', 'a reversed refund returns it, less the other refund''s share');
SELECT is(pg_temp.refund('e2', 150, 0), '5/5', 'both refunds are reversed');
SELECT is(
    (SELECT string_agg(o.type || ' ' || (o.details ->> 'amount'), ', ' ORDER BY o.event_id) FROM wallet.outbox AS o
    INNER JOIN wallet.lots AS l ON o.details ->> 'lot_id' = l.lot_id::text
    WHERE l.account_id = wallet.account_for('eve') AND l.rolled_from IS NOT NULL),
    'credits.granted 5, credits.refunded 2, credits.refunded 1, credits.refunded 2, '
    'credits.granted 2, credits.granted 3',
    'each change of the rollover sends an event'
);

-- Refunded rollover visits that were already spent are owed; a rollover pays debts
SELECT pg_temp.lesson('w', NULL, 12), pg_temp.book('eve', 'k2', 'w');
SELECT pg_temp.refund('e2', 150, 1000000);
SELECT is(pg_temp.funds('eve'), '0 0 0 12', 'spent and refunded, it is owed');
SELECT pg_temp.gift('eve', 12, 'visit');
SELECT is(pg_temp.funds('eve'), '0 0 0 0', 'a gift repays it');
SELECT pg_temp.refund('e2', 150, 0);
SELECT is(pg_temp.funds('eve'), '0 15 0 0', 'the gift returns with the reversed refund');
SELECT pg_temp.pay('fay', 'f1', 120, '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.rolled('fay'), NULL, 'a refunded period has nothing to roll');
SELECT pg_temp.pay('fay', 'f2', 150);
SELECT is(coalesce(pg_temp.rolled('fay'), '0/5'), '0/5', 'even when the next one is known');
SELECT is(pg_temp.funds('fay'), '0 10 0 0', 'only the next period''s own visits are there');

-- No rollover into another account's period
SELECT pg_temp.pay('gil', 'g1', 120);
SELECT pg_temp.report('hal', 'g2', 'plan.enthusiast', pg_temp.days(150, 180, '{"original_transaction_id": "gil"}'));
SELECT is(pg_temp.funds('hal'), '0 10 0 0', 'nothing rolls over into another account''s period');
SELECT is(pg_temp.funds('gil'), '0 0 0 0', 'the former owner''s visits do not roll over');
SELECT pg_temp.sound();

-- A lot that a studio's change reopened: its period keeps its length, and its returned visits do not roll over
CREATE FUNCTION pg_temp.studio(p_user text, p_class_id text, p_day numeric) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.put_class(
        p_class_id, 'Class', pg_temp.noon(p_day), pg_temp.noon(p_day + 1), 10, NULL, 1, 0, 'operator', NULL
    );
    SELECT pg_temp.book(p_user, p_user || p_class_id, p_class_id, 4);
    SELECT wallet.put_class(
        p_class_id, 'Class', pg_temp.noon(999), pg_temp.noon(1000), 10, NULL, 1, 0, 'operator', NULL
    );
$$;
SELECT set_config('t.now', pg_temp.noon(600)::text, TRUE);
SELECT pg_temp.pay('zoe', 'z1', 600), pg_temp.studio('zoe', 'late', 601), pg_temp.day(630);
SELECT wallet.cancel_class('late', NULL, 'operator', NULL), wallet.settle_classes(10), pg_temp.day(631);
SELECT is(pg_temp.funds('zoe'), '0 4 0 0', 'four of ten come back after the period');
SELECT pg_temp.pay('zoe', 'z2', 630);
SELECT is(pg_temp.rolled('zoe'), '3/3', 'half of the six that lapsed rolls as soon as the renewal is known');
SELECT pg_temp.day(640);
SELECT is(
    pg_temp.rolled('zoe'), '3/3', 'the amount that lapses after the grace period does not roll over: it is posted once'
);
SELECT pg_temp.pay('yan', 'y1', 640), pg_temp.studio('yan', 'cut', 641), pg_temp.day(645);
SELECT pg_temp.buy('yan', 'y2', 'plan.explorer', pg_temp.days(645, 675, '{"original_transaction_id": "yan"}'));
SELECT pg_temp.day(668);
SELECT wallet.cancel_class('cut', NULL, 'operator', NULL), wallet.settle_classes(10), pg_temp.day(671);
SELECT is(pg_temp.funds('yan'), '0 8 0 0', 'four come back to a period that another had cut short');
SELECT pg_temp.day(690);
SELECT pg_temp.buy('yan', 'y3', 'plan.explorer', pg_temp.days(675, 705, '{"original_transaction_id": "yan"}'));
SELECT is(pg_temp.rolled('yan'), NULL, 'a lot without days of grace rolls nothing over either');

-- One period recorded as two, one of which had already rolled over
CREATE FUNCTION pg_temp.known_as(p_user text, p_id text, p_from integer, p_chain text) RETURNS void LANGUAGE sql AS $$
    SELECT pg_temp.buy(p_user, p_id, 'plan.enthusiast', pg_temp.days(
        p_from, p_from + 30, jsonb_build_object('original_transaction_id', p_chain)
    ));
$$;
CREATE FUNCTION pg_temp.looked_at(VARIADIC p_ids text[]) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.sync_claim((pg_temp.claim(i.id)).claim_id) FROM unnest(p_ids) AS i (id);
$$;
CREATE FUNCTION pg_temp.one_of(VARIADIC p_ids text[]) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.merge_claims(o.ids), wallet.revoke_duplicates(o.ids) FROM (
        SELECT array_agg(c.claim_id) AS ids FROM wallet.claims AS c WHERE c.transaction_id = ANY(p_ids)
    ) AS o;
    SELECT pg_temp.looked_at(VARIADIC p_ids);
$$;
SELECT set_config('t.now', pg_temp.noon(700)::text, TRUE);
SELECT pg_temp.known_as('max', 'm1', 700, NULL), pg_temp.known_as('max', 'm2', 700, 'max');
SELECT pg_temp.known_as('max', 'm3', 730, 'max'), pg_temp.day(731);
SELECT is(pg_temp.rolled('max'), '5/5', 'one of the two claims has a next period');
SELECT pg_temp.one_of('m1', 'm2');
SELECT is(
    pg_temp.rolled('max'), '0/5 5/5', 'the duplicate''s rollover is taken back, and the purchase rolls over once'
);
SELECT is(pg_temp.funds('max'), '0 15 0 0', 'in addition to the next period''s own visits');
SELECT pg_temp.known_as('lou', 'l1', 700, NULL), pg_temp.known_as('lou', 'l2', 700, 'lou'), pg_temp.one_of('l1', 'l2');
SELECT pg_temp.known_as('lou', 'l3', 730, 'lou'), pg_temp.day(732), pg_temp.looked_at('l1', 'l2');
SELECT is(pg_temp.rolled('lou'), '5/5', 'found out before, the duplicate never rolls');
SELECT pg_temp.sound('subscriptions');

-- The rollover is the percentage of the unspent, unrefunded amount, rounded down, in any order of reports
CREATE FUNCTION pg_temp.in_order(p_user text, p_steps text, p_from integer, p_spent integer, p_millionths integer)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_step text;
BEGIN
    PERFORM set_config('t.now', pg_temp.noon(p_from)::text, TRUE);
    PERFORM pg_temp.pay(p_user, p_user || 1, p_from);
    IF p_spent > 0 THEN
        PERFORM pg_temp.lesson(p_user, NULL, 1), pg_temp.book(p_user, p_user, p_user, p_spent);
    END IF;
    FOREACH v_step IN ARRAY string_to_array(p_steps, ' ') LOOP
        PERFORM pg_temp.wait('1 second');
        CASE v_step
            WHEN 'refund' THEN
                PERFORM pg_temp.pay(
                    p_user, p_user || 1, p_from, jsonb_build_object('refunded_millionths', p_millionths)
                );
            WHEN 'reversal' THEN PERFORM pg_temp.pay(p_user, p_user || 1, p_from);
            WHEN 'renewal' THEN PERFORM pg_temp.pay(p_user, p_user || 2, p_from + 30);
            WHEN 'end' THEN PERFORM pg_temp.day(p_from + 30);
        END CASE;
    END LOOP;
    RETURN coalesce((
        SELECT sum(l.remaining) FROM wallet.lots AS l
        WHERE l.account_id = wallet.account_for(p_user) AND l.rolled_from IS NOT NULL
    ), 0) || ', ' || pg_temp.funds(p_user);
END;
$$;
SELECT is(
    pg_temp.in_order(
        format('u%s-%s', i.n, o.n), o.steps, 1000 + 100 * (10 * i.n + o.n)::integer, i.spent, i.millionths
    ),
    i.rolled || ', 0 ' || i.rolled + 10 || ' 0 0',
    format('%s spent and %s refunded of ten: %s roll after %s', i.spent, i.millionths, i.rolled, o.steps)
)
FROM (VALUES
    (1, 5, 500000, 0), (2, 0, 500000, 2), (3, 4, 100000, 2), (4, 0, 1000000, 0), (5, 3, 390000, 2), (6, 9, 0, 0)
) AS i (n, spent, millionths, rolled)
CROSS JOIN unnest(ARRAY[
    'refund end renewal', 'refund renewal end', 'end refund renewal', 'end renewal refund', 'renewal end refund',
    'renewal refund end', 'refund end renewal reversal refund', 'end renewal refund reversal refund refund'
]) WITH ORDINALITY AS o (steps, n);
-- An amount returns to a period that is over and refunded, after the same amount has lapsed
SELECT set_config('t.now', pg_temp.noon(8000)::text, TRUE);
SELECT pg_temp.pay('gus', 'gus1', 8000);
SELECT wallet.put_class(
    'gus', 'Class', pg_temp.noon(8001), pg_temp.noon(8002), 10, NULL, 1, 0, 'operator', NULL
), pg_temp.book('gus', 'gus', 'gus', 5), wallet.put_class(
    'gus', 'Class', pg_temp.noon(9001), pg_temp.noon(9002), 10, NULL, 1, 0, 'operator', NULL
);
SELECT pg_temp.day(8030), pg_temp.pay('gus', 'gus2', 8030), pg_temp.wait('1 second');
SELECT pg_temp.pay('gus', 'gus1', 8000, '{"refunded_millionths": 500000}');
SELECT is(pg_temp.rolled('gus'), '0/2', 'spent and refunded visits do not roll over');
SELECT wallet.cancel_class('gus', NULL, 'operator', NULL), wallet.settle_classes(10);
SELECT is(pg_temp.rolled('gus'), '2/2', 'visits that turn out to be unspent roll over');

-- The same if the amount returns because a debt that the period repaid is undone
SELECT set_config('t.now', pg_temp.noon(8100)::text, TRUE);
SELECT pg_temp.lesson('debt', NULL, 1), pg_temp.buy('pia', 't', 'fiveVisit'), pg_temp.book('pia', 'debt', 'debt', 5);
SELECT pg_temp.wait('1 second'), pg_temp.buy('pia', 't', 'fiveVisit', '{"refunded_millionths": 1000000}');
SELECT pg_temp.pay('pia', 'pia1', 8101), pg_temp.day(8131), pg_temp.pay('pia', 'pia2', 8131), pg_temp.wait('1 second');
SELECT pg_temp.pay('pia', 'pia1', 8101, '{"refunded_millionths": 600000}');
SELECT is(pg_temp.rolled('pia'), '0/2', 'the refund takes what rolled over from the five visits that repaid nothing');
SELECT pg_temp.wait('1 second'), pg_temp.buy('pia', 't', 'fiveVisit', '{"refunded_millionths": 0}');
SELECT is(pg_temp.rolled('pia'), '2/2', 'the five visits of the repayment were not spent: half of four rolls over');
SELECT pg_temp.sound('subscriptions');

-- The smallest percentage, a rollover into a period that is also over, and debts
UPDATE wallet.products SET rollover_percentage = 1, amount = 250 WHERE product_id LIKE '%subscription.enthusiast';
SELECT set_config('t.now', pg_temp.noon(800)::text, TRUE);
SELECT pg_temp.pay('kit', 'k1', 800), pg_temp.day(830), pg_temp.pay('kit', 'k2', 830);
SELECT is(pg_temp.rolled('kit'), '2/2', 'one percent, rounded down');
UPDATE wallet.products SET rollover_percentage = 50, amount = 10 WHERE product_id LIKE '%subscription.enthusiast';
SELECT pg_temp.pay('jim', 'j1', 700), pg_temp.pay('jim', 'j2', 730);
SELECT is(pg_temp.rolled('jim'), '0/5', 'a rollover into a period that is over lapses with it');
SELECT is(pg_temp.funds('jim'), '0 0 0 0', 'nothing is left');
SELECT pg_temp.lesson('due', NULL, 1), pg_temp.buy('ian', 'i0', 'singleVisit'), pg_temp.book('ian', 'due', 'due');
SELECT pg_temp.pay('ian', 'i1', 830), pg_temp.wait('5 days');
SELECT pg_temp.buy('ian', 'i0', 'singleVisit', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.funds('ian'), '0 10 0 1', 'a visit that was used and refunded is owed');
SELECT pg_temp.day(860), pg_temp.buy('ian', 'i2', 'plan.unlimited', pg_temp.days(
    860, 890, '{"original_transaction_id": "ian"}'
));
SELECT is(pg_temp.rolled('ian') || ', ' || pg_temp.funds('ian'), '4/5, 0 4 0 0', 'the rollover repays the debt');
UPDATE wallet.products SET amount = 1000000, rollover_percentage = 100, rollover_cap = NULL
WHERE product_id LIKE '%subscription.enthusiast';
SELECT pg_temp.pay('hob', 'h1', 800), pg_temp.pay('hob', 'h2', 830), pg_temp.buy(
    'hob', 'h3', 'plan.explorer', pg_temp.days(810, 820, '{"original_transaction_id": "hob"}')
);
SELECT is(
    pg_temp.rolled('hob') || ', ' || pg_temp.funds('hob'), '0/1000000, 0 0 0 0',
    'a million goes to the last visit when its period was cut short after all'
);
SELECT pg_temp.sound('subscriptions');
SELECT * FROM finish();
ROLLBACK;
