-- wallet.choose_payment, wallet.burn_plan: what choose_payment.sql says of groups of one holds where an item is decided
-- by itself, which a group does with few of its items.
SELECT set_config('t.singly', 'on', FALSE);
\ir choose_payment.sql
