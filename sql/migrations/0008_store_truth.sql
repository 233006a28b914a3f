-- What it takes to learn from every store in any order: flags a period, transfers, released purchases, the events'
-- way in and out, and what watches over refunds.

DROP VIEW IF EXISTS wallet.subscription_states CASCADE;
DROP FUNCTION IF EXISTS wallet.apply_fact(BIGINT, JSONB);
DROP FUNCTION IF EXISTS wallet.claimant(BIGINT, wallet.claims);
DROP FUNCTION IF EXISTS wallet.sync_subscription(BIGINT, JSONB);

-- Digests of deleted users' ids, so that a token from before the deletion is known and no event opens them again.
ALTER TABLE wallet.instance ADD COLUMN user_salt BYTEA NOT NULL DEFAULT uuid_send(gen_random_uuid());
CREATE TABLE wallet.deleted_users (
    user_digest BYTEA PRIMARY KEY,
    deleted_at TIMESTAMPTZ NOT NULL
);
ALTER TABLE wallet.accounts ADD COLUMN merged_into BIGINT REFERENCES wallet.accounts;
-- An anonymous identity was never signed in; a merged one stands for the account that it was merged into.
ALTER TABLE wallet.identities ADD COLUMN is_anonymous BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE wallet.identities ADD COLUMN merged_at TIMESTAMPTZ;
-- The account that it stood for before.
ALTER TABLE wallet.identities ADD COLUMN merged_from BIGINT REFERENCES wallet.accounts;

ALTER TABLE wallet.products ADD COLUMN grant_source TEXT NOT NULL DEFAULT 'purchase';
ALTER TABLE wallet.products ADD CONSTRAINT products_grant_source_known
CHECK (grant_source IN ('purchase', 'virtual_currency'));

ALTER TABLE wallet.claims ADD COLUMN told_amount BIGINT;
ALTER TABLE wallet.claims ADD COLUMN linked_purchase_token TEXT;
ALTER TABLE wallet.claims ADD COLUMN refunded_at TIMESTAMPTZ;
ALTER TABLE wallet.claims ADD COLUMN needs_acknowledgement BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE wallet.claims ADD COLUMN released_at TIMESTAMPTZ;
-- Whose subscription the period was and from when on, before any transfer; null means the owner's since the purchase.
ALTER TABLE wallet.claims ADD COLUMN subscriber_id BIGINT REFERENCES wallet.accounts;
ALTER TABLE wallet.claims ADD COLUMN subscriber_since TIMESTAMPTZ;
-- The grant is what the store told, not so many pieces of the product.
ALTER TABLE wallet.claims ADD COLUMN grants_told BOOLEAN NOT NULL DEFAULT FALSE;
-- The product's terms when it was granted: a later edit changes nothing that was sold.
ALTER TABLE wallet.claims ADD COLUMN rollover_percentage INTEGER NOT NULL DEFAULT 0;
ALTER TABLE wallet.claims ADD COLUMN rollover_cap BIGINT;
ALTER TABLE wallet.claims ADD COLUMN subscription_group TEXT;
ALTER TABLE wallet.claims ADD COLUMN valid_days INTEGER;
ALTER TABLE wallet.claims ADD COLUMN grace_days INTEGER;
ALTER TABLE wallet.claims ADD COLUMN tier INTEGER;
ALTER TABLE wallet.claims ADD COLUMN entitlements TEXT[];
ALTER TABLE wallet.claims ADD COLUMN unlimited BOOLEAN;
ALTER TABLE wallet.claims ADD COLUMN days_ahead INTEGER;
ALTER TABLE wallet.claims ADD CONSTRAINT claims_told_amount_sane CHECK (told_amount BETWEEN 0 AND 1000000000);
CREATE INDEX claims_subscription_token ON wallet.claims (store, environment, purchase_token)
WHERE kind = 'subscription' AND purchase_token IS NOT NULL;
-- Google Play's periods share a token and a start and have an order each; the second of purchase is the App Store's.
DROP INDEX wallet.claims_purchase_second;
CREATE UNIQUE INDEX claims_purchase_second
ON wallet.claims (store, environment, original_transaction_id, purchase_second)
WHERE original_transaction_id IS NOT NULL AND store <> 'play_store';
-- The subscription that a period belongs to: its first transaction, or the period's own while that is not known.
ALTER TABLE wallet.claims ADD COLUMN chain_id TEXT GENERATED ALWAYS AS (
    coalesce(original_transaction_id, transaction_id)
) STORED;
CREATE INDEX claims_periods ON wallet.claims (store, environment, chain_id, purchased_at)
WHERE kind = 'subscription' AND chain_id IS NOT NULL;
CREATE INDEX claims_app_transaction ON wallet.claims (app_transaction_id) WHERE app_transaction_id IS NOT NULL;
CREATE INDEX claims_acknowledge ON wallet.claims (claim_id) WHERE needs_acknowledgement;

-- What the newest word on each flag of one period is. Flags of one period never speak for another.
CREATE TABLE wallet.period_flags (
    claim_id BIGINT NOT NULL REFERENCES wallet.claims,
    flag TEXT NOT NULL,
    value TEXT NOT NULL,
    source_at TIMESTAMPTZ NOT NULL,
    rank INTEGER NOT NULL,
    PRIMARY KEY (claim_id, flag),
    CONSTRAINT period_flags_flag_known CHECK (flag IN (
        'will_renew', 'billing_issue', 'grace_ends_at', 'paused', 'expired_at', 'revoked', 'expires_at'
    )),
    CONSTRAINT period_flags_value_shape CHECK (CASE
        WHEN flag IN ('will_renew', 'billing_issue', 'paused', 'revoked') THEN value IN ('true', 'false')
        ELSE value ~ '^[0-9]{4,6}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}Z$'
    END)
);

-- The lot that holds what was rolled over from a period, and lots that followed their purchase to another account.
ALTER TABLE wallet.lots ADD COLUMN rolled_from BIGINT REFERENCES wallet.claims;
ALTER TABLE wallet.lots ADD COLUMN moved_to BIGINT REFERENCES wallet.accounts;
CREATE UNIQUE INDEX lots_rolled_from ON wallet.lots (rolled_from) WHERE rolled_from IS NOT NULL;

-- A booking whose account was merged into another keeps its entries where they were posted.
ALTER TABLE wallet.bookings ADD COLUMN ledger_account_id BIGINT REFERENCES wallet.accounts;

UPDATE wallet.claims AS c SET
    rollover_percentage = p.rollover_percentage,
    rollover_cap = p.rollover_cap,
    subscription_group = p.subscription_group
FROM wallet.products AS p
WHERE p.product_id = c.product_id AND c.kind = 'subscription' AND c.granted_at IS NOT NULL;
INSERT INTO wallet.period_flags (claim_id, flag, value, source_at, rank)
SELECT s.current_claim_id, f.flag, f.value, s.flags_source_at, 1
FROM wallet.subscriptions AS s
CROSS JOIN LATERAL (
    VALUES
    ('will_renew', s.will_renew::TEXT),
    ('billing_issue', s.billing_issue::TEXT),
    ('grace_ends_at', to_char(s.grace_ends_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
) AS f (flag, value)
WHERE f.value IS NOT NULL AND s.flags_source_at > '-infinity';
INSERT INTO wallet.period_flags (claim_id, flag, value, source_at, rank)
SELECT
    c.claim_id, 'expires_at', to_char(c.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    c.source_at, 1
FROM wallet.claims AS c
WHERE c.expires_at IS NOT NULL;
ALTER TABLE wallet.subscriptions DROP COLUMN flags_source_at;
-- What was last told outside, and when the clock alone may change the state again.
ALTER TABLE wallet.subscriptions ADD COLUMN announced TEXT;
ALTER TABLE wallet.subscriptions ADD COLUMN announced_renewal BOOLEAN;
ALTER TABLE wallet.subscriptions ADD COLUMN announced_period TIMESTAMPTZ;
ALTER TABLE wallet.subscriptions ADD COLUMN next_change_at TIMESTAMPTZ NOT NULL DEFAULT '-infinity';
CREATE UNIQUE INDEX subscriptions_id ON wallet.subscriptions (subscription_id);
CREATE INDEX subscriptions_next_change ON wallet.subscriptions (next_change_at) WHERE next_change_at < 'infinity';

-- A middleman's word that one customer's subscriptions are another's from an instant on; or our own, that one account
-- was merged into another and has nothing any more. An account that was merged keeps what was said of it before.
CREATE TABLE wallet.subscription_transfers (
    environment wallet.environment NOT NULL,
    from_account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    to_account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    at TIMESTAMPTZ NOT NULL,
    is_merge BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (from_account_id, environment, at, to_account_id)
);

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
    CONSTRAINT review_flags_resolution_known CHECK (resolution IN ('dismissed', 'blocked')),
    CONSTRAINT review_flags_resolved_whole CHECK ((resolution IS NULL) = (resolved_at IS NULL))
);
CREATE UNIQUE INDEX review_flags_open
ON wallet.review_flags (account_id, environment, coalesce(app_transaction_id, '')) WHERE resolved_at IS NULL;

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

-- Which events have been handed on, and what became of each delivery.
CREATE INDEX outbox_order ON wallet.outbox (xid, event_id);
CREATE TABLE wallet.outbox_cursor (
    only_row BOOLEAN PRIMARY KEY DEFAULT TRUE,
    xid XID8 NOT NULL DEFAULT '0',
    event_id BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT outbox_cursor_is_one_row CHECK (only_row)
);
INSERT INTO wallet.outbox_cursor DEFAULT VALUES;
CREATE TABLE wallet.deliveries (
    event_id BIGINT PRIMARY KEY,
    event_at TIMESTAMPTZ NOT NULL,
    status TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at TIMESTAMPTZ NOT NULL,
    last_error TEXT,
    delivered_at TIMESTAMPTZ,
    CONSTRAINT deliveries_status_known CHECK (status IN ('pending', 'delivered', 'dead')),
    CONSTRAINT deliveries_delivered_whole CHECK ((status = 'delivered') = (delivered_at IS NOT NULL))
);
CREATE INDEX deliveries_due ON wallet.deliveries (next_attempt_at) WHERE status = 'pending';

ALTER TYPE wallet.fact_outcome ADD ATTRIBUTE claim_id BIGINT;
-- What became of one message of a store.
CREATE TYPE wallet.event_outcome AS (
    inbox_id BIGINT,
    status TEXT,
    reason TEXT,
    duplicate BOOLEAN
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
-- How a claim and its subscription stand.
CREATE TYPE wallet.claim_standing AS (
    granted BIGINT,
    refunded_millionths INTEGER,
    status TEXT,
    will_renew BOOLEAN,
    period_end TIMESTAMPTZ
);
