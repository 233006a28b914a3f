-- Creates the partition of wallet.outbox or wallet.inbox_done for the week that starts at p_from. Rows of that week in
-- the default partition move into it: most of them while other sessions write, the last ones under the lock, so that no
-- reader misses a row. The statements are built with format(), because the partition's name is not known in advance.
-- Locks: the table (SHARE UPDATE EXCLUSIVE, which allows writes), then its default partition (ACCESS EXCLUSIVE). Codes:
-- none.
CREATE OR REPLACE FUNCTION wallet.make_partition(p_table TEXT, p_from TIMESTAMPTZ) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_name CONSTANT TEXT := p_table || to_char(p_from AT TIME ZONE 'UTC', '_YYYYMMDD');
    v_key CONSTANT TEXT := CASE p_table WHEN 'outbox' THEN 'at' WHEN 'inbox_done' THEN 'processed_at' END;
    v_to CONSTANT TIMESTAMPTZ := p_from + INTERVAL '168 hours';
    v_move CONSTANT TEXT := format(
        'WITH gone AS (DELETE FROM wallet.%1$I AS r WHERE r.%3$I >= $1 AND r.%3$I < $2 RETURNING r.*)'
        ' INSERT INTO wallet.%2$I SELECT g.* FROM gone AS g', p_table || '_rest', v_name, v_key
    );
BEGIN
    -- Rows here are never updated, and the partition is dropped as a whole, so vacuum has nothing to do.
    EXECUTE format(
        'CREATE TABLE wallet.%I (LIKE wallet.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)'
        ' WITH (autovacuum_vacuum_insert_threshold = -1)', v_name, p_table
    );
    EXECUTE format('LOCK TABLE wallet.%I IN SHARE UPDATE EXCLUSIVE MODE', p_table);
    EXECUTE v_move USING p_from, v_to;
    EXECUTE format('LOCK TABLE wallet.%I IN ACCESS EXCLUSIVE MODE', p_table || '_rest');
    EXECUTE v_move USING p_from, v_to;
    EXECUTE format(
        'ALTER TABLE wallet.%I ATTACH PARTITION wallet.%I FOR VALUES FROM (%L) TO (%L)', p_table, v_name, p_from, v_to
    );
END;
$$;
COMMENT ON FUNCTION wallet.make_partition(TEXT, TIMESTAMPTZ) IS
'Creates the partition of one week, with the rows of that week from the default partition.';
