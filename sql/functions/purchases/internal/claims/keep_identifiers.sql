-- Stores identifiers for which a claim has no free column on a duplicate of it. Inserts nothing if no identifier
-- remains.
-- p_new: a fact with the identifiers to store, and the part under which they are free.
-- Locks: no others; the caller holds the claim. Codes: none.
CREATE OR REPLACE FUNCTION wallet.keep_identifiers(p_claim wallet.claims, p_new wallet.claims) RETURNS VOID
LANGUAGE sql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    INSERT INTO wallet.claims (
        store, environment, duplicate_of, transaction_id, original_transaction_id, line_item_id, purchase_token,
        order_id, kind, store_product_id, part, chain_line, purchased_at, refunded_millionths, verdict, source,
        source_at, created_at
    )
    SELECT
        p_claim.store, p_claim.environment, p_claim.claim_id, p_new.transaction_id, p_new.original_transaction_id,
        p_new.line_item_id, p_new.purchase_token, p_new.order_id, p_new.kind, p_new.store_product_id, p_new.part,
        p_claim.chain_line, p_new.purchased_at, 1000000, 'duplicate', p_new.source, p_new.source_at, wallet.now()
    WHERE
        coalesce(p_new.transaction_id, p_new.order_id) IS NOT NULL
        -- Google Play's periods may share one start, so there the subscription and the second of purchase do not
        -- identify a purchase.
        OR (p_new.original_transaction_id IS NOT NULL AND p_new.store <> 'play_store')
        OR (p_new.purchase_token IS NOT NULL AND p_new.kind = 'one_time');
$$;
COMMENT ON FUNCTION wallet.keep_identifiers(wallet.claims, wallet.claims) IS
'Stores identifiers for which a claim has no free column on a duplicate of it.';
