-- Applies one purchase of a store's message, for the owner that the message names, if any.
-- Locks: see wallet.apply_fact. Codes: WL422.
CREATE OR REPLACE FUNCTION wallet.apply_statement(p_statement JSONB) RETURNS wallet.fact_outcome LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_id BIGINT;
BEGIN
    v_account_id := wallet.account_for_owners(
        ARRAY(SELECT jsonb_array_elements_text(coalesce(p_statement -> 'owners', '[]')))
    );
    RETURN wallet.apply_fact(v_account_id, p_statement -> 'fact', v_account_id IS NOT NULL);
END;
$$;
COMMENT ON FUNCTION wallet.apply_statement(JSONB) IS
'Applies one purchase of a store''s message, for the owner that the message names.';
