-- Warns users by events (rule 41), and returns how many changes or wallets it processed, whichever is greater; the
-- caller repeats the call while the result is p_limit. A wallet that another transaction holds is checked later.
-- credits.low: the balance in a unit is below its threshold and was not below it at some time since the last warning.
-- credits.expiring: a lot expires within p_ahead; once for each lot.
-- p_low_credits, p_low_visits: the thresholds; null or 0 for no warning. p_ahead: null for no warning.
-- Locks: the cursor and the due rows of wallet.warnings, then their wallets, all SKIP LOCKED. Codes: see wallet.settle.
CREATE OR REPLACE FUNCTION wallet.warn(
    p_low_credits BIGINT,
    p_low_visits BIGINT,
    p_ahead INTERVAL,
    p_limit INTEGER
) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_read CONSTANT INTEGER := wallet.note_changed_wallets(p_low_credits, p_low_visits, p_ahead, p_limit);
    v_checked INTEGER := 0;
    v_due RECORD;
BEGIN
    FOR v_due IN
        SELECT n.account_id, n.environment FROM wallet.warnings AS n
        WHERE n.due_at <= (SELECT wallet.now()) AND n.due_at < 'infinity'
        ORDER BY n.due_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
    LOOP
        IF wallet.warn_one(v_due.account_id, v_due.environment, p_low_credits, p_low_visits, p_ahead) THEN
            v_checked := v_checked + 1;
        END IF;
    END LOOP;
    RETURN greatest(v_read, v_checked);
END;
$$;
COMMENT ON FUNCTION wallet.warn(BIGINT, BIGINT, INTERVAL, INTEGER) IS
'Emits warnings of low balances and of lots that expire soon; returns how many changes or wallets it processed.';

-- Marks the wallets that have changed since the previous call, and that may need a warning, as due; returns how many
-- events it read. Each change of a wallet has an event in the outbox, so bookings need not report their wallets here. A
-- check costs more than a booking. A booking raises no balance and adds no lot, so it needs a check only if the balance
-- is no longer what the last check found: sufficient, or not. Like wallet.enqueue_deliveries, this function reads only
-- transactions older than every running one, and one caller runs at a time.
-- The first call, and the first call in another cluster, starts with the wallets that have lots with an expiry; their
-- earlier changes cause no other warning.
-- Locks: the cursor, SKIP LOCKED, then the rows of wallet.warnings in order of wallet. Codes: none.
CREATE OR REPLACE FUNCTION wallet.note_changed_wallets(
    p_low_credits BIGINT,
    p_low_visits BIGINT,
    p_ahead INTERVAL,
    p_limit INTEGER
) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_until CONSTANT XID8 := pg_snapshot_xmin(pg_current_snapshot());
    v_cursor wallet.warning_cursor;
    v_read INTEGER;
BEGIN
    SELECT c.* INTO v_cursor FROM wallet.warning_cursor AS c FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN 0;
    ELSIF v_cursor.ahead IS DISTINCT FROM p_ahead THEN
        UPDATE wallet.warning_cursor AS c SET ahead = p_ahead;
        UPDATE wallet.warnings AS n SET due_at = '-infinity' FROM wallet.wallets AS w
        WHERE
            n.account_id = w.account_id AND n.environment = w.environment AND w.next_expiry < 'infinity'
            AND n.due_at > '-infinity';
    END IF;
    IF v_cursor.xid IS NULL OR v_cursor.xid > v_until THEN
        INSERT INTO wallet.warnings (account_id, environment, due_at, checked_version)
        SELECT w.account_id, w.environment, '-infinity', w.version FROM wallet.wallets AS w
        WHERE w.next_expiry < 'infinity'
        ON CONFLICT (account_id, environment) DO UPDATE SET due_at = '-infinity';
        UPDATE wallet.warning_cursor AS c SET xid = v_until, event_id = 0;
        RETURN 0;
    END IF;
    WITH taken AS (
        SELECT o.xid, o.event_id, o.account_id, o.environment, o.type FROM wallet.outbox AS o
        WHERE (o.xid, o.event_id) > (v_cursor.xid, v_cursor.event_id) AND o.xid < v_until
        ORDER BY o.xid, o.event_id
        LIMIT p_limit
    ),

    moved AS (
        UPDATE wallet.warning_cursor AS c SET xid = t.xid, event_id = t.event_id
        FROM (SELECT n.xid, n.event_id FROM taken AS n ORDER BY n.xid DESC, n.event_id DESC LIMIT 1) AS t
    ),

    marked AS (
        INSERT INTO wallet.warnings (account_id, environment, due_at)
        SELECT DISTINCT w.account_id, w.environment, '-infinity'::TIMESTAMPTZ FROM taken AS t
        -- An event of a wallet that does not exist yet, such as a first place on a waitlist, changes no balance.
        INNER JOIN wallet.wallets AS w ON t.account_id = w.account_id AND t.environment = w.environment
        LEFT JOIN wallet.warnings AS n ON w.account_id = n.account_id AND w.environment = n.environment
        WHERE
            t.type NOT IN ('credits.low', 'credits.expiring') AND (
                t.type <> 'booking.created'
                -- Without a row, the wallet has never been checked.
                OR (p_low_credits > 0 AND n.credits_sufficed IS DISTINCT FROM (w.credits >= p_low_credits))
                OR (p_low_visits > 0 AND n.visits_sufficed IS DISTINCT FROM (w.visits >= p_low_visits))
            )
        ORDER BY w.account_id, w.environment
        ON CONFLICT (account_id, environment) DO UPDATE SET due_at = '-infinity'
    )

    SELECT count(*) INTO STRICT v_read FROM taken;
    RETURN v_read;
END;
$$;
COMMENT ON FUNCTION wallet.note_changed_wallets(BIGINT, BIGINT, INTERVAL, INTEGER) IS
'Marks the wallets that have changed since the previous call, and that may need a warning, as due for a check.';

-- Checks one wallet, emits its warnings, and stores when it is due again. Returns false if another transaction holds
-- the wallet, which then stays due. Merged and deleted accounts get no warnings. The caller holds the row of
-- wallet.warnings. Locks: the wallet, SKIP LOCKED. Codes: see wallet.settle.
CREATE OR REPLACE FUNCTION wallet.warn_one(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_low_credits BIGINT,
    p_low_visits BIGINT,
    p_ahead INTERVAL
) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_now TIMESTAMPTZ;
    v_wallet wallet.wallets;
    v_known wallet.warnings;
    v_lot wallet.lots;
    v_is_gone BOOLEAN;
BEGIN
    PERFORM FROM wallet.wallets AS w
    WHERE w.account_id = p_account_id AND w.environment = p_environment
    FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN FALSE;
    END IF;
    -- This posts the due expiries.
    PERFORM wallet.lock_wallet(p_account_id, p_environment);
    v_now := wallet.now();
    SELECT w.* INTO STRICT v_wallet FROM wallet.wallets AS w
    WHERE w.account_id = p_account_id AND w.environment = p_environment;
    SELECT a.deleted_at IS NOT NULL OR a.merged_into IS NOT NULL INTO STRICT v_is_gone FROM wallet.accounts AS a
    WHERE a.account_id = p_account_id;
    SELECT
        n.credits_sufficed OR coalesce(e.credits_sufficed, FALSE),
        n.visits_sufficed OR coalesce(e.visits_sufficed, FALSE)
    INTO STRICT v_known.credits_sufficed, v_known.visits_sufficed
    FROM wallet.warnings AS n
    CROSS JOIN LATERAL (
        SELECT
            bool_or(e.unit = 'credit' AND e.balance_after >= p_low_credits) AS credits_sufficed,
            bool_or(e.unit = 'visit' AND e.balance_after >= p_low_visits) AS visits_sufficed
        FROM wallet.entries AS e
        WHERE e.account_id = n.account_id AND e.environment = n.environment AND e.version > n.checked_version
    ) AS e
    WHERE n.account_id = p_account_id AND n.environment = p_environment;
    IF v_known.credits_sufficed AND v_wallet.credits < p_low_credits AND NOT v_is_gone THEN
        PERFORM wallet.emit('credits.low', p_account_id, p_environment, p_details => jsonb_build_object(
            'unit', 'credit', 'balance', v_wallet.credits, 'threshold', p_low_credits
        ));
        v_known.credits_sufficed := FALSE;
    END IF;
    IF v_known.visits_sufficed AND v_wallet.visits < p_low_visits AND NOT v_is_gone THEN
        PERFORM wallet.emit('credits.low', p_account_id, p_environment, p_details => jsonb_build_object(
            'unit', 'visit', 'balance', v_wallet.visits, 'threshold', p_low_visits
        ));
        v_known.visits_sufficed := FALSE;
    END IF;
    FOR v_lot IN
        SELECT l.* FROM wallet.lots AS l
        WHERE
            l.account_id = p_account_id AND l.environment = p_environment AND l.is_open AND l.warned_at IS NULL
            AND l.expires_at < 'infinity' AND l.expires_at <= v_now + p_ahead AND NOT v_is_gone
        ORDER BY l.expires_at, l.lot_id
    LOOP
        UPDATE wallet.lots AS l SET warned_at = v_now
        WHERE l.account_id = p_account_id AND l.lot_id = v_lot.lot_id;
        PERFORM wallet.emit('credits.expiring', p_account_id, p_environment, p_details => jsonb_build_object(
            'unit', v_lot.unit, 'amount', v_lot.remaining, 'expires_at', wallet.rfc3339(v_lot.expires_at),
            'lot_id', v_lot.lot_id, 'source', v_lot.source, 'product_id', v_lot.product_id
        ));
    END LOOP;
    UPDATE wallet.warnings AS n SET
        due_at = coalesce((
            SELECT min(l.expires_at) - p_ahead FROM wallet.lots AS l
            WHERE
                l.account_id = p_account_id AND l.environment = p_environment AND l.is_open AND l.warned_at IS NULL
                AND l.expires_at < 'infinity' AND NOT v_is_gone
        ), 'infinity'),
        checked_version = v_wallet.version,
        credits_sufficed = v_known.credits_sufficed,
        visits_sufficed = v_known.visits_sufficed
    WHERE n.account_id = p_account_id AND n.environment = p_environment;
    RETURN TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.warn_one(BIGINT, wallet.environment, BIGINT, BIGINT, INTERVAL) IS
'Checks one wallet and emits its warnings; returns whether it could check it.';
