-- wallet.settle (repay_debt, return_repayment): new grants repay debts first; a cancelled debt returns its
-- repayments (rule 24).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
-- Without indexes, only the queries' own ORDER BY gives the order.
SELECT pg_temp.by_index(FALSE);
CREATE FUNCTION pg_temp.refund(p_user text, p_id text, p_product text, p_millionths integer) RETURNS text
LANGUAGE sql AS $$
    SELECT pg_temp.wait('1 second');
    SELECT pg_temp.buy(p_user, p_id, p_product, jsonb_build_object('refunded_millionths', p_millionths));
    SELECT pg_temp.funds(p_user);
$$;
SELECT pg_temp.lesson('a', 25), pg_temp.lesson('b', 50), pg_temp.lesson('c', 10), pg_temp.lesson('v', NULL, 1);

-- A debt, repaid by the next grants
SELECT pg_temp.buy('ann', 'a1', 'starter'), pg_temp.book('ann', 'k1', 'a');
SELECT is(pg_temp.refund('ann', 'a1', 'starter', 1000000), '0 0 25 0', 'a spent and refunded pack is owed');
SELECT pg_temp.gift('ann', 10);
SELECT is(pg_temp.funds('ann'), '0 0 15 0', 'a grant repays before anything is spendable');
SELECT pg_temp.gift('ann', 7, 'visit');
SELECT is(pg_temp.funds('ann'), '0 7 15 0', 'only grants of the same unit repay');
SELECT pg_temp.gift('ann', 20);
SELECT is(pg_temp.funds('ann'), '5 7 0 0', 'the rest is spendable');
SELECT is(
    pg_temp.story('ann', 2),
    'refund 0 owed 25, adjust 10, repay -10 owed -10, adjust 7, adjust 20, repay -15 owed -15',
    'the ledger shows each repayment'
);
SELECT pg_temp.sound();

-- The refund is reversed: the repayments return to the lots that paid them
SELECT is(pg_temp.refund('ann', 'a1', 'starter', 0), '30 7 0 0', 'an undone debt returns its repayments');
SELECT is(
    pg_temp.story('ann', 8), 'refund_reversal 0, repay_return 15, repay_return 10',
    'each payer gets its amount back, the last payer first'
);
SELECT is_empty($$ SELECT FROM wallet.repayments WHERE amount <> 0 $$, 'no repayment is left');
SELECT pg_temp.sound();
SELECT is(pg_temp.refund('ann', 'a1', 'starter', 400000), '30 7 10 0', 'refunded in part again, the debt is back');

-- A cancellation pays its own lot's debt; repayments beyond the remaining debt return
SELECT pg_temp.buy('bob', 'b1', 'starter'), pg_temp.book('bob', 'k1', 'a');
SELECT pg_temp.refund('bob', 'b1', 'starter', 1000000), pg_temp.gift('bob', 40);
SELECT is(pg_temp.funds('bob'), '15 0 0 0', 'a debt repaid in full');
SELECT pg_temp.cancel('bob', 'k1');
SELECT is(pg_temp.funds('bob'), '40 0 0 0', 'the repayment returns when the booking that caused the debt is cancelled');
SELECT is(
    pg_temp.story('bob'),
    'grant 25, spend -25, refund 0 owed 25, adjust 40, repay -25 owed -25, return 0, repay_return 25',
    'the entries of the ledger'
);
SELECT pg_temp.sound();

-- A lot that repaid a debt and is itself refunded
SELECT pg_temp.buy('cid', 'c1', 'starter'), pg_temp.book('cid', 'k1', 'a');
SELECT pg_temp.refund('cid', 'c1', 'starter', 1000000), pg_temp.buy('cid', 'c2', 'explorer');
SELECT is(pg_temp.funds('cid'), '25 0 0 0', 'the second pack repaid the first');
SELECT is(
    pg_temp.refund('cid', 'c2', 'explorer', 1000000), '0 0 25 0',
    'if the payer is refunded too, it owes the repaid amount'
);
SELECT pg_temp.buy('cid', 'c3', 'explorer');
SELECT is(pg_temp.funds('cid'), '25 0 0 0', 'a third repays that');
SELECT is(pg_temp.refund('cid', 'c1', 'starter', 0), '50 0 0 0', 'the first reversed: the chain unwinds to the third');
SELECT is(
    pg_temp.story('cid', 8), 'refund_reversal 0, repay_return 0, repay_return 25', 'through every lot that repaid'
);
SELECT is(
    pg_temp.refund('cid', 'c2', 'explorer', 0), '100 0 0 0',
    'the second reversed: everything bought, nothing spent but 25'
);
SELECT pg_temp.sound();

-- Several debts, one grant
SELECT pg_temp.buy('dan', 'd1', 'starter'), pg_temp.book('dan', 'k1', 'a');
SELECT pg_temp.buy('dan', 'd2', 'explorer'), pg_temp.book('dan', 'k2', 'b');
SELECT pg_temp.refund('dan', 'd2', 'explorer', 1000000), pg_temp.refund('dan', 'd1', 'starter', 1000000);
SELECT pg_temp.gift('dan', 30);
SELECT results_eq(
    $$ SELECT l.owed FROM wallet.lots AS l WHERE l.account_id = wallet.account_for('dan') ORDER BY l.lot_id $$,
    $$ VALUES (0::bigint), (45), (0) $$, 'the oldest debt is repaid first'
);
SELECT pg_temp.buy('dan', 'd1', 'starter', '{"quantity": 2, "refunded_millionths": 1000000}');
SELECT is(pg_temp.funds('dan'), '0 0 45 0', 'a larger quantity of a refunded purchase creates no credits');
SELECT pg_temp.sound();

-- A purchase whose refund is reversed while another purchase has a debt
SELECT pg_temp.buy('fay', 'f1', 'starter'), pg_temp.buy('fay', 'f2', 'explorer'), pg_temp.book('fay', 'k1', 'b');
SELECT pg_temp.refund('fay', 'f1', 'starter', 1000000), pg_temp.refund('fay', 'f2', 'explorer', 1000000);
SELECT is(pg_temp.funds('fay'), '0 0 50 0', 'two refunded packs of which one and a half were spent');
SELECT is(
    pg_temp.refund('fay', 'f2', 'explorer', 0), '0 0 0 0',
    'the pack whose refund is reversed repays the other debt first'
);
SELECT pg_temp.sound();

-- Debts in both environments, and one lot that repays twice
SELECT pg_temp.buy('lou', 'l1', 'starter', '{"environment": "sandbox"}'), pg_temp.buy('lou', 'l2', 'explorer');
SELECT pg_temp.book('lou', 'k1', 'c', p_environment => 'sandbox'), pg_temp.book('lou', 'k2', 'b');
SELECT pg_temp.wait('1 second');
SELECT pg_temp.buy('lou', 'l1', 'starter', '{"environment": "sandbox", "refunded_millionths": 1000000}');
SELECT pg_temp.refund('lou', 'l2', 'explorer', 1000000), pg_temp.buy('lou', 'l3', 'starter');
SELECT is(
    (SELECT string_agg(l.environment || ' ' || l.owed, ', ' ORDER BY l.environment) FROM wallet.lots AS l
    WHERE l.account_id = wallet.account_for('lou') AND l.owed > 0), 'production 25, sandbox 10',
    'a grant repays the debts of its own environment'
);
SELECT pg_temp.buy('lou', 'l3', 'starter', '{"quantity": 2}');
SELECT is(pg_temp.funds('lou'), '0 0 0 0', 'a larger quantity repays the rest of the debt');
SELECT is(pg_temp.refund('lou', 'l2', 'explorer', 0), '50 0 0 0', 'both repayments return');
SELECT pg_temp.sound();

-- A grant that has already expired repays nothing
SELECT pg_temp.buy('eve', 'e1', 'singleVisit'), pg_temp.book('eve', 'k1', 'v');
SELECT is(pg_temp.refund('eve', 'e1', 'singleVisit', 1000000), '0 0 0 1', 'a visit owed');
SELECT pg_temp.buy('eve', 'e2', 'singleVisit', '{"purchased_at": "2029-01-01T00:00:00Z"}');
SELECT is(pg_temp.funds('eve'), '0 0 0 1', 'a pass that came too late lapses instead');

-- An amount that returns to a payer that has expired meanwhile lapses at once
SELECT pg_temp.buy('eve', 'e3', 'singleVisit'), pg_temp.wait('30 days');
SELECT is(pg_temp.refund('eve', 'e1', 'singleVisit', 0), '0 0 0 0', 'the debt undone, its payer expired');
SELECT is(
    pg_temp.story('eve', 3),
    'grant 1, lapse -1, grant 1, repay -1 owed -1, refund_reversal 0, repay_return 1, lapse -1',
    'the visit returns and lapses'
);
SELECT pg_temp.sound();

-- A purchase that an administrator released causes no debt for its living owner's new purchases, even if another user
-- is deleted
SELECT pg_temp.lesson('z', 5), wallet.account_for('ida'), wallet.delete_account('ida');
SELECT pg_temp.buy('gil', 'g1', 'starter'), pg_temp.book('gil', 'k1', 'z');
UPDATE admin.purchases SET released = TRUE WHERE transaction_id = 'g1';
SELECT is(pg_temp.refund('gil', 'g1', 'starter', 1000000), '0 0 5 0', 'a released purchase is refunded');
SELECT pg_temp.buy('gil', 'g2', 'power');
SELECT is(pg_temp.funds('gil'), '200 0 5 0', 'the next purchase does not repay it');
SELECT wallet.restore(wallet.account_for('hal'), jsonb_build_array(pg_temp.fact('g1', 'starter')), NULL);
SELECT is(
    pg_temp.funds('gil') || ', ' || pg_temp.funds('hal'), '200 0 0 0, 0 0 5 0',
    'the debt does not move to the user who restored the purchase'
);
SELECT pg_temp.gift('hal', 6);
SELECT is(pg_temp.funds('hal'), '1 0 0 0', 'the next grant repays the debt in its present account');
SELECT pg_temp.sound();

-- A renewal of a subscription that its living owner released does not repay the owner's own debts
SELECT pg_temp.lesson('x', NULL, 2), pg_temp.buy('kim', 'p1', 'fiveVisit'), pg_temp.book('kim', 'k1', 'x');
SELECT pg_temp.buy('kim', 's1', 'plan.enthusiast', '{"original_transaction_id": "s"}');
UPDATE admin.purchases SET released = TRUE WHERE transaction_id = 's1';
SELECT is(pg_temp.refund('kim', 'p1', 'fiveVisit', 1000000), '0 10 0 2', 'a pass is refunded after a booking spent it');
SELECT pg_temp.wait('30 days');
SELECT wallet.apply_fact(NULL, pg_temp.fact('s2', 'plan.enthusiast', '{"original_transaction_id": "s"}'));
SELECT is(pg_temp.funds('kim'), '0 15 0 2', 'the renewal and what rolls over are released and do not pay for it');
SELECT pg_temp.sound();

-- A renewal of a deleted user's subscription repays the debts that were released with it
SELECT pg_temp.lesson('y', NULL, 6), pg_temp.buy('jon', 'j1', 'plan.enthusiast', '{"original_transaction_id": "j"}');
SELECT pg_temp.book('jon', 'k1', 'y'), pg_temp.wait('5 days');
SELECT is(
    pg_temp.says(pg_temp.buy('jon', 'j1', 'plan.enthusiast', jsonb_build_object(
        'original_transaction_id', 'j', 'purchased_at', wallet.now() - interval '5 days', 'refunded_millionths', 1000000
    ))) || ', ' || pg_temp.funds('jon'), 'skipped refunded duplicate, 0 0 0 6', 'visits that were used are owed'
);
SELECT set_config('t.jon', wallet.account_for('jon')::text, TRUE), wallet.delete_account('jon');
SELECT pg_temp.buy(NULL, 'j2', 'plan.enthusiast', '{"original_transaction_id": "j"}');
SELECT results_eq(
    $$ SELECT l.owed, l.remaining, l.released_at IS NOT NULL FROM wallet.lots AS l
       WHERE l.account_id = current_setting('t.jon')::bigint ORDER BY l.lot_id $$,
    $$ VALUES (0::bigint, 0::bigint, TRUE), (0, 4, TRUE) $$, 'the next period repays them first'
);
SELECT pg_temp.sound();

-- A purchase of a deleted user also repays debts that were not released, such as fees
SELECT wallet.write_policy(
    wallet.new_terms('fee', '{"name": "Fee", "late_cancel_fee": 3}'), row('test', NULL, NULL, NULL)
), wallet.put_class(
    'fee', 'Class', wallet.now() + interval '2 hours', wallet.now() + interval '3 hours', 10, NULL, 1, 1440, 'operator',
    NULL, p_policy_id => 'fee'
);
SELECT pg_temp.buy('max', 'm1', 'starter'), pg_temp.refund('max', 'm1', 'starter', 1000000);
SELECT pg_temp.gift('max', 1, 'visit'), pg_temp.book('max', 'k1', 'fee'), pg_temp.cancel('max', 'k1');
SELECT is(pg_temp.funds('max'), '0 0 3 0', 'the fee of a late cancellation is owed');
SELECT set_config('t.max', wallet.account_for('max')::text, TRUE), wallet.delete_account('max');
SELECT pg_temp.refund(NULL, 'm1', 'starter', 0);
SELECT results_eq(
    $$ SELECT w.credits, w.owed_credits FROM wallet.wallets AS w
       WHERE w.account_id = current_setting('t.max')::bigint $$,
    $$ VALUES (22::bigint, 0::bigint) $$, 'credits that a reversed refund returns repay it'
);
SELECT pg_temp.sound();

-- Fewer repayments than were repaid are an error, never ignored
UPDATE wallet.repayments SET amount = amount - 1 WHERE amount > 0;
SELECT is(
    (SELECT DISTINCT pg_temp.raised(format('SELECT wallet.settle(%s, %L)', r.account_id, r.debtor_lot_id))
    FROM wallet.repayments AS r
    INNER JOIN wallet.lots AS l ON r.account_id = l.account_id AND r.debtor_lot_id = l.lot_id
    WHERE l.repaid > 0), 'XX001', 'repayments that are not there cannot return'
);
SELECT * FROM finish();
ROLLBACK;
