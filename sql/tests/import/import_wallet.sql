-- wallet.import_wallet and its helpers: balances of another system are imported once, with their own instants.
BEGIN;
\ir ../support/books.sql
\ir ../support/events.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.imports(
    p_user text, p_movements jsonb, p_credits bigint, p_visits bigint DEFAULT 0, p_at text DEFAULT NULL,
    p_dry_run boolean DEFAULT FALSE, p_environment wallet.environment DEFAULT 'production',
    p_expires_at timestamptz DEFAULT 'infinity', p_source text DEFAULT 'old'
) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', o.result, o.reason, o.entries || ' entries', o.credits_before || ' to ' || o.credits || ' credits',
        o.visits_before || ' to ' || o.visits || ' visits'
    ) FROM wallet.import_wallet(
        p_source, p_user, p_environment, p_movements, p_credits, p_visits, p_at::timestamptz, p_dry_run,
        'as it was', p_expires_at
    ) AS o;
$$;
CREATE FUNCTION pg_temp.history(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(
        ' ', wallet.rfc3339(l.at), l.kind, l.unit, l.amount, 'leaves ' || l.balance_after, l.reason
    ), E'\n' ORDER BY l.version)
    FROM wallet.ledger AS l
    INNER JOIN wallet.users AS u ON l.account_id = u.account_id
    WHERE u.user_id = p_user AND l.environment = 'production';
$$;
CREATE FUNCTION pg_temp.counts() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', (SELECT count(*) FROM wallet.entries), (SELECT count(*) FROM wallet.lots),
        (SELECT count(*) FROM wallet.accounts), (SELECT count(*) FROM wallet.identities),
        (SELECT count(*) FROM wallet.imports), (SELECT count(*) FROM wallet.outbox),
        (SELECT count(*) FROM wallet.entry_texts), (SELECT count(*) FROM wallet.wallets));
$$;
SELECT set_config('t.past', $$[
    {"at": "2024-03-01T10:00:00.25+01:00", "amount": -5, "kind": "use", "reason": "Pottery, for ann"},
    {"at": 1704067200, "amount": 20, "kind": "purchase", "reason": "Starter"},
    {"at": "2024-06-01T00:00:00Z", "amount": 3, "kind": "bonus"}
]$$, TRUE);

-- A dry run reports the result and changes nothing
SELECT set_config('t.counts', pg_temp.counts(), TRUE);
SELECT is(
    pg_temp.imports('ann', current_setting('t.past')::jsonb, 18, 2, '2024-07-01T00:00:00Z', TRUE),
    'imported 4 entries 0 to 18 credits 0 to 2 visits', 'a dry run returns what would be'
);
SELECT is(pg_temp.counts(), current_setting('t.counts'), 'the dry run leaves nothing behind');
SELECT is(
    pg_temp.imports('ann', NULL, 18, 2, NULL, NULL), 'imported 2 entries 0 to 18 credits 0 to 2 visits',
    'a dry run is the default'
);
SELECT is(pg_temp.counts(), current_setting('t.counts'), 'the dry run changes nothing');

-- The history is imported, too
SELECT is(
    pg_temp.imports('ann', current_setting('t.past')::jsonb, 18, 2, '2024-07-01T00:00:00Z'),
    'imported 4 entries 0 to 18 credits 0 to 2 visits', 'a balance with its history'
);
SELECT is(pg_temp.history('ann'), concat_ws(E'\n',
    '2024-01-01T00:00:00Z import credit 20 leaves 20 purchase: Starter',
    '2024-03-01T09:00:00Z import credit -5 leaves 15 use: Pottery, for ann',
    '2024-06-01T00:00:00Z import credit 3 leaves 18 bonus',
    '2024-07-01T00:00:00Z import visit 2 leaves 2 balance: as it was'
), 'each entry has its own instant, the oldest first');
SELECT is(
    (SELECT string_agg(DISTINCT l.actor, ', ') FROM wallet.ledger AS l), 'import old', 'the actor is the source'
);
SELECT results_eq(
    $$ SELECT u.user_id, a.action, a.kind, a.environment::text, a.before, a.after, t.reason FROM wallet.audit AS a
       INNER JOIN wallet.audit_texts AS t ON a.audit_id = t.audit_id
       INNER JOIN wallet.users AS u ON a.account_id = u.account_id $$,
    $$ VALUES ('ann', 'import', 'wallet', 'production', '{}'::jsonb,
        '{"source": "old", "credits": 18, "visits": 2}'::jsonb, 'as it was') $$, 'the audit has the import, no dry run'
);
-- Later versions must recognize the imports of earlier ones
SELECT is(
    (SELECT i.content_digest FROM wallet.imports AS i), sha256(convert_to(
        '[18, 2, [[1704067200.000000, 20, "purchase"], [1709283600.250000, -5, "use"], '
        '[1717200000.000000, 3, "bonus"]]]', 'UTF8'
    )), 'the digest of an import has the balances and the movements, the oldest first'
);
SELECT results_eq(
    $$ SELECT l.source::text, l.unit::text, l.granted, l.spent, l.remaining, l.expires_at, wallet.rfc3339(l.created_at)
       FROM wallet.lots AS l ORDER BY l.unit $$,
    $$ VALUES ('import', 'credit', 23::bigint, 5::bigint, 18::bigint, 'infinity'::timestamptz, '2024-01-01T00:00:00Z'),
        ('import', 'visit', 2, 0, 2, 'infinity', '2024-07-01T00:00:00Z') $$,
        'each unit has one lot, which never expires'
);
SELECT results_eq(
    $$ SELECT o.type, wallet.event_body(o) -> 'data' ->> 'unit', (wallet.event_body(o) -> 'data' ->> 'amount')::integer,
           (wallet.event_body(o) -> 'data' ->> 'balance_after')::integer, wallet.event_body(o) ->> 'timestamp'
       FROM wallet.outbox AS o ORDER BY o.event_id $$,
    $$ VALUES ('credits.granted', 'credit', 18, 18, '2030-01-01T12:00:00Z'),
        ('credits.granted', 'visit', 2, 2, '2030-01-01T12:00:00Z') $$, 'one event per unit, not per history line'
);
SELECT pg_temp.sound();

-- Only once
SELECT set_config('t.counts', pg_temp.counts(), TRUE);
SELECT is(
    pg_temp.imports('ann', current_setting('t.past')::jsonb, 18, 2, '2024-07-02T00:00:00Z'),
    'unchanged 0 entries 18 to 18 credits 2 to 2 visits', 'a repeated import changes nothing, even with another instant'
);
SELECT is(
    pg_temp.imports('ann', jsonb_set(current_setting('t.past')::jsonb, '{2,at}', '"2024-06-01T00:00:01Z"'), 18, 2),
    'changed 0 entries 18 to 18 credits 2 to 2 visits', 'a history with another instant is reported'
);
SELECT is(
    pg_temp.imports('ann', NULL, 18, 2), 'changed 0 entries 18 to 18 credits 2 to 2 visits',
    'a missing history is reported'
);
SELECT is(
    pg_temp.imports('ann', current_setting('t.past')::jsonb, 19, 2),
    'changed 0 entries 18 to 18 credits 2 to 2 visits', 'another balance is reported and changes nothing'
);
SELECT is(
    pg_temp.imports('ann', current_setting('t.past')::jsonb, 18, 1, NULL, TRUE),
    'changed 0 entries 18 to 18 credits 2 to 2 visits', 'a dry run reports it, too'
);
SELECT is(pg_temp.counts(), current_setting('t.counts'), 'no wallet changed');
SELECT is(
    pg_temp.imports('ann', NULL, 7, 0, '2024-07-02T00:00:00Z', FALSE, 'sandbox'),
    'imported 1 entries 0 to 7 credits 0 to 0 visits', 'each environment is imported separately'
);
SELECT pg_temp.imports('tie', '[
    {"at": 1704067200, "amount": 1, "kind": "bonus"}, {"at": 1704067200, "amount": 1, "kind": "gift"}
]', 2);
SELECT is(
    pg_temp.imports('tie', '[
        {"at": 1704067200, "amount": 1, "kind": "gift"}, {"at": 1704067200, "amount": 1, "kind": "bonus"}
    ]', 2), 'unchanged 0 entries 2 to 2 credits 0 to 0 visits', 'the order of equal movements does not matter'
);

-- A wallet that is already in use
SELECT pg_temp.lesson('a', 4), pg_temp.gift('bob', 10), pg_temp.book('bob', 'k', 'a');
SELECT is(
    pg_temp.imports('bob', current_setting('t.past')::jsonb, 18, 2, '2024-07-01T00:00:00Z'),
    'imported wallet-in-use 2 entries 6 to 24 credits 0 to 2 visits', 'a wallet in use gets the balance'
);
SELECT is(
    split_part(pg_temp.history('bob'), E'\n', 3),
    '2030-01-01T12:00:00Z import credit 18 leaves 24 balance: as it was', 'now, without its history'
);
SELECT is(
    pg_temp.imports('bob', NULL, 5, 0, '2024-07-01T00:00:00Z', p_source => 'older'),
    'imported wallet-in-use 1 entries 24 to 29 credits 2 to 2 visits', 'another source adds another balance'
);
SELECT pg_temp.gift('new to it', 1);
SELECT is(
    pg_temp.imports('new to it', current_setting('t.past')::jsonb, 18, 0, '2024-07-01T00:00:00Z'),
    'imported wallet-in-use 1 entries 1 to 19 credits 0 to 0 visits', 'a wallet with one entry counts as in use'
);
SELECT is(
    pg_temp.imports('poor', NULL, 1), 'imported 1 entries 0 to 1 credits 0 to 0 visits',
    'a balance of one credit is imported'
);
SELECT pg_temp.buy('debtor', 't1', 'starter'), pg_temp.book('debtor', 'kd', 'a', 5);
SELECT pg_temp.buy('debtor', 't1', 'starter', '{"refunded_millionths": 1000000, "source_at": "2030-02-01T00:00:00Z"}');
SELECT is(pg_temp.funds('debtor'), '0 0 20 0', 'the wallet has a debt');
SELECT is(
    pg_temp.imports('debtor', NULL, 50), 'imported wallet-in-use 2 entries 0 to 30 credits 0 to 0 visits',
    'the imported balance pays the debt first'
);
SELECT is(
    (SELECT wallet.event_body(o) -> 'data' ->> 'amount' FROM wallet.outbox AS o ORDER BY o.event_id DESC LIMIT 1), '50',
    'the event has the balance'
);

-- Histories that do not add up
SELECT is(
    pg_temp.imports('part', '[{"at": "2024-01-01T00:00:00Z", "amount": -5, "kind": "use"}]', 7),
    'imported balance-repaired 2 entries 0 to 7 credits 0 to 0 visits', 'a history without its beginning'
);
SELECT is(pg_temp.history('part'), concat_ws(E'\n',
    '2024-01-01T00:00:00Z import credit 12 leaves 12 difference to the imported balance',
    '2024-01-01T00:00:00Z import credit -5 leaves 7 use'
), 'the history gets an opening entry');
SELECT is(
    pg_temp.imports(
        'much', '[{"at": "2024-01-01T00:00:00Z", "amount": 10, "kind": "bonus"}]', 4, 0, '2024-02-01T00:00:00Z'
    ), 'imported balance-repaired 2 entries 0 to 4 credits 0 to 0 visits',
    'a history with a larger sum than the balance'
);
SELECT is(
    split_part(pg_temp.history('much'), E'\n', 2),
    '2024-02-01T00:00:00Z import credit -6 leaves 4 difference to the imported balance', 'a closing'
);
SELECT is(
    pg_temp.imports('both', $$[
        {"at": "2024-01-01T00:00:00Z", "amount": -10, "kind": "use"},
        {"at": "2024-01-02T00:00:00Z", "amount": 30, "kind": "bonus"}
    ]$$, 1, 0, '2023-02-01T00:00:00Z'), 'imported balance-repaired 4 entries 0 to 1 credits 0 to 0 visits',
    'both corrections together'
);
SELECT is(pg_temp.history('both'), concat_ws(E'\n',
    '2024-01-01T00:00:00Z import credit 10 leaves 10 difference to the imported balance',
    '2024-01-01T00:00:00Z import credit -10 leaves 0 use', '2024-01-02T00:00:00Z import credit 30 leaves 30 bonus',
    '2024-01-02T00:00:00Z import credit -29 leaves 1 difference to the imported balance'
), 'instants never go backwards');
SELECT is(
    pg_temp.imports('spent', $$[
        {"at": "2024-01-01T00:00:00Z", "amount": 10, "kind": "purchase"},
        {"at": "2024-01-01T00:00:00Z", "amount": -10, "kind": "use"}
    ]$$, 0), 'imported 2 entries 0 to 0 credits 0 to 0 visits', 'a balance that was spent'
);
SELECT is(
    (SELECT wallet.event_body(o) -> 'data' ->> 'amount' FROM wallet.outbox AS o ORDER BY o.event_id DESC LIMIT 1), '1',
    'corrections send no event'
);
SELECT is(
    pg_temp.imports('nothing', NULL, 0), 'imported 0 entries 0 to 0 credits 0 to 0 visits',
    'an unknown user with a zero balance'
);
SELECT is(
    pg_temp.imports('nothing', NULL, 0), 'unchanged 0 entries 0 to 0 credits 0 to 0 visits',
    'a repeated zero import is recognized'
);

-- Refusals
SELECT set_config('t.counts', pg_temp.counts(), TRUE);
SELECT is(split_part(pg_temp.imports(r.user_id, r.past, r.credits, r.visits, r.at), ' 0 entries', 1),
    'refused ' || r.reason, r.reason)
FROM (VALUES
    ('', NULL::jsonb, 1::bigint, 0::bigint, NULL, 'user-id-malformed'),
    (repeat('x', 321), NULL, 1, 0, NULL, 'user-id-malformed'), ('new', NULL, NULL, 0, NULL, 'balance-missing'),
    ('new', NULL, 0, NULL, NULL, 'balance-missing'), ('new', NULL, -1, 0, NULL, 'balance-negative'),
    ('new', NULL, 0, -1, NULL, 'balance-negative'), ('new', NULL, 1000000000001, 0, NULL, 'out-of-range'),
    ('new', NULL, 1, 0, '2030-01-01T12:00:01Z', 'in-the-future'), ('new', NULL, 1, 0, 'infinity', 'instant-malformed'),
    ('new', '[{"at": "2031-01-01T00:00:00Z", "amount": 1}]', 1, 0, NULL, 'in-the-future'),
    ('new', '[{"at": "-infinity", "amount": 1}]', 1, 0, NULL, 'movement-malformed'),
    ('new', '[{"amount": 1}]', 1, 0, NULL, 'movement-malformed'),
    ('new', '[{"at": 0}]', 1, 0, NULL, 'movement-malformed'),
    ('new', '[{"at": 0, "amount": -1000000000001}]', 1, 0, NULL, 'out-of-range')
) AS r (user_id, past, credits, visits, at, reason);
SELECT is(
    split_part(pg_temp.imports('new', NULL, 1, p_expires_at => wallet.now()), ' 0 entries', 1),
    'refused expiry-passed', 'expiry-passed'
);
SELECT is(pg_temp.raised($$ SELECT pg_temp.imports('new', '[{"at": 0, "amount": 0.5}]', 1) $$), '22P02', 'a fraction');
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.imports('new', NULL, 1, p_source => '') $$), '23514', 'a source without a name'
);
SELECT is(pg_temp.counts(), current_setting('t.counts'), 'refused imports change nothing');

-- Expiry, deletion, merging
SELECT is(
    pg_temp.imports('short', NULL, 9, 1, '2024-01-01T00:00:00Z', FALSE, 'production', '2030-02-01T00:00:00Z'),
    'imported 2 entries 0 to 9 credits 0 to 1 visits', 'a balance may expire'
);
SELECT is_empty('SELECT FROM wallet.broken_due_dates', 'the wallet stores the expiry');
SELECT pg_temp.wait('31 days');
SELECT wallet.lock_wallet(wallet.account_for('short'), 'production');
SELECT is(pg_temp.funds('short'), '0 0 0 0', 'the balance lapses at its expiry');
SELECT wallet.delete_account('ann');
SELECT results_eq(
    $$ SELECT l.remaining, l.lapsed, l.released_at FROM wallet.lots AS l
       INNER JOIN wallet.accounts AS a ON l.account_id = a.account_id AND a.deleted_at IS NOT NULL
       ORDER BY l.lapsed $$,
    $$ VALUES (0::bigint, 2::bigint, NULL::timestamptz), (0, 7, NULL), (0, 18, NULL) $$,
    'imported lots lapse with their account'
);
SELECT is_empty(
    $$ SELECT FROM wallet.entry_texts AS t WHERE t.reason LIKE '%for ann%' $$, 'the texts of the history are erased'
);
SELECT set_config('t.counts', pg_temp.counts(), TRUE);
SELECT is(
    pg_temp.imports('ann', current_setting('t.past')::jsonb, 18, 2),
    'refused user-deleted 0 entries 0 to 0 credits 0 to 0 visits', 'a deleted user is not imported again'
);
SELECT is(pg_temp.counts(), current_setting('t.counts'), 'no account is created');
SELECT wallet.admit_token('$anon', wallet.now(), TRUE), pg_temp.imports('$anon', NULL, 8);
SELECT wallet.merge_accounts('$anon', 'part');
SELECT is(pg_temp.funds('part'), '15 0 0 0', 'an import moves with its account');
SELECT is(
    pg_temp.imports('$anon', NULL, 8), 'unchanged 0 entries 15 to 15 credits 0 to 0 visits',
    'after the merge the import is still recognized'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
