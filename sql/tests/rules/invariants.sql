-- The invariant views: each finds its own kind of damage, caused as superuser with all triggers disabled (rules 6, 8,
-- 9).
-- Guarantee: books-add-up
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20), pg_temp.lesson('v', NULL, 1);
SELECT pg_temp.buy('ann', 't', 'explorer'), pg_temp.book('ann', 'k', 'a'), pg_temp.gift('ann', 5, 'visit', '9 days');
SELECT pg_temp.book('ann', 'l', 'v'), pg_temp.cancel('ann', 'l');
SELECT pg_temp.buy('bob', 'b', 'starter'), pg_temp.book('bob', 'm', 'a'), pg_temp.wait('1 second');
SELECT pg_temp.buy('bob', 'b', 'starter', '{"refunded_millionths": 1000000}'), pg_temp.gift('bob', 9);
SELECT pg_temp.buy('cat', 'p', 'threeVisit'), wallet.consume_pass(wallet.account_for('cat'), 'production', 'p', 'door');
SELECT pg_temp.lesson('full', 5, NULL, 1), pg_temp.gift('fay', 5), pg_temp.book('fay', 'f', 'full');
SELECT wallet.join_waitlist(wallet.account_for('cid'), 'production', 'full', 1, NULL, NULL);
SELECT wallet.write_policy(wallet.new_terms('p', '{"name": "P", "no_show_fee": 3, "no_show_strike": true,
    "strikes_allowed": 0, "strike_days": 30, "block_days": 7}'), row('test', NULL, NULL, NULL));
SELECT
    wallet.put_class('now', 'Now', wallet.now() + interval '1 hour', wallet.now() + interval '2 hours', 9, 5, NULL, 0,
    'test', NULL, p_policy_id => 'p');
SELECT pg_temp.gift('dan', 20), pg_temp.book('dan', 'd', 'now'), wallet.mark_attendance(
    'production', 'now', ARRAY[pg_temp.id_of('d')], 'no_show', row('test', NULL, NULL, NULL)
);
-- A bundle: eve has used the second of its lots.
INSERT INTO wallet.products (product_id, kind, name, unit, amount, price_minor, app_store_id, bundle_items)
VALUES ('mix', 'pack', 'Mix', 'credit', 9, 900, 'mix', ARRAY[
    row('visit', 3, 30, 60)::wallet.bundle_item, row('visit', 3, 30, 90)::wallet.bundle_item
]);
SELECT pg_temp.buy('eve', 'mix', 'mix'), pg_temp.book('eve', 'mix', 'v');
SELECT wallet.consume_pass(wallet.account_for('eve'), 'production', 'mix', 'door');
SELECT pg_temp.sound();
SELECT results_eq(
    'SELECT i.name, i.violations, i.sample FROM admin.invariants AS i ORDER BY i.name',
    $$ SELECT n, 0::bigint, NULL::text FROM unnest(ARRAY['accounts', 'bookings', 'books', 'chain_hashes',
       'chain_links', 'claims', 'consequences', 'daily_sums', 'due_dates', 'facts', 'ledger_sums', 'lot_parts', 'lot_terms', 'lots', 'postings', 'rows',
       'running_balances', 'seats', 'subscriptions', 'texts', 'times', 'uses', 'versions', 'wallet_sums']) AS n $$,
    'admin.invariants names each invariant, with 0'
);
SELECT set_eq(
    $$ SELECT i.name FROM admin.invariants AS i $$,
    $$ SELECT substr(c.relname, 8) FROM pg_catalog.pg_class AS c
       WHERE c.relkind = 'v' AND c.relnamespace = 'wallet'::regnamespace AND c.relname LIKE 'broken\_%' $$,
    'every broken_ view is an invariant'
);
SET LOCAL session_replication_role = replica;

-- Causes the damage, returns the invariants that find it with ann's versions, and undoes the damage.
CREATE FUNCTION pg_temp.damage(p_statement text, p_user text DEFAULT 'ann') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_found text;
BEGIN
    EXECUTE replace(p_statement, ':ann', wallet.account_for(p_user)::text);
    SELECT string_agg(f.said, ', ' ORDER BY f.said) INTO v_found FROM (
        SELECT DISTINCT concat_ws(' ', v.name, CASE v.account_id
            WHEN wallet.account_for(p_user) THEN p_user
            WHEN wallet.account_for('cid') THEN 'cid'
        END, v.version) AS said
        FROM wallet.violations AS v
    ) AS f;
    RAISE EXCEPTION USING ERRCODE = 'WL000', MESSAGE = coalesce(v_found, 'nothing');
EXCEPTION WHEN SQLSTATE 'WL000' THEN
    RETURN SQLERRM;
END;
$$;
SELECT is(pg_temp.damage(i.statement, 'dan'), i.found, i.what) FROM (VALUES
    ('UPDATE wallet.consequences SET fee = 2 WHERE account_id = :ann', 'consequences dan, consequences dan 3',
        'a fee that differs from its entries and terms'),
    ('UPDATE wallet.consequences SET strike = FALSE WHERE account_id = :ann', 'consequences dan, consequences dan 3',
        'a strike that differs from its terms and its block'),
    ('UPDATE wallet.consequences SET withdrawn_at = wallet.now() WHERE account_id = :ann',
        'consequences dan, consequences dan 3, lot_parts dan', 'a withdrawn fee that did not return'),
    ('UPDATE wallet.wallets SET blocked_until = ''-infinity'' WHERE account_id = :ann', 'consequences dan 3',
        'a block without effect'),
    ('UPDATE wallet.attendances SET attendance = ''attended'' WHERE account_id = :ann', 'consequences dan',
        'a fee of a booking that was attended'),
    ('DELETE FROM wallet.attendances WHERE account_id = :ann', 'consequences dan', 'a fee of an unmarked booking'),
    ('DELETE FROM wallet.consequences WHERE account_id = :ann', 'consequences dan, consequences dan 3',
        'a no-show without its consequence'),
    ('UPDATE wallet.bookings SET cancelled_at = wallet.now(), cancelled_by = ''studio'', returned = 0
      WHERE account_id = :ann', 'consequences dan, seats', 'a no-show of a booking that the studio cancelled')
) AS i (statement, found, what);
SELECT is(pg_temp.damage(i.statement), i.found, i.what) FROM (VALUES
    ('UPDATE wallet.entries SET amount = 49, balance_after = 49 WHERE account_id = :ann AND version = 1',
        'books, chain_hashes ann 1, ledger_sums ann 5, lot_parts ann, lots ann, running_balances ann 2',
        'a tampered amount'),
    ('UPDATE wallet.entries SET kind = ''lapse'' WHERE account_id = :ann AND version = 1',
        'chain_hashes ann 1, lot_parts ann', 'a tampered kind'),
    ('UPDATE wallet.entries SET hash = sha256(hash) WHERE account_id = :ann AND version = 2',
        'chain_hashes ann 2, chain_links ann 3', 'a changed hash'),
    ('UPDATE wallet.entries SET prev_hash = sha256(hash) WHERE account_id = :ann AND version = 3',
        'chain_hashes ann 3, chain_links ann 3', 'a broken link'),
    ('WITH n AS (UPDATE wallet.entries AS e SET kind = ''lapse'', hash = wallet.entry_hash(jsonb_populate_record(e,
        ''{"kind": "lapse"}'')) WHERE e.account_id = :ann AND e.version = 3 RETURNING e.hash) SELECT FROM n',
        'chain_links ann 4, lot_parts ann, postings ann 3', 'a tampered entry with its hash made again'),
    ('UPDATE wallet.wallets SET head_hash = sha256(head_hash) WHERE account_id = :ann',
        'chain_links ann 5', 'a changed head'),
    ('DELETE FROM wallet.entries WHERE account_id = :ann AND version = 1',
        'books, chain_links ann 2, ledger_sums ann 5, lot_parts ann, lots ann, running_balances ann 2, '
        || 'versions ann 2',
        'a missing first entry'),
    ('DELETE FROM wallet.entries WHERE account_id = :ann AND version = 5',
        'bookings ann 4, books, ledger_sums ann 5, lot_parts ann, lots ann, rows ann 5, versions ann 5',
        'a missing last entry'),
    ('DELETE FROM wallet.entries WHERE account_id = :ann AND version = 2',
        'bookings ann 2, books, chain_links ann 3, ledger_sums ann 5, lot_parts ann, lots ann, versions ann 3',
        'a missing spend'),
    ('INSERT INTO wallet.entries SELECT (jsonb_populate_record(e, ''{"version": 6}'')).* FROM wallet.entries AS e
      WHERE e.account_id = :ann AND e.version = 3',
        'books, chain_hashes ann 6, chain_links ann 6, ledger_sums ann 5, lot_parts ann, lots ann, postings ann 6, '
        || 'running_balances ann 6, versions ann 5',
        'an entry too many'),
    ('UPDATE wallet.entries SET at = at - interval ''1 day'' WHERE account_id = :ann AND version = 2',
        'chain_hashes ann 2, times ann 2', 'a time that runs back'),
    ('UPDATE wallet.lots SET spent = spent + 1 WHERE account_id = :ann AND unit = ''credit''',
        'lot_parts ann, lots ann, wallet_sums ann 5', 'a lot off by one'),
    ('UPDATE wallet.lots SET granted = granted + 10 WHERE account_id = :ann AND unit = ''credit''',
        'claims ann, lot_parts ann, lots ann, wallet_sums ann 5', 'a lot with more than its claim is worth'),
    ('DELETE FROM wallet.lots WHERE account_id = :ann AND unit = ''credit''',
        'claims ann, lots ann, wallet_sums ann 5', 'a missing lot'),
    ('UPDATE wallet.wallets SET credits = credits + 1 WHERE account_id = :ann',
        'books, ledger_sums ann 5, wallet_sums ann 5', 'HobbyApp 10: a balance that was set by hand'),
    ('UPDATE wallet.wallets SET visits = visits + 1 WHERE account_id = :ann',
        'books, ledger_sums ann 5, wallet_sums ann 5', 'a balance in visits'),
    ('UPDATE wallet.wallets SET version = 4 WHERE account_id = :ann',
        'chain_links ann 4, versions ann 4', 'a wallet set back by a version'),
    ('UPDATE wallet.wallets SET next_expiry = ''infinity'' WHERE account_id = :ann',
        'due_dates ann 5', 'a wallet that would miss an expiry'),
    ('UPDATE wallet.bookings SET amount = 21 WHERE account_id = :ann AND class_id = ''a''',
        'bookings ann 2', 'a booking with another price than was paid'),
    ('UPDATE wallet.bookings SET returned = 0 WHERE account_id = :ann AND class_id = ''v''',
        'bookings ann 4', 'a cancellation that returned more than recorded'),
    ('UPDATE wallet.bookings SET first_version = 1 WHERE account_id = :ann AND class_id = ''a''',
        'bookings ann 1, bookings ann 2', 'a booking that points at another entry'),
    ('UPDATE wallet.classes SET status = ''cancelled'' WHERE class_id = ''a''',
        'bookings 2, bookings ann 2', 'a booking of a cancelled class that counts as settled'),
    ('UPDATE wallet.classes SET moves = 1 WHERE class_id = ''a''',
        'bookings 2, bookings ann 2', 'a booking without an event of its class''s move'),
    ('UPDATE wallet.class_seats SET sold = sold - 1 WHERE class_id = ''a'' AND environment = ''production''',
        'seats', 'a seat count off by one'),
    ('DELETE FROM wallet.bookings WHERE account_id = :ann AND class_id = ''a''',
        'bookings ann 2, seats', 'HobbyApp 2: a booking removed while its seat stays sold'),
    ('DELETE FROM wallet.pass_uses', 'uses 2, uses 5', 'missing uses of passes'),
    ('UPDATE wallet.pass_uses SET version = 1', 'uses 1, uses 2, uses 5', 'uses that point at another entry'),
    ('UPDATE wallet.class_seats SET reserved = 1 WHERE class_id = ''a'' AND environment = ''production''',
        'seats', 'a reserved seat without waiting users'),
    ('ALTER TABLE wallet.class_seats DROP CONSTRAINT class_seats_reserved_within_capacity;
      UPDATE wallet.class_seats SET reserved = 10 WHERE class_id = ''full'' AND environment = ''production''',
        'seats', 'more seats sold and reserved than there are'),
    ('INSERT INTO wallet.waitlist (class_id, environment, account_id, seats, joined_at)
      VALUES (''a'', ''production'', :ann, 1, now())', 'seats ann', 'a member who waits for what they have booked'),
    ('UPDATE wallet.classes SET status = ''cancelled'', settled = FALSE WHERE class_id = ''full''',
        'seats cid', 'a member who waits for a class that is cancelled'),
    ('UPDATE wallet.accounts SET deleted_at = now() WHERE account_id = wallet.account_for(''cid'')',
        'accounts cid, seats cid', 'a deleted member who waits'),
    ('UPDATE wallet.accounts SET merged_into = :ann WHERE account_id = wallet.account_for(''cid'')',
        'accounts cid, seats cid', 'a merged member who waits'),
    ('UPDATE wallet.claims SET quantity = 2 WHERE account_id = :ann',
        'claims ann', 'a claim with more than it granted'),
    ('UPDATE wallet.claims SET granted_at = NULL WHERE account_id = :ann',
        'claims ann, facts ann', 'a lot of a claim that granted nothing'),
    ('UPDATE wallet.claims SET refunded_millionths = 1000000 WHERE account_id = :ann',
        'claims ann, facts ann', 'a refund that the lot does not know'),
    ('INSERT INTO wallet.claims (store, environment, account_id, transaction_id, kind, store_product_id, purchased_at,
          source, source_at, created_at, verdict)
      VALUES (''app_store'', ''production'', :ann, ''w'', ''one_time'', ''com.hobbyist.bookingapp.credits.starter'',
          now(), ''receipt'', now(), now(), ''unknown-product'')', 'claims ann',
              'a waiting claim with a known product'),
    ('INSERT INTO wallet.claims (store, environment, account_id, transaction_id, kind, store_product_id, purchased_at,
          expires_at, source, source_at, created_at, verdict)
      VALUES (''app_store'', ''production'', :ann, ''w'', ''subscription'',
          ''com.hobbyist.bookingapp.subscription.explorer'', now(), now(), ''receipt'', now(), now(),
          ''period-end-unknown'')', 'claims ann, facts ann', 'a waiting claim with a known end of its period'),
    ('UPDATE wallet.entry_texts SET reason = ''another'' WHERE account_id = :ann',
        'texts ann 3', 'a changed reason'),
    ('UPDATE wallet.entry_texts SET actor = ''another'' WHERE account_id = :ann',
        'texts ann 3', 'a changed actor')
) AS i (statement, found, what);
SELECT is(pg_temp.damage(i.statement, 'bob'), i.found, i.what) FROM (VALUES
    ('UPDATE wallet.wallets SET owed_credits = 0 WHERE account_id = :ann',
        'ledger_sums bob 5, wallet_sums bob 5', 'a debt forgotten'),
    ('DELETE FROM wallet.repayments WHERE account_id = :ann', 'lots bob', 'a repayment without trace')
) AS i (statement, found, what);
SELECT is(pg_temp.damage(i.statement, 'eve'), i.found, i.what) FROM (VALUES
    ('UPDATE wallet.lots SET starts_at = starts_at + interval ''1 hour'' WHERE account_id = :ann AND bundle_item = 1',
        'lot_terms eve', 'a start after the first use'),
    ('UPDATE wallet.wallets SET last_start = last_start - interval ''1 hour'' WHERE account_id = :ann',
        'due_dates eve 5', 'a wallet that would miss the start of a lot'),
    ('UPDATE wallet.lots SET starts_at = NULL WHERE account_id = :ann AND bundle_item = 1', 'lot_terms eve',
        'a start that was removed'),
    ('UPDATE wallet.lots SET starts_at = starts_at - interval ''1 day'', expires_at = expires_at - interval ''1 day''
      WHERE account_id = :ann AND bundle_item = 2', 'lot_terms eve', 'a start without a use'),
    ('UPDATE wallet.lots SET
          starts_at = starts_at + interval ''60 days'', expires_at = expires_at + interval ''60 days''
      WHERE account_id = :ann AND bundle_item = 1', 'lot_terms eve', 'a use that started nothing'),
    ('UPDATE wallet.lots SET expires_at = expires_at + interval ''1 day'' WHERE account_id = :ann AND bundle_item = 2',
        'lot_terms eve', 'a validity that is longer than was sold'),
    ('UPDATE wallet.lots SET starts_at = wallet.now() WHERE account_id = :ann AND bundle_item = 0', 'lot_terms eve',
        'a start of credits'),
    ('DROP INDEX wallet.lots_claim;
      UPDATE wallet.lots SET bundle_item = 3 - bundle_item WHERE account_id = :ann AND bundle_item > 0',
        'lot_terms eve, uses eve 5', 'two lots exchanged'),
    ('UPDATE wallet.lots SET bundle_item = 3 WHERE account_id = :ann AND bundle_item = 2',
        'claims eve, lot_terms eve', 'a lot that the bundle does not have'),
    ('UPDATE wallet.lots SET unit = ''credit'' WHERE account_id = :ann AND bundle_item = 2',
        'lot_parts eve, lot_terms eve, wallet_sums eve 5', 'a lot in another unit'),
    ('UPDATE wallet.lots SET source = ''pass'' WHERE account_id = :ann AND bundle_item = 0', 'lot_terms eve',
        'a lot of another kind'),
    ('DELETE FROM wallet.lots WHERE account_id = :ann AND bundle_item = 2', 'claims eve, lots eve, wallet_sums eve 5',
        'a missing lot of a bundle'),
    ('UPDATE wallet.claims SET bundle_items = NULL WHERE account_id = :ann', 'claims eve, lot_terms eve',
        'a bundle that is none'),
    ('UPDATE wallet.claims SET bundle_items[1].amount = 4 WHERE account_id = :ann', 'claims eve',
        'a lot that is worth more'),
    ('UPDATE wallet.claims SET bundle_items[2].starts_within_days = 91 WHERE account_id = :ann', 'lot_terms eve',
        'a later start'),
    ('UPDATE wallet.pass_uses SET bundle_item = 2 WHERE account_id = :ann', 'uses eve 5', 'a use of another lot'),
    ('DROP INDEX wallet.lots_claim; UPDATE wallet.lots SET bundle_item = 1 WHERE account_id = :ann AND bundle_item = 2',
        'claims eve, lot_terms eve', 'a lot that was granted twice')
) AS i (statement, found, what);
SELECT is(
    pg_temp.damage('DELETE FROM wallet.entry_texts'), 'nothing', 'erasing names and reasons breaks nothing (rule 9)'
);
UPDATE wallet.wallets SET credits = credits + 1 WHERE account_id = wallet.account_for('ann');
SELECT results_eq(
    $$ SELECT i.name, i.violations FROM admin.invariants AS i WHERE i.violations > 0 ORDER BY i.name $$,
    $$ VALUES ('books', 1::bigint), ('ledger_sums', 1), ('wallet_sums', 1) $$, 'admin.invariants counts'
);
SELECT is(
    (SELECT i.sample FROM admin.invariants AS i WHERE i.name = 'wallet_sums'),
    format(
        'production account %s version 5: wallet has credits 31, visits 5, owed 0 and 0; '
        || 'the sums of its lots are 30, 5, 0 and 0',
        wallet.account_for('ann')),
    'the sample names account and version'
);
SELECT is_empty(
    $$ SELECT FROM admin.invariants AS i WHERE i.sample ~ 'ann|bob' $$, 'no sample names a user'
);
SELECT * FROM finish();
ROLLBACK;
