-- wallet.plan_booking, wallet.choose_payment, wallet.burn_plan, wallet.book_one, wallet.cancel_one, wallet.take_seats,
-- wallet.free_seats, wallet.has_unlimited: what two_environments.sql says holds where items are decided by themselves.
SELECT set_config('t.singly', 'on', FALSE);
\ir two_environments.sql
