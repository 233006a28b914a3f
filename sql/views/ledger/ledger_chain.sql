-- The ledger in the form that is hashed, for a caller that verifies the hashes. It contains the digests of actors and
-- reasons. They reveal nothing without their salts, which only the owner can read.
CREATE VIEW wallet.ledger_chain AS
SELECT
    e.account_id,
    e.environment,
    e.version,
    e.kind::TEXT AS kind,
    e.unit,
    e.amount,
    e.owed_change,
    e.balance_after,
    e.lot_id,
    e.booking_id,
    e.claim_id,
    e.actor_digest,
    e.reason_digest,
    e.at,
    e.prev_hash,
    e.hash
FROM wallet.entries AS e;
COMMENT ON VIEW wallet.ledger_chain IS 'The ledger with all data covered by its hashes, for auditors.';
