-- wallet.is_newer_refund: the newest report on refunds counts; a report without refund data never does (rule 24).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.is_newer(p_share integer, p_at text, p_known_at text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_read wallet.claims;
BEGIN
    v_read.refunded_millionths := coalesce(p_share, 0);
    v_read.source_at := p_at::timestamptz;
    RETURN wallet.is_newer_refund(jsonb_build_object('refunded_millionths', p_share), v_read, p_known_at::timestamptz);
END;
$$;
SELECT ok(pg_temp.is_newer(0, '2030-01-01', NULL), 'the first report counts');
SELECT ok(pg_temp.is_newer(0, '2030-01-02', '2030-01-01'), 'a newer one too');
SELECT ok(NOT pg_temp.is_newer(500000, '2030-01-01', '2030-01-02'), 'an older one does not');
SELECT ok(pg_temp.is_newer(1, '2030-01-01', '2030-01-01'), 'at the same instant a larger refund counts');
SELECT ok(NOT pg_temp.is_newer(0, '2030-01-01', '2030-01-01'), 'at the same instant a smaller refund does not');
SELECT ok(NOT pg_temp.is_newer(NULL, '2030-01-02', '2030-01-01'), 'null is no report');
SELECT ok(NOT wallet.is_newer_refund('{}', NULL, NULL), 'a report without refund data does not count');
SELECT * FROM finish();
ROLLBACK;
