-- wallet.lacks_seats: whether an item's class is held by somebody else (rule 19).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20), pg_temp.lesson('b', 20), pg_temp.gift('ann', 100), pg_temp.book('ann', 'k', 'a');
CREATE FUNCTION pg_temp.lacks(p_operation text, p_key text, p_class_id text, p_held text[]) RETURNS boolean
LANGUAGE sql AS $$
    SELECT wallet.lacks_seats(
        wallet.account_for('ann'), 'production', p_operation, pg_temp.id_of(p_key), p_class_id, p_held
    );
$$;
SELECT ok(NOT pg_temp.lacks('book', 'x', 'a', '{production a}'), 'a class that is held is not lacking');
SELECT ok(pg_temp.lacks('book', 'x', 'a', '{production b,sandbox a}'), 'another, or another environment''s, is');
SELECT ok(NOT pg_temp.lacks('book', 'x', 'nowhere', '{}'), 'a class that does not exist has none to hold');
SELECT ok(pg_temp.lacks('cancel', 'k', NULL, '{production b}'), 'a cancellation needs the class of its booking');
SELECT ok(NOT pg_temp.lacks('cancel', 'k', 'b', '{production a}'), 'whatever class it names');
SELECT ok(pg_temp.lacks('cancel', 'unknown', 'a', '{}') IS NOT TRUE, 'one of no booking needs none');
SELECT * FROM finish();
ROLLBACK;
