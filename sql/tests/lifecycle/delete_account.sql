-- wallet.delete_account and its helpers: personal data is erased, the books stay (rule 33).
-- Guarantee: erased
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();

-- Returns every column of every wallet table whose text contains one of the given texts.
CREATE FUNCTION pg_temp.places(VARIADIC p_texts text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_column record;
    v_text text;
    v_found boolean;
    v_places text;
BEGIN
    FOR v_column IN
        SELECT a.attrelid::regclass AS name, a.attname FROM pg_catalog.pg_attribute AS a
        INNER JOIN pg_catalog.pg_class AS c ON a.attrelid = c.oid
        WHERE c.relnamespace = 'wallet'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
            AND a.attnum > 0 AND NOT a.attisdropped
    LOOP
        FOREACH v_text IN ARRAY p_texts LOOP
            EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE strpos(lower(%I::text), lower(%L)) > 0)',
                v_column.name, v_column.attname, v_text) INTO v_found;
            IF v_found THEN
                v_places := concat_ws(', ', v_places, v_column.name || '.' || v_column.attname);
            END IF;
        END LOOP;
    END LOOP;
    RETURN coalesce(v_places, 'nowhere');
END;
$$;
CREATE FUNCTION pg_temp.account(p_user text) RETURNS bigint LANGUAGE sql AS $$
    SELECT i.account_id FROM wallet.identities AS i WHERE i.user_id = p_user;
$$;

-- A user with every kind of data
SELECT pg_temp.lesson('free', 20), pg_temp.lesson('late', 20, NULL, 10, '1 day'), pg_temp.lesson('gift', 20);
SELECT pg_temp.lesson('begun', 20, NULL, 10, '1 hour', 0);
SELECT wallet.admit_token('$anon:Zoe "the" 1st', wallet.now(), TRUE);
SELECT pg_temp.gift('$anon:Zoe "the" 1st', 1);
SELECT wallet.merge_accounts('$anon:Zoe "the" 1st', 'zoe@example.org');
SELECT pg_temp.buy('zoe@example.org', 'z1', 'enthusiast', jsonb_build_object(
    'app_account_token', wallet.app_account_token('zoe@example.org')
));
SELECT pg_temp.buy('zoe@example.org', 'z2', 'fiveVisit'), pg_temp.buy('zoe@example.org', 's1', 'plan.enthusiast');
SELECT pg_temp.book('zoe@example.org', 'for zoe@example.org', 'begun'), pg_temp.book('zoe@example.org', 'k1', 'free');
SELECT pg_temp.book('zoe@example.org', 'k2', 'late');
SELECT wallet.adjust(
    pg_temp.account('zoe@example.org'), 'production', 'credit', 30, 'sorry, zoe@example.org', 'Ann Operator',
    'for zoe@example.org', wallet.now() + '60 days'
);
SELECT wallet.compensate(
    'sorry zoe@example.org', 'production', 'credit', NULL,
    '[{"user_id": "zoe@example.org"}, {"user_id": "bob"}]', 1, 'no heating', 'adjustment', NULL, 'dana',
    p_new_users => TRUE
);
SELECT pg_temp.book('zoe@example.org', 'k3', 'gift'), pg_temp.gift('zoe@example.org', 5, 'visit', NULL, 'sandbox');
INSERT INTO admin.testers (user_id) VALUES ('zoe@example.org');
SELECT wallet.note_profile('zoe@example.org', wallet.now(), 'Zora Quill', 'zora@quill.example');
SELECT wallet.operator_act(
    'put-profile',
    '{"user_id": "zoe@example.org", "name": "Zorina Quill", "email": "zora@quill.example"}',
    'dana',
    'call',
    'P'
);
INSERT INTO wallet.inbox (source, source_event_id, payload, status, received_at)
SELECT 'test', p.id, p.payload, p.status, wallet.now() FROM (VALUES
    ('mine', '{"raw": {"event": {"app_user_id": "zoe@example.org"}}}'::jsonb, 'quarantined'),
    ('token', jsonb_build_object('statements', jsonb_build_array(jsonb_build_object('fact', jsonb_build_object(
        'app_account_token', upper(wallet.app_account_token('zoe@example.org')::text)
    )))), 'new'),
    ('anonymous', jsonb_build_object('transfer', jsonb_build_object('from', ARRAY['$anon:Zoe "the" 1st'])), 'failed'),
    ('other', '{"raw": {"event": {"app_user_id": "bob"}}}', 'quarantined')
) AS p (id, payload, status);
SELECT wallet.quarantine_event('revenuecat', 'odd', 'unreadable', '{"event": {
    "type": "RENEWAL", "aliases": ["zoe@example.org"], "app_user_id": "zoe@example.org", "price": {"by": "Zoe Example"},
    "subscriber_attributes": {"$email": {"value": "zoe@home.example"}, "$displayName": {"value": "Zoe Example"},
        "$phoneNumber": {"value": "+49 151 1234567"}}
}}', 'unreadable');
SELECT is(
    pg_temp.places('zoe@home.example', 'Zoe Example', '1234567'), 'nowhere', 'subscriber attributes are never stored'
);
-- Reasons of replayed messages that name the user, by id or by account token
SELECT wallet.replay_message(
    i.inbox_id, row('dana', 'Zoe Example wrote ' || i.source_event_id, 'mail of Zoe Example ' || i.inbox_id, '{}')
) FROM wallet.inbox AS i WHERE i.source_event_id IN ('mine', 'token', 'odd', 'anonymous');
SELECT wallet.replay_message(i.inbox_id, row('dana', 'Bob wrote', NULL, NULL)) FROM wallet.inbox AS i
WHERE i.source_event_id = 'other';
UPDATE wallet.inbox SET status = 'quarantined', next_attempt_at = NULL
WHERE source_event_id IN ('mine', 'odd', 'other');
UPDATE wallet.inbox SET status = 'failed' WHERE source_event_id = 'anonymous';
INSERT INTO wallet.inbox_done (
    inbox_id, source, source_event_id, payload, status, attempts, received_at, processed_at
) VALUES (0, 'test', 'done', '{"id": 1}', 'processed', 0, wallet.now(), wallet.now());
SELECT pg_temp.wait('1 hour');
SELECT set_config('t.zoe', pg_temp.account('zoe@example.org')::text, TRUE);
SELECT set_config('t.token', wallet.app_account_token('zoe@example.org')::text, TRUE);
SELECT pg_temp.sound();
SELECT isnt(pg_temp.places('zoe@example.org'), 'nowhere', 'the search finds existing data');
SELECT is(
    pg_temp.places('quill'), 'wallet.profiles.name, wallet.profiles.email', 'name and address are only in the profile'
);

SELECT lives_ok($$ SELECT wallet.delete_account('zoe@example.org') $$, 'the account is deleted');
SELECT is(
    pg_temp.places('zoe@example.org', '$anon:Zoe', wallet.app_account_token('$anon:Zoe "the" 1st')::text,
        current_setting('t.token'), 'Ann Operator', 'Zoe Example', 'quill'),
    'nowhere', 'no table holds the user id, the account token or a name'
);
SELECT isnt(pg_temp.places('Bob wrote'), 'nowhere', 'reasons that name other users stay');
SELECT pg_temp.sound();
SELECT results_eq(
    $$ SELECT b.class_id, b.status, b.cancelled_by, b.returned FROM wallet.booking_details AS b
       WHERE b.account_id = current_setting('t.zoe')::bigint ORDER BY b.class_id $$,
    $$ VALUES ('begun', 'booked', NULL, NULL::bigint), ('free', 'cancelled', 'user', 20),
        ('gift', 'cancelled', 'user', 20), ('late', 'cancelled', 'user', 0) $$,
    'upcoming bookings are cancelled by policy, and started ones stay'
);
SELECT is(pg_temp.seats_sold('late') + pg_temp.seats_sold('free'), 0, 'the seats are free');
SELECT results_eq(
    $$ SELECT l.environment::text, l.source::text, l.unit::text, sum(l.remaining), bool_and(l.released_at IS NOT NULL)
       FROM wallet.lots AS l WHERE l.account_id = current_setting('t.zoe')::bigint
       GROUP BY l.environment, l.source, l.unit ORDER BY l.environment, l.source $$,
    $$ VALUES ('production', 'adjustment', 'credit', 0::numeric, FALSE), ('production', 'pack', 'credit', 61, TRUE),
        ('production', 'pass', 'visit', 5, TRUE), ('production', 'plan', 'visit', 10, TRUE),
        ('sandbox', 'adjustment', 'visit', 0, FALSE) $$,
    'gifts lapse in both environments, purchases are released'
);
SELECT is(
    (SELECT array_agg(DISTINCT s.released_at) FROM wallet.subscriptions AS s), ARRAY[wallet.now()],
    'the subscription is released'
);
SELECT is_empty('SELECT FROM wallet.claims WHERE released_at IS NULL', 'every claim is released');
SELECT is(
    (SELECT a.deleted_at FROM wallet.accounts AS a WHERE a.account_id = current_setting('t.zoe')::bigint), wallet.now(),
    'the account is marked'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.released_tokens AS t
    WHERE t.account_id = current_setting('t.zoe')::bigint), 2, 'digests of both account tokens stay'
);
SELECT ok(EXISTS (
    SELECT FROM wallet.released_tokens WHERE token_digest = sha256(uuid_send(current_setting('t.token')::uuid))
), 'the digest of the token identifies the released purchase');
SELECT is((SELECT count(*)::integer FROM wallet.deleted_users), 2, 'digests of both user ids are stored');
SELECT is_empty('SELECT FROM wallet.testers', 'no tester is left');
SELECT results_eq(
    'SELECT i.source_event_id, i.status, i.reason, i.payload::text FROM admin.webhook_inbox AS i ORDER BY 1',
    $$ VALUES ('anonymous', 'failed', NULL, '{"transfer": {"from": []}}'), ('done', 'processed', NULL, '{"id": 1}'),
        ('mine', 'quarantined', NULL, '{"raw": {"event": {}}}'),
        ('odd', 'quarantined', 'unreadable', '{"raw": {"event": {"type": "RENEWAL", "price": {}, "aliases": []}}}'),
        ('other', 'quarantined', NULL, '{"raw": {"event": {"app_user_id": "bob"}}}'),
        ('token', 'new', NULL, '{"statements": [{"fact": {}, "forgotten": true}]}') $$,
    'messages that wait lose the user, others stay'
);
SELECT is(
    pg_temp.raised($$
        SELECT wallet.admit_token('zoe@example.org', clock_timestamp() - interval '1 minute', FALSE)
    $$), 'WL401 unauthenticated',
    'tokens from before open nothing'
);
SELECT is(
    (SELECT concat_ws(' ', o.status, o.slug) FROM pg_temp.batch(
        ARRAY[current_setting('t.zoe')::bigint], ARRAY['production'::wallet.environment], ARRAY['book'],
        ARRAY[gen_random_uuid()], ARRAY['new'], ARRAY['free'], ARRAY[1], ARRAY[NULL], ARRAY[NULL::bigint]
    ) AS o), '401 unauthenticated', 'a concurrent booking spends nothing of the released lots'
);

-- An amount that returns to a gift later lapses at once
SELECT is(
    pg_temp.answer(pg_temp.cancel_by(
        current_setting('t.zoe')::bigint, 'production', pg_temp.id_of('for zoe@example.org'), 'studio'
    )), '200 cancelled 20 credit returned 20', 'the studio cancels a class that had begun'
);
SELECT is(
    (SELECT w.credits FROM wallet.wallets AS w
    WHERE w.account_id = current_setting('t.zoe')::bigint AND w.environment = 'production'), 80::bigint,
    'the price paid by a purchase returns to it, and the rest lapses'
);
SELECT pg_temp.sound();

-- A second deletion, and the deletion of an unknown user
SELECT wallet.delete_account('zoe@example.org'), wallet.delete_account('nobody');
SELECT is(
    (SELECT count(*)::integer FROM wallet.deleted_users), 3,
    'a second deletion, or one of an unknown user, stores the digest'
);
SELECT pg_temp.wait('1 minute'), wallet.admit_token('zoe@example.org', clock_timestamp(), FALSE);
SELECT isnt(
    wallet.account_for('zoe@example.org'), current_setting('t.zoe')::bigint,
    'a deleted user who returns gets a new account'
);
SELECT is(pg_temp.funds('zoe@example.org'), NULL, 'the new account is empty');

-- A key may be the id of another booking, in either order
SELECT pg_temp.lesson('x', 1), pg_temp.lesson('y', 1), pg_temp.gift('xay', 10);
SELECT pg_temp.book('xay', 'kx', 'x'), pg_temp.book('xay', 'ky', 'y');
UPDATE wallet.bookings AS b SET idempotency_key = CASE b.class_id
    WHEN 'x' THEN pg_temp.id_of('ky')::text ELSE pg_temp.id_of('kx')::text
END WHERE b.account_id = pg_temp.account('xay');
SELECT set_config('t.xay', pg_temp.account('xay')::text, TRUE);
SELECT lives_ok($$ SELECT wallet.delete_account('xay') $$, 'the account is deleted, whatever keys its bookings have');
SELECT is_empty(
    $$ SELECT FROM wallet.bookings AS b
       WHERE b.account_id = current_setting('t.xay')::bigint AND b.idempotency_key IS NOT NULL $$,
       'no idempotency key stays'
);

SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
