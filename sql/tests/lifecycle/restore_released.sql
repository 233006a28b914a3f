-- wallet.restore of a subscription that an administrator released: by the owner, by another user, and with events in
-- between (rule 33).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
-- A period of a chain that begins on a day, as in the store's signed transaction.
CREATE FUNCTION pg_temp.period(p_chain text, p_day numeric) RETURNS jsonb LANGUAGE sql AS $$
    SELECT pg_temp.fact(p_chain || p_day, 'plan.enthusiast', pg_temp.days(p_day, p_day + 30)
        || jsonb_build_object('original_transaction_id', p_chain));
$$;
-- A store's report of such a period that names no owner.
CREATE FUNCTION pg_temp.renewal(p_chain text, p_day numeric) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(wallet.apply_statement(jsonb_build_object(
        'owners', '[]'::jsonb, 'fact', pg_temp.period(p_chain, p_day) || '{"source": "notification"}'
    )));
$$;
CREATE FUNCTION pg_temp.restored(p_user text, VARIADIC p_facts jsonb[]) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', r.transaction_id, r.result), ', ' ORDER BY r.transaction_id, r.result)
    FROM wallet.restore(wallet.account_for(p_user), to_jsonb(p_facts), NULL) AS r;
$$;
CREATE FUNCTION pg_temp.release(p_chain text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'UPDATE admin.purchases SET released = TRUE WHERE transaction_id = %L', p_chain || '0'
    ), 'wallet_admin');
$$;
-- The owner and tier of a chain's subscription, and its released periods.
CREATE FUNCTION pg_temp.holder(p_chain text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', (SELECT u.user_id FROM wallet.users AS u WHERE u.account_id = s.account_id),
        (SELECT 'tier ' || t.tier FROM wallet.subscription_states AS t WHERE t.subscription_id = s.subscription_id),
        CASE WHEN s.released_at IS NOT NULL THEN 'released' END,
        (
            SELECT string_agg(c.transaction_id, ' ' ORDER BY c.transaction_id) FROM wallet.claims AS c
            WHERE c.chain_id = p_chain AND c.released_at IS NOT NULL
        )
    )
    FROM wallet.subscriptions AS s WHERE s.original_transaction_id = p_chain;
$$;
SELECT wallet.admit_token('gus', wallet.now(), TRUE);
SELECT wallet.apply_fact(wallet.account_for(u.name), pg_temp.period(u.chain, 0))
FROM (VALUES
    ('ann', 'a'), ('ann', 'b'), ('bob', 'c'), ('cid', 'd'), ('eli', 'e'), ('fay', 'f'), ('gus', 'g')
) AS u (name, chain);

-- The owner, with no event in between
SELECT is(pg_temp.release('a') || ', ' || pg_temp.holder('a'), 'nothing, ann released a0', 'released');
SELECT is(pg_temp.restored('ann', pg_temp.period('a', 0)), 'a0 restored', 'the owner restores it');
SELECT is(pg_temp.holder('a'), 'ann tier 2', 'the owner has the subscription, and no claim stays released');
SELECT pg_temp.sound();

-- The owner, after a renewal
SELECT pg_temp.release('a'), pg_temp.day(30);
SELECT is(pg_temp.renewal('a', 30), 'granted 10 visit', 'a released subscription renews');
SELECT is(pg_temp.holder('a'), 'ann released a0 a30', 'the new period is released, too');
SELECT pg_temp.sound();
SELECT is(
    pg_temp.restored('ann', pg_temp.period('a', 30)), 'a0 restored, a30 restored',
    'the owner proves the newest period alone'
);
SELECT is(pg_temp.holder('a'), 'ann tier 2', 'the owner has the whole subscription again');
SELECT pg_temp.sound();

-- The owner, with a period that was not reported before
SELECT pg_temp.release('b');
SELECT is(
    pg_temp.restored('ann', pg_temp.period('b', 30)), 'b0 restored, b30 restored',
    'the owner submits the renewal first'
);
SELECT is(pg_temp.holder('b'), 'ann tier 2', 'the same');
SELECT pg_temp.sound();

-- Another user, after a renewal
SELECT pg_temp.renewal('c', 30), pg_temp.release('c'), pg_temp.day(60), pg_temp.renewal('c', 60);
SELECT is(
    pg_temp.restored('zoe', pg_temp.period('c', 60), pg_temp.period('c', 30), pg_temp.period('c', 0)),
    'c0 restored, c30 restored, c60 restored', 'the other user''s restore lists each period once'
);
SELECT is(
    pg_temp.holder('c') || ', ' || pg_temp.funds('zoe'), 'zoe tier 2, 0 15 0 0', 'the other user has the subscription'
);
SELECT is(pg_temp.restored('bob', pg_temp.period('c', 60)), 'c60 transaction-already-claimed', 'the former owner not');
SELECT pg_temp.sound();

-- Another user who proves only the renewal
SELECT pg_temp.release('d'), pg_temp.renewal('d', 30), pg_temp.renewal('d', 60);
SELECT is(
    pg_temp.restored('yan', pg_temp.period('d', 60)), 'd0 restored, d30 restored, d60 restored', 'the renewal alone'
);
SELECT is(pg_temp.holder('d'), 'yan tier 2', 'the user who proved the renewal has the subscription');
SELECT pg_temp.sound();

-- A renewal that waits for its product
SELECT pg_temp.release('e'), wallet.apply_fact(NULL, pg_temp.period('e', 60) || '{"store_product_id": "not.yet"}');
SELECT is(pg_temp.holder('e'), 'eli released e0 e60', 'a waiting renewal is released, too');
SELECT is(
    pg_temp.restored('eli', pg_temp.period('e', 60) || '{"store_product_id": "not.yet"}'), 'e0 restored, e60 restored',
    'the waiting renewal is restored with the rest'
);
SELECT pg_temp.sound();

-- A transfer in between
SELECT pg_temp.release('f');
SELECT wallet.apply_transfer(jsonb_build_object(
    'from', '["fay"]'::jsonb, 'to', '["hal"]'::jsonb, 'at', wallet.now()
));
SELECT is(pg_temp.holder('f'), 'hal tier 2 f0', 'a store''s transfer moves the subscription to a living user');
SELECT pg_temp.renewal('f', 60);
SELECT is(
    pg_temp.holder('f') || ', ' || pg_temp.funds('hal'), 'hal tier 2 f0, 0 10 0 0',
    'renewals after the transfer are not released'
);
SELECT is(pg_temp.restored('fay', pg_temp.period('f', 0)), 'f0 restored', 'the former owner restores the old period');
SELECT is(pg_temp.holder('f'), 'hal tier 2', 'the former owner does not get the subscription');
SELECT pg_temp.sound();

-- An unlimited plan, whose periods have no lots
SELECT wallet.apply_fact(wallet.account_for('kai'), pg_temp.period('u', 60) || jsonb_build_object(
    'store_product_id', 'com.hobbyist.bookingapp.subscription.unlimited'
));
SELECT wallet.apply_transfer(jsonb_build_object(
    'from', '["kai"]'::jsonb, 'to', '["lea"]'::jsonb, 'at', wallet.now()
));
SELECT wallet.delete_account('kai');
SELECT is(
    pg_temp.restored('mia', pg_temp.period('u', 60) || jsonb_build_object(
        'store_product_id', 'com.hobbyist.bookingapp.subscription.unlimited'
    )), 'u60 restored', 'another user restores a transferred unlimited period'
);
SELECT matches(pg_temp.holder('u'), '^lea', 'the subscription stays with the user to whom the store transferred it');
SELECT pg_temp.sound();

-- A merge in between
SELECT pg_temp.buy('gus', 'pack', 'starter'), pg_temp.release('g');
SELECT wallet.release_claim(c.claim_id) FROM wallet.claims AS c WHERE c.transaction_id = 'pack';
SELECT wallet.merge_accounts('gus', 'ida');
SELECT is(pg_temp.holder('g'), 'ida released g0', 'a released purchase stays released when its owner is merged');
SELECT pg_temp.sound();
SELECT pg_temp.renewal('g', 60);
SELECT is(pg_temp.holder('g'), 'ida released g0 g60', 'its renewals are released, too');
SELECT is(
    pg_temp.restored('ida', pg_temp.period('g', 60), pg_temp.fact('pack', 'starter')),
    'g0 restored, g60 restored, pack restored', 'the owner restores everything'
);
SELECT is(
    pg_temp.holder('g') || ', ' || pg_temp.funds('ida'), 'ida tier 2, 25 15 0 0', 'the rollover is restored, too'
);
SELECT is_empty('SELECT FROM wallet.lots AS l WHERE l.released_at IS NOT NULL', 'no lot stays released');
SELECT pg_temp.sound();

-- A deletion in between
SELECT pg_temp.release('g'), wallet.delete_account('ida'), pg_temp.day(90), pg_temp.renewal('g', 90);
SELECT is(pg_temp.holder('g'), 'released g0 g60 g90', 'a deleted owner''s subscription is released');
SELECT is(
    pg_temp.restored('jon', pg_temp.period('g', 90)), 'g0 restored, g60 restored, g90 restored',
    'the user who proves the subscription gets it'
);
SELECT is(pg_temp.holder('g'), 'jon tier 2', 'the restored subscription is not released');
SELECT pg_temp.sound();
-- Transfers by the stores meanwhile
CREATE FUNCTION pg_temp.transfer(p_from text, p_to text, p_day numeric) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce(wallet.apply_transfer(jsonb_build_object(
        'from', jsonb_build_array(p_from), 'to', jsonb_build_array(p_to), 'at', pg_temp.noon(p_day)
    )), 'nothing to wait for');
$$;
SELECT pg_temp.buy('hal', 'h0', 'plan.enthusiast', pg_temp.days(90, 120) || '{"original_transaction_id": "h"}');
SELECT pg_temp.day(91), pg_temp.transfer('hal', 'kim', 91);
SELECT is(
    pg_temp.release('h') || ', ' || pg_temp.holder('h'), 'nothing, kim tier 2 h0',
    'a released period of a transferred subscription: the new holder keeps the subscription'
);
SELECT pg_temp.sound();
SELECT pg_temp.day(92), pg_temp.transfer('kim', 'hal', 92);
SELECT is(
    pg_temp.holder('h'), 'hal released h0',
    'transferred back to the owner who released the period, the subscription is released, too'
);
SELECT pg_temp.sound();
SELECT is(
    pg_temp.restored('jon', pg_temp.period('h', 0) || pg_temp.days(90, 120, '{"original_transaction_id": "h"}')),
    'h0 restored', 'another user proves the period'
);
SELECT is(pg_temp.holder('h'), 'jon tier 2', 'that user has the subscription');
SELECT pg_temp.sound();
-- A period that waits for its end while its owner releases it
SELECT wallet.apply_fact(wallet.account_for('lea'), pg_temp.period('w', 0) - 'expires_at');
SELECT is(
    pg_temp.release('w') || ', ' || coalesce(pg_temp.holder('w'), 'none'), 'nothing, none', 'it has no subscription yet'
);
SELECT wallet.apply_statement(jsonb_build_object('owners', '[]'::jsonb, 'fact', pg_temp.period('w', 0)));
SELECT is(pg_temp.holder('w'), 'lea released w0', 'granted, it has a subscription that is released');
SELECT pg_temp.sound();
SELECT pg_temp.restored('mia', pg_temp.period('w', 0));
SELECT is(pg_temp.holder('w'), 'mia tier 2', 'another user proves it');
SELECT pg_temp.sound();
SELECT wallet.apply_fact(wallet.account_for('lea'), pg_temp.period('x', 0) - 'expires_at'), pg_temp.release('x');
SELECT wallet.apply_fact(wallet.account_for('lea'), pg_temp.period('x', 30));
SELECT is(pg_temp.holder('x'), 'lea released x0 x30', 'a later period that is granted first is released, too');
SELECT wallet.apply_fact(wallet.account_for('lea'), pg_temp.period('x', 0));
SELECT is(pg_temp.holder('x'), 'lea released x0 x30', 'and the first one stays released');
SELECT pg_temp.sound();
-- A store has transferred a subscription whose period the buyer released; then both accounts are merged.
CREATE FUNCTION pg_temp.transferred(p_chain text, p_from text, p_to text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.buy(p_from, p_chain || '0', 'plan.enthusiast',
        pg_temp.days(90, 120) || jsonb_build_object('original_transaction_id', p_chain)
    );
    SELECT pg_temp.transfer(p_from, p_to, 92);
    SELECT pg_temp.release(p_chain);
$$;
SELECT wallet.admit_token(u.name, wallet.now(), TRUE) FROM (VALUES ('ned'), ('pam')) AS u (name);
SELECT pg_temp.transferred('y', 'oda', 'ned'), pg_temp.transferred('z', 'pam', 'quin');
SELECT is(
    pg_temp.holder('y') || ', ' || pg_temp.holder('z'), 'ned tier 2 y0, quin tier 2 z0', 'the new holders have them'
);
SELECT wallet.merge_accounts('ned', 'oda'), wallet.merge_accounts('pam', 'quin');
SELECT is(pg_temp.holder('y'), 'oda released y0', 'the holder is merged into the owner who released the period');
SELECT is(pg_temp.holder('z'), 'quin released z0', 'the owner who released the period is merged into the holder');
SELECT pg_temp.sound();
SELECT pg_temp.restored('jon', pg_temp.period('y', 0) || pg_temp.days(90, 120, '{"original_transaction_id": "y"}'));
SELECT is(pg_temp.holder('y'), 'jon tier 2', 'another user proves it');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
