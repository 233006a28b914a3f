-- Creates the lot of an imported balance and posts its history, each entry with its own time. Then it repays the
-- wallet's debts. One event reports the whole import. The caller holds the wallet's row.
-- Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.import_lot(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_unit wallet.unit,
    p_movements wallet.import_movement[],
    p_source TEXT,
    p_expires_at TIMESTAMPTZ
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot_id CONSTANT UUID := wallet.new_id();
    v_movement wallet.import_movement;
BEGIN
    IF cardinality(p_movements) = 0 THEN
        RETURN;
    END IF;
    INSERT INTO wallet.lots (account_id, lot_id, environment, unit, source, granted, expires_at, created_at)
    VALUES (
        p_account_id, v_lot_id, p_environment, p_unit, 'import', 0, p_expires_at,
        coalesce((p_movements[1]).at, wallet.now())
    );
    FOREACH v_movement IN ARRAY p_movements LOOP
        PERFORM wallet.post_lot(
            p_account_id, p_environment, v_lot_id, 'import',
            p_granted => greatest(v_movement.amount, 0), p_spent => greatest(-v_movement.amount, 0),
            p_actor => 'import ' || p_source,
            -- Descriptions from another system may contain line breaks and directional controls, which are not allowed
            -- in reasons.
            p_reason => left(regexp_replace(
                concat_ws(': ', v_movement.kind, v_movement.reason),
                '[\u0001-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]+', ' ', 'g'
            ), 500), p_at => v_movement.at
        );
    END LOOP;
    PERFORM wallet.settle(p_account_id, v_lot_id, p_repays => TRUE);
    IF (SELECT sum(m.amount) FROM unnest(p_movements) AS m (at, amount, kind, reason)) > 0 THEN
        PERFORM wallet.emit(
            'credits.granted', p_account_id, p_environment, p_details => jsonb_build_object('lot_id', v_lot_id)
        );
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.import_lot(
    BIGINT, wallet.environment, wallet.unit, wallet.import_movement[], TEXT, TIMESTAMPTZ
) IS 'Creates the lot of an imported balance and posts its history.';
