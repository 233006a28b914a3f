-- wallet.resolve_claim_owner: the owner of a claim, otherwise the submitter, otherwise the user of its token.
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.claim(p_owner text, p_token text) RETURNS wallet.claims LANGUAGE plpgsql AS $$
DECLARE
    v_claim wallet.claims;
BEGIN
    v_claim.account_id := wallet.account_for(p_owner);
    v_claim.token_digest := sha256(uuid_send(wallet.app_account_token(p_token)));
    RETURN v_claim;
EXCEPTION WHEN not_null_violation THEN
    v_claim.token_digest := sha256(uuid_send(wallet.app_account_token(p_token)));
    RETURN v_claim;
END;
$$;
SELECT wallet.account_for('ann'), wallet.account_for('bob'), wallet.account_for('cid');
SELECT is(
    wallet.resolve_claim_owner(wallet.account_for('bob'), pg_temp.claim('ann', 'cid'), FALSE),
    wallet.account_for('ann'),
    'the owner stays'
);
SELECT is(
    wallet.resolve_claim_owner(wallet.account_for('bob'), pg_temp.claim(NULL, 'cid'), FALSE), wallet.account_for('bob'),
    'otherwise the submitter'
);
SELECT is(
    wallet.resolve_claim_owner(NULL, pg_temp.claim(NULL, 'cid'), FALSE),
    wallet.account_for('cid'),
    'otherwise the token''s user'
);
SELECT is(
    wallet.resolve_claim_owner(NULL, pg_temp.claim(NULL, 'unseen'), FALSE),
    NULL,
    'a token of an unknown user identifies no owner'
);
SELECT is(
    wallet.resolve_claim_owner(NULL, pg_temp.claim(NULL, NULL), FALSE), NULL, 'without a token there is no owner'
);

-- Renewals and replacements follow the subscription, unless the store names the owner
SELECT pg_temp.buy('ann', 'p1', 'plan.explorer', '{"original_transaction_id": "sub", "purchase_token": "tok"}');
CREATE FUNCTION pg_temp.renewal(p_more jsonb) RETURNS wallet.claims LANGUAGE sql AS $$
    SELECT wallet.read_fact(pg_temp.fact('p2', 'plan.explorer', p_more));
$$;
SELECT is(
    wallet.resolve_claim_owner(wallet.account_for('bob'), pg_temp.renewal('{"original_transaction_id": "sub"}'), FALSE),
    wallet.account_for('ann'), 'a renewal goes to the subscriber, whichever user submits it'
);
SELECT is(
    wallet.resolve_claim_owner(NULL, pg_temp.renewal('{"original_transaction_id": "sub"}'), FALSE),
    wallet.account_for('ann'),
    'a renewal without a submitter goes to the subscriber'
);
SELECT is(
    wallet.resolve_claim_owner(wallet.account_for('bob'), pg_temp.renewal('{"original_transaction_id": "sub"}'), TRUE),
    wallet.account_for('bob'), 'unless the store itself names another'
);
SELECT is(
    wallet.resolve_claim_owner(wallet.account_for('bob'), pg_temp.renewal('{"linked_purchase_token": "tok"}'), FALSE),
    wallet.account_for('ann'), 'a replacement goes to the subscriber, too'
);
SELECT has_index(
    'wallet', 'identities', 'identities_token_digest', 'sha256(uuid_send(app_account_token))',
    'a token''s user is found without reading all users'
);
SELECT * FROM finish();
ROLLBACK;
