-- Locks a wallet's row, creates the wallet if it does not exist, and posts the due expiries. Every transaction that
-- locks a wallet posts them first, so a stopped sweeper makes no difference.
-- Locks: the account of a new wallet, the wallet's row (several wallets in order of account and environment, before any
-- class). Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_wallet(p_account_id BIGINT, p_environment wallet.environment)
RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_next_expiry TIMESTAMPTZ;
BEGIN
    SELECT w.next_expiry INTO v_next_expiry FROM wallet.wallets AS w
    WHERE w.account_id = p_account_id AND w.environment = p_environment
    FOR UPDATE;
    IF NOT FOUND THEN
        -- An account that is being deleted or merged gets no new wallet meanwhile.
        PERFORM FROM wallet.accounts AS a WHERE a.account_id = p_account_id FOR SHARE;
        INSERT INTO wallet.wallets (account_id, environment) VALUES (p_account_id, p_environment)
        ON CONFLICT (account_id, environment) DO NOTHING;
        SELECT w.next_expiry INTO STRICT v_next_expiry FROM wallet.wallets AS w
        WHERE w.account_id = p_account_id AND w.environment = p_environment
        FOR UPDATE;
    END IF;
    -- Usually no lot expires, and reading the clock is unnecessary.
    IF v_next_expiry < 'infinity' AND v_next_expiry <= wallet.now() THEN
        PERFORM wallet.lapse_due(p_account_id, p_environment);
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.lock_wallet(BIGINT, wallet.environment) IS 'Locks a wallet and posts its due expiries.';

-- Locks the wallets of a batch in one order, creates missing ones, and posts their due expiries. Returns the ctids of
-- the locked rows, which no other transaction can change. Without waiting, it skips wallets that another transaction
-- holds.
-- It has no SET clauses, because they cost as much as a small statement; every name in it is qualified.
-- Locks: wallets in order of (account, environment); if one is missing, see wallet.make_wallets. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_wallets(p_requests wallet.booking_request[], p_wait BOOLEAN) RETURNS TID[]
LANGUAGE plpgsql AS $$
DECLARE
    v_held TID[];
    v_next_expiry TIMESTAMPTZ;
BEGIN
    IF p_wait THEN
        SELECT array_agg(l.at), min(l.next_expiry) INTO v_held, v_next_expiry
        FROM (
            SELECT w.ctid AS at, w.next_expiry FROM wallet.wallets AS w
            WHERE (w.account_id, w.environment) IN (
                SELECT i.account_id, i.environment FROM unnest(p_requests) AS i
                WHERE i.operation IN ('book', 'cancel')
            )
            ORDER BY w.account_id, w.environment
            FOR UPDATE
        ) AS l;
    ELSE
        SELECT array_agg(l.at), min(l.next_expiry) INTO v_held, v_next_expiry
        FROM (
            SELECT w.ctid AS at, w.next_expiry FROM wallet.wallets AS w
            WHERE (w.account_id, w.environment) IN (
                SELECT i.account_id, i.environment FROM unnest(p_requests) AS i
                WHERE i.operation IN ('book', 'cancel')
            )
            ORDER BY w.account_id, w.environment
            FOR UPDATE SKIP LOCKED
        ) AS l;
    END IF;
    v_held := coalesce(v_held, '{}');
    IF cardinality(v_held) < cardinality(p_requests) THEN
        v_held := v_held || wallet.make_wallets(p_requests, p_wait);
    END IF;
    -- Usually no lot expires, and reading the clock is unnecessary.
    IF v_next_expiry < 'infinity' AND v_next_expiry <= wallet.now() THEN
        -- Posting changes the ctids of these rows.
        v_held := ARRAY(
            SELECT
                CASE WHEN w.next_expiry <= wallet.now() THEN wallet.lapse_due(w.account_id, w.environment) ELSE w.ctid END
            FROM wallet.wallets AS w
            WHERE w.ctid = ANY(v_held)
        );
    END IF;
    RETURN v_held;
END;
$$;
COMMENT ON FUNCTION wallet.lock_wallets(wallet.booking_request[], BOOLEAN) IS
'Locks the wallets of a batch in one order and returns the locked rows.';

-- Creates the missing wallets of a batch, and returns the ctids of the rows that it locked. If another transaction
-- creates one at the same time, the function waits for it if p_wait is true. It skips accounts that do not exist, for
-- example after a restore.
-- The caller holds the existing wallets. Locks: the accounts (a merge or deletion holds the account first; without
-- waiting, such accounts are skipped), then the new wallets, in order of (account, environment). Codes: none.
CREATE OR REPLACE FUNCTION wallet.make_wallets(p_requests wallet.booking_request[], p_wait BOOLEAN) RETURNS TID[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_wallet RECORD;
    v_held TID[];
BEGIN
    FOR v_wallet IN
        SELECT DISTINCT i.account_id, i.environment FROM unnest(p_requests) AS i
        WHERE
            i.operation IN ('book', 'cancel') AND i.account_id IS NOT NULL AND i.environment IS NOT NULL
            AND NOT EXISTS (
                SELECT FROM wallet.wallets AS w WHERE w.account_id = i.account_id AND w.environment = i.environment
            )
        ORDER BY i.account_id, i.environment
    LOOP
        IF p_wait THEN
            PERFORM FROM wallet.accounts AS a WHERE a.account_id = v_wallet.account_id FOR SHARE;
        ELSE
            PERFORM FROM wallet.accounts AS a WHERE a.account_id = v_wallet.account_id FOR SHARE SKIP LOCKED;
        END IF;
        CONTINUE WHEN NOT FOUND;
        INSERT INTO wallet.wallets (account_id, environment) VALUES (v_wallet.account_id, v_wallet.environment)
        ON CONFLICT (account_id, environment) DO NOTHING;
        CONTINUE WHEN NOT FOUND AND NOT p_wait;
        PERFORM wallet.lock_wallet(v_wallet.account_id, v_wallet.environment);
        v_held := v_held || (
            SELECT w.ctid FROM wallet.wallets AS w
            WHERE w.account_id = v_wallet.account_id AND w.environment = v_wallet.environment
        );
    END LOOP;
    RETURN v_held;
END;
$$;
COMMENT ON FUNCTION wallet.make_wallets(wallet.booking_request[], BOOLEAN) IS
'Creates the missing wallets of a batch, and returns the rows that it locked.';

-- Posts all due expiries of a locked wallet, soonest first, and stores when the next one is due. Returns the ctid of
-- the wallet's row afterwards.
-- Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lapse_due(p_account_id BIGINT, p_environment wallet.environment)
RETURNS TID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot_id UUID;
    v_at TID;
BEGIN
    FOR v_lot_id IN
        SELECT l.lot_id FROM wallet.lots AS l
        WHERE
            l.account_id = p_account_id AND l.environment = p_environment AND l.is_open
            AND l.expires_at <= (SELECT wallet.now())
        ORDER BY l.expires_at, l.lot_id
    LOOP
        PERFORM wallet.settle(p_account_id, v_lot_id, p_returns => FALSE);
    END LOOP;
    UPDATE wallet.wallets AS w SET next_expiry = coalesce((
        SELECT min(l.expires_at) FROM wallet.lots AS l
        WHERE l.account_id = p_account_id AND l.environment = p_environment AND l.is_open
    ), 'infinity')
    WHERE w.account_id = p_account_id AND w.environment = p_environment
    RETURNING w.ctid INTO v_at;
    RETURN v_at;
END;
$$;
COMMENT ON FUNCTION wallet.lapse_due(BIGINT, wallet.environment) IS 'Posts all due expiries of a locked wallet.';

-- Locks the wallets of other accounts that now hold the given lots, or lots that repaid their debts. Returns false if
-- one of them is not free, or if a lot has moved to another account since p_slices was read. The caller holds other
-- locks already, so the function must not wait for a wallet.
-- Locks: those wallets, without waiting. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_lot_owners(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_slices wallet.owned_slice[]
) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lots CONSTANT wallet.owned_slice[] := ARRAY(
        WITH RECURSIVE holders (account_id, lot_id) AS (
            SELECT s.account_id, s.lot_id FROM unnest(p_slices) AS s
            UNION
            SELECT r.payer_account_id, r.payer_lot_id FROM holders AS h
            INNER JOIN wallet.repayments AS r
                ON h.account_id = r.account_id AND h.lot_id = r.debtor_lot_id AND r.amount > 0
        )

        SELECT ROW(h.account_id, h.lot_id, NULL)::wallet.owned_slice FROM holders AS h
    );
    v_owner BIGINT;
BEGIN
    FOR v_owner IN SELECT DISTINCT h.account_id FROM unnest(v_lots) AS h WHERE h.account_id <> p_account_id LOOP
        PERFORM FROM wallet.wallets AS w
        WHERE w.account_id = v_owner AND w.environment = p_environment
        FOR UPDATE SKIP LOCKED;
        IF NOT FOUND THEN
            RETURN FALSE;
        END IF;
    END LOOP;
    RETURN NOT EXISTS (
        SELECT FROM unnest(v_lots) AS h
        INNER JOIN wallet.lots AS l ON h.account_id = l.account_id AND h.lot_id = l.lot_id
        WHERE l.moved_to IS NOT NULL
    );
END;
$$;
COMMENT ON FUNCTION wallet.lock_lot_owners(BIGINT, wallet.environment, wallet.owned_slice[]) IS
'Locks the wallets that now hold the given lots; returns false if another transaction holds one or moved a lot.';
