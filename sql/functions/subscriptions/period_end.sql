-- Returns when a paid period ends: at its own end, or earlier if a period of another product of its group began before
-- that (an upgrade, or a new purchase that replaces it). A renewal of the same product never cuts a period short, and
-- neither does another product bought in the same purchase.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.period_end(p_claim wallet.claims) RETURNS TIMESTAMPTZ LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT least(p_claim.expires_at, (
        SELECT min(n.purchased_at) FROM wallet.claims AS n
        WHERE
            n.account_id = p_claim.account_id AND n.environment = p_claim.environment AND n.store = p_claim.store
            AND n.kind = 'subscription' AND n.granted_at IS NOT NULL AND n.duplicate_of IS NULL
            AND n.purchased_at > p_claim.purchased_at AND n.purchased_at < p_claim.expires_at
            AND (
                n.linked_purchase_token = p_claim.purchase_token
                OR (
                    n.product_id <> p_claim.product_id
                    AND (n.chain_line = p_claim.chain_line
                        OR n.original_transaction_id IS DISTINCT FROM p_claim.original_transaction_id)
                    AND (
                        n.chain_id = p_claim.chain_id
                        OR n.subscription_group = p_claim.subscription_group
                    )
                )
            )
    ));
$$;
COMMENT ON FUNCTION wallet.period_end(wallet.claims) IS 'Returns when a paid period ends or was replaced.';
