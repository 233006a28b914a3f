-- Wallets, their lots and their ledger, operators' postings, and the types of a forecast. A wallet is (account,
-- environment); every change of a wallet holds its row lock.
--
-- For every statement that writes a row, PostgreSQL parses the CHECKs of its table again. This took a fifth of the time
-- of a single booking. So the tables that a booking writes have few and short CHECKs. Long lists of values are domains;
-- a session parses a domain's CHECK only once.

-- Every booking updates a row of this table, of lots and of class_seats. These updates are HOT and remove their old row
-- versions, so vacuum has little to do. The planner's statistics do not change with them, and each ANALYZE discards all
-- cached plans of these tables. So ANALYZE is rare for all three.
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
    -- No open lot expires before this time. It may be earlier than the first actual expiry.
    next_expiry TIMESTAMPTZ NOT NULL DEFAULT 'infinity',
    -- No lot starts its validity after this time. It may be later than the last actual start.
    last_start TIMESTAMPTZ NOT NULL DEFAULT '-infinity',
    -- Until when the member's strikes block bookings.
    blocked_until TIMESTAMPTZ NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (account_id, environment),
    CONSTRAINT wallets_not_negative CHECK (least(credits, visits, owed_credits, owed_visits, version) >= 0),
    CONSTRAINT wallets_balance_sane CHECK (greatest(credits, visits) <= 1000000000000000)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.5);
-- The sweeper finds due wallets by this index. A booking does not change the column, so its updates stay HOT.
CREATE INDEX wallets_next_expiry ON wallet.wallets (next_expiry) WHERE next_expiry < 'infinity';

CREATE DOMAIN wallet.lot_source AS TEXT CONSTRAINT lot_source_known CHECK (
    -- A lot of a fee is its unpaid part: granted, spent on the fee, and taken back, so that it is owed.
    value IN ('pack', 'pass', 'plan', 'promo', 'adjustment', 'import', 'fee')
);
CREATE TABLE wallet.lots (
    account_id BIGINT NOT NULL,
    lot_id UUID NOT NULL,
    environment wallet.environment NOT NULL,
    unit wallet.unit NOT NULL,
    source wallet.lot_source NOT NULL,
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
    -- The claim of the period whose visits were rolled over into this lot.
    rolled_from BIGINT,
    -- The account that the lot moved to with its purchase.
    moved_to BIGINT,
    -- When its user was warned that it expires soon.
    warned_at TIMESTAMPTZ,
    -- The last freeze, during which the lot pays for no class, and by how much all freezes moved the expiry.
    frozen_from TIMESTAMPTZ,
    frozen_until TIMESTAMPTZ,
    frozen_seconds BIGINT NOT NULL DEFAULT 0,
    -- If the first use starts the validity (rule 40): when it started, and until the first use the latest start. A lot
    -- whose starts_at is later than now has not started; its expires_at is that of the latest start.
    starts_at TIMESTAMPTZ,
    -- Which lot of its purchase it is: 0 for the product's own amount, otherwise the place in the bundle_items.
    bundle_item SMALLINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, lot_id),
    FOREIGN KEY (account_id, environment) REFERENCES wallet.wallets (account_id, environment),
    CONSTRAINT lots_claim_known FOREIGN KEY (claim_id) REFERENCES wallet.claims,
    FOREIGN KEY (rolled_from) REFERENCES wallet.claims,
    FOREIGN KEY (moved_to) REFERENCES wallet.accounts,
    -- The debt is the shortfall minus its repaid part.
    CONSTRAINT lots_not_negative CHECK (least(spent, lapsed, refunded, repaid, owed) >= 0),
    CONSTRAINT lots_within_grant CHECK (greatest(refunded, spent + lapsed) <= granted)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.5);
-- The terms of a lot are checked by constraint triggers. Every booking would parse a CHECK again, although it changes
-- none of these terms.
CREATE FUNCTION wallet.refuse_lot_terms() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = wallet, pg_temp AS $$
BEGIN
    RAISE check_violation USING
        MESSAGE = format('lot %s violates the rule %s', NEW.lot_id, TG_NAME), TABLE = TG_RELNAME, CONSTRAINT = TG_NAME;
END;
$$;
COMMENT ON FUNCTION wallet.refuse_lot_terms() IS
'Refuses a lot whose terms break the rule that its trigger is named after.';
CREATE CONSTRAINT TRIGGER lots_granted_sane AFTER INSERT OR UPDATE OF granted ON wallet.lots
FOR EACH ROW WHEN (new.granted > 1000000000000) EXECUTE FUNCTION wallet.refuse_lot_terms();
-- App Review 3.1.1: credits bought by in-app purchase never expire.
CREATE CONSTRAINT TRIGGER lots_bought_credits_never_expire AFTER INSERT OR UPDATE OF source, expires_at ON wallet.lots
FOR EACH ROW WHEN (new.source = 'pack' AND new.expires_at < 'infinity') EXECUTE FUNCTION wallet.refuse_lot_terms();
CREATE CONSTRAINT TRIGGER lots_plan_visits_expire AFTER INSERT OR UPDATE OF source, expires_at ON wallet.lots
FOR EACH ROW WHEN (new.source = 'plan' AND new.expires_at = 'infinity') EXECUTE FUNCTION wallet.refuse_lot_terms();
CREATE INDEX lots_burn_order ON wallet.lots (account_id, environment, unit, expires_at, lot_id) WHERE is_open;
-- A purchase grants each of its lots once.
CREATE UNIQUE INDEX lots_claim ON wallet.lots (claim_id, bundle_item) WHERE claim_id IS NOT NULL;
CREATE UNIQUE INDEX lots_rolled_from ON wallet.lots (rolled_from) WHERE rolled_from IS NOT NULL;
-- Finds the former accounts of a lot.
CREATE INDEX lots_moved ON wallet.lots (lot_id) WHERE moved_to IS NOT NULL;

-- The freezes of each lot (rule 39). They follow their lot to another account.
CREATE TABLE wallet.freezes (
    account_id BIGINT NOT NULL,
    lot_id UUID NOT NULL,
    from_at TIMESTAMPTZ NOT NULL,
    until_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, lot_id, from_at),
    FOREIGN KEY (account_id, lot_id) REFERENCES wallet.lots (account_id, lot_id),
    CONSTRAINT freezes_until_after_from CHECK (until_at > from_at)
);

-- Repayments of a lot's debt by other lots, so that the amounts return to the payers if the debt is undone. Each lot
-- may have moved since: account_id is the debtor's account now, payer_account_id the payer's.
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

-- The wallets to check for warnings (rule 41): after each change, and when a lot comes close to its expiry.
CREATE TABLE wallet.warnings (
    account_id BIGINT NOT NULL,
    environment wallet.environment NOT NULL,
    -- -infinity after a change; infinity if only a change can cause a warning.
    due_at TIMESTAMPTZ NOT NULL,
    -- The last entry that was checked, and whether the balance has been sufficient since the last warning.
    checked_version BIGINT NOT NULL DEFAULT 0,
    credits_sufficed BOOLEAN NOT NULL DEFAULT FALSE,
    visits_sufficed BOOLEAN NOT NULL DEFAULT FALSE,
    -- There is no foreign key to the wallet, because inserting a row would wait for a booking that holds the wallet.
    PRIMARY KEY (account_id, environment)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX warnings_due ON wallet.warnings (due_at) WHERE due_at < 'infinity';
-- The position up to which wallet.note_changed_wallets has read the outbox, and the time ahead of an expiry for which
-- the due times were computed; both are null until the first call.
CREATE TABLE wallet.warning_cursor (
    only_row BOOLEAN PRIMARY KEY DEFAULT TRUE,
    xid XID8,
    event_id BIGINT,
    ahead INTERVAL,
    CONSTRAINT warning_cursor_is_one_row CHECK (only_row)
);
INSERT INTO wallet.warning_cursor DEFAULT VALUES;

-- The ledger only grows. A fifth of it, autovacuum's default, would be millions of rows at once. In small steps, the
-- pages are still in memory, and rows are frozen on the first vacuum, which saves another write.
CREATE DOMAIN wallet.entry_kind AS TEXT CONSTRAINT entry_kind_known CHECK (value IN (
    'grant', 'spend', 'return', 'lapse', 'refund', 'refund_reversal', 'repay', 'repay_return', 'adjust', 'rollover',
    'reopen', 'transfer_out', 'transfer_in', 'import', 'fee', 'fee_return', 'freeze'
));
CREATE TABLE wallet.entries (
    account_id BIGINT NOT NULL,
    environment wallet.environment NOT NULL,
    version BIGINT NOT NULL,
    kind wallet.entry_kind NOT NULL,
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
    CONSTRAINT entries_balance_not_negative CHECK (balance_after >= 0),
    CONSTRAINT entries_unit_unless_unlimited CHECK (unit IS NOT NULL OR amount = 0)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_freeze_min_age = 0);

CREATE FUNCTION wallet.refuse_ledger_change() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = wallet, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'WL403', MESSAGE = 'ledger-is-append-only';
END;
$$;
COMMENT ON FUNCTION wallet.refuse_ledger_change() IS 'Refuses UPDATE, DELETE and TRUNCATE of the ledger for all roles.';
CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE ON wallet.entries
FOR EACH ROW EXECUTE FUNCTION wallet.refuse_ledger_change();
CREATE TRIGGER entries_no_truncate BEFORE TRUNCATE ON wallet.entries
FOR EACH STATEMENT EXECUTE FUNCTION wallet.refuse_ledger_change();

-- Names and reasons, which can be erased. The entry keeps salted digests of them, so erasing a row here breaks no
-- chain.
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

-- One entry to post, for wallet.post. at: the time of the movement; null for now. actor and reason: stored in
-- wallet.entry_texts. head: the place of the wallet's head in the heads that the caller passes.
CREATE TYPE wallet.posting AS (
    account_id BIGINT,
    environment wallet.environment,
    kind TEXT,
    unit wallet.unit,
    amount BIGINT,
    owed_change BIGINT,
    lot_id UUID,
    booking_id UUID,
    claim_id BIGINT,
    actor TEXT,
    reason TEXT,
    at TIMESTAMPTZ,
    head INTEGER
);
-- The head of a wallet's ledger, as read under the wallet's lock, for wallet.post. The ctid of a locked row does not
-- change.
CREATE TYPE wallet.wallet_head AS (
    at TID,
    account_id BIGINT,
    environment wallet.environment,
    credits BIGINT,
    visits BIGINT,
    -- The changes of the debts, 0 at first.
    owed_credits BIGINT,
    owed_visits BIGINT,
    version BIGINT,
    head_hash BYTEA,
    last_at TIMESTAMPTZ
);

-- A lot that wallet.settle settles: the steps that are left, and the event to emit at the end; null for none.
CREATE TYPE wallet.settling AS (
    account_id BIGINT,
    lot_id UUID,
    returns BOOLEAN,
    rolls BOOLEAN,
    repays BOOLEAN,
    event TEXT,
    claim_id BIGINT,
    amount BIGINT
);

-- Requests of operators by key: the same request is replayed, and another one is refused. The actor is a digest,
-- because no user id may be stored here.
CREATE TABLE wallet.operator_requests (
    actor_digest BYTEA NOT NULL,
    idempotency_key TEXT NOT NULL,
    operation TEXT NOT NULL,
    request_digest BYTEA NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (actor_digest, idempotency_key)
);

-- The total that each operator added and deducted in production wallets on each day (UTC), credits and visits together.
CREATE TABLE wallet.operator_totals (
    actor_digest BYTEA NOT NULL,
    day DATE NOT NULL,
    moved BIGINT NOT NULL,
    PRIMARY KEY (actor_digest, day)
);

-- A compensation adds amounts to the wallets of many users under one reference, each user once. Its adjustments refer
-- to it, so a compensation that was interrupted continues with the users who have no adjustment yet.
CREATE TABLE wallet.compensations (
    reference TEXT PRIMARY KEY,
    -- The class whose members are compensated; null for a list of users.
    class_id TEXT,
    environment wallet.environment NOT NULL,
    unit wallet.unit NOT NULL,
    source TEXT NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    reason_digest BYTEA NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    -- The references of its adjustments have this reference and a UUID.
    CONSTRAINT compensations_reference_length CHECK (char_length(reference) BETWEEN 1 AND 160),
    CONSTRAINT compensations_reference_plain CHECK (wallet.is_plain_text(reference)),
    CONSTRAINT compensations_source_known CHECK (source IN ('adjustment', 'promo'))
);
COMMENT ON CONSTRAINT compensations_reference_length ON wallet.compensations IS
'A reference of a compensation must have 1 to 160 characters.';
COMMENT ON CONSTRAINT compensations_reference_plain ON wallet.compensations IS
'A reference must be one line without control characters.';
COMMENT ON CONSTRAINT compensations_source_known ON wallet.compensations IS 'source must be adjustment or gift.';
CREATE INDEX compensations_class ON wallet.compensations (class_id) WHERE class_id IS NOT NULL;

-- An administrator's posting: one row changes one wallet by one amount, once.
CREATE TABLE wallet.adjustments (
    reference TEXT PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    environment wallet.environment NOT NULL,
    unit wallet.unit NOT NULL,
    amount BIGINT NOT NULL,
    first_version BIGINT NOT NULL,
    entry_count INTEGER NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    source TEXT NOT NULL DEFAULT 'adjustment',
    -- The expiry that the lot was given, so that a reader sees whether it has changed.
    expires_at TIMESTAMPTZ NOT NULL DEFAULT 'infinity',
    compensation TEXT REFERENCES wallet.compensations ON UPDATE CASCADE,
    CONSTRAINT adjustments_reference_length CHECK (char_length(reference) BETWEEN 1 AND 200),
    CONSTRAINT adjustments_reference_plain CHECK (wallet.is_plain_text(reference)),
    CONSTRAINT adjustments_amount_not_zero CHECK (amount <> 0),
    CONSTRAINT adjustments_amount_sane CHECK (amount BETWEEN -1000000000000 AND 1000000000000),
    CONSTRAINT adjustments_source_known CHECK (source IN ('adjustment', 'promo')),
    -- Only positive adjustments can be gifts or expire.
    CONSTRAINT adjustments_given CHECK (
        amount > 0 OR (source = 'adjustment' AND expires_at = 'infinity')
    )
);
-- The comment of a constraint is the error message for an administrator whose value violates it.
COMMENT ON CONSTRAINT adjustments_reference_length ON wallet.adjustments IS
'A reference must have 1 to 200 characters.';
COMMENT ON CONSTRAINT adjustments_reference_plain ON wallet.adjustments IS
'A reference must be one line without control characters.';
COMMENT ON CONSTRAINT adjustments_amount_not_zero ON wallet.adjustments IS 'An amount must not be 0.';
COMMENT ON CONSTRAINT adjustments_amount_sane ON wallet.adjustments IS 'An adjustment can be at most 1000000000000.';
COMMENT ON CONSTRAINT adjustments_source_known ON wallet.adjustments IS 'source must be adjustment or gift.';
COMMENT ON CONSTRAINT adjustments_given ON wallet.adjustments IS 'A gift or an expiry needs a positive amount.';
COMMENT ON CONSTRAINT entry_texts_reason_plain ON wallet.entry_texts IS
'A reason must be one line without control characters.';
COMMENT ON CONSTRAINT lots_granted_sane ON wallet.lots IS 'A grant can be at most 1000000000000.';
COMMENT ON CONSTRAINT wallets_balance_sane ON wallet.wallets IS 'A balance can be at most 1000000000000000.';
-- Finds the adjustment reported by an event, by the ledger version of its last entry.
CREATE INDEX adjustments_versions ON wallet.adjustments (account_id, environment, first_version);
CREATE UNIQUE INDEX adjustments_compensation ON wallet.adjustments (compensation, account_id)
WHERE compensation IS NOT NULL;
-- The answer to an adjustment: whether it was posted before, and the wallet before and after it. preview: the digest of
-- the adjustment and of the state that it found. The state before and the preview are null for a replay.
CREATE TYPE wallet.adjustment_answer AS (
    replayed BOOLEAN,
    lot_id UUID,
    credits BIGINT,
    visits BIGINT,
    version BIGINT,
    expires_at TIMESTAMPTZ,
    before_credits BIGINT,
    before_visits BIGINT,
    preview TEXT
);

-- One user of a compensation. place: the user's place in the list. result: added, pending, already_added, or refused
-- with a reason. before and after: the balance in the unit; after a dry run or for a pending user, the expected
-- balance.
CREATE TYPE wallet.compensation_line AS (
    place BIGINT,
    account_id BIGINT,
    user_id TEXT,
    amount BIGINT,
    result TEXT,
    reason TEXT,
    before BIGINT,
    after BIGINT
);
-- The answer to a compensation. users and total: the users who are or were compensated, and their amounts, pending ones
-- included. lines: one JSON object for each user.
CREATE TYPE wallet.compensation_answer AS (
    users BIGINT,
    total BIGINT,
    pending BIGINT,
    refused BIGINT,
    lines JSONB,
    preview TEXT
);

-- The ledger summed by day, so that reports read thousands of rows, not millions. wallet.sum_days updates it, and
-- wallet.summed_wallets stores the last summed version of each wallet. It can be rebuilt at any time.
CREATE TABLE wallet.daily_sums (
    -- In the studio's time zone.
    day DATE NOT NULL,
    environment wallet.environment NOT NULL,
    unit wallet.unit NOT NULL,
    -- The source of the entry's lot; empty without a lot.
    source TEXT NOT NULL,
    product_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    kind wallet.entry_kind NOT NULL,
    entries BIGINT NOT NULL,
    amount NUMERIC NOT NULL,
    owed_change NUMERIC NOT NULL,
    -- In the currency's minor unit, at the list price of the purchase.
    value_minor NUMERIC NOT NULL,
    PRIMARY KEY (day, environment, unit, source, product_id, currency, kind)
);
CREATE TABLE wallet.summed_wallets (
    account_id BIGINT NOT NULL,
    environment wallet.environment NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (account_id, environment)
) WITH (fillfactor = 80);

-- The reports that read every purchase or lot, as of the last wallet.refresh_reports: the rows of their views in schema
-- admin, in the order of the lists.
CREATE TABLE wallet.revenue_rows (
    place BIGINT PRIMARY KEY,
    day DATE NOT NULL,
    environment wallet.environment NOT NULL,
    store TEXT NOT NULL,
    product_id TEXT,
    currency TEXT,
    purchases BIGINT NOT NULL,
    quantity BIGINT NOT NULL,
    trials BIGINT NOT NULL,
    gross_minor NUMERIC NOT NULL,
    refunds BIGINT NOT NULL,
    refunded_minor NUMERIC NOT NULL,
    net_minor NUMERIC NOT NULL
);
CREATE TABLE wallet.breakage_rows (
    place BIGINT PRIMARY KEY,
    month DATE NOT NULL,
    environment wallet.environment NOT NULL,
    source TEXT NOT NULL,
    product_id TEXT,
    unit wallet.unit NOT NULL,
    lots BIGINT NOT NULL,
    granted NUMERIC NOT NULL,
    spent NUMERIC NOT NULL,
    lapsed NUMERIC NOT NULL,
    refunded NUMERIC NOT NULL,
    outstanding NUMERIC NOT NULL,
    owed NUMERIC NOT NULL,
    repaid NUMERIC NOT NULL,
    lapsed_percentage NUMERIC
);
CREATE TABLE wallet.subscription_rows (
    place BIGINT PRIMARY KEY,
    month DATE NOT NULL,
    environment wallet.environment NOT NULL,
    product_id TEXT,
    starts BIGINT NOT NULL,
    renewals BIGINT NOT NULL,
    cancellations BIGINT NOT NULL,
    trials_started BIGINT NOT NULL,
    trials_converted BIGINT NOT NULL,
    expirations BIGINT NOT NULL
);

-- The actions of operators and administrators, in the ledger or not: one row for each action, which cannot be changed
-- or removed. It identifies users only by their account. Texts are stored separately, so that they can be erased.
CREATE TABLE wallet.audit (
    audit_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at TIMESTAMPTZ NOT NULL,
    -- The session's role: a person's role in psql, or the service's role over HTTP, where the actor identifies the
    -- operator.
    role TEXT NOT NULL,
    action TEXT NOT NULL,
    -- The object of the action. For a wallet or a tester, the account identifies it.
    kind TEXT NOT NULL,
    object_id TEXT,
    account_id BIGINT,
    environment wallet.environment,
    -- The changed members.
    before JSONB NOT NULL,
    after JSONB NOT NULL,
    -- sha256 of the action with its reference, and of the request: repeating the same request does nothing.
    reference_digest BYTEA UNIQUE,
    request_digest BYTEA,
    CONSTRAINT audit_action_shape CHECK (action ~ '^[a-z]+(-[a-z]+)*$'),
    CONSTRAINT audit_request_of_reference CHECK ((reference_digest IS NULL) = (request_digest IS NULL))
);
CREATE INDEX audit_account ON wallet.audit (account_id, at) WHERE account_id IS NOT NULL;
CREATE INDEX audit_object ON wallet.audit (kind, object_id);
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON wallet.audit
FOR EACH ROW EXECUTE FUNCTION wallet.refuse_ledger_change();
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON wallet.audit
FOR EACH STATEMENT EXECUTE FUNCTION wallet.refuse_ledger_change();

-- Texts that can be erased: the actor over HTTP, the reason and the reference.
CREATE TABLE wallet.audit_texts (
    audit_id BIGINT PRIMARY KEY REFERENCES wallet.audit,
    actor TEXT NOT NULL,
    reason TEXT,
    reference TEXT,
    -- Digests of the users that a replayed message names; the texts are erased with any of these users.
    named BYTEA[],
    CONSTRAINT audit_texts_reason_plain CHECK (wallet.is_plain_text(reason)),
    CONSTRAINT audit_texts_reference_plain CHECK (
        wallet.is_plain_text(reference) AND char_length(reference) <= 200
    )
);
CREATE INDEX audit_texts_named ON wallet.audit_texts USING gin (named) WHERE named IS NOT NULL;
CREATE TRIGGER audit_texts_no_update BEFORE UPDATE ON wallet.audit_texts
FOR EACH ROW EXECUTE FUNCTION wallet.refuse_ledger_change();
CREATE TRIGGER audit_texts_no_truncate BEFORE TRUNCATE ON wallet.audit_texts
FOR EACH STATEMENT EXECUTE FUNCTION wallet.refuse_ledger_change();
COMMENT ON CONSTRAINT audit_texts_reason_plain ON wallet.audit_texts IS
'A reason must be one line without control characters.';
COMMENT ON CONSTRAINT audit_texts_reference_plain ON wallet.audit_texts IS
'A reference must be one line of 1 to 200 characters without control characters.';

-- The actor, the reason, the reference, and the request that belongs to the reference; the last two are null without a
-- reference.
CREATE TYPE wallet.action_note AS (
    actor TEXT,
    reason TEXT,
    reference TEXT,
    request JSONB
);
-- The changes of an action: the members before and after it. replayed: whether an earlier action had the same
-- reference. preview: the digest of the action and of the state that it found; null for a replay.
CREATE TYPE wallet.action_answer AS (
    audit_id BIGINT,
    replayed BOOLEAN,
    before JSONB,
    after JSONB,
    preview TEXT
);

-- A result of an operator's search: its kind, id, user with the name, and time.
CREATE TYPE wallet.search_hit AS (
    kind TEXT,
    id TEXT,
    user_id TEXT,
    environment wallet.environment,
    at TIMESTAMPTZ,
    summary TEXT,
    user_name TEXT
);

-- A wallet at a future time, and the input of the forecast: the lots at that time, and the plans that renew.
CREATE TYPE wallet.forecast_lot AS (
    lot_id UUID,
    unit wallet.unit,
    source TEXT,
    product_id TEXT,
    granted BIGINT,
    spent BIGINT,
    refunded BIGINT,
    remaining BIGINT,
    owed BIGINT,
    expires_at TIMESTAMPTZ,
    released BOOLEAN,
    -- Only for a plan period that may still roll over: its terms, its own end, the next period, and the next period's
    -- end if known.
    claim_id BIGINT,
    rollover_percentage INTEGER,
    rollover_cap BIGINT,
    period_ends_at TIMESTAMPTZ,
    next wallet.claims,
    next_ends_at TIMESTAMPTZ,
    next_product_id TEXT
);
CREATE TYPE wallet.balance_forecast AS (
    credits BIGINT,
    visits BIGINT,
    unlimited BOOLEAN,
    owed_credits BIGINT,
    owed_visits BIGINT,
    version BIGINT,
    -- The spendable lots.
    lots wallet.forecast_lot [],
    next_rollover_at TIMESTAMPTZ,
    as_of TIMESTAMPTZ
);
CREATE TYPE wallet.forecast_plan AS (
    subscription_id BIGINT,
    claim_id BIGINT,
    product wallet.products,
    grants BIGINT,
    first_ends_at TIMESTAMPTZ,
    renewals INTEGER,
    period_ends_at TIMESTAMPTZ,
    access_ends_at TIMESTAMPTZ,
    renews BOOLEAN,
    will_renew BOOLEAN,
    unlimited BOOLEAN,
    rollover_percentage INTEGER,
    -- For a commitment that is billed in parts; shares: whether each part grants its share of grants.
    billing_period INTEGER,
    billing_periods INTEGER,
    shares BOOLEAN,
    commitment_renews BOOLEAN
);
