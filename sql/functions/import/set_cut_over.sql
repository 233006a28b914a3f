-- Keeps all stores from granting purchases made before p_at, because balances imported from another system already
-- contain them. Stores that grant from a later time keep it; stores enabled later get at least this one. Refuses if a
-- store has already granted such a purchase, because it would count twice.
-- p_environment: the environment of the imported wallets; grants in the other environment are ignored. p_dry_run: only
-- returns the changes.
-- Locks: the claims, so that no concurrent grant misses the new cut-over. Codes: WL409 already-granted, WL422
-- cut-over-ahead.
CREATE OR REPLACE FUNCTION wallet.set_cut_over(
    p_at TIMESTAMPTZ,
    p_environment wallet.environment,
    p_dry_run BOOLEAN
) RETURNS SETOF wallet.store_cut_over LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_granted JSONB;
BEGIN
    IF p_at IS NULL OR NOT isfinite(p_at) OR p_at > wallet.now() THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'cut-over-ahead';
    END IF;
    IF p_dry_run IS FALSE THEN
        -- Every grant waits behind this lock, so the function itself waits only briefly.
        PERFORM set_config('lock_timeout', '5s', TRUE);
        LOCK TABLE wallet.claims IN EXCLUSIVE MODE;
    END IF;
    SELECT jsonb_agg(jsonb_build_object(
        'store', g.store, 'grants_from', wallet.rfc3339(g.grants_from), 'purchases', g.purchases
    ) ORDER BY g.store) INTO v_granted
    FROM (
        SELECT s.store, s.grants_from, count(*) AS purchases FROM wallet.stores AS s
        INNER JOIN wallet.claims AS c ON s.store = c.store
        WHERE
            c.environment = p_environment AND c.granted_at IS NOT NULL AND wallet.claim_worth(c) > 0
            AND c.refunded_millionths < 1000000 AND c.purchased_at < p_at
        GROUP BY s.store, s.grants_from
    ) AS g;
    IF v_granted IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'WL409', MESSAGE = 'already-granted', DETAIL = jsonb_build_object('stores', v_granted)::TEXT;
    END IF;
    RETURN QUERY
    SELECT s.store, s.grants_from, greatest(s.grants_from, p_at) FROM wallet.stores AS s ORDER BY s.store;
    IF p_dry_run IS FALSE THEN
        PERFORM wallet.record_action(
            NULL, 'set-cut-over', 'store', s.store, jsonb_build_object('grants_from', s.grants_from),
            jsonb_build_object('grants_from', p_at)
        ) FROM wallet.stores AS s WHERE s.grants_from < p_at ORDER BY s.store;
        UPDATE wallet.stores AS s SET grants_from = p_at WHERE s.grants_from < p_at;
        UPDATE wallet.instance AS i SET cut_over = p_at WHERE i.cut_over < p_at;
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.set_cut_over(TIMESTAMPTZ, wallet.environment, BOOLEAN) IS
'Keeps all stores from granting purchases made before a time; returns each store''s old and new times.';

-- Moves grants_from of a store that is enabled after an import to the import's cut-over, so that older purchases grant
-- nothing.
CREATE OR REPLACE FUNCTION wallet.keep_cut_over() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF NEW.grants_from IS NOT NULL THEN
        NEW.grants_from := (SELECT greatest(NEW.grants_from, i.cut_over) FROM wallet.instance AS i);
    END IF;
    RETURN NEW;
END;
$$;
COMMENT ON FUNCTION wallet.keep_cut_over() IS
'Keeps a store that is enabled after an import from granting purchases from before its cut-over.';

DROP TRIGGER IF EXISTS stores_keep_cut_over ON wallet.stores;
CREATE TRIGGER stores_keep_cut_over BEFORE INSERT ON wallet.stores
FOR EACH ROW EXECUTE FUNCTION wallet.keep_cut_over();
