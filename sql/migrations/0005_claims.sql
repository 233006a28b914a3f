-- What the stores said. A claim is one purchase, whoever told of it and by whichever of its identifiers; it is never
-- freed, so a transaction grants once for ever.

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
    CONSTRAINT claims_not_its_own_duplicate CHECK (duplicate_of <> claim_id)
);
CREATE UNIQUE INDEX claims_transaction ON wallet.claims (store, environment, transaction_id)
WHERE transaction_id IS NOT NULL;
CREATE UNIQUE INDEX claims_line_item ON wallet.claims (store, environment, original_transaction_id, line_item_id)
WHERE line_item_id IS NOT NULL AND original_transaction_id IS NOT NULL;
CREATE UNIQUE INDEX claims_purchase_second
ON wallet.claims (store, environment, original_transaction_id, purchase_second)
WHERE original_transaction_id IS NOT NULL;
CREATE UNIQUE INDEX claims_purchase_token ON wallet.claims (store, environment, purchase_token)
WHERE purchase_token IS NOT NULL AND kind = 'one_time';
CREATE UNIQUE INDEX claims_order ON wallet.claims (store, environment, order_id) WHERE order_id IS NOT NULL;
CREATE INDEX claims_account ON wallet.claims (account_id, environment, claim_id) WHERE account_id IS NOT NULL;
CREATE INDEX claims_duplicates ON wallet.claims (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX claims_waiting ON wallet.claims (store, store_product_id) WHERE verdict = 'unknown-product';

ALTER TABLE wallet.lots ADD CONSTRAINT lots_claim_known FOREIGN KEY (claim_id) REFERENCES wallet.claims;

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
    flags_source_at TIMESTAMPTZ NOT NULL,
    paused BOOLEAN NOT NULL DEFAULT FALSE,
    ended TEXT,
    released_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, subscription_id),
    UNIQUE (store, environment, original_transaction_id),
    CONSTRAINT subscriptions_period_ends CHECK (period_end < 'infinity'),
    CONSTRAINT subscriptions_ended_known CHECK (ended IN ('refunded', 'revoked', 'expired'))
);

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
    account_id BIGINT
);
