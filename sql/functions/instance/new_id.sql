-- Returns a new time-ordered UUID (version 7): 48 bits of milliseconds, then random bits.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.new_id() RETURNS UUID LANGUAGE plpgsql VOLATILE
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN encode(
        set_bit(set_bit(
            overlay(
                uuid_send(gen_random_uuid())
                PLACING substring(int8send(floor(extract(EPOCH FROM clock_timestamp()) * 1000)::BIGINT) FROM 3)
                FROM 1 FOR 6
            ), 52, 1), 53, 1),
        'hex')::UUID;
END;
$$;
COMMENT ON FUNCTION wallet.new_id() IS 'Returns a new time-ordered UUID (version 7).';
