-- wallet.admin_update_review_flag: UPDATE admin.review_flags stores a decision (rule 26).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
INSERT INTO wallet.review_flags (account_id, environment, app_transaction_id, refunds, raised_at)
VALUES (wallet.account_for('ann'), 'production', NULL, 3, wallet.now()),
(wallet.account_for('ann'), 'production', 'copy', 4, wallet.now()),
(wallet.account_for('bob'), 'production', NULL, 5, wallet.now());
CREATE FUNCTION pg_temp.decide(p_refunds integer, p_what text, p_role text DEFAULT 'wallet_admin') RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_raised CONSTANT text := pg_temp.raised(
        format('UPDATE admin.review_flags SET %s WHERE refunds = %s', p_what, p_refunds), p_role
    );
BEGIN
    RETURN coalesce(nullif(v_raised, 'nothing'), (
        SELECT concat_ws(' ', f.user_id, f.resolution, CASE WHEN f.is_blocked THEN 'is blocked' END, f.resolved_by)
        FROM admin.review_flags AS f WHERE f.refunds = p_refunds
    ));
END;
$$;
SELECT is(pg_temp.decide(3, $$ resolution = 'blocked' $$), 'ann blocked is blocked ' || session_user, 'blocked');
SELECT pg_temp.lesson('a', 10);
SELECT is(
    pg_temp.says(pg_temp.buy('ann', 't1', 'starter')), 'skipped account-blocked', 'a blocked account gets no grants'
);
SELECT is(pg_temp.decide(4, $$ resolution = 'dismissed' $$), 'ann dismissed is blocked ' || session_user,
    'dismissing another flag lifts nothing');
SELECT is(pg_temp.decide(4, $$ resolution = 'blocked' $$), 'ann blocked is blocked ' || session_user, 'both block');
SELECT is(pg_temp.decide(3, $$ resolution = 'dismissed' $$), 'ann dismissed is blocked ' || session_user,
    'the account stays blocked while another flag blocks it');
SELECT is(pg_temp.decide(4, $$ resolution = 'dismissed' $$), 'ann dismissed ' || session_user, 'the last one lifts it');
SELECT is(
    pg_temp.says(pg_temp.buy('ann', 't2', 'starter')), 'granted 25 credit', 'an unblocked account gets grants again'
);
UPDATE wallet.accounts SET blocked_at = wallet.now() WHERE account_id = wallet.account_for('bob');
SELECT is(pg_temp.decide(5, $$ resolution = 'dismissed' $$), 'bob dismissed is blocked ' || session_user,
    'a block that no flag set is not lifted by one');
SELECT is(pg_temp.decide(3, s.what), 'WL422 invalid-resolution', s.what)
FROM (VALUES ('resolution = NULL'), ($$ resolution = 'forgiven' $$)) AS s (what);
SELECT is(pg_temp.decide(3, $$ resolution = 'blocked', refunds = 0 $$), '42501', 'no other column can be set');
SELECT is(
    pg_temp.decide(3, $$ resolution = 'blocked', refunds = 0 $$, NULL), 'WL422 column-not-editable',
    'a role with more rights cannot set it either'
);
SELECT is(pg_temp.decide(3, $$ resolution = 'blocked' $$, 'wallet_auditor'), '42501', 'auditors decide nothing');

-- After a merge, a flag belongs to the remaining account
UPDATE wallet.accounts SET merged_into = wallet.account_for('cleo') WHERE account_id = wallet.account_for('ann');
SELECT is(pg_temp.decide(3, $$ resolution = 'blocked' $$), 'cleo blocked is blocked ' || session_user, 'blocks');
SELECT isnt(
    (SELECT a.blocked_at FROM wallet.accounts AS a WHERE a.account_id = wallet.account_for('cleo')), NULL, 'them'
);
SELECT is(
    pg_temp.decide(3, $$ resolution = 'dismissed' $$), 'cleo dismissed ' || session_user,
    'dismissing the flag unblocks the account'
);
SELECT * FROM finish();
ROLLBACK;
