-- Returns how many days before its start a class can be booked by an account; null for any number. A class's own number
-- binds everybody, but a live plan with a greater one extends it for its holder. Where the class has none, its holder's
-- live plans bind: the greatest counts, and only if each of them has one.
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
'How many days before its start an account can book a class; null for any number.';
