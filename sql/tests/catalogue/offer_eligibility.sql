-- wallet.offer_eligibility: promotional offers are for current and former subscribers.
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
INSERT INTO wallet.offers (product_id, offer_id, name, eligibility, is_active) VALUES
('com.hobbyist.bookingapp.subscription.explorer', 'any', 'Any', 'subscribed_before', TRUE),
('com.hobbyist.bookingapp.subscription.explorer', 'stay', 'Stay', 'active', TRUE),
('com.hobbyist.bookingapp.subscription.explorer', 'back', 'Come back', 'lapsed', TRUE),
('com.hobbyist.bookingapp.subscription.explorer', 'old', 'Old', 'subscribed_before', FALSE);
CREATE FUNCTION pg_temp.may(p_user text, p_environment text DEFAULT 'production') RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(coalesce(wallet.offer_eligibility(
        p_user, p_environment::wallet.environment, 'com.hobbyist.bookingapp.subscription.explorer', o
    ), 'yes'), ' ' ORDER BY n)
    FROM unnest(ARRAY['any', 'stay', 'back', 'old', 'none']) WITH ORDINALITY AS u (o, n);
$$;
SELECT is(
    pg_temp.may('ann'), 'not-eligible not-eligible not-eligible offer-not-found offer-not-found', 'a stranger'
);
SELECT pg_temp.buy('ann', 'p1', 'plan.enthusiast', pg_temp.days(0, 30));
SELECT is(
    pg_temp.may('ann'), 'yes yes not-eligible offer-not-found offer-not-found', 'a subscriber to a plan of the group'
);
SELECT is(
    pg_temp.may('ann', 'sandbox'), 'not-eligible not-eligible not-eligible offer-not-found offer-not-found',
    'a subscription in the other environment does not count'
);
SELECT is(
    pg_temp.may('bob'), 'not-eligible not-eligible not-eligible offer-not-found offer-not-found',
    'another user is not eligible'
);
SELECT pg_temp.buy('tim', 'tp1', 'plan.enthusiast', pg_temp.days(0, 30) || '{"environment": "sandbox"}');
SELECT is(
    pg_temp.may('tim', 'sandbox'), 'not-eligible not-eligible not-eligible offer-not-found offer-not-found',
    'a test subscription opens no offer'
);
INSERT INTO admin.testers (user_id) VALUES ('tim');
SELECT is(
    pg_temp.may('tim', 'sandbox'), 'yes yes not-eligible offer-not-found offer-not-found',
    'a tester is eligible in the sandbox'
);
SELECT pg_temp.day(30);
SELECT is(pg_temp.may('ann'), 'yes not-eligible yes offer-not-found offer-not-found', 'a former subscriber');
UPDATE wallet.products SET subscription_group = 'other' WHERE product_id LIKE '%subscription.enthusiast';
SELECT is(
    pg_temp.may('ann'), 'not-eligible not-eligible not-eligible offer-not-found offer-not-found',
    'a subscription of another group does not count'
);
UPDATE wallet.products SET is_active = FALSE WHERE product_id LIKE '%subscription.explorer';
SELECT is(
    wallet.offer_eligibility('ann', 'production', 'com.hobbyist.bookingapp.subscription.explorer', 'any'),
    'offer-not-found', 'a plan that is not on sale'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
