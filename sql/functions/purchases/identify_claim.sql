-- Finds the claim of a fact by its identifiers and product, locks it, and adds the fact's identifiers to it. If several
-- claims match, they are one purchase whose parts were reported separately, and are merged. Otherwise creates the claim
-- with all data of the fact, because writes to this table cost more than all other writes of a purchase. It posts
-- nothing to the ledger: the caller passes merged claims to wallet.revoke_duplicates.
-- Locks: the claim's row, with those that turn out to be the same purchase, by id; for a further product of a purchase
-- those of the others, by id. Codes: WL422.
CREATE OR REPLACE FUNCTION wallet.identify_claim(p_fact JSONB) RETURNS wallet.identified_claim LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_read CONSTANT wallet.claims := wallet.read_fact(p_fact);
    v_fact wallet.claims;
    v_found wallet.identified_claim;
    v_matches BIGINT[];
    v_sharing BIGINT[];
BEGIN
    LOOP
        v_fact := wallet.name_period(v_read);
        v_sharing := wallet.claims_sharing(v_fact);
        -- A new purchase shares no identifier with any claim.
        v_matches := CASE WHEN v_sharing = '{}' THEN '{}' ELSE wallet.claims_of_purchase(v_fact) END;
        IF v_matches <> '{}' THEN
            PERFORM FROM wallet.claims AS c WHERE c.claim_id = ANY(v_matches) ORDER BY c.claim_id FOR NO KEY UPDATE;
            -- While this waited for a lock, another transaction may have merged two of them.
            CONTINUE WHEN v_matches <> wallet.claims_of_purchase(v_fact);
            IF cardinality(v_matches) > 1 THEN
                PERFORM wallet.merge_claims(v_matches);
                v_found.merged := v_found.merged || v_matches;
                CONTINUE;
            END IF;
            CONTINUE WHEN NOT wallet.add_claim_identifiers(v_matches[1], v_fact);
            v_found.claim_id := v_matches[1];
            v_found.is_new := FALSE;
            EXIT;
        END IF;
        IF v_sharing <> '{}' THEN
            -- They are other products of the purchase, unless one was added since the search. Their locks keep other
            -- transactions from recording this product at the same time.
            PERFORM FROM wallet.claims AS c WHERE c.claim_id = ANY(v_sharing) ORDER BY c.claim_id FOR NO KEY UPDATE;
            CONTINUE WHEN wallet.claims_matching(v_fact) <> '{}' OR wallet.claims_sharing(v_fact) <> v_sharing;
            v_fact.part := wallet.product_label(v_fact.store, v_fact.store_product_id);
            v_fact.purchase_products := wallet.products_listed(v_fact, v_sharing);
        END IF;
        IF v_fact.kind = 'subscription' THEN
            v_fact.chain_line := wallet.line_of_chain(v_fact);
        END IF;
        v_fact := wallet.insert_claim(p_fact, v_fact);
        v_found.claim_id := v_fact.claim_id;
        v_found.is_new := TRUE;
        EXIT WHEN v_found.claim_id IS NOT NULL;
    END LOOP;
    v_found.fact := v_fact;
    RETURN v_found;
END;
$$;
COMMENT ON FUNCTION wallet.identify_claim(JSONB) IS
'Finds or creates the claim of a fact, merges claims of one purchase, and locks the claim.';

-- Returns the claims that are one purchase according to a fact: those that the fact is about, and those that match the
-- combined identifiers of the fact and the only claim that it is about.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.claims_of_purchase(p_fact wallet.claims) RETURNS BIGINT[] LANGUAGE plpgsql VOLATILE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_matches CONSTANT BIGINT[] := wallet.claims_matching(p_fact);
BEGIN
    RETURN CASE
        WHEN cardinality(v_matches) <> 1 THEN v_matches
        ELSE ARRAY(
            SELECT v_matches[1] AS claim_id
            UNION
            SELECT unnest(wallet.claims_matching(wallet.whole_claim(v_matches[1], p_fact)))
            ORDER BY claim_id
        )
    END;
END;
$$;
COMMENT ON FUNCTION wallet.claims_of_purchase(wallet.claims) IS
'Returns the claims that are one purchase according to a fact.';

-- Returns the claims that a fact is about: those that share an identifier with it and have its product. A claim with
-- another product name is a different claim only if a store listed both products in one purchase. If a source merely
-- uses another name for the product, or names the product that will replace it, the fact is about the existing claim.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.claims_matching(p_fact wallet.claims) RETURNS BIGINT[] LANGUAGE plpgsql VOLATILE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_fact CONSTANT wallet.claims := wallet.name_period(p_fact);
    v_labels CONSTANT TEXT[] := wallet.product_label(v_fact.store, v_fact.store_product_id)
        || coalesce(v_fact.other_names, '{}');
    v_sharing CONSTANT BIGINT[] := wallet.claims_sharing(v_fact);
    v_products TEXT[];
    v_matches BIGINT[];
BEGIN
    IF v_sharing = '{}' OR (v_fact.purchase_products IS NULL AND NOT EXISTS (
        SELECT FROM wallet.claims AS c WHERE c.claim_id = ANY(v_sharing) AND c.purchase_products IS NOT NULL
    )) THEN
        RETURN v_sharing;
    END IF;
    v_products := wallet.products_listed(v_fact, v_sharing);
    -- One product of a purchase may have an identifier that another product does not have yet.
    v_matches := ARRAY(
        SELECT c.claim_id FROM wallet.claims AS c
        WHERE
            c.claim_id = ANY(v_sharing || ARRAY(
                SELECT s.claim_id FROM wallet.claims AS k
                CROSS JOIN LATERAL unnest(wallet.claims_sharing(k)) AS s (claim_id)
                WHERE k.claim_id = ANY(v_sharing) OR k.duplicate_of = ANY(v_sharing)
            ))
            AND (wallet.is_called(c, v_labels) OR EXISTS (
                SELECT FROM wallet.claims AS l
                WHERE
                    l.store = v_fact.store AND l.environment = v_fact.environment
                    AND l.line_item_id = v_fact.line_item_id AND coalesce(l.duplicate_of, l.claim_id) = c.claim_id
            ))
        ORDER BY c.claim_id
    );
    IF v_matches <> '{}' THEN
        RETURN v_matches;
    END IF;
    -- A claim under a name that no store listed must be one of the listed products.
    RETURN ARRAY(
        SELECT c.claim_id FROM wallet.claims AS c
        WHERE c.claim_id = ANY(v_sharing) AND (v_products IS NULL OR NOT wallet.is_called(c, v_products))
        ORDER BY c.part, c.claim_id
        LIMIT 1
    );
END;
$$;
COMMENT ON FUNCTION wallet.claims_matching(wallet.claims) IS 'Returns the claims that a fact is about.';

-- Removes from a fact the ids that belong to another period of its subscription. The fact is then identified by its
-- subscription and purchase time.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.name_period(p_fact wallet.claims) RETURNS wallet.claims LANGUAGE plpgsql VOLATILE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    IF p_fact.kind <> 'subscription' OR coalesce(p_fact.transaction_id, p_fact.order_id) IS NULL THEN
        RETURN p_fact;
    END IF;
    IF EXISTS (
        SELECT FROM wallet.claims AS k
        INNER JOIN wallet.claims AS c ON coalesce(k.duplicate_of, k.claim_id) = c.claim_id
        WHERE
            k.store = p_fact.store AND k.environment = p_fact.environment
            AND k.transaction_id = p_fact.transaction_id AND c.claim_id IS DISTINCT FROM p_fact.claim_id
            AND wallet.is_other_period(c, p_fact)
        UNION ALL
        SELECT FROM wallet.claims AS k
        INNER JOIN wallet.claims AS c ON coalesce(k.duplicate_of, k.claim_id) = c.claim_id
        WHERE
            k.store = p_fact.store AND k.environment = p_fact.environment
            AND k.order_id = p_fact.order_id AND c.claim_id IS DISTINCT FROM p_fact.claim_id
            AND wallet.is_other_period(c, p_fact)
    ) THEN
        p_fact.original_transaction_id := coalesce(
            p_fact.original_transaction_id, p_fact.transaction_id, p_fact.order_id
        );
        p_fact.transaction_id := NULL;
        p_fact.order_id := NULL;
    END IF;
    RETURN p_fact;
END;
$$;
COMMENT ON FUNCTION wallet.name_period(wallet.claims) IS
'Returns a fact without the ids that belong to another period.';

-- Returns whether a fact about a subscription concerns another period than the claim with the same transaction id. Some
-- stores report a renewal under the first period's id, so the id alone does not identify a period. Two facts whose
-- times do not overlap are two periods. Google Play numbers the orders of its renewals and dates them less exactly, so
-- there the number decides.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.is_other_period(p_claim wallet.claims, p_fact wallet.claims) RETURNS BOOLEAN
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    -- One store reports milliseconds and another truncates them.
    v_tolerance CONSTANT INTERVAL := '1 second';
BEGIN
    IF
        p_claim.kind <> 'subscription' OR p_fact.kind <> 'subscription'
        OR (p_fact.store = 'play_store' AND coalesce(p_fact.order_id, p_fact.transaction_id) ~ '[.][.][0-9]+$')
    THEN
        RETURN FALSE;
    END IF;
    RETURN coalesce(
        p_claim.expires_at > p_claim.purchased_at AND (
            p_fact.purchased_at > p_claim.expires_at - v_tolerance
            OR p_fact.expires_at < p_claim.purchased_at + v_tolerance
        ), FALSE
    ) OR (
        -- A Google Play renewal that was also reported under the first order begins no later than the reported time.
        p_claim.store = 'play_store' AND p_fact.purchased_at < p_claim.purchased_at
        AND p_fact.expires_at NOT BETWEEN p_claim.expires_at - v_tolerance AND p_claim.expires_at + v_tolerance
        AND EXISTS (
            SELECT FROM wallet.claims AS k
            WHERE p_claim.claim_id IN (k.claim_id, k.duplicate_of) AND k.order_id ~ '[.][.][0-9]+$'
        )
    ) OR (p_fact.purchased_at < p_claim.purchased_at - v_tolerance AND EXISTS (
        -- The fact has no end, and another period contains its purchase time.
        SELECT FROM wallet.claims AS o
        WHERE
            o.store = p_claim.store AND o.environment = p_claim.environment AND o.kind = 'subscription'
            AND o.chain_id = p_claim.chain_id AND o.claim_id <> p_claim.claim_id AND o.duplicate_of IS NULL
            AND o.purchased_at - v_tolerance <= p_fact.purchased_at AND o.expires_at - v_tolerance > p_fact.purchased_at
    ));
END;
$$;
COMMENT ON FUNCTION wallet.is_other_period(wallet.claims, wallet.claims) IS
'Returns whether a fact concerns another period than the claim with the same transaction id.';

-- Returns the claims that share any identifier with a fact, for all products. A duplicate is replaced by the claim that
-- it duplicates. A period that a source reported under another period's id has no id of its own, so it is identified by
-- its product and time.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.claims_sharing(p_fact wallet.claims) RETURNS BIGINT[] LANGUAGE plpgsql VOLATILE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    -- A one-time purchase has no chain, and its own id identifies no other purchase.
    v_chain_id CONSTANT TEXT := coalesce(
        p_fact.original_transaction_id, CASE WHEN p_fact.kind = 'subscription' THEN p_fact.transaction_id END
    );
    v_label CONSTANT TEXT := wallet.product_label(p_fact.store, p_fact.store_product_id);
    v_claim_ids BIGINT[];
BEGIN
    v_claim_ids := ARRAY(
        SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment
            AND c.transaction_id = p_fact.transaction_id
        UNION ALL
        SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment
            AND c.original_transaction_id = v_chain_id
            AND c.purchase_second = floor(extract(EPOCH FROM p_fact.purchased_at))::BIGINT
            AND (c.store <> 'play_store' OR coalesce(c.transaction_id, c.order_id) IS NULL)
    );
    -- A purchase of the App Store has none of these identifiers, except the line item of a subscription's period.
    IF coalesce(p_fact.line_item_id, p_fact.purchase_token, p_fact.order_id) IS NOT NULL THEN
        v_claim_ids := v_claim_ids || ARRAY(
            SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
            WHERE c.store = p_fact.store AND c.environment = p_fact.environment
                AND c.line_item_id = p_fact.line_item_id
            UNION ALL
            SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
            WHERE c.store = p_fact.store AND c.environment = p_fact.environment
                AND c.purchase_token = p_fact.purchase_token AND c.kind = 'one_time' AND p_fact.kind = 'one_time'
            UNION ALL
            SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
            WHERE c.store = p_fact.store AND c.environment = p_fact.environment AND c.order_id = p_fact.order_id
        );
    END IF;
    IF p_fact.kind = 'subscription' THEN
        v_claim_ids := v_claim_ids || ARRAY(
            -- The first period, if its report did not contain the original id.
            SELECT c.claim_id FROM wallet.claims AS c
            WHERE
                c.store = p_fact.store AND c.environment = p_fact.environment AND c.kind = 'subscription'
                AND c.transaction_id = p_fact.original_transaction_id AND c.store <> 'play_store'
                AND c.purchase_second = floor(extract(EPOCH FROM p_fact.purchased_at))::BIGINT
                AND c.duplicate_of IS NULL
            UNION
            -- Two equalities, because IN would read all periods of the store until the table has statistics.
            SELECT c.claim_id FROM wallet.claims AS c
            WHERE
                c.store = p_fact.store AND c.environment = p_fact.environment AND c.kind = 'subscription'
                AND c.chain_id = v_chain_id AND c.duplicate_of IS NULL
                AND wallet.is_same_period(c, p_fact) AND wallet.is_called(c, ARRAY[v_label])
            UNION
            SELECT c.claim_id FROM wallet.claims AS c
            WHERE
                c.store = p_fact.store AND c.environment = p_fact.environment AND c.kind = 'subscription'
                AND c.chain_id = v_chain_id || ' ' || v_label AND c.duplicate_of IS NULL
                AND wallet.is_same_period(c, p_fact) AND wallet.is_called(c, ARRAY[v_label])
        );
    END IF;
    IF v_claim_ids = '{}' THEN
        RETURN v_claim_ids;
    END IF;
    RETURN ARRAY(SELECT DISTINCT s.claim_id FROM unnest(v_claim_ids) AS s (claim_id) ORDER BY s.claim_id);
END;
$$;
COMMENT ON FUNCTION wallet.claims_sharing(wallet.claims) IS
'Returns the claims that share any identifier with a fact, for all products.';

-- Returns whether a claim and a fact of one subscription are the same period according to their times, if their ids do
-- not decide. The App Store and others date a period exactly, so overlapping times are one period if either has no id.
-- Google Play estimates the start of a renewal but reports its end exactly, so there the end identifies the period,
-- unless both have a renewal number.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.is_same_period(p_claim wallet.claims, p_fact wallet.claims) RETURNS BOOLEAN
LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_renewal CONSTANT TEXT := '[.][.][0-9]+$';
    v_tolerance CONSTANT INTERVAL := '1 second';
BEGIN
    IF p_claim.store = 'play_store' AND p_claim.expires_at IS NOT NULL AND p_fact.expires_at IS NOT NULL THEN
        RETURN NOT coalesce(p_claim.order_id ~ v_renewal AND p_fact.order_id ~ v_renewal, FALSE)
            AND p_claim.expires_at BETWEEN p_fact.expires_at - v_tolerance AND p_fact.expires_at + v_tolerance;
    END IF;
    RETURN (
        coalesce(p_claim.transaction_id, p_claim.order_id) IS NULL
        OR coalesce(p_fact.transaction_id, p_fact.order_id) IS NULL
    )
    AND p_fact.purchased_at < coalesce(p_claim.expires_at, 'infinity') - v_tolerance
    AND CASE
        WHEN p_fact.expires_at IS NULL THEN p_claim.purchased_at - v_tolerance <= p_fact.purchased_at
        ELSE p_claim.purchased_at < p_fact.expires_at - v_tolerance
    END;
END;
$$;
COMMENT ON FUNCTION wallet.is_same_period(wallet.claims, wallet.claims) IS
'Returns whether a claim and a fact of one subscription are the same period according to their times.';

-- Returns the products that a store listed in the purchase of a fact: those of the fact itself, and those of claims of
-- the same purchase if they include the fact's product. Returns null if no store listed it with others; then all claims
-- that share an identifier are one purchase of one product, under any name.
-- p_claim_ids: the claims that share an identifier with the fact.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.products_listed(p_fact wallet.claims, p_claim_ids BIGINT[]) RETURNS TEXT[]
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_products CONSTANT TEXT[] := coalesce(p_fact.purchase_products, '{}') || ARRAY(
        SELECT DISTINCT p.label FROM wallet.claims AS c
        CROSS JOIN LATERAL unnest(c.purchase_products) AS p (label)
        WHERE c.claim_id = ANY(p_claim_ids) AND p.label <> ALL(coalesce(p_fact.purchase_products, '{}'))
        ORDER BY p.label
    );
BEGIN
    RETURN CASE WHEN p_fact.purchase_products IS NOT NULL OR wallet.is_called(p_fact, v_products) THEN v_products END;
END;
$$;
COMMENT ON FUNCTION wallet.products_listed(wallet.claims, BIGINT[]) IS
'Returns the products that a store listed in the purchase of a fact.';

-- Returns the chain line of a new claim's product in its subscription: empty for the first product, the product's label
-- for each further one. A product that replaces another continues its line, because no store lists both in one
-- purchase. A product that a store listed with another one is a further product, even if its first report comes with a
-- later period that it does not share with the other.
-- p_fact: the new claim of a period, with the products that a store listed in its purchase.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.line_of_chain(p_fact wallet.claims) RETURNS TEXT LANGUAGE plpgsql VOLATILE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_chain_id CONSTANT TEXT := coalesce(p_fact.original_transaction_id, p_fact.transaction_id);
    v_label CONSTANT TEXT := wallet.product_label(p_fact.store, p_fact.store_product_id);
BEGIN
    RETURN CASE WHEN EXISTS (
        SELECT FROM wallet.claims AS c
        WHERE
            c.store = p_fact.store AND c.environment = p_fact.environment AND c.kind = 'subscription'
            AND c.chain_id = v_chain_id || ' ' || v_label
    ) OR EXISTS (
        SELECT FROM wallet.claims AS c
        WHERE
            c.store = p_fact.store AND c.environment = p_fact.environment AND c.kind = 'subscription'
            AND c.chain_id = v_chain_id AND c.duplicate_of IS NULL
            AND NOT wallet.is_called(c, ARRAY[v_label])
            -- A store listed both products in one purchase, that of the fact or that of the claim.
            AND (wallet.is_called(c, p_fact.purchase_products) OR wallet.is_called(p_fact, c.purchase_products))
    ) THEN v_label ELSE '' END;
END;
$$;
COMMENT ON FUNCTION wallet.line_of_chain(wallet.claims) IS
'Returns the chain line of a new claim''s product in its subscription.';

-- Inserts a new claim with all data of its fact, and returns it. The result is null if a concurrent transaction has
-- just recorded one of its identifiers.
-- p_read: the fact in the shape of a claim, with its part and chain line.
-- Locks: the new claim. Codes: none.
CREATE OR REPLACE FUNCTION wallet.insert_claim(p_fact JSONB, p_read wallet.claims) RETURNS wallet.claims
LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims := wallet.learn_fact(p_read, p_fact, p_read);
BEGIN
    INSERT INTO wallet.claims (
        store, environment, transaction_id, original_transaction_id, line_item_id, purchase_token, order_id,
        app_transaction_id, kind, store_product_id, purchase_products, part, chain_line, quantity, ownership,
        purchased_at, expires_at, period_type, pending, upgraded, token_digest, reported_amount, linked_purchase_token,
        receipt_sha256, needs_acknowledgement, refunded_millionths, refunded_at, refund_source_at, source, source_at,
        created_at, billing_period, billing_periods
    ) VALUES (
        v_claim.store, v_claim.environment, v_claim.transaction_id, v_claim.original_transaction_id,
        v_claim.line_item_id, v_claim.purchase_token, v_claim.order_id, v_claim.app_transaction_id, v_claim.kind,
        v_claim.store_product_id, v_claim.purchase_products, v_claim.part, v_claim.chain_line, v_claim.quantity,
        v_claim.ownership, v_claim.purchased_at,
        -- The same value as wallet.reported_end returns for the flags stored below.
        coalesce(v_claim.expires_at, (p_fact ->> 'expired_at')::TIMESTAMPTZ), v_claim.period_type,
        v_claim.pending, v_claim.upgraded, v_claim.token_digest, v_claim.reported_amount,
        v_claim.linked_purchase_token, v_claim.receipt_sha256, v_claim.needs_acknowledgement,
        v_claim.refunded_millionths, v_claim.refunded_at, v_claim.refund_source_at, v_claim.source,
        v_claim.source_at, wallet.now(), v_claim.billing_period, v_claim.billing_periods
    )
    ON CONFLICT DO NOTHING
    RETURNING * INTO v_claim;
    IF FOUND THEN
        PERFORM wallet.note_flags(v_claim.claim_id, p_fact);
    END IF;
    RETURN v_claim;
END;
$$;
COMMENT ON FUNCTION wallet.insert_claim(JSONB, wallet.claims) IS
'Inserts a new claim with all data of its fact, unless it exists.';
