-- Returns the UUID that an app passes to a store as the account token of a user. It is the user id itself if that is a
-- UUID, otherwise a version 5 UUID of the user id in a fixed namespace.
-- A user id that is itself a version 5 UUID is hashed too, because it could equal another user's token. An attacker who
-- can make a store name a user could otherwise take the token of a future user. The all-zero UUID is hashed too,
-- because it means "no token". Two users therefore never share a token, in any order of arrival. The only exception is
-- a SHA-1 collision; wallet.resolve_claim_owner then ignores the token.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.app_account_token(p_user_id TEXT) RETURNS UUID
LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN CASE
        WHEN
            p_user_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
            AND NOT (substr(p_user_id, 15, 1) = '5' AND substr(p_user_id, 20, 1) IN ('8', '9', 'a', 'b', 'A', 'B'))
            AND p_user_id <> '00000000-0000-0000-0000-000000000000'
            THEN p_user_id::UUID
        ELSE wallet.uuid_v5('b5d6e6a2-33b4-5c0f-9d3e-7c1d1f2a6c10', wallet.canonical_user_id(p_user_id))
    END;
END;
$$;
COMMENT ON FUNCTION wallet.app_account_token(TEXT) IS
'Returns the account token that an app passes to the store for a user.';

-- Returns the version 5 UUID of a name in a namespace (RFC 9562, section 5.5): the first 16 bytes of the SHA-1 of both,
-- with version and variant set. PostgreSQL has no built-in SHA-1, and extensions that offer it may be missing or
-- installed in any schema. So the function implements it (FIPS 180-4, section 6.1), which takes about 60 µs a block.
CREATE OR REPLACE FUNCTION wallet.uuid_v5(p_namespace UUID, p_name TEXT) RETURNS UUID
LANGUAGE plpgsql IMMUTABLE STRICT SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    c_mask CONSTANT BIGINT := 4294967295;
    v_message BYTEA := uuid_send(p_namespace) || convert_to(p_name, 'UTF8');
    v_bits CONSTANT BIGINT := octet_length(v_message) * 8;
    v_hash BIGINT[] := ARRAY[1732584193, 4023233417, 2562383102, 271733878, 3285377520];
    v_words BIGINT[];
    v_next BIGINT;
    a BIGINT;
    b BIGINT;
    c BIGINT;
    d BIGINT;
    e BIGINT;
BEGIN
    -- Padding: a one bit, zeros up to the last eight bytes of a block, and the length in bits.
    v_message := v_message || '\x80' || decode(repeat('00', (119 - octet_length(v_message) % 64) % 64), 'hex')
        || int8send(v_bits);
    FOR v_block IN 0..octet_length(v_message) / 64 - 1 LOOP
        FOR t IN 1..16 LOOP
            v_words[t] := ('x' || encode(substr(v_message, v_block * 64 + t * 4 - 3, 4), 'hex'))::BIT(32)::BIGINT;
        END LOOP;
        a := v_hash[1];
        b := v_hash[2];
        c := v_hash[3];
        d := v_hash[4];
        e := v_hash[5];
        FOR t IN 1..80 LOOP
            IF t > 16 THEN
                v_next := v_words[t - 3] # v_words[t - 8] # v_words[t - 14] # v_words[t - 16];
                v_words[t] := ((v_next << 1) | (v_next >> 31)) & c_mask;
            END IF;
            v_next := ((a << 5) | (a >> 27)) + e + v_words[t] + CASE
                WHEN t <= 20 THEN (d # (b & (c # d))) + 1518500249
                WHEN t <= 40 THEN (b # c # d) + 1859775393
                WHEN t <= 60 THEN ((b & c) | (d & (b | c))) + 2400959708
                ELSE (b # c # d) + 3395469782
            END;
            e := d;
            d := c;
            c := ((b << 30) | (b >> 2)) & c_mask;
            b := a;
            a := v_next & c_mask;
        END LOOP;
        v_hash := ARRAY[
            (v_hash[1] + a) & c_mask, (v_hash[2] + b) & c_mask, (v_hash[3] + c) & c_mask, (v_hash[4] + d) & c_mask,
            (v_hash[5] + e) & c_mask
        ];
    END LOOP;
    RETURN encode(
        int8send((v_hash[1] << 32) | (v_hash[2] & ~61440::BIGINT) | 20480)
        || int8send((((v_hash[3] & 1073741823) | 2147483648) << 32) | v_hash[4]), 'hex'
    )::UUID;
END;
$$;
COMMENT ON FUNCTION wallet.uuid_v5(UUID, TEXT) IS 'Returns the version 5 UUID of a name in a namespace.';

-- Returns the account token in a store's text, or null if the text identifies no user. Apps that set no token send an
-- empty or all-zero one, and this service never issues a token that is not a UUID. An invalid token does not cause a
-- purchase to be refused. The function has no search_path, so that PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION wallet.read_account_token(p_text TEXT) RETURNS UUID LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN p_text ~ '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
            THEN nullif(p_text::UUID, '00000000-0000-0000-0000-000000000000'::UUID)
    END;
$$;
COMMENT ON FUNCTION wallet.read_account_token(TEXT) IS
'Returns the account token in a store''s text, or null if it identifies no user.';
