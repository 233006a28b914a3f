-- Decides the items of a group that are out of the ordinary, one after the other in order of arrival.
-- p_wallets, p_seats_held: what the caller holds, each as 'environment account' and 'environment class'; an item of
-- another wallet or class is busy. p_decided: the items that are decided already.
-- Locks: none of its own (but see wallet.cancel_one). Codes, in the answers: 400 malformed-request, 401
-- unauthenticated, 503 wallet-busy, and those of wallet.book_one, wallet.quote_one and wallet.cancel_one.
CREATE OR REPLACE FUNCTION wallet.decide_singly(
    p_account_ids BIGINT[],
    p_environments wallet.environment[],
    p_operations TEXT[],
    p_booking_ids UUID[],
    p_keys TEXT[],
    p_class_ids TEXT[],
    p_seats INTEGER[],
    p_pay_with TEXT[],
    p_max_amounts BIGINT[],
    p_wallets TEXT[],
    p_seats_held TEXT[],
    p_decided INTEGER[]
) RETURNS SETOF wallet.booking_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_item RECORD;
    v_outcome wallet.booking_outcome;
BEGIN
    FOR v_item IN
        SELECT i.* FROM unnest(
            p_account_ids, p_environments, p_operations, p_booking_ids, p_keys, p_class_ids, p_seats, p_pay_with,
            p_max_amounts
        ) WITH ORDINALITY AS i (
            account_id, environment, operation, booking_id, key, class_id, seats, pay_with, max_amount, item
        )
        WHERE i.item <> ALL(p_decided)
        ORDER BY i.item
    LOOP
        IF wallet.is_malformed(
            v_item.environment, v_item.operation, v_item.booking_id, v_item.key, v_item.class_id, v_item.seats
        ) THEN
            v_outcome := wallet.refusal(400, 'malformed-request', NULL);
        ELSIF v_item.account_id IS NULL THEN
            v_outcome := wallet.refusal(401, 'unauthenticated', NULL);
        ELSIF v_item.operation = 'quote' THEN
            v_outcome := wallet.quote_one(
                v_item.account_id, v_item.environment, v_item.class_id, v_item.seats, v_item.pay_with,
                v_item.max_amount
            );
        ELSIF
            v_item.environment || ' ' || v_item.account_id <> ALL(p_wallets)
            OR wallet.lacks_seats(
                v_item.account_id, v_item.environment, v_item.operation, v_item.booking_id, v_item.class_id,
                p_seats_held
            )
        THEN
            v_outcome := wallet.refusal(503, 'wallet-busy', NULL);
        ELSIF v_item.operation = 'book' THEN
            v_outcome := wallet.book_one(
                v_item.account_id, v_item.environment, v_item.booking_id, v_item.key, v_item.class_id, v_item.seats,
                v_item.pay_with, v_item.max_amount
            );
        ELSE
            v_outcome := wallet.cancel_one(v_item.account_id, v_item.environment, v_item.booking_id, 'user');
        END IF;
        v_outcome.item := v_item.item;
        RETURN NEXT v_outcome;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.decide_singly(
    BIGINT[], wallet.environment[], TEXT[], UUID[], TEXT[], TEXT[], INTEGER[], TEXT[], BIGINT[], TEXT[], TEXT[],
    INTEGER[]
) IS 'Decides the items of a group that are out of the ordinary, one after the other.';
