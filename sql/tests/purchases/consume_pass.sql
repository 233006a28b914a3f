-- wallet.consume_pass: consumes one visit of one purchase, once per reference (contract: POST /purchases/{id}/consume);
-- the views of passes and purchases show it.
BEGIN;
\ir ../support/books.sql
\ir ../support/events.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.uses(
    p_user text, p_id text, p_reference text, p_environment wallet.environment DEFAULT 'production'
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_use wallet.pass_use;
    v_state text;
    v_message text;
    v_detail text;
BEGIN
    v_use := wallet.consume_pass(wallet.account_for(p_user), p_environment, p_id, p_reference);
    RETURN concat_ws(
        ' ', v_use.remaining, CASE WHEN v_use.is_consumed THEN 'consumed' END,
        CASE WHEN v_use.replayed THEN 'replayed' END
    );
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS
        v_state = RETURNED_SQLSTATE, v_message = MESSAGE_TEXT, v_detail = PG_EXCEPTION_DETAIL;
    RETURN CASE WHEN v_state LIKE 'WL%' THEN concat_ws(' ', v_state, v_message, nullif(v_detail, '')) ELSE v_state END;
END;
$$;
CREATE FUNCTION pg_temp.pass(p_user text, p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', p.product_id, p.remaining || '/' || p.granted, CASE WHEN p.is_active THEN 'active' END,
        (SELECT string_agg(concat_ws(' ', coalesce(h.value ->> 'reference', h.value ->> 'class_title', 'somebody'),
            h.value ->> 'amount'), ', ' ORDER BY h.ordinality)
        FROM jsonb_array_elements(p.history) WITH ORDINALITY AS h)
    ) FROM wallet.passes AS p WHERE p.account_id = wallet.account_for(p_user) AND p.transaction_id = p_id;
$$;
SELECT pg_temp.buy('ann', 't3', 'threeVisit'), pg_temp.buy('ann', 'c', 'starter');
SELECT is(pg_temp.pass('ann', 't3'), 'threeVisit 3/3 active', 'a pass');
SELECT is(pg_temp.uses('ann', 't3', 'door-1'), '2', 'a visit is burned');
SELECT pg_temp.committed();
SELECT is(
    pg_temp.newest() #- '{data,user_id}' #- '{data,lot_id}' #- '{timestamp}',
    '{"type": "credits.debited", "data": {"environment": "production", "version": 3, "unit": "visit", "amount": -1,
      "balance_after": 2, "store": "app_store", "transaction_id": "t3", "product_id": "threeVisit"}}',
    'the consumption is sent as an event'
);
SELECT is(pg_temp.uses('ann', 't3', 'door-1'), '2 replayed', 'a repeated reference replays');
SELECT pg_temp.wait('1 hour');
SELECT is(pg_temp.uses('ann', 't3', 'door-2'), '1', 'another reference consumes another visit');
SELECT is(pg_temp.uses('ann', 't3', 'door-1'), '1 replayed', 'a replay returns the current remainder');
SELECT is(pg_temp.story('ann', 2), 'spend -1, spend -1', 'two visits, two entries');
SELECT is(pg_temp.pass('ann', 't3'), 'threeVisit 1/3 active door-2 1, door-1 1', 'the history, newest first');
SELECT is(
    (SELECT p.used_by -> 0 FROM wallet.purchases AS p WHERE p.transaction_id = 't3'),
    jsonb_build_object('booking_id', NULL, 'class_id', NULL, 'amount', 1, 'reference', 'door-1', 'used_at',
        extract(EPOCH FROM wallet.now() - interval '1 hour')), 'the purchase lists the consumption'
);
SELECT pg_temp.lesson('yoga', NULL, 1), pg_temp.wait('1 hour'), pg_temp.book('ann', 'k', 'yoga');
SELECT is(
    pg_temp.pass('ann', 't3'), 'threeVisit 0/3 Class yoga 1, door-2 1, door-1 1',
    'bookings and consumptions are listed together'
);
SELECT is(
    pg_temp.uses('ann', 't3', 'door-3'), 'WL409 already-consumed {"remaining": 0}',
    'a pass without remaining visits is refused'
);
SELECT is(pg_temp.uses('ann', 't3', 'door-1'), '0 consumed replayed', 'a replay is still one');
SELECT pg_temp.cancel('ann', 'k');
SELECT is(
    pg_temp.pass('ann', 't3'), 'threeVisit 1/3 active door-2 1, door-1 1', 'a returned visit does not count as used'
);
SELECT is(pg_temp.uses('ann', 't3', 'door-3'), '0 consumed', 'a returned visit can be consumed again');

-- Other users' purchases, and other products
SELECT is(pg_temp.uses('bob', 't3', 'x'), 'WL404 purchase-not-found', 'another user''s purchase is not found');
SELECT is_empty(
    $$ SELECT FROM wallet.wallets AS w WHERE w.account_id = wallet.account_for('bob') $$, 'a stranger gets no wallet'
);
SELECT is(pg_temp.uses('ann', 'no', 'x'), 'WL404 purchase-not-found', 'an unknown purchase');
SELECT is(pg_temp.uses('ann', NULL, 'x'), 'WL404 purchase-not-found', 'a missing id');
SELECT is(
    pg_temp.uses('ann', 't3', 'x', 'sandbox'), 'WL404 purchase-not-found',
    'another environment''s purchase is not found'
);
SELECT is(pg_temp.uses('ann', 'c', 'x'), 'WL409 purchase-without-visits', 'credits are no visits');
SELECT pg_temp.buy('ann', 'u', 'no.such');
SELECT is(pg_temp.uses('ann', 'u', 'x'), 'WL409 purchase-without-visits', 'a purchase without a grant is not a pass');
SELECT pg_temp.buy('ann', 'p', 'plan.explorer');
SELECT is(pg_temp.uses('ann', 'p', 'x'), '3', 'a plan''s visits are visits');
SELECT is(pg_temp.uses('ann', 'p', ''), '23514', 'an empty reference is refused');
SELECT is(pg_temp.uses('ann', 'p', repeat('x', 201)), '23514', 'a reference that is too long is refused');
SELECT is(pg_temp.uses('ann', 'p', NULL), '23502', 'a null reference is refused');
SELECT is(pg_temp.uses('ann', 'p', 't3'), '2', 'references are a purchase''s own');
SELECT wallet.enable_store('play_store', '2020-01-01');
SELECT pg_temp.buy('ann', 'o', 'singleVisit', '{"store": "play_store", "transaction_id": null, "order_id": "GPA.1",
    "original_transaction_id": null, "purchase_token": "tok"}');
SELECT is(pg_temp.uses('ann', 'GPA.1', 'x'), '0 consumed', 'a purchase without a transaction id goes by its order');

-- Refunded and lapsed
SELECT pg_temp.buy('rob', 'r', 'threeVisit'), pg_temp.uses('rob', 'r', 'one'), pg_temp.wait('1 second');
SELECT pg_temp.buy('rob', 'r', 'threeVisit', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.funds('rob'), '0 0 0 1', 'consumed visits of a refunded pass are owed (rule 24)');
SELECT is(
    pg_temp.uses('rob', 'r', 'two'), 'WL409 already-consumed {"remaining": 0}', 'no visit is left of the refunded pass'
);
SELECT is(pg_temp.uses('rob', 'r', 'one'), '0 consumed replayed', 'the use stays used');
SELECT is(pg_temp.pass('rob', 'r'), 'threeVisit 0/3 one 1', 'the pass lists the use');
SELECT pg_temp.buy('eve', 'e', 'singleVisit'), pg_temp.wait('30 days');
SELECT is(pg_temp.pass('eve', 'e'), 'singleVisit 0/1', 'an expired pass before its expiry is posted');
SELECT is(
    (SELECT concat_ws(' ', p.status, p.remaining) FROM wallet.purchases AS p WHERE p.transaction_id = 'e'),
    'consumed 0', 'the purchase shows the same state'
);
SELECT is(pg_temp.uses('eve', 'e', 'x'), 'WL409 already-consumed {"remaining": 0}', 'an expired pass consumes nothing');

-- Blocked, merged, deleted
SELECT pg_temp.buy('bad', 'b', 'threeVisit'), pg_temp.uses('bad', 'b', 'before');
UPDATE wallet.accounts SET blocked_at = wallet.now() WHERE account_id = wallet.account_for('bad');
SELECT is(pg_temp.uses('bad', 'b', 'x'), 'WL403 account-blocked', 'a blocked account uses nothing');
SELECT is(pg_temp.uses('bad', 'b', 'before'), '2 replayed', 'a blocked user still gets replays');
SELECT wallet.account_for('anon', TRUE), pg_temp.buy('anon', 'm', 'threeVisit'), pg_temp.uses('anon', 'm', 'mine');
SELECT set_config('t.anon', wallet.account_for('anon')::text, TRUE), wallet.merge_accounts('anon', 'mia'),
    pg_temp.wait('1 second');
SELECT is(pg_temp.uses('mia', 'm', 'mine'), '2 replayed', 'a merged account''s reference is known to the other');
SELECT is(pg_temp.uses('mia', 'm', 'second'), '1', 'the remaining account consumes the moved pass');
SELECT is(pg_temp.pass('mia', 'm'), 'threeVisit 1/3 active second 1, mine 1', 'the remaining account sees all uses');
SELECT is(
    pg_temp.raised(format(
        'SELECT wallet.consume_pass(%s, ''production'', ''m'', ''x'')', current_setting('t.anon')
    )), 'WL401 unauthenticated', 'the merged account is refused'
);
SELECT set_config('t.mia', wallet.account_for('mia')::text, TRUE), wallet.delete_account('mia');
SELECT is_empty(
    $$ SELECT FROM wallet.pass_uses AS u WHERE u.reference IN ('mine', 'second') $$, 'references are erased'
);
SELECT is(
    pg_temp.raised(format(
        'SELECT wallet.consume_pass(%s, ''production'', ''m'', ''x'')', current_setting('t.mia')
    )), 'WL401 unauthenticated', 'a deleted account is refused'
);
SELECT wallet.restore(wallet.account_for('new'), jsonb_build_array(pg_temp.fact('m', 'threeVisit')), NULL);
SELECT is(pg_temp.pass('new', 'm'), 'threeVisit 1/3 active somebody 1, somebody 1', 'restored, it keeps its uses');
SELECT is(pg_temp.uses('new', 'm', 'mine'), '1 replayed', 'an erased reference is still recognized');
SELECT is(pg_temp.uses('new', 'm', 'third'), '0 consumed', 'the new owner has the remaining visit');

-- Two claims that turn out to be one purchase
SELECT pg_temp.buy('two', 'x1', 'threeVisit', '{"order_id": null}'), pg_temp.wait('1 day');
SELECT pg_temp.buy('two', 'x2', 'threeVisit', '{"original_transaction_id": "x2"}'), pg_temp.uses('two', 'x2', 'r');
SELECT wallet.merge_claims(x.ids), wallet.revoke_duplicates(x.ids) FROM (
    SELECT array_agg(c.claim_id) AS ids FROM wallet.claims AS c WHERE c.transaction_id IN ('x1', 'x2')
) AS x;
SELECT is(pg_temp.uses('two', 'x1', 'r'), '3 replayed', 'a reference used by one of the claims stays used');
SELECT is(
    pg_temp.uses('two', 'x2', 'other'), 'WL404 purchase-not-found', 'the purchase is identified by its public id'
);

-- Two purchases with the same id, from two stores, in either order
SELECT pg_temp.buy('ida', 's1', 'threeVisit');
SELECT pg_temp.buy('ida', NULL, 'singleVisit', '{"store": "play_store", "order_id": "s1",
    "original_transaction_id": null, "purchase_token": "s1"}');
UPDATE wallet.claims AS c SET needs_acknowledgement = c.needs_acknowledgement
WHERE c.transaction_id = 's1';
SELECT pg_temp.by_index(FALSE);
SELECT is(pg_temp.uses('ida', 's1', 'a') || ', ' || pg_temp.uses('ida', 's1', 'b'), '2, 1', 'the older one is used');
SELECT pg_temp.by_index(TRUE);

-- A purchase with three products: credits, credits with one visit, and a pass with two lots of visits
INSERT INTO wallet.products (
    product_id, kind, name, unit, amount, price_minor, app_store_id, play_store_id, valid_days, bundle_items
) VALUES
    ('cash', 'pack', 'Cash', 'credit', 10, 100, NULL, 'cash', NULL, '{}'),
    ('duo', 'pack', 'Duo', 'credit', 5, 100, NULL, 'duo', NULL, ARRAY[row('visit', 1, 30, NULL)::wallet.bundle_item]),
    ('trio', 'pass', 'Trio', 'visit', 3, 100, 'trio', 'trio', 30, ARRAY[row('visit', 1, 10, NULL)::wallet.bundle_item]);
-- The visits spent of the lots of each product with visits, by item.
CREATE FUNCTION pg_temp.spent(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', l.product_id, l.bundle_item, l.spent), ', ' ORDER BY l.product_id, l.bundle_item)
    FROM wallet.lots AS l WHERE l.account_id = wallet.account_for(p_user) AND l.unit = 'visit';
$$;
SELECT pg_temp.buy('lou', NULL, p.id, jsonb_build_object('store', 'play_store', 'order_id', 'GPA.9',
    'original_transaction_id', NULL, 'purchase_token', 'tok9', 'purchase_products', '{cash,duo,trio}'::text[]))
FROM unnest(ARRAY['cash', 'duo', 'trio']) AS p (id);
SELECT is(pg_temp.uses('lou', 'GPA.9', t.reference), t.answer, t.what) FROM (VALUES
    ('a', '0 consumed', 'the first product with visits pays'),
    ('b', '3', 'the next product with visits pays'),
    ('a', '0 consumed replayed', 'the first reference stays with its product'),
    ('b', '3 replayed', 'the second reference stays with its product')
) AS t (reference, answer, what);
SELECT is(pg_temp.spent('lou'), 'duo 1 1, trio 0 0, trio 1 1', 'the lot that expires first pays');
SELECT is(pg_temp.uses('lou', 'GPA.9', 'c'), '2', 'the next lot pays');
SELECT pg_temp.uses('lou', 'GPA.9', 'd'), pg_temp.uses('lou', 'GPA.9', 'e');
SELECT is(
    pg_temp.uses('lou', 'GPA.9', 'f'), 'WL409 already-consumed {"remaining": 0}', 'no product has visits left'
);
SELECT pg_temp.sound();

-- A frozen lot comes last, from the first instant of the freeze until its end
CREATE FUNCTION pg_temp.freeze(p_item integer, p_from interval, p_until interval) RETURNS void LANGUAGE sql AS $$
    UPDATE wallet.lots AS l SET frozen_from = wallet.now() + p_from, frozen_until = wallet.now() + p_until
    WHERE l.account_id = wallet.account_for('fia') AND l.bundle_item = p_item;
$$;
SELECT pg_temp.buy('fia', 'f', 'trio'), pg_temp.freeze(1, '0', '1 day');
SELECT is(
    pg_temp.uses('fia', 'f', 'a') || ': ' || pg_temp.spent('fia'), '3: trio 0 1, trio 1 0', 'a freeze begins now'
);
SELECT pg_temp.freeze(1, '-1 day', '0');
SELECT is(
    pg_temp.uses('fia', 'f', 'b') || ': ' || pg_temp.spent('fia'), '2: trio 0 1, trio 1 1', 'a freeze ends now'
);
SELECT pg_temp.freeze(0, '0', '1 day');
SELECT is(
    pg_temp.uses('fia', 'f', 'c'),
    format('WL409 lot-frozen {"lot_id": "%s", "frozen_until": "2030-02-02T14:00:02Z"}', l.lot_id),
    'the only lot with visits is frozen'
) FROM wallet.lots AS l WHERE l.account_id = wallet.account_for('fia') AND l.bundle_item = 0;
SELECT pg_temp.freeze(0, '1 hour', '1 day');
SELECT is(pg_temp.uses('fia', 'f', 'c'), '1', 'its freeze has not begun');
SELECT pg_temp.freeze(0, '-1 day', '0');
SELECT is(pg_temp.uses('fia', 'f', 'd'), '0 consumed', 'its freeze has ended');
SELECT pg_temp.freeze(l.item, NULL, NULL) FROM generate_series(0, 1) AS l (item);

-- A pass that moved twice
SELECT wallet.account_for('zoe'), wallet.account_for('yan', TRUE), wallet.account_for('xen', TRUE);
SELECT pg_temp.buy('xen', 'h', 'threeVisit'), pg_temp.uses('xen', 'h', '1'), wallet.merge_accounts('xen', 'yan');
SELECT wallet.merge_accounts('yan', 'zoe'), pg_temp.wait('1 second');
SELECT is(
    pg_temp.uses('zoe', 'h', '2') || ', ' || pg_temp.uses('zoe', 'h', '3'), '1, 0 consumed',
    'the pass is consumed in its current wallet'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
