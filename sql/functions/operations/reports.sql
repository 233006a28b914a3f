-- Adds the new entries of up to p_limit wallets to the daily sums. A wallet's versions have no gaps, so an entry that
-- commits late is not skipped. Returns how many wallets it processed; 0 if none has changed, or if another session is
-- already summing.
-- Locks: an advisory lock for all sums. Codes: none.
CREATE OR REPLACE FUNCTION wallet.sum_days(p_limit INTEGER) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp SET jit = off AS $$
DECLARE
    v_wallets INTEGER;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('wallet.daily_sums', 0)) THEN
        RETURN 0;
    END IF;
    WITH due AS MATERIALIZED (
        SELECT w.account_id, w.environment, coalesce(s.version, 0) AS summed, w.version
        FROM wallet.wallets AS w
        LEFT JOIN wallet.summed_wallets AS s ON w.account_id = s.account_id AND w.environment = s.environment
        WHERE w.version > coalesce(s.version, 0)
        LIMIT p_limit
    ),

    noted AS (
        INSERT INTO wallet.summed_wallets (account_id, environment, version)
        SELECT d.account_id, d.environment, d.version FROM due AS d
        ON CONFLICT (account_id, environment) DO UPDATE SET version = excluded.version
    ),

    added AS (
        INSERT INTO wallet.daily_sums AS k (
            day, environment, unit, source, product_id, currency, kind, entries, amount, owed_change, value_minor
        )
        SELECT
            e.day, e.environment, e.unit, e.source, e.product_id, e.currency, e.kind, count(*), sum(e.amount),
            sum(e.owed_change), sum(e.value_minor)
        FROM due AS d
        INNER JOIN wallet.entry_values AS e
            ON d.account_id = e.account_id AND d.environment = e.environment AND e.version > d.summed
        GROUP BY e.day, e.environment, e.unit, e.source, e.product_id, e.currency, e.kind
        ON CONFLICT (day, environment, unit, source, product_id, currency, kind) DO UPDATE SET
            entries = k.entries + excluded.entries,
            amount = k.amount + excluded.amount,
            owed_change = k.owed_change + excluded.owed_change,
            value_minor = k.value_minor + excluded.value_minor
    )

    SELECT count(*) INTO v_wallets FROM due AS d;
    RETURN v_wallets;
END;
$$;
COMMENT ON FUNCTION wallet.sum_days(INTEGER) IS
'Adds the new entries of some wallets to the daily sums; returns how many wallets it processed.';

-- Keeps the daily sums equal to the ledger when a later report changes the price of a unit of a purchase: a virtual
-- currency's amount that grows at the same price, or a commitment that the first source did not report. Before the
-- change, it subtracts the values of the purchase's entries from the sums of their days; after it, it adds the new
-- values.
-- Locks: the advisory lock for all sums. Codes: none.
CREATE OR REPLACE FUNCTION wallet.revalue_sums() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot_ids CONSTANT UUID[] := ARRAY(
        SELECT l.lot_id FROM wallet.lots AS l WHERE NEW.claim_id IN (l.claim_id, l.rolled_from)
    );
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('wallet.daily_sums', 0));
    UPDATE wallet.daily_sums AS k SET
        value_minor = k.value_minor + CASE TG_WHEN WHEN 'BEFORE' THEN -d.value_minor ELSE d.value_minor END
    FROM (
        SELECT
            e.day, e.environment, e.unit, e.source, e.product_id, e.currency, e.kind, sum(e.value_minor) AS value_minor
        FROM (
            SELECT l.account_id FROM wallet.lots AS l WHERE NEW.claim_id IN (l.claim_id, l.rolled_from)
            UNION
            -- Accounts from which the lots were moved keep their entries.
            SELECT l.account_id FROM wallet.lots AS l WHERE l.lot_id = ANY(v_lot_ids) AND l.moved_to IS NOT NULL
        ) AS a
        INNER JOIN wallet.summed_wallets AS s ON a.account_id = s.account_id
        INNER JOIN wallet.entry_values AS e
            ON s.account_id = e.account_id AND s.environment = e.environment AND s.version >= e.version
        WHERE e.lot_id = ANY(v_lot_ids)
        GROUP BY e.day, e.environment, e.unit, e.source, e.product_id, e.currency, e.kind
    ) AS d
    WHERE
        k.day = d.day AND k.environment = d.environment AND k.unit = d.unit AND k.source = d.source
        AND k.product_id = d.product_id AND k.currency = d.currency AND k.kind = d.kind;
    RETURN NEW;
END;
$$;
COMMENT ON FUNCTION wallet.revalue_sums() IS
'Keeps the daily sums equal to the ledger when a report changes the price of a unit of a purchase.';

DROP TRIGGER IF EXISTS claims_leave_sums ON wallet.claims;
CREATE TRIGGER claims_leave_sums BEFORE UPDATE OF quantity, reported_amount, grant_amount, price_minor ON wallet.claims
FOR EACH ROW WHEN (
    old.price_minor > 0 AND (old.quantity, old.reported_amount, old.grant_amount, old.price_minor)
    IS DISTINCT FROM (new.quantity, new.reported_amount, new.grant_amount, new.price_minor)
) EXECUTE FUNCTION wallet.revalue_sums();
DROP TRIGGER IF EXISTS claims_join_sums ON wallet.claims;
CREATE TRIGGER claims_join_sums AFTER UPDATE OF quantity, reported_amount, grant_amount, price_minor ON wallet.claims
FOR EACH ROW WHEN (
    old.price_minor > 0 AND (old.quantity, old.reported_amount, old.grant_amount, old.price_minor)
    IS DISTINCT FROM (new.quantity, new.reported_amount, new.grant_amount, new.price_minor)
) EXECUTE FUNCTION wallet.revalue_sums();

-- Recomputes the reports that read every purchase or lot, which takes seconds on large databases. Readers see the old
-- ones until it commits. Returns false if another session is already recomputing them.
-- Locks: an advisory lock for all reports. Codes: none.
CREATE OR REPLACE FUNCTION wallet.refresh_reports() RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp SET jit = off AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('wallet.reports', 0)) THEN
        RETURN FALSE;
    END IF;
    DELETE FROM wallet.revenue_rows;
    INSERT INTO wallet.revenue_rows
    SELECT row_number() OVER (ORDER BY v.day DESC), v.* FROM admin.revenue_daily AS v;
    DELETE FROM wallet.breakage_rows;
    INSERT INTO wallet.breakage_rows
    SELECT row_number() OVER (ORDER BY v.month DESC), v.* FROM admin.breakage AS v;
    DELETE FROM wallet.subscription_rows;
    INSERT INTO wallet.subscription_rows
    SELECT row_number() OVER (ORDER BY v.month DESC), v.* FROM admin.subscription_months AS v;
    RETURN TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.refresh_reports() IS 'Recomputes the reports that read every purchase or lot.';

-- Sets the studio's time zone, in which people read times and reports count days. Another zone than before deletes the
-- daily sums, which wallet.sum_days then computes again; the other reports change with the next wallet.refresh_reports.
-- p_zone: UTC, or a name of the IANA time zone database with an area, such as Europe/Berlin.
-- Locks: the advisory lock for all sums, then the instance row. Codes: WL422 invalid-value.
CREATE OR REPLACE FUNCTION wallet.set_studio_time_zone(p_zone TEXT) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF wallet.studio_time_zone() = p_zone THEN
        RETURN;
    END IF;
    BEGIN
        PERFORM wallet.now() AT TIME ZONE p_zone WHERE p_zone ~ '^(UTC|[A-Z][A-Za-z_]+(/[A-Z][A-Za-z0-9_+-]*)+)$';
        IF NOT FOUND THEN
            RAISE invalid_parameter_value;
        END IF;
    EXCEPTION
        WHEN invalid_parameter_value THEN
            RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'invalid-value',
                HINT = 'The studio''s time zone must be UTC or an IANA name such as Europe/Berlin.';
    END;
    PERFORM pg_advisory_xact_lock(hashtextextended('wallet.daily_sums', 0));
    UPDATE wallet.instance AS i SET studio_time_zone = p_zone WHERE i.only_row;
    TRUNCATE wallet.daily_sums, wallet.summed_wallets;
END;
$$;
COMMENT ON FUNCTION wallet.set_studio_time_zone(TEXT) IS
'Sets the studio''s time zone, in which people read times and reports count days.';
