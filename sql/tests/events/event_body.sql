-- wallet.event_body: the bodies that openapi.yaml documents.
BEGIN;
\ir ../support/books.sql
\ir ../support/events.sql
SELECT * FROM no_plan();
SELECT pg_temp.buy('ann', 't1', 'starter');
SELECT is(
    pg_temp.newest() #- '{data,lot_id}', $${
        "type": "credits.granted", "timestamp": "2030-01-01T12:00:00Z", "data": {
            "user_id": "ann", "environment": "production", "version": 1, "unit": "credit", "amount": 25,
            "balance_after": 25, "store": "app_store", "transaction_id": "t1", "product_id": "com.hobbyist.bookingapp.credits.starter"
        }
    }$$, 'a purchase'
);
SELECT is(
    (wallet.event_body(o) -> 'data' ->> 'event_id')::bigint, o.event_id, 'the body contains the event''s id'
) FROM wallet.outbox AS o;
SELECT pg_temp.gift('ann', 3);
SELECT is(
    pg_temp.newest() -> 'data', $${
        "user_id": "ann", "environment": "production", "version": 2, "unit": "credit", "amount": 3,
        "balance_after": 28, "store": null, "transaction_id": null, "product_id": null, "lot_id": null
    }$$, 'members without a value are null, never missing'
);
SELECT pg_temp.lesson('a', 10), pg_temp.wait('0.9 seconds'), pg_temp.book('ann', 'k', 'a');
SELECT is(
    pg_temp.newest(), jsonb_build_object(
        'type', 'booking.created', 'timestamp', '2030-01-01T12:00:00Z', 'data', jsonb_build_object(
            'user_id', 'ann', 'environment', 'production', 'version', 3, 'booking_id', pg_temp.id_of('k'),
            'class_id', 'a', 'class_title', 'Class a', 'starts_at', '2030-01-04T12:00:00Z', 'seats', 1,
            'unit', 'credit', 'amount', 10
        )
    ), 'a booking'
);
SELECT pg_temp.lesson('w', 10, NULL, 1), pg_temp.gift('fay', 10), pg_temp.book('fay', 'f', 'w');
SELECT wallet.join_waitlist(wallet.account_for('zed'), 'production', 'w', 1, NULL, NULL);
SELECT is(
    pg_temp.newest(), $${
        "type": "waitlist.joined", "timestamp": "2030-01-01T12:00:00Z", "data": {
            "user_id": "zed", "environment": "production", "version": null, "class_id": "w", "place": 1
        }
    }$$, 'a waiting user without a wallet'
);
SELECT pg_temp.cancel('fay', 'f'), pg_temp.gift('zed', 10), wallet.promote_next('w', 'production');
SELECT is(
    pg_temp.newest() #- '{data,booking_id}' -> 'data', $${
        "user_id": "zed", "environment": "production", "version": 2, "class_id": "w", "class_title": "Class w",
        "starts_at": "2030-01-04T12:00:00Z", "seats": 1, "unit": "credit", "amount": 10, "from_waitlist": true
    }$$, 'the promoted user''s booking'
);
SELECT wallet.emit(
    'subscription.renewed', wallet.account_for('ann'), 'production', p_details => '{"status": "active", "version": 9}'
);
SELECT is(
    pg_temp.newest() -> 'data',
    '{"user_id": "ann", "environment": "production", "version": 9, "status": "active"}',
    'details of other types override the defaults'
);
SELECT wallet.emit('credits.expired', wallet.account_for('ann'), 'production', p_details => '{"unit": "visit"}');
SELECT is(pg_temp.newest() #>> '{data,unit}', 'visit', 'over what would be computed too');
SELECT wallet.emit('booking.created', wallet.account_for('ann'), 'production');
SELECT is(pg_temp.newest() #>> '{data,user_id}', 'ann', 'a booking that is gone leaves an event');

-- The user of an event
INSERT INTO wallet.identities (user_id, account_id, app_account_token, created_at, merged_at)
VALUES ('aaa', wallet.account_for('ann'), gen_random_uuid(), wallet.now(), wallet.now());
SELECT is(pg_temp.newest() #>> '{data,user_id}', 'ann', 'a merged identity is not the user''s name');
UPDATE wallet.accounts SET merged_into = wallet.account_for('bob') WHERE account_id = wallet.account_for('ann');
SELECT is(pg_temp.newest() #>> '{data,user_id}', 'bob', 'events of a merged account name the remaining user');
DELETE FROM wallet.identities WHERE user_id = 'bob';
SELECT is(pg_temp.newest() -> 'data' -> 'user_id', 'null', 'an erased user is null');

-- Amounts are signed, regardless of the details
SELECT pg_temp.buy('eve', 't9', 'starter', '{"refunded_millionths": 400000}');
SELECT is(
    (SELECT jsonb_object_agg(b.body ->> 'type', b.body #> '{data,amount}') FROM (
        SELECT wallet.event_body(o) AS body FROM wallet.outbox AS o
        WHERE o.account_id = wallet.account_for('eve')
    ) AS b), '{"credits.granted": 25, "credits.refunded": -10}', 'a refund is negative'
);
SELECT wallet.adjust(
    wallet.account_for('eve'), 'production', 'credit', 5, 'g', 'test', 'x', wallet.now() + INTERVAL '1 hour'
);
SELECT pg_temp.wait('2 hours'), wallet.lapse_due(wallet.account_for('eve'), 'production');
SELECT is(pg_temp.newest() #>> '{data,amount}', '-5', 'the amount of a lapse is negative');
SELECT * FROM finish();
ROLLBACK;
