-- Returns whether a statement is about a user who deleted their account. Such a statement waits for no user and is not
-- kept.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.names_deleted(p_statement JSONB) RETURNS BOOLEAN LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN coalesce((p_statement ->> 'forgotten')::BOOLEAN, FALSE) OR EXISTS (
        SELECT FROM jsonb_array_elements_text(coalesce(p_statement -> 'owners', '[]')) AS o (id)
        INNER JOIN wallet.deleted_users AS d ON d.user_digest = wallet.user_digest(o.id)
    ) OR EXISTS (
        SELECT FROM wallet.released_tokens AS t
        WHERE t.token_digest = sha256(uuid_send(wallet.read_account_token(p_statement -> 'fact' ->> 'app_account_token')))
    );
END;
$$;
COMMENT ON FUNCTION wallet.names_deleted(JSONB) IS
'Returns whether a statement is about a user who deleted their account.';
