-- wallet.user_digest: the digest that replaces a deleted user's id (rule 33).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT is(wallet.user_digest('ann'), wallet.user_digest('ann'), 'one user id has one digest');
SELECT isnt(wallet.user_digest('ann'), wallet.user_digest('Ann'), 'different user ids have different digests');
SELECT isnt(wallet.user_digest('ann'), sha256('ann'), 'the digest cannot be computed outside this instance');
SELECT is(
    wallet.user_digest('ann'), (SELECT sha256(i.user_salt || convert_to('ann', 'UTF8')) FROM wallet.instance AS i),
    'the digest uses the salt of this instance'
);
SELECT is(octet_length(wallet.user_digest('')), 32, 'the digest has the length of a SHA-256');
SELECT * FROM finish();
ROLLBACK;
