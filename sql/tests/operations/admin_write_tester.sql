-- wallet.admin_write_tester: administrators choose the users who may use sandbox wallets (rule 2).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT is(
    pg_temp.raised($$ INSERT INTO admin.testers (user_id) VALUES ('ann'), ('bob'), ('ann') $$, 'wallet_admin'),
    'nothing',
    'testers are added, also before they are first seen'
);
SELECT results_eq(
    'SELECT t.user_id FROM admin.testers AS t ORDER BY t.user_id', $$ VALUES ('ann'), ('bob') $$,
    'each tester is stored once'
);
SELECT is(
    pg_temp.raised($$ DELETE FROM admin.testers WHERE user_id = 'ann' $$, 'wallet_admin'), 'nothing',
    'a tester is removed'
);
SELECT results_eq('SELECT t.user_id FROM admin.testers AS t', $$ VALUES ('bob') $$, 'alone');
SELECT is(pg_temp.raised($$ UPDATE admin.testers SET user_id = 'eve' $$, 'wallet_admin'), '55000', 'never renamed');
SELECT is(
    pg_temp.raised('INSERT INTO admin.testers (user_id) VALUES (NULL)', 'wallet_admin'), '23502',
    'a tester needs a user id'
);
SELECT * FROM finish();
ROLLBACK;
