-- wallet.enable_store: a store needs the instant from which it grants, and keeps the first one (rule 15).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
DELETE FROM wallet.stores WHERE store = 'play_store';
SELECT is(
    wallet.enable_store('play_store', '2030-01-01 00:00:00+00'), '2030-01-01 00:00:00+00'::timestamptz,
    'a store is enabled'
);
SELECT is(
    wallet.enable_store('play_store', '2020-01-01 00:00:00+00'), '2030-01-01 00:00:00+00'::timestamptz,
    'a second start does not move the cut-over: nothing older is granted'
);
SELECT is(pg_temp.raised($$ SELECT wallet.enable_store('x', NULL) $$), '23502', 'the instant is required');
SELECT is(pg_temp.raised($$ SELECT wallet.enable_store(NULL, now()) $$), '23502', 'a store''s name is required');
SELECT is(
    pg_temp.raised($$ SELECT wallet.enable_store('App Store', now()) $$), '23514',
    'a store''s name must have the plain form'
);
SELECT is(
    pg_temp.raised($$ SELECT wallet.set_sandbox_purchases('some') $$), '23514', 'another value for sandbox purchases'
);
SELECT * FROM finish();
ROLLBACK;
