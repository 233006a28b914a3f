-- wallet.cancel_one, wallet.booking_slices, wallet.return_slices: what cancel_one.sql says of groups of one holds where
-- an item is decided by itself, which a group does with few of its items.
SELECT set_config('t.singly', 'on', FALSE);
\ir cancel_one.sql
