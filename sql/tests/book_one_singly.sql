-- wallet.book_one: what book_one.sql says of groups of one holds where an item is decided by itself,
-- which a group does with few of its items.
SET t.singly = 'on';
\ir book_one.sql
