-- Bundles (rule 40): one purchase grants several lots, each with its unit, amount and validity. All lots follow the
-- purchase: refunds take their share of each, and merges, restores and deletions act on each.
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();

INSERT INTO wallet.products (product_id, kind, name, unit, amount, bonus, price_minor, app_store_id, valid_days,
    bundle_items)
VALUES
('mix', 'pack', 'Mix', 'credit', 10, 2, 2800, 'mix', NULL, ARRAY[
    row('visit', 3, 30, NULL)::wallet.bundle_item, row('visit', 5, 90, 60)::wallet.bundle_item,
    row('credit', 1, NULL, NULL)::wallet.bundle_item
]),
('visits', 'pass', 'Visits', 'visit', 7, 0, 2800, 'visits', 60, ARRAY[
    row('credit', 3, NULL, NULL)::wallet.bundle_item
]);
-- All lots of a purchase: unit, granted, refunded, spent, remaining, owed and the days until the end.
CREATE FUNCTION pg_temp.lots(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(format('%s%s %s %s', l.granted, left(l.unit::text, 1), l.source, concat_ws(
        ' ', 'refunded ' || nullif(l.refunded, 0), 'spent ' || nullif(l.spent, 0), 'owed ' || nullif(l.owed, 0),
        'left ' || l.remaining, 'ends ' || extract(DAY FROM nullif(l.expires_at, 'infinity') - c.purchased_at)
    )), '; ' ORDER BY l.bundle_item)
    FROM wallet.claims AS c INNER JOIN wallet.lots AS l ON c.claim_id = l.claim_id
    WHERE c.transaction_id = p_id;
$$;
CREATE FUNCTION pg_temp.events(p_user text, p_type text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', b.data ->> 'amount', b.data ->> 'unit'), ', ' ORDER BY o.event_id)
    FROM wallet.outbox AS o CROSS JOIN LATERAL (SELECT wallet.event_body(o) -> 'data' AS data) AS b
    WHERE o.account_id = wallet.account_for(p_user) AND o.type = p_type;
$$;

-- The grant
SELECT is(
    (SELECT concat_ws(' ', o.verdict, o.amount, o.unit, jsonb_path_query_array(o.lots, '$[*].granted'),
        jsonb_path_query_array(o.lots, '$[*].unit'), o.lots #>> '{0,lot_id}' = o.lot_id::text)
    FROM pg_temp.buy('ann', 'a', 'mix') AS o),
    'granted 12 credit [12, 3, 5, 1] ["credit", "visit", "visit", "credit"] t',
    'the answer has the first lot, and all lots'
);
SELECT is(
    pg_temp.lots('a'),
    '12c pack left 12; 3v pass left 3 ends 30; 5v pass left 5 ends 150; 1c pack left 1', 'one lot for each item'
);
SELECT is(pg_temp.funds('ann'), '13 8 0 0', 'the balance has all');
SELECT is(
    pg_temp.events('ann', 'credits.granted'), '12 credit, 3 visit, 5 visit, 1 credit', 'each lot has its event'
);
SELECT is(
    (SELECT o.duplicate::text || jsonb_array_length(o.lots) FROM pg_temp.buy('ann', 'a', 'mix') AS o), 'true4',
    'again, all lots are answered and nothing is granted'
);
SELECT is(pg_temp.funds('ann'), '13 8 0 0', 'the balance after the duplicate');
SELECT is(
    (SELECT count(*)::integer FROM wallet.passes AS p WHERE p.account_id = wallet.account_for('ann')), 2,
    'its visits are listed as passes'
);
SELECT is(
    (SELECT concat_ws(' ', p.status, p.unit, p.granted, p.remaining, jsonb_array_length(p.lots))
    FROM wallet.purchases AS p WHERE p.transaction_id = 'a'),
    'granted credit 12 12 4', 'the purchase is listed once, with its first lot and all lots'
);
SELECT is(
    (SELECT concat_ws(' ', p.granted, p.bonus, p.paid_minor) FROM wallet.pack_purchases AS p
    WHERE p.transaction_id = 'a'),
    '12 2 2800', 'as a pack, it has the credits and the bonus of the pack'
);
SELECT is(
    (SELECT concat_ws(' ', c.granted, c.spent) FROM wallet.consumptions AS c WHERE c.transaction_id = 'a'), '21 0',
    'its use is the sum of all lots'
);
SELECT throws_ok(
    $$ INSERT INTO wallet.lots (
           account_id, lot_id, environment, unit, source, product_id, claim_id, granted, created_at
       )
       SELECT
           l.account_id, gen_random_uuid(), l.environment, l.unit, l.source, l.product_id, l.claim_id, 1, l.created_at
       FROM wallet.lots AS l WHERE l.source = 'pack' AND l.bundle_item = 0 $$,
    '23505', NULL, 'a purchase cannot grant one of its lots twice'
);

-- A later report of a larger quantity, after the catalogue has changed
UPDATE wallet.products SET bundle_items = '{}', amount = 1 WHERE product_id = 'mix';
SELECT pg_temp.buy('ann', 'a', 'mix', '{"quantity": 2}');
SELECT is(
    pg_temp.lots('a'),
    '24c pack left 24; 6v pass left 6 ends 30; 10v pass left 10 ends 150; 2c pack left 2',
    'each lot grows by the terms of the purchase'
);
SELECT is(pg_temp.says(pg_temp.buy('bob', 'b', 'mix')), 'granted 3 credit', 'a new purchase has the new terms');
SELECT is((SELECT jsonb_array_length(o.lots) FROM pg_temp.buy('bob', 'b', 'mix') AS o), 1, 'and one lot');
UPDATE wallet.products SET amount = 10, bundle_items = (
    SELECT c.bundle_items FROM wallet.claims AS c WHERE c.transaction_id = 'a'
) WHERE product_id = 'mix';

-- A partial refund takes its share of each, rounded down
SELECT pg_temp.wait('1 second'), pg_temp.buy('cat', 'c', 'mix'), pg_temp.lesson('class', 4, 2);
SELECT pg_temp.book('cat', 'k1', 'class', 2, 'credits'), pg_temp.lesson('class2', NULL, 2);
SELECT pg_temp.book('cat', 'k2', 'class2');
SELECT is(
    pg_temp.lots('c'),
    '12c pack spent 8 left 4; 3v pass spent 2 left 1 ends 30; 5v pass left 5 ends 150; 1c pack left 1',
    'bookings use the soonest expiry first'
);
SELECT pg_temp.wait('1 second'), pg_temp.buy('cat', 'c', 'mix', '{"refunded_millionths": 500000}');
SELECT is(
    pg_temp.lots('c'),
    '12c pack refunded 6 spent 8 owed 2 left 0; 3v pass refunded 1 spent 2 left 0 ends 30; '
    || '5v pass refunded 2 left 3 ends 150; 1c pack left 1',
    'half of each lot, rounded down; spent credits are owed'
);
SELECT is(pg_temp.funds('cat'), '1 3 2 0', 'the balance after the partial refund');
SELECT is(
    pg_temp.events('cat', 'credits.refunded'), '-6 credit, -1 visit, -2 visit', 'an event for each lot that changes'
);
SELECT is(
    (SELECT concat_ws(' ', r.refunded, r.owed, jsonb_path_query_array(r.lots, '$[*].refunded'))
    FROM admin.refunds AS r WHERE r.transaction_id = 'c'),
    '6 2 [6, 1, 2, 0]', 'the refund is listed with all lots'
);
SELECT is(
    (SELECT concat_ws(' ', sum(o.granted), sum(o.spent)) FROM wallet.order_usage AS o WHERE o.order_id = 'c'), '21 10',
    'the store sees what all lots granted and what was used'
);
SELECT pg_temp.wait('1 second'), pg_temp.buy('cat', 'c', 'mix', '{"refunded_millionths": 1000000}');
SELECT is(
    pg_temp.lots('c'),
    '12c pack refunded 12 spent 8 owed 8 left 0; 3v pass refunded 3 spent 2 owed 2 left 0 ends 30; '
    || '5v pass refunded 5 left 0 ends 150; 1c pack refunded 1 left 0',
    'a full refund takes all'
);
SELECT is(
    (SELECT p.status FROM wallet.purchases AS p WHERE p.transaction_id = 'c'), 'refunded', 'its status'
);
SELECT pg_temp.wait('1 second'), pg_temp.buy('cat', 'c', 'mix', '{"refunded_millionths": 0}');
SELECT is(
    pg_temp.lots('c'),
    '12c pack spent 8 left 4; 3v pass spent 2 left 1 ends 30; 5v pass left 5 ends 150; 1c pack left 1',
    'a reversed refund returns all'
);
SELECT is(
    (SELECT p.status FROM wallet.purchases AS p WHERE p.transaction_id = 'c'), 'partly_consumed',
    'a purchase of which one lot was used'
);

-- A refund that is reported before its purchase, and one that is reported before its owner
SELECT pg_temp.buy('dan', 'd', 'mix', '{"refunded_millionths": 250000}');
SELECT is(
    pg_temp.lots('d'),
    '12c pack refunded 3 left 9; 3v pass left 3 ends 30; 5v pass refunded 1 left 4 ends 150; 1c pack left 1',
    'grants and refunds in one go'
);

-- The answer keeps the order of the items, however PostgreSQL finds the lots
SELECT pg_temp.buy('ivy', 'i', 'mix'), pg_temp.lesson('whole', 12), pg_temp.book('ivy', 'i', 'whole');
SELECT pg_temp.by_index(FALSE);
SELECT is(
    (SELECT jsonb_path_query_array(o.lots, '$[*].granted') FROM pg_temp.buy('ivy', 'i', 'mix') AS o),
    '[12, 3, 5, 1]', 'with a lot that was used up and written again'
);
SELECT pg_temp.by_index(TRUE);

-- New lots repay debts in their unit
SELECT pg_temp.buy('eve', 'e1', 'mix'), pg_temp.book('eve', 'e1', 'class2', 2);
SELECT pg_temp.wait('1 second'), pg_temp.buy('eve', 'e1', 'mix', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.funds('eve'), '0 0 0 4', 'four visits are owed');
SELECT pg_temp.buy('eve', 'e2', 'mix');
SELECT is(
    pg_temp.lots('e2'),
    '12c pack left 12; 3v pass spent 3 left 0 ends 30; 5v pass spent 1 left 4 ends 90; 1c pack left 1',
    'the lots of visits repay in their order; a repayment is a use and starts the validity'
);
SELECT is(pg_temp.funds('eve'), '13 4 0 0', 'the debt is repaid');

-- Two claims turn out to be one purchase
SELECT pg_temp.buy('fay', 'f1', 'mix', '{"original_transaction_id": null, "order_id": "f"}');
SELECT pg_temp.buy('fay', 'f2', 'mix', '{"original_transaction_id": null}');
SELECT is(pg_temp.funds('fay'), '26 16 0 0', 'two purchases');
SELECT pg_temp.buy('fay', 'f2', 'mix', '{"original_transaction_id": null, "order_id": "f"}');
SELECT is(pg_temp.funds('fay'), '13 8 0 0', 'all lots of the duplicate are taken back');
SELECT is(
    (SELECT count(*)::integer FROM wallet.lots AS l
    WHERE l.account_id = wallet.account_for('fay') AND l.refunded = l.granted), 4, 'each of them'
);

-- A merge, a deletion and a restore
SELECT wallet.account_for('gil', TRUE), pg_temp.buy('gil', 'g', 'mix'), pg_temp.book('gil', 'g', 'class2');
SELECT wallet.merge_accounts('gil', 'hal');
SELECT is(pg_temp.funds('hal'), '13 6 0 0', 'a merge moves all lots');
SELECT is(
    pg_temp.lots('g'),
    '12c pack left 12; 3v pass spent 2 left 1 ends 30; 5v pass left 5 ends 150; 1c pack left 1',
    'with their terms'
);
SELECT pg_temp.cancel('hal', 'g');
SELECT wallet.delete_account('hal'), wallet.account_for('ida');
SELECT is(
    (SELECT string_agg(concat_ws(' ', r.result, r.unit, r.amount, r.remaining,
        jsonb_path_query_array(r.lots, '$[*].remaining'), r.unproven), ', ')
    FROM wallet.restore(wallet.account_for('ida'), jsonb_build_array(pg_temp.fact('g', 'mix')), NULL) AS r),
    'restored credit 12 12 [12, 3, 5, 1] 0', 'a restore answers and moves all lots'
);
SELECT is(pg_temp.funds('ida'), '13 8 0 0', 'the balance of the user who restored');
SELECT is(
    (SELECT string_agg(concat_ws(' ', r.result, r.amount, jsonb_array_length(r.lots)), ', ')
    FROM wallet.restore(wallet.account_for('ida'), jsonb_build_array(pg_temp.fact('g', 'mix')), NULL) AS r),
    'held 12 4', 'again'
);
SELECT is(
    (SELECT string_agg(concat_ws(' ', r.result, r.remaining, r.lots), ', ')
    FROM wallet.restore(wallet.account_for('jon'), jsonb_build_array(pg_temp.fact('g', 'mix')), NULL) AS r),
    'transaction-already-claimed 0', 'another user sees no lots'
);
SELECT pg_temp.wait('1 second'), pg_temp.buy('ida', 'g', 'mix', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.funds('ida'), '0 0 0 0', 'a refund after all of that takes all lots');
-- An operator releases a purchase
SELECT pg_temp.buy('kim', 'k', 'mix'), wallet.release_claim(c.claim_id) FROM wallet.claims AS c
WHERE c.transaction_id = 'a';
SELECT is(
    (SELECT bool_and(l.released_at IS NOT NULL)::text || count(*) FROM wallet.lots AS l
    INNER JOIN wallet.claims AS c ON l.claim_id = c.claim_id WHERE c.transaction_id = 'a'),
    'true4', 'a release covers all lots'
);

-- A purchase that waited for its product
SELECT pg_temp.buy('lea', 'l', 'later');
INSERT INTO wallet.products (product_id, kind, name, unit, amount, price_minor, app_store_id, bundle_items)
VALUES ('later', 'pack', 'Later', 'credit', 4, 100, 'later', ARRAY[row('visit', 2, NULL, NULL)::wallet.bundle_item]);
SELECT is(pg_temp.lots('l'), '4c pack left 4; 2v pass left 2', 'gets all lots when the product is added');

-- Visits that an app spends directly
SELECT pg_temp.buy('max', 'm', 'mix');
CREATE FUNCTION pg_temp.door(p_user text, p_id text, p_reference text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN wallet.consume_pass(wallet.account_for(p_user), 'production', p_id, p_reference);
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END;
$$;
SELECT is(pg_temp.door('max', 'm', 'd1'), '(f,f,7)', 'the visits of all lots remain');
SELECT is(pg_temp.door('max', 'm', 'd1'), '(t,f,7)', 'the same reference');
SELECT pg_temp.door('max', 'm', 'd' || n) FROM generate_series(2, 4) AS n;
SELECT is(
    pg_temp.lots('m'),
    '12c pack left 12; 3v pass spent 3 left 0 ends 30; 5v pass spent 1 left 4 ends 90; 1c pack left 1',
    'the soonest expiry first'
);
SELECT is(
    (SELECT string_agg(jsonb_path_query_array(p.history, '$[*].reference')::text, ' ' ORDER BY p.expires_at)
    FROM wallet.passes AS p WHERE p.transaction_id = 'm'),
    '["d1", "d2", "d3"] ["d4"]', 'each lot lists its own uses'
);
SELECT is(
    (SELECT jsonb_array_length(p.used_by) FROM wallet.purchases AS p WHERE p.transaction_id = 'm'), 4,
    'the purchase lists all'
);
SELECT pg_temp.door('max', 'm', 'd' || n) FROM generate_series(5, 8) AS n;
SELECT is(pg_temp.door('max', 'm', 'd8'), '(t,t,0)', 'all visits are used');
SELECT is(pg_temp.door('max', 'm', 'd9'), 'already-consumed', 'no more');

-- A frozen lot comes last
SELECT pg_temp.buy('ola', 'o', 'mix');
CREATE FUNCTION pg_temp.freeze(p_item integer, p_from interval, p_until interval) RETURNS void LANGUAGE sql AS $$
    UPDATE wallet.lots AS l SET frozen_from = wallet.now() + p_from, frozen_until = wallet.now() + p_until
    FROM wallet.claims AS c WHERE c.claim_id = l.claim_id AND c.transaction_id = 'o' AND l.bundle_item = p_item;
$$;
SELECT pg_temp.freeze(1, '-1 day', '1 day');
SELECT is(pg_temp.door('ola', 'o', 'f1'), '(f,f,7)', 'the first lot is frozen');
SELECT is(
    (SELECT string_agg(l.spent::text, ' ' ORDER BY l.bundle_item) FROM wallet.lots AS l
    WHERE l.account_id = wallet.account_for('ola')), '0 0 1 0', 'the visit comes from the second'
);
SELECT pg_temp.freeze(2, '-1 day', '1 day');
SELECT is(pg_temp.door('ola', 'o', 'f2'), 'lot-frozen', 'both are frozen');
SELECT pg_temp.freeze(1, '1 hour', '1 day');
SELECT is(pg_temp.door('ola', 'o', 'f2'), '(f,f,6)', 'a freeze that has not begun');
SELECT pg_temp.freeze(1, '-1 day', '0');
SELECT is(pg_temp.door('ola', 'o', 'f3'), '(f,f,5)', 'a freeze that ends now');
SELECT is(
    (SELECT string_agg(l.spent::text, ' ' ORDER BY l.bundle_item) FROM wallet.lots AS l
    WHERE l.account_id = wallet.account_for('ola')), '0 2 1 0', 'both visits come from the first'
);
SELECT pg_temp.freeze(l.item, NULL, NULL) FROM generate_series(1, 2) AS l (item);

SELECT pg_temp.buy('ned', 'n', 'visits');
SELECT is(pg_temp.door('ned', 'n', 'e1'), '(f,f,6)', 'a pass with credits beside it');
SELECT is(pg_temp.lots('n'), '7v pass spent 1 left 6 ends 60; 3c pack left 3', 'only its visit is spent');

-- The value of a purchase is spread over all lots
SELECT is(
    (SELECT string_agg(round(v.value_minor, 2)::text, ' ' ORDER BY v.version) FROM wallet.entry_values AS v
    WHERE v.account_id = wallet.account_for('ned') AND v.kind = 'grant'), '1960.00 840.00', 'evenly over its units'
);
SELECT is(
    (SELECT string_agg(concat_ws(' ', v.source, v.product_id), ', ' ORDER BY v.version) FROM wallet.entry_values AS v
    WHERE v.account_id = wallet.account_for('ned') AND v.kind = 'grant'), 'pass visits, pack visits',
    'with the product'
);
SELECT is(wallet.sum_days(1000) > 0, TRUE, 'the daily sums follow');

-- The catalogue
CREATE FUNCTION pg_temp.puts(p_members text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_constraint text;
BEGIN
    PERFORM wallet.put_product('p', '{"kind": "pass", "name": "P", "unit": "visit", "amount": 1, "price_minor": 1}'
        || p_members::jsonb, 'op', NULL);
    RETURN (SELECT to_jsonb(p.bundle_items)::text FROM wallet.products AS p WHERE p.product_id = 'p');
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS v_constraint = CONSTRAINT_NAME;
    RETURN coalesce(nullif(v_constraint, ''), SQLERRM);
END;
$$;
SELECT is(
    pg_temp.puts('{"bundle_items": [{"unit": "visit", "amount": 2, "valid_days": 9}]}'),
    '[{"unit": "visit", "amount": 2, "valid_days": 9, "starts_within_days": null}]', 'an item'
);
SELECT is(pg_temp.puts('{}'), '[]', 'left out, it is no bundle');
SELECT is(pg_temp.puts('{"bundle_items": null}'), '[]', 'null, too');
SELECT is(pg_temp.puts(i.items), i.answer, i.answer || ': ' || i.items) FROM (VALUES
    ('{"bundle_items": [{"amount": 2}]}', 'products_bundle_items_valid'),
    ('{"bundle_items": [{"unit": "visit"}]}', 'products_bundle_items_valid'),
    ('{"bundle_items": [{"unit": "visit", "amount": 0}]}', 'products_bundle_items_valid'),
    ('{"bundle_items": [{"unit": "visit", "amount": 1000001}]}', 'products_bundle_items_valid'),
    ('{"bundle_items": [{"unit": "visit", "amount": 1, "valid_days": 0}]}', 'products_bundle_items_valid'),
    ('{"bundle_items": [{"unit": "visit", "amount": 1, "valid_days": 3661}]}', 'products_bundle_items_valid'),
    ('{"bundle_items": [{"unit": "credit", "amount": 1, "valid_days": 9}]}', 'products_bundle_items_valid'),
    ('{"bundle_items": [{"unit": "visit", "amount": 1, "starts_within_days": 9}]}', 'products_bundle_items_valid'),
    ('{"bundle_items": [null]}', 'products_bundle_items_valid'),
    (jsonb_build_object('bundle_items', (SELECT jsonb_agg('{"unit": "visit", "amount": 1}'::jsonb)
        FROM generate_series(1, 11))::jsonb)::text, 'products_bundle_items_valid'),
    ('{"bundle_items": [{"unit": "visit", "amount": 1}], "grant_source": "virtual_currency"}',
        'products_bundle_of_purchases'),
    ('{"starts_within_days": 9}', 'products_first_use_of_passes'),
    ('{"starts_within_days": 0, "valid_days": 9}', 'products_first_use_of_passes'),
    ('{"starts_within_days": 3661, "valid_days": 9}', 'products_first_use_of_passes')
) AS i (items, answer);
SELECT is(pg_temp.raised(
    $$ INSERT INTO wallet.products (product_id, kind, name, unit, amount, price_minor, period, bundle_items)
       VALUES ('q', 'plan', 'Q', 'visit', 1, 1, 'P1M', ARRAY[row('credit', 1, NULL, NULL)::wallet.bundle_item]) $$
), '23514', 'a plan is no bundle');
SELECT is(pg_temp.raised(
    $$ INSERT INTO wallet.products (product_id, kind, name, unit, amount, price_minor, starts_within_days)
       VALUES ('q', 'pack', 'Q', 'credit', 1, 1, 3) $$
), '23514', 'credits have no first use');
SELECT is(pg_temp.raised(
    $$ UPDATE admin.products SET bundle_items = '[{"unit": "visit", "amount": 2.5}]' WHERE product_id = 'p' $$
), '23514', 'psql: an amount must be a whole number');
UPDATE admin.products SET bundle_items = '[{"unit": "visit", "amount": 2, "valid_days": 9, "starts_within_days": 4}]'
WHERE product_id = 'p';
SELECT is(
    (SELECT p.bundle_items::text FROM admin.products AS p WHERE p.product_id = 'p'),
    '[{"unit": "visit", "amount": 2, "valid_days": 9, "starts_within_days": 4}]', 'psql: the items are stored'
);
UPDATE admin.products SET name = 'P2' WHERE product_id = 'p';
SELECT is(
    (SELECT jsonb_array_length(p.bundle_items) FROM admin.products AS p WHERE p.product_id = 'p'), 1,
    'psql: another column changes, the items stay'
);
SELECT is(
    (SELECT p.bundle_items::text FROM wallet.packs AS p WHERE p.product_id = 'visits'),
    '[{"unit": "credit", "amount": 3, "valid_days": null, "starts_within_days": null}]',
    'users see what a bundle grants'
);
SELECT is(
    (SELECT wallet.change_product(
        jsonb_populate_record(p, '{"name": "Mixed"}'), row('op', NULL, NULL, NULL)
    )).after ->> 'granted_under_old_terms',
    (SELECT count(*)::text FROM wallet.claims AS c WHERE c.product_id = 'visits' AND c.granted_at IS NOT NULL),
    'the number of sold bundles'
) FROM wallet.products AS p WHERE p.product_id = 'visits';
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
