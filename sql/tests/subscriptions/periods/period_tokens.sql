-- wallet.renewed_owner: an account token decides the owner of a period that carries a new token; renewals of a purchase
-- with the same token follow the subscription (rules 13, 31).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
SELECT wallet.account_for(u.id) FROM unnest(ARRAY['ann', 'bob', 'cid']) AS u (id);
-- Submits a period of a chain for a user or for none, with a user's token or without one.
CREATE FUNCTION pg_temp.hand_in(
    p_user text, p_chain text, p_number integer, p_token text, p_more jsonb DEFAULT '{}'
) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_chain || p_number, 'plan.explorer', pg_temp.days(
        p_number * 30 - 30, p_number * 30, jsonb_build_object(
            'original_transaction_id', p_chain, 'app_account_token', wallet.app_account_token(p_token)
        ) || p_more
    )));
$$;
CREATE FUNCTION pg_temp.owner(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT u.user_id FROM wallet.users AS u WHERE u.account_id = (pg_temp.claim(p_id)).account_id;
$$;
CREATE FUNCTION pg_temp.holder(p_chain text) RETURNS text LANGUAGE sql AS $$
    SELECT u.user_id FROM wallet.subscriptions AS s INNER JOIN wallet.users AS u ON s.account_id = u.account_id
    WHERE s.original_transaction_id = p_chain;
$$;

-- Another user buys again with the same store account
SELECT is(pg_temp.hand_in('ann', 'a', 1, 'ann'), 'granted 4 visit', 'a first period with its buyer''s token');
SELECT is(
    pg_temp.hand_in('ann', 'a', 2, 'bob'), 'skipped account-token-mismatch',
    'a later period with another user''s token does not belong to the subscriber'
);
SELECT is(pg_temp.owner('a2'), NULL, 'the period is not claimed');
SELECT is(
    pg_temp.hand_in('cid', 'a', 2, 'bob'), 'skipped account-token-mismatch', 'another user cannot claim it either'
);
SELECT is(pg_temp.hand_in(NULL, 'a', 2, 'bob'), 'granted 4 visit', 'the store''s own report grants it');
SELECT is(
    pg_temp.owner('a2') || pg_temp.holder('a'), 'bobbob', 'the token''s user owns the period and the subscription'
);
SELECT is(
    pg_temp.hand_in('ann', 'a', 2, 'bob'), 'skipped transaction-already-claimed duplicate',
    'the user who submitted it first gets nothing'
);
SELECT is(pg_temp.hand_in(NULL, 'a', 3, 'bob'), 'granted 4 visit', 'the renewal has the same token');
SELECT is(pg_temp.owner('a3'), 'bob', 'the token''s user owns the renewal');
SELECT is(
    pg_temp.hand_in('bob', 'a', 4, 'ann'), 'skipped transaction-already-claimed', 'the first buyer''s token again'
);
SELECT is(pg_temp.hand_in(NULL, 'a', 4, 'ann'), 'granted 4 visit', 'the first buyer''s new purchase is granted');
SELECT is(pg_temp.owner('a4') || pg_temp.holder('a'), 'annann', 'the first buyer has the subscription again');
SELECT is(pg_temp.hand_in('bob', 'b', 2, 'bob'), 'granted 4 visit', 'a later period reported first');
SELECT is(
    pg_temp.hand_in('ann', 'b', 1, 'ann'), 'granted 4 visit', 'an earlier period belongs to its own token''s user'
);
SELECT is(
    pg_temp.owner('b1') || ' ' || pg_temp.holder('b'), 'ann bob', 'it does not change the owner of the subscription'
);

-- The buyer submits it
SELECT pg_temp.hand_in('ann', 'c', 1, NULL);
SELECT is(pg_temp.hand_in('bob', 'c', 2, 'bob'), 'granted 4 visit', 'the token''s user may submit the purchase');
SELECT is(pg_temp.holder('c'), 'bob', 'the token''s user has the subscription');
SELECT is(
    pg_temp.hand_in('ann', 'c', 3, NULL), 'skipped transaction-already-claimed',
    'renewals do not belong to the former subscriber'
);
SELECT is(pg_temp.hand_in(NULL, 'c', 3, NULL), 'granted 4 visit', 'a renewal without a token is granted');
SELECT is(pg_temp.owner('c3'), 'bob', 'the subscriber owns the renewal');

-- Tokens of unknown users
SELECT pg_temp.hand_in('ann', 'd', 1, 'ann');
SELECT is(
    pg_temp.hand_in('ann', 'd', 2, 'unseen'), 'skipped account-token-mismatch',
    'a new token of an unknown user does not belong to the subscriber'
);
SELECT is(pg_temp.hand_in(NULL, 'd', 2, 'unseen'), 'skipped unknown-user', 'the period waits for the token''s user');
SELECT wallet.account_for('unseen');
SELECT is(
    pg_temp.hand_in(NULL, 'd', 2, 'unseen'), 'granted 4 visit', 'the period is granted when the token''s user appears'
);
SELECT is(pg_temp.owner('d2'), 'unseen', 'the token''s user owns it, regardless of the earlier submitter');
SELECT pg_temp.hand_in('ann', 'e', 1, NULL);
SELECT is(
    pg_temp.hand_in('ann', 'e', 2, 'never'), 'granted 4 visit',
    'if no earlier period had a token, an unknown user''s token does not matter'
);

-- Moved by a store's transfer
SELECT pg_temp.hand_in('ann', 'f', 1, 'ann'), pg_temp.hand_in('ann', 'g', 1, NULL), pg_temp.day(1);
SELECT wallet.apply_transfer(jsonb_build_object('from', '["ann"]'::jsonb, 'to', '["cid"]'::jsonb, 'at', wallet.now()));
SELECT is(pg_temp.holder('f') || pg_temp.holder('g'), 'cidcid', 'a transfer moves subscriptions');
SELECT is(pg_temp.hand_in('cid', 'f', 2, 'ann'), 'granted 4 visit', 'renewals keep the token of the original buyer');
SELECT is(
    pg_temp.hand_in(NULL, 'g', 2, 'ann'), 'granted 4 visit', 'a token that was not reported before is accepted, too'
);
SELECT is(pg_temp.owner('f2') || pg_temp.owner('g2'), 'cidcid', 'the new subscriber owns the renewals');
SELECT is(
    pg_temp.hand_in('ann', 'f', 3, 'ann'), 'skipped transaction-already-claimed',
    'the former subscriber cannot claim it'
);
SELECT is(
    pg_temp.hand_in('cid', 'f', 4, 'bob'), 'skipped account-token-mismatch',
    'a third user''s purchase belongs to the third user'
);

-- Released and restored
SELECT wallet.account_for('dan'), pg_temp.hand_in('dan', 'h', 1, 'dan'), wallet.delete_account('dan');
SELECT is(
    pg_temp.hand_in(NULL, 'h', 2, 'dan'), 'granted 4 visit',
    'a deleted subscriber''s renewals stay with the deleted account'
);
SELECT count(*) FROM wallet.restore(
    wallet.account_for('eve'), jsonb_build_array(pg_temp.fact('h1', 'plan.explorer', pg_temp.days(
        0, 30, '{"original_transaction_id": "h"}'
    ))), NULL
);
SELECT is(pg_temp.holder('h'), 'eve', 'the user who restored the subscription has it');
SELECT is(pg_temp.hand_in('eve', 'h', 3, 'dan'), 'granted 4 visit', 'its renewals are restored, too');
SELECT wallet.account_for('dan');
SELECT is(
    pg_temp.hand_in('dan', 'h', 4, 'dan'), 'skipped transaction-already-claimed',
    'the deleted user cannot claim it after returning'
);
SELECT is(pg_temp.hand_in(NULL, 'h', 4, 'dan'), 'granted 4 visit', 'the source of the report does not matter');
SELECT is(pg_temp.owner('h4'), 'eve', 'the user who restored the subscription owns its renewals');
SELECT wallet.account_for('fay'), wallet.account_for('gil'), pg_temp.hand_in('fay', 'i', 1, 'fay');
SELECT wallet.delete_account('gil');
SELECT is(
    pg_temp.hand_in('fay', 'i', 2, 'gil'), 'granted 4 visit', 'a deleted user''s token does not bind the period'
);

-- Merged
SELECT wallet.account_for('anon', TRUE), pg_temp.hand_in('anon', 'j', 1, 'anon'), wallet.merge_accounts('anon', 'bob');
SELECT is(
    pg_temp.hand_in('bob', 'j', 2, 'anon'), 'granted 4 visit', 'a merged user''s token is valid for the remaining user'
);

-- Google Play: the purchase token of an upgrade links to the replaced purchase
SELECT wallet.enable_store('play_store', '2020-01-01');
CREATE FUNCTION pg_temp.play(p_user text, p_id text, p_token text, p_linked text, p_day integer) RETURNS text
LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_id, 'plan.explorer', pg_temp.days(p_day, p_day + 30, jsonb_build_object(
        'store', 'play_store', 'order_id', p_id, 'original_transaction_id', p_id, 'purchase_token', 'token ' || p_id,
        'linked_purchase_token', 'token ' || p_linked, 'app_account_token', wallet.app_account_token(p_token)
    ))));
$$;
SELECT is(pg_temp.play('ann', 'p1', 'ann', NULL, 0), 'granted 4 visit', 'a first purchase');
SELECT is(
    pg_temp.play('ann', 'p2', 'bob', 'p1', 5), 'skipped account-token-mismatch',
    'a replacement may belong to another user'
);
SELECT is(
    pg_temp.play(NULL, 'p2', 'bob', 'p1', 5), 'granted 4 visit', 'the store''s report grants it to the token''s user'
);
SELECT is(pg_temp.owner('p2'), 'bob', 'the replacement belongs to its token''s user');
SELECT is(
    pg_temp.play('cid', 'p3', NULL, 'p2', 9), 'skipped transaction-already-claimed',
    'a replacement without a token follows the subscription'
);

-- The store itself names the owner
SELECT is(
    pg_temp.report('cid', 'd3', 'plan.explorer', pg_temp.days(60, 90, jsonb_build_object(
        'original_transaction_id', 'd', 'app_account_token', wallet.app_account_token('bob')
    ))), 'granted 4 visit', 'a store that names its owner is believed'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
