-- Short functions to submit a store's message, included after books.sql. A message has the format that StoreEvent
-- encodes.
CREATE FUNCTION pg_temp.message(p_facts jsonb, p_owner text DEFAULT NULL, p_more jsonb DEFAULT '{}') RETURNS jsonb
LANGUAGE sql AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'source', 'revenuecat', 'id', 'e', 'type', 'NON_RENEWING_PURCHASE', 'statements', (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
                'fact', f.fact || '{"source": "webhook"}', 'owners', to_jsonb(array_remove(ARRAY[p_owner], NULL))
            )), '[]') FROM jsonb_array_elements(p_facts) AS f (fact)
        )
    ) || p_more);
$$;

CREATE FUNCTION pg_temp.sold(p_id text, p_owner text, p_more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
    SELECT pg_temp.message(jsonb_build_array(pg_temp.fact(p_id, 'starter')), p_owner, p_more);
$$;

CREATE FUNCTION pg_temp.answers(p_outcome wallet.event_outcome) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', p_outcome.status, p_outcome.reason, CASE WHEN p_outcome.duplicate THEN 'duplicate' END);
$$;

CREATE FUNCTION pg_temp.receive(p_id text, p_event jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.answers(wallet.receive_event('revenuecat', p_id, p_event ->> 'type', p_event));
$$;

CREATE FUNCTION pg_temp.row_of(p_id text) RETURNS admin.webhook_inbox LANGUAGE sql AS $$
    SELECT i FROM admin.webhook_inbox AS i WHERE i.source_event_id = p_id;
$$;

-- 'status reason attempts', and the seconds until the next attempt.
CREATE FUNCTION pg_temp.stored(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', r.status, r.reason, r.attempts, 'in ' || ceil(extract(EPOCH FROM r.next_attempt_at - wallet.now()))
    ) FROM pg_temp.row_of(p_id) AS r;
$$;

-- Recording a claim fails with the SQLSTATE in t.fails, if one is set.
CREATE FUNCTION pg_temp.fails() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(current_setting('t.fails', TRUE), '') <> '' THEN
        RAISE EXCEPTION USING ERRCODE = current_setting('t.fails'), MESSAGE = 'key (user_id)=(ann) is secret';
    END IF;
    RETURN NEW;
END;
$$;
CREATE TRIGGER claims_fail BEFORE INSERT ON wallet.claims FOR EACH ROW EXECUTE FUNCTION pg_temp.fails();
CREATE FUNCTION pg_temp.failing(p_state text) RETURNS void LANGUAGE sql AS $$
    SELECT set_config('t.fails', p_state, TRUE);
$$;
