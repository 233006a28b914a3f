-- A proof moves only the balance that the proven purchase itself granted and still has, and nothing of other purchases,
-- even of those that repaid its debts; then the return of repayments (rules 24, 33).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.restore(p_user text, VARIADIC p_ids text[]) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', r.transaction_id, r.result, r.remaining), ', ' ORDER BY r.transaction_id)
    FROM wallet.restore_claims(wallet.account_for(p_user), ARRAY(
        SELECT c.claim_id FROM wallet.claims AS c WHERE c.transaction_id = ANY(p_ids)
    ), NULL) AS r;
$$;
-- A store's report of the refunded share of a starter pack.
CREATE FUNCTION pg_temp.refund(p_id text, p_millionths integer DEFAULT 1000000, p_product text DEFAULT 'starter')
RETURNS void LANGUAGE sql AS $$
    SELECT pg_temp.wait('1 second');
    SELECT pg_temp.buy(NULL, p_id, p_product, jsonb_build_object('refunded_millionths', p_millionths));
$$;
-- A user's purchase that was spent and refunded, so that it owes.
CREATE FUNCTION pg_temp.worthless(p_user text, p_id text) RETURNS void LANGUAGE sql AS $$
    SELECT pg_temp.lesson('class-' || p_id, 25), pg_temp.buy(p_user, p_id, 'starter');
    SELECT pg_temp.book(p_user, 'booking of ' || p_id, 'class-' || p_id), pg_temp.refund(p_id);
$$;
-- The amounts of a lot, in any wallet.
CREATE FUNCTION pg_temp.held(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', l.granted, l.spent, l.refunded, l.repaid, l.remaining, l.owed)
    FROM wallet.lots AS l INNER JOIN wallet.claims AS c ON l.claim_id = c.claim_id WHERE c.transaction_id = p_id;
$$;

-- A living owner's released purchase, whose debt a gift repaid
SELECT pg_temp.worthless('ann', 'a1'), pg_temp.gift('ann', 1000);
SELECT is(pg_temp.funds('ann'), '975 0 0 0', 'a gift repaid a refunded purchase');
SELECT wallet.release_claim(c.claim_id) FROM wallet.claims AS c WHERE c.transaction_id = 'a1';
SELECT is(pg_temp.restore('bob', 'a1'), 'a1 restored 0', 'another user proves the purchase');
SELECT is(
    pg_temp.funds('ann') || ', ' || pg_temp.funds('bob'), '975 0 0 0, 0 0 0 0', 'the user gets nothing of the gift'
);
SELECT is(pg_temp.held('a1'), '25 25 25 25 0 0', 'the repayment stays');
SELECT pg_temp.sound();
SELECT pg_temp.refund('a1', 0);
SELECT is(
    pg_temp.funds('ann') || ', ' || pg_temp.funds('bob'), '1000 0 0 0, 0 0 0 0',
    'a reversed refund returns the amount to the payer, wherever the purchase is'
);
SELECT is(pg_temp.story('bob'), 'transfer_in 0, refund_reversal 0', 'no other wallet gets the amount');
SELECT pg_temp.sound();
SELECT pg_temp.refund('a1');
SELECT is(
    pg_temp.funds('ann') || ', ' || pg_temp.funds('bob'), '1000 0 0 0, 0 0 25 0', 'refunded again its new owner owes it'
);
SELECT pg_temp.buy('bob', 'b1', 'power');
SELECT is(pg_temp.funds('bob'), '175 0 0 0', 'a purchase repays the debt');
SELECT pg_temp.cancel('ann', 'booking of a1');
SELECT is(
    pg_temp.funds('ann') || ', ' || pg_temp.funds('bob'), '1000 0 0 0, 200 0 0 0',
    'a cancelled booking returns the amount to the payer, too'
);
SELECT pg_temp.sound();

-- The same, but the owner of the gift cancels the booking
SELECT pg_temp.worthless('cid', 'c1'), pg_temp.gift('cid', 1000);
SELECT wallet.release_claim(c.claim_id) FROM wallet.claims AS c WHERE c.transaction_id = 'c1';
SELECT pg_temp.restore('dan', 'c1'), pg_temp.cancel('cid', 'booking of c1');
SELECT is(
    pg_temp.funds('cid') || ', ' || pg_temp.funds('dan'), '1000 0 0 0, 0 0 0 0',
    'the payer gets the amount back with the cancellation'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.outbox AS o WHERE o.type = 'credits.granted' AND o.account_id
    = wallet.account_for('cid') AND o.booking_id IS NULL AND o.details ->> 'amount' = '25' AND o.claim_id IS NULL), 1,
    'an event reports the returned amount'
);
SELECT pg_temp.sound();

-- A deleted owner's purchases, each proved by a different user
SELECT pg_temp.worthless('eve', 'e1'), pg_temp.buy('eve', 'e2', 'power'), pg_temp.wait('4 days');
SELECT is(pg_temp.funds('eve'), '175 0 0 0', 'a purchase repaid a refunded one');
SELECT wallet.delete_account('eve');
SELECT is(
    wallet.unproven_lots((
        SELECT array_agg(c.claim_id) FROM wallet.claims AS c WHERE c.transaction_id = 'e1'
    )), 1::bigint,
    'the one that repaid is not proved with it'
);
SELECT is(pg_temp.restore('fay', 'e1'), 'e1 restored 0', 'a user proves the refunded purchase');
SELECT is(pg_temp.funds('fay'), '0 0 0 0', 'the user has nothing of the other purchase');
SELECT is(
    pg_temp.restore('gus', 'e2'), 'e2 restored 175', 'a user who proves the other purchase gets its remaining balance'
);
SELECT pg_temp.sound();
SELECT pg_temp.refund('e2', 1000000, 'power');
SELECT is(
    pg_temp.funds('fay') || ', ' || pg_temp.funds('gus'), '0 0 0 0, 0 0 25 0',
    'if the payer is refunded too, it owes the repaid amount'
);
SELECT pg_temp.buy('gus', 'g1', 'starter');
SELECT is(pg_temp.funds('gus'), '0 0 0 0', 'a new purchase repays the debt');
SELECT wallet.delete_account('gus'), pg_temp.restore('hal', 'g1');
SELECT pg_temp.refund('e1', 0);
SELECT is(
    pg_temp.funds('fay') || ', ' || pg_temp.funds('hal'), '0 0 0 0, 25 0 0 0',
    'the first reversed: the chain unwinds to the last that paid, through three accounts'
);
SELECT pg_temp.sound();

-- If one user proves both, one after the other, they are as before
SELECT pg_temp.worthless('ida', 'i1'), pg_temp.buy('ida', 'i2', 'power'), pg_temp.wait('4 days');
SELECT wallet.delete_account('ida'), pg_temp.restore('ida', 'i2'), pg_temp.restore('ida', 'i1');
SELECT is(pg_temp.funds('ida'), '175 0 0 0', 'both are there again');
SELECT pg_temp.refund('i1', 0);
SELECT is(pg_temp.funds('ida'), '200 0 0 0', 'a reversed refund has its usual effect');
SELECT is(
    (SELECT count(DISTINCT r.account_id)::integer FROM wallet.repayments AS r WHERE r.account_id = r.payer_account_id
    AND r.account_id = wallet.account_for('ida')), 1, 'both ends of the repayment are in one account'
);
SELECT pg_temp.sound();

-- A debt that was repaid in part
SELECT pg_temp.worthless('jon', 'j1'), pg_temp.gift('jon', 10), pg_temp.wait('4 days');
SELECT is(pg_temp.funds('jon'), '0 0 15 0', 'a gift repaid a part');
SELECT wallet.delete_account('jon'), pg_temp.restore('kim', 'j1');
SELECT is(pg_temp.funds('kim'), '0 0 15 0', 'the rest goes along');
SELECT pg_temp.buy('kim', 'k1', 'power');
SELECT is(pg_temp.funds('kim'), '185 0 0 0', 'the rest of the debt is repaid');
SELECT pg_temp.refund('j1', 200000);
SELECT is(pg_temp.funds('kim'), '200 0 0 0', 'the last payer has back first');
SELECT pg_temp.refund('j1', 0);
SELECT is(pg_temp.funds('kim'), '200 0 0 0', 'a deleted user''s gift lapses');
SELECT is(pg_temp.held('j1'), '25 25 0 0 0 0', 'the loop creates no credits');
SELECT pg_temp.sound();

-- Back and forth in a loop
SELECT pg_temp.worthless('loop0', 'l1'), pg_temp.buy('loop0', 'l2', 'power'), pg_temp.wait('4 days');
CREATE FUNCTION pg_temp.loop() RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    FOR v_turn IN 1 .. 6 LOOP
        PERFORM wallet.delete_account('loop' || v_turn - 1), pg_temp.wait('1 second');
        PERFORM pg_temp.restore('loop' || v_turn, 'l' || 1 + v_turn % 2);
        PERFORM pg_temp.refund('l1', 0), pg_temp.refund('l1');
        RETURN NEXT pg_temp.held('l1') || ', ' || pg_temp.held('l2');
    END LOOP;
END;
$$;
SELECT results_eq(
    'SELECT * FROM pg_temp.loop()',
    $$ VALUES ('25 25 25 0 0 25, 200 0 0 0 200 0'), ('25 25 25 0 0 25, 200 0 0 0 200 0'),
        ('25 25 25 0 0 25, 200 0 0 0 200 0'), ('25 25 25 0 0 25, 200 0 0 0 200 0'),
        ('25 25 25 0 0 25, 200 0 0 0 200 0'), ('25 25 25 0 0 25, 200 0 0 0 200 0') $$,
    'the lots'' amounts never grow'
);
SELECT pg_temp.sound();

-- A merge moves both ends of a repayment, and an end in a third wallet stays linked
SELECT FROM wallet.admit_token('anon', wallet.now(), TRUE);
SELECT pg_temp.worthless('anon', 'm1'), pg_temp.buy('anon', 'm2', 'power');
SELECT wallet.release_claim(c.claim_id) FROM wallet.claims AS c WHERE c.transaction_id = 'm2';
SELECT is(pg_temp.restore('mia', 'm2'), 'm2 restored 175', 'the purchase that repaid the debt moves away');
SELECT wallet.merge_accounts('anon', 'ned');
SELECT pg_temp.refund('m1', 0);
SELECT is(
    pg_temp.funds('mia') || ', ' || pg_temp.funds('ned'), '200 0 0 0, 0 0 0 0',
    'the end in a third wallet is found after the merge'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
