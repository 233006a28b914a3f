-- wallet.retry_delay: 5 seconds, doubled with each attempt, with jitter, up to a maximum.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT ok(bool_and(d.delay > e.most * 0.75 AND d.delay <= e.most), 'attempt ' || e.attempts || ': up to ' || e.most)
FROM (VALUES
    (1, interval '5 seconds'), (2, '10 seconds'), (5, '80 seconds'), (10, '2560 seconds'), (11, '1 hour'),
    (20, '1 hour'), (2000000000, '1 hour'), (0, '5 seconds'), (-3, '5 seconds')
) AS e (attempts, most)
CROSS JOIN generate_series(1, 200)
CROSS JOIN LATERAL (SELECT wallet.retry_delay(e.attempts, '1 hour') AS delay WHERE e.attempts IS NOT NULL) AS d
GROUP BY e.attempts, e.most;
SELECT cmp_ok(
    (SELECT count(DISTINCT wallet.retry_delay(i % 1 + 5, '1 hour'))::integer FROM generate_series(1, 50) AS i), '>', 40,
    'deliveries that failed together are not retried together'
);
SELECT * FROM finish();
ROLLBACK;
