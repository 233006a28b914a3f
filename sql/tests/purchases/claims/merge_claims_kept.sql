-- wallet.merge_claims: which claim remains, and that it takes over the commitment, the names of products and the
-- original id of its duplicates. It takes over no original id that another claim has for the same product and second.
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
SELECT wallet.enable_store('play_store', '2020-01-01'), wallet.enable_store('stripe', '2020-01-01');
-- Merges a claim without an original id with one that has it, while a third claim has it, too. Returns the original ids
-- of the three claims.
CREATE FUNCTION pg_temp.original_ids(
    p_store text,
    p_other_store text,
    p_duplicate_part text,
    p_other_part text,
    p_other_environment text DEFAULT 'production',
    p_other_start interval DEFAULT '0',
    p_other_order text DEFAULT 'three'
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_ids text;
BEGIN
    DELETE FROM wallet.claims;
    PERFORM wallet.apply_fact(NULL, pg_temp.fact(NULL, 'starter') || f.more || '{"original_transaction_id": null}')
    FROM (VALUES
        (1, jsonb_build_object('store', p_store, 'order_id', 'one')),
        (2, jsonb_build_object('store', p_store, 'order_id', 'two')),
        (3, jsonb_build_object(
            'store', p_other_store, 'order_id', 'three', 'environment', p_other_environment,
            'purchased_at', wallet.now() - p_other_start
        ))
    ) AS f (n, more);
    UPDATE wallet.claims AS c SET
        original_transaction_id = 'O',
        order_id = CASE c.order_id WHEN 'three' THEN p_other_order ELSE c.order_id END,
        part = CASE c.order_id WHEN 'two' THEN p_duplicate_part ELSE p_other_part END
    WHERE c.order_id IN ('two', 'three');
    PERFORM wallet.merge_claims((
        SELECT array_agg(c.claim_id ORDER BY c.claim_id) FROM wallet.claims AS c WHERE c.order_id IN ('one', 'two')
    ));
    SELECT string_agg(coalesce(c.original_transaction_id, '-'), ' ' ORDER BY c.claim_id) INTO v_ids
    FROM wallet.claims AS c;
    RETURN v_ids;
END;
$$;
SELECT is(pg_temp.original_ids('app_store', 'app_store', 'addon', ''), '- O O', 'the same product in the same second');
SELECT is(pg_temp.original_ids('app_store', 'app_store', '', 'addon'), 'O - O', 'another product of the purchase');
SELECT is(pg_temp.original_ids('app_store', 'stripe', '', ''), 'O - O', 'a purchase in another store');
SELECT is(pg_temp.original_ids('app_store', 'app_store', '', '', 'sandbox'), 'O - O', 'a sandbox purchase');
SELECT is(
    pg_temp.original_ids('app_store', 'app_store', '', '', p_other_start => '30 days'), 'O - O', 'another period'
);
SELECT is(
    pg_temp.original_ids('play_store', 'play_store', '', ''), 'O - O', 'a Google Play period with its own order'
);
SELECT is(
    pg_temp.original_ids('play_store', 'play_store', '', '', p_other_order => NULL), '- O O',
    'a Google Play period without an order'
);

-- A period of a longer commitment: only the second report has the number of the period
SELECT wallet.apply_fact(NULL, pg_temp.fact(NULL, 'plan.explorer', f.more || '{"original_transaction_id": null}'))
FROM (VALUES
    (1, '{"order_id": "p1"}'::jsonb), (2, '{"order_id": "p2", "billing_period": 3, "billing_periods": 12}')
) AS f (n, more);
SELECT wallet.merge_claims(
    (SELECT array_agg(c.claim_id ORDER BY c.claim_id) FROM wallet.claims AS c WHERE c.order_id IN ('p1', 'p2'))
);
SELECT is(
    (SELECT concat_ws(' of ', c.billing_period, c.billing_periods) FROM wallet.claims AS c WHERE c.order_id = 'p1'),
    '3 of 12', 'the remaining claim is the same period of the commitment'
);

-- The names of products: those of both reports, in alphabetical order, and none of another purchase
SELECT wallet.apply_fact(NULL, pg_temp.fact(NULL, 'starter', jsonb_build_object(
    'order_id', o.id, 'original_transaction_id', NULL
))) FROM unnest(ARRAY['n1', 'n2', 'n3']) AS o (id);
UPDATE wallet.claims AS c SET purchase_products = t.products, other_names = t.names FROM (VALUES
    ('n1', '{p4,p2}'::text[], '{m4,m2,m6}'::text[]), ('n2', '{p1,p3,p2}', '{m1,m5,m3,m2}'), ('n3', '{p5}', '{m7}')
) AS t (id, products, names) WHERE c.order_id = t.id;
SELECT wallet.merge_claims(
    (SELECT array_agg(c.claim_id ORDER BY c.claim_id) FROM wallet.claims AS c WHERE c.order_id IN ('n1', 'n2'))
);
SELECT is(
    (SELECT c.purchase_products::text || c.other_names::text FROM wallet.claims AS c WHERE c.order_id = 'n1'),
    '{p1,p2,p3,p4}{m1,m2,m3,m4,m5,m6}', 'the remaining claim has the names of both reports'
);

-- The granted claim remains, otherwise the owned one, also if it is newer
CREATE FUNCTION pg_temp.kept(VARIADIC p_orders text[]) RETURNS text LANGUAGE sql AS $$
    SELECT c.order_id FROM (
        SELECT wallet.merge_claims(array_agg(o.claim_id ORDER BY o.claim_id)) AS claim_id FROM wallet.claims AS o
        WHERE o.order_id = ANY(p_orders)
    ) AS k INNER JOIN wallet.claims AS c ON c.claim_id = k.claim_id;
$$;
SELECT pg_temp.buy(t.who, NULL, t.product, jsonb_build_object('order_id', t.id, 'original_transaction_id', NULL))
FROM (VALUES
    (NULL, 'k1', 'starter'), ('ann', 'k2', 'no.such'), ('ann', 'k3', 'starter'),
    (NULL, 'k4', 'starter'), ('ann', 'k5', 'no.such')
) AS t (who, id, product);
SELECT is(pg_temp.kept('k1', 'k2', 'k3') || ' ' || pg_temp.kept('k4', 'k5'), 'k3 k5', 'the granted one, the owned one');
SELECT * FROM finish();
ROLLBACK;
