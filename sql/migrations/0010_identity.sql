-- Deleted, merged and returning users: what their functions need to find quickly, and what they answer.

DROP FUNCTION IF EXISTS wallet.account_for(TEXT);

-- Where a lot has been before.
CREATE INDEX lots_moved ON wallet.lots (lot_id) WHERE moved_to IS NOT NULL;
CREATE INDEX bookings_ledger ON wallet.bookings (ledger_account_id, booking_id) WHERE ledger_account_id IS NOT NULL;
CREATE INDEX accounts_merged ON wallet.accounts (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX inbox_unprocessed ON wallet.inbox (inbox_id) WHERE status <> 'processed';

-- Claims keep an account token's digest, and every message that names no user asks whose it is.
CREATE INDEX identities_token_digest ON wallet.identities (sha256(uuid_send(app_account_token)));

-- What became of one purchase that somebody asked to have restored.
CREATE TYPE wallet.restored_claim AS (
    claim_id BIGINT,
    transaction_id TEXT,
    product_id TEXT,
    unit wallet.unit,
    remaining BIGINT,
    result TEXT
);

-- A part of a booking's payment, with the account that holds the lot by now.
CREATE TYPE wallet.held_slice AS (
    account_id BIGINT,
    lot_id UUID,
    amount BIGINT
);
