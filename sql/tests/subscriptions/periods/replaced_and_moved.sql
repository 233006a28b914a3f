-- Periods replace each other (rule 29) only within one account, also after a merge or a restore has moved one of them.
-- The buyers, and the order of reports and moves, make no difference.
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.period(p_product text, p_id text, p_from numeric, p_to numeric, p_more jsonb DEFAULT '{}')
RETURNS jsonb LANGUAGE sql AS $$
    SELECT pg_temp.fact(p_id, p_product, pg_temp.days(p_from, p_to) || jsonb_build_object(
        'original_transaction_id', regexp_replace(p_id, '[0-9]+$', '')
    ) || p_more);
$$;
CREATE FUNCTION pg_temp.bought(
    p_user text, p_product text, p_id text, p_from numeric, p_to numeric, p_more jsonb DEFAULT '{}'
) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(wallet.apply_fact(
        (SELECT wallet.account_for(p_user) WHERE p_user IS NOT NULL),
        pg_temp.period(p_product, p_id, p_from, p_to, p_more)
    ));
$$;
CREATE FUNCTION pg_temp.ends(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT to_char(wallet.period_end(pg_temp.claim(p_id)), 'MM-DD') || coalesce(' ' || (
        SELECT string_agg('lot ' || to_char(l.expires_at, 'MM-DD'), ' ') FROM wallet.lots AS l
        WHERE l.claim_id = (pg_temp.claim(p_id)).claim_id
    ), '') || coalesce(' subscription ' || (
        SELECT to_char(s.period_end, 'MM-DD') FROM wallet.subscriptions AS s
        WHERE s.current_claim_id = (pg_temp.claim(p_id)).claim_id
    ), '');
$$;
CREATE FUNCTION pg_temp.restored(p_user text, VARIADIC p_facts jsonb[]) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', r.transaction_id, r.result), ', ' ORDER BY r.transaction_id, r.result)
    FROM wallet.restore(wallet.account_for(p_user), to_jsonb(p_facts), NULL) AS r;
$$;
SELECT wallet.admit_token(u.name, wallet.now(), TRUE) FROM (VALUES ('anna'), ('anne'), ('anja'), ('anya')) AS u (name);

-- Merged: the result is the same whichever comes first, the second purchase or the merge
SELECT pg_temp.bought('anna', 'plan.enthusiast', 'a1', 0, 30), pg_temp.bought('ann', 'plan.unlimited', 'b1', 5, 35);
SELECT wallet.merge_accounts('anna', 'ann');
SELECT is(
    pg_temp.ends('a1'), '01-06 lot 01-06 subscription 01-06', 'a merge brings a later period of the group: it replaces'
);
SELECT pg_temp.sound();
SELECT pg_temp.bought('anne', 'plan.enthusiast', 'c1', 0, 30);
SELECT wallet.merge_accounts('anne', 'bob');
SELECT pg_temp.bought('bob', 'plan.unlimited', 'd1', 5, 35);
SELECT is(pg_temp.ends('c1'), '01-06 lot 01-06 subscription 01-06', 'the same, bought after the merge');
SELECT pg_temp.sound();
SELECT pg_temp.day(10);
SELECT pg_temp.bought('anja', 'plan.unlimited', 'e1', 5, 35), pg_temp.bought('eli', 'plan.enthusiast', 'f1', 0, 30);
SELECT is(pg_temp.plan_lots('eli'), '10/10 until 01-31', 'a plan before the merge');
SELECT wallet.merge_accounts('anja', 'eli');
SELECT is(pg_temp.ends('f1'), '01-06 lot 01-06 subscription 01-06', 'the caller''s period ends, too');
SELECT is(pg_temp.plan_lots('eli'), '0/10 until 01-06', 'its amount lapses at once');
SELECT pg_temp.sound();

-- Restored separately: no longer of one account
SELECT pg_temp.bought('cid', 'plan.enthusiast', 'g1', 0, 30), pg_temp.bought('cid', 'plan.explorer', 'h1', 8, 38);
SELECT is(pg_temp.ends('g1'), '01-09 lot 01-09 subscription 01-09', 'replaced');
SELECT wallet.delete_account('cid');
SELECT pg_temp.restored('rob', pg_temp.period('plan.enthusiast', 'g1', 0, 30));
SELECT is(pg_temp.ends('g1'), '01-31 lot 01-31 subscription 01-31', 'restored alone, it runs to its own end');
SELECT is(pg_temp.plan_lots('rob'), '10/10 until 01-31', 'with its amount');
SELECT pg_temp.sound();
SELECT pg_temp.restored('rita', pg_temp.period('plan.explorer', 'h1', 8, 38));
SELECT is(pg_temp.ends('g1'), '01-31 lot 01-31 subscription 01-31', 'another user restores the other one');
SELECT pg_temp.bought('rita', 'plan.unlimited', 'h2', 20, 50);
SELECT is(pg_temp.ends('g1'), '01-31 lot 01-31 subscription 01-31', 'that user''s upgrade has no effect here');
SELECT is(pg_temp.ends('h1'), '01-21 lot 01-21', 'but there');
SELECT pg_temp.sound();

-- Released by an administrator: the owner's period is no longer replaced
SELECT pg_temp.bought('dan', 'plan.enthusiast', 'i1', 0, 30), pg_temp.bought('dan', 'plan.explorer', 'j1', 9, 39);
SELECT is(pg_temp.plan_lots('dan'), '0/10 until 01-10, 4/4 until 02-09', 'one period replaces the other');
SELECT pg_temp.raised('UPDATE admin.purchases SET released = TRUE WHERE transaction_id = ''j1''', 'wallet_admin');
SELECT pg_temp.restored('ruth', pg_temp.period('plan.explorer', 'j1', 9, 39));
SELECT is(pg_temp.ends('i1'), '01-31 lot 01-31 subscription 01-31', 'the purchase of another user replaces nothing');
SELECT is(
    pg_temp.plan_lots('dan') || '; ' || pg_temp.plan_lots('ruth'),
    '10/10 until 01-31, 0/0 until 02-09; 4/4 until 02-09', 'its lapsed amount is there again'
);
SELECT pg_temp.sound();

-- Purchases that replaced each other at the store stay together
SELECT wallet.enable_store('play_store', '2020-01-01');
SELECT pg_temp.bought('fay', 'plan.enthusiast', 'k1', 0, 30, '{"store": "play_store", "purchase_token": "tk"}');
SELECT pg_temp.bought(
    'fay', 'plan.explorer', 'l1', 7, 37,
    '{"store": "play_store", "purchase_token": "tl", "linked_purchase_token": "tk"}'
);
SELECT wallet.delete_account('fay');
SELECT is(pg_temp.restored('rolf', pg_temp.period(
    'plan.enthusiast', 'k1', 0, 30, '{"store": "play_store", "purchase_token": "tk"}'
)), 'k1 restored, l1 restored', 'the replaced purchase moves with the one that replaced it');
SELECT is(pg_temp.ends('k1'), '01-08 lot 01-08 subscription 01-08', 'and stays replaced');
SELECT pg_temp.sound();

-- Rollovers of periods that a merge brings into one account
SELECT pg_temp.bought('anya', 'plan.enthusiast', 'm1', 0, 10);
SELECT wallet.apply_transfer(jsonb_build_object(
    'from', '["anya"]'::jsonb, 'to', '["ken"]'::jsonb, 'at', pg_temp.noon(5), 'environment', 'production'
)) FROM wallet.account_for('ken');
SELECT pg_temp.report(NULL, 'm2', 'plan.enthusiast', pg_temp.days(10, 40, '{"original_transaction_id": "m"}'));
SELECT wallet.merge_accounts('anya', 'ken');
CREATE TEMPORARY TABLE merged AS SELECT pg_temp.plan_lots('ken') AS lots;
SELECT pg_temp.report(NULL, 'm2', 'plan.enthusiast', pg_temp.days(10, 40, '{"original_transaction_id": "m"}'));
SELECT is(
    pg_temp.plan_lots('ken'), (SELECT m.lots FROM merged AS m), 'repeating a fact after the merge changes nothing'
);
SELECT matches((SELECT m.lots FROM merged AS m), 'rolled', 'the merge rolled the unused amount over');
SELECT pg_temp.sound();

-- A purchase time that the store's answer corrects to an earlier one
SELECT pg_temp.bought('gus', 'plan.enthusiast', 'n1', 9, 39, '{"store": "play_store", "purchase_token": "tn"}');
SELECT pg_temp.bought('gus', 'plan.explorer', 'o1', 10, 40, '{"store": "play_store", "purchase_token": "to"}');
SELECT is(pg_temp.ends('n1'), '01-11 lot 01-11 subscription 01-11', 'replaced');
SELECT pg_temp.bought('gus', 'plan.explorer', 'o1', 8, 40, '{"store": "play_store", "purchase_token": "to"}');
SELECT is(
    pg_temp.ends('n1'), '02-09 lot 02-09 subscription 02-09', 'the other period began before it, and replaces nothing'
);
SELECT pg_temp.sound();

-- A period that turns out to be another purchase's duplicate
SELECT pg_temp.bought('ida', 'plan.enthusiast', 'p1', 0, 30);
SELECT pg_temp.bought('gil', 'plan.unlimited', 'q1', 10, 40, '{"original_transaction_id": null}');
SELECT pg_temp.bought('ida', 'plan.unlimited', 'q1', 10, 40,
    '{"transaction_id": null, "original_transaction_id": "qo", "line_item_id": "li"}');
SELECT is(pg_temp.ends('p1'), '01-11 lot 01-11 subscription 01-11', 'replaced');
SELECT pg_temp.bought(NULL, 'plan.unlimited', 'q1', 10, 40, '{"original_transaction_id": "qo", "line_item_id": "li"}');
SELECT is(pg_temp.ends('p1'), '01-31 lot 01-31 subscription 01-31', 'a duplicate replaces nothing');
SELECT pg_temp.sound();
SELECT pg_temp.bought('joe', 'plan.enthusiast', 'r1', 0, 8);
SELECT pg_temp.bought('gil', 'plan.enthusiast', 's1', 8, 38, '{"original_transaction_id": null}');
SELECT pg_temp.bought('joe', 'plan.enthusiast', 's1', 8, 38,
    '{"transaction_id": null, "original_transaction_id": "r", "line_item_id": "lr"}');
SELECT matches(pg_temp.plan_lots('joe'), 'rolled 5/5 until 02-08', 'a period receives a rollover');
SELECT pg_temp.bought(NULL, 'plan.enthusiast', 's1', 8, 38, '{"original_transaction_id": "r", "line_item_id": "lr"}');
SELECT matches(pg_temp.plan_lots('joe'), 'rolled 0/5', 'a duplicate receives none');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
