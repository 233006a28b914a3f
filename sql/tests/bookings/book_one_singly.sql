-- wallet.book_one: what book_one.sql says of groups of one holds where an item is decided by itself,
-- which a group does with few of its items.
SELECT set_config('t.singly', 'on', FALSE);
\ir book_one.sql
