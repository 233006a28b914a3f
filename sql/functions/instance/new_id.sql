-- Returns a new time-ordered UUID (version 7): 48 bits of milliseconds, 12 bits of the millisecond's fraction (RFC
-- 9562, section 6.2, method 3), then random bits. So ids that one session creates sort in the order of their creation,
-- and lots that one call grants are used in the order in which it granted them.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.new_id() RETURNS UUID LANGUAGE plpgsql VOLATILE
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_micros CONSTANT BIGINT := extract(EPOCH FROM clock_timestamp()) * 1000000;
BEGIN
    RETURN encode(
        overlay(
            uuid_send(gen_random_uuid())
            PLACING int8send(((v_micros / 1000) << 16) | (7 << 12) | (v_micros % 1000 * 4096 / 1000))
            FROM 1 FOR 8
        ), 'hex')::UUID;
END;
$$;
COMMENT ON FUNCTION wallet.new_id() IS 'Returns a new time-ordered UUID (version 7).';
