-- wallet.keep_released, called by wallet.apply_fact: later grants of a deleted account's purchases, or of a released
-- subscription, wait to be restored (rule 33).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.released() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ',
        (SELECT count(*) FROM wallet.claims AS c WHERE c.released_at IS NOT NULL),
        (SELECT count(*) FROM wallet.lots AS l WHERE l.released_at IS NOT NULL),
        (SELECT count(*) FROM wallet.subscriptions AS s WHERE s.released_at IS NOT NULL));
$$;
SELECT pg_temp.buy('ann', 'p1', 'plan.enthusiast', pg_temp.days(0, 30)), pg_temp.buy('ann', 'k', 'starter');
SELECT pg_temp.gift('ann', 5), pg_temp.buy('ann', 'n', 'not.yet');
SELECT is(pg_temp.released(), '0 0 0', 'a living account''s are not released');
UPDATE wallet.accounts SET deleted_at = wallet.now();
SELECT pg_temp.day(30), pg_temp.new_events();
SELECT is(
    pg_temp.report(NULL, 'p2', 'plan.enthusiast', pg_temp.days(30, 60)), 'granted 10 visit',
    'a renewal of a deleted account''s subscription is in the books'
);
SELECT is(pg_temp.released(), '1 2 1', 'the rollover and the subscription are released');
SELECT pg_temp.report(NULL, 'p3', 'plan.enthusiast', pg_temp.days(60, 90));
SELECT is(pg_temp.released(), '2 3 1', 'the next renewal is released, too');
SELECT pg_temp.report(NULL, 'k', 'starter', '{"quantity": 2}');
SELECT is(pg_temp.released(), '3 4 1', 'an additional piece of a pack is released, too');
SELECT is(
    (SELECT count(*)::integer FROM wallet.lots AS l WHERE l.source = 'adjustment' AND l.released_at IS NOT NULL), 0,
    'a gift is not: it was not bought'
);
SELECT is(
    pg_temp.report(NULL, 'p4', 'plan.not.yet', pg_temp.days(90, 120)), 'skipped unknown-product',
    'a renewal with an unknown product waits'
);
SELECT is(
    (SELECT c.released_at FROM wallet.claims AS c WHERE c.transaction_id = 'p4'), wallet.now(),
    'a waiting period is released, too'
);
SELECT pg_temp.report(NULL, 'n', 'not.yet');
SELECT is(
    (SELECT c.released_at FROM wallet.claims AS c WHERE c.transaction_id = 'n'), wallet.now(),
    'a waiting pack is released with its next report'
);
INSERT INTO wallet.products (product_id, kind, name, unit, amount, price_minor, app_store_id)
VALUES ('late', 'pack', 'Late', 'credit', 7, 1, 'not.yet');
SELECT is(
    (SELECT l.released_at FROM wallet.lots AS l WHERE l.product_id = 'late'), wallet.now(),
    'the grant of a product that is added later is released'
);
SELECT is(
    pg_temp.says(pg_temp.buy('bob', 'p2', 'plan.enthusiast', pg_temp.days(30, 60))), 'skipped released duplicate',
    'a user who submits it gets the answer that it is released'
);
SELECT is(
    pg_temp.says(pg_temp.buy('bob', 'p4', 'plan.enthusiast', pg_temp.days(90, 120))), 'skipped released',
    'an unreported period is released, too'
);
SELECT pg_temp.buy('cid', 's1', 'plan.enthusiast', pg_temp.days(60, 90) || '{"original_transaction_id": "s1"}');
UPDATE admin.purchases SET released = TRUE WHERE transaction_id = 's1';
SELECT is(
    pg_temp.report(NULL, 's2', 'plan.enthusiast', pg_temp.days(90, 120) || '{"original_transaction_id": "s1"}'),
    'granted 10 visit', 'a released subscription of a living owner is renewed'
);
SELECT is(
    (
        SELECT concat_ws(' ', c.released_at = wallet.now(), l.released_at = wallet.now(), s.released_at IS NOT NULL)
        FROM wallet.claims AS c
        INNER JOIN wallet.lots AS l ON c.claim_id = l.claim_id
        INNER JOIN wallet.subscriptions AS s ON c.claim_id = s.current_claim_id
        WHERE c.transaction_id = 's2'
    ), 't t t', 'the renewal''s grant is released with it'
);
SELECT pg_temp.sound('accounts', 'lot_terms');
SELECT * FROM finish();
ROLLBACK;
