-- wallet.event_booking: the booking's data in a booking.* event.
BEGIN;
\ir ../support/books.sql
\ir ../support/events.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.said() RETURNS jsonb LANGUAGE sql AS $$
    SELECT wallet.event_booking(o) FROM wallet.outbox AS o ORDER BY o.event_id DESC LIMIT 1;
$$;
SELECT pg_temp.lesson('a', 10), pg_temp.gift('ann', 50), pg_temp.book('ann', 'k', 'a', 2);
SELECT is(
    pg_temp.said(), jsonb_build_object(
        'booking_id', pg_temp.id_of('k'), 'class_id', 'a', 'class_title', 'Class a',
        'starts_at', '2030-01-04T12:00:00Z', 'seats', 2, 'unit', 'credit', 'amount', 20
    ), 'a booking'
);
SELECT pg_temp.wait('1 hour'), pg_temp.cancel('ann', 'k');
SELECT is(
    pg_temp.said(), jsonb_build_object(
        'booking_id', pg_temp.id_of('k'), 'class_id', 'a', 'class_title', 'Class a',
        'starts_at', '2030-01-04T12:00:00Z', 'seats', 2, 'unit', 'credit', 'amount', 20,
        'cancelled_at', '2030-01-01T13:00:00Z', 'cancelled_by', 'user', 'late_cancel', FALSE, 'returned', 20
    ), 'the event of a cancellation'
);
SELECT is(
    (SELECT wallet.event_booking(o) ? 'cancelled_at' FROM wallet.outbox AS o WHERE o.type = 'booking.created'), FALSE,
    'the event of the booking itself does not change with it'
);
SELECT pg_temp.book('ann', 'k2', 'a'), pg_temp.wait('60 hours'), pg_temp.cancel('ann', 'k2');
SELECT is(
    (SELECT concat_ws(' ', s ->> 'late_cancel', s ->> 'returned') FROM pg_temp.said() AS s), 'true 0', 'a late one'
);

-- After a merge into another account, the event is about the booking in that account
SELECT pg_temp.lesson('b', 10), pg_temp.book('ann', 'k3', 'b'), wallet.account_for('bob');
UPDATE wallet.accounts SET merged_into = wallet.account_for('bob') WHERE account_id = wallet.account_for('ann');
INSERT INTO wallet.wallets (account_id, environment) VALUES (wallet.account_for('bob'), 'production');
UPDATE wallet.bookings SET account_id = wallet.account_for('bob') WHERE booking_id = pg_temp.id_of('k3');
SELECT is(pg_temp.said() ->> 'class_id', 'b', 'after a merge');
SELECT wallet.emit('booking.created', wallet.account_for('bob'), 'production');
SELECT is(pg_temp.said(), NULL, 'without a booking there is no data');
SELECT * FROM finish();
ROLLBACK;
