extension Books {
    /// SQL that prepares a database for stories: a settable clock, and functions that apply reports and roll them back.
    static let script = #"""
        -- The functions are in PL/pgSQL: one in SQL plans its statement for each call.
        CREATE OR REPLACE FUNCTION wallet.now() RETURNS timestamptz LANGUAGE plpgsql VOLATILE SECURITY DEFINER
        SET search_path = wallet, pg_temp AS $$ BEGIN RETURN current_setting('t.now')::timestamptz; END; $$;
        SELECT set_config('t.now', '2020-01-01T00:00Z', FALSE);
        SET timezone = 'UTC';
        SET jit = off;
        INSERT INTO wallet.stores (store, grants_from)
        VALUES ('app_store', '2020-01-01T00:00Z'), ('play_store', '2020-01-01T00:00Z') ON CONFLICT DO NOTHING;

        INSERT INTO admin.products (
            product_id, kind, name, unit, amount, bonus, price_minor, tier, entitlements, period, rollover_percentage,
            app_store_id, play_store_id, revenuecat_id
        ) SELECT
            i.id, 'plan', 'A year', 'visit', 120, 5, 120000, 2, '{premium}', 'P1Y', 50, i.id, i.id, i.id
        FROM (VALUES ('com.hobbyist.bookingapp.subscription.year')) AS i (id);

        CREATE FUNCTION pg_temp.day(p_at timestamptz, p_start timestamptz) RETURNS text LANGUAGE plpgsql AS $$
        BEGIN
            RETURN CASE WHEN p_at = 'infinity' THEN 'for ever' ELSE
                'until day ' || round(extract(EPOCH FROM p_at - p_start) / 86400) END;
        END;
        $$;

        -- The books of every user; what is exact to the microsecond comes after ' @'.
        CREATE FUNCTION pg_temp.ended(p_start timestamptz, p_settled text[]) RETURNS text LANGUAGE plpgsql AS $$
        BEGIN
            RETURN (SELECT string_agg(e.line, E'\n' ORDER BY e.line) FROM (
                SELECT format(
                    '%s: %s credits, %s visits, owes %s and %s', u.user_id, b.credits, b.visits, b.owed_credits,
                    b.owed_visits
                ) AS line
                FROM wallet.balances AS b INNER JOIN wallet.users AS u ON b.account_id = u.account_id
                UNION ALL
                SELECT format(
                    '%s %s %s: %s left%s, %s @ %s', u.user_id, o.source, o.product_id, o.remaining,
                    ', owes ' || nullif(o.owed, 0), pg_temp.day(o.expires_at, p_start), o.expires_at
                )
                FROM wallet.lots AS o INNER JOIN wallet.users AS u ON o.account_id = u.account_id
                WHERE o.remaining > 0 OR o.owed > 0
                UNION ALL
                SELECT format(
                    '%s ledger: %s %ss, debts %s', u.user_id, sum(e.amount), e.unit, sum(e.owed_change)
                )
                FROM wallet.entries AS e INNER JOIN wallet.users AS u ON e.account_id = u.account_id
                WHERE e.unit IS NOT NULL
                GROUP BY u.user_id, e.unit
                UNION ALL
                SELECT format(
                    '%s %s: %s, tier %s, %s, %s @ %s %s %s', u.user_id, s.product_id, s.status,
                    CASE WHEN s.has_access THEN s.tier ELSE 0 END, pg_temp.day(s.access_ends_at, p_start),
                    CASE WHEN s.will_renew THEN 'renews' ELSE 'ends' END, s.period_start, s.period_end,
                    s.grace_ends_at
                )
                FROM wallet.subscription_states AS s INNER JOIN wallet.users AS u ON s.account_id = u.account_id
                UNION ALL
                -- The wallet must acknowledge these purchases to the store, because the story did not.
                SELECT format('%s %s: to be acknowledged', u.user_id, k.store_product_id)
                FROM wallet.unacknowledged AS k
                INNER JOIN wallet.claims AS c ON k.claim_id = c.claim_id
                INNER JOIN wallet.users AS u ON c.account_id = u.account_id
                WHERE k.purchase_token <> ALL(p_settled)
            ) AS e);
        END;
        $$;

        -- Applies a report; false if it must wait for a user to become known.
        CREATE FUNCTION pg_temp.apply(p_report jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
        DECLARE
            v_status integer;
        BEGIN
            IF p_report ? 'event' THEN
                RETURN wallet.apply_event(p_report -> 'event') IS NULL;
            ELSIF p_report ? 'hand' THEN
                PERFORM wallet.apply_fact(wallet.account_for(p_report #>> '{hand,user}'), f.value)
                FROM jsonb_array_elements(p_report #> '{hand,facts}') AS f;
                RETURN TRUE;
            ELSIF p_report ? 'compare' THEN
                RETURN (
                    SELECT bool_and(o.reason IS DISTINCT FROM 'unknown-user')
                    FROM jsonb_array_elements(p_report -> 'compare') AS s
                    CROSS JOIN LATERAL wallet.apply_statement(s.value) AS o
                );
            END IF;
            PERFORM wallet.put_class(
                'class', 'Class', wallet.now() + '3 days', wallet.now() + '4 days', 10,
                (p_report #>> '{book,credits}')::bigint, NULL, 0, 'operator', NULL
            );
            SELECT b.status INTO STRICT v_status FROM wallet.book_batch(ARRAY[ROW(
                wallet.account_for(p_report #>> '{book,user}'), 'production', 'book', gen_random_uuid(), 'key', 'class', 1,
                NULL, NULL
            )::wallet.booking_request]) AS b;
            ASSERT v_status = 201, 'the booking is refused';
            RETURN TRUE;
        END;
        $$;

        -- Applies reports in an order, applies once more what had to wait, and takes all of it back.
        CREATE FUNCTION pg_temp.books_after(
            p_reports jsonb, p_order jsonb, p_moves boolean, p_checks boolean, p_start timestamptz, p_end timestamptz,
            p_settled text[]
        ) RETURNS text LANGUAGE plpgsql AS $$
        DECLARE
            v_place integer;
            v_report jsonb;
            v_waiting jsonb[] := '{}';
            v_ended text;
        BEGIN
            PERFORM set_config('t.now', CASE WHEN p_moves THEN p_start ELSE p_end END::text, TRUE);
            FOR v_place IN SELECT o.value::integer FROM jsonb_array_elements_text(p_order) AS o LOOP
                v_report := p_reports -> v_place;
                IF p_moves AND (v_report ->> 'at')::timestamptz > wallet.now() THEN
                    PERFORM set_config('t.now', v_report ->> 'at', TRUE);
                    PERFORM wallet.sweep(100);
                END IF;
                IF NOT pg_temp.apply(v_report) THEN
                    v_waiting := v_waiting || v_report;
                END IF;
            END LOOP;
            PERFORM set_config('t.now', p_end::text, TRUE);
            PERFORM wallet.sweep(100);
            FOREACH v_report IN ARRAY v_waiting LOOP
                PERFORM pg_temp.apply(v_report);
            END LOOP;
            v_ended := coalesce(pg_temp.ended(p_start, p_settled), '');
            IF p_checks THEN
                v_ended := v_ended || coalesce((
                    SELECT E'\n' || string_agg('broken: ' || v.name || ' ' || v.detail, E'\n')
                    FROM wallet.violations AS v
                ), '');
            END IF;
            RAISE EXCEPTION USING ERRCODE = 'ZZ000', MESSAGE = v_ended;
        EXCEPTION
            WHEN SQLSTATE 'ZZ000' THEN
                RETURN SQLERRM;
            WHEN OTHERS OR ASSERT_FAILURE THEN
                RETURN format('failed: %s %s', SQLSTATE, SQLERRM);
        END;
        $$;
        """#
}
