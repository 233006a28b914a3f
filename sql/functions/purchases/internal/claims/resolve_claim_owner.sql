-- Returns the account that may own a claim: its existing owner, otherwise the account that the store itself names
-- (p_attested_by_store), otherwise the owner of the subscription that it renews or of the purchase that it replaces,
-- otherwise the submitter, otherwise the account of its account token. A token that matches two accounts, after a SHA-1
-- collision, identifies no owner.
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
'Returns the account that may own a claim, or null if none is known.';
