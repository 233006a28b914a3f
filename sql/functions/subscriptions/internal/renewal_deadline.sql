-- Returns until when bookings paid by an unlimited plan wait for the plan's renewal; null if they do not wait. Stores
-- report a renewal some minutes after the end of the period, and users must not lose their bookings because of this.
-- Bookings do not wait if the store reported that the plan will not renew, has ended or is paused.
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
'Returns until when a wallet''s bookings wait for the report of an unlimited plan''s renewal.';
