-- Returns the digest that replaces a deleted user's id. It is salted, so that the digest cannot be tested against a
-- list of ids outside this database.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.user_digest(p_user_id TEXT) RETURNS BYTEA LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT sha256(i.user_salt || convert_to(wallet.canonical_user_id(p_user_id), 'UTF8')) FROM wallet.instance AS i WHERE i.only_row
    );
END;
$$;
COMMENT ON FUNCTION wallet.user_digest(TEXT) IS 'Returns the salted digest that replaces a deleted user''s id.';
