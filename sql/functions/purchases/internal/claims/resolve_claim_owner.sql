-- Returns which account may own a claim: the owner it has, else the one that the store itself names
-- (p_attested_by_store), else the owner of the subscription that it renews or of the purchase that it replaces, else
-- the submitter, else the one that its account token names: where that names two, which takes a collision of SHA-1, it
-- is nobody's yet.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.resolve_claim_owner(
    p_account_id BIGINT, p_claim wallet.claims, p_attested_by_store BOOLEAN
) RETURNS BIGINT
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN coalesce(
        p_claim.account_id,
        CASE WHEN p_attested_by_store THEN p_account_id END,
        wallet.renewed_owner(p_claim),
        p_account_id,
        (
            SELECT CASE WHEN count(DISTINCT i.account_id) = 1 THEN min(i.account_id) END FROM wallet.identities AS i
            WHERE sha256(uuid_send(i.app_account_token)) = p_claim.token_digest
        )
    );
END;
$$;
COMMENT ON FUNCTION wallet.resolve_claim_owner(BIGINT, wallet.claims, BOOLEAN) IS
'The account that may own a claim, null for nobody known.';
