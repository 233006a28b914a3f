-- The service's way to book, to quote and to cancel. Takes a batch of items in order of arrival, decides each on its
-- own, and answers each, in no order; one item's refusal never touches another.
-- An item's account is null where the user's token speaks for nobody; its operation is 'book', 'quote' (what booking
-- would do) or 'cancel'. A cancellation needs no more than account, environment and booking, a quote no key and no id.
-- p_wait: whether to wait for wallets and seats that somebody else holds; if not, their items answer 503 wallet-busy
-- and the caller sends them again on another connection.
-- p_opened: when each item's account was opened, as an answer to the same user said earlier. Such an item is answered
-- 401 once the account was deleted or merged, or where another one has its number since the database was restored.
-- p_user_ids, p_issued_times, p_anonymous, p_account_tokens: the users of all items, and what their tokens say; then
-- the accounts are found here (wallet.admit_users). Null where all of them are known.
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
) IS 'Books, quotes and cancels a batch of items, each decided on its own.';
