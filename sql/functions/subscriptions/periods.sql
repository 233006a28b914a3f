-- Returns the granted period after a claim's period in the same subscription.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.period_after(p_claim wallet.claims) RETURNS wallet.claims LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT c FROM wallet.claims AS c
        WHERE
            c.store = p_claim.store AND c.environment = p_claim.environment AND c.kind = 'subscription'
            AND c.chain_id = p_claim.chain_id AND c.granted_at IS NOT NULL
            AND c.duplicate_of IS NULL AND c.purchased_at > p_claim.purchased_at
        ORDER BY c.purchased_at, c.expires_at
        LIMIT 1
    );
END;
$$;
COMMENT ON FUNCTION wallet.period_after(wallet.claims) IS
'Returns the granted period after this one in the same subscription.';

-- Returns the granted period before a claim's period in the same subscription.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.period_before(p_claim wallet.claims) RETURNS wallet.claims LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT c FROM wallet.claims AS c
        WHERE
            c.store = p_claim.store AND c.environment = p_claim.environment AND c.kind = 'subscription'
            AND c.chain_id = p_claim.chain_id AND c.granted_at IS NOT NULL
            AND c.duplicate_of IS NULL AND c.purchased_at < p_claim.purchased_at
        ORDER BY c.purchased_at DESC, c.expires_at DESC
        LIMIT 1
    );
END;
$$;
COMMENT ON FUNCTION wallet.period_before(wallet.claims) IS
'Returns the granted period before this one in the same subscription.';

-- Returns when a paid period ends: at its own end, or earlier if a period of another product of its group began before
-- that (an upgrade, or a new purchase that replaces it). A renewal of the same product never cuts a period short, and
-- neither does another product bought in the same purchase.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.period_end(p_claim wallet.claims) RETURNS TIMESTAMPTZ LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN least(p_claim.expires_at, wallet.replaced_at(p_claim));
END;
$$;
COMMENT ON FUNCTION wallet.period_end(wallet.claims) IS 'Returns when a paid period ends or was replaced.';

-- Returns when the grace period of a paid period ends, or null without one: as reported, or earlier if another period
-- replaces this one. A period that is replaced before its own end has no grace period.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.grace_end(p_claim wallet.claims) RETURNS TIMESTAMPTZ LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_reported CONSTANT TIMESTAMPTZ := wallet.period_flag(p_claim.claim_id, 'grace_ends_at')::TIMESTAMPTZ;
    v_replaced_at TIMESTAMPTZ;
BEGIN
    IF v_reported IS NULL THEN
        RETURN NULL;
    END IF;
    v_replaced_at := wallet.replaced_at(p_claim);
    RETURN CASE WHEN v_replaced_at < p_claim.expires_at THEN NULL ELSE least(v_reported, v_replaced_at) END;
END;
$$;
COMMENT ON FUNCTION wallet.grace_end(wallet.claims) IS 'Returns when the grace period of a paid period ends.';

-- Returns when the first period began that replaces a period, before or after its end; null if none does.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.replaced_at(p_claim wallet.claims) RETURNS TIMESTAMPTZ LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT min(n.purchased_at) FROM wallet.claims AS n
        WHERE
            n.account_id = p_claim.account_id AND n.environment = p_claim.environment AND n.store = p_claim.store
            AND n.kind = 'subscription' AND n.granted_at IS NOT NULL AND n.duplicate_of IS NULL
            AND n.purchased_at > p_claim.purchased_at
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
    );
END;
$$;
COMMENT ON FUNCTION wallet.replaced_at(wallet.claims) IS 'Returns when the first period began that replaces a period.';

-- Returns whether the store could not charge for the renewal of a period. A period that was replaced needs no renewal.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.has_billing_issue(p_claim wallet.claims) RETURNS BOOLEAN LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN coalesce(wallet.period_flag(p_claim.claim_id, 'billing_issue')::BOOLEAN, FALSE)
        AND wallet.replaced_at(p_claim) IS NULL;
END;
$$;
COMMENT ON FUNCTION wallet.has_billing_issue(wallet.claims) IS
'Returns whether the store could not charge for the renewal of a period.';

-- Returns when a claim's period ends according to the newest report: its reported end, otherwise the time at which it
-- was reported as expired; null if no store has reported either.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.reported_end(p_claim_id BIGINT) RETURNS TIMESTAMPTZ LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN coalesce(
        wallet.period_flag(p_claim_id, 'expires_at'), wallet.period_flag(p_claim_id, 'expired_at')
    )::TIMESTAMPTZ;
END;
$$;
COMMENT ON FUNCTION wallet.reported_end(BIGINT) IS
'Returns when a claim''s period ends according to the newest report.';

-- Returns whether another period will follow, as far as the stores have reported. A cancelled commitment is billed to
-- its end, even if a source that does not support commitments reports otherwise. After its last billing period, another
-- one follows only if the commitment renews.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.period_renews(p_claim wallet.claims) RETURNS BOOLEAN LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN coalesce(p_claim.billing_period < p_claim.billing_periods, FALSE) OR (
        coalesce(wallet.period_flag(p_claim.claim_id, 'will_renew')::BOOLEAN, TRUE)
        AND coalesce(wallet.period_flag(p_claim.claim_id, 'commitment_renews')::BOOLEAN, TRUE)
    );
END;
$$;
COMMENT ON FUNCTION wallet.period_renews(wallet.claims) IS 'Returns whether another period will follow.';

-- Returns the newest value of one flag of a period, or null if no store has reported it.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.period_flag(p_claim_id BIGINT, p_flag TEXT) RETURNS TEXT LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (SELECT f.value FROM wallet.period_flags AS f WHERE f.claim_id = p_claim_id AND f.flag = p_flag);
END;
$$;
COMMENT ON FUNCTION wallet.period_flag(BIGINT, TEXT) IS 'Returns the newest value of one flag of a period.';
