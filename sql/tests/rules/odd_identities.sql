-- Random purchases, refunds, bookings, gifts, deletions, releases, restores and merges over a few users. After each,
-- every invariant holds, and no claim is separated from its lot or its subscription. All accounts together hold no more
-- than the purchases and gifts less the bookings.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();

CREATE FUNCTION pg_temp.broken() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN (
        SELECT b.said FROM (
            SELECT v.name || ': ' || v.detail AS said FROM wallet.violations AS v
            UNION ALL
            SELECT format('lot %s is parted from its claim', l.lot_id) FROM wallet.lots AS l
            INNER JOIN wallet.claims AS c ON l.claim_id = c.claim_id WHERE l.account_id <> c.account_id
            UNION ALL
            SELECT format('subscription %s is parted from its claim', s.subscription_id) FROM wallet.subscriptions AS s
            INNER JOIN wallet.claims AS c ON s.current_claim_id = c.claim_id WHERE s.account_id <> c.account_id
            UNION ALL
            SELECT format('account %s was merged and holds lot %s', l.account_id, l.lot_id) FROM wallet.lots AS l
            INNER JOIN wallet.accounts AS a ON l.account_id = a.account_id
            WHERE a.merged_into IS NOT NULL AND l.moved_to IS NULL
            UNION ALL
            SELECT format('account %s is deleted and can spend a gift', l.account_id) FROM wallet.lots AS l
            INNER JOIN wallet.accounts AS a ON l.account_id = a.account_id
            WHERE a.deleted_at IS NOT NULL AND l.source = 'adjustment' AND l.is_open
            UNION ALL
            SELECT format('%s more %ss than ever', w.funds, w.unit) FROM (
                SELECT 'credit'::wallet.unit AS unit, sum(credits - owed_credits) AS funds FROM wallet.wallets
                UNION ALL
                SELECT 'visit', sum(visits - owed_visits) FROM wallet.wallets
            ) AS w
            WHERE w.funds > coalesce((
                SELECT sum(c.grant_amount * c.quantity - c.grant_amount * c.quantity * c.refunded_millionths / 1000000)
                FROM wallet.claims AS c INNER JOIN wallet.products AS p ON c.product_id = p.product_id
                WHERE c.granted_at IS NOT NULL AND p.unit = w.unit AND c.duplicate_of IS NULL
            ), 0) + coalesce((SELECT sum(a.amount) FROM wallet.adjustments AS a WHERE a.unit = w.unit), 0)
            - coalesce((SELECT sum(b.amount - coalesce(b.returned, 0)) FROM wallet.bookings AS b WHERE b.unit = w.unit), 0)
        ) AS b LIMIT 1
    );
END;
$$;

CREATE FUNCTION pg_temp.step() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_user CONSTANT text := pg_temp.pick('ann', 'bob', 'cid', 'dan');
    v_guest CONSTANT text := 'guest' || floor(random() * 6);
    v_who CONSTANT text := pg_temp.pick(v_user, v_guest);
    v_what CONSTANT text := pg_temp.pick('fact', 'fact', 'fact', 'fact', 'fact', 'fact', 'refund', 'refund', 'book', 'book',
        'book', 'book', 'cancel', 'gift', 'wait', 'delete', 'restore', 'restore', 'release', 'merge');
    -- Refunds are most interesting for purchases that were partly spent.
    v_number CONSTANT integer := coalesce((
        SELECT substr(c.transaction_id, 2)::integer FROM wallet.claims AS c
        INNER JOIN wallet.lots AS l ON c.claim_id = l.claim_id
        WHERE v_what = 'refund' ORDER BY l.spent = 0, random() LIMIT 1
    ), floor(random() * 45)::integer);
    v_id CONSTANT text := 't' || v_number;
    v_product CONSTANT text := (ARRAY['starter', 'threeVisit', 'plan.explorer'])[1 + v_number % 3];
BEGIN
    PERFORM wallet.admit_token(v_guest, wallet.now() + '1 second', TRUE)
    WHERE NOT EXISTS (SELECT FROM wallet.users AS u WHERE u.user_id = v_guest);
    CASE v_what
        WHEN 'fact', 'refund' THEN
            PERFORM wallet.apply_fact(
                CASE WHEN v_what = 'fact' THEN wallet.account_for(v_who) END,
                pg_temp.fact(v_id, v_product, jsonb_build_object(
                    'purchased_at', timestamptz '2029-12-31 00:00:00+00' + make_interval(secs => v_number),
                    'quantity', 1 + floor(random() * 2),
                    'original_transaction_id', CASE WHEN v_number % 3 = 2 THEN 'o' || v_number % 2 ELSE v_id END,
                    'expires_at', timestamptz '2030-01-05 00:00:00+00',
                    'source_at', timestamptz '2030-01-01 00:00:00+00' + make_interval(secs => floor(random() * 500)),
                    'refunded_millionths',
                    CASE WHEN v_what = 'refund' THEN pg_temp.pick('0', '333333', '1000000')::integer END
                ))
            );
        WHEN 'book' THEN
            PERFORM pg_temp.batch(
                ARRAY[wallet.account_for(v_who)], ARRAY['production'::wallet.environment], ARRAY['book'],
                ARRAY[gen_random_uuid()], ARRAY[random()::text], ARRAY[pg_temp.pick('a', 'b', 'c', 'd', 'e', 'v')],
                ARRAY[1 + floor(random() * 2)::integer], ARRAY[pg_temp.pick('credits', 'visits', NULL)],
                ARRAY[NULL::bigint]
            );
        WHEN 'cancel' THEN
            PERFORM pg_temp.cancel_by(b.account_id, b.environment, b.booking_id, pg_temp.pick('user', 'studio'))
            FROM (SELECT * FROM wallet.bookings AS b ORDER BY random() LIMIT 1) AS b;
        WHEN 'gift' THEN
            PERFORM pg_temp.gift(v_who, 1 + floor(random() * 30)::integer, pg_temp.pick('credit', 'visit')::wallet.unit,
                pg_temp.pick('1 day', '3 days', NULL)::interval);
        WHEN 'wait' THEN
            PERFORM pg_temp.wait(pg_temp.pick('1 second', '1 hour', '5 hours')::interval);
        WHEN 'delete' THEN
            PERFORM wallet.delete_account(v_who);
        WHEN 'release' THEN
            PERFORM wallet.release_claim(c.claim_id) FROM wallet.claims AS c
            WHERE c.transaction_id = v_id AND c.account_id IS NOT NULL;
        WHEN 'restore' THEN
            PERFORM wallet.restore_claims(wallet.account_for(v_who), ARRAY(
                SELECT c.claim_id FROM wallet.claims AS c WHERE random() < 0.7 ORDER BY c.claim_id
            ), NULL);
        ELSE
            PERFORM wallet.merge_accounts(v_guest, v_user);
    END CASE;
    RETURN v_what;
EXCEPTION WHEN SQLSTATE 'WL401' OR SQLSTATE 'WL402' OR SQLSTATE 'WL403' OR SQLSTATE 'WL422' THEN
    RETURN v_what || ' refused';
END;
$$;

-- Walks until something breaks; returns the step and the problem, and rolls everything back.
CREATE FUNCTION pg_temp.walk(p_seed float, p_steps integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_did text;
    v_broken text;
BEGIN
    PERFORM setseed(p_seed);
    PERFORM pg_temp.lesson('a', 20, NULL, 50, '5 days', 60), pg_temp.lesson('d', 20, NULL, 50, '6 days', 60),
        pg_temp.lesson('e', 25, NULL, 50, '6 days', 60), pg_temp.lesson('b', 7, 1), pg_temp.lesson('c', 15, NULL, 9, '6 days', 60),
        pg_temp.lesson('v', NULL, 1, 9, '4 days', 0);
    FOR v_step IN 1 .. p_steps LOOP
        v_did := pg_temp.step();
        v_broken := pg_temp.broken();
        IF v_broken IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'WL000', MESSAGE = format('step %s, %s: %s', v_step, v_did, v_broken);
        END IF;
    END LOOP;
    RAISE EXCEPTION USING ERRCODE = 'WL000', MESSAGE = 'sound';
EXCEPTION WHEN SQLSTATE 'WL000' THEN
    RETURN SQLERRM;
END;
$$;
SELECT is(pg_temp.walk(s / 100.0, 150), 'sound', '150 steps from seed ' || s) FROM generate_series(1, 12) AS s;
SELECT * FROM finish();
ROLLBACK;
