-- The catalogue of HobbyApp: four packs, four passes, three plans. Products that already exist stay unchanged.
INSERT INTO wallet.products (
    product_id, kind, name, description, unit, amount, price_minor, is_popular, display_order, app_store_id,
    play_store_id, revenuecat_id
) VALUES
(
    'com.hobbyist.bookingapp.credits.starter', 'pack', 'Starter', '25 credits to try a class or two.', 'credit', 25,
    4900, FALSE, 1, 'com.hobbyist.bookingapp.credits.starter', 'com.hobbyist.bookingapp.credits.starter',
    'com.hobbyist.bookingapp.credits.starter'
),
(
    'com.hobbyist.bookingapp.credits.explorer', 'pack', 'Explorer', '50 credits to look around.', 'credit', 50,
    9900, FALSE, 2, 'com.hobbyist.bookingapp.credits.explorer', 'com.hobbyist.bookingapp.credits.explorer',
    'com.hobbyist.bookingapp.credits.explorer'
),
(
    'com.hobbyist.bookingapp.credits.enthusiast', 'pack', 'Enthusiast', '100 credits for a hobby of your own.',
    'credit', 100, 17900, TRUE, 3, 'com.hobbyist.bookingapp.credits.enthusiast',
    'com.hobbyist.bookingapp.credits.enthusiast', 'com.hobbyist.bookingapp.credits.enthusiast'
),
(
    'com.hobbyist.bookingapp.credits.power', 'pack', 'Power', '200 credits for every week of the season.', 'credit',
    200, 29900, FALSE, 4, 'com.hobbyist.bookingapp.credits.power', 'com.hobbyist.bookingapp.credits.power',
    'com.hobbyist.bookingapp.credits.power'
)
ON CONFLICT (product_id) DO NOTHING;

INSERT INTO wallet.products (
    product_id, kind, name, description, unit, amount, price_minor, display_order, app_store_id, play_store_id,
    revenuecat_id, valid_days
) VALUES
(
    'singleVisit', 'pass', 'Single visit', 'One visit within 30 days, materials included.', 'visit', 1, 1599, 11,
    'singleVisit', 'singleVisit', 'singleVisit', 30
),
(
    'threeVisit', 'pass', 'Three visits', 'Three visits within 60 days.', 'visit', 3, 4499, 12, 'threeVisit',
    'threeVisit', 'threeVisit', 60
),
(
    'fiveVisit', 'pass', 'Five visits', 'Five visits within 90 days.', 'visit', 5, 6999, 13, 'fiveVisit', 'fiveVisit',
    'fiveVisit', 90
),
(
    'tenVisit', 'pass', 'Ten visits', 'Ten visits within 180 days.', 'visit', 10, 12999, 14, 'tenVisit', 'tenVisit',
    'tenVisit', 180
)
ON CONFLICT (product_id) DO NOTHING;

INSERT INTO wallet.products (
    product_id, kind, name, description, unit, amount, price_minor, is_popular, display_order, app_store_id,
    play_store_id, revenuecat_id, tier, entitlements, period, unlimited, rollover_percentage, rollover_cap,
    subscription_group, days_ahead
) VALUES
(
    'com.hobbyist.bookingapp.subscription.explorer', 'plan', 'Hobbyist Explorer', '4 visits a month.', 'visit', 4,
    4900, FALSE, 21, 'com.hobbyist.bookingapp.subscription.explorer', 'com.hobbyist.bookingapp.subscription.explorer',
    'com.hobbyist.bookingapp.subscription.explorer', 1, ARRAY['premium'], 'P1M', FALSE, 0, NULL, 'hobbyist',
    NULL
),
(
    'com.hobbyist.bookingapp.subscription.enthusiast', 'plan', 'Creative Enthusiast', '10 visits a month.', 'visit',
    10, 9900, TRUE, 22, 'com.hobbyist.bookingapp.subscription.enthusiast',
    'com.hobbyist.bookingapp.subscription.enthusiast', 'com.hobbyist.bookingapp.subscription.enthusiast', 2,
    ARRAY['premium'], 'P1M', FALSE, 50, 10, 'hobbyist', 60
),
(
    'com.hobbyist.bookingapp.subscription.unlimited', 'plan', 'Unlimited Creator', 'As many classes as you like.',
    'visit', 0, 17900, FALSE, 23, 'com.hobbyist.bookingapp.subscription.unlimited',
    'com.hobbyist.bookingapp.subscription.unlimited', 'com.hobbyist.bookingapp.subscription.unlimited', 3,
    ARRAY['premium'], 'P1M', TRUE, 0, NULL, 'hobbyist', 90
)
ON CONFLICT (product_id) DO NOTHING;
