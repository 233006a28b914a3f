-- wallet.account_for_owners: which user a store's message is about (rule 31).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT wallet.account_for('ann'), wallet.account_for('bob'), wallet.account_for('$RCAnonymousID:1', TRUE);
SELECT wallet.account_for('6f1c2a3e-0000-4000-8000-00000000000a'), wallet.account_for('gone');
SELECT wallet.delete_account('gone');

CREATE FUNCTION pg_temp.meant(VARIADIC p_owners text[]) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce((
        SELECT i.user_id FROM wallet.identities AS i WHERE i.account_id = wallet.account_for_owners(p_owners)
    ), 'nobody');
$$;
SELECT is(pg_temp.meant(VARIADIC o.owners), o.meant, o.what) FROM (VALUES
    (ARRAY['ann'], 'ann', 'a known user'),
    (ARRAY['bob', 'ann'], 'bob', 'the likeliest of two'),
    (ARRAY['$RCAnonymousID:1', 'ann'], 'ann', 'a named user before an anonymous one'),
    (ARRAY['$RCAnonymousID:1'], '$RCAnonymousID:1', 'a known anonymous user'),
    (ARRAY['$RCAnonymousID:2'], 'nobody', 'an anonymous one that it does not know'),
    (ARRAY['$RCAnonymousID:2', '$RCAnonymousID:1'], '$RCAnonymousID:1', 'the known one of two'),
    (ARRAY['gone'], 'nobody', 'a deleted user is not opened again'),
    (ARRAY['gone', 'ann'], 'ann', 'the next one is meant'),
    (ARRAY['gone', '$RCAnonymousID:1'], '$RCAnonymousID:1', 'a known anonymous user after a deleted one'),
    (ARRAY['6F1C2A3E-0000-4000-8000-00000000000A'], '6f1c2a3e-0000-4000-8000-00000000000a', 'a UUID in capitals'),
    (ARRAY['', repeat('x', 321), NULL, 'ann'], 'ann', 'invalid ids are skipped'),
    (ARRAY[]::text[], 'nobody', 'an empty list names no user')
) AS o (owners, meant, what);
SELECT is(wallet.account_for_owners(NULL), NULL, 'a missing list names no user');
SELECT is((SELECT count(*)::integer FROM wallet.accounts), 5, 'no account was created');
SELECT is(
    wallet.account_for_owners(ARRAY['dan', 'ann']), wallet.account_for('dan'), 'the likeliest decides, though it is new'
);
SELECT is((SELECT count(*)::integer FROM wallet.accounts), 6, 'a new user''s account is created');
SELECT is(i.is_anonymous, NULL, 'the new account is neither kind before its first token') FROM wallet.identities AS i
WHERE i.user_id = 'dan';
SELECT pg_temp.wait('1 day'), wallet.account_for('gone');
SELECT is(pg_temp.meant('gone'), 'gone', 'a deleted user who returned is found again');
SELECT wallet.merge_accounts('$RCAnonymousID:1', 'ann');
SELECT is(
    wallet.account_for_owners(ARRAY['$RCAnonymousID:1']), wallet.account_for('ann'), 'a merged user is the other'
);
SELECT * FROM finish();
ROLLBACK;
