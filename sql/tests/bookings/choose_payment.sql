-- wallet.decide_booking: it pays with an unlimited plan, then visits, then credits, or as requested; never two units
-- (rule 7).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('both', 20, 1), pg_temp.lesson('credits', 20), pg_temp.lesson('visits', NULL, 1);
CREATE FUNCTION pg_temp.pays(p_user text, p_class_id text, p_seats integer DEFAULT 1, p_pay_with text DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.answer(pg_temp.ask('quote', p_user, 'k', p_class_id, p_seats, p_pay_with));
$$;
SELECT pg_temp.gift('ann', 30), pg_temp.gift('ann', 1, 'visit');

SELECT is(pg_temp.pays('ann', 'both'), '200 1 visit', 'visits before credits');
SELECT is(pg_temp.pays('ann', 'both', 1, 'credits'), '200 20 credit', 'a request for credits pays with credits');
SELECT is(pg_temp.pays('ann', 'both', 1, 'visits'), '200 1 visit', 'a request for visits pays with visits');
SELECT is(
    pg_temp.pays('ann', 'both', 2), '402 insufficient-credits', 'one visit and some credits never mix for two seats'
);
SELECT pg_temp.gift('ann', 10);
SELECT is(pg_temp.pays('ann', 'both', 2), '200 40 credit', 'too few visits: credits pay all');
SELECT is(
    pg_temp.pays('ann', 'both', 2, 'visits'), '402 insufficient-credits',
    'a request for visits is not completed with credits'
);
SELECT is(
    (pg_temp.ask('quote', 'ann', 'k', 'both', 2, 'visits')).detail ->> 'unit', 'visit',
    'the refusal reports the missing visits'
);
SELECT is(pg_temp.pays('ann', 'credits', 1, 'visits'), '409 payment-not-accepted', 'a class without a price in visits');
SELECT is(
    pg_temp.pays('ann', 'visits', 1, 'credits'), '409 payment-not-accepted',
    'a class without a price in credits refuses credits'
);
SELECT is(
    pg_temp.pays('ann', 'both', 1, 'unlimited'), '409 payment-not-accepted',
    'a user without an unlimited plan cannot request it'
);
SELECT is(pg_temp.pays('ann', 'both', 1, 'gold'), '409 payment-not-accepted', 'an unknown payment is refused');
SELECT is(pg_temp.pays('ann', 'both', 1, ''), '409 payment-not-accepted', 'an empty payment is refused');
SELECT is(
    pg_temp.pays('ann', 'both', 1, gen_random_uuid()::text), '409 payment-not-accepted',
    'an unknown lot cannot be requested'
);

-- A lot requested by its id
SELECT set_config('t.lot', pg_temp.gift('bob', 25)::text, TRUE), pg_temp.gift('bob', 100);
SELECT is(pg_temp.pays('bob', 'both', 1, current_setting('t.lot')), '200 20 credit', 'the requested lot pays');
SELECT is(
    pg_temp.pays('bob', 'both', 1, upper(current_setting('t.lot'))), '200 20 credit',
    'the lot''s id may be in either case'
);
SELECT is(
    pg_temp.pays('bob', 'both', 2, current_setting('t.lot')), '402 insufficient-credits',
    'a requested lot pays alone or not'
);
SELECT is(
    (pg_temp.ask('quote', 'bob', 'k', 'both', 2, current_setting('t.lot'))).detail ->> 'credits_available', '25',
    'only what the lot holds counts'
);
SELECT is(pg_temp.pays('ann', 'both', 1, current_setting('t.lot')), '409 payment-not-accepted', 'another user''s lot');
SELECT is(
    pg_temp.pays('bob', 'visits', 1, current_setting('t.lot')), '409 payment-not-accepted', 'a lot of another unit'
);
SELECT is(
    pg_temp.pays('bob', 'both', 1, pg_temp.gift('bob', 25, p_environment => 'sandbox')::text),
    '409 payment-not-accepted', 'a lot of the sandbox'
);

-- The lots that pay: no lot pays 0, whether it is not needed or used up by an earlier item
SELECT pg_temp.lesson('dear', 25);
SELECT is(
    (SELECT string_agg(o.lot_amounts::text, ', ' ORDER BY o.item) FROM pg_temp.batch(
        ARRAY[wallet.account_for('bob'), wallet.account_for('bob')], '{production,production}', '{book,quote}',
        ARRAY[pg_temp.id_of('k'), NULL], '{k,NULL}', '{dear,both}', '{1,1}', '{NULL,NULL}', '{NULL,NULL}'
    ) AS o), '{25}, {20}', 'the first lot pays all of the first booking, the second lot all of the second'
);

-- An unlimited plan: one seat only, and only for its environment
SELECT pg_temp.buy('uma', 's', 'plan.unlimited'), pg_temp.gift('uma', 100), pg_temp.gift('uma', 5, 'visit');
SELECT is(pg_temp.pays('uma', 'both'), '200 0', 'unlimited before visits');
SELECT is(pg_temp.pays('uma', 'both', 2), '200 2 visit', 'one seat only: two are paid in visits');
SELECT is(
    pg_temp.pays('uma', 'both', 2, 'unlimited'), '409 payment-not-accepted',
    'an unlimited plan cannot pay for two seats'
);
SELECT is(
    pg_temp.pays('uma', 'both', 1, 'credits'), '200 20 credit',
    'a request for credits pays with credits, despite the plan'
);
SELECT is(
    pg_temp.answer(pg_temp.ask('quote', 'uma', 'k', 'both', 1, NULL, NULL, 'sandbox')), '402 insufficient-credits',
    'a production plan pays for nothing in the sandbox'
);
SELECT * FROM finish();
ROLLBACK;
