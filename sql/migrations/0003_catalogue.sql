-- The catalogue. A lot copies what it needs from here, so editing a product never touches what was sold.

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
    -- Since when a product is in the catalogue; apps that read it from a table of their own want to know.
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
    )
);

-- Promotional offers that may be signed, and for whom.
CREATE TABLE wallet.offers (
    product_id TEXT NOT NULL REFERENCES wallet.products,
    offer_id TEXT NOT NULL,
    name TEXT NOT NULL,
    eligibility TEXT NOT NULL DEFAULT 'subscribed_before',
    is_active BOOLEAN NOT NULL DEFAULT TRUE,
    PRIMARY KEY (product_id, offer_id),
    CONSTRAINT offers_offer_id_shape CHECK (offer_id ~ '^[A-Za-z0-9._-]{1,64}$'),
    CONSTRAINT offers_name_length CHECK (char_length(name) BETWEEN 1 AND 200),
    -- Apple gives promotional offers to those who subscribe or once did; a lapsed one subscribes no more.
    CONSTRAINT offers_eligibility_known CHECK (eligibility IN ('subscribed_before', 'active', 'lapsed'))
);
