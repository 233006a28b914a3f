-- wallet.claimant: the owner of a claim, else the submitter, else whom its token names.
BEGIN;
\ir support/books.sql
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
    wallet.claimant(wallet.account_for('bob'), pg_temp.claim('ann', 'cid')), wallet.account_for('ann'),
    'the owner stays'
);
SELECT is(
    wallet.claimant(wallet.account_for('bob'), pg_temp.claim(NULL, 'cid')), wallet.account_for('bob'),
    'then the submitter'
);
SELECT is(wallet.claimant(NULL, pg_temp.claim(NULL, 'cid')), wallet.account_for('cid'), 'then whom the token names');
SELECT is(wallet.claimant(NULL, pg_temp.claim(NULL, 'unseen')), NULL, 'a token of nobody known names nobody');
SELECT is(wallet.claimant(NULL, pg_temp.claim(NULL, NULL)), NULL, 'nor does no token');
SELECT * FROM finish();
ROLLBACK;
