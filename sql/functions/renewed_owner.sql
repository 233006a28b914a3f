-- Tells who owns the subscription that a claim renews, or the purchase that it replaces; null for none.
-- Called by: wallet.claimant, wallet.refuse_grant. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.renewed_owner(p_claim wallet.claims) RETURNS BIGINT LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN coalesce((
        SELECT s.account_id FROM wallet.subscriptions AS s
        WHERE
            s.store = p_claim.store AND s.environment = p_claim.environment
            AND s.original_transaction_id
            = coalesce(p_claim.original_transaction_id, p_claim.transaction_id)
    ), (
        SELECT c.account_id FROM wallet.claims AS c
        WHERE
            c.store = p_claim.store AND c.environment = p_claim.environment AND c.kind = 'subscription'
            AND c.purchase_token IN (p_claim.purchase_token, p_claim.linked_purchase_token)
            AND c.account_id IS NOT NULL AND p_claim.kind = 'subscription'
        ORDER BY c.purchased_at DESC, c.claim_id DESC
        LIMIT 1
    ));
END;
$$;
COMMENT ON FUNCTION wallet.renewed_owner(wallet.claims) IS
'Who owns the subscription that a claim renews or replaces.';
