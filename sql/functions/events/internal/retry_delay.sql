-- Returns the wait after a number of failed attempts: 5 seconds, doubling up to p_longest, randomly shortened by up to
-- a quarter, so that items that failed together are not retried together.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.retry_delay(p_attempts INTEGER, p_longest INTERVAL) RETURNS INTERVAL LANGUAGE sql
VOLATILE SET search_path = wallet, pg_temp AS $$
    SELECT least(INTERVAL '5 seconds' * power(2, least(greatest(p_attempts, 1), 30) - 1), p_longest)
        * (1 - random() / 4);
$$;
COMMENT ON FUNCTION wallet.retry_delay(INTEGER, INTERVAL) IS 'Returns the wait after a number of failed attempts.';
