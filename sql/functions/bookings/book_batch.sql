-- Books, quotes and cancels for the service. It takes a batch of items in order of arrival, decides each separately,
-- and returns one answer for each, in any order. A refused item never affects another item.
-- An item's account is null if the user's token is not valid. Its operation is 'book', 'quote' (what booking would do)
-- or 'cancel'. A cancellation needs only account, environment and booking; a quote needs no key and no id.
-- p_wait: whether to wait for wallets and seats that another transaction holds. If false, their items are answered with
-- 503 wallet-busy, and the caller sends them again on another connection.
-- p_opened: when each item's account was created, as an earlier answer to the same user reported. Such an item is
-- answered with 401 if the account was deleted or merged, or if the database was restored and the number now belongs to
-- another account.
-- p_user_ids, p_issued_times, p_anonymous, p_account_tokens: the users of all items and the data of their tokens; the
-- function then finds the accounts (wallet.admit_users). Null if all accounts are known.
-- Locks and codes: see wallet.admit_users and wallet.decide_batch.
CREATE OR REPLACE FUNCTION wallet.book_batch(
    p_requests wallet.booking_request[],
    p_wait BOOLEAN DEFAULT TRUE,
    p_opened TIMESTAMPTZ[] DEFAULT NULL,
    p_user_ids TEXT[] DEFAULT NULL,
    p_issued_times TIMESTAMPTZ[] DEFAULT NULL,
    p_anonymous BOOLEAN[] DEFAULT NULL,
    p_account_tokens UUID[] DEFAULT NULL
) RETURNS SETOF wallet.booking_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_accounts BIGINT[];
BEGIN
    IF p_user_ids IS NOT NULL THEN
        v_accounts := wallet.admit_users(p_user_ids, p_issued_times, p_anonymous, p_account_tokens);
        FOR v_place IN 1 .. cardinality(p_requests) LOOP
            p_requests[v_place].account_id := v_accounts[v_place];
        END LOOP;
    END IF;
    RETURN QUERY SELECT d.* FROM wallet.decide_batch(
        p_requests, 'user', p_wait, CASE WHEN p_user_ids IS NULL THEN p_opened END
    ) AS d;
END;
$$;
COMMENT ON FUNCTION wallet.book_batch(
    wallet.booking_request[], BOOLEAN, TIMESTAMPTZ[], TEXT[], TIMESTAMPTZ[], BOOLEAN[], UUID[]
) IS 'Books, quotes and cancels a batch of items, and decides each separately.';
