-- The service's way to book, to quote and to cancel. Takes a batch of items in order of arrival, decides each on its
-- own, and answers each, in no order; one item's refusal never touches another.
-- An item's account is null where the user's token speaks for nobody; its operation is 'book', 'quote' (what booking
-- would do) or 'cancel'. A cancellation needs no more than account, environment and booking, a quote no key and no id.
-- p_wait: whether to wait for wallets and seats that somebody else holds; if not, their items answer 503 wallet-busy
-- and the caller sends them again on another connection.
-- Locks and codes: see wallet.decide_batch.
CREATE OR REPLACE FUNCTION wallet.book_batch(p_requests wallet.booking_request[], p_wait BOOLEAN DEFAULT TRUE)
RETURNS SETOF wallet.booking_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT d.* FROM wallet.decide_batch(p_requests, 'user', p_wait) AS d;
END;
$$;
COMMENT ON FUNCTION wallet.book_batch(wallet.booking_request[], BOOLEAN) IS
'Books, quotes and cancels a batch of items, each decided on its own.';
