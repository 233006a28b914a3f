-- The partitions with a time range, from PostgreSQL's catalogue. The default partition has no range and is not
-- included.
CREATE VIEW wallet.time_partitions AS
SELECT
    p.relname::TEXT AS table_name,
    c.relname::TEXT AS name,
    coalesce(substring(b.bound FROM 'FROM \(''([^'']+)''\)')::TIMESTAMPTZ, '-infinity') AS from_at,
    substring(b.bound FROM 'TO \(''([^'']+)''\)')::TIMESTAMPTZ AS to_at
FROM pg_catalog.pg_inherits AS i
INNER JOIN pg_catalog.pg_class AS p ON i.inhparent = p.oid
INNER JOIN pg_catalog.pg_class AS c ON i.inhrelid = c.oid
CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid) AS bound) AS b
WHERE p.relnamespace = 'wallet'::REGNAMESPACE AND p.relkind = 'p' AND b.bound LIKE '% TO (''%';
COMMENT ON VIEW wallet.time_partitions IS 'The weekly partitions with the start and end of their ranges.';
