-- Says whether a store's message names a user, by id or by account token. A short id counts only as a whole value: it
-- may be part of any other text.
-- Called by: wallet.forget_user. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.names_user(p_payload JSONB, p_user_id TEXT, p_token UUID) RETURNS BOOLEAN
LANGUAGE sql IMMUTABLE SET search_path = wallet, pg_temp AS $$
    SELECT coalesce(
        strpos(p_payload::TEXT, to_jsonb(p_user_id)::TEXT) > 0
        OR (char_length(p_user_id) >= 16 AND strpos(p_payload::TEXT, trim(BOTH '"' FROM to_jsonb(p_user_id)::TEXT)) > 0)
        OR strpos(lower(p_payload::TEXT), p_token::TEXT) > 0,
        FALSE
    );
$$;
COMMENT ON FUNCTION wallet.names_user(JSONB, TEXT, UUID) IS 'Whether a store''s message names a user.';
