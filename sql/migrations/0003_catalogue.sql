-- The catalogue. A lot copies the terms that it needs, so editing a product never changes sold lots.

-- A further lot of a bundle (rule 40): the first lot has the product's own unit, amount and validity. Credits become a
-- lot like that of a pack, visits one like that of a pass. valid_days and starts_within_days have the same meaning as
-- in wallet.products.
CREATE TYPE wallet.bundle_item AS (
    unit wallet.unit,
    amount BIGINT,
    valid_days INTEGER,
    starts_within_days INTEGER
);
-- Returns whether items form a valid bundle: at most 10, each with a unit and an amount. Bought credits never expire.
CREATE FUNCTION wallet.are_bundle_items(p_items wallet.bundle_item[]) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
    SELECT cardinality(p_items) <= 10 AND coalesce(array_ndims(p_items), 1) = 1 AND coalesce(bool_and(
        i.unit IS NOT NULL AND coalesce(i.amount BETWEEN 1 AND 1000000, FALSE)
        AND (i.valid_days IS NULL OR i.unit = 'visit' AND i.valid_days BETWEEN 1 AND 3660)
        AND (i.starts_within_days IS NULL OR i.valid_days IS NOT NULL AND i.starts_within_days BETWEEN 1 AND 3660)
    ), TRUE)
    FROM unnest(p_items) AS i;
$$;
COMMENT ON FUNCTION wallet.are_bundle_items(wallet.bundle_item[]) IS 'Returns whether items form a valid bundle.';

CREATE TABLE wallet.products (
    product_id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    unit wallet.unit NOT NULL,
    amount BIGINT NOT NULL DEFAULT 0,
    bonus BIGINT NOT NULL DEFAULT 0,
    price_minor BIGINT NOT NULL,
    currency TEXT NOT NULL DEFAULT 'USD',
    is_active BOOLEAN NOT NULL DEFAULT TRUE,
    is_popular BOOLEAN NOT NULL DEFAULT FALSE,
    display_order INTEGER NOT NULL DEFAULT 0,
    app_store_id TEXT UNIQUE,
    play_store_id TEXT UNIQUE,
    revenuecat_id TEXT UNIQUE,
    valid_days INTEGER,
    grace_days INTEGER NOT NULL DEFAULT 7,
    tier INTEGER NOT NULL DEFAULT 0,
    entitlements TEXT[] NOT NULL DEFAULT '{}',
    period TEXT,
    unlimited BOOLEAN NOT NULL DEFAULT FALSE,
    trial_amount BIGINT NOT NULL DEFAULT 0,
    rollover_percentage INTEGER NOT NULL DEFAULT 0,
    rollover_cap BIGINT,
    subscription_group TEXT,
    grant_source TEXT NOT NULL DEFAULT 'purchase',
    days_ahead INTEGER,
    -- The total amount of a commitment that is billed monthly; null for amount plus bonus.
    commitment_amount BIGINT,
    -- The days in a year for which a lot of the product may be frozen, and the shortest freeze; null for no freeze.
    freeze_days INTEGER,
    freeze_minimum_days INTEGER,
    -- If set, the valid_days start at the first use, at the latest so many days after the purchase; null for at the
    -- purchase.
    starts_within_days INTEGER,
    -- The further lots that one purchase of a bundle grants.
    bundle_items wallet.bundle_item[] NOT NULL DEFAULT '{}',
    -- When the product was added to the catalogue, for apps that used to read it from their own table.
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT products_product_id_shape CHECK (product_id ~ '^[A-Za-z0-9._:-]{1,128}$'),
    CONSTRAINT products_name_length CHECK (char_length(name) BETWEEN 1 AND 200),
    CONSTRAINT products_kind_known CHECK (kind IN ('pack', 'pass', 'plan')),
    CONSTRAINT products_pack_is_credits CHECK (kind <> 'pack' OR unit = 'credit'),
    CONSTRAINT products_pass_is_visits CHECK (kind <> 'pass' OR unit = 'visit'),
    CONSTRAINT products_amounts_sane CHECK (
        amount BETWEEN 0 AND 1000000 AND bonus BETWEEN 0 AND 1000000 AND trial_amount BETWEEN 0 AND 1000000
    ),
    CONSTRAINT products_grants_something CHECK (amount > 0 OR (kind = 'plan' AND unlimited)),
    CONSTRAINT products_price_not_negative CHECK (price_minor >= 0),
    CONSTRAINT products_currency_iso CHECK (currency ~ '^[A-Z]{3}$'),
    CONSTRAINT products_credits_never_expire CHECK (kind <> 'pack' OR valid_days IS NULL),
    CONSTRAINT products_valid_days_positive CHECK (valid_days BETWEEN 1 AND 3660),
    CONSTRAINT products_grace_days_sane CHECK (grace_days BETWEEN 0 AND 366),
    CONSTRAINT products_plan_has_period CHECK ((kind = 'plan') = (period IS NOT NULL)),
    CONSTRAINT products_period_shape CHECK (period ~ '^P[1-9][0-9]{0,2}[DWMY]$'),
    CONSTRAINT products_only_plans_unlimited CHECK (kind = 'plan' OR NOT unlimited),
    CONSTRAINT products_rollover_percent CHECK (rollover_percentage BETWEEN 0 AND 100),
    CONSTRAINT products_rollover_cap_not_negative CHECK (rollover_cap >= 0),
    CONSTRAINT products_grant_source_known CHECK (grant_source IN ('purchase', 'virtual_currency')),
    CONSTRAINT products_days_ahead_of_plans CHECK (
        days_ahead IS NULL OR (kind = 'plan' AND days_ahead BETWEEN 0 AND 3660)
    ),
    CONSTRAINT products_freeze_sane CHECK (
        freeze_days IS NULL OR (kind <> 'pack' AND freeze_days BETWEEN 1 AND 365)
    ),
    CONSTRAINT products_freeze_minimum_sane CHECK (
        freeze_minimum_days IS NULL OR (freeze_days IS NOT NULL AND freeze_minimum_days BETWEEN 1 AND freeze_days)
    ),
    CONSTRAINT products_commitment_of_plans CHECK (
        commitment_amount IS NULL OR (kind = 'plan' AND NOT unlimited AND commitment_amount BETWEEN 1 AND 1000000)
    ),
    CONSTRAINT products_first_use_of_passes CHECK (
        starts_within_days IS NULL
        OR (kind = 'pass' AND valid_days IS NOT NULL AND starts_within_days BETWEEN 1 AND 3660)
    ),
    CONSTRAINT products_bundle_items_valid CHECK (wallet.are_bundle_items(bundle_items)),
    -- The lots of a plan follow its periods, and a store reports a virtual currency as one number.
    CONSTRAINT products_bundle_of_purchases CHECK (
        cardinality(bundle_items) = 0 OR (kind <> 'plan' AND grant_source = 'purchase')
    )
);

-- Promotional offers that may be signed, and the eligible users.
CREATE TABLE wallet.offers (
    product_id TEXT NOT NULL REFERENCES wallet.products,
    offer_id TEXT NOT NULL,
    name TEXT NOT NULL,
    eligibility TEXT NOT NULL DEFAULT 'subscribed_before',
    is_active BOOLEAN NOT NULL DEFAULT TRUE,
    PRIMARY KEY (product_id, offer_id),
    CONSTRAINT offers_offer_id_shape CHECK (offer_id ~ '^[A-Za-z0-9._-]{1,64}$'),
    CONSTRAINT offers_name_length CHECK (char_length(name) BETWEEN 1 AND 200),
    -- Apple allows promotional offers for current and former subscribers; a lapsed subscriber is a former one.
    CONSTRAINT offers_eligibility_known CHECK (eligibility IN ('subscribed_before', 'active', 'lapsed'))
);

-- The comment of a constraint is the error message for an administrator whose value violates it.
COMMENT ON CONSTRAINT products_product_id_shape ON wallet.products IS
'A product_id must have 1 to 128 letters, digits and . _ : -';
COMMENT ON CONSTRAINT products_name_length ON wallet.products IS 'A product''s name must have 1 to 200 characters.';
COMMENT ON CONSTRAINT products_kind_known ON wallet.products IS 'kind must be pack, pass or plan.';
COMMENT ON CONSTRAINT products_pack_is_credits ON wallet.products IS 'The unit of a pack must be credit.';
COMMENT ON CONSTRAINT products_pass_is_visits ON wallet.products IS 'The unit of a pass must be visit.';
COMMENT ON CONSTRAINT products_amounts_sane ON wallet.products IS
'amount, bonus and trial_amount must be from 0 to 1000000.';
COMMENT ON CONSTRAINT products_grants_something ON wallet.products IS
'amount must be above 0 unless the product is an unlimited plan.';
COMMENT ON CONSTRAINT products_price_not_negative ON wallet.products IS 'A price must be 0 or more.';
COMMENT ON CONSTRAINT products_currency_iso ON wallet.products IS
'A currency must have three capital letters, such as USD.';
COMMENT ON CONSTRAINT products_credits_never_expire ON wallet.products IS
'A pack must not have valid_days, because its credits never expire.';
COMMENT ON CONSTRAINT products_valid_days_positive ON wallet.products IS 'valid_days must be from 1 to 3660.';
COMMENT ON CONSTRAINT products_grace_days_sane ON wallet.products IS 'grace_days must be from 0 to 366.';
COMMENT ON CONSTRAINT products_plan_has_period ON wallet.products IS
'A plan must have a period; other products must not have one.';
COMMENT ON CONSTRAINT products_period_shape ON wallet.products IS
'A period must be an ISO 8601 duration of one unit, such as P1M.';
COMMENT ON CONSTRAINT products_only_plans_unlimited ON wallet.products IS 'Only a plan can be unlimited.';
COMMENT ON CONSTRAINT products_rollover_percent ON wallet.products IS 'rollover_percentage must be from 0 to 100.';
COMMENT ON CONSTRAINT products_rollover_cap_not_negative ON wallet.products IS 'rollover_cap must be 0 or more.';
COMMENT ON CONSTRAINT products_grant_source_known ON wallet.products IS
'grant_source must be purchase or virtual_currency.';
COMMENT ON CONSTRAINT products_days_ahead_of_plans ON wallet.products IS
'Only a plan can have days_ahead, and it must be from 0 to 3660.';
COMMENT ON CONSTRAINT products_freeze_sane ON wallet.products IS
'Only a pass or a plan can have freeze_days, and they must be from 1 to 365.';
COMMENT ON CONSTRAINT products_freeze_minimum_sane ON wallet.products IS
'freeze_minimum_days must be from 1 to freeze_days.';
COMMENT ON CONSTRAINT products_commitment_of_plans ON wallet.products IS
'Only a plan that is not unlimited can have a commitment_amount, and it must be from 1 to 1000000.';
COMMENT ON CONSTRAINT products_first_use_of_passes ON wallet.products IS
'Only a pass with valid_days can have starts_within_days, and they must be from 1 to 3660.';
COMMENT ON CONSTRAINT products_bundle_items_valid ON wallet.products IS
'Each of at most 10 bundle_items needs unit and amount (1 to 1000000); days (1 to 3660) are for visits only.';
COMMENT ON CONSTRAINT products_bundle_of_purchases ON wallet.products IS
'A plan, or a product whose store reports the amount, cannot have bundle_items.';
COMMENT ON CONSTRAINT offers_offer_id_shape ON wallet.offers IS
'An offer_id must have 1 to 64 letters, digits and . _ -';
COMMENT ON CONSTRAINT offers_name_length ON wallet.offers IS 'An offer''s name must have 1 to 200 characters.';
COMMENT ON CONSTRAINT offers_eligibility_known ON wallet.offers IS
'eligibility must be subscribed_before, active or lapsed.';
COMMENT ON CONSTRAINT offers_product_id_fkey ON wallet.offers IS 'There is no product with this product_id.';
COMMENT ON CONSTRAINT offers_pkey ON wallet.offers IS 'The product already has an offer with this offer_id.';
