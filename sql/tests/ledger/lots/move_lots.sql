-- wallet.move_lots and wallet.move_lot: lots move as a whole, and every invariant holds (rules 6, 8, 24, 33).
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();

CREATE FUNCTION pg_temp.move(p_from text, p_to text, VARIADIC p_lot_ids uuid[]) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.move_lots(wallet.account_for(p_from), wallet.account_for(p_to), 'production', p_lot_ids);
$$;
CREATE FUNCTION pg_temp.lot_of(p_id text) RETURNS uuid LANGUAGE sql AS $$
    SELECT l.lot_id FROM wallet.lots AS l
    INNER JOIN wallet.claims AS c ON l.claim_id = c.claim_id WHERE c.transaction_id = p_id;
$$;
CREATE FUNCTION pg_temp.transfers(p_user text) RETURNS integer LANGUAGE sql AS $$
    SELECT count(*)::integer FROM wallet.outbox AS o
    WHERE o.type = 'credits.transferred' AND o.account_id = wallet.account_for(p_user);
$$;
SELECT pg_temp.lesson('a', 20), pg_temp.lesson('b', 20), pg_temp.lesson('v', NULL, 1);

-- A lot with a balance and with spent credits
SELECT pg_temp.buy('ann', 'a1', 'explorer'), pg_temp.book('ann', 'k', 'a'), pg_temp.gift('ann', 7);
SELECT pg_temp.move('ann', 'bob', pg_temp.lot_of('a1'));
SELECT is(pg_temp.funds('ann'), '7 0 0 0', 'the balance leaves the old wallet');
SELECT is(pg_temp.funds('bob'), '30 0 0 0', 'the balance arrives at the new wallet');
SELECT is(pg_temp.story('ann', 3), 'transfer_out -30', 'the old ledger has an entry');
SELECT is(pg_temp.story('bob'), 'transfer_in 30', 'the other that it came');
SELECT results_eq(
    $$ SELECT u.user_id, l.granted, l.spent, l.remaining, l.moved_to IS NOT NULL, l.claim_id IS NOT NULL
       FROM wallet.lots AS l INNER JOIN wallet.users AS u ON l.account_id = u.account_id
       WHERE l.lot_id = pg_temp.lot_of('a1') ORDER BY u.user_id $$,
    $$ VALUES ('ann', 0::bigint, 0::bigint, 0::bigint, TRUE, FALSE), ('bob', 50, 20, 30, FALSE, TRUE) $$,
    'the lot keeps its id and its counters'
);
SELECT is(
    (SELECT c.account_id FROM wallet.claims AS c WHERE c.transaction_id = 'a1'), wallet.account_for('bob'),
    'the claim goes along'
);
SELECT is(
    (SELECT array_agg(e.claim_id IS NOT NULL) FROM wallet.entries AS e WHERE e.kind LIKE 'transfer%'),
    ARRAY[TRUE, TRUE], 'both entries name the claim'
);
SELECT is(
    (SELECT array_agg(
        (wallet.event_body(o) -> 'data') - ARRAY['event_id', 'product_id', 'lot_id'] ORDER BY o.event_id
    ) FROM wallet.outbox AS o WHERE o.type = 'credits.transferred'),
    ARRAY['{"user_id": "bob", "environment": "production", "version": 1, "unit": "credit", "amount": 30,
    "balance_after": 30, "store": "app_store", "transaction_id": "a1"}'::jsonb], 'one event reports it to the new owner'
);
SELECT is(
    (SELECT p.used_by -> 0 ->> 'class_id' FROM wallet.purchases AS p WHERE p.transaction_id = 'a1'), 'a',
    'the purchase still shows the booking that it had paid for'
);
SELECT is(
    wallet.lot_owner(wallet.account_for('ann'), pg_temp.lot_of('a1')), wallet.account_for('bob'),
    'the lot''s new owner is found'
);
SELECT pg_temp.sound();

-- The booking that the lot paid for stays, and its cancellation returns to the lot's new wallet
SELECT is(pg_temp.answer(pg_temp.cancel('ann', 'k')), '200 cancelled 20 credit returned 20', 'a moved lot''s booking');
SELECT is(pg_temp.funds('ann') || ', ' || pg_temp.funds('bob'), '7 0 0 0, 50 0 0 0', 'the amount returns to the lot');
SELECT pg_temp.gift('own', 20), pg_temp.book('own', 'own', 'b'), pg_temp.cancel('own', 'own');
SELECT results_eq(
    $$ SELECT u.user_id, o.booking_id FROM wallet.outbox AS o
       INNER JOIN wallet.users AS u ON o.account_id = u.account_id
       WHERE o.type = 'credits.granted' AND o.booking_id IS NOT NULL $$,
    $$ VALUES ('bob', pg_temp.id_of('k')) $$, 'the new owner gets an event, a former owner none'
);
SELECT is(
    (SELECT p.used_by FROM wallet.purchases AS p WHERE p.transaction_id = 'a1'), '[]',
    'the purchase shows no booking after the return'
);
SELECT pg_temp.sound();

-- The lot moves back
SELECT pg_temp.move('bob', 'ann', pg_temp.lot_of('a1'));
SELECT is(pg_temp.funds('ann') || ', ' || pg_temp.funds('bob'), '57 0 0 0, 0 0 0 0', 'a lot may come back');
SELECT is(wallet.lot_owner(wallet.account_for('bob'), pg_temp.lot_of('a1')), wallet.account_for('ann'), 'found again');
SELECT pg_temp.sound();
SELECT pg_temp.move('ann', 'ann', pg_temp.lot_of('a1')), pg_temp.move('bob', 'ann', pg_temp.lot_of('a1'));
SELECT is(pg_temp.funds('ann'), '57 0 0 0', 'a move to the same account, or of an unknown lot, does nothing');
SELECT is(
    (SELECT count(*)::integer FROM wallet.entries AS e WHERE e.kind LIKE 'transfer%'), 4,
    'no further entries are posted'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.outbox WHERE type = 'credits.transferred'), 2, 'no further event is sent'
);
SELECT pg_temp.buy('one', 'o1', 'starter'), pg_temp.lesson('most', 24), pg_temp.book('one', 'o', 'most');
SELECT pg_temp.move('one', 'two', pg_temp.lot_of('o1'));
SELECT is(pg_temp.funds('two'), '1 0 0 0', 'a lot with one credit moves');
SELECT is(
    (SELECT count(*)::integer FROM wallet.outbox WHERE type = 'credits.transferred'), 3, 'and its event is sent'
);
SELECT set_config('t.kept', pg_temp.gift('ann', 3, 'visit', NULL, 'sandbox')::text, TRUE);
SELECT pg_temp.move('ann', 'bob', current_setting('t.kept')::uuid);
SELECT is(pg_temp.funds('ann', 'sandbox'), '0 3 0 0', 'a lot of the other environment stays');

-- A debt moves without the lots that repaid it; the repayment still links them
SELECT pg_temp.buy('cid', 'c1', 'starter'), pg_temp.book('cid', 'c', 'b');
SELECT pg_temp.buy('cid', 'c1', 'starter', '{"refunded_millionths": 1000000}');
SELECT pg_temp.gift('cid', 30), pg_temp.buy('cid', 'c2', 'starter');
SELECT is(pg_temp.funds('cid'), '35 0 0 0', 'a gift repaid 20 of a debt');
SELECT pg_temp.move('cid', 'dan', pg_temp.lot_of('c1'));
SELECT is(pg_temp.funds('cid') || ', ' || pg_temp.funds('dan'), '35 0 0 0, 0 0 0 0', 'the payer stays');
SELECT pg_temp.sound();
SELECT pg_temp.wait('1 second');
SELECT pg_temp.buy('dan', 'c1', 'starter', '{"refunded_millionths": 0}');
SELECT is(
    pg_temp.funds('cid') || ', ' || pg_temp.funds('dan'), '55 0 0 0, 5 0 0 0',
    'a reversed refund gives back to the payer'
);
SELECT pg_temp.sound();

-- An open debt moves and is repaid by the new account's grants; a moved lot repays an older debt
SELECT pg_temp.buy('eve', 'e1', 'starter'), pg_temp.book('eve', 'e', 'b');
SELECT pg_temp.buy('eve', 'e1', 'starter', '{"refunded_millionths": 1000000}');
SELECT pg_temp.move('eve', 'fay', pg_temp.lot_of('e1'));
SELECT is(pg_temp.funds('eve') || ', ' || pg_temp.funds('fay'), '0 0 0 0, 0 0 20 0', 'a debt moves');
SELECT is(pg_temp.story('fay'), 'transfer_in 0 owed 20', 'the ledger has an entry for the moved debt');
SELECT is(pg_temp.transfers('fay'), 1, 'an event reports the moved debt');
SELECT pg_temp.buy('gus', 'g1', 'starter'), pg_temp.move('gus', 'fay', pg_temp.lot_of('g1'));
SELECT is(pg_temp.funds('fay'), '5 0 0 0', 'a moved lot repays an existing debt');
SELECT pg_temp.sound();

-- One of two debts moves, and later the lot that repaid it
SELECT pg_temp.lesson('d', 20), pg_temp.buy('jon', 'j1', 'starter'), pg_temp.book('jon', 'j1', 'b');
SELECT pg_temp.buy('jon', 'j1', 'starter', '{"refunded_millionths": 1000000}'), pg_temp.gift('jon', 20);
SELECT pg_temp.buy('jon', 'j2', 'starter'), pg_temp.book('jon', 'j2', 'd');
SELECT pg_temp.buy('jon', 'j2', 'starter', '{"refunded_millionths": 1000000}');
SELECT set_config('t.payer', pg_temp.gift('jon', 26)::text, TRUE);
SELECT is(pg_temp.funds('jon'), '6 0 0 0', 'two debts, each repaid by a separate gift');
SELECT pg_temp.move('jon', 'kim', pg_temp.lot_of('j2'));
SELECT is(
    pg_temp.funds('jon') || ', ' || pg_temp.funds('kim'), '6 0 0 0, 0 0 0 0', 'only the debt moves, not its payer'
);
SELECT results_eq(
    $$ SELECT c.transaction_id, c.account_id FROM wallet.claims AS c
       WHERE c.transaction_id IN ('j1', 'j2') ORDER BY c.transaction_id $$,
    $$ VALUES ('j1', wallet.account_for('jon')), ('j2', wallet.account_for('kim')) $$,
    'only the moved purchase changes its owner'
);
SELECT pg_temp.sound();
SELECT pg_temp.wait('1 second');
SELECT pg_temp.buy(NULL, 'j1', 'starter', '{"refunded_millionths": 0}');
SELECT pg_temp.buy(NULL, 'j2', 'starter', '{"refunded_millionths": 0}');
SELECT is(
    pg_temp.funds('jon') || ', ' || pg_temp.funds('kim'), '51 0 0 0, 5 0 0 0', 'each payer has its amount back'
);
SELECT pg_temp.sound();
-- Returned repayments move like any other lot
SELECT pg_temp.move('jon', 'lea', pg_temp.lot_of('j1'));
SELECT is(pg_temp.funds('jon') || ', ' || pg_temp.funds('lea'), '46 0 0 0, 5 0 0 0', 'the one that owed goes');
SELECT pg_temp.move('jon', 'lea', current_setting('t.payer')::uuid);
SELECT is(pg_temp.funds('jon') || ', ' || pg_temp.funds('lea'), '20 0 0 0, 31 0 0 0', 'the former payer moves, too');
SELECT pg_temp.sound();
-- A debt of one visit behaves the same if either of the two lots moves
SELECT pg_temp.buy(u.id, u.id, 'singleVisit'), pg_temp.book(u.id, u.id, 'v') FROM unnest(ARRAY['max', 'ned']) AS u (id);
SELECT
    pg_temp.buy(u.id, u.id, 'singleVisit', '{"refunded_millionths": 1000000}'),
    set_config('t.' || u.id, pg_temp.gift(u.id, 3, 'visit')::text, TRUE)
FROM unnest(ARRAY['max', 'ned']) AS u (id);
SELECT pg_temp.move('max', 'ole', pg_temp.lot_of('max'));
SELECT is(pg_temp.funds('max') || ', ' || pg_temp.funds('ole'), '0 2 0 0, 0 0 0 0', 'the payer of one stays');
SELECT pg_temp.move('ned', 'ole', current_setting('t.ned')::uuid);
SELECT pg_temp.sound();
SELECT pg_temp.wait('1 second');
SELECT pg_temp.buy(NULL, u.id, 'singleVisit', '{"refunded_millionths": 0}') FROM unnest(ARRAY['max', 'ned']) AS u (id);
SELECT is(
    concat_ws(', ', pg_temp.funds('max'), pg_temp.funds('ned'), pg_temp.funds('ole')), '0 3 0 0, 0 0 0 0, 0 3 0 0',
    'each payer has its amount back'
);
SELECT pg_temp.sound();

-- An open debt of one visit
SELECT pg_temp.buy('vic', 'v1', 'singleVisit'), pg_temp.book('vic', 'vic', 'v');
SELECT pg_temp.buy('vic', 'v1', 'singleVisit', '{"refunded_millionths": 1000000}');
SELECT pg_temp.move('vic', 'wes', pg_temp.lot_of('v1'));
SELECT is(pg_temp.funds('wes') || ', ' || pg_temp.transfers('wes'), '0 0 0 1, 1', 'the debt moves with its event');
SELECT pg_temp.sound();

-- The oldest of several lots arrives first and repays first, in any order of the rows
SELECT pg_temp.buy('pia', 'p1', 'starter'), pg_temp.book('pia', 'p', 'b');
SELECT pg_temp.buy('pia', 'p1', 'starter', '{"refunded_millionths": 1000000}');
SELECT set_config('t.old', pg_temp.gift('rob', 30)::text, TRUE);
SELECT set_config('t.new', pg_temp.gift('rob', 40)::text, TRUE);
SELECT pg_temp.move('rob', 'sue', current_setting('t.new')::uuid);
SELECT pg_temp.move('rob', 'sue', current_setting('t.old')::uuid);
SELECT pg_temp.by_index(FALSE);
SELECT pg_temp.move('sue', 'pia', current_setting('t.new')::uuid, current_setting('t.old')::uuid);
SELECT pg_temp.by_index(TRUE);
SELECT is(
    pg_temp.story('pia', 3), 'transfer_in 30, transfer_in 40, repay -20 owed -20', 'the oldest arrives first'
);
SELECT is(
    (SELECT l.remaining FROM wallet.lots AS l
    WHERE l.account_id = wallet.account_for('pia') AND l.lot_id = current_setting('t.old')::uuid), 10::bigint,
    'the moved lot repays the debt'
);
SELECT pg_temp.sound();

-- Expiries
SELECT pg_temp.buy('tim', 't1', 'singleVisit'), pg_temp.move('tim', 'una', pg_temp.lot_of('t1'));
SELECT pg_temp.wait('31 days');
SELECT is(wallet.sweep(10), 1, 'a wallet that a lot has left has nothing due');
SELECT is(pg_temp.funds('una'), '0 0 0 0', 'the visit lapses in its current wallet');
SELECT pg_temp.buy('hal', 'h1', 'fiveVisit'), pg_temp.buy('hal', 'h2', 'singleVisit');
SELECT pg_temp.move('hal', 'ida', pg_temp.lot_of('h1'));
SELECT pg_temp.sound();
SELECT pg_temp.wait('31 days');
SELECT pg_temp.move('hal', 'ida', pg_temp.lot_of('h2'));
SELECT is(pg_temp.funds('ida'), '0 5 0 0', 'an expired lot brings nothing');
SELECT is(pg_temp.transfers('ida'), 1, 'no event reports the expired lot');
SELECT is(
    pg_temp.story('hal'), 'grant 5, grant 1, transfer_out -5, lapse -1, transfer_out 0',
    'due visits lapse before the move'
);
SELECT pg_temp.sound();
SELECT pg_temp.wait('60 days');
SELECT is(wallet.sweep(10), 1, 'the sweeper finds the moved lot where it is');
SELECT is(pg_temp.funds('ida'), '0 0 0 0', 'the visit lapses in the new wallet');
SELECT pg_temp.sound();

-- A period that has ended rolls over before its lot moves, and the rolled-over lot moves along
CREATE FUNCTION pg_temp.lots(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(
        CASE WHEN l.rolled_from IS NULL THEN '' ELSE 'rolled over ' END || l.remaining, ', ' ORDER BY l.remaining
    ) FROM wallet.lots AS l WHERE l.account_id = wallet.account_for(p_user) AND l.moved_to IS NULL;
$$;
SELECT pg_temp.buy('ada', 'y1', 'plan.enthusiast'), pg_temp.buy('ada', 'y2', 'plan.enthusiast', jsonb_build_object(
    'original_transaction_id', 'y1', 'purchased_at', wallet.now() + interval '30 days',
    'expires_at', wallet.now() + interval '60 days'
));
SELECT pg_temp.wait('30 days'), pg_temp.move('ada', 'bea', pg_temp.lot_of('y1'), pg_temp.lot_of('y2'));
SELECT is(pg_temp.lots('ada'), NULL, 'no lot stays');
SELECT is(pg_temp.lots('bea'), '0, rolled over 5, 10', 'the rolled-over lot moves along');
SELECT pg_temp.move('bea', 'cam', pg_temp.gift('bea', 3));
SELECT is(
    pg_temp.lots('bea') || '; ' || pg_temp.lots('cam'), '0, rolled over 5, 10; 3',
    'a rolled-over lot stays if its period''s lot stays'
);
SELECT pg_temp.sound();

-- Freezes move with their lot, and the new wallet looks for lots that have not started; other wallets stay unchanged
UPDATE wallet.products SET freeze_days = 30 WHERE product_id = 'tenVisit';
UPDATE wallet.products SET starts_within_days = 30 WHERE product_id = 'threeVisit';
SELECT pg_temp.buy('xia', i.id, i.product) FROM (VALUES
    ('x1', 'tenVisit'), ('x2', 'tenVisit'), ('x3', 'threeVisit')
) AS i (id, product);
SELECT pg_temp.gift('yan', 1), pg_temp.gift('yan', 1, p_environment => 'sandbox');
SELECT wallet.operator_act('freeze', jsonb_build_object(
    'user_id', 'xia', 'lot_id', pg_temp.lot_of(i.id), 'from', wallet.now() + interval '1 day',
    'until', wallet.now() + interval '4 days'
), 'op', 'holiday', NULL) FROM unnest(ARRAY['x1', 'x2']) AS i (id);
SELECT pg_temp.move('xia', 'yan', pg_temp.lot_of('x1'), pg_temp.lot_of('x3'));
SELECT is(
    (SELECT string_agg(c.transaction_id || ' ' || u.user_id, ', ' ORDER BY c.transaction_id) FROM wallet.freezes AS f
    INNER JOIN wallet.users AS u ON f.account_id = u.account_id
    INNER JOIN wallet.lots AS l ON f.account_id = l.account_id AND f.lot_id = l.lot_id
    INNER JOIN wallet.claims AS c ON l.claim_id = c.claim_id), 'x1 yan, x2 xia', 'each freeze is where its lot is'
);
SELECT is(
    (SELECT string_agg(u.user_id || ' ' || w.environment, ', ' ORDER BY u.user_id) FROM wallet.wallets AS w
    INNER JOIN wallet.users AS u ON w.account_id = u.account_id
    WHERE w.last_start > wallet.now() AND u.user_id <> 'xia'), 'yan production', 'only the new wallet has its start'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
