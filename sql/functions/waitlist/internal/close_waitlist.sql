-- Removes all members from the waitlist of a class, and notifies each.
-- The caller holds the seats. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.close_waitlist(p_class_id TEXT) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM wallet.emit(
        'waitlist.closed', w.account_id, w.environment, p_details => jsonb_build_object('class_id', w.class_id)
    )
    FROM wallet.waitlist AS w
    WHERE w.class_id = p_class_id
    ORDER BY w.entry_id;
    DELETE FROM wallet.waitlist AS w WHERE w.class_id = p_class_id;
    PERFORM wallet.release_reserved_seats(s.class_id, s.environment)
    FROM wallet.class_seats AS s
    WHERE s.class_id = p_class_id;
END;
$$;
COMMENT ON FUNCTION wallet.close_waitlist(TEXT) IS
'Removes all members from the waitlist of a class, and notifies each.';
