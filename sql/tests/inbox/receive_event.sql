-- wallet.receive_event: a store's message is applied once, however often it arrives and in any state.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
SELECT is(pg_temp.receive('1', pg_temp.sold('t1', 'ann')), 'processed', 'a message is applied at once');
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'the purchase is granted');
SELECT is(pg_temp.receive('1', pg_temp.sold('t1', 'ann')), 'processed duplicate', 'a repeated message is a duplicate');
SELECT is(
    pg_temp.receive('1', pg_temp.sold('t2', 'ann')), 'processed duplicate',
    'another message with the same id is a duplicate'
);
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'the duplicate grants nothing');
SELECT is(
    pg_temp.answers(wallet.receive_event('app_store', '1', 'x', pg_temp.sold('t2', 'ann'))), 'processed',
    'each source has separate ids'
);
SELECT is(pg_temp.funds('ann'), '50 0 0 0', 'the other source''s message is applied');
SELECT is_empty(
    $$ SELECT FROM admin.webhook_inbox AS i WHERE i.payload::text ~ 'owners|ann' $$, 'a finished message names no user'
);

-- Nothing to apply
SELECT is(
    pg_temp.receive('2', pg_temp.message('[]', NULL, '{"ignored": "test"}')), 'ignored test',
    'a message without facts'
);
SELECT isnt((pg_temp.row_of('2')).processed_at, NULL, 'the empty message is finished');
SELECT is(
    pg_temp.receive('2', pg_temp.message('[]', NULL, '{"ignored": "test"}')), 'ignored test duplicate',
    'a repetition has the same outcome'
);
SELECT is(pg_temp.receive('3', pg_temp.message('[]')), 'processed', 'a message without statements is processed');

-- The store must be queried first
SELECT is(
    pg_temp.receive('4', pg_temp.message('[]', NULL, '{"question": {"kind": "product", "purchase_token": "p"}}')),
    'new', 'a question is not answered here'
);
SELECT is(pg_temp.stored('4'), 'new 0 in 60', 'the message is leased to the first worker');
SELECT is((pg_temp.row_of('4')).payload -> 'question' ->> 'purchase_token', 'p', 'the question is stored');
SELECT pg_temp.wait('1 second');
SELECT is(count(*)::integer, 0, 'the message is not due yet') FROM wallet.due_events(10);
SELECT pg_temp.wait('61 seconds');
SELECT is(count(*)::integer, 1, 'due') FROM wallet.due_events(10);
SELECT is(
    pg_temp.receive('4', pg_temp.message('[]', NULL, '{"question": {"kind": "product", "purchase_token": "p"}}')),
    'new', 'a redelivery meanwhile'
);
SELECT is(pg_temp.stored('4'), 'new 0 in 60', 'a redelivery does not shorten the lease');
SELECT is(
    pg_temp.receive('5', pg_temp.sold('t5', 'ann', '{"consumption_request": "t1"}')), 'new',
    'a message that requests usage data must query the store, too'
);
SELECT is(
    pg_temp.receive('5a', pg_temp.message('[]', NULL, '{"refund_review": {"token": "r", "order_id": "GPA.1"}}')), 'new',
    'a message about a refund review must query the store'
);
SELECT is(pg_temp.funds('ann'), '50 0 0 0', 'before the answer nothing is granted');

-- Messages that must wait
SELECT is(
    pg_temp.receive('6', pg_temp.sold('t6', '$RCAnonymousID:1')), 'awaiting_user unknown-user', 'the owner is unknown'
);
SELECT matches(pg_temp.stored('6'), '^awaiting_user unknown-user 1 in [45]$', 'the message is retried');
SELECT is(
    (pg_temp.row_of('6')).payload #>> '{statements,0,owners,0}', '$RCAnonymousID:1', 'the full message is stored'
);
SELECT is(
    pg_temp.receive('6', pg_temp.sold('t6', '$RCAnonymousID:1')), 'awaiting_user unknown-user duplicate',
    'a redelivery leaves it to its schedule'
);

-- Messages that fail
SELECT pg_temp.failing('55P03');
SELECT is(pg_temp.receive('7', pg_temp.sold('t7', 'ann')), 'failed 55P03', 'a lock that took too long');
SELECT matches(pg_temp.stored('7'), '^failed 55P03 1 in [45]$', 'the failed message is retried soon');
SELECT is(pg_temp.receive('7', pg_temp.sold('t7', 'ann')), 'failed 55P03', 'a redelivery fails alike');
SELECT pg_temp.failing('');
SELECT is(
    pg_temp.receive('7', pg_temp.sold('t7', 'ann')), 'processed',
    'a redelivery applies the message after the lock is free'
);
SELECT is(pg_temp.stored('7'), 'processed 2', 'the failures are counted, the reason is gone');
SELECT is(pg_temp.receive('7', pg_temp.sold('t7', 'ann')), 'processed duplicate', 'once');
SELECT is(pg_temp.funds('ann'), '75 0 0 0', 'only');
SELECT is(
    pg_temp.receive('8', pg_temp.message(jsonb_build_array(
        pg_temp.fact('t8', 'starter'), pg_temp.fact('t9', 'starter', '{"store_product_id": null}')
    ), 'ann')), 'failed WL422 purchase-data-incomplete', 'the second statement is broken'
);
SELECT is(pg_temp.funds('ann'), '75 0 0 0', 'the quarantined content is not applied');
SELECT is(
    pg_temp.receive('8', pg_temp.sold('t8', 'ann')), 'processed', 'read better by a later version, it is applied'
);

-- Messages that could not be read
SELECT wallet.quarantine_event('revenuecat', '9', 'x', '"<html>"', 'unreadable');
SELECT is(pg_temp.receive('9', pg_temp.sold('t10', 'ann')), 'processed', 'a redelivery that can be read is applied');

-- Malformed messages
SELECT is(pg_temp.raised(format($$ SELECT wallet.receive_event(%L, %L, 't', %L) $$, n.source, n.id, n.event)),
    'WL422 message-incomplete', 'refused: ' || n.name)
FROM (VALUES ('no source', '', '1', '{}'), ('no id', 's', '', '{}'), ('null', NULL, NULL, '{}'),
    ('no event', 's', '1', NULL), ('a list', 's', '1', '[]')) AS n (name, source, id, event);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
