-- wallet.start_lots: the first use starts the validity of a lot, at the latest some days after the purchase (rule 40).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();

UPDATE wallet.products SET starts_within_days = 30, freeze_days = 20 WHERE product_id = 'tenVisit';
UPDATE wallet.products SET valid_days = 10, starts_within_days = 100 WHERE product_id = 'threeVisit';
-- The start and the end of the lots of a purchase, in days from the first day of the test.
CREATE FUNCTION pg_temp.day_of(p_at timestamptz) RETURNS text LANGUAGE sql AS $$
    SELECT trim_scale(round(extract(EPOCH FROM p_at - pg_temp.noon(0))::numeric / 86400, 3))::text;
$$;
CREATE FUNCTION pg_temp.term(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(
        format('%s-%s', pg_temp.day_of(l.starts_at), pg_temp.day_of(nullif(l.expires_at, 'infinity'))), ', '
        ORDER BY l.bundle_item
    ) FROM wallet.lots AS l INNER JOIN wallet.claims AS c ON l.claim_id = c.claim_id WHERE c.transaction_id = p_id;
$$;
CREATE FUNCTION pg_temp.lot(p_id text) RETURNS uuid LANGUAGE sql AS $$
    SELECT l.lot_id FROM wallet.lots AS l INNER JOIN wallet.claims AS c ON l.claim_id = c.claim_id
    WHERE c.transaction_id = p_id AND l.bundle_item = 0;
$$;
CREATE FUNCTION pg_temp.lessons(p_name text) RETURNS void LANGUAGE sql AS $$
    SELECT pg_temp.lesson(p_name || n, NULL, 1, p_ahead => make_interval(hours => 24 * n))
    FROM unnest('{1,3,9,10,11,20,179,180,200}'::integer[]) AS n;
$$;
SELECT pg_temp.lessons('in');

-- Until the first use, the lot ends after its validity from the latest start
SELECT pg_temp.buy('ann', 'a', 'tenVisit');
SELECT is(pg_temp.term('a'), '30-210', 'a new pass');
SELECT is(
    (SELECT w.next_expiry FROM wallet.wallets AS w WHERE w.account_id = wallet.account_for('ann')), pg_temp.noon(210),
    'the next expiry of its wallet'
);
SELECT is(
    (SELECT format('%s %s', pg_temp.day_of(p.starts_at), pg_temp.day_of(p.expires_at)) FROM wallet.passes AS p
    WHERE p.transaction_id = 'a'), '30 210', 'as its user sees it'
);
SELECT is(
    (SELECT pg_temp.day_of(l.starts_at) FROM admin.lots AS l WHERE l.transaction_id = 'a'), '30',
    'as an administrator sees it'
);
SELECT is((wallet.forecast(wallet.account_for('ann'), 'production', pg_temp.noon(209))).visits, 10::bigint,
    'a forecast assumes the latest start');

-- The first booking
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'far', 'in180')), '402 insufficient-credits',
    'a class after the validity from now, although before the stored expiry'
);
SELECT is(
    pg_temp.answer(pg_temp.ask('quote', 'ann', 'q', 'in180')), '402 insufficient-credits', 'a quote says the same'
);
SELECT is(pg_temp.answer(pg_temp.ask('quote', 'ann', 'q', 'in179')), '200 1 visit', 'a quote of a class before it');
SELECT is(pg_temp.term('a'), '30-210', 'neither a refusal nor a quote starts the lot');
SELECT pg_temp.wait('1 hour');
SELECT is(pg_temp.answer(pg_temp.book('ann', 'k1', 'in3')), '201 booked 1 visit', 'a booking');
SELECT is(pg_temp.term('a'), '0.042-180.042', 'starts the lot now');
SELECT is(
    (SELECT w.next_expiry FROM wallet.wallets AS w WHERE w.account_id = wallet.account_for('ann')),
    pg_temp.noon(180) + interval '1 hour', 'and the wallet knows the earlier expiry'
);
SELECT pg_temp.wait('1 hour'), pg_temp.book('ann', 'k2', 'in9');
SELECT is(pg_temp.term('a'), '0.042-180.042', 'a second booking changes nothing');
SELECT is(pg_temp.answer(pg_temp.cancel('ann', 'k1')), '200 cancelled 1 visit returned 1', 'a cancellation');
SELECT pg_temp.cancel('ann', 'k2');
SELECT is(pg_temp.funds('ann'), '0 10 0 0', 'all is returned');
SELECT is(pg_temp.term('a'), '0.042-180.042', 'but the lot has started');
SELECT is(pg_temp.answer(pg_temp.book('ann', 'k3', 'in200')), '402 insufficient-credits', 'a class after its end');
SELECT pg_temp.wait('1 second'), pg_temp.buy('ann', 'a', 'tenVisit', '{"refunded_millionths": 1000000}');
SELECT pg_temp.wait('1 second'), pg_temp.buy('ann', 'a', 'tenVisit', '{"refunded_millionths": 0}');
SELECT is(pg_temp.term('a'), '0.042-180.042', 'a refund and its reversal change nothing');
SELECT pg_temp.sound();

-- Two bookings of one batch: the first one decides which classes the second one may use
SELECT pg_temp.buy('bob', 'b', 'threeVisit');
SELECT is(pg_temp.term('b'), format('%s-%s', pg_temp.day_of(wallet.now() + interval '100 days'),
    pg_temp.day_of(wallet.now() + interval '110 days')), 'a pass of ten days');
SELECT is(
    (SELECT string_agg(concat_ws(' ', o.status, o.slug), ', ' ORDER BY o.item) FROM pg_temp.batch(
        array_fill(wallet.account_for('bob'), ARRAY[4]), array_fill('production'::wallet.environment, ARRAY[4]),
        '{book,book,quote,book}', ARRAY[pg_temp.id_of('b1'), pg_temp.id_of('b2'), NULL, pg_temp.id_of('b4')],
        '{b1,b2,NULL,b4}', '{in9,in11,in11,in3}', '{1,1,1,1}', '{}', '{}'
    ) AS o),
    '201, 402 insufficient-credits, 402 insufficient-credits, 201', 'a batch'
);
SELECT is(pg_temp.funds('bob'), '0 1 0 0', 'two visits are spent');

-- Soonest expiry first: a lot that has not started has the expiry of its latest start
SELECT pg_temp.buy('cat', 'c1', 'threeVisit'), pg_temp.buy('cat', 'c2', 'fiveVisit');
SELECT pg_temp.book('cat', 'c', 'in9', 5);
SELECT is(
    (SELECT string_agg(concat_ws(' ', l.product_id, l.spent), ', ' ORDER BY l.lot_id) FROM wallet.lots AS l
    WHERE l.account_id = wallet.account_for('cat')), 'threeVisit 0, fiveVisit 5', 'a lot that would end earlier'
);
SELECT is(
    (SELECT pg_temp.day_of(l.starts_at - (wallet.now() - pg_temp.noon(0))) FROM wallet.lots AS l
    WHERE l.lot_id = pg_temp.lot('c1')), '100', 'the other one has not started'
);

-- Other uses
CREATE FUNCTION pg_temp.has_started(p_id text) RETURNS boolean LANGUAGE sql AS $$
    SELECT l.starts_at = wallet.now() AND l.expires_at = wallet.now() + interval '10 days' FROM wallet.lots AS l
    WHERE l.lot_id = pg_temp.lot(p_id);
$$;
SELECT pg_temp.buy('dan', 'd', 'threeVisit'), wallet.consume_pass(wallet.account_for('dan'), 'production', 'd', 'door');
SELECT ok(pg_temp.has_started('d'), 'a visit that an app spends');
SELECT pg_temp.buy('eve', 'e', 'threeVisit'), pg_temp.gift('eve', -1, 'visit');
SELECT ok(pg_temp.has_started('e'), 'a deduction by an operator');
SELECT pg_temp.buy('fay', 'f1', 'singleVisit'), pg_temp.book('fay', 'f1', 'in3'), pg_temp.wait('1 second');
SELECT pg_temp.buy('fay', 'f1', 'singleVisit', '{"refunded_millionths": 1000000}');
SELECT pg_temp.buy('fay', 'f2', 'threeVisit');
SELECT ok(pg_temp.has_started('f2'), 'the repayment of a debt');
SELECT pg_temp.cancel('fay', 'f1');
SELECT is(pg_temp.funds('fay'), '0 3 0 0', 'the debt is undone');
SELECT ok(pg_temp.has_started('f2'), 'the start is not');
SELECT pg_temp.buy('gil', 'g', 'threeVisit'), pg_temp.wait('1 second');
SELECT pg_temp.buy('gil', 'g', 'threeVisit', '{"refunded_millionths": 400000}');
SELECT ok(NOT pg_temp.has_started('g'), 'a refund is no use');
SELECT pg_temp.sound();

-- Without a use, the lot starts by itself
SELECT pg_temp.buy('hal', 'h', 'threeVisit', jsonb_build_object('purchased_at', wallet.now() - interval '95 days'));
SELECT is(
    (SELECT l.expires_at - wallet.now() FROM wallet.lots AS l WHERE l.lot_id = pg_temp.lot('h')), interval '15 days',
    'five days before the latest start'
);
SELECT is(pg_temp.answer(pg_temp.book('hal', 'h1', 'in11')), '402 insufficient-credits', 'a class in 11 days');
SELECT pg_temp.wait('6 days'), pg_temp.lessons('on');
SELECT is(pg_temp.answer(pg_temp.book('hal', 'h2', 'on9')), '402 insufficient-credits', 'it ends in 9 days');
SELECT is(pg_temp.answer(pg_temp.book('hal', 'h3', 'on3')), '201 booked 1 visit', 'a class before that');
SELECT is(
    (SELECT l.expires_at - wallet.now() FROM wallet.lots AS l WHERE l.lot_id = pg_temp.lot('h')), interval '9 days',
    'a use after the latest start changes nothing'
);
SELECT pg_temp.buy('ian', 'i', 'threeVisit', jsonb_build_object('purchased_at', wallet.now() - interval '111 days'));
SELECT is(pg_temp.funds('ian'), '0 0 0 0', 'a purchase that is granted after its end');
SELECT pg_temp.sound();

-- A merge, a deletion and a restore keep the start
SELECT wallet.account_for('jon', TRUE), pg_temp.buy('jon', 'j1', 'threeVisit'), pg_temp.buy('jon', 'j2', 'threeVisit');
SELECT pg_temp.book('jon', 'j', 'on1', 3), pg_temp.wait('1 hour');
CREATE TEMPORARY TABLE terms AS SELECT pg_temp.term('j1') AS j1, pg_temp.term('j2') AS j2;
SELECT isnt(t.j1, t.j2, 'one of two lots has started') FROM terms AS t;
SELECT wallet.merge_accounts('jon', 'kim');
SELECT is(row(pg_temp.term('j1'), pg_temp.term('j2')), row(t.j1, t.j2), 'a merge') FROM terms AS t;
SELECT wallet.delete_account('kim'), wallet.restore(
    wallet.account_for('lea'), jsonb_build_array(
        pg_temp.fact('j1', 'threeVisit'), pg_temp.fact('j2', 'threeVisit')
    ), NULL
);
SELECT is(row(pg_temp.term('j1'), pg_temp.term('j2')), row(t.j1, t.j2), 'a deletion and a restore') FROM terms AS t;
SELECT is(
    (SELECT count(*)::integer FROM wallet.lots AS l
    WHERE l.moved_to IS NOT NULL AND (l.starts_at IS NOT NULL OR l.bundle_item <> 0)), 0,
    'rows left behind have no start'
);
SELECT pg_temp.sound();

-- A freeze is for lots that have started
CREATE FUNCTION pg_temp.freezes(p_user text, p_id text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM wallet.freeze_lot(
        wallet.account_for(p_user), 'production', pg_temp.lot(p_id), wallet.now() + interval '2 days',
        wallet.now() + interval '9 days', row('op', 'holiday', NULL, NULL)
    );
    RETURN 'frozen';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END;
$$;
SELECT pg_temp.buy('max', 'm', 'tenVisit');
SELECT is(pg_temp.freezes('max', 'm'), 'lot-not-freezable', 'a lot that has not started');
SELECT pg_temp.book('max', 'm', 'on20');
SELECT is(pg_temp.freezes('max', 'm'), 'frozen', 'a lot that has');
SELECT is(
    (SELECT l.expires_at - l.starts_at FROM wallet.lots AS l WHERE l.lot_id = pg_temp.lot('m')), interval '187 days',
    'its validity is longer by the freeze'
);
SELECT pg_temp.wait('1 hour'), pg_temp.book('max', 'm2', 'on10');
SELECT is(
    (SELECT l.expires_at - l.starts_at FROM wallet.lots AS l WHERE l.lot_id = pg_temp.lot('m')), interval '187 days',
    'another use changes nothing'
);
SELECT pg_temp.sound();

-- The studio cancels a class after the lot has ended: the lot reopens for its days of grace
SELECT pg_temp.buy('ned', 'n', 'threeVisit'), pg_temp.lesson('late', NULL, 1, p_ahead => '9 days');
SELECT pg_temp.book('ned', 'n', 'late'), pg_temp.wait('8 days'), pg_temp.lesson('late', NULL, 1, p_ahead => '5 days');
SELECT pg_temp.wait('3 days'), wallet.cancel_class('late', 'ill', 'op', NULL), wallet.settle_classes(100);
SELECT is(pg_temp.funds('ned'), '0 1 0 0', 'the returned visit of a lot that had ended');
SELECT is(
    (SELECT l.expires_at - wallet.now() FROM wallet.lots AS l WHERE l.lot_id = pg_temp.lot('n')), interval '7 days',
    'has the days of grace'
);
SELECT pg_temp.sound();

-- A bundle: each lot has its own start
INSERT INTO wallet.products (product_id, kind, name, unit, amount, price_minor, app_store_id, bundle_items)
VALUES ('mix', 'pack', 'Mix', 'credit', 9, 900, 'mix', ARRAY[
    row('visit', 2, 30, 60)::wallet.bundle_item, row('visit', 2, 20, 90)::wallet.bundle_item,
    row('visit', 2, 400, NULL)::wallet.bundle_item
]);
SELECT pg_temp.buy('oda', 'o', 'mix'), pg_temp.lessons('at'), pg_temp.lesson('credits', 3);
SELECT pg_temp.book('oda', 'o1', 'credits');
SELECT is(
    (SELECT string_agg(
        coalesce(extract(DAY FROM l.starts_at - wallet.now())::text, 'none'), ', ' ORDER BY l.bundle_item
    )
    FROM wallet.lots AS l WHERE l.account_id = wallet.account_for('oda')), 'none, 60, 90, none', 'a use of the credits'
);
SELECT pg_temp.book('oda', 'o2', 'at3', 3);
SELECT is(
    (SELECT string_agg(
        format('%s %s', l.spent, extract(DAY FROM l.starts_at - wallet.now())), ', ' ORDER BY l.bundle_item
    )
    FROM wallet.lots AS l WHERE l.account_id = wallet.account_for('oda')), '3 , 2 0, 1 0, 0 ',
    'a use of both lots that were not started'
);
SELECT is(pg_temp.answer(pg_temp.book('oda', 'o3', 'at20', 1, 'visits')), '201 booked 1 visit',
    'a class after the end of the second one is paid by the third one');
SELECT pg_temp.sound();

-- Warnings: the earlier expiry is warned of once
SELECT pg_temp.buy('pia', 'p', 'threeVisit'), pg_temp.book('pia', 'p', 'at3');
SELECT is(
    (SELECT l.warned_at FROM wallet.lots AS l WHERE l.lot_id = pg_temp.lot('p')), NULL, 'ten days before the end'
);
INSERT INTO wallet.warnings (account_id, environment, due_at)
VALUES (wallet.account_for('pia'), 'production', '-infinity');
SELECT pg_temp.wait('4 days'), wallet.warn_one(wallet.account_for('pia'), 'production', NULL, NULL, interval '7 days');
SELECT is(
    (SELECT l.warned_at FROM wallet.lots AS l WHERE l.lot_id = pg_temp.lot('p')), wallet.now(),
    'six days before the end'
);

-- Days have 24 hours in every session time zone
SET LOCAL timezone = 'America/New_York';
SELECT set_config('t.now', '2030-03-01 12:00:00+00', TRUE);
SELECT pg_temp.buy('rob', 'r', 'tenVisit');
SELECT pg_temp.lesson('spring', NULL, 1, p_ahead => '180 days -1 second'::interval);
SELECT is(
    (SELECT extract(EPOCH FROM l.expires_at - l.starts_at) FROM wallet.lots AS l WHERE l.lot_id = pg_temp.lot('r')),
    180 * 86400::numeric, 'before the first use'
);
SELECT is(pg_temp.answer(pg_temp.book('rob', 'r', 'spring')), '201 booked 1 visit', 'the first use');
SELECT is(
    (SELECT extract(EPOCH FROM l.expires_at - wallet.now()) FROM wallet.lots AS l WHERE l.lot_id = pg_temp.lot('r')),
    180 * 86400::numeric, 'after the first use'
);
SELECT is((SELECT count(*)::integer FROM wallet.wallets AS w, wallet.lots AS l WHERE w.account_id = l.account_id
    AND w.environment = l.environment AND l.is_open AND l.expires_at < w.next_expiry), 0, 'no expiry is missed');
SELECT * FROM finish();
ROLLBACK;
