-- wallet.entry_hash: every member of an entry affects the hash, and no two entries share one (rule 9).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 10), pg_temp.gift('ann', 10);
CREATE FUNCTION pg_temp.changed(p_change jsonb) RETURNS boolean LANGUAGE sql AS $$
    SELECT wallet.entry_hash(jsonb_populate_record(e, p_change)) <> e.hash FROM wallet.entries AS e WHERE e.version = 1;
$$;
SELECT ok(NOT pg_temp.changed('{}'), 'an entry carries its hash');
SELECT ok(pg_temp.changed(i.change::jsonb), 'the hash covers ' || i.change) FROM unnest(ARRAY[
    '{"prev_hash": "\\x01"}', '{"account_id": 99}', '{"environment": "sandbox"}', '{"version": 2}', '{"kind": "grant"}',
    '{"unit": "visit"}', '{"unit": null}', '{"amount": 11}', '{"owed_change": 1}', '{"balance_after": 11}',
    '{"lot_id": null}', '{"booking_id": "00000000-0000-0000-0000-000000000001"}', '{"claim_id": 1}',
    '{"actor_digest": "\\x01"}', '{"reason_digest": "\\x01"}', '{"at": "2030-01-01T12:00:01Z"}'
]) AS i (change);
SELECT set_eq(
    $$ SELECT a.attname FROM pg_catalog.pg_attribute AS a
       WHERE a.attrelid = 'wallet.entries'::regclass AND a.attnum > 0 AND NOT a.attisdropped $$,
    ARRAY['account_id', 'environment', 'version', 'kind', 'unit', 'amount', 'owed_change', 'balance_after', 'lot_id',
        'booking_id', 'claim_id', 'actor_digest', 'reason_digest', 'at', 'prev_hash', 'hash'],
    'the test covers every column'
);
SELECT ok(
    wallet.entry_hash(jsonb_populate_record(
        NULL::wallet.entries, '{"actor_digest": "\\x6162", "reason_digest": "\\x63"}'
    ))
    <> wallet.entry_hash(jsonb_populate_record(
        NULL::wallet.entries, '{"actor_digest": "\\x61", "reason_digest": "\\x6263"}'
    )),
    'Blnk: fields are length-prefixed, so they cannot flow into each other'
);
SET LOCAL timezone = 'Asia/Tokyo';
SELECT ok(NOT pg_temp.changed('{}'), 'a session''s time zone changes no hash');
SET LOCAL datestyle = 'SQL, DMY';
SET LOCAL bytea_output = 'escape';
SELECT ok(NOT pg_temp.changed('{}'), 'the notation of a value does not affect the hash');
SELECT is(octet_length(hash), 32, 'sha256') FROM wallet.entries WHERE version = 1;
SELECT * FROM finish();
ROLLBACK;
