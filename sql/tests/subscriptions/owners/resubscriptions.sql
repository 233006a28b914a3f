-- wallet.renewed_owner of a subscription that was bought again outside the app: Google Play reports the token and
-- account of the expired purchase, and no app submits anything (rules 13, 31 and 33).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
SELECT wallet.account_for(u.id) FROM unnest(ARRAY['ann', 'bob', 'cid', 'dan', 'eve', 'fay', 'gil']) AS u (id);
CREATE FUNCTION pg_temp.play(
    p_user text, p_token text, p_from numeric, p_more jsonb DEFAULT '{}'
) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_token || '.order', 'plan.explorer', pg_temp.days(
        p_from, p_from + 30, jsonb_build_object(
            'store', 'play_store', 'order_id', p_token || '.order', 'original_transaction_id', p_token || '.order',
            'purchase_token', p_token, 'source', 'server_api', 'needs_acknowledgement', TRUE
        ) || p_more
    )));
$$;
CREATE FUNCTION pg_temp.again(p_expired text, p_token text, p_account text DEFAULT NULL) RETURNS text
LANGUAGE sql AS $$
    SELECT pg_temp.play(NULL, p_token, 60, jsonb_build_object(
        'linked_purchase_token', p_expired, 'app_account_token', wallet.app_account_token(p_account)
    ));
$$;
CREATE FUNCTION pg_temp.owner(p_token text) RETURNS text LANGUAGE sql AS $$
    SELECT u.user_id FROM wallet.claims AS c INNER JOIN wallet.users AS u ON c.account_id = u.account_id
    WHERE c.purchase_token = p_token;
$$;
INSERT INTO wallet.stores (store, grants_from) VALUES ('play_store', '2020-01-01') ON CONFLICT DO NOTHING;
SELECT pg_temp.play(u.id, u.id, 0) FROM unnest(ARRAY['ann', 'cid', 'dan', 'fay']) AS u (id);
SELECT pg_temp.play('eve', 'eve', 0, jsonb_build_object('app_account_token', wallet.app_account_token('eve')));
SELECT pg_temp.day(60);

SELECT is(pg_temp.again('ann', 'ann2'), 'granted 4 visit', 'the expired token leads to its owner');
SELECT is(pg_temp.owner('ann2'), 'ann', 'the purchase named no account');
SELECT is(
    (SELECT count(*)::integer FROM wallet.unacknowledged AS u WHERE u.purchase_token = 'ann2'), 1,
    'the purchase needs an acknowledgement'
);
SELECT is(pg_temp.again('ann', 'ann2'), 'granted 4 visit duplicate', 'the purchase is granted once');
SELECT is(
    (SELECT string_agg(s.status, ' ' ORDER BY s.period_start) FROM wallet.subscription_states AS s
    WHERE s.account_id = wallet.account_for('ann')), 'expired active', 'the expired one stays expired'
);
SELECT is(pg_temp.again('eve', 'eve2', 'eve'), 'granted 4 visit', 'both names of one user');
SELECT is(pg_temp.owner('eve2'), 'eve', 'the deleted user returned with a new account');
SELECT is(pg_temp.again('never-heard-of', 'bob2', 'bob'), 'granted 4 visit', 'the account alone will do');
SELECT is(pg_temp.owner('bob2'), 'bob', 'where the expired purchase was never reported');
SELECT is(pg_temp.again('never-heard-of', 'gil2'), 'skipped unknown-user', 'a purchase of an unknown user waits');
SELECT is(
    (SELECT count(*)::integer FROM wallet.unacknowledged AS u WHERE u.purchase_token = 'gil2'), 0,
    'unacknowledged, so that the store may pay it back'
);
SELECT is(pg_temp.play('gil', 'never-heard-of', 0), 'granted 4 visit', 'the expired purchase is submitted');
SELECT is(pg_temp.again('never-heard-of', 'gil2'), 'granted 4 visit', 'when the message is tried again');
SELECT is(pg_temp.owner('gil2'), 'gil', 'the owner is known afterwards');

-- The first owner was merged or deleted meanwhile
SELECT wallet.account_for('anon', TRUE), pg_temp.play('anon', 'anon', 0);
SELECT wallet.merge_accounts('anon', 'cid');
SELECT is(pg_temp.again('anon', 'anon2'), 'granted 4 visit', 'a merged user''s new purchase is granted');
SELECT is(pg_temp.owner('anon2'), 'cid', 'the remaining account owns it');
SELECT wallet.delete_account('dan');
SELECT is(pg_temp.again('dan', 'dan2'), 'granted 4 visit', 'a deleted user''s new purchase is granted');
SELECT is(
    (SELECT c.released_at IS NOT NULL FROM wallet.claims AS c WHERE c.purchase_token = 'dan2'), TRUE,
    'it is released for the user who proves it'
);
SELECT wallet.apply_transfer(jsonb_build_object(
    'from', '["fay"]'::jsonb, 'to', '["bob"]'::jsonb, 'environment', 'production', 'at', pg_temp.noon(1)
));
SELECT is(pg_temp.again('fay', 'fay2'), 'granted 4 visit', 'a transferred one');
SELECT is(pg_temp.owner('fay2'), 'fay', 'the original buyer owns it, because the store names the purchase');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
