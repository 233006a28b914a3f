-- wallet.transferred_to: the owner of a period's subscription after the stores' transfers (rule 31).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
SELECT wallet.account_for('ann'), wallet.account_for('bob'), wallet.account_for('cid'), wallet.account_for('dan');
CREATE FUNCTION pg_temp.moved(p_from text, p_to text, p_day numeric, p_environment text DEFAULT 'production')
RETURNS void LANGUAGE sql AS $$
    INSERT INTO wallet.subscription_transfers (environment, from_account_id, to_account_id, at) VALUES (
        p_environment::wallet.environment, wallet.account_for(p_from), wallet.account_for(p_to), pg_temp.noon(p_day)
    );
$$;
CREATE FUNCTION pg_temp.has(p_owner text, p_day numeric, p_environment text DEFAULT 'production') RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_claim wallet.claims;
BEGIN
    v_claim.account_id := wallet.account_for(p_owner);
    v_claim.purchased_at := pg_temp.noon(p_day);
    v_claim.environment := p_environment;
    RETURN (SELECT u.user_id FROM wallet.users AS u WHERE u.account_id = wallet.transferred_to(v_claim));
END;
$$;
SELECT is(pg_temp.has('ann', 0), 'ann', 'without transfers the owner has the subscription');
SELECT pg_temp.moved('ann', 'bob', 10);
SELECT is(pg_temp.has('ann', 0), 'bob', 'a transfer moves it');
SELECT is(pg_temp.has('ann', 10), 'bob', 'up to the instant at which it began');
SELECT is(pg_temp.has('ann', 10.0001), 'ann', 'a later subscription is not moved');
SELECT is(pg_temp.has('cid', 0), 'cid', 'subscriptions of other users do not count');
SELECT is(pg_temp.has('ann', 0, 'sandbox'), 'ann', 'sandbox transfers do not count');
SELECT pg_temp.moved('bob', 'cid', 20), pg_temp.moved('bob', 'dan', 5);
SELECT is(pg_temp.has('ann', 0), 'cid', 'transfers follow each other in time');
SELECT pg_temp.moved('cid', 'ann', 30);
SELECT is(pg_temp.has('ann', 0), 'ann', 'a transfer back is applied');
SELECT pg_temp.moved('ann', 'dan', 40);
SELECT is(pg_temp.has('ann', 0), 'dan', 'a further transfer is applied');
SELECT pg_temp.moved('dan', 'ann', 40);
SELECT is(pg_temp.has('ann', 0), 'dan', 'two transfers at the same instant cause no endless loop');
SELECT pg_temp.moved('dan', 'dan', 50);
SELECT is(pg_temp.has('ann', 0), 'dan', 'a transfer to the same user does nothing');
SELECT pg_temp.sound('rows', 'subscriptions');
SELECT * FROM finish();
ROLLBACK;
