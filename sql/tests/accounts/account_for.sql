-- wallet.account_for: each user has one account (rule 1).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT is(wallet.account_for('ann'), wallet.account_for('ann'), 'a user has one account');
SELECT isnt(wallet.account_for('ann'), wallet.account_for('bob'), 'two users have different accounts');
SELECT isnt(wallet.account_for('ann'), wallet.account_for('Ann'), 'user ids are exact');
SELECT is((SELECT count(*)::integer FROM wallet.accounts), 3, 'a known user opens no further account');
SELECT is(
    (SELECT i.app_account_token FROM wallet.identities AS i WHERE i.user_id = 'ann'), wallet.app_account_token('ann'),
    'the account token is kept with the user'
);
SELECT is(
    wallet.account_for('6F1C2A3E-0000-4000-8000-00000000000A'),
    wallet.account_for('6f1c2a3e-0000-4000-8000-00000000000a'),
    'user ids are exact, except for the case of a UUID (user_spellings.sql)'
);
SELECT isnt(
    wallet.account_for(wallet.app_account_token('bob')::text), wallet.account_for('bob'),
    'a user whose id equals another user''s token is a separate user'
);
SELECT is((SELECT count(*)::integer FROM wallet.accounts), 5, 'each has one account');
SELECT is(pg_temp.raised('SELECT wallet.account_for(NULL)'), '23502', 'a missing user id is refused');
SELECT is(pg_temp.raised($$ SELECT wallet.account_for('') $$), '23514', 'an empty user id is refused');
SELECT is(
    pg_temp.raised($$ SELECT wallet.account_for(repeat('x', 321)) $$), '23514', 'a user id that is too long is refused'
);
SELECT columns_are('wallet', 'identities', ARRAY[
    'user_id', 'account_id', 'app_account_token', 'created_at', 'is_anonymous', 'merged_at', 'merged_from'
]);
SELECT is_empty(
    $$ SELECT c.table_name FROM information_schema.columns AS c
       INNER JOIN information_schema.tables AS t USING (table_schema, table_name)
       WHERE c.table_schema = 'wallet' AND t.table_type = 'BASE TABLE' AND c.column_name LIKE '%user_id%'
           AND c.table_name <> 'identities' $$, 'no other table holds user ids'
);
SELECT * FROM finish();
ROLLBACK;
