-- Posts one entry to a wallet's ledger and updates the wallet's sums. The caller holds the wallet's row.
-- p_at: the time of the movement, if it is not now; the times of a ledger never run backwards.
-- Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.post_entry(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_kind TEXT,
    p_unit wallet.unit,
    p_amount BIGINT,
    p_owed_change BIGINT,
    p_lot_id UUID,
    p_booking_id UUID,
    p_claim_id BIGINT,
    p_actor TEXT,
    p_reason TEXT,
    p_at TIMESTAMPTZ DEFAULT NULL
) RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_wallet wallet.wallets;
    v_entry wallet.entries;
    v_salt BYTEA;
BEGIN
    SELECT w.* INTO STRICT v_wallet FROM wallet.wallets AS w
    WHERE w.account_id = p_account_id AND w.environment = p_environment;
    IF p_unit = 'credit' THEN
        v_wallet.credits := v_wallet.credits + p_amount;
        v_wallet.owed_credits := v_wallet.owed_credits + p_owed_change;
    ELSIF p_unit = 'visit' THEN
        v_wallet.visits := v_wallet.visits + p_amount;
        v_wallet.owed_visits := v_wallet.owed_visits + p_owed_change;
    END IF;
    IF p_actor IS NOT NULL THEN
        v_salt := uuid_send(gen_random_uuid());
        v_entry.actor_digest := sha256(v_salt || convert_to(p_actor, 'UTF8'));
        v_entry.reason_digest := sha256(v_salt || convert_to(p_reason, 'UTF8'));
    END IF;
    v_entry.account_id := p_account_id;
    v_entry.environment := p_environment;
    v_entry.version := v_wallet.version + 1;
    v_entry.kind := p_kind;
    v_entry.unit := p_unit;
    v_entry.amount := p_amount;
    v_entry.owed_change := p_owed_change;
    v_entry.balance_after := CASE p_unit WHEN 'visit' THEN v_wallet.visits ELSE v_wallet.credits END;
    v_entry.lot_id := p_lot_id;
    v_entry.booking_id := p_booking_id;
    v_entry.claim_id := p_claim_id;
    v_entry.at := greatest(coalesce(p_at, wallet.now()), v_wallet.last_at);
    v_entry.prev_hash := v_wallet.head_hash;
    v_entry.hash := wallet.entry_hash(v_entry);
    INSERT INTO wallet.entries SELECT v_entry.*;
    IF p_actor IS NOT NULL THEN
        INSERT INTO wallet.entry_texts (account_id, environment, version, salt, actor, reason)
        VALUES (p_account_id, p_environment, v_entry.version, v_salt, p_actor, p_reason);
    END IF;
    UPDATE wallet.wallets AS w SET
        credits = v_wallet.credits,
        visits = v_wallet.visits,
        owed_credits = v_wallet.owed_credits,
        owed_visits = v_wallet.owed_visits,
        version = v_entry.version,
        head_hash = v_entry.hash,
        last_at = v_entry.at
    WHERE w.account_id = p_account_id AND w.environment = p_environment;
    RETURN v_entry.version;
END;
$$;
COMMENT ON FUNCTION wallet.post_entry(
    BIGINT, wallet.environment, TEXT, wallet.unit, BIGINT, BIGINT, UUID, UUID, BIGINT, TEXT, TEXT, TIMESTAMPTZ
) IS 'Posts one ledger entry and updates the wallet''s sums; returns the entry''s version.';
