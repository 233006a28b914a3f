-- wallet.allocate_lots: the order in which lots pay, and which lots may pay for which class (rule 7).
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.burns(
    p_user text, p_amount bigint, p_ahead interval DEFAULT '3 days', p_unit wallet.unit DEFAULT 'credit'
) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce(p.slug, p.amounts::text)
    FROM wallet.allocate_lots(wallet.account_for(p_user), 'production', p_unit, p_amount, wallet.now() + p_ahead) AS p;
$$;
SELECT
    pg_temp.gift('ann', 1), pg_temp.gift('ann', 2), pg_temp.gift('ann', 3, 'credit', '9 days'),
    pg_temp.gift('ann', 4, 'credit', '5 days'), pg_temp.gift('ann', 5, 'credit', '5 days'),
    pg_temp.gift('ann', 7, 'visit', '4 days');

SELECT is(pg_temp.burns('ann', 15), '{4,5,3,1,2}', 'soonest expiry first, never-expiring last, then lot id');
SELECT is(pg_temp.burns('ann', 10), '{4,5,1}', 'the last lot pays only the rest');
SELECT is(pg_temp.burns('ann', 4), '{4}', 'lots that are not needed are not used');
SELECT is(pg_temp.burns('ann', 16), 'insufficient-credits', 'visits do not pay in credits');
SELECT is(pg_temp.burns('ann', 7, '1 hour', 'visit'), '{7}', 'lots of visits pay visits');

-- A lot pays only for a class that starts before the lot expires
SELECT is(pg_temp.burns('ann', 9, '5 days - 1 microsecond'), '{4,5}', 'a class just before the lots end');
SELECT is(pg_temp.burns('ann', 6, '5 days'), '{3,1,2}', 'a class at the instant at which they end');
SELECT is(pg_temp.burns('ann', 7, '5 days'), 'insufficient-credits', 'expiring lots are not available for the class');
SELECT is(pg_temp.burns('ann', 4, '9 days'), 'insufficient-credits', 'later expiries limit later classes, too');
SELECT is(pg_temp.burns('ann', 3, '10 years'), '{1,2}', 'lots without an expiry pay for any class');

-- A due expiry counts even before it is posted
SELECT pg_temp.wait('5 days - 1 microsecond');
SELECT is(pg_temp.burns('ann', 9, '0'), '{4,5}', 'a microsecond before they end the lots pay');
SELECT pg_temp.wait('1 microsecond');
SELECT is(pg_temp.burns('ann', 6, '0'), '{3,1,2}', 'lots do not pay at their expiry, even without the sweeper');
SELECT is(
    (SELECT p.detail FROM wallet.allocate_lots(
        wallet.account_for('ann'), 'production', 'credit', 20, wallet.now()
    ) AS p),
    '{"unit": "credit", "required": 20, "available": 6, "needed": 14}',
    'a refusal counts the credits that can pay, not the wallet''s row'
);
SELECT is(pg_temp.funds('ann'), '6 0 0 0', 'the refusal agrees with the balance');

-- Booking a wallet posts the expiry first
SELECT pg_temp.lesson('a', 6), pg_temp.book('ann', 'k', 'a');
SELECT is(
    pg_temp.story('ann', 6), 'lapse -7, lapse -4, lapse -5, spend -3, spend -1, spend -2',
    'the booking posts due expiries, the soonest first, and then spends'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
