-- Notes that a store moved one customer's subscriptions to another, and moves those that are known. Credits stay where
-- they are, accounts are never merged, and periods that began later are not concerned. Says what must be waited for.
-- Called by: wallet.apply_event. Locks: the subscriptions, by id. Codes: none.
CREATE OR REPLACE FUNCTION wallet.apply_transfer(p_transfer JSONB) RETURNS TEXT LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    -- Stores have sent instants centuries away; taken literally, one would send away whatever is bought until then.
    v_at CONSTANT TIMESTAMPTZ := CASE
        WHEN (p_transfer ->> 'at')::TIMESTAMPTZ > wallet.now() + INTERVAL '1 day' THEN wallet.now()
        ELSE (p_transfer ->> 'at')::TIMESTAMPTZ
    END;
    v_to BIGINT;
    v_from BIGINT;
    v_owner TEXT;
    v_subscription wallet.subscriptions;
BEGIN
    v_to := wallet.account_for_owners(ARRAY(SELECT jsonb_array_elements_text(p_transfer -> 'to')));
    IF v_to IS NULL THEN
        -- Nobody waits for somebody who is gone.
        RETURN CASE
            WHEN NOT wallet.names_deleted(p_transfer || jsonb_build_object('owners', p_transfer -> 'to'))
                THEN 'unknown-user'
        END;
    END IF;
    FOR v_owner IN SELECT o.id FROM jsonb_array_elements_text(p_transfer -> 'from') AS o (id) LOOP
        v_from := wallet.account_for_owners(ARRAY[v_owner]);
        CONTINUE WHEN v_from IS NULL OR v_from = v_to;
        INSERT INTO wallet.subscription_transfers (environment, from_account_id, to_account_id, at)
        SELECT e.environment, v_from, v_to, v_at
        FROM unnest(enum_range(NULL::wallet.environment)) AS e (environment)
        WHERE e.environment = coalesce((p_transfer ->> 'environment')::wallet.environment, e.environment)
        ON CONFLICT DO NOTHING;
        FOR v_subscription IN
            SELECT s.* FROM wallet.subscriptions AS s
            WHERE s.account_id IN (
                -- Later transfers, heard of before this one, may have moved them on already.
                WITH RECURSIVE owners (account_id) AS (
                    SELECT v_from
                    UNION
                    SELECT t.to_account_id FROM wallet.subscription_transfers AS t
                    INNER JOIN owners AS o ON t.from_account_id = o.account_id
                )

                SELECT o.account_id FROM owners AS o
            )
            ORDER BY s.subscription_id
        LOOP
            PERFORM wallet.sync_subscription(v_subscription.current_claim_id);
        END LOOP;
    END LOOP;
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.apply_transfer(JSONB) IS 'Moves one customer''s subscriptions to another, as a store says.';
