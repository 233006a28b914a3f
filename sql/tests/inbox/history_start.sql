-- wallet.history_start and wallet.note_history: the instant from which a store's message history is read.
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.start(p_environment wallet.environment DEFAULT 'production') RETURNS timestamptz
LANGUAGE sql AS $$ SELECT wallet.history_start('app_store', p_environment); $$;
UPDATE wallet.stores SET grants_from = pg_temp.noon(-30) WHERE store = 'app_store';
SELECT is(pg_temp.start(), pg_temp.noon(-30), 'without a previous read, the history starts at the cut-over');
UPDATE wallet.stores SET grants_from = pg_temp.noon(-300) WHERE store = 'app_store';
SELECT is(pg_temp.start(), pg_temp.noon(-179), 'the history does not start before the store''s own');
SELECT wallet.receive_event('app_store', 'n1', 'TEST', '{"ignored": "test"}');
SELECT is(pg_temp.start(), pg_temp.noon(-179), 'a message after an outage does not bring those before it');
SELECT is(
    wallet.history_start('revenuecat', 'production'), pg_temp.noon(-179),
    'a store without a stored start uses the same limit'
);
SELECT pg_temp.day(9), wallet.note_history('app_store', 'production', pg_temp.noon(7));
SELECT is(pg_temp.start(), pg_temp.noon(7), 'after a read, the history starts where it ended');
SELECT is(pg_temp.start('sandbox'), pg_temp.noon(-170), 'each environment of a store has a separate history');
SELECT wallet.note_history('app_store', 'production', pg_temp.noon(6));
SELECT is(pg_temp.start(), pg_temp.noon(7), 'a slower reader takes nothing back');
SELECT wallet.note_history('app_store', 'production', pg_temp.noon(90));
SELECT is(pg_temp.start(), pg_temp.noon(9), 'the history does not start in the future');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
