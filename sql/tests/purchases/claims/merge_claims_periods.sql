-- wallet.merge_claims: the period data of the remaining claim: the newest report on each flag, from any of the claims
-- (rule 27), and the kind of purchase.
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.period(p_user text, p_id text, p_more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(
        p_user, p_id, 'plan.enthusiast', '{"original_transaction_id": null, "expires_at": null}' || p_more
    ));
$$;
CREATE FUNCTION pg_temp.state(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', s.status, 'until ' || to_char(s.period_end, 'MM-DD'), CASE WHEN s.will_renew THEN 'renews' END
    ) FROM wallet.subscription_states AS s WHERE s.account_id = wallet.account_for(p_user);
$$;

-- Both claims have reports of the same flags
SELECT pg_temp.period('ann', 'a1', '{"expires_at": "2030-01-31T12:00:00Z", "will_renew": true}');
SELECT pg_temp.period(NULL, NULL, jsonb_build_object(
    'order_id', 'a2', 'expires_at', '2030-02-05T12:00:00Z', 'will_renew', FALSE,
    'source_at', wallet.now() + interval '1 minute'
));
SELECT is(pg_temp.state('ann'), 'active until 01-31 renews', 'the first claim''s state');
SELECT pg_temp.period(NULL, 'a1', '{"order_id": "a2"}');
SELECT is(pg_temp.state('ann'), 'active until 02-05', 'the second reported an extension and a cancellation since');
SELECT pg_temp.period('bob', 'b1', jsonb_build_object(
    'expires_at', '2030-02-05T12:00:00Z', 'will_renew', FALSE, 'source_at', wallet.now() + interval '1 minute'
));
SELECT pg_temp.period(NULL, NULL, '{"order_id": "b2", "expires_at": "2030-01-31T12:00:00Z", "will_renew": true}');
SELECT pg_temp.period(NULL, 'b1', '{"order_id": "b2"}');
SELECT is(pg_temp.state('bob'), 'active until 02-05', 'older reports of the second change nothing');
SELECT pg_temp.period('cid', 'c1', '{"will_renew": true, "occasion": "renewal", "expires_at": "2030-01-31T12:00:00Z"}');
SELECT pg_temp.period(NULL, NULL,
    '{"order_id": "c2", "will_renew": false, "occasion": "cancellation", "expires_at": "2030-01-30T12:00:00Z"}');
SELECT pg_temp.period(NULL, 'c1', '{"order_id": "c2"}');
SELECT is(
    pg_temp.state('cid'), 'active until 01-30',
    'of two reports at the same instant the one with the higher priority counts'
);
SELECT pg_temp.period('dan', 'd1', '{"will_renew": false, "expires_at": "2030-01-30T12:00:00Z"}');
SELECT pg_temp.period(NULL, NULL, '{"order_id": "d2", "will_renew": true, "expires_at": "2030-01-31T12:00:00Z"}');
SELECT pg_temp.period(NULL, 'd1', '{"order_id": "d2"}');
SELECT is(pg_temp.state('dan'), 'active until 01-31 renews', 'at the same priority the greater value counts');

-- The kind of purchase
SELECT pg_temp.period('eve', 'e1', '{"expires_at": "2030-01-31T12:00:00Z"}');
SELECT pg_temp.period(NULL, NULL, '{"order_id": "e2", "period_type": "trial"}');
SELECT is(
    pg_temp.period('eve', 'e1', '{"order_id": "e2", "period_type": null}'), 'granted 10 visit duplicate',
    'a purchase granted as a paid period'
);
SELECT is(
    pg_temp.state('eve'), 'active until 01-31 renews', 'a granted paid period stays paid despite a report of a trial'
);
SELECT pg_temp.period('fay', 'f1', '{"pending": true}');
SELECT pg_temp.period('fay', NULL, '{"order_id": "f2", "pending": true}');
SELECT is(
    pg_temp.period('fay', 'f1', '{"order_id": "f2", "period_type": null, "expires_at": "2030-01-31T12:00:00Z"}'),
    'granted 10 visit',
    'a period not reported as a trial is a paid one'
);
SELECT is(
    pg_temp.says(pg_temp.buy('gil', 'g1', 'starter', '{"original_transaction_id": null}')), 'granted 25 credit',
    'a pack'
);
SELECT is(
    pg_temp.says(pg_temp.buy(NULL, NULL, 'starter', '{"order_id": "g2", "ownership": "family_shared"}')),
    'skipped unknown-user', 'a purchase reported as a family share'
);
SELECT is(
    pg_temp.says(pg_temp.buy('gil', 'g1', 'starter', '{"original_transaction_id": null, "order_id": "g2"}')),
    'granted 25 credit duplicate', 'a granted purchase keeps its owner'
);

-- Other data that was reported for only one of the claims
SELECT wallet.enable_store('play_store', '2020-01-01');
CREATE FUNCTION pg_temp.play(p_user text, p_id text, p_more jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.period(p_user, p_id, '{"store": "play_store"}' || p_more);
$$;
SELECT pg_temp.play('hal', NULL, '{"order_id": "h1", "original_transaction_id": "H1", "purchase_token": "old",
    "expires_at": "2030-01-31T12:00:00Z"}');
SELECT pg_temp.wait('10 days');
SELECT pg_temp.play('hal', NULL, '{"order_id": "h2", "original_transaction_id": "H2", "purchase_token": "new",
    "expires_at": "2030-02-10T12:00:00Z"}');
SELECT pg_temp.play(NULL, 'h3',
    '{"linked_purchase_token": "old", "needs_acknowledgement": true, "app_transaction_id": "app"}');
SELECT is(pg_temp.funds('hal'), '0 20 0 0', 'two subscriptions');
SELECT is(
    pg_temp.play(NULL, 'h3', '{"order_id": "h2"}'), 'granted 10 visit duplicate',
    'the second purchase replaced the first'
);
SELECT is(pg_temp.funds('hal'), '0 10 0 0', 'the remaining claim has the duplicate''s data');
SELECT is(
    (SELECT array_agg(u.purchase_token) FROM wallet.unacknowledged AS u), '{new}',
    'the replacing purchase is still unacknowledged'
);
SELECT is(
    (SELECT c.app_transaction_id FROM wallet.claims AS c WHERE c.order_id = 'h2'), 'app',
    'refunds count for the copy of the app that bought it'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
