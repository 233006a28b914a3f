-- Detects changes of the tables that bypass triggers and foreign keys: each column of each table of money is changed in
-- turn, rows are removed and duplicated, and an invariant must notice, unless a reason is listed here. The columns are
-- read from the catalogue, so a new column must be checked or get a reason, too.
-- Guarantee: append-only
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();

-- Data of every kind
\o /dev/null
SELECT pg_temp.lesson('a', 20), pg_temp.lesson('v', NULL, 1), pg_temp.lesson('full', 5, NULL, 1);
SELECT pg_temp.lesson('late', 5, NULL, 10, '2 hours'), pg_temp.lesson('ill', NULL, 1, 10, '200 days');
SELECT pg_temp.buy('ann', 'pack', 'explorer', '{"purchase_token": "tok", "order_id": "ord", "line_item_id": "line",
    "app_transaction_id": "app", "app_account_token": null}');
SELECT pg_temp.book('ann', 'k', 'a'), pg_temp.book('ann', 'late', 'late'), pg_temp.cancel('ann', 'late');
SELECT pg_temp.gift('ann', 5, 'visit', '9 days'), pg_temp.book('ann', 'l', 'v'), pg_temp.cancel('ann', 'l');
SELECT pg_temp.gift('ann', -3), wallet.adjust(
    wallet.account_for('ann'), 'production', 'credit', 100, 'present', 'test', 'promotion', 'infinity', 'promo'
);
SELECT pg_temp.buy('bob', 'spent', 'starter'), pg_temp.book('bob', 'm', 'a'), pg_temp.wait('1 second');
SELECT pg_temp.buy('bob', 'spent', 'starter', '{"refunded_millionths": 1000000}'), pg_temp.gift('bob', 9);
SELECT pg_temp.gift('bob', 7), pg_temp.buy('bob', 'half', 'power', '{"quantity": 2}');
SELECT pg_temp.wait('1 second'), pg_temp.buy('bob', 'half', 'power', '{"quantity": 2, "refunded_millionths": 500000}');
SELECT pg_temp.buy('cat', 'pass', 'threeVisit'), wallet.consume_pass(
    wallet.account_for('cat'), 'production', 'pass', 'door'
);
SELECT pg_temp.book('cat', 'grace', 'v'), pg_temp.buy('cat', 'waits', 'unheard.of');
SELECT pg_temp.gift('fay', 5), pg_temp.book('fay', 'f', 'full'), pg_temp.gift('cid', 5);
SELECT wallet.join_waitlist(wallet.account_for('cid'), 'production', 'full', 1, 'credits', 5);
SELECT pg_temp.gift('gus', 50), pg_temp.buy('gus', 'g', 'starter'), pg_temp.book('gus', 'g', 'a', 2);
SELECT wallet.account_for('hal', TRUE), pg_temp.buy('hal', 'h', 'starter'), pg_temp.gift('hal', 4);
SELECT pg_temp.lesson('hal', 3), pg_temp.book('hal', 'h', 'hal');
SELECT wallet.merge_accounts('hal', 'ian');
SELECT wallet.import_wallet('old', 'ida', 'production', '[
    {"at": "2029-01-01T00:00:00Z", "amount": 30, "kind": "bought"},
    {"at": "2029-02-01T00:00:00Z", "amount": -12, "kind": "booked"}
]', 18, 2, wallet.now(), FALSE, 'moving', wallet.now() + interval '400 days');
SELECT pg_temp.buy('eve', 'e1', 'plan.enthusiast', pg_temp.days(0, 30, '{"original_transaction_id": "eve",
    "will_renew": true, "billing_issue": false, "paused": false}'));
-- Each product is updated, so that their order stays.
UPDATE wallet.products SET commitment_amount = CASE WHEN app_store_id LIKE '%subscription.enthusiast' THEN 125 END;
SELECT pg_temp.buy('lia', 'm3', 'plan.enthusiast', pg_temp.days(0, 30, '{"original_transaction_id": "lia",
    "billing_period": 3, "billing_periods": 12}'));
SELECT pg_temp.day(31), pg_temp.buy('eve', 'e2', 'plan.enthusiast', pg_temp.days(30, 230, '{
    "original_transaction_id": "eve", "will_renew": false, "billing_issue": true,
    "grace_ends_at": "2031-01-01T00:00:00Z"}'));
SELECT pg_temp.buy('uma', 'u1', 'plan.unlimited', pg_temp.days(31, 400, '{"original_transaction_id": "uma"}'));
SELECT pg_temp.lesson('u', NULL, 1), pg_temp.book('uma', 'u', 'u');
SELECT pg_temp.buy('sam', 's1', 'plan.explorer', pg_temp.days(31, 400, '{"original_transaction_id": "sam"}'));
SELECT wallet.apply_transfer(jsonb_build_object(
    'from', '["sam"]'::jsonb, 'to', '["ann"]'::jsonb, 'environment', 'production', 'at', wallet.now()
));
SELECT wallet.delete_account('gus'), pg_temp.buy('zoe', 'zoe', 'starter');
SELECT pg_temp.buy('jon', 'j', 'explorer'), wallet.delete_account('jon'), wallet.account_for('kim');
SELECT wallet.restore(wallet.account_for('kim'), jsonb_build_array(pg_temp.fact('j', 'explorer')), NULL);
SELECT wallet.write_policy(wallet.new_terms('p', '{"name": "P", "no_show_fee": 3, "no_show_strike": true,
    "late_cancel_fee": 2, "strikes_allowed": 0, "strike_days": 30, "block_days": 7, "check_in_minutes_after": 9}'),
    row('test', NULL, NULL, NULL));
SELECT pg_temp.gift('max', 20), wallet.put_class(c, c, wallet.now() + interval '1 hour',
    wallet.now() + interval '2 hours', 9, 5, NULL, 0, 'test', NULL, p_policy_id => 'p'), pg_temp.book('max', c, c)
FROM unnest('{m1,m2,m3}'::text[]) AS c;
SELECT pg_temp.cancel('max', 'm3'), wallet.mark_attendance('production', m.class, ARRAY[pg_temp.id_of(m.class)], m.mark,
    row('test', NULL, NULL, NULL))
FROM (VALUES ('m1', 'no_show'), ('m2', 'no_show'), ('m2', 'attended')) AS m (class, mark);
SELECT pg_temp.buy('fin', 'fin', 'tenVisit');
INSERT INTO wallet.products (product_id, kind, name, unit, amount, price_minor, app_store_id, valid_days,
    starts_within_days, bundle_items)
VALUES ('mix', 'pass', 'Mix', 'visit', 7, 70, 'mix', 900, 30, ARRAY[row('visit', 3, 900, 60)::wallet.bundle_item]);
SELECT pg_temp.buy('mia', 'mix', 'mix'), wallet.consume_pass(wallet.account_for('mia'), 'production', 'mix', 'door');
UPDATE wallet.products SET freeze_days = CASE WHEN product_id = 'tenVisit' THEN 20 END;
SELECT wallet.freeze_lot(
    l.account_id, 'production', l.lot_id, wallet.now(), wallet.now() + interval '9 days', row('op', 'r', NULL, NULL)
) FROM wallet.lots AS l WHERE l.account_id = wallet.account_for('fin');
SELECT pg_temp.day(66), pg_temp.lesson('ill2', NULL, 1), pg_temp.buy('cat', 'pass2', 'singleVisit');
SELECT pg_temp.lesson('ill', NULL, 1, 10, '20 days'), pg_temp.book('cat', 'ill', 'ill');
SELECT pg_temp.lesson('ill', NULL, 1, 10, '60 days'), pg_temp.day(100);
SELECT wallet.cancel_class('ill', 'ill', 'operator', NULL);
SELECT wallet.settle_classes(100);
\o
SELECT pg_temp.sound();
SELECT diag(format('%s wallets, %s lots, %s entries, %s bookings', count(*), (SELECT count(*) FROM wallet.lots),
    (SELECT count(*) FROM wallet.entries), (SELECT count(*) FROM wallet.bookings))) FROM wallet.wallets;

CREATE TEMPORARY TABLE money (name text PRIMARY KEY);
INSERT INTO money SELECT unnest(ARRAY[
    'accounts',
    'wallets',
    'lots',
    'freezes',
    'repayments',
    'entries',
    'entry_texts',
    'claims',
    'period_flags',
    'subscriptions',
    'subscription_transfers', 'bookings', 'class_seats', 'classes', 'waitlist', 'pass_uses', 'adjustments', 'imports',
    'products', 'instance', 'stores', 'policies', 'policy_terms', 'attendances', 'consequences'
]);

-- Changes that no invariant notices, with reasons. Changes that are always noticed must not be listed here.
CREATE TEMPORARY TABLE excused (what text PRIMARY KEY, reason text NOT NULL);
INSERT INTO excused (what, reason)
SELECT trim(w.what), r.reason FROM (VALUES
('a deleted or merged account without a balance', '
    accounts.a row more'),
('stored once, without a second source', '
    accounts.blocked_at, accounts.created_at, adjustments.compensation, adjustments.reference'),
('a member of the request', '
    bookings.asked_max_amount, bookings.asked_pay_with, bookings.idempotency_key'),
('an instant or reason from the class at that time; price and return are checked', '
    bookings.cancelled_by, bookings.created_at, bookings.free_minutes_before,
    bookings.free_until, bookings.moves_seen, bookings.moves_notified, bookings.promoted'),
('the studio''s mark; the mark of a no-show with a consequence is noticed', '
    attendances.a row less, attendances.attendance, attendances.checked_in, attendances.marked_at,
    bookings.terms_id'),
('the id, or an instant of a consequence that was withdrawn', '
    consequences.at, consequences.consequence_id, consequences.withdrawn_at'),
('the studio''s data of a policy; fees and strikes are compared with it', '
    policies.a row less, policy_terms.a row more,
    policy_terms.check_in_minutes_after, policy_terms.check_in_minutes_before, policy_terms.created_at,
    policy_terms.free_minutes_before, policy_terms.name, policy_terms.strike_days'),
('of a cancelled booking, whose seats are free; of an active one it is noticed', '
    bookings.class_id, bookings.seats'),
('the store''s own report, stored once; the reconciler queries the store again', '
    claims.app_transaction_id, claims.created_at, claims.line_item_id, claims.linked_purchase_token,
    claims.needs_acknowledgement, claims.order_id, claims.other_names, claims.part, claims.purchase_products,
    claims.purchase_token, claims.receipt_sha256,
    claims.refund_source_at, claims.source, claims.source_at, claims.store, claims.store_product_id,
    claims.token_digest, claims.reported_amount, claims.transaction_id, claims.upgraded'),
('for reports of revenue; no balance depends on it', '
    claims.currency, claims.price_minor'),
('of no period or not the current one; otherwise the subscription, lot or rollover notices', '
    claims.chain_line, claims.days_ahead, claims.entitlements, claims.original_transaction_id, claims.period_type,
    claims.purchased_at, claims.rollover_cap, claims.rollover_percentage, claims.subscription_group,
    claims.tier'),
('without a commitment; otherwise the lot notices', '
    claims.commitment_amount'),
('the id or the instant; the fact itself is noticed', '
    claims.duplicate_of, claims.refunded_at, claims.released_at'),
('if no lot uses it; otherwise the expiry of the lot notices', '
    claims.grace_days, claims.starts_within_days, claims.valid_days'),
('the capacity, and a counter of the waitlist; less than the sold seats is refused', '
    class_seats.capacity, class_seats.reservation_round'),
('the studio''s data of a class; bookings copy their terms, and no balance depends on the rest', '
    classes.cancel_reason, classes.cancelled_at, classes.closes_minutes_before, classes.days_ahead,
    classes.ends_at, classes.free_minutes_before, classes.max_overlaps, classes.max_seats, classes.moves,
    classes.opens_minutes_before, classes.price_credits, classes.price_visits, classes.settled,
    classes.series_id, classes.starts_at, classes.status, classes.title, classes.updated_at,
    classes.waitlist_cutoff_minutes'),
('when the user was warned; no balance depends on it', '
    lots.warned_at'),
('names and reasons may be erased', '
    entry_texts.a row less'),
('distinguishes two imports; the ids may be erased, and the entries are checked', '
    imports.at, imports.content_digest, imports.source, imports.user_digest'),
('a setting by an administrator; the books have no copy', '
    instance.a row less, instance.clock_offset, instance.cut_over, instance.kind,
    instance.sandbox_purchases, instance.studio_time_zone, instance.user_salt, stores.a row less,
    stores.a row more, stores.created_at, stores.grants_from, stores.store'),
('the instant; that a lot is released, or older than its purchase, is noticed', '
    lots.created_at, lots.released_at, subscriptions.created_at, subscriptions.released_at'),
('the app''s own reference, erased with its user; a reference with another digest is noticed', '
    pass_uses.reference, pass_uses.used_at'),
('not of the current period, without a commitment, or an age; otherwise the subscription notices', '
    period_flags.a row less, period_flags.claim_id, period_flags.differed_at, period_flags.flag, period_flags.rank,
    period_flags.since, period_flags.source_at'),
('the catalogue: sold products have copies of it, and these are checked', '
    products.a row more, products.amount, products.app_store_id, products.bonus, products.created_at,
    products.bundle_items, products.commitment_amount, products.days_ahead, products.description, products.display_order,
    products.entitlements, products.freeze_days,
    products.grace_days, products.grant_source, products.is_active, products.is_popular, products.name,
    products.play_store_id, products.price_minor, products.revenuecat_id, products.rollover_cap,
    products.rollover_percentage, products.starts_within_days, products.subscription_group, products.tier, products.trial_amount,
    products.valid_days'),
('if no period began in between', '
    subscription_transfers.at'),
('of an account without a subscription, or not of the current period; otherwise the subscription notices', '
    claims.subscriber_id, claims.subscriber_since, subscription_transfers.a row less,
    subscription_transfers.is_merge'),
('the sent events, and the instant of the next check', '
    subscriptions.announced, subscriptions.announced_period, subscriptions.announced_renewal,
    subscriptions.next_change_at, subscriptions.subscription_id'),
('a request without a price until it is booked; a user who left has no row', '
    waitlist.a row less, waitlist.asked_max_amount, waitlist.asked_pay_with, waitlist.entry_id,
    waitlist.environment, waitlist.joined_at, waitlist.passed_round, waitlist.seats'),
('an earlier instant only causes an early check; a later one is noticed', '
    wallets.next_expiry'),
('a later instant only causes a check; an earlier one is noticed', '
    wallets.last_start')
) AS r (reason, columns)
CROSS JOIN LATERAL regexp_split_to_table(trim(E' \n' FROM r.columns), ',\s+') AS w (what);

CREATE TEMPORARY TABLE tried (name text, part text, place text, noticed text);

-- The type of a column; for a domain, its base type.
CREATE FUNCTION pg_temp.type_of(p_type oid) RETURNS text LANGUAGE sql AS $$
    SELECT format_type(CASE t.typbasetype WHEN 0 THEN t.oid ELSE t.typbasetype END, NULL)
    FROM pg_catalog.pg_type AS t WHERE t.oid = p_type;
$$;

-- Executes a statement, returns the first invariant that notices it, and undoes it.
CREATE FUNCTION pg_temp.noticed(p_statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_name text;
    v_count bigint;
BEGIN
    EXECUTE p_statement;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count <> 1 THEN
        RAISE EXCEPTION 'changed % rows: %', v_count, p_statement;
    END IF;
    SELECT v.name INTO v_name FROM wallet.violations AS v LIMIT 1;
    RAISE EXCEPTION USING ERRCODE = 'WL000', MESSAGE = coalesce(v_name, 'nothing');
EXCEPTION
    WHEN SQLSTATE 'WL000' THEN RETURN SQLERRM;
    WHEN integrity_constraint_violation THEN RETURN 'refused';
END;
$$;

-- Other values for a column: slightly more and less, the values of other rows and of the column's own CHECKs, and null.
CREATE FUNCTION pg_temp.others(p_table text, p_column text, p_type text, p_value text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT NULL::text WHERE p_value IS NOT NULL;
    CASE
        WHEN p_type IN ('bigint', 'integer', 'smallint') THEN
            RETURN QUERY VALUES ((coalesce(p_value, '7')::bigint + 1)::text), ((coalesce(p_value, '7')::bigint - 1)::text);
        WHEN p_type = 'boolean' THEN RETURN QUERY VALUES ((NOT coalesce(p_value::boolean, FALSE))::text);
        WHEN p_type = 'timestamp with time zone' THEN
            RETURN QUERY SELECT o.at::text FROM (
                SELECT CASE WHEN isfinite(p_value::timestamptz) THEN p_value::timestamptz ELSE wallet.now() END AS at
            ) AS b CROSS JOIN LATERAL (
                VALUES (b.at + interval '10 years'), (b.at - interval '10 days')
            ) AS o (at) WHERE p_value IS NOT NULL
            UNION ALL SELECT wallet.now()::text WHERE p_value IS NULL;
        WHEN p_type = 'date' THEN RETURN QUERY VALUES ((coalesce(p_value::date, wallet.now()::date) + 1)::text);
        WHEN p_type = 'interval' THEN RETURN QUERY VALUES ('1 day');
        WHEN p_type = 'uuid' THEN RETURN QUERY VALUES (md5(coalesce(p_value, ''))::uuid::text);
        WHEN p_type = 'bytea' THEN RETURN QUERY VALUES (sha256(coalesce(p_value, '')::bytea)::text);
        WHEN p_type = 'text[]' THEN RETURN QUERY VALUES ('{other}');
        WHEN p_type = 'wallet.bundle_item[]' THEN
            RETURN QUERY VALUES (ARRAY[row('visit', 4, 900, 60)::wallet.bundle_item]::text),
                (ARRAY[row('visit', 3, 901, 60)::wallet.bundle_item]::text),
                (ARRAY[row('visit', 3, 900, 61)::wallet.bundle_item]::text);
        WHEN p_type = 'wallet.environment' THEN
            RETURN QUERY SELECT e::text FROM unnest(enum_range(NULL::wallet.environment)) AS e WHERE e::text <> p_value;
        WHEN p_type = 'wallet.unit' THEN
            RETURN QUERY SELECT e::text FROM unnest(enum_range(NULL::wallet.unit)) AS e
            WHERE e::text IS DISTINCT FROM p_value;
        WHEN p_type = 'text' THEN
            RETURN QUERY VALUES (coalesce(p_value, '') || 'x');
            RETURN QUERY
            SELECT m.words[1] FROM pg_catalog.pg_constraint AS c
            INNER JOIN pg_catalog.pg_attribute AS a
                ON (a.attrelid = c.conrelid AND c.conkey = ARRAY[a.attnum]) OR a.atttypid = c.contypid
            CROSS JOIN LATERAL regexp_matches(pg_get_constraintdef(c.oid), '''([a-z_]+)''::text', 'g') AS m (words)
            WHERE
                c.contype = 'c' AND a.attrelid = ('wallet.' || p_table)::regclass AND a.attname = p_column
                AND m.words[1] IS DISTINCT FROM p_value
            ORDER BY 1 LIMIT 4;
        ELSE RAISE EXCEPTION 'no other values are known of type %', p_type;
    END CASE;
    IF p_type IN ('bigint', 'uuid', 'text') THEN
        RETURN QUERY EXECUTE format(
            'SELECT DISTINCT o.%1$I::text FROM wallet.%2$I AS o WHERE o.%1$I IS NOT NULL AND o.%1$I::text <> coalesce(%3$L, '''')
             ORDER BY 1 LIMIT 2', p_column, p_table, p_value
        );
    END IF;
END;
$$;

-- Two rows of a table: the first of those with the most values, and the last.
CREATE FUNCTION pg_temp.rows_of(p_table text, p_column text) RETURNS TABLE (place tid, value text)
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'WITH r AS (
            SELECT r.ctid, r.%1$I::text, row_number() OVER (ORDER BY r.%1$I IS NULL, j.said DESC, r.ctid) AS first,
                row_number() OVER (ORDER BY r.ctid DESC) AS last
            FROM wallet.%2$I AS r
            CROSS JOIN LATERAL (
                SELECT count(*) FROM jsonb_each_text(to_jsonb(r)) AS j WHERE j.value IS NOT NULL
            ) AS j (said)
        ) SELECT r.ctid, r.%1$I FROM r WHERE r.first = 1 OR r.last = 1', p_column, p_table
    );
END;
$$;

-- Identity columns can be changed, too, after the identity is dropped.
DO $$
DECLARE
    v_column record;
BEGIN
    FOR v_column IN
        SELECT m.name, a.attname FROM money AS m
        INNER JOIN pg_catalog.pg_attribute AS a ON a.attrelid = ('wallet.' || m.name)::regclass AND a.attidentity <> ''
    LOOP
        EXECUTE format('ALTER TABLE wallet.%I ALTER COLUMN %I DROP IDENTITY', v_column.name, v_column.attname);
    END LOOP;
END;
$$;
SET LOCAL session_replication_role = replica;
INSERT INTO tried
SELECT m.name, a.attname, r.place::text, pg_temp.noticed(format(
    'UPDATE wallet.%I SET %I = %L WHERE ctid = %L', m.name, a.attname, o.value, r.place
))
FROM money AS m
INNER JOIN pg_catalog.pg_attribute AS a
    ON a.attrelid = ('wallet.' || m.name)::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
CROSS JOIN LATERAL pg_temp.rows_of(m.name, a.attname) AS r
CROSS JOIN LATERAL (
    SELECT DISTINCT o.value FROM pg_temp.others(m.name, a.attname, pg_temp.type_of(a.atttypid), r.value) AS o (value)
) AS o;


-- One row less of each kind, and one more, for another user and under another id
INSERT INTO tried
SELECT m.name, 'a row less', r.place::text, pg_temp.noticed(format(
    'DELETE FROM wallet.%I WHERE ctid = %L', m.name, r.place
))
FROM money AS m
CROSS JOIN LATERAL (
    SELECT a.attname FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = ('wallet.' || m.name)::regclass AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attnum
    LIMIT 1
) AS a
CROSS JOIN LATERAL pg_temp.rows_of(m.name, a.attname) AS r;
INSERT INTO tried
SELECT m.name, 'a row more', r.place::text, pg_temp.noticed(format(
    'INSERT INTO wallet.%1$I (%2$s) SELECT %2$s FROM (
        SELECT (jsonb_populate_record(r, jsonb_object_agg(k.name, k.value))).* FROM wallet.%1$I AS r
        CROSS JOIN jsonb_each(%3$L::jsonb) AS k (name, value) WHERE r.ctid = %4$L GROUP BY r
    ) AS n', m.name, a.names, a.fresh, r.place
))
FROM money AS m
CROSS JOIN LATERAL (
    SELECT
        string_agg(quote_ident(a.attname), ', ') FILTER (WHERE a.attgenerated = '') AS names, min(a.attname) AS first,
        jsonb_object_agg(a.attname, CASE pg_temp.type_of(a.atttypid)
            WHEN 'text' THEN '"other"'::jsonb
            WHEN 'uuid' THEN to_jsonb(gen_random_uuid())
            WHEN 'bigint' THEN '4711'
            WHEN 'smallint' THEN '7'
            WHEN 'bytea' THEN '"\\x00"'
            WHEN 'wallet.environment' THEN '"sandbox"'
            WHEN 'timestamp with time zone' THEN '"2031-01-01T00:00:00Z"'
            WHEN 'date' THEN '"2031-01-01"'
            ELSE 'false'
        END) FILTER (WHERE a.attgenerated = '' AND EXISTS (
            SELECT FROM pg_catalog.pg_index AS x
            WHERE x.indrelid = a.attrelid AND x.indisunique AND a.attnum = any(x.indkey)
        ) AND a.attname <> 'environment') AS fresh
    FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = ('wallet.' || m.name)::regclass AND a.attnum > 0 AND NOT a.attisdropped
) AS a
CROSS JOIN LATERAL pg_temp.rows_of(m.name, a.first) AS r;

SELECT is_empty(
    $$ SELECT DISTINCT t.name || '.' || t.part FROM tried AS t
       WHERE t.noticed = 'nothing' AND t.name || '.' || t.part NOT IN (SELECT e.what FROM excused AS e) ORDER BY 1 $$,
    'every change is noticed, or a reason is listed'
);
SELECT is_empty(
    $$ SELECT e.what FROM excused AS e
       WHERE NOT EXISTS (SELECT FROM tried AS t WHERE t.name || '.' || t.part = e.what AND t.noticed = 'nothing') $$,
    'no reason is listed for a change that is noticed'
);
SELECT is_empty(
    $$ SELECT m.name || '.' || a.attname FROM money AS m
       INNER JOIN pg_catalog.pg_attribute AS a ON a.attrelid = ('wallet.' || m.name)::regclass
       WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
       EXCEPT SELECT t.name || '.' || t.part FROM tried AS t $$,
    'every column of every table of money was changed'
);
SELECT is_empty(
    $$ SELECT c.relname FROM pg_catalog.pg_class AS c
       INNER JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attname IN ('amount', 'credits', 'granted')
       WHERE c.relnamespace = 'wallet'::regnamespace AND c.relkind IN ('r', 'p')
       EXCEPT SELECT m.name FROM money AS m
       -- Derived from the ledger and compared with it: see sql/tests/ledger/sum_days.sql.
       EXCEPT VALUES ('daily_sums'), ('revenue_rows'), ('breakage_rows'), ('subscription_rows') $$,
    'every table with an amount is a table of money'
);
SELECT diag(format(
    '%s columns changed %s times: %s noticed, %s refused, %s with a reason; noticed by %s',
    count(DISTINCT t.name || '.' || t.part), count(*), count(*) FILTER (WHERE t.noticed NOT IN ('nothing', 'refused')),
    count(*) FILTER (WHERE t.noticed = 'refused'),
    count(DISTINCT t.name || '.' || t.part) FILTER (WHERE t.noticed = 'nothing'),
    (SELECT string_agg(v.noticed || ' ' || v.times, ', ' ORDER BY v.times DESC) FROM (
        SELECT o.noticed, count(*) AS times FROM tried AS o WHERE o.noticed NOT IN ('nothing', 'refused')
        GROUP BY o.noticed
    ) AS v)
))
FROM tried AS t WHERE t.part NOT LIKE 'a row %';
SELECT * FROM finish();
ROLLBACK;
