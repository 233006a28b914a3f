-- Wallets, their lots and their ledger. A wallet is (account, environment); all that changes one holds its row lock.

CREATE TABLE wallet.wallets (
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    environment wallet.environment NOT NULL,
    credits BIGINT NOT NULL DEFAULT 0,
    visits BIGINT NOT NULL DEFAULT 0,
    owed_credits BIGINT NOT NULL DEFAULT 0,
    owed_visits BIGINT NOT NULL DEFAULT 0,
    version BIGINT NOT NULL DEFAULT 0,
    head_hash BYTEA NOT NULL DEFAULT '\x0000000000000000000000000000000000000000000000000000000000000000',
    last_at TIMESTAMPTZ NOT NULL DEFAULT '-infinity',
    -- No open lot expires before this instant; it may be earlier than the first that does.
    next_expiry TIMESTAMPTZ NOT NULL DEFAULT 'infinity',
    PRIMARY KEY (account_id, environment),
    CONSTRAINT wallets_credits_sane CHECK (credits BETWEEN 0 AND 1000000000000000),
    CONSTRAINT wallets_visits_sane CHECK (visits BETWEEN 0 AND 1000000000000000),
    CONSTRAINT wallets_owed_not_negative CHECK (owed_credits >= 0 AND owed_visits >= 0),
    CONSTRAINT wallets_version_not_negative CHECK (version >= 0)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- The sweeper finds due wallets by it; it does not change in the booking path, so updates stay HOT.
CREATE INDEX wallets_next_expiry ON wallet.wallets (next_expiry) WHERE next_expiry < 'infinity';

CREATE TABLE wallet.lots (
    account_id BIGINT NOT NULL,
    lot_id UUID NOT NULL,
    environment wallet.environment NOT NULL,
    unit wallet.unit NOT NULL,
    source TEXT NOT NULL,
    product_id TEXT,
    claim_id BIGINT,
    granted BIGINT NOT NULL,
    spent BIGINT NOT NULL DEFAULT 0,
    lapsed BIGINT NOT NULL DEFAULT 0,
    refunded BIGINT NOT NULL DEFAULT 0,
    repaid BIGINT NOT NULL DEFAULT 0,
    remaining BIGINT GENERATED ALWAYS AS (greatest(granted - refunded - spent - lapsed, 0)) STORED,
    owed BIGINT GENERATED ALWAYS AS (greatest(refunded + spent - granted, 0) - repaid) STORED,
    is_open BOOLEAN GENERATED ALWAYS AS (granted - refunded - spent - lapsed > 0) STORED,
    expires_at TIMESTAMPTZ NOT NULL DEFAULT 'infinity',
    reopened_until TIMESTAMPTZ,
    released_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, lot_id),
    FOREIGN KEY (account_id, environment) REFERENCES wallet.wallets (account_id, environment),
    CONSTRAINT lots_source_known CHECK (source IN ('pack', 'pass', 'plan', 'promo', 'adjustment')),
    CONSTRAINT lots_granted_sane CHECK (granted BETWEEN 0 AND 1000000000000),
    CONSTRAINT lots_spent_not_negative CHECK (spent >= 0),
    CONSTRAINT lots_lapsed_not_negative CHECK (lapsed >= 0),
    CONSTRAINT lots_refunded_within_grant CHECK (refunded BETWEEN 0 AND granted),
    CONSTRAINT lots_spent_and_lapsed_within_grant CHECK (spent + lapsed <= granted),
    CONSTRAINT lots_repaid_within_shortfall CHECK (
        repaid >= 0 AND repaid <= greatest(refunded + spent - granted, 0)
    ),
    -- App Review 3.1.1: credits bought by in-app purchase never expire.
    CONSTRAINT lots_bought_credits_never_expire CHECK (source <> 'pack' OR expires_at = 'infinity'),
    CONSTRAINT lots_plan_visits_expire CHECK (source <> 'plan' OR expires_at < 'infinity')
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX lots_burn_order ON wallet.lots (account_id, environment, unit, expires_at, lot_id) WHERE is_open;
CREATE INDEX lots_claim ON wallet.lots (claim_id) WHERE claim_id IS NOT NULL;

-- Which lot repaid how much of which lot's debt, so that an undone debt gives it back to the lots that paid. Each lot
-- may have moved to another account since: account_id is where the debtor is, payer_account_id where the payer is.
CREATE TABLE wallet.repayments (
    account_id BIGINT NOT NULL,
    debtor_lot_id UUID NOT NULL,
    payer_account_id BIGINT NOT NULL,
    payer_lot_id UUID NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (account_id, debtor_lot_id, payer_lot_id),
    FOREIGN KEY (account_id, debtor_lot_id) REFERENCES wallet.lots (account_id, lot_id),
    FOREIGN KEY (payer_account_id, payer_lot_id) REFERENCES wallet.lots (account_id, lot_id),
    CONSTRAINT repayments_amount_not_negative CHECK (amount >= 0)
);
CREATE INDEX repayments_payer ON wallet.repayments (payer_account_id, payer_lot_id);

CREATE TABLE wallet.entries (
    account_id BIGINT NOT NULL,
    environment wallet.environment NOT NULL,
    version BIGINT NOT NULL,
    kind TEXT NOT NULL,
    unit wallet.unit,
    amount BIGINT NOT NULL,
    owed_change BIGINT NOT NULL DEFAULT 0,
    balance_after BIGINT NOT NULL,
    lot_id UUID,
    booking_id UUID,
    claim_id BIGINT,
    actor_digest BYTEA,
    reason_digest BYTEA,
    at TIMESTAMPTZ NOT NULL,
    prev_hash BYTEA NOT NULL,
    hash BYTEA NOT NULL,
    PRIMARY KEY (account_id, environment, version),
    CONSTRAINT entries_kind_known CHECK (kind IN (
        'grant', 'spend', 'return', 'lapse', 'refund', 'refund_reversal', 'repay', 'repay_return', 'adjust',
        'rollover', 'reopen', 'transfer_out', 'transfer_in'
    )),
    CONSTRAINT entries_balance_not_negative CHECK (balance_after >= 0),
    CONSTRAINT entries_unit_unless_unlimited CHECK (unit IS NOT NULL OR amount = 0)
);

-- Erasable: names and reasons. The entry keeps salted digests of them, so erasing a row here breaks no chain.
CREATE TABLE wallet.entry_texts (
    account_id BIGINT NOT NULL,
    environment wallet.environment NOT NULL,
    version BIGINT NOT NULL,
    salt BYTEA NOT NULL,
    actor TEXT NOT NULL,
    reason TEXT,
    PRIMARY KEY (account_id, environment, version),
    CONSTRAINT entry_texts_reason_plain CHECK (wallet.is_plain_text(reason))
);

CREATE FUNCTION wallet.refuse_ledger_change() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = wallet, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'WL403', MESSAGE = 'ledger-is-append-only';
END;
$$;
COMMENT ON FUNCTION wallet.refuse_ledger_change() IS 'Refuses UPDATE, DELETE and TRUNCATE of the ledger to everybody.';
CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE ON wallet.entries
FOR EACH ROW EXECUTE FUNCTION wallet.refuse_ledger_change();
CREATE TRIGGER entries_no_truncate BEFORE TRUNCATE ON wallet.entries
FOR EACH STATEMENT EXECUTE FUNCTION wallet.refuse_ledger_change();

-- What has changed since the last look at the invariants: up to which transaction it was asked, which accounts are
-- still to be looked at, and what was found and has not been found mended.
CREATE TABLE wallet.look_cursor (
    only_row BOOLEAN PRIMARY KEY DEFAULT TRUE,
    xid XID8 NOT NULL DEFAULT '0',
    CONSTRAINT look_cursor_is_one_row CHECK (only_row)
);
INSERT INTO wallet.look_cursor DEFAULT VALUES;
CREATE TABLE wallet.look_queue (account_id BIGINT PRIMARY KEY);
CREATE TABLE wallet.findings (
    finding_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL,
    environment wallet.environment,
    account_id BIGINT,
    class_id TEXT,
    version BIGINT,
    detail TEXT NOT NULL,
    found_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX findings_account ON wallet.findings (account_id);
