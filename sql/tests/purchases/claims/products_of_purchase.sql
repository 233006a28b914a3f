-- One purchase of several products: each product is a separate claim if the store's evidence shows it, in any order of
-- the reports (rules 11 to 14).
-- Guarantee: granted-once
BEGIN;
\ir ../../support/books.sql
\ir ../../support/orders.sql
SELECT * FROM no_plan();
SELECT wallet.enable_store('play_store', '2020-01-01'), wallet.enable_store('stripe', '2020-01-01');
INSERT INTO admin.products (
    product_id, kind, name, unit, amount, bonus, price_minor, grace_days, tier, entitlements, period, unlimited,
    trial_amount, rollover_percentage, is_active, app_store_id, play_store_id, revenuecat_id
) VALUES
    ('base', 'plan', 'Base', 'visit', 4, 0, 100, 7, 1, '{}', 'P1M', FALSE, 0, 0, TRUE, 'a.base', 'base', 'rc.base'),
    ('addon', 'plan', 'Add-on', 'visit', 3, 0, 100, 7, 1, '{}', 'P1M', FALSE, 0, 0, TRUE, 'a.addon', 'addon:monthly',
        'rc.addon'),
    ('extra', 'plan', 'Extra', 'visit', 2, 0, 100, 7, 1, '{}', 'P1M', FALSE, 0, 0, TRUE, NULL, 'extra', NULL),
    ('gold', 'plan', 'Gold', 'visit', 20, 0, 100, 7, 1, '{}', 'P1M', FALSE, 0, 0, TRUE, NULL, 'gold', NULL);
INSERT INTO admin.products (
    product_id, kind, name, unit, amount, bonus, price_minor, grace_days, tier, entitlements, unlimited,
    trial_amount, rollover_percentage, is_active, play_store_id
) VALUES
    ('p10', 'pack', 'Ten', 'credit', 10, 0, 100, 7, 0, '{}', FALSE, 0, 0, TRUE, 'p10'),
    ('p50', 'pack', 'Fifty', 'credit', 50, 0, 100, 7, 0, '{}', FALSE, 0, 0, TRUE, 'p50'),
    ('p200', 'pack', 'Two hundred', 'credit', 200, 0, 100, 7, 0, '{}', FALSE, 0, 0, TRUE, 'p200');

-- A source's report of one product; %s in an id is the number of the run, so that each run has separate purchases.
CREATE FUNCTION pg_temp.sub(p_order text, p_product text, p_products text[], p_more jsonb DEFAULT '{}') RETURNS jsonb
LANGUAGE plpgsql AS $$
BEGIN
    RETURN pg_temp.fact(p_order, p_product) || jsonb_build_object(
        'store', 'play_store', 'order_id', p_order, 'original_transaction_id', split_part(p_order, '..', 1),
        'kind', 'subscription', 'period_type', 'normal', 'purchase_products', to_jsonb(p_products),
        'purchased_at', '2030-01-01T00:00Z'::timestamptz, 'expires_at', '2030-01-31T00:00Z'::timestamptz,
        'source', 'server_api'
    ) || p_more;
END;
$$;
CREATE FUNCTION pg_temp.pack(p_order text, p_product text, p_products text[], p_more jsonb DEFAULT '{}') RETURNS jsonb
LANGUAGE plpgsql AS $$
BEGIN
    RETURN pg_temp.fact(p_order, p_product) || jsonb_build_object(
        'store', 'play_store', 'order_id', p_order, 'original_transaction_id', NULL,
        'purchase_token', 'token ' || p_order, 'purchase_products', to_jsonb(p_products), 'source', 'server_api'
    ) || p_more;
END;
$$;

CREATE FUNCTION pg_temp.renewed(p_order text, p_product text) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
    RETURN pg_temp.sub(
        p_order, p_product, '{base,addon:monthly}',
        '{"purchased_at": "2030-01-31T00:00Z", "expires_at": "2030-03-01T00:00Z"}'
    );
END;
$$;

-- A user's funds, and the number of granting purchases.
CREATE FUNCTION pg_temp.ending(p_user text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN (
        SELECT pg_temp.funds(p_user) || ', ' || count(*) FROM wallet.claims AS c
        WHERE c.account_id = wallet.account_for(p_user) AND c.granted_at IS NOT NULL AND c.duplicate_of IS NULL
    );
END;
$$;

-- Subscriptions with add-ons
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.sub('X%s', 'base:p', '{base:p,addon:monthly}'),
        pg_temp.sub('X%s', 'addon:monthly', '{base:p,addon:monthly}')
    ]), '{"0 7 0 0, 2"}', 'each line item of one order grants'
);
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.sub('X%s', 'base:p', '{base:p,addon:monthly,extra}'),
        pg_temp.sub('X%s', 'addon:monthly', '{base:p,addon:monthly,extra}'),
        pg_temp.sub('X%s', 'extra', '{base:p,addon:monthly,extra}'),
        pg_temp.sub('X%s', 'base', NULL, '{"source": "notification"}')
    ]), '{"0 9 0 0, 3"}', 'three products grant, although one source reports a single product without its base plan'
);
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.sub('X%s', 'base', '{base,addon:monthly}'), pg_temp.sub('X%s', 'addon:monthly', '{base,addon:monthly}'),
        pg_temp.sub('X%s', 'base:p', '{base:p,addon:monthly}'), pg_temp.sub('X%s', 'addon', '{base:p,addon}')
    ]), '{"0 7 0 0, 2"}', 'two sources that list them differently list the same'
);
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.sub('X%s', 'base', '{base,addon:monthly}'), pg_temp.sub('X%s', 'addon:monthly', '{base,addon:monthly}'),
        pg_temp.sub('X%s', 'rc.base', '{rc.base,rc.addon}'), pg_temp.sub('X%s', 'rc.addon', '{rc.base,rc.addon}')
    ]), '{"0 7 0 0, 2"}', 'also under the product names of another source'
);
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.sub('X%s', 'base', '{base,addon:monthly}'), pg_temp.sub('X%s', 'addon:monthly', '{base,addon:monthly}'),
        pg_temp.renewed('X%s..0', 'base'), pg_temp.renewed('X%s..0', 'addon:monthly')
    ]), '{"0 14 0 0, 4"}', 'each renewal grants both products'
);

-- Reports of a single claim, in any order
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.sub('X%s', 'base', NULL), pg_temp.sub('X%s', 'base:p', NULL), pg_temp.sub('X%s', 'base:p', '{base:p}'),
        pg_temp.sub('X%s', 'base', '{base,base:p,rc.base}')
    ]), '{"0 4 0 0, 1"}', 'one product under several names grants once, also in a list'
);
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.sub('X%s', 'base', NULL), pg_temp.sub('X%s', 'base', NULL, '{"purchase_products": "base"}'),
        pg_temp.sub('X%s', 'base', '{gold,addon:monthly}')
    ]), '{"0 4 0 0, 1"}', 'a list without the product is no evidence'
);
SELECT is(
    (SELECT array_agg(DISTINCT e.n) FROM (
        SELECT substr(unnest(pg_temp.ends(ARRAY[
            pg_temp.sub('X%s', 'base', NULL), pg_temp.sub('X%s', 'gold', NULL, '{"pending": true}'),
            pg_temp.sub('X%s', 'addon', NULL, '{"pending": true}')
        ])), 1, 100) AS n
    ) AS e), '{"0 4 0 0, 1"}',
    'a deferred replacement and a change of product, each under the order of the old one, open none'
);
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.sub('X%s', 'base', '{base,addon:monthly}'), pg_temp.sub('X%s', 'addon:monthly', '{base,addon:monthly}'),
        pg_temp.sub('X%s', 'gold', NULL, '{"pending": true}')
    ]), '{"0 7 0 0, 2"}', 'an unlisted product next to an add-on grants nothing'
);
SELECT wallet.apply_fact(wallet.account_for('ned'), pg_temp.sub('N', 'unheard.of', NULL));
SELECT wallet.apply_fact(wallet.account_for('ned'), pg_temp.sub('N', 'base', '{base,addon:monthly}'));
SELECT wallet.apply_fact(wallet.account_for('ned'), pg_temp.sub('N', 'addon:monthly', '{base,addon:monthly}'));
SELECT is(pg_temp.funds('ned'), '0 7 0 0', 'a claim under a name that no list has is one of those that it has');
SELECT wallet.apply_fact(wallet.account_for('ned'), pg_temp.sub('N', 'unheard.of', NULL));
SELECT is(pg_temp.funds('ned'), '0 7 0 0', 'the result stays');

-- Packs under one purchase token
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.pack('P%s', 'p10', '{p10,p50}'), pg_temp.pack('P%s', 'p50', '{p10,p50}'),
        pg_temp.pack('P%s', 'p10', NULL, '{"purchase_token": null}'),
        pg_temp.pack('P%s', 'p50', NULL, '{"purchase_token": null}')
    ]), '{"60 0 0 0, 2"}', 'each product of one token grants, even if a source reports only the order'
);
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.pack('P%s', 'p10', '{p10,p50,p200}'), pg_temp.pack('P%s', 'p50', '{p10,p50,p200}', '{"quantity": 3}'),
        pg_temp.pack('P%s', 'p200', '{p10,p50,p200}'), pg_temp.pack('P%s', 'p50', NULL)
    ]), '{"360 0 0 0, 3"}', 'three products, one of them three times'
);
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.pack('P%s', 'p10', '{p10,p50}', '{"order_id": null, "transaction_id": "token P%s", "pending": true}'),
        pg_temp.pack('P%s', 'p50', '{p10,p50}', '{"order_id": null, "transaction_id": "token P%s", "pending": true}'),
        pg_temp.pack('P%s', 'p10', '{p10,p50}'), pg_temp.pack('P%s', 'p50', '{p10,p50}')
    ]), '{"60 0 0 0, 2"}', 'pending first, under the token alone'
);
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.pack('P%s', 'p10', NULL), pg_temp.pack('P%s', 'p50', NULL, '{"pending": true}')
    ]), '{"10 0 0 0, 1"}', 'without evidence the second name belongs to the first purchase'
);

-- Refunds of one product
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.pack('P%s', 'p10', '{p10,p50}'), pg_temp.pack('P%s', 'p50', '{p10,p50}'),
        pg_temp.pack('P%s', 'p50', '{p10,p50}', '{"refunded_millionths": 1000000, "source_at": "2030-01-02T00:00Z"}')
    ]), '{"10 0 0 0, 2"}', 'a refund of one product leaves the other'
);
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.pack('P%s', 'p10', '{p10,p50}', '{"quantity": 4}'), pg_temp.pack('P%s', 'p50', '{p10,p50}'),
        pg_temp.pack(
            'P%s', 'p10', NULL, '{"quantity": 4, "refunded_millionths": 250000, "source_at": "2030-01-02T00:00Z"}'
        )
    ]), '{"80 0 0 0, 2"}', 'a partial one takes its share of that product alone'
);

-- A list as in Stripe's products, without an original id
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.sub('S%s', 'rc.base', '{rc.base,rc.addon}', '{"original_transaction_id": null}'
            || '{"store": "stripe", "order_id": null}'::jsonb),
        pg_temp.sub('S%s', 'rc.addon', '{rc.base,rc.addon}', '{"original_transaction_id": null}'
            || '{"store": "stripe", "order_id": null}'::jsonb),
        pg_temp.sub('S%s', 'rc.base', NULL, '{"store": "stripe", "order_id": null, "original_transaction_id": "S0%s"}')
    ]), '{"0 7 0 0, 2"}', 'also at a store without chains, next to a source with chains'
);

-- Two products that shared no identifier at first, then one from the other's first claim
SELECT is(
    pg_temp.ends(ARRAY[
        pg_temp.pack('P%s', 'p10', '{p10,p50}', '{"transaction_id": "1%s", "purchase_token": null}'),
        pg_temp.pack(NULL, 'p50', '{p10,p50}', '{"transaction_id": "2%s"}') - '{purchase_token}'::text[],
        pg_temp.pack('P%s', 'p10', '{p10,p50}', '{"transaction_id": "2%s", "purchase_token": null}'),
        pg_temp.pack(NULL, 'p50', '{p10,p50}', '{"transaction_id": "1%s"}')
    ]), '{"60 0 0 0, 2"}', 'ids that sources know one by one'
);

-- Each product is a separate subscription
SELECT is(
    (SELECT string_agg(s.product_id || ' ' || s.status, ', ' ORDER BY s.product_id) FROM wallet.subscription_states AS s
     WHERE s.account_id = wallet.account_for('ned')), 'addon active, base active', 'each product has a separate state'
);
SELECT wallet.apply_fact(wallet.account_for('ned'), pg_temp.sub(
    'N', 'addon:monthly', '{base,addon:monthly}', '{"will_renew": false, "occasion": "cancellation"}'
));
SELECT is(
    (SELECT string_agg(s.product_id || ' ' || s.will_renew, ', ' ORDER BY s.product_id)
     FROM wallet.subscription_states AS s WHERE s.account_id = wallet.account_for('ned')), 'addon false, base true',
    'each product has separate flags'
);

-- Owners: another user, a merge, a deletion, a restore
SELECT is(
    pg_temp.says(wallet.apply_fact(wallet.account_for('bea'), pg_temp.sub('N', 'addon', NULL))),
    'skipped transaction-already-claimed duplicate', 'another user cannot claim an add-on'
);
SELECT is(
    pg_temp.says(wallet.apply_fact(NULL, pg_temp.renewed('N..0', 'addon:monthly'))), 'granted 3 visit',
    'the renewal of the add-on finds the owner'
);
SELECT is(
    pg_temp.says(wallet.apply_fact(NULL, pg_temp.renewed('N..0', 'base'))), 'granted 4 visit',
    'the order of the renewals does not matter'
);
SELECT is(pg_temp.funds('ned'), '0 14 0 0', 'both renewals are granted');
SELECT wallet.delete_account('ned');
SELECT is(
    (SELECT string_agg(r.result || ' ' || r.remaining, ', ' ORDER BY r.transaction_id, r.remaining)
     FROM wallet.restore(wallet.account_for('nia'), jsonb_build_array(
        pg_temp.sub('N', 'base', '{base,addon:monthly}'), pg_temp.sub('N', 'addon:monthly', '{base,addon:monthly}')
     ), NULL) AS r), 'restored 3, restored 4, restored 3, restored 4', 'a proof restores each product that it names'
);
SELECT is(pg_temp.funds('nia'), '0 14 0 0', 'once');
SELECT is(
    (SELECT count(*)::integer FROM wallet.subscription_states AS s WHERE s.account_id = wallet.account_for('nia')), 2,
    'both subscriptions move'
);
SELECT wallet.account_for('anon', TRUE);
SELECT wallet.apply_fact(wallet.account_for('anon'), pg_temp.pack('M', 'p10', '{p10,p50}'));
SELECT wallet.apply_fact(wallet.account_for('anon'), pg_temp.pack('M', 'p50', '{p10,p50}'));
SELECT wallet.merge_accounts('anon', 'mia');
SELECT is(
    pg_temp.says(wallet.apply_fact(wallet.account_for('mia'), pg_temp.pack('M', 'p50', '{p10,p50}'))),
    'granted 50 credit duplicate', 'a merged account''s products answer under the other'
);
SELECT is(pg_temp.funds('mia'), '60 0 0 0', 'both products are there once');

-- A listed plan that is reported for the first time when it renews alone does not continue the add-on's subscription
SELECT wallet.apply_fact(wallet.account_for('ora'), pg_temp.sub('GPA.O', 'addon:monthly', '{base,addon:monthly}'));
SELECT wallet.apply_fact(wallet.account_for('ora'), pg_temp.sub(
    'GPA.O..0', 'base', NULL, '{"purchased_at": "2030-01-31T00:00Z", "expires_at": "2030-02-28T00:00Z"}'
));
SELECT is(
    (SELECT string_agg(s.product_id, ', ' ORDER BY s.product_id) FROM wallet.subscription_states AS s
     WHERE s.account_id = wallet.account_for('ora')), 'addon, base', 'the plan and the add-on are two subscriptions'
);
SELECT wallet.apply_fact(wallet.account_for('ora'), pg_temp.sub('GPA.O', 'base', '{base,addon:monthly}'));
SELECT is(
    (SELECT string_agg(s.product_id, ', ' ORDER BY s.product_id) FROM wallet.subscription_states AS s
     WHERE s.account_id = wallet.account_for('ora')), 'addon, base', 'also after the plan''s first period is reported'
);

-- The add-on is pending and has no owner, so the subscription of the listed plan decides, which renews without a token
SELECT wallet.apply_fact(
    wallet.account_for('uma'), pg_temp.sub('GPA.U', 'addon:monthly', '{base,addon:monthly}', '{"pending": true}')
);
SELECT wallet.apply_fact(wallet.account_for('uma'), pg_temp.sub(
    'GPA.U..0', 'base', '{base,addon:monthly}',
    '{"purchased_at": "2030-01-31T00:00Z", "expires_at": "2030-02-28T00:00Z"}'
));
SELECT is(
    pg_temp.says(wallet.apply_fact(
        wallet.account_for('val'), pg_temp.sub('GPA.U', 'addon:monthly', '{base,addon:monthly}')
    )), 'skipped transaction-already-claimed', 'another user cannot claim the add-on'
);
SELECT is(
    pg_temp.says(wallet.apply_fact(
        wallet.account_for('uma'), pg_temp.sub('GPA.U', 'addon:monthly', '{base,addon:monthly}')
    )), 'granted 3 visit', 'the subscriber gets it'
);

-- Visits of a purchase with credits and two passes: one product after the other, and a reference once
INSERT INTO admin.products (
    product_id, kind, name, unit, amount, bonus, price_minor, grace_days, tier, entitlements, unlimited,
    trial_amount, rollover_percentage, is_active, play_store_id
) VALUES
    ('v1', 'pass', 'One visit', 'visit', 1, 0, 100, 7, 0, '{}', FALSE, 0, 0, TRUE, 'v1'),
    ('v2', 'pass', 'Two visits', 'visit', 2, 0, 100, 7, 0, '{}', FALSE, 0, 0, TRUE, 'v2');
CREATE FUNCTION pg_temp.door(p_reference text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN wallet.consume_pass(wallet.account_for('wim'), 'production', 'W', p_reference);
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END;
$$;
SELECT wallet.apply_fact(wallet.account_for('wim'), pg_temp.pack('W', p.name, '{p10,v1,v2}'))
FROM unnest('{p10,v1,v2}'::text[]) AS p (name);
SELECT is(pg_temp.door(t.reference), t.answer, t.what) FROM (VALUES
    ('a', '(f,t,0)', 'the first pass'), ('b', '(f,f,1)', 'then the second'), ('a', '(t,t,0)', 'repeated at the first'),
    ('b', '(t,f,1)', 'and at the second'), ('c', '(f,t,0)', 'its last visit'), ('c', '(t,t,0)', 'repeated'),
    ('d', 'already-consumed', 'no visit is left'), ('a', '(t,t,0)', 'the first reference still answers')
) AS t (reference, answer, what);

-- The purchase is acknowledged after all its products are granted
SELECT wallet.apply_fact(
    wallet.account_for('ada'), pg_temp.pack('A', 'p10', '{p10,later}', '{"needs_acknowledgement": true}')
);
CREATE FUNCTION pg_temp.waiting() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN (
        SELECT coalesce(string_agg(u.store_product_id, ' ' ORDER BY u.store_product_id), 'none')
        FROM wallet.unacknowledged AS u WHERE u.purchase_token = 'token A'
    );
END;
$$;
SELECT is(pg_temp.waiting(), 'none', 'a purchase of which one product is not yet recorded is not acknowledged');
SELECT wallet.apply_fact(
    wallet.account_for('ada'), pg_temp.pack('A', 'later', '{p10,later}', '{"needs_acknowledgement": true}')
);
SELECT is(pg_temp.waiting(), 'none', 'no acknowledgement while a product is not granted');
INSERT INTO admin.products (
    product_id, kind, name, unit, amount, bonus, price_minor, grace_days, tier, entitlements, unlimited,
    trial_amount, rollover_percentage, is_active, play_store_id
) VALUES ('later', 'pack', 'Later', 'credit', 7, 0, 100, 7, 0, '{}', FALSE, 0, 0, TRUE, 'later');
SELECT is(pg_temp.waiting(), 'later p10', 'the acknowledgement is due after the last grant');
SELECT is(pg_temp.funds('ada'), '17 0 0 0', 'all products are granted');

-- The app reports a pending purchase by its token, RevenueCat its payment, and then the store both
SELECT wallet.apply_fact(
    wallet.account_for('ida'), pg_temp.pack('I', 'p10', NULL, '{"transaction_id": "token I", "pending": true}')
);
SELECT wallet.apply_fact(wallet.account_for('ida'), pg_temp.pack('I', 'p10', NULL, '{"purchase_token": null}'));
SELECT wallet.apply_fact(
    wallet.account_for('ida'),
    pg_temp.pack('I', 'p10', NULL, '{"order_id": "I", "needs_acknowledgement": true}')
);
SELECT results_eq(
    $$ SELECT u.store_product_id, u.purchase_token FROM wallet.unacknowledged AS u
       WHERE u.claim_id IN (SELECT c.claim_id FROM wallet.claims AS c WHERE c.account_id = wallet.account_for('ida')) $$,
    $$ VALUES ('p10', 'token I') $$, 'the purchase is acknowledged by the token of its first report'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
