-- Books with incidents for the blocks of deploy/incidents.md: a pack sold with too few credits, refunds of credits that
-- were already spent, a purchase without a buyer, waiting messages, and an event that was given up.
INSERT INTO wallet.products (product_id, kind, name, unit, amount, price_minor, app_store_id)
VALUES ('incident-pack', 'pack', 'Incident pack', 'credit', 7, 13900, 'com.example.incident');
SELECT wallet.put_class(
    'incident-class', 'Pottery', wallet.now() + INTERVAL '3 days', wallet.now() + INTERVAL '3 days 1 hour', 10, 20,
    NULL, 1440, 'operator', NULL
);

CREATE FUNCTION pg_temp.sale(p_user TEXT, p_id TEXT, p_product TEXT, p_refunded INTEGER DEFAULT 0)
RETURNS wallet.fact_outcome LANGUAGE sql AS $$
    SELECT wallet.apply_fact(wallet.account_for(p_user), jsonb_build_object(
        'store', 'app_store', 'environment', 'production', 'transaction_id', p_id, 'original_transaction_id', p_id,
        'store_product_id', p_product, 'kind', 'one_time', 'quantity', 1, 'ownership', 'purchased',
        'purchased_at', wallet.now() - INTERVAL '1 hour' - hashtext(p_id) % 600 * INTERVAL '1 second', 'pending', FALSE,
        'upgraded', FALSE, 'refunded_millionths', p_refunded, 'refunded_at', CASE WHEN p_refunded > 0 THEN wallet.now() END,
        'source', CASE WHEN p_refunded > 0 THEN 'notification' ELSE 'receipt' END, 'source_at', wallet.now()
    ));
$$;
SELECT pg_temp.sale('anna', 'incident-a', 'com.example.incident');
SELECT pg_temp.sale('mallory', 'incident-forged', 'com.hobbyist.bookingapp.credits.power');
SELECT pg_temp.sale('berta', 'incident-b' || n.n, 'com.hobbyist.bookingapp.credits.explorer')
FROM generate_series(1, 3) AS n (n);
SELECT b.status FROM wallet.book_batch(ARRAY[row(
    wallet.account_for('berta'), 'production', 'book', gen_random_uuid(), 'incident', 'incident-class', 2, NULL, NULL
)::wallet.booking_request]) AS b;
SELECT pg_temp.sale('berta', 'incident-b' || n.n, 'com.hobbyist.bookingapp.credits.explorer', 1000000)
FROM generate_series(1, 3) AS n (n);

INSERT INTO wallet.inbox (source, source_event_id, type, payload, status, reason, received_at)
VALUES
('app_store', 'incident-1', 'REFUND', '{"statements": []}', 'awaiting_user', '57P01', wallet.now()),
('revenuecat', 'incident-2', 'INITIAL_PURCHASE', '{"statements": []}', 'awaiting_user', 'unknown-user', wallet.now());
SELECT wallet.enqueue_deliveries(1000);
UPDATE wallet.deliveries AS d SET status = 'dead', attempts = 10, last_error = 'status 500'
WHERE d.event_id = (SELECT min(o.event_id) FROM wallet.deliveries AS o);

-- Checks that the incidents of the guide exist.
DO $$
BEGIN
    IF (SELECT count(*) FROM admin.refunds WHERE user_id = 'berta') <> 3
        OR NOT EXISTS (SELECT FROM admin.wallets WHERE user_id = 'berta' AND owed_credits > 0)
        OR NOT EXISTS (SELECT FROM admin.review_flags WHERE user_id = 'berta' AND resolution IS NULL)
        OR NOT EXISTS (SELECT FROM admin.purchases WHERE product_id = 'incident-pack' AND granted = 7)
        OR NOT EXISTS (SELECT FROM admin.outbox WHERE status = 'dead')
    THEN
        RAISE EXCEPTION 'the books of the incidents are not what the guide is about';
    END IF;
END;
$$;
