-- Returns null if a user may get a promotional offer, otherwise the reason why not. Offers are for users who have, or
-- once had, a subscription to a plan of the product's group. In the sandbox, only testers are eligible.
-- Locks: none. Codes: none (the reason is a slug).
CREATE OR REPLACE FUNCTION wallet.offer_eligibility(
    p_user_id TEXT,
    p_environment wallet.environment,
    p_product_id TEXT,
    p_offer_id TEXT
) RETURNS TEXT LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_product wallet.products;
    v_eligibility TEXT;
    v_lives BOOLEAN;
BEGIN
    SELECT p.* INTO v_product FROM wallet.products AS p
    WHERE (p.product_id = p_product_id OR p.app_store_id = p_product_id) AND p.is_active;
    SELECT o.eligibility INTO v_eligibility FROM wallet.offers AS o
    WHERE o.product_id = v_product.product_id AND o.offer_id = p_offer_id AND o.is_active;
    IF NOT FOUND THEN
        RETURN 'offer-not-found';
    END IF;
    SELECT bool_or(s.has_access) INTO v_lives
    FROM wallet.subscription_states AS s
    INNER JOIN wallet.identities AS i ON s.account_id = i.account_id
    INNER JOIN wallet.products AS p ON s.product_id = p.product_id
    WHERE
        i.user_id = wallet.canonical_user_id(p_user_id) AND s.environment = p_environment
        AND (p.product_id = v_product.product_id OR p.subscription_group = v_product.subscription_group);
    RETURN CASE
        WHEN v_lives IS NULL THEN 'not-eligible'
        -- An offer's signature is valid in both store environments, so a free test subscription must not lower real
        -- prices.
        WHEN p_environment = 'sandbox' AND NOT EXISTS (
            SELECT FROM wallet.testers AS t
            INNER JOIN wallet.identities AS i ON t.account_id = i.account_id
            WHERE i.user_id = wallet.canonical_user_id(p_user_id)
        ) THEN 'not-eligible'
        WHEN v_eligibility = 'active' AND NOT v_lives THEN 'not-eligible'
        WHEN v_eligibility = 'lapsed' AND v_lives THEN 'not-eligible'
    END;
END;
$$;
COMMENT ON FUNCTION wallet.offer_eligibility(TEXT, wallet.environment, TEXT, TEXT) IS
'Returns why a user may not get a promotional offer, or null if the user may.';
