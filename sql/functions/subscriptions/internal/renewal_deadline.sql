-- Returns until when a wallet's bookings that an unlimited plan was to cover wait for its renewal, null for not
-- at all: stores report a renewal some minutes after the period, and nobody shall lose a class by that. A store that
-- said that the plan does not renew, is over or is paused, has said enough.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.renewal_deadline(p_account_id BIGINT, p_environment wallet.environment)
RETURNS TIMESTAMPTZ LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT max(s.access_ends_at + INTERVAL '1 hour') FROM wallet.subscription_states AS s
        INNER JOIN wallet.subscriptions AS t
            ON s.account_id = t.account_id AND s.subscription_id = t.subscription_id
        WHERE
            s.account_id = p_account_id AND s.environment = p_environment AND s.unlimited AND NOT s.has_access
            AND s.will_renew AND t.ended IS NULL AND NOT t.paused
            AND s.access_ends_at + INTERVAL '1 hour' > wallet.now()
    );
END;
$$;
COMMENT ON FUNCTION wallet.renewal_deadline(BIGINT, wallet.environment) IS
'Until when a wallet''s bookings wait for the report of an unlimited plan''s renewal.';
