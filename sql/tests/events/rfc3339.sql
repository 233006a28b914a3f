-- wallet.rfc3339: instants in the format of the API.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT is(wallet.rfc3339('2030-01-02 03:04:05.999999+00'), '2030-01-02T03:04:05Z', 'whole seconds, rounded down');
SET LOCAL timezone = 'Asia/Tokyo';
SELECT is(wallet.rfc3339('2030-01-02 03:04:05+09'), '2030-01-01T18:04:05Z', 'UTC in every session time zone');
SELECT is(wallet.rfc3339(NULL), NULL, 'a missing instant gives null');
SELECT * FROM finish();
ROLLBACK;
