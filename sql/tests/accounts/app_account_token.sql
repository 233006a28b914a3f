-- wallet.app_account_token: the UUID by which an app identifies a user to a store (rule 13).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT is(
    wallet.app_account_token('6F1C2A3E-0000-4000-8000-00000000000A'), '6f1c2a3e-0000-4000-8000-00000000000a',
    'a user id that is a UUID is the token'
);
SELECT is(
    wallet.app_account_token('ann'), '149dacc5-268f-5d4e-9303-c91c2b9b44b4',
    'any other user id is hashed to a UUID of version 5'
);
SELECT isnt(wallet.app_account_token('{6f1c2a3e-0000-4000-8000-00000000000a}'),
    '6f1c2a3e-0000-4000-8000-00000000000a', 'other notations of a UUID are hashed');
SELECT is(
    wallet.app_account_token('00000000-0000-0000-0000-000000000000'), '030dca7b-82c6-5626-9940-df3af7e8860a',
    'the all-zero UUID is hashed, too, because stores send it for "no token"'
);
SELECT is(wallet.app_account_token(NULL), NULL, 'a missing user has no token');
SELECT * FROM finish();
ROLLBACK;
