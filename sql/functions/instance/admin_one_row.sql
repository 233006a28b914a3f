-- Limits a statement of an administrator to one row, so that a forgotten WHERE changes nothing. To change several rows,
-- the administrator sets wallet.bulk to 'on' in the same transaction. Each view has two triggers with this function:
-- one before the statement, which resets the count, and one for each row, which runs before the trigger that carries
-- out the change.
-- Locks: none. Codes: WL422 one-row-at-a-time.
CREATE OR REPLACE FUNCTION wallet.admin_one_row() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF TG_LEVEL = 'STATEMENT' THEN
        PERFORM set_config('wallet.changed_in', '', TRUE);
        RETURN NULL;
    ELSIF
        current_setting('wallet.changed_in', TRUE) = TG_TABLE_NAME
        AND coalesce(current_setting('wallet.bulk', TRUE), '') <> 'on'
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', DETAIL = 'one-row-at-a-time',
            MESSAGE = wallet.admin_sentence('one-row-at-a-time'),
            HINT = 'If all of these rows should change: BEGIN; SET LOCAL wallet.bulk = ''on''; …';
    END IF;
    PERFORM set_config('wallet.changed_in', TG_TABLE_NAME, TRUE);
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END;
$$;
COMMENT ON FUNCTION wallet.admin_one_row() IS 'Limits a statement of an administrator to one row.';
