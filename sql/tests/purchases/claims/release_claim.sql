-- wallet.release_claim and admin.purchases: an administrator releases a living owner's purchase (rule 33).
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();

CREATE FUNCTION pg_temp.restore(p_user text, p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', r.transaction_id, r.result, r.remaining), ', ' ORDER BY r.transaction_id)
    FROM wallet.claims AS c
    CROSS JOIN LATERAL wallet.restore_claims(wallet.account_for(p_user), ARRAY[c.claim_id], NULL) AS r
    WHERE c.transaction_id = p_id;
$$;
SELECT pg_temp.lesson('a', 20), pg_temp.buy('ann', 'p', 'explorer'), pg_temp.book('ann', 'k', 'a');
SELECT pg_temp.buy('ann', 's', 'plan.explorer'), pg_temp.buy('ann', 'q', 'starter');
SELECT is(pg_temp.restore('bob', 'p'), 'p claimed 30', 'a living owner''s purchase stays');
SELECT is(
    pg_temp.raised($$ UPDATE admin.purchases SET released = TRUE WHERE transaction_id = 'p' $$, 'wallet_admin'),
    'nothing', 'an administrator releases it'
);
SELECT is(
    pg_temp.raised($$ UPDATE admin.purchases SET released = TRUE WHERE transaction_id = 's' $$, 'wallet_admin'),
    'nothing', 'a subscription, too'
);
SELECT results_eq(
    'SELECT p.transaction_id, p.released FROM admin.purchases AS p ORDER BY 1',
    $$ VALUES ('p', TRUE), ('q', FALSE), ('s', TRUE) $$, 'administrators see which purchases are released'
);
SELECT is(pg_temp.funds('ann'), '55 4 0 0', 'the owner keeps the balance until another user proves the purchase');
SELECT is_empty('SELECT FROM wallet.subscription_states', 'the released subscription gives no access');
SELECT pg_temp.sound();
SELECT is(
    pg_temp.restore('bob', 'p') || ', ' || pg_temp.restore('bob', 's'), 'p restored 30, s restored 4', 'restored'
);
SELECT is(pg_temp.funds('ann') || ', ' || pg_temp.funds('bob'), '25 0 0 0, 30 4 0 0', 'the balance moves');
SELECT results_eq(
    'SELECT s.account_id FROM wallet.subscription_states AS s', $$ VALUES (wallet.account_for('bob')) $$,
    'the subscription moves'
);
SELECT is(pg_temp.answer(pg_temp.cancel('ann', 'k')), '200 cancelled 20 credit returned 20', 'the owner''s booking');
SELECT is(
    pg_temp.funds('ann') || ', ' || pg_temp.funds('bob'), '25 0 0 0, 50 4 0 0', 'the amount returns to the purchase'
);
SELECT pg_temp.sound();

-- The owner may be the first to restore it
UPDATE admin.purchases SET released = TRUE WHERE transaction_id = 'q';
SELECT is(pg_temp.restore('ann', 'q'), 'q restored 25', 'an owner who restores the purchase keeps it');
SELECT is(pg_temp.restore('bob', 'q'), 'q claimed 25', 'no other user gets the purchase');
SELECT is_empty('SELECT FROM wallet.lots WHERE released_at IS NOT NULL', 'no lot stays released');
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'no balance moved');
SELECT pg_temp.sound();

-- A withdrawn release, and invalid changes
UPDATE admin.purchases SET released = TRUE WHERE transaction_id = 'q';
SELECT is(
    pg_temp.raised($$ UPDATE admin.purchases SET released = FALSE WHERE transaction_id = 'q' $$, 'wallet_admin'),
    'nothing', 'a release can be withdrawn until the purchase is restored'
);
SELECT is(pg_temp.restore('bob', 'q'), 'q claimed 25', 'after the withdrawal no other user gets the purchase');
SELECT is_empty('SELECT FROM wallet.claims AS c WHERE c.released_at IS NOT NULL', 'no claim stays released');
SELECT pg_temp.sound();
SELECT is(
    pg_temp.raised($$ UPDATE admin.purchases SET released = FALSE WHERE transaction_id = 'q' $$, 'wallet_admin'),
    'nothing', 'taking it back again does nothing'
);
SELECT pg_temp.buy('eve', 'gone', 'starter'), wallet.delete_account('eve');
SELECT is(
    pg_temp.raised($$ UPDATE admin.purchases SET released = FALSE WHERE transaction_id = 'gone' $$, 'wallet_admin'),
    'WL409 owner-deleted', 'a deleted owner''s purchase cannot be given back to the owner'
);
UPDATE admin.purchases SET released = TRUE WHERE transaction_id = 'q';
SELECT is(
    pg_temp.raised($$ UPDATE admin.purchases SET released = TRUE WHERE transaction_id = 'q' $$, 'wallet_admin'),
    'nothing', 'releasing again does nothing'
);
SELECT pg_temp.buy(NULL, 'nobody', 'starter');
SELECT is(
    pg_temp.raised($$ UPDATE admin.purchases SET released = TRUE WHERE transaction_id = 'nobody' $$, 'wallet_admin'),
    'WL404 purchase-not-found', 'an unknown purchase cannot be released'
);
SELECT is(
    pg_temp.raised('SELECT wallet.release_claim(-1)'), 'WL404 purchase-not-found', 'an unknown claim cannot be released'
);
SELECT is(
    pg_temp.raised('UPDATE admin.purchases SET quantity = 9', 'wallet_admin'), '42501', 'no other column can be set'
);
SELECT pg_temp.sound();

-- A purchase that is released while it still waits for its grant
SELECT pg_temp.buy('dan', 'w1', 'later.pack'), pg_temp.gift('fay', 1), pg_temp.gift('gil', 1);
UPDATE wallet.accounts SET blocked_at = wallet.now() WHERE account_id = wallet.account_for('fay');
SELECT pg_temp.buy('fay', 'w2', 'starter'), wallet.apply_fact(
    wallet.account_for('gil'), pg_temp.fact('w3', 'starter', '{"pending": true}'), TRUE
);
UPDATE wallet.accounts SET blocked_at = NULL WHERE account_id = wallet.account_for('fay');
SELECT is(
    (
        SELECT string_agg(
            concat_ws(' ', p.transaction_id, p.status, pg_temp.raised(format(
                'UPDATE admin.purchases SET released = TRUE WHERE transaction_id = %L', p.transaction_id
            ), 'wallet_admin')), ', ' ORDER BY p.transaction_id
        )
        FROM wallet.purchases AS p WHERE p.transaction_id LIKE 'w%'
    ),
    'w1 unknown-product nothing, w2 account-blocked nothing, w3 pending nothing', 'a waiting purchase is released, too'
);
INSERT INTO wallet.products (product_id, kind, name, unit, amount, price_minor, app_store_id)
VALUES ('later', 'pack', 'Later', 'credit', 7, 1, 'later.pack');
SELECT wallet.apply_fact(NULL, pg_temp.fact('w2', 'starter')), wallet.apply_fact(NULL, pg_temp.fact('w3', 'starter'));
SELECT results_eq(
    $$ SELECT c.transaction_id, l.granted, c.released_at IS NOT NULL, l.released_at IS NOT NULL
       FROM wallet.claims AS c INNER JOIN wallet.lots AS l ON c.claim_id = l.claim_id
       WHERE c.transaction_id LIKE 'w%' ORDER BY 1 $$,
    $$ VALUES ('w1', 7::bigint, TRUE, TRUE), ('w2', 25, TRUE, TRUE), ('w3', 25, TRUE, TRUE) $$,
    'its later grant is released with it'
);
SELECT pg_temp.sound();
SELECT is(
    pg_temp.restore('bob', 'w1') || ', ' || pg_temp.restore('bob', 'w2') || ', ' || pg_temp.restore('gil', 'w3'),
    'w1 restored 7, w2 restored 25, w3 restored 25', 'the user who proves the purchase gets the grant'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
