-- Imports one user's balance from another system, with its history if there is one, once for each source. If the user
-- was imported before, it changes nothing, even if the source now reports other data. Returns the result. With
-- p_dry_run, it returns the result and undoes the import.
-- p_movements: the history of the credits, as wallet.read_movements expects it; null or empty for none. p_at: when the
-- balance was reported; null for now. p_reason: the reason of the balance's own entry.
-- p_account_token: as for wallet.account_for.
-- Locks: as wallet.post_import. Codes: as wallet.post_import.
CREATE OR REPLACE FUNCTION wallet.import_wallet(
    p_source TEXT,
    p_user_id TEXT,
    p_environment wallet.environment,
    p_movements JSONB,
    p_credits BIGINT,
    p_visits BIGINT,
    p_at TIMESTAMPTZ,
    p_dry_run BOOLEAN,
    p_reason TEXT DEFAULT NULL,
    p_expires_at TIMESTAMPTZ DEFAULT 'infinity',
    p_account_token UUID DEFAULT NULL
) RETURNS wallet.import_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_movements CONSTANT wallet.import_movement[] := wallet.read_movements(p_movements);
    v_digest CONSTANT BYTEA := wallet.import_digest(v_movements, p_credits, p_visits);
    v_outcome wallet.import_outcome;
BEGIN
    v_outcome := wallet.import_state(p_source, p_user_id, p_environment, v_digest);
    IF v_outcome.result IS NULL THEN
        v_outcome.reason := wallet.import_refusal(p_user_id, v_movements, p_credits, p_visits, p_at, p_expires_at);
        v_outcome.result := CASE WHEN v_outcome.reason IS NOT NULL THEN 'refused' END;
    END IF;
    IF v_outcome.result IS NOT NULL THEN
        RETURN v_outcome;
    END IF;
    BEGIN
        v_outcome := wallet.post_import(
            p_source, p_user_id, p_environment, v_movements, p_credits, p_visits, p_at, p_reason, p_expires_at, v_digest,
            p_account_token
        );
        IF v_outcome.result = 'imported' THEN
            PERFORM wallet.record_action(
                ROW(
                    NULL, CASE WHEN wallet.is_plain_text(p_reason) THEN p_reason END, NULL, NULL
                )::wallet.action_note, 'import', 'wallet', NULL, '{}',
                jsonb_build_object('source', p_source, 'credits', p_credits, 'visits', p_visits),
                wallet.account_for(p_user_id), p_environment
            );
        END IF;
        -- If a concurrent transaction decided the import first, everything is undone too.
        IF p_dry_run IS NOT FALSE OR v_outcome.result <> 'imported' THEN
            RAISE EXCEPTION USING ERRCODE = 'WL299', MESSAGE = 'taken-back';
        END IF;
    EXCEPTION WHEN SQLSTATE 'WL299' THEN
        NULL;
    END;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.import_wallet(
    TEXT, TEXT, wallet.environment, JSONB, BIGINT, BIGINT, TIMESTAMPTZ, BOOLEAN, TEXT, TIMESTAMPTZ, UUID
) IS 'Imports one user''s balance from another system, once for each source.';
