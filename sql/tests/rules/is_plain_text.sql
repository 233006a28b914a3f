-- wallet.is_plain_text: reasons and references are one visible line, for every writer.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE TEMPORARY TABLE spoofs AS
SELECT c.name, c.text FROM (VALUES
    ('empty', ''), ('a space', ' '), ('a tab', E'\t'), ('a line break', E'a\nb'), ('a no-break space', U&'\00A0'),
    ('an ideographic space', U&'\3000'), ('an em space', U&'\2003'), ('a zero width space', U&'\200B'),
    ('a byte order mark', U&'\FEFF'), ('a C0 control', E'a\x07'), ('delete', E'a\x7f'), ('a C1 control', U&'a\0085'),
    ('the last C1 control', U&'a\009F'), ('a line separator', U&'a\2028b'), ('a paragraph separator', U&'a\2029b'),
    ('a left-to-right mark', U&'a\200E'), ('a right-to-left mark', U&'a\200F'), ('an Arabic letter mark', U&'a\061C'),
    ('an embedding', U&'a\202A'), ('an override', U&'a\202Eb'), ('an isolate', U&'a\2066b'),
    ('the end of an isolate', U&'a\2069')
) AS c (name, text);
SELECT is(wallet.is_plain_text(s.text), FALSE, s.name) FROM spoofs AS s;
SELECT is(wallet.is_plain_text(c.text), TRUE, c.text) FROM (VALUES
    ('because'), (' a '), ('Lehrerin krank – Ersatz am 3. März'), ('שלום'), ('مرحبا'), ('👩‍🎨 pottery'), (U&'a\00A0b')
) AS c (text);
SELECT is(wallet.is_plain_text(NULL), NULL, 'a missing text gives null');

CREATE FUNCTION pg_temp.refuses(p_statement text, p_text text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(p_statement, p_text));
$$;
SELECT pg_temp.gift('ann', 10);
SELECT is(
    pg_temp.refuses(
        'SELECT wallet.adjust(wallet.account_for(''ann''), ''production'', ''credit'', 5, ''r'', ''admin'', %L)', s.text
    ), 'WL422 reason-required', 'an adjustment for no reason: ' || s.name
) FROM spoofs AS s;
SELECT is(
    pg_temp.refuses(
        'INSERT INTO admin.adjustments (reference, user_id, amount, reason) VALUES (''r'', ''ann'', 5, %L)', s.text
    ), 'WL422 reason-required', 'psql refuses the text, too: ' || s.name
) FROM spoofs AS s;
SELECT is(
    pg_temp.refuses(
        'INSERT INTO admin.adjustments (reference, user_id, amount, reason) VALUES (%L, ''ann'', 5, ''so'')', s.text
    ), 'WL422 user-and-reference-required', 'a reference: ' || s.name
) FROM spoofs AS s;
SELECT is(
    pg_temp.refuses(
        'INSERT INTO admin.adjustments (reference, user_id, amount, reason) VALUES (''r'', %L, 5, ''because'')', s.text
    ), 'WL422 user-and-reference-required', 'a user: ' || s.name
) FROM spoofs AS s;
SELECT is(
    pg_temp.refuses('UPDATE admin.wallets SET credits = 7, reason = %L WHERE user_id = ''ann''', s.text),
    'WL422 reason-required', 'a new balance: ' || s.name
) FROM spoofs AS s;
SELECT is(pg_temp.funds('ann'), '10 0 0 0', 'no balance changed');
SELECT is(
    pg_temp.refuses('INSERT INTO admin.testers (user_id) VALUES (%L)', s.text), 'WL422 user-required',
    'a tester: ' || s.name
) FROM spoofs AS s;

SELECT pg_temp.lesson('pottery', 20);
SELECT is(
    pg_temp.refuses(
        'UPDATE admin.classes SET status = ''cancelled'', cancel_reason = %L WHERE class_id = ''pottery''', s.text
    ), 'WL422 reason-required', 'a cancelled class: ' || s.name
) FROM spoofs AS s;
SELECT is(
    (SELECT c.status FROM wallet.classes AS c WHERE c.class_id = 'pottery'), 'scheduled', 'the class takes place'
);
SELECT is(
    pg_temp.raised('UPDATE admin.classes SET status = ''cancelled'' WHERE class_id = ''pottery'''), 'nothing',
    'an administrator need not say why'
);

-- The tables themselves
SELECT throws_ok(
    $$ INSERT INTO wallet.entry_texts (account_id, environment, version, salt, actor, reason)
       VALUES (1, 'production', 1, '\x00', 'admin', U&'a\202Eb') $$,
    '23514', NULL, 'a reason in the ledger''s texts'
);
SELECT throws_ok(
    $$ UPDATE wallet.classes SET cancel_reason = U&'a\202Eb' $$, '23514', NULL, 'a class''s reason'
);

-- Texts from another system are imported without their control characters
SELECT wallet.import_wallet(
    'elsewhere', 'bob', 'production', NULL, 5, 0, NULL, FALSE, E'two\nlines \u202Etxt'
);
SELECT is(
    (SELECT l.reason FROM wallet.ledger AS l WHERE l.account_id = wallet.account_for('bob') ORDER BY l.version LIMIT 1),
    'balance: two lines  txt', 'an imported description'
);
SELECT is(
    (wallet.import_wallet('elsewhere', s.text, 'production', NULL, 5, 0, NULL, FALSE)).reason, 'user-id-malformed',
    'an imported user: ' || s.name
) FROM spoofs AS s;
SELECT * FROM finish();
ROLLBACK;
