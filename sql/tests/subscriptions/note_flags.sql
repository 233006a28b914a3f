-- wallet.note_flags: stores the newest report on each flag, in any order (rule 27).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
SELECT pg_temp.buy('ann', 'p', 'plan.explorer');
CREATE FUNCTION pg_temp.note(p_hour integer, p_occasion text, p_flags jsonb) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.note_flags((pg_temp.claim('p')).claim_id, jsonb_build_object(
        'source_at', pg_temp.noon(p_hour / 24.0), 'occasion', p_occasion
    ) || p_flags);
$$;
CREATE FUNCTION pg_temp.flag(p_flag text) RETURNS text LANGUAGE sql AS $$
    SELECT f.value FROM wallet.period_flags AS f
    WHERE f.claim_id = (pg_temp.claim('p')).claim_id AND f.flag = p_flag;
$$;
SELECT results_eq(
    $$ SELECT f.flag, f.value FROM wallet.period_flags AS f $$,
    $$ VALUES ('expires_at', '2030-01-31T12:00:00.000000Z') $$, 'unreported values create no flag'
);
SELECT pg_temp.note(2, 'cancellation', '{"will_renew": false}');
SELECT is(pg_temp.flag('will_renew'), 'false', 'a report is kept');
SELECT pg_temp.note(1, 'refund', '{"will_renew": true}');
SELECT is(pg_temp.flag('will_renew'), 'false', 'an older one changes nothing, however weighty');
SELECT pg_temp.note(3, 'billing_issue', '{"billing_issue": true}');
SELECT is(pg_temp.flag('will_renew'), 'false', 'a newer report without the flag does not change it');
SELECT pg_temp.note(3, 'renewal', '{"will_renew": true}');
SELECT is(pg_temp.flag('will_renew'), 'true', 'a newer one counts');

-- Priority at the same instant: refund > expiration > billing issue > cancellation > uncancellation > renewal
CREATE FUNCTION pg_temp.tie(p_first text, p_second text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM wallet.period_flags WHERE flag = 'will_renew';
    PERFORM pg_temp.note(9, p_first, '{"will_renew": false}'), pg_temp.note(9, p_second, '{"will_renew": true}');
    RETURN CASE pg_temp.flag('will_renew') WHEN 'true' THEN p_second ELSE p_first END;
END;
$$;
SELECT is(pg_temp.tie(o.heavy, o.light), o.heavy, o.heavy || ' outweighs ' || o.light || ', reported first')
FROM (VALUES
    ('refund', 'expiration'), ('expiration', 'billing_issue'), ('billing_issue', 'cancellation'),
    ('cancellation', 'uncancellation'), ('uncancellation', 'renewal')
) AS o (heavy, light);
SELECT is(pg_temp.tie(o.light, o.heavy), o.heavy, o.heavy || ' outweighs ' || o.light || ', reported last')
FROM (VALUES
    ('refund', 'expiration'), ('expiration', 'billing_issue'), ('billing_issue', 'cancellation'),
    ('cancellation', 'uncancellation'), ('uncancellation', 'renewal')
) AS o (heavy, light);
SELECT is(pg_temp.tie('renewal', 'renewal'), 'renewal', 'two of one weight');
SELECT is(pg_temp.flag('will_renew'), 'true', 'have the greater value');
SELECT pg_temp.note(9, 'renewal', '{"will_renew": false}');
SELECT is(pg_temp.flag('will_renew'), 'true', 'the order of the reports does not matter');
SELECT pg_temp.note(9, 'something_new', '{"paused": true}'), pg_temp.note(9, 'renewal', '{"paused": false}');
SELECT is(pg_temp.flag('paused'), 'true', 'an unknown occasion weighs what a renewal does');

-- A value holds since its first report after the last report of another value, in any order of arrival
CREATE FUNCTION pg_temp.since(VARIADIC p_reports text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_report text;
BEGIN
    DELETE FROM wallet.period_flags WHERE flag = 'will_renew';
    FOREACH v_report IN ARRAY p_reports LOOP
        PERFORM pg_temp.note(split_part(v_report, ' ', 1)::integer, 'renewal', jsonb_build_object(
            'will_renew', split_part(v_report, ' ', 2)
        ));
    END LOOP;
    RETURN (
        SELECT concat_ws(' ', extract(epoch FROM f.since - pg_temp.noon(0))::integer / 3600, f.value)
        FROM wallet.period_flags AS f WHERE f.flag = 'will_renew'
    );
END;
$$;
SELECT is(
    pg_temp.since(a.report, b.report, c.report), s.since,
    format('%s, %s, %s: since %s', a.report, b.report, c.report, s.since)
)
FROM (VALUES
    ('2 false', ARRAY['0 true', '2 false', '5 false']), ('8 false', ARRAY['1 false', '3 true', '8 false']),
    ('1 false', ARRAY['1 false', '5 false', '9 false']), ('9 true', ARRAY['1 false', '5 false', '9 true'])
) AS s (since, reports)
CROSS JOIN unnest(s.reports) AS a (report)
INNER JOIN unnest(s.reports) AS b (report) ON a.report <> b.report
INNER JOIN unnest(s.reports) AS c (report) ON c.report NOT IN (a.report, b.report);

SELECT pg_temp.since('1 false', '5 false');
CREATE TEMPORARY TABLE written AS SELECT f.ctid::text AS place FROM wallet.period_flags AS f;
SELECT pg_temp.note(5, 'renewal', '{"will_renew": false}'), pg_temp.note(4, 'renewal', '{"will_renew": false}');
SELECT bag_eq(
    'SELECT f.ctid::text AS place FROM wallet.period_flags AS f', 'TABLE written',
    'a report that adds nothing writes nothing'
);

-- Instants are stored in one format, regardless of their time zone
SELECT pg_temp.note(10, 'renewal', '{"grace_ends_at": "2030-02-01T01:00:00.25+01:00"}');
SELECT is(pg_temp.flag('grace_ends_at'), '2030-02-01T00:00:00.250000Z', 'an instant is kept in UTC');
SET LOCAL timezone = 'Asia/Tokyo';
SELECT pg_temp.note(11, 'renewal', '{"expired_at": "2030-02-01T00:00:00Z"}');
SELECT is(pg_temp.flag('expired_at'), '2030-02-01T00:00:00.000000Z', 'the session''s time zone does not matter');
SET LOCAL timezone = 'UTC';
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.note(12, 'renewal', '{"revoked": "maybe"}') $$), '22P02', 'a flag is true or false'
);
SELECT is(
    pg_temp.raised($$ UPDATE wallet.period_flags SET flag = 'mood' $$), '23514', 'an unknown flag is refused'
);
SELECT pg_temp.sound('subscriptions');
SELECT * FROM finish();
ROLLBACK;
