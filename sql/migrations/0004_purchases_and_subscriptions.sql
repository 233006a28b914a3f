-- Store facts. A claim is one product of one purchase, reported by any source under any of its identifiers. A claim is
-- never removed, so a product of a transaction can be granted only once. This file precedes the ledger, because a lot
-- refers to the claim that paid for it.
--
-- For every statement that writes a row, PostgreSQL parses the CHECKs of its table again. With eleven CHECKs on
-- wallet.claims, this took a seventh of the time of a purchase. So the rules of one column are domains, whose CHECKs a
-- session parses once, and the other rules are one function, wallet.check_claim.
CREATE DOMAIN wallet.claim_kind AS TEXT CONSTRAINT claims_kind_known CHECK (value IN ('one_time', 'subscription'));
CREATE DOMAIN wallet.claim_ownership AS TEXT CONSTRAINT claims_ownership_known CHECK (
    value IN ('purchased', 'family_shared')
);
CREATE DOMAIN wallet.claim_quantity AS INTEGER CONSTRAINT claims_quantity_sane CHECK (value BETWEEN 1 AND 1000);
CREATE DOMAIN wallet.millionths AS INTEGER CONSTRAINT claims_share_in_millionths CHECK (value BETWEEN 0 AND 1000000);
CREATE DOMAIN wallet.reported_amount AS BIGINT CONSTRAINT claims_reported_amount_sane CHECK (
    value BETWEEN 0 AND 1000000000
);
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
    kind wallet.claim_kind NOT NULL,
    store_product_id TEXT NOT NULL,
    -- Other names that sources use for the product, if the purchase contains several products.
    other_names TEXT[] NOT NULL DEFAULT '{}',
    -- All products that a store listed in this purchase, including this one; null for a purchase with only one known
    -- product.
    purchase_products TEXT[],
    -- Empty for the first claim of a purchase; the product's name for each further claim, which shares its identifiers.
    part TEXT NOT NULL DEFAULT '',
    -- Empty for the first product of a subscription; the product's name for each further product, which has its own
    -- chain of periods.
    chain_line TEXT NOT NULL DEFAULT '',
    product_id TEXT,
    quantity wallet.claim_quantity NOT NULL DEFAULT 1,
    ownership wallet.claim_ownership NOT NULL DEFAULT 'purchased',
    purchased_at TIMESTAMPTZ NOT NULL,
    -- Restored App Store transactions have new ids, but the same original id and second of purchase.
    purchase_second BIGINT GENERATED ALWAYS AS (
        floor(extract(EPOCH FROM purchased_at AT TIME ZONE 'UTC'))::BIGINT
    ) STORED,
    expires_at TIMESTAMPTZ,
    period_type TEXT,
    pending BOOLEAN NOT NULL DEFAULT FALSE,
    upgraded BOOLEAN NOT NULL DEFAULT FALSE,
    token_digest BYTEA,
    refunded_millionths wallet.millionths NOT NULL DEFAULT 0,
    refund_source_at TIMESTAMPTZ,
    receipt_sha256 BYTEA,
    source TEXT NOT NULL,
    source_at TIMESTAMPTZ NOT NULL,
    -- The amount of one piece, copied from the catalogue when it was granted.
    grant_amount BIGINT,
    granted_at TIMESTAMPTZ,
    verdict TEXT NOT NULL DEFAULT 'new',
    created_at TIMESTAMPTZ NOT NULL,
    reported_amount wallet.reported_amount,
    linked_purchase_token TEXT,
    refunded_at TIMESTAMPTZ,
    needs_acknowledgement BOOLEAN NOT NULL DEFAULT FALSE,
    released_at TIMESTAMPTZ,
    -- The owner of the period's subscription before any transfer, and since when; null for the claim's owner since the
    -- purchase.
    subscriber_id BIGINT REFERENCES wallet.accounts,
    subscriber_since TIMESTAMPTZ,
    -- Whether the grant is reported_amount, the number that the store reported, not a number of pieces of the product.
    grants_reported_amount BOOLEAN NOT NULL DEFAULT FALSE,
    -- The product's terms at the time of the grant: later edits do not change sold purchases.
    rollover_percentage INTEGER NOT NULL DEFAULT 0,
    rollover_cap BIGINT,
    subscription_group TEXT,
    valid_days INTEGER,
    starts_within_days INTEGER,
    -- Null unless the product is a bundle.
    bundle_items wallet.bundle_item[],
    grace_days INTEGER,
    tier INTEGER,
    entitlements TEXT[],
    unlimited BOOLEAN,
    days_ahead INTEGER,
    -- The subscription of a period: its first transaction, or the period's own transaction while the first one is
    -- unknown, and the product if the subscription has several.
    chain_id TEXT GENERATED ALWAYS AS (
        coalesce(original_transaction_id, transaction_id) || CASE chain_line WHEN '' THEN '' ELSE ' ' || chain_line END
    ) STORED,
    -- The price in the catalogue at the time of the grant, for the reports.
    price_minor BIGINT,
    currency TEXT,
    -- For a commitment that is billed in parts: the number of this billing period, and the total number.
    billing_period INTEGER,
    billing_periods INTEGER,
    -- The total amount of one piece of a commitment, of which each billing period grants its share; null if every
    -- period grants the whole product.
    commitment_amount BIGINT
);
-- Returns true, or refuses a claim that breaks a rule. The error has the rule's name as its constraint.
CREATE FUNCTION wallet.check_claim(p_claim wallet.claims) RETURNS BOOLEAN LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_broken CONSTANT TEXT := CASE
        -- At least one unique index below must contain the claim; otherwise it could be recorded twice.
        WHEN coalesce(p_claim.transaction_id, p_claim.order_id, p_claim.original_transaction_id) IS NULL
            AND (p_claim.purchase_token IS NULL OR p_claim.kind <> 'one_time') THEN 'claims_identified'
        WHEN p_claim.granted_at IS NOT NULL AND (p_claim.account_id IS NULL OR p_claim.product_id IS NULL)
            THEN 'claims_granted_to_someone'
        -- A period's lot expires with the period, so nothing is granted before the period's end is known.
        WHEN p_claim.granted_at IS NOT NULL AND p_claim.kind = 'subscription'
            AND coalesce(p_claim.expires_at, 'infinity') = 'infinity' THEN 'claims_granted_period_ends'
        WHEN p_claim.duplicate_of = p_claim.claim_id THEN 'claims_not_its_own_duplicate'
        -- A duplicate is worth nothing, whatever part of it the store refunded.
        WHEN (p_claim.verdict = 'duplicate') <> (p_claim.duplicate_of IS NOT NULL) THEN 'claims_duplicate_marked'
        WHEN num_nulls(p_claim.billing_period, p_claim.billing_periods) = 1
            OR p_claim.billing_period NOT BETWEEN 1 AND p_claim.billing_periods OR p_claim.billing_periods > 1000
            THEN 'claims_billing_period_whole'
    END;
BEGIN
    IF v_broken IS NOT NULL THEN
        RAISE check_violation USING
            MESSAGE = format('claim %s violates the rule %s', p_claim.claim_id, v_broken), TABLE = 'claims',
            CONSTRAINT = v_broken;
    END IF;
    RETURN TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.check_claim(wallet.claims) IS 'Returns true, or refuses a claim that breaks a rule.';
ALTER TABLE wallet.claims ADD CONSTRAINT claims_follow_rules CHECK (wallet.check_claim(claims));
CREATE UNIQUE INDEX claims_transaction ON wallet.claims (store, environment, transaction_id, part)
WHERE transaction_id IS NOT NULL;
-- Apple's own key of a subscription's period, which is the same under all other ids.
CREATE UNIQUE INDEX claims_line_item ON wallet.claims (store, environment, line_item_id)
WHERE line_item_id IS NOT NULL;
CREATE UNIQUE INDEX claims_purchase_token ON wallet.claims (store, environment, purchase_token, part)
WHERE purchase_token IS NOT NULL AND kind = 'one_time';
CREATE UNIQUE INDEX claims_order ON wallet.claims (store, environment, order_id, part) WHERE order_id IS NOT NULL;
CREATE INDEX claims_account ON wallet.claims (account_id, environment, claim_id) WHERE account_id IS NOT NULL;
CREATE INDEX claims_duplicates ON wallet.claims (duplicate_of) WHERE duplicate_of IS NOT NULL;
-- The order in which operators list refunds, the latest first.
CREATE INDEX claims_refunded ON wallet.claims ((coalesce(refunded_at, '-infinity')), claim_id)
WHERE refunded_millionths > 0;
CREATE INDEX claims_waiting ON wallet.claims (store, store_product_id) WHERE verdict = 'unknown-product';
CREATE INDEX claims_subscription_token ON wallet.claims (store, environment, purchase_token)
WHERE kind = 'subscription' AND purchase_token IS NOT NULL;
-- Google Play's periods share a token and a start, and each has its own order. The second of purchase identifies App
-- Store periods, and periods that a source reported under another period's id.
CREATE UNIQUE INDEX claims_purchase_second
ON wallet.claims (store, environment, original_transaction_id, purchase_second, part)
WHERE original_transaction_id IS NOT NULL AND (store <> 'play_store' OR coalesce(transaction_id, order_id) IS NULL);
CREATE INDEX claims_periods ON wallet.claims (store, environment, chain_id, purchased_at)
WHERE kind = 'subscription' AND chain_id IS NOT NULL;
CREATE INDEX claims_app_transaction ON wallet.claims (app_transaction_id) WHERE app_transaction_id IS NOT NULL;
CREATE INDEX claims_acknowledge ON wallet.claims (claim_id) WHERE needs_acknowledgement;

-- The newest report of each flag of one period. A flag never applies to another period.
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

-- One row for each subscription with its state from the newest facts. Its periods are the claims with its original id.
CREATE TABLE wallet.subscriptions (
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    subscription_id BIGINT GENERATED ALWAYS AS IDENTITY,
    store TEXT NOT NULL,
    environment wallet.environment NOT NULL,
    original_transaction_id TEXT NOT NULL,
    current_claim_id BIGINT NOT NULL REFERENCES wallet.claims,
    product_id TEXT NOT NULL REFERENCES wallet.products,
    -- Copied from the catalogue for each new period: editing a plan does not change sold periods.
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
    -- The state announced by the last event, and when the passing of time may change it again.
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

-- A transfer reported by a service between the store and the wallet: one customer's subscriptions belong to another
-- from a given time. Or a merge of this wallet: one account was merged into another and has no subscriptions left. A
-- merged account keeps its earlier transfers.
CREATE TABLE wallet.subscription_transfers (
    environment wallet.environment NOT NULL,
    from_account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    to_account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    at TIMESTAMPTZ NOT NULL,
    is_merge BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (from_account_id, environment, at, to_account_id)
);

-- Accounts with many refunds, for an operator's decision.
CREATE TABLE wallet.review_flags (
    flag_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    environment wallet.environment NOT NULL,
    -- The user's copy of the app, if it had the refunds, not the account; otherwise null.
    app_transaction_id TEXT,
    refunds INTEGER NOT NULL,
    raised_at TIMESTAMPTZ NOT NULL,
    resolution TEXT,
    resolved_at TIMESTAMPTZ,
    -- The operator, or the database role of an administrator.
    resolved_by TEXT,
    CONSTRAINT review_flags_resolution_known CHECK (resolution IN ('dismissed', 'blocked')),
    CONSTRAINT review_flags_resolved_whole CHECK ((resolution IS NULL) = (resolved_at IS NULL))
);
CREATE UNIQUE INDEX review_flags_open
ON wallet.review_flags (account_id, environment, coalesce(app_transaction_id, '')) WHERE resolved_at IS NULL;
CREATE INDEX review_flags_account ON wallet.review_flags (account_id);

-- Visits that an app spent directly, once for each reference. The reference is erased with its user; the digest stays.
CREATE TABLE wallet.pass_uses (
    claim_id BIGINT NOT NULL REFERENCES wallet.claims,
    reference_digest BYTEA NOT NULL,
    reference TEXT,
    account_id BIGINT NOT NULL,
    environment wallet.environment NOT NULL,
    version BIGINT NOT NULL,
    used_at TIMESTAMPTZ NOT NULL,
    -- The lot of a bundle that the visit was spent from, as in wallet.lots.
    bundle_item SMALLINT NOT NULL DEFAULT 0,
    PRIMARY KEY (claim_id, reference_digest),
    CONSTRAINT pass_uses_reference_length CHECK (char_length(reference) BETWEEN 1 AND 200),
    CONSTRAINT pass_uses_reference_plain CHECK (wallet.is_plain_text(reference))
);
CREATE INDEX pass_uses_account ON wallet.pass_uses (account_id, environment);

-- The result of wallet.apply_fact. unit, amount and lot_id: those of the first lot. lots: all lots, the first one
-- included: [{"lot_id", "unit", "granted", "remaining"}]; null for another user's purchase.
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
    claim_id BIGINT,
    lots JSONB
);
-- The claim of a fact. merged: the claims that turned out to be one purchase, the kept one included; null for none.
-- fact: the fact in the shape of a claim; for a new claim, the claim itself.
CREATE TYPE wallet.identified_claim AS (
    claim_id BIGINT,
    is_new BOOLEAN,
    merged BIGINT [],
    fact wallet.claims
);
-- The state of a claim and its subscription.
CREATE TYPE wallet.claim_summary AS (
    granted BIGINT,
    refunded_millionths INTEGER,
    status TEXT,
    will_renew BOOLEAN,
    period_end TIMESTAMPTZ
);
-- The result for a purchase that a user proved. unproven: the number of released lots of its former account that were
-- not proved with it. lots: see wallet.fact_outcome; unit, amount and remaining are those of the first lot.
CREATE TYPE wallet.restored_purchase AS (
    transaction_id TEXT,
    product_id TEXT,
    unit wallet.unit,
    amount BIGINT,
    remaining BIGINT,
    result TEXT,
    unproven BIGINT,
    lots JSONB
);
-- The result for one purchase that a user wanted to restore; its members as in wallet.restored_purchase.
CREATE TYPE wallet.restored_claim AS (
    claim_id BIGINT,
    transaction_id TEXT,
    product_id TEXT,
    unit wallet.unit,
    amount BIGINT,
    remaining BIGINT,
    result TEXT,
    lots JSONB
);
-- The result of a visit that an app spent directly.
CREATE TYPE wallet.pass_use AS (
    replayed BOOLEAN,
    is_consumed BOOLEAN,
    remaining BIGINT
);
