-- A user with a late cancellation and a booking.
SELECT wallet.mark_dev();
SELECT wallet.put_class(
    c.id, 'Ceramics 1', wallet.now() + c.ahead, wallet.now() + c.ahead + interval '2 hours', 10, 20, NULL, 1440,
    'studio', NULL
) FROM (VALUES ('ceramics-1', interval '12 hours'), ('ceramics-2', interval '3 days')) AS c (id, ahead);
SELECT wallet.operator_adjust(
    'anna', 'production', 'credit', 100, 'opening', 'opening', 'adjustment', NULL, 'studio', NULL, p_new_user => TRUE
);
SELECT o.status, o.slug FROM (VALUES ('ceramics-1'), ('ceramics-2')) AS c (id)
CROSS JOIN LATERAL wallet.book_batch(ARRAY[ROW(
    wallet.account_for('anna'), 'production', 'book', md5(c.id)::uuid, c.id, c.id, 1, NULL, NULL
)::wallet.booking_request]) AS o;
SELECT o.status, o.late_cancel FROM wallet.book_batch(ARRAY[ROW(
    wallet.account_for('anna'), 'production', 'cancel', md5('ceramics-1')::uuid, NULL, NULL, NULL, NULL, NULL
)::wallet.booking_request]) AS o;
