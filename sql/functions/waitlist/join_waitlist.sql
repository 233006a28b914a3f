-- Adds an account at the end of a class's waitlist. It charges nothing and checks no balance, because the member may
-- buy credits before a seat is free. If the account already waits, its entry stays unchanged.
-- Returns: whether the entry is new.
-- Locks: the account (against deletion and merging), then the class's seats, so that no seat becomes free between the
-- check and the insert. Codes: WL400 malformed-request, WL401 unauthenticated, WL404 class-not-found, then see
-- wallet.check_waitlist_eligibility.
CREATE OR REPLACE FUNCTION wallet.join_waitlist(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_class_id TEXT,
    p_seats INTEGER,
    p_pay_with TEXT,
    p_max_amount BIGINT
) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account wallet.accounts;
BEGIN
    IF p_seats IS NULL OR p_seats NOT BETWEEN 1 AND 100 THEN
        RAISE EXCEPTION USING ERRCODE = 'WL400', MESSAGE = 'malformed-request';
    END IF;
    SELECT a.* INTO v_account FROM wallet.accounts AS a WHERE a.account_id = p_account_id FOR SHARE;
    IF NOT FOUND OR v_account.deleted_at IS NOT NULL OR v_account.merged_into IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL401', MESSAGE = 'unauthenticated';
    END IF;
    PERFORM FROM wallet.class_seats AS s
    WHERE s.class_id = p_class_id AND s.environment = p_environment
    FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'class-not-found';
    END IF;
    PERFORM wallet.check_waitlist_eligibility(v_account, p_environment, p_class_id, p_seats, p_pay_with, p_max_amount);
    INSERT INTO wallet.waitlist (class_id, environment, account_id, seats, asked_pay_with, asked_max_amount, joined_at)
    VALUES (p_class_id, p_environment, p_account_id, p_seats, p_pay_with, p_max_amount, wallet.now())
    ON CONFLICT (class_id, environment, account_id) DO NOTHING;
    IF NOT FOUND THEN
        RETURN FALSE;
    END IF;
    PERFORM wallet.emit('waitlist.joined', p_account_id, p_environment, p_details => (
        SELECT jsonb_build_object('class_id', p_class_id, 'place', count(*)) FROM wallet.waitlist AS w
        WHERE w.class_id = p_class_id AND w.environment = p_environment
    ));
    RETURN TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.join_waitlist(BIGINT, wallet.environment, TEXT, INTEGER, TEXT, BIGINT) IS
'Adds an account to the waitlist of a class.';
