-- Returns the hash of a ledger entry, which includes the previous entry's hash. record_send writes each field's type
-- and length before its bytes, so no two entries have the same encoding. Only built-in types are used, whose type
-- numbers stay the same after a dump and restore.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.entry_hash(p_entry wallet.entries) RETURNS BYTEA LANGUAGE plpgsql STABLE
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN sha256(record_send(ROW(
        p_entry.prev_hash, p_entry.account_id, p_entry.environment::TEXT, p_entry.version, p_entry.kind::TEXT,
        p_entry.unit::TEXT, p_entry.amount, p_entry.owed_change, p_entry.balance_after, p_entry.lot_id,
        p_entry.booking_id, p_entry.claim_id, p_entry.actor_digest, p_entry.reason_digest, p_entry.at
    )));
END;
$$;
COMMENT ON FUNCTION wallet.entry_hash(wallet.entries) IS 'Returns the hash that a ledger entry must have.';
