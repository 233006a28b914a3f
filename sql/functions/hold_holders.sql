-- Takes the wallets of other accounts that hold the lots of slices by now, and says whether all were to be had. Seats
-- are locked by then, so a wallet may be taken only if nobody holds it.
-- Called by: wallet.cancel_one. Locks: those wallets, without waiting. Codes: none.
CREATE OR REPLACE FUNCTION wallet.hold_holders(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_slices wallet.held_slice[]
) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_holder BIGINT;
BEGIN
    FOR v_holder IN
        SELECT DISTINCT s.account_id FROM unnest(p_slices) AS s WHERE s.account_id <> p_account_id
    LOOP
        PERFORM FROM wallet.wallets AS w
        WHERE w.account_id = v_holder AND w.environment = p_environment
        FOR UPDATE SKIP LOCKED;
        IF NOT FOUND THEN
            RETURN FALSE;
        END IF;
    END LOOP;
    RETURN TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.hold_holders(BIGINT, wallet.environment, wallet.held_slice[]) IS
'Takes the wallets that hold the lots of slices by now, if nobody else has them.';
