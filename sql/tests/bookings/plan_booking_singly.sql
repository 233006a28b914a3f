-- wallet.plan_booking: what plan_booking.sql says of groups of one holds where an item is decided by itself,
-- which a group does with few of its items.
SELECT set_config('t.singly', 'on', FALSE);
\ir plan_booking.sql
