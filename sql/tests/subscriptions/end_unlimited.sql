-- wallet.end_unlimited: bookings covered by an unlimited plan end with the plan, and not earlier (rule 7).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.period(p_user text, p_from numeric, p_to numeric, p_more jsonb DEFAULT '{}') RETURNS text
LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_user || p_from, 'plan.unlimited', pg_temp.days(p_from, p_to,
    jsonb_build_object(
        'original_transaction_id', p_user
    ) || p_more)));
$$;
-- Classes at noon of several days, named after the day.
SELECT wallet.put_class(
    'd' || d, 'Class', pg_temp.noon(d), pg_temp.noon(d + 0.1), 10, 20, NULL, 1440, 'operator', NULL
) FROM generate_series(1, 85) AS d;
CREATE FUNCTION pg_temp.covered(p_user text, VARIADIC p_days integer[]) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(pg_temp.answer(pg_temp.book(p_user, p_user || d, 'd' || d, 1, 'unlimited')), ', ')
    FROM unnest(p_days) AS d;
$$;
-- The days of a user's active bookings, and who cancelled the others.
CREATE FUNCTION pg_temp.days_of(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', substr(b.class_id, 2), b.cancelled_by), ', ' ORDER BY b.starts_at)
    FROM wallet.booking_details AS b WHERE b.account_id = wallet.account_for(p_user);
$$;
CREATE FUNCTION pg_temp.comes(p_day numeric) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_temp.day(p_day);
    RETURN wallet.end_unlimited(100);
END;
$$;

-- A plan that is not renewed
SELECT pg_temp.period('ann', 0, 30);
SELECT is(
    pg_temp.covered('ann', 5, 29, 31, 40), repeat('201 booked 0, ', 3) || '201 booked 0',
    'a renewing plan books past its period'
);
SELECT is(pg_temp.comes(10), 0, 'a live plan needs no check');
SELECT is(pg_temp.days_of('ann'), '5, 29, 31, 40', 'no booking is cancelled');
SELECT pg_temp.report('ann', 'ann0', 'plan.unlimited', pg_temp.days(0, 30, jsonb_build_object(
    'original_transaction_id', 'ann', 'will_renew', FALSE
)));
SELECT is((SELECT s.will_renew FROM wallet.subscription_states AS s), FALSE, 'the plan does not renew');
SELECT is(pg_temp.comes(29.9), 0, 'before its end that cancels nothing');
SELECT is(pg_temp.comes(30), 1, 'the wallet is checked at the plan''s end');
SELECT is(pg_temp.days_of('ann'), '5, 29, 31 wallet, 40 wallet', 'upcoming bookings are cancelled, and past ones stay');
SELECT is(pg_temp.seats_sold('d31') || ' ' || pg_temp.seats_sold('d29'), '0 1', 'the seats are freed');
SELECT is(
    (SELECT string_agg(DISTINCT concat_ws(' ', wallet.event_body(o) #>> '{data,cancelled_by}',
        wallet.event_body(o) #>> '{data,late_cancel}'), ', ')
     FROM wallet.outbox AS o WHERE o.type = 'booking.cancelled'), 'wallet false',
     'the app gets an event for each cancellation'
);
SELECT is(wallet.end_unlimited(100), 0, 'once');
SELECT is_empty('SELECT FROM wallet.cover_checks', 'no pending check is left');
SELECT pg_temp.sound();

-- Renewed in time, in grace, and after grace
SELECT pg_temp.period('bob', 30, 60), pg_temp.covered('bob', 61, 62, 75);
SELECT pg_temp.day(59), pg_temp.period('bob', 60, 70);
SELECT is(pg_temp.comes(60.5), 0, 'a renewed plan is not looked at');
SELECT is(pg_temp.days_of('bob'), '61, 62, 75', 'the renewed plan still covers the bookings');
SELECT pg_temp.day(65), pg_temp.covered('bob', 71, 72);
SELECT pg_temp.report('bob', 'bob60', 'plan.unlimited', pg_temp.days(60, 70, jsonb_build_object(
    'original_transaction_id', 'bob', 'billing_issue', TRUE, 'grace_ends_at', pg_temp.noon(72.5)
)));
SELECT pg_temp.comes(70.5);
SELECT is(
    (SELECT s.status FROM wallet.subscription_states AS s WHERE s.account_id = wallet.account_for('bob')), 'grace',
    'the subscription is in grace'
);
SELECT is(pg_temp.days_of('bob'), '61, 62, 71, 72, 75', 'all bookings stay');
SELECT pg_temp.comes(72.5);
SELECT is(pg_temp.days_of('bob'), '61, 62, 71, 72, 75', 'the report of the renewal has an hour to come in');
SELECT is(pg_temp.comes(72.55), 1, 'then');
SELECT is(pg_temp.days_of('bob'), '61, 62, 71, 72, 75 wallet', 'upcoming bookings are cancelled');

-- A refund, a revocation
SELECT pg_temp.period('cid', 72, 102), pg_temp.covered('cid', 74, 80);
SELECT pg_temp.period('cid', 72, 102, '{"refunded_millionths": 1000000, "source_at": "2030-04-01T00:00:00Z"}');
SELECT is(wallet.end_unlimited(100), 1, 'a refund ends it at once');
SELECT is(pg_temp.days_of('cid'), '74 wallet, 80 wallet', 'its bookings are cancelled');

-- A downgrade: the next period has a different plan
SELECT pg_temp.period('dan', 72, 102), pg_temp.covered('dan', 80);
SELECT pg_temp.buy('dan', 'dan2', 'plan.explorer', pg_temp.days(72.6, 102.6, '{"original_transaction_id": "dan"}'));
SELECT is(wallet.end_unlimited(100) > 0, TRUE, 'another plan replaces it');
SELECT is(pg_temp.days_of('dan'), '80 wallet', 'the plan''s bookings are cancelled');

-- A transfer moves the coverage to the new owner
SELECT pg_temp.period('eve', 72, 102), pg_temp.covered('eve', 80), wallet.account_for('fay');
SELECT wallet.apply_transfer(jsonb_build_object(
    'from', jsonb_build_array('eve'), 'to', jsonb_build_array('fay'), 'at', wallet.now(), 'environment', 'production'
));
SELECT is(wallet.end_unlimited(100) > 0, TRUE, 'the former owner is looked at');
SELECT is(pg_temp.days_of('eve'), '80 wallet', 'the former owner has no coverage');
SELECT is(pg_temp.covered('fay', 81), '201 booked 0', 'the new one has');
SELECT is(wallet.end_unlimited(100), 0, 'no further check is due');

-- A released purchase covers nothing
SELECT pg_temp.period('gil', 72, 102), pg_temp.covered('gil', 80);
SELECT wallet.release_claim((pg_temp.claim('gil72')).claim_id);
SELECT is(wallet.end_unlimited(100), 1, 'an administrator''s release');
SELECT is(pg_temp.days_of('gil'), '80 wallet', 'the release ends the coverage');

-- A second unlimited plan, and a merge
UPDATE wallet.products SET subscription_group = NULL WHERE product_id LIKE '%subscription.unlimited';
SELECT pg_temp.period('hal', 72, 75), pg_temp.period('hal', 73, 103, '{"original_transaction_id": "hal2"}');
SELECT pg_temp.covered('hal', 80);
SELECT is(pg_temp.comes(75), 1, 'one of two plans ends');
SELECT is(pg_temp.days_of('hal'), '80', 'the other covers');
SELECT wallet.account_for('anon', TRUE), pg_temp.period('anon', 74, 76), pg_temp.covered('anon', 81);
SELECT wallet.account_for('ivy');
UPDATE wallet.identities SET is_anonymous = TRUE WHERE user_id = 'anon';
SELECT pg_temp.day(76.05), wallet.merge_accounts('anon', 'ivy');
SELECT is(wallet.end_unlimited(100), 2, 'pending checks of a merged account and of a missing renewal');
SELECT is(pg_temp.days_of('ivy'), '81 wallet', 'the check finds the bookings in the remaining account');

-- Paid bookings are not affected; neither are classes in the past
SELECT pg_temp.period('jan', 76, 77), pg_temp.gift('jan', 100), pg_temp.book('jan', 'paid', 'd82', 1, 'credits');
SELECT pg_temp.covered('jan', 83), pg_temp.comes(77.05);
SELECT is(pg_temp.days_of('jan'), '82, 83 wallet', 'paid bookings stay');
SELECT is(pg_temp.funds('jan'), '80 0 0 0', 'the paid booking returns nothing');

-- A class that the studio had cancelled, and pending checks without a wallet
SELECT pg_temp.period('kim', 76, 78), pg_temp.covered('kim', 84), wallet.cancel_class('d84', NULL, 'operator', NULL);
SELECT pg_temp.comes(78.05);
SELECT is(pg_temp.days_of('kim'), '84 studio', 'a class that was cancelled is cancelled by the studio');
SELECT wallet.check_cover(wallet.account_for('lea'), 'sandbox', TRUE);
SELECT wallet.check_cover(wallet.account_for('lea'), 'production', TRUE);
SELECT wallet.check_cover(wallet.account_for('kim'), 'sandbox', TRUE);
SELECT wallet.check_cover(wallet.account_for('kim'), 'production', FALSE);
SELECT is(wallet.end_unlimited(100), 0, 'accounts without a wallet or covered bookings need no check');
SELECT is_empty('SELECT FROM wallet.cover_checks', 'no pending check is left');

-- A renewal that is reported late
SELECT pg_temp.period('noa', 78, 78.5), pg_temp.covered('noa', 80);
SELECT is(pg_temp.comes(78.52), 1, 'the wallet is checked at the end');
SELECT is(pg_temp.days_of('noa'), '80', 'the booking stays until the deadline');
SELECT is(wallet.end_unlimited(100), 0, 'no check is repeated meanwhile');
SELECT pg_temp.period('noa', 78.5, 108.5, '{"original_transaction_id": "noa"}');
SELECT set_config('t.now', (SELECT c.due_at FROM wallet.cover_checks AS c)::text, TRUE);
SELECT is(wallet.now(), pg_temp.noon(78.5) + interval '1 hour', 'the hour after the end');
SELECT is(wallet.end_unlimited(100), 1, 'the renewal is processed when the period is over');
SELECT is(pg_temp.days_of('noa'), '80', 'no booking is lost');

-- A plan of the sandbox
SELECT pg_temp.period('ora', 78, 108), pg_temp.covered('ora', 82);
SELECT pg_temp.period('ora', 77, 107, '{"original_transaction_id": "orb", "environment": "sandbox"}');
SELECT pg_temp.period('ora', 78, 108, jsonb_build_object('refunded_millionths', 1000000, 'source_at', wallet.now()));
SELECT wallet.end_unlimited(100);
SELECT is(pg_temp.days_of('ora'), '82 wallet', 'the sandbox plan covers nothing in production');

-- In batches
SELECT pg_temp.period('m' || i, 77, 79), pg_temp.covered('m' || i, 85) FROM generate_series(1, 3) AS i;
SELECT pg_temp.day(79.05);
SELECT is(wallet.end_unlimited(2), 2, 'the limit of one call holds');
SELECT is(pg_temp.seats_sold('d85'), 1, 'the others are left');
SELECT is(wallet.end_unlimited(2), 1, 'the next call processes the rest');
SELECT is(pg_temp.seats_sold('d85'), 0, 'all seats are free');
-- A class that begins when the plan ends
SELECT pg_temp.period('pia', 79, 80), pg_temp.covered('pia', 80, 81);
SELECT pg_temp.report('pia', 'pia79', 'plan.unlimited', pg_temp.days(79, 80, jsonb_build_object(
    'original_transaction_id', 'pia', 'will_renew', FALSE
)));
SELECT pg_temp.comes(80);
SELECT is(pg_temp.days_of('pia'), '80, 81 wallet', 'the class that has begun stays booked');
SELECT wallet.settle_classes(10);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
