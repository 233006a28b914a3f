-- wallet.lock_accounts locks both accounts of a merge in the order of their ids
-- (isolation/accounts/merge_and_booking.spec tests two merges at once).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE EXTENSION IF NOT EXISTS pgrowlocks;
CREATE FUNCTION pg_temp.locked(p_from text, p_to text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_locked text;
BEGIN
    PERFORM wallet.lock_accounts(wallet.account_for(p_from), wallet.account_for(p_to));
    SELECT string_agg(u.user_id || ' ' || l.modes[1], ', ' ORDER BY u.user_id) INTO v_locked
    FROM public.pgrowlocks('wallet.accounts') AS l
    INNER JOIN wallet.accounts AS a ON a.ctid = l.locked_row
    INNER JOIN wallet.users AS u ON a.account_id = u.account_id
    WHERE l.modes[1] <> 'For Key Share';
    RETURN v_locked;
END;
$$;
SELECT wallet.account_for(u.id) FROM unnest('{ann,bob,cid,dan,eve}'::text[]) AS u (id);
SELECT is(pg_temp.locked('ann', 'bob'), 'ann For No Key Update, bob For Share', 'the older goes');
SELECT is(
    pg_temp.locked('dan', 'cid'),
    'ann For No Key Update, bob For Share, cid For Share, dan For No Key Update', 'the younger goes'
);
SELECT wallet.delete_account('bob');
SELECT set_config('t.bob', (SELECT a.account_id FROM wallet.accounts AS a WHERE a.deleted_at IS NOT NULL)::text, TRUE);
SELECT is(
    pg_temp.raised(format(
        'SELECT wallet.lock_accounts(%s, %s)', wallet.account_for('eve'), current_setting('t.bob')
    )), 'WL503 wallet-busy', 'a user deleted meanwhile receives nothing'
);
SELECT wallet.account_for('guest', TRUE), set_config('t.guest', wallet.account_for('guest', TRUE)::text, TRUE);
SELECT wallet.merge_accounts('guest', 'ann');
SELECT is(
    pg_temp.raised(format(
        'SELECT wallet.lock_accounts(%s, %s)', wallet.account_for('eve'), current_setting('t.guest')
    )), 'WL503 wallet-busy', 'a user merged meanwhile receives nothing'
);
SELECT * FROM finish();
ROLLBACK;
