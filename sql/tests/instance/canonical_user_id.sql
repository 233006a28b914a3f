-- wallet.canonical_user_id: the single form in which user ids are stored and compared (rule 1).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT is(wallet.canonical_user_id(u.given), u.kept, u.why) FROM (VALUES
    ('6F9619FF-8B86-4D01-B42D-00CF4FC964FF', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', 'a UUID in upper case'),
    ('6f9619fF-8b86-4d01-B42d-00cf4fc964ff', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', 'in both'),
    ('6f9619ff-8b86-4d01-b42d-00cf4fc964ff', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', 'in lower case'),
    ('Ann', 'Ann', 'no UUID'),
    ('auth0|6F9619FF-8B86-4D01-B42D-00CF4FC964FF', 'auth0|6F9619FF-8B86-4D01-B42D-00CF4FC964FF', 'more than a UUID'),
    ('{6F9619FF-8B86-4D01-B42D-00CF4FC964FF}', '{6F9619FF-8B86-4D01-B42D-00CF4FC964FF}',
        'another notation of a UUID is unchanged'),
    ('6F9619FF8B864D01B42D00CF4FC964FF', '6F9619FF8B864D01B42D00CF4FC964FF', 'without dashes'),
    ('6F9619FF-8B86-4D01-B42D-00CF4FC964F', '6F9619FF-8B86-4D01-B42D-00CF4FC964F', 'too short'),
    ('6F9619FF-8B86-4D01-B42D-00CF4FC964FG', '6F9619FF-8B86-4D01-B42D-00CF4FC964FG', 'no digit'),
    (e'6F9619FF-8B86-4D01-B42D-00CF4FC964F\n', e'6F9619FF-8B86-4D01-B42D-00CF4FC964F\n',
        'a UUID with a line feed is unchanged'),
    (U&'us\00E9r', U&'us\00E9r', 'composed'),
    (U&'use\0301r', U&'use\0301r', 'decomposed, which is a different id'),
    ('', '', 'nothing'),
    (NULL, NULL, 'a missing id')
) AS u (given, kept, why);
SELECT is(
    pg_temp.raised(format(
        'INSERT INTO wallet.identities (user_id, account_id, app_account_token, created_at) VALUES (%L, %s, %L, %L)',
        '6F9619FF-8B86-4D01-B42D-00CF4FC964FF', wallet.account_for('ann'), gen_random_uuid(), wallet.now()
    )), '23514', 'the table refuses other forms'
);
SELECT * FROM finish();
ROLLBACK;
