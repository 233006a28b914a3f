-- wallet.set_cut_over and keep_cut_over: no store grants a purchase that was sold before an import (rule 15).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
DELETE FROM wallet.stores;
INSERT INTO wallet.stores (store, grants_from) VALUES ('app_store', '2020-01-01T00:00Z');
INSERT INTO wallet.stores (store, grants_from) VALUES ('play_store', '2029-12-30T00:00Z');
CREATE FUNCTION pg_temp.sets(p_at text, p_dry_run boolean DEFAULT FALSE) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(
        ' ', c.store, wallet.rfc3339(c.grants_from_before), wallet.rfc3339(c.grants_from)
    ), ', ' ORDER BY c.store)
    FROM wallet.set_cut_over(p_at::timestamptz, 'production', p_dry_run) AS c;
$$;
SELECT is(
    pg_temp.sets('2029-12-01T00:00Z', TRUE),
    'app_store 2020-01-01T00:00:00Z 2029-12-01T00:00:00Z, play_store 2029-12-30T00:00:00Z 2029-12-30T00:00:00Z',
    'a dry run reports'
);
SELECT is(
    pg_temp.sets('2029-12-01T00:00Z'),
    'app_store 2020-01-01T00:00:00Z 2029-12-01T00:00:00Z, play_store 2029-12-30T00:00:00Z 2029-12-30T00:00:00Z',
    'the dry run changed nothing'
);
SELECT is(
    pg_temp.sets('2029-11-01T00:00Z'),
    'app_store 2029-12-01T00:00:00Z 2029-12-01T00:00:00Z, play_store 2029-12-30T00:00:00Z 2029-12-30T00:00:00Z',
    'an instant never moves back'
);
SELECT is(
    pg_temp.says(pg_temp.buy('ann', 't1', 'starter', '{"purchased_at": "2029-11-30T23:59:59.999Z"}')),
    'skipped before-cut-over', 'purchases from before the cut-over grant nothing, whenever they are reported'
);
SELECT is(
    pg_temp.says(pg_temp.buy('ann', 't2', 'starter', '{"purchased_at": "2029-12-01T00:00:00Z"}')),
    'granted 25 credit', 'purchases at or after the cut-over are granted'
);

-- Purchases that were already granted
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.sets('2029-12-02T00:00Z') $$),
    'WL409 already-granted {"stores": [{"store": "app_store", "purchases": 1, "grants_from": "2029-12-01T00:00:00Z"}]}',
    'a purchase that is granted would count twice'
);
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.sets('2029-12-02T00:00Z', TRUE) $$) LIKE 'WL409 already-granted%', TRUE,
    'a dry run is refused alike'
);
SELECT is(
    (SELECT i.cut_over FROM wallet.instance AS i), '2029-12-01T00:00Z'::timestamptz,
    'the refused cut-over changed nothing'
);
SELECT pg_temp.buy('ann', 't2', 'starter', '{"refunded_millionths": 1000000, "source_at": "2030-02-01T00:00:00Z"}');
SELECT pg_temp.buy('ann', 't4', 'starter', '{"purchased_at": "2029-12-02T00:00:00Z"}');
SELECT is(
    pg_temp.says(pg_temp.buy('ann', 't5', 'plan.unlimited', '{"purchased_at": "2029-12-01T06:00:00Z"}')),
    'granted 0', 'a plan that grants nothing countable'
);
SELECT pg_temp.buy('ann', 't3', 'starter', '{"purchased_at": "2029-12-01T06:00:00Z", "environment": "sandbox"}');
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.sets('2029-12-02T00:00Z') $$), 'nothing',
    'refunded purchases, that plan, later purchases and the other environment do not count'
);

-- Stores that are enabled later
SELECT is(
    wallet.enable_store('revenuecat', '2025-01-01T00:00Z'), '2029-12-02T00:00Z'::timestamptz,
    'a store that is enabled later grants no purchase from before the import'
);
SELECT is(
    wallet.enable_store('web_store', '2029-12-03T00:00Z'), '2029-12-03T00:00Z'::timestamptz,
    'a later start of grants is kept'
);
INSERT INTO admin.stores (store, grants_from) VALUES ('kiosk', '2025-01-01T00:00Z');
SELECT is(
    (SELECT s.grants_from FROM admin.stores AS s WHERE s.store = 'kiosk'), '2029-12-02T00:00Z'::timestamptz,
    'the cut-over applies whichever role enables the store'
);
SELECT is(
    pg_temp.raised(format('SELECT wallet.set_cut_over(%L, ''production'', TRUE)', i.at)), 'WL422 cut-over-ahead',
    coalesce(i.at, 'null') || ' is no cut-over'
) FROM (VALUES ('2030-01-01T12:00:00.001Z'), ('infinity'), ('-infinity'), (NULL)) AS i (at);
SELECT * FROM finish();
ROLLBACK;
