-- The one way to book and to cancel. Takes a group of items in order of arrival, decides each on its own, and answers
-- each; one item's refusal never touches another. The arrays are of one length, one element an item:
--   account and environment; operation 'book', 'quote' (what booking would do) or 'cancel'; the id for the new booking
--   or of the one to cancel; then for book and quote the Idempotency-Key, class, seats, pay_with and max_amount.
-- p_wait: whether to wait for wallets that somebody else holds; if not, their items answer 503 wallet-busy and the
-- caller sends them again on another connection.
-- Called by: Wallet.book, Wallet.quote, Wallet.cancel.
-- Locks: wallets in order of (account, environment), then class seats in order of (class, environment).
-- Codes: per item, in status and slug: 400 malformed-request, 503 wallet-busy (else see
-- wallet.plan_booking, wallet.book_one, wallet.cancel_one).
CREATE OR REPLACE FUNCTION wallet.book_batch(
    p_account_ids bigint[],
    p_environments wallet.environment[],
    p_operations text[],
    p_booking_ids uuid[],
    p_keys text[],
    p_class_ids text[],
    p_seats integer[],
    p_pay_with text[],
    p_max_amounts bigint[],
    p_wait boolean DEFAULT TRUE
) RETURNS SETOF wallet.booking_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_item record;
    v_held text[];
    v_outcome wallet.booking_outcome;
BEGIN
    v_held := wallet.lock_wallets(p_account_ids, p_environments, p_operations, p_wait);
    PERFORM wallet.lock_seats(p_account_ids, p_environments, p_operations, p_booking_ids, p_class_ids);
    FOR v_item IN
        SELECT i.* FROM unnest(
            p_account_ids, p_environments, p_operations, p_booking_ids, p_keys, p_class_ids, p_seats, p_pay_with,
            p_max_amounts
        ) WITH ORDINALITY AS i (
            account_id, environment, operation, booking_id, key, class_id, seats, pay_with, max_amount, item
        )
        ORDER BY i.item
    LOOP
        IF wallet.is_malformed(
            v_item.account_id, v_item.environment, v_item.operation, v_item.booking_id, v_item.key, v_item.class_id,
            v_item.seats
        ) THEN
            v_outcome := wallet.refusal(400, 'malformed-request', NULL);
        ELSIF v_item.operation <> 'quote' AND v_item.environment || ' ' || v_item.account_id <> ALL(v_held) THEN
            v_outcome := wallet.refusal(503, 'wallet-busy', NULL);
        ELSIF v_item.operation = 'book' THEN
            v_outcome := wallet.book_one(
                v_item.account_id, v_item.environment, v_item.booking_id, v_item.key, v_item.class_id, v_item.seats,
                v_item.pay_with, v_item.max_amount
            );
        ELSIF v_item.operation = 'quote' THEN
            v_outcome := wallet.quote_one(
                v_item.account_id, v_item.environment, v_item.class_id, v_item.seats, v_item.pay_with,
                v_item.max_amount
            );
        ELSE
            v_outcome := wallet.cancel_one(v_item.account_id, v_item.environment, v_item.booking_id, 'user');
        END IF;
        v_outcome.item := v_item.item;
        RETURN NEXT v_outcome;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.book_batch(
    bigint [], wallet.environment [], text [], uuid [], text [], text [], integer [], text [], bigint [], boolean
) IS 'Books, quotes and cancels a group of items, each decided on its own.';
