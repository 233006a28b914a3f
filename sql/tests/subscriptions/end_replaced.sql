-- wallet.end_replaced: an upgrade on Google Play is a new subscription and ends the old one and its grace period, in
-- either order of the reports.
BEGIN;
\ir ../support/books.sql
SELECT plan(13);

INSERT INTO wallet.stores (store, grants_from) VALUES ('play_store', '2020-01-01T00:00Z');
CREATE FUNCTION pg_temp.period(p_id text, p_product text, p_from text, p_to text, p_more jsonb DEFAULT '{}')
RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy('ann', p_id, p_product, jsonb_build_object(
        'store', 'play_store', 'order_id', p_id, 'purchased_at', p_from, 'expires_at', p_to
    ) || p_more));
$$;
CREATE FUNCTION pg_temp.ends(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT to_char(s.period_end, 'MM-DD') FROM wallet.subscription_states AS s
    WHERE s.original_transaction_id = p_id;
$$;

SELECT pg_temp.period('G', 'plan.explorer', '2029-12-20T10:00Z', '2030-01-20T10:00Z', '{"purchase_token": "old"}');
SELECT is(pg_temp.ends('G'), '01-20', 'a period ends at its end');
SELECT pg_temp.period('H', 'plan.enthusiast', '2029-12-30T10:00Z', '2030-01-30T10:00Z',
    '{"purchase_token": "new", "linked_purchase_token": "old"}');
SELECT is(pg_temp.ends('G'), '12-30', 'unless another subscription replaced it, though it is reported later');
SELECT is(pg_temp.ends('H'), '01-30', 'the new subscription continues');
SELECT pg_temp.sound();

-- Grace periods. ann's periods so far end on 01-30; these begin later.
CREATE FUNCTION pg_temp.grace(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', s.status, to_char(s.period_end, 'MM-DD'), 'grace ' || to_char(s.grace_ends_at, 'MM-DD'),
        'access ' || to_char(s.access_ends_at, 'MM-DD')
    ) FROM wallet.subscription_states AS s WHERE s.original_transaction_id = p_id;
$$;
SELECT set_config('t.now', '2030-03-01 12:00:00+00', TRUE);
SELECT pg_temp.period('I', 'plan.unlimited', '2030-02-20T10:00Z', '2030-03-20T10:00Z',
    '{"billing_issue": true, "grace_ends_at": "2030-04-04T10:00Z"}');
SELECT is(pg_temp.grace('I'), 'active 03-20 grace 04-04 access 04-04', 'a grace period extends the access');
SELECT pg_temp.period('J', 'plan.explorer', '2030-03-25T10:00Z', '2030-04-25T10:00Z');
SELECT is(
    pg_temp.grace('I'), 'active 03-20 grace 03-25 access 03-25', 'it ends with a subscription that begins during it'
);
SELECT pg_temp.period('K', 'plan.enthusiast', '2030-03-10T10:00Z', '2030-04-10T10:00Z');
SELECT is(pg_temp.grace('I'), 'active 03-10 access 03-10', 'a period that is replaced earlier has none');
SELECT pg_temp.period('I', 'plan.unlimited', '2030-02-20T10:00Z', '2030-03-20T10:00Z',
    '{"billing_issue": true, "grace_ends_at": "2030-04-05T10:00Z", "source_at": "2030-03-01T13:00:00Z"}');
SELECT is(pg_temp.grace('I'), 'active 03-10 access 03-10', 'even if the store reports it again');
SELECT pg_temp.sound();

-- A subscription that is replaced needs no renewal, so that a failed charge no longer matters.
SELECT set_config('t.now', '2030-06-01 13:00:00+00', TRUE);
SELECT pg_temp.period('L', 'plan.enthusiast', '2030-05-01T10:00Z', '2030-06-01T10:00Z',
    '{"billing_issue": true, "source_at": "2030-06-01T12:00Z"}');
SELECT is(pg_temp.grace('L'), 'billing_retry 06-01 access 06-01', 'a failed charge');
SELECT pg_temp.period('M', 'plan.explorer', '2030-06-01T12:30Z', '2030-07-01T12:30Z');
SELECT is(pg_temp.grace('L'), 'expired 06-01 access 06-01', 'a new subscription replaces it');
SELECT pg_temp.period('L', 'plan.enthusiast', '2030-05-01T10:00Z', '2030-06-01T10:00Z',
    '{"billing_issue": true, "source_at": "2030-06-01T12:45Z"}');
SELECT is(pg_temp.grace('L'), 'expired 06-01 access 06-01', 'even if the store reports the failed charge again');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
