-- wallet.forecast and its helpers: the future balance of a wallet (rules 6, 24, 29). For the present it equals the
-- balance; for a later instant it equals the balance after the clock and the stores have reached that instant.
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
-- The comparable part of a balance: future lots get different ids.
CREATE FUNCTION pg_temp.comparable(p_balance jsonb) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object('next_rollover_at', p_balance -> 'next_rollover_at') || (
        SELECT jsonb_object_agg(m.name, p_balance -> m.name)
        FROM unnest(ARRAY['credits', 'visits', 'unlimited', 'owed_credits', 'owed_visits',
            'as_of']) AS m (name)
    ) || jsonb_build_object('lots', (
        SELECT jsonb_agg(to_jsonb(l) ORDER BY l.unit, l.expires_at, l.granted, l.remaining)
        FROM jsonb_to_recordset(p_balance -> 'lots') AS l (
            unit text, source text, product_id text, granted bigint, remaining bigint, expires_at timestamptz
        )
    ));
$$;
CREATE FUNCTION pg_temp.ahead(p_user text, p_at timestamptz) RETURNS jsonb LANGUAGE sql AS $$
    SELECT pg_temp.comparable(to_jsonb(wallet.forecast(wallet.account_for(p_user), 'production', p_at)));
$$;
CREATE FUNCTION pg_temp.holds(p_user text) RETURNS jsonb LANGUAGE sql AS $$
    SELECT pg_temp.comparable(to_jsonb(b) || jsonb_build_object('lots', ARRAY(
        SELECT to_jsonb(l) FROM wallet.open_lots AS l
        WHERE (l.account_id, l.environment) = (b.account_id, b.environment) AND l.expires_at > b.as_of
    )))
    FROM wallet.balances AS b
    WHERE b.account_id = wallet.account_for(p_user) AND b.environment = 'production';
$$;
CREATE FUNCTION pg_temp.brief(p_balance jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', p_balance ->> 'credits', p_balance ->> 'visits', p_balance ->> 'owed_credits',
        p_balance ->> 'owed_visits', CASE WHEN (p_balance ->> 'unlimited')::boolean THEN 'unlimited' END);
$$;
-- Stores the forecast for a day, for comparison when that day has come.
CREATE TEMPORARY TABLE forecasts (who text, day numeric, said jsonb, PRIMARY KEY (who, day));
CREATE FUNCTION pg_temp.foresee(p_who text, VARIADIC p_days numeric[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO forecasts SELECT p_who, d, pg_temp.ahead(p_who, pg_temp.noon(d)) FROM unnest(p_days) AS d;
$$;
CREATE FUNCTION pg_temp.came_true(p_who text, p_day numeric, p_brief text, p_description text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
BEGIN
    RETURN NEXT is(pg_temp.brief(f.said), p_brief, p_description) FROM forecasts AS f
    WHERE (f.who, f.day) = (p_who, p_day);
    RETURN NEXT is(pg_temp.holds(p_who), f.said, p_description || ', and so it came') FROM forecasts AS f
    WHERE (f.who, f.day) = (p_who, p_day);
END;
$$;
-- Plans with periods in days, so that they do not end with calendar months.
UPDATE wallet.products SET period = 'P30D', rollover_percentage = CASE WHEN tier = 2 THEN 50 ELSE 0 END,
    trial_amount = CASE WHEN tier = 1 THEN 1 ELSE 0 END WHERE kind = 'plan';

-- Now: every kind of wallet
SELECT pg_temp.gift('lots', 5, 'credit', '10 days'), pg_temp.gift('lots', 7),
    pg_temp.gift('lots', 2, 'visit', '10 days'),
    pg_temp.gift('lots', 1, 'credit', '10 days'), pg_temp.buy('lots', 'l1', 'threeVisit');
SELECT pg_temp.buy('owes', 'o1', 'starter'), pg_temp.buy('owes', 'o2', 'threeVisit'),
    pg_temp.lesson('cls', 20), pg_temp.book('owes', 'k', 'cls'),
    wallet.consume_pass(wallet.account_for('owes'), 'production', 'o2', 'door');
SELECT pg_temp.buy('plan', 'chain', 'plan.enthusiast', pg_temp.days(0, 30));
SELECT pg_temp.buy('uma', 'uc', 'plan.unlimited', pg_temp.days(0, 30, '{"original_transaction_id": "uc"}'));
SELECT pg_temp.buy('trial', 'tc', 'plan.explorer', pg_temp.days(0, 7,
    '{"original_transaction_id": "tc", "period_type": "trial"}'));
SELECT pg_temp.buy('quits', 'qc', 'plan.enthusiast', pg_temp.days(0, 30,
    '{"original_transaction_id": "qc", "will_renew": false}'));
SELECT pg_temp.wait('1 second');
SELECT pg_temp.buy('owes', 'o1', 'starter', '{"refunded_millionths": 1000000}'),
    pg_temp.buy('owes', 'o2', 'threeVisit', '{"refunded_millionths": 1000000}');
SELECT is(
    pg_temp.ahead(u.user_id, wallet.now()), pg_temp.holds(u.user_id),
    u.user_id || ': the forecast for the present equals the balance'
)
FROM wallet.users AS u ORDER BY u.user_id;
SELECT is(
    pg_temp.brief(pg_temp.ahead('nobody', wallet.now() + interval '9 days')), '0 0 0 0', 'a user never seen has nothing'
);
SELECT is(
    (SELECT concat_ws(' ', f.version, f.as_of = wallet.now() + interval '9 days')
    FROM wallet.forecast(wallet.account_for('lots'), 'production', wallet.now() + interval '9 days') AS f), '5 t',
    'the current version and the requested instant'
);
SELECT is(
    pg_temp.brief(to_jsonb(wallet.forecast(wallet.account_for('lots'), 'sandbox', wallet.now()))), '0 0 0 0',
    'another environment is another wallet'
);

-- The range of the forecast
SELECT is(
    pg_temp.raised(format('SELECT wallet.forecast(1, ''production'', %L)', wallet.now() + r.by)), r.answer,
    r.description
) FROM (VALUES
    (interval '-61 seconds', 'WL400 forecast-out-of-range', 'an instant in the past is refused'),
    (interval '-60 seconds', 'nothing', 'an instant within the last minute is accepted'),
    (interval '730 days', 'nothing', 'two years ahead are accepted'),
    (interval '730 days 1 second', 'WL400 forecast-out-of-range', 'a later instant is refused'),
    (NULL, 'WL400 forecast-out-of-range', 'a missing instant is refused')
) AS r (by, answer, description);

-- Later
SELECT pg_temp.foresee('lots', 9, 10, 20, 60), pg_temp.foresee('owes', 30), pg_temp.foresee('plan', 29, 30, 45, 60, 91),
    pg_temp.foresee('uma', 29, 30, 365), pg_temp.foresee('trial', 6, 7, 30, 37), pg_temp.foresee('quits', 29, 30, 60);
SELECT is(
    (SELECT f.said #>> '{lots,0,source}' FROM forecasts AS f WHERE (f.who, f.day) = ('plan', 60)), 'plan',
    'future lots have the source plan'
);
SELECT is(
    pg_temp.ahead('plan', pg_temp.noon(45)) -> 'next_rollover_at', to_jsonb(pg_temp.noon(60)), 'the next rollover'
);
SELECT pg_temp.day(6);
SELECT pg_temp.came_true('trial', 6, '0 1 0 0', 'a trial');
SELECT pg_temp.day(7), pg_temp.buy('trial', 'tc2', 'plan.explorer',
    pg_temp.days(7, 37, '{"original_transaction_id": "tc"}'));
SELECT pg_temp.came_true('trial', 7, '0 4 0 0', 'the trial continues as the plan');
SELECT pg_temp.day(9);
SELECT pg_temp.came_true('lots', 9, '13 5 0 0', 'a day before gifts expire');
SELECT pg_temp.day(10);
SELECT pg_temp.came_true('lots', 10, '7 3 0 0', 'the lots are gone at their expiry');
SELECT pg_temp.day(20);
SELECT pg_temp.came_true('lots', 20, '7 3 0 0', 'the rest stays');
SELECT pg_temp.day(29);
SELECT pg_temp.came_true('plan', 29, '0 10 0 0', 'before the period ends');
SELECT pg_temp.came_true('uma', 29, '0 0 0 0 unlimited', 'an unlimited plan');
SELECT pg_temp.came_true('quits', 29, '0 10 0 0', 'a plan that will not renew');
SELECT pg_temp.day(30), pg_temp.buy('plan', 'p2', 'plan.enthusiast', pg_temp.days(30, 60)),
    pg_temp.buy('uma', 'u2', 'plan.unlimited', pg_temp.days(30, 60, '{"original_transaction_id": "uc"}'));
SELECT pg_temp.came_true('plan', 30, '0 15 0 0', 'a renewal with half of what lapsed');
SELECT pg_temp.came_true('uma', 30, '0 0 0 0 unlimited', 'renewed');
SELECT pg_temp.came_true('quits', 30, '0 0 0 0', 'ended');
SELECT pg_temp.came_true('trial', 30, '0 4 0 0', 'still the same period');
SELECT pg_temp.came_true('owes', 30, '0 0 20 1', 'debts stay while nothing is granted');
SELECT pg_temp.day(37), pg_temp.buy('trial', 'tc3', 'plan.explorer',
    pg_temp.days(37, 67, '{"original_transaction_id": "tc"}'));
SELECT pg_temp.came_true('trial', 37, '0 4 0 0', 'the trial''s visits do not roll over');
SELECT pg_temp.day(45);
SELECT pg_temp.came_true('plan', 45, '0 15 0 0', 'between renewals');
SELECT pg_temp.day(60), pg_temp.buy('plan', 'p3', 'plan.enthusiast', pg_temp.days(60, 90));
SELECT pg_temp.came_true('plan', 60, '0 15 0 0', 'rolled-over visits do not roll over again');
SELECT pg_temp.came_true('quits', 60, '0 0 0 0', 'an ended plan grants nothing');
SELECT pg_temp.came_true('lots', 60, '7 0 0 0', 'the pass is gone');
SELECT pg_temp.day(90), pg_temp.buy('plan', 'p4', 'plan.enthusiast', pg_temp.days(90, 120)), pg_temp.day(91);
SELECT pg_temp.came_true('plan', 91, '0 15 0 0', 'four periods on');

-- The renewal repays a debt, and the rollover has a cap
UPDATE wallet.products SET rollover_percentage = 100, rollover_cap = 3 WHERE tier = 2;
SELECT pg_temp.buy('debt', 'dp', 'tenVisit'), pg_temp.lesson('dear', NULL, 8, 10, '5 days'),
    pg_temp.book('debt', 'd', 'dear', 1, 'visits');
SELECT pg_temp.buy('debt', 'dc', 'plan.enthusiast', pg_temp.days(91, 121, '{"original_transaction_id": "dc"}')),
    pg_temp.lesson('more', NULL, 2, 10, '5 days'), pg_temp.wait('1 second');
SELECT pg_temp.gift('debt', 1, 'credit'), pg_temp.buy('debt', 'dp', 'tenVisit', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.brief(pg_temp.holds('debt')), '1 10 0 8', 'a debt of visits that a refund left');
SELECT pg_temp.foresee('debt', 120.5, 121, 151);
SELECT pg_temp.day(120.5);
SELECT pg_temp.came_true('debt', 120.5, '1 10 0 8', 'the debt waits for a grant');
SELECT pg_temp.day(121), pg_temp.buy('debt', 'd2', 'plan.enthusiast',
    pg_temp.days(121, 151, '{"original_transaction_id": "dc"}'));
SELECT pg_temp.came_true('debt', 121, '1 5 0 0', 'the renewal repays before anything is spendable, then three roll');
SELECT pg_temp.day(151), pg_temp.buy('debt', 'd3', 'plan.enthusiast',
    pg_temp.days(151, 181, '{"original_transaction_id": "dc"}'));
SELECT pg_temp.came_true('debt', 151, '1 12 0 0', 'visits that repaid a debt do not roll over');

-- A refunded share reduces the rollover; if the next period is already known, the rollover happens when the first one
-- lapses
SELECT pg_temp.buy('part', 'pa', 'plan.enthusiast', pg_temp.days(151, 181, '{"original_transaction_id": "pa"}'));
UPDATE wallet.products SET rollover_cap = NULL WHERE tier = 2;
SELECT pg_temp.buy('early', 'ea', 'plan.enthusiast', pg_temp.days(151, 181, '{"original_transaction_id": "ea"}')),
    pg_temp.buy('early', 'e2', 'plan.enthusiast', pg_temp.days(180, 211, '{"original_transaction_id": "ea"}')),
    pg_temp.wait('1 second'), pg_temp.buy('part', 'pa', 'plan.enthusiast', pg_temp.days(151, 181,
    '{"original_transaction_id": "pa", "refunded_millionths": 500000}'));
SELECT pg_temp.foresee('part', 181), pg_temp.foresee('early', 180, 181, 211);
SELECT pg_temp.day(180);
SELECT pg_temp.came_true('early', 180, '0 20 0 0', 'a renewal that came early');
SELECT pg_temp.day(181), pg_temp.buy('part', 'p5', 'plan.enthusiast',
    pg_temp.days(181, 211, '{"original_transaction_id": "pa"}'));
SELECT pg_temp.came_true(
    'early', 181, '0 20 0 0', 'after an early renewal the rollover comes when the first period lapses'
);
SELECT pg_temp.came_true('part', 181, '0 13 0 0', 'the unrefunded half rolls over up to the cap');

-- Half of the unspent, unrefunded amount rolls over, rounded down; a refund of the next period takes its share of that
UPDATE wallet.products SET rollover_percentage = 50 WHERE tier = 2;
CREATE FUNCTION pg_temp.odd(p_user text, p_from numeric, p_millionths integer) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_user || p_from, 'plan.enthusiast', pg_temp.days(
        p_from, p_from + 30, jsonb_build_object('original_transaction_id', p_user, 'refunded_millionths', p_millionths)
    )));
$$;
SELECT pg_temp.odd('odd', 181, 0), pg_temp.odd('both', 181, 0), pg_temp.odd('both', 211, 0),
    pg_temp.wait('1 second');
SELECT pg_temp.odd('odd', 181, 500000), pg_temp.odd('both', 181, 100000), pg_temp.odd('both', 211, 500000);
SELECT pg_temp.foresee('odd', 211), pg_temp.foresee('both', 211);
SELECT pg_temp.day(211), pg_temp.odd('odd', 211, 0);
SELECT pg_temp.came_true('odd', 211, '0 12 0 0', 'half of five is two');
SELECT pg_temp.came_true('both', 211, '0 7 0 0', 'half of nine is four, and half of that is added to half of ten');
UPDATE wallet.products SET rollover_percentage = 100 WHERE tier = 2;

-- Grace periods, and expiries that are not posted yet
SELECT pg_temp.buy('late', 'la', 'plan.unlimited', pg_temp.days(181, 211,
    '{"original_transaction_id": "la", "source": "notification", "grace_ends_at": "2030-08-10T12:00:00Z",
      "billing_issue": true}'));
SELECT set_config('t.now', pg_temp.noon(215)::text, TRUE);
SELECT is(
    pg_temp.ahead(u.user_id, wallet.now()), pg_temp.holds(u.user_id),
    u.user_id || ': without the sweeper, the forecast for the present equals the balance'
)
FROM wallet.users AS u WHERE pg_temp.holds(u.user_id) IS NOT NULL ORDER BY u.user_id;
SELECT is(pg_temp.brief(pg_temp.ahead('late', wallet.now())), '0 0 0 0 unlimited', 'a grace period gives access');
SELECT is(
    pg_temp.brief(pg_temp.ahead('late', '2030-08-10 12:00:00+00')), '0 0 0 0',
    'a plan in its grace period is counted on until that ends, and no longer'
);

-- Periods in calendar months
UPDATE wallet.products SET period = 'P1M' WHERE tier = 2;
SELECT pg_temp.buy('month', 'mo', 'plan.enthusiast', jsonb_build_object('purchased_at', wallet.now(),
    'expires_at', '2030-08-31T12:00:00Z', 'original_transaction_id', 'mo'));
SET LOCAL timezone = 'America/New_York';
SELECT is(
    (SELECT string_agg(to_char(
        (l.value ->> 'expires_at')::timestamptz AT TIME ZONE 'UTC', 'MM-DD HH24'
    ), ' ' ORDER BY l.ordinality) FROM jsonb_array_elements(pg_temp.ahead('month', a.at::timestamptz) -> 'lots')
        WITH ORDINALITY AS l), a.ends, a.at
) FROM (VALUES
    ('2030-08-31 11:59:59Z', '08-31 12'), ('2030-08-31 12:00:00Z', '09-30 12 09-30 12'),
    ('2030-09-30 12:00:00Z', '10-31 12 10-31 12'), ('2030-11-30 12:00:00Z', '12-31 12 12-31 12')
) AS a (at, ends);
SET LOCAL timezone = 'UTC';
UPDATE wallet.products SET period = 'P1D' WHERE tier = 2;
SELECT is(
    pg_temp.brief(pg_temp.ahead('month', wallet.now() + interval '730 days')), '0 20 0 0', 'two years by the day'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
