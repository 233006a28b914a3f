-- Returns how many days before its start an account can book a class, or null for no limit. A class's own number
-- applies to all accounts, but a live plan with a greater number extends it. If the class has no number, the account's
-- live plans decide: the greatest number applies, and only if every plan has one.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.days_ahead(
    p_class wallet.classes,
    p_account_id BIGINT,
    p_environment wallet.environment
) RETURNS INTEGER LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT CASE
            WHEN p_class.days_ahead IS NOT NULL THEN greatest(p_class.days_ahead, max(s.days_ahead))
            WHEN bool_and(s.days_ahead IS NOT NULL) THEN max(s.days_ahead)
        END
        FROM wallet.subscription_states AS s
        WHERE s.account_id = p_account_id AND s.environment = p_environment AND s.has_access
    );
END;
$$;
COMMENT ON FUNCTION wallet.days_ahead(wallet.classes, BIGINT, wallet.environment) IS
'Returns how many days before its start an account can book a class, or null for no limit.';
