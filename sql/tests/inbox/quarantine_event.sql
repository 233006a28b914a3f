-- wallet.quarantine_event: an authentic message that could not be read is stored, once.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.quarantine(
    p_id text, p_raw jsonb, p_reason text DEFAULT 'unreadable'
) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.answers(wallet.quarantine_event('revenuecat', p_id, 'NEW_TYPE', p_raw, p_reason));
$$;
SELECT is(pg_temp.quarantine('1', '{"event": {"price": 1}}'), 'quarantined unreadable', 'the message is quarantined');
SELECT is((pg_temp.row_of('1')).payload, '{"raw": {"event": {"price": 1}}}', 'the message''s content is stored');
SELECT is(pg_temp.stored('1'), 'quarantined unreadable 0', 'the quarantined message is not retried');
SELECT pg_temp.wait('10 years');
SELECT is(count(*)::integer, 0, 'ever') FROM wallet.due_events(10);
SELECT is(
    pg_temp.quarantine('1', '{"event": {"price": 2}}', 'other'), 'quarantined unreadable duplicate',
    'a repetition keeps the first message'
);
SELECT is((pg_temp.row_of('1')).payload, '{"raw": {"event": {"price": 1}}}', 'unchanged');
SELECT pg_temp.receive('2', pg_temp.sold('t', 'ann'));
SELECT is(pg_temp.quarantine('2', '{}'), 'processed duplicate', 'a processed message stays processed');
SELECT
    is(
        pg_temp.quarantine('3', '"text"', NULL),
        'quarantined unreadable',
        'a text that is not JSON is stored as a string'
    );
SELECT is(pg_temp.quarantine('4', '{}', repeat('x', 300)), 'quarantined ' || repeat('x', 200), 'a reason is short');
SELECT wallet.delete_account('gone');
SELECT pg_temp.quarantine('6', '{"event": {"aliases": ["gone"], "b": "gone"}}');
SELECT is((pg_temp.row_of('6')).payload, '{"raw": {"event": {"aliases": []}}}', 'deleted users are removed');

-- Only the members that a later release needs are stored
SELECT pg_temp.quarantine('7', '{"api_version": "1.0", "email": "ann@example.org", "event": {
    "type": "RENEWAL", "app_user_id": "ann", "product_id": {"$email": "ann@example.org"},
    "items": [{"product_id": "p", "type": "base", "note": "ann@example.org"}], "some": [["ann@example.org"]],
    "adjustments": [{"amount": 5, "currency": {"code": "CRD", "name": "ann@example.org"}}],
    "subscriber_attributes": {"$email": {"value": "ann@example.org"}, "$displayName": {"value": "Ann"}}
}}');
SELECT is(
    (pg_temp.row_of('7')).payload, '{"raw": {"api_version": "1.0", "event": {
        "type": "RENEWAL", "app_user_id": "ann", "product_id": {}, "items": [{"product_id": "p", "type": "base"}],
        "adjustments": [{"amount": 5, "currency": {"code": "CRD"}}]
    }}}', 'unknown attributes and members are not stored'
);
SELECT is((pg_temp.row_of('7')).type, 'RENEWAL', 'under the type that it names');
SELECT is((pg_temp.row_of('6')).type, 'NEW_TYPE', 'a message without a type gets the given one');
SELECT is(
    wallet.raw_needed(i.source, i.raw), i.kept, i.source || ' keeps what the store signed or pushed'
) FROM (VALUES
    ('app_store', '{"signedPayload": "a.b.c", "x": 1}'::jsonb, '{"signedPayload": "a.b.c"}'::jsonb),
    ('google_play', '{"message": {"data": "e30=", "messageId": "1", "attributes": {"a": "b"}}, "subscription": "s"}',
        '{"message": {"data": "e30=", "messageId": "1"}, "subscription": "s"}'),
    ('revenuecat', '{"base64": "e30="}', '{"base64": "e30="}'), ('another', '{"a": 1}', '{}'),
    ('revenuecat', '[1, {"a": 1}]', '[1, {}]'), ('revenuecat', '"text"', '"text"')
) AS i (source, raw, kept);
CREATE FUNCTION pg_temp.base64(p_text text) RETURNS text LANGUAGE sql AS $$
    SELECT translate(encode(convert_to(p_text, 'UTF8'), 'base64'), E'\n', '');
$$;
CREATE FUNCTION pg_temp.signed(p_content text) RETURNS text LANGUAGE sql AS $$
    SELECT 'e30.' || translate(pg_temp.base64(p_content), '+/=', '-_') || '.c2ln';
$$;
SELECT is(wallet.raw_type(i.raw), i.type, coalesce(i.type, 'no type') || ' is found') FROM (VALUES
    (jsonb_build_object('signedPayload', pg_temp.signed('{"notificationType": "REFUND"}')), 'REFUND'),
    (jsonb_build_object('signedPayload', pg_temp.signed('{"notificationType": "REFUND", "subtype": ""}')), 'REFUND'),
    (jsonb_build_object('signedPayload', pg_temp.signed(
        '{"notificationType": "DID_RENEW", "subtype": "BILLING_RECOVERY"}'
    )), 'DID_RENEW.BILLING_RECOVERY'),
    ('{"event": {"type": "CANCELLATION"}}', 'CANCELLATION'), ('{"event": {"type": "a b\u00e4"}}', NULL),
    ('{"event": {"type": {}}}', NULL), ('{"signedPayload": "a.b.c"}', NULL), ('{"signedPayload": 7}', NULL),
    (jsonb_build_object('message', jsonb_build_object('data', pg_temp.base64('{"voidedPurchaseNotification": {}}'))),
        'VOIDED_PURCHASE'),
    (jsonb_build_object('message', jsonb_build_object('data', pg_temp.base64('{"subscriptionNotification": 1}'))),
        'SUBSCRIPTION'),
    ('{"message": {"data": "%%%"}}', NULL), ('{"message": {"data": "AAEC"}}', NULL), ('{"message": []}', NULL),
    ('{"base64": "e30="}', NULL), ('[]', NULL), ('"text"', NULL), ('null', NULL)
) AS i (raw, type);

-- A message that is not JSON is found by the user ids that it may contain
SELECT pg_temp.quarantine(i.id, jsonb_build_object('base64', i.kept)) FROM (VALUES
    ('8', pg_temp.base64('{"app_user_id": "leaves", "$email": "leaves@example.org", }')),
    ('9', encode('\x226c6561766573222c2022ff0022'::bytea, 'base64')), ('10', pg_temp.base64('{"id": "stays", }')),
    ('11', '%%%')
) AS i (id, kept);
SELECT wallet.delete_account('leaves');
SELECT is((pg_temp.row_of(i.id)).payload, i.kept::jsonb, 'a deletion finds message ' || i.id) FROM (VALUES
    ('8', '{"raw": null}'), ('9', '{"raw": null}'),
    ('10', jsonb_build_object('raw', jsonb_build_object('base64', pg_temp.base64('{"id": "stays", }')))::text),
    ('11', '{"raw": {"base64": "%%%"}}')
) AS i (id, kept);
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.quarantine('', '{}') $$), 'WL422 message-incomplete', 'a missing id is refused'
);
SELECT
    is(
        pg_temp.raised($$ SELECT pg_temp.quarantine('5', NULL) $$),
        'WL422 message-incomplete',
        'a missing text is refused'
    );
SELECT * FROM finish();
ROLLBACK;
