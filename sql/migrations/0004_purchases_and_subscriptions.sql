-- What the stores said. A claim is one product of one purchase, from whichever source and by whichever of its
-- identifiers it became known; it is never freed, so a product of a transaction grants once for ever. This
-- file comes before the ledger's, because a lot refers to the claim that paid for it.

CREATE TABLE wallet.claims (
    claim_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    store TEXT NOT NULL,
    environment wallet.environment NOT NULL,
    account_id BIGINT REFERENCES wallet.accounts,
    duplicate_of BIGINT REFERENCES wallet.claims,
    transaction_id TEXT,
    original_transaction_id TEXT,
    line_item_id TEXT,
    purchase_token TEXT,
    order_id TEXT,
    app_transaction_id TEXT,
    kind TEXT NOT NULL,
    store_product_id TEXT NOT NULL,
    -- What else sources call the product, where the purchase holds several.
    other_names TEXT[] NOT NULL DEFAULT '{}',
    -- The products that a store listed in this purchase, this one among them; null while it is known to hold only one.
    purchase_products TEXT[],
    -- Empty for the first claim of a purchase; the product's name for each further one, which shares its identifiers.
    part TEXT NOT NULL DEFAULT '',
    -- Empty for the first product of a subscription; the product's name for each further one, which has a chain of
    -- periods of its own.
    chain_line TEXT NOT NULL DEFAULT '',
    product_id TEXT,
    quantity INTEGER NOT NULL DEFAULT 1,
    ownership TEXT NOT NULL DEFAULT 'purchased',
    purchased_at TIMESTAMPTZ NOT NULL,
    -- Restored App Store transactions carry new ids, but the same original id and second of purchase.
    purchase_second BIGINT GENERATED ALWAYS AS (
        floor(extract(EPOCH FROM purchased_at AT TIME ZONE 'UTC'))::BIGINT
    ) STORED,
    expires_at TIMESTAMPTZ,
    period_type TEXT,
    pending BOOLEAN NOT NULL DEFAULT FALSE,
    upgraded BOOLEAN NOT NULL DEFAULT FALSE,
    token_digest BYTEA,
    refunded_millionths INTEGER NOT NULL DEFAULT 0,
    refund_source_at TIMESTAMPTZ,
    receipt_sha256 BYTEA,
    source TEXT NOT NULL,
    source_at TIMESTAMPTZ NOT NULL,
    -- What one piece grants, copied from the catalogue when it was granted.
    grant_amount BIGINT,
    granted_at TIMESTAMPTZ,
    verdict TEXT NOT NULL DEFAULT 'new',
    created_at TIMESTAMPTZ NOT NULL,
    reported_amount BIGINT,
    linked_purchase_token TEXT,
    refunded_at TIMESTAMPTZ,
    needs_acknowledgement BOOLEAN NOT NULL DEFAULT FALSE,
    released_at TIMESTAMPTZ,
    -- Whose subscription the period was and from when on, before any transfer; null means the owner's since the
    -- purchase.
    subscriber_id BIGINT REFERENCES wallet.accounts,
    subscriber_since TIMESTAMPTZ,
    -- The grant is reported_amount, the number that the store reported, not so many pieces of the product.
    grants_reported_amount BOOLEAN NOT NULL DEFAULT FALSE,
    -- The product's terms when it was granted: a later edit changes nothing that was sold.
    rollover_percentage INTEGER NOT NULL DEFAULT 0,
    rollover_cap BIGINT,
    subscription_group TEXT,
    valid_days INTEGER,
    grace_days INTEGER,
    tier INTEGER,
    entitlements TEXT[],
    unlimited BOOLEAN,
    days_ahead INTEGER,
    -- The subscription that a period belongs to: its first transaction, or the period's own while that is not known,
    -- and the product where the subscription has several.
    chain_id TEXT GENERATED ALWAYS AS (
        coalesce(original_transaction_id, transaction_id) || CASE chain_line WHEN '' THEN '' ELSE ' ' || chain_line END
    ) STORED,
    -- What a purchase cost by the catalogue of its day, for the reports.
    price_minor BIGINT,
    currency TEXT,
    -- Of a commitment that is billed in parts: which of its billing periods this is, and how many it has.
    billing_period INTEGER,
    billing_periods INTEGER,
    -- What one piece of the whole commitment grants, of which each billing period grants its share; null for a product
    -- that is granted whole with every period.
    commitment_amount BIGINT,
    CONSTRAINT claims_kind_known CHECK (kind IN ('one_time', 'subscription')),
    CONSTRAINT claims_ownership_known CHECK (ownership IN ('purchased', 'family_shared')),
    CONSTRAINT claims_quantity_sane CHECK (quantity BETWEEN 1 AND 1000),
    CONSTRAINT claims_share_in_millionths CHECK (refunded_millionths BETWEEN 0 AND 1000000),
    CONSTRAINT claims_identified CHECK (
        -- Some unique index below must hold the claim, or it could be recorded twice.
        coalesce(transaction_id, order_id, original_transaction_id) IS NOT NULL
        OR (purchase_token IS NOT NULL AND kind = 'one_time')
    ),
    CONSTRAINT claims_granted_to_someone CHECK (
        granted_at IS NULL OR (account_id IS NOT NULL AND product_id IS NOT NULL)
    ),
    -- What a period grants ends with it, so nothing is granted before its end is known.
    CONSTRAINT claims_granted_period_ends CHECK (
        granted_at IS NULL OR kind <> 'subscription' OR coalesce(expires_at, 'infinity') < 'infinity'
    ),
    CONSTRAINT claims_not_its_own_duplicate CHECK (duplicate_of <> claim_id),
    CONSTRAINT claims_reported_amount_sane CHECK (reported_amount BETWEEN 0 AND 1000000000),
    CONSTRAINT claims_billing_period_whole CHECK (
        (billing_period IS NULL AND billing_periods IS NULL)
        OR (num_nulls(billing_period, billing_periods) = 0 AND billing_period BETWEEN 1 AND billing_periods
            AND billing_periods <= 1000)
    )
);
CREATE UNIQUE INDEX claims_transaction ON wallet.claims (store, environment, transaction_id, part)
WHERE transaction_id IS NOT NULL;
-- Apple's own key of a subscription's period, whatever else names it.
CREATE UNIQUE INDEX claims_line_item ON wallet.claims (store, environment, line_item_id)
WHERE line_item_id IS NOT NULL;
CREATE UNIQUE INDEX claims_purchase_token ON wallet.claims (store, environment, purchase_token, part)
WHERE purchase_token IS NOT NULL AND kind = 'one_time';
CREATE UNIQUE INDEX claims_order ON wallet.claims (store, environment, order_id, part) WHERE order_id IS NOT NULL;
CREATE INDEX claims_account ON wallet.claims (account_id, environment, claim_id) WHERE account_id IS NOT NULL;
CREATE INDEX claims_duplicates ON wallet.claims (duplicate_of) WHERE duplicate_of IS NOT NULL;
-- As operators list refunds, the latest first.
CREATE INDEX claims_refunded ON wallet.claims ((coalesce(refunded_at, '-infinity')), claim_id)
WHERE refunded_millionths > 0;
CREATE INDEX claims_waiting ON wallet.claims (store, store_product_id) WHERE verdict = 'unknown-product';
CREATE INDEX claims_subscription_token ON wallet.claims (store, environment, purchase_token)
WHERE kind = 'subscription' AND purchase_token IS NOT NULL;
-- Google Play's periods share a token and a start and have an order each; the second of purchase is the App Store's,
-- and that of a period that a source reported under another period's id.
CREATE UNIQUE INDEX claims_purchase_second
ON wallet.claims (store, environment, original_transaction_id, purchase_second, part)
WHERE original_transaction_id IS NOT NULL AND (store <> 'play_store' OR coalesce(transaction_id, order_id) IS NULL);
CREATE INDEX claims_periods ON wallet.claims (store, environment, chain_id, purchased_at)
WHERE kind = 'subscription' AND chain_id IS NOT NULL;
CREATE INDEX claims_app_transaction ON wallet.claims (app_transaction_id) WHERE app_transaction_id IS NOT NULL;
CREATE INDEX claims_acknowledge ON wallet.claims (claim_id) WHERE needs_acknowledgement;

-- The newest statement on each flag of one period. Flags of one period never count for another.
CREATE TABLE wallet.period_flags (
    claim_id BIGINT NOT NULL REFERENCES wallet.claims,
    flag TEXT NOT NULL,
    value TEXT NOT NULL,
    source_at TIMESTAMPTZ NOT NULL,
    rank INTEGER NOT NULL,
    PRIMARY KEY (claim_id, flag),
    CONSTRAINT period_flags_flag_known CHECK (flag IN (
        'will_renew', 'billing_issue', 'grace_ends_at', 'paused', 'expired_at', 'revoked', 'expires_at',
        'commitment_renews'
    )),
    CONSTRAINT period_flags_value_shape CHECK (CASE
        WHEN flag IN ('will_renew', 'billing_issue', 'paused', 'revoked', 'commitment_renews')
            THEN value IN ('true', 'false')
        ELSE value ~ '^[0-9]{4,6}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}Z$'
    END)
);

-- One row a subscription, holding what the newest facts say; its periods are the claims with its original id.
CREATE TABLE wallet.subscriptions (
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    subscription_id BIGINT GENERATED ALWAYS AS IDENTITY,
    store TEXT NOT NULL,
    environment wallet.environment NOT NULL,
    original_transaction_id TEXT NOT NULL,
    current_claim_id BIGINT NOT NULL REFERENCES wallet.claims,
    product_id TEXT NOT NULL REFERENCES wallet.products,
    -- Copied from the catalogue with each new period: editing a plan changes no period that was sold.
    tier INTEGER NOT NULL,
    entitlements TEXT[] NOT NULL,
    unlimited BOOLEAN NOT NULL,
    rollover_percentage INTEGER NOT NULL,
    period_type TEXT NOT NULL,
    period_start TIMESTAMPTZ NOT NULL,
    period_end TIMESTAMPTZ NOT NULL,
    grace_ends_at TIMESTAMPTZ,
    will_renew BOOLEAN NOT NULL DEFAULT TRUE,
    billing_issue BOOLEAN NOT NULL DEFAULT FALSE,
    paused BOOLEAN NOT NULL DEFAULT FALSE,
    ended TEXT,
    released_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    -- The state that the last event announced, and when the clock alone may change it again.
    announced TEXT,
    announced_renewal BOOLEAN,
    announced_period TIMESTAMPTZ,
    next_change_at TIMESTAMPTZ NOT NULL DEFAULT '-infinity',
    days_ahead INTEGER,
    PRIMARY KEY (account_id, subscription_id),
    UNIQUE (store, environment, original_transaction_id),
    CONSTRAINT subscriptions_period_ends CHECK (period_end < 'infinity'),
    CONSTRAINT subscriptions_ended_known CHECK (ended IN ('refunded', 'revoked', 'expired'))
);
CREATE UNIQUE INDEX subscriptions_id ON wallet.subscriptions (subscription_id);
CREATE INDEX subscriptions_next_change ON wallet.subscriptions (next_change_at) WHERE next_change_at < 'infinity';

-- A transfer that a middleman reported: one customer's subscriptions are another's from an instant on. Or our own: one
-- account was merged into another and has nothing any more. A merged account keeps the transfers from before.
CREATE TABLE wallet.subscription_transfers (
    environment wallet.environment NOT NULL,
    from_account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    to_account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    at TIMESTAMPTZ NOT NULL,
    is_merge BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (from_account_id, environment, at, to_account_id)
);

-- Accounts with many refunds, for an operator to decide on.
CREATE TABLE wallet.review_flags (
    flag_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    environment wallet.environment NOT NULL,
    -- The person's copy of the app, when it, not the account, had the refunds.
    app_transaction_id TEXT,
    refunds INTEGER NOT NULL,
    raised_at TIMESTAMPTZ NOT NULL,
    resolution TEXT,
    resolved_at TIMESTAMPTZ,
    -- The database role that decided.
    resolved_by TEXT,
    CONSTRAINT review_flags_resolution_known CHECK (resolution IN ('dismissed', 'blocked')),
    CONSTRAINT review_flags_resolved_whole CHECK ((resolution IS NULL) = (resolved_at IS NULL))
);
CREATE UNIQUE INDEX review_flags_open
ON wallet.review_flags (account_id, environment, coalesce(app_transaction_id, '')) WHERE resolved_at IS NULL;
CREATE INDEX review_flags_account ON wallet.review_flags (account_id);

-- Visits that an app spent by itself, once per reference. The reference is erased with its user; the digest stays.
CREATE TABLE wallet.pass_uses (
    claim_id BIGINT NOT NULL REFERENCES wallet.claims,
    reference_digest BYTEA NOT NULL,
    reference TEXT,
    account_id BIGINT NOT NULL,
    environment wallet.environment NOT NULL,
    version BIGINT NOT NULL,
    used_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (claim_id, reference_digest),
    CONSTRAINT pass_uses_reference_length CHECK (char_length(reference) BETWEEN 1 AND 200),
    CONSTRAINT pass_uses_reference_plain CHECK (wallet.is_plain_text(reference))
);
CREATE INDEX pass_uses_account ON wallet.pass_uses (account_id, environment);

-- What wallet.apply_fact decided.
CREATE TYPE wallet.fact_outcome AS (
    verdict TEXT,
    reason TEXT,
    duplicate BOOLEAN,
    transaction_id TEXT,
    product_id TEXT,
    unit wallet.unit,
    amount BIGINT,
    lot_id UUID,
    account_id BIGINT,
    claim_id BIGINT
);
-- How a claim and its subscription stand.
CREATE TYPE wallet.claim_summary AS (
    granted BIGINT,
    refunded_millionths INTEGER,
    status TEXT,
    will_renew BOOLEAN,
    period_end TIMESTAMPTZ
);
-- What became of a purchase that somebody proved to possess; unproven: how many of its former account's released lots
-- were not proven along with it.
CREATE TYPE wallet.restored_purchase AS (
    transaction_id TEXT,
    product_id TEXT,
    unit wallet.unit,
    amount BIGINT,
    remaining BIGINT,
    result TEXT,
    unproven BIGINT
);
-- What became of one purchase that somebody asked to have restored.
CREATE TYPE wallet.restored_claim AS (
    claim_id BIGINT,
    transaction_id TEXT,
    product_id TEXT,
    unit wallet.unit,
    remaining BIGINT,
    result TEXT
);
-- What became of a visit that an app spent by itself.
CREATE TYPE wallet.pass_use AS (
    replayed BOOLEAN,
    is_consumed BOOLEAN,
    remaining BIGINT
);
