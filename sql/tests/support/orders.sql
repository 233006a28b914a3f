-- All orders of a set of reports, included after books.sql.

-- Returns every order of p_count items.
CREATE FUNCTION pg_temp.orders(p_count integer) RETURNS SETOF integer[] LANGUAGE sql AS $$
    WITH RECURSIVE o (places) AS (
        SELECT '{}'::integer[]
        UNION ALL
        SELECT o.places || n.n FROM o CROSS JOIN generate_series(1, p_count) AS n (n) WHERE n.n <> ALL(o.places)
    )
    SELECT o.places FROM o WHERE cardinality(o.places) = p_count;
$$;

-- Applies facts in every order and then all of them again, each time for another user. Returns the different results,
-- as pg_temp.ending formats a user's: the test defines that function. %s in a fact is the user.
CREATE FUNCTION pg_temp.ends(p_facts jsonb[]) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    v_order integer[];
    v_place integer;
    v_user text;
    v_ends text[] := '{}';
    v_end text;
BEGIN
    FOR v_order IN SELECT pg_temp.orders(cardinality(p_facts)) LOOP
        v_user := 'u' || gen_random_uuid();
        FOREACH v_place IN ARRAY v_order || v_order LOOP
            PERFORM wallet.apply_fact(
                wallet.account_for(v_user), replace(p_facts[v_place]::text, '%s', v_user)::jsonb, TRUE
            );
        END LOOP;
        v_end := pg_temp.ending(v_user);
        IF v_end <> ALL(v_ends) THEN
            v_ends := v_ends || v_end;
        END IF;
    END LOOP;
    RETURN v_ends;
END;
$$;
