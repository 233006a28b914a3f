-- Inserts one event into the outbox, in the transaction that it reports. It sends no NOTIFY, because NOTIFY serializes
-- all commits.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.emit(
    p_type TEXT,
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_claim_id BIGINT DEFAULT NULL,
    p_booking_id UUID DEFAULT NULL,
    p_details JSONB DEFAULT NULL
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    INSERT INTO wallet.outbox (type, account_id, environment, booking_id, claim_id, version, details, at)
    SELECT p_type, p_account_id, p_environment, p_booking_id, p_claim_id, (
        SELECT w.version FROM wallet.wallets AS w
        WHERE w.account_id = p_account_id AND w.environment = p_environment
    ), p_details, wallet.now();
END;
$$;
COMMENT ON FUNCTION wallet.emit(TEXT, BIGINT, wallet.environment, BIGINT, UUID, JSONB) IS
'Inserts one event into the outbox.';
