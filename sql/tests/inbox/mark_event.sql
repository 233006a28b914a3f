-- wallet.mark_event: when a message is retried, and when it is given up.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.mark(
    p_status text, p_times integer DEFAULT 1, p_retry interval DEFAULT NULL, p_tried boolean DEFAULT TRUE
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_row CONSTANT admin.webhook_inbox := pg_temp.row_of('m');
BEGIN
    FOR v_time IN 1 .. p_times LOOP
        PERFORM wallet.mark_event(v_row.inbox_id, p_status, 'why', v_row.payload, p_retry, p_tried);
    END LOOP;
    RETURN pg_temp.stored('m');
END;
$$;
SELECT pg_temp.receive('m', pg_temp.message('[]', NULL, '{"question": {"kind": "product"}}'));
SELECT matches(pg_temp.mark('failed'), '^failed why 1 in [45]$', 'a failure: in 5 seconds');
SELECT matches(pg_temp.mark('failed'), '^failed why 2 in ([89]|10)$', 'the next: in 10');
SELECT matches(
    pg_temp.mark('failed', 17), '^failed why 19 in (2[789]|3[0-6])[0-9]{2}$', 'the delay is at most an hour'
);
SELECT matches(
    pg_temp.mark('failed'), '^quarantined why 20 in (1[6-9]|2[01])[0-9]{3}$',
    'from the twentieth attempt on, the delay is six hours'
);
SELECT matches(
    pg_temp.mark('failed', 30), '^quarantined why 50 in (1[6-9]|2[01])[0-9]{3}$',
    'a quarantined message is still retried'
);
SELECT is(pg_temp.mark('failed', 1, '1 day'), 'quarantined why 51 in 86400', 'a later retry is accepted');
SELECT matches(
    pg_temp.mark('failed', 5, '1 minute', FALSE), '^quarantined why 51 in 60$',
    'a message without an attempt is retried soon'
);
SELECT
    matches(pg_temp.mark('awaiting_user'), '^awaiting_user why 1 in [45]$', 'a waiting message starts a new schedule');
SELECT matches(
    pg_temp.mark('awaiting_user', 20),
    '^awaiting_user why 21 in 8[0-9]{4}|^awaiting_user why 21 in (6[4-9]|7[0-9])[0-9]{3}$',
    'a waiting message is retried within a day'
);
SELECT matches(
    pg_temp.mark('awaiting_user', 100),
    '^awaiting_user why 121 in [678][0-9]{4}$',
    'a waiting message is retried without a limit'
);
SELECT matches(
    pg_temp.mark('failed'), '^failed why 1 in [45]$', 'a message that waited for long may fail several times'
);
SELECT matches(pg_temp.mark('awaiting_user'), '^awaiting_user why 1 in [45]$', 'a failed message may wait');
SELECT is(pg_temp.mark('failed', 1, '10 minutes'), 'failed why 1 in 600', 'a store may ask for more');
SELECT matches(
    pg_temp.mark('failed', 9, '5 seconds'), '^failed why 10 in (19[2-9][0-9]|2[0-9]{3})$',
    'the store cannot ask for less than the schedule'
);
SELECT matches(
    pg_temp.mark('failed', 100, '15 seconds', FALSE), '^failed why 10 in (30|3[1-9]|40)$',
    'attempts without a request are not counted'
);
SELECT is(pg_temp.mark('failed', 1, '2 hours'), 'failed why 11 in 7200', 'later attempts are counted again');
SELECT is(pg_temp.mark('new', 1, '1 minute'), 'new why 11 in 7200', 'a new one is never due sooner than it was');
SELECT isnt((pg_temp.row_of('m')).payload -> 'question', NULL, 'the payload stays until the message is finished');
SELECT is((pg_temp.row_of('m')).processed_at, NULL, 'the message is not finished');
SELECT is(pg_temp.mark('processed'), 'processed why 11', 'done: no next attempt');
SELECT is((pg_temp.row_of('m')).processed_at, wallet.now(), 'since now');
SELECT is(
    pg_temp.raised('SELECT wallet.mark_event(-1, ''failed'', NULL, NULL)'), 'P0002', 'a message that is not there'
);
SELECT pg_temp.receive('o', pg_temp.message('[]', NULL, '{"question": {"kind": "product"}}'));
SELECT is(pg_temp.raised(format(
    'SELECT wallet.mark_event(%s, ''odd'', NULL, NULL)', (pg_temp.row_of('o')).inbox_id
)), '23514', 'an unknown status');
SELECT * FROM finish();
ROLLBACK;
