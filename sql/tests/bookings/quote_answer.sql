-- wallet.quote_answer: a dry run answers with the outcome of the booking and writes nothing (rule 18).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT
    pg_temp.lesson('a', 20, 2), pg_temp.lesson('late', 20, NULL, 10, '40 days'),
    pg_temp.lesson('soon', 20, 2, 10, '12 hours', 0);
SELECT pg_temp.gift('ann', 7, 'credit', '10 days'), pg_temp.gift('ann', 100), pg_temp.gift('ann', 2, 'visit', '1 day');
SELECT pg_temp.buy('uma', 's', 'plan.unlimited');
-- Lots that expire meanwhile: one that is used up, one of credits, one of the sandbox and one of another user
SELECT pg_temp.gift('ann', 3, 'credit', '6 hours'), pg_temp.gift('ann', -3), pg_temp.gift('ann', 4, 'credit', '1 day');
SELECT pg_temp.gift('ann', 5, 'credit', '1 day', 'sandbox'), pg_temp.gift('uma', 6, 'credit', '1 day');
SELECT wallet.account_for('new');

CREATE FUNCTION pg_temp.same(p_user text, p_key text, p_class_id text, p_seats integer, p_pay_with text, p_max bigint)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_quote wallet.booking_outcome;
    v_booking wallet.booking_outcome;
    v_before text;
BEGIN
    v_before := (SELECT (sum(w.version), sum(w.credits), sum(w.visits), (SELECT count(*) FROM wallet.bookings),
        (SELECT count(*) FROM wallet.outbox), (SELECT sum(s.sold) FROM wallet.class_seats AS s))::text
        FROM wallet.wallets AS w);
    v_quote := pg_temp.ask('quote', p_user, p_key, p_class_id, p_seats, p_pay_with, p_max);
    IF v_before <> (SELECT (sum(w.version), sum(w.credits), sum(w.visits), (SELECT count(*) FROM wallet.bookings),
        (SELECT count(*) FROM wallet.outbox), (SELECT sum(s.sold) FROM wallet.class_seats AS s))::text
        FROM wallet.wallets AS w)
    THEN
        RETURN 'the quote wrote something';
    END IF;
    v_booking := pg_temp.book(p_user, p_key, p_class_id, p_seats, p_pay_with, p_max);
    IF (v_quote.slug, v_quote.detail, v_quote.unit, v_quote.amount, v_quote.lot_amounts, v_quote.credits,
            v_quote.visits, v_quote.version, v_quote.replayed)
        IS DISTINCT FROM (v_booking.slug, v_booking.detail, v_booking.unit, v_booking.amount, v_booking.lot_amounts,
            v_booking.credits, v_booking.visits, v_booking.version, v_booking.replayed)
    THEN
        RETURN format('quoted %s, booked %s', v_quote, v_booking);
    END IF;
    RETURN concat_ws(' ', v_quote.status, 'then', v_booking.status, 'in ' || v_quote.unit || 's');
END;
$$;

SELECT is(pg_temp.same('ann', '1', 'a', 1, 'credits', NULL), '200 then 201 in credits', 'a booking in slices');
SELECT pg_temp.cancel('ann', '1');
SELECT is(pg_temp.same('ann', '2', 'soon', 1, NULL, NULL), '200 then 201 in visits', 'a booking in visits');
SELECT pg_temp.cancel('ann', '2'), pg_temp.wait('1 day');
SELECT is(
    pg_temp.same('ann', '3', 'a', 1, NULL, NULL), '200 then 201 in credits',
    'quote and booking agree after an expiry that is not posted yet'
);
SELECT is(pg_temp.same('ann', '4', 'a', 1, NULL, NULL), '409 then 409', 'a class that is booked already');
SELECT is(pg_temp.same('ann', '5', 'late', 5, NULL, NULL), '402 then 402', 'too many seats for the wallet');
SELECT is(
    pg_temp.same('ann', '6', 'late', 11, NULL, NULL), '409 then 409',
    'quote and booking agree on the seats of the class'
);
SELECT is(pg_temp.same('ann', '7', 'late', 1, NULL, 19), '409 then 409', 'above the limit');
SELECT is(
    pg_temp.same('ann', '8', 'nowhere', 1, NULL, NULL), '404 then 404', 'quote and booking agree on an unknown class'
);
SELECT is(pg_temp.same('ann', '9', 'late', -1, NULL, NULL), '400 then 400', 'a negative number of seats');
SELECT is(pg_temp.same('uma', '10', 'late', 1, NULL, NULL), '200 then 201', 'an unlimited plan');
SELECT is(pg_temp.same('new', '11', 'late', 1, NULL, NULL), '402 then 402', 'a user without a wallet');
SELECT wallet.account_for('tim'), wallet.apply_transfer(
    jsonb_build_object('from', '["uma"]'::jsonb, 'to', '["tim"]'::jsonb, 'at', wallet.now())
);
SELECT is(
    pg_temp.same('tim', '12', 'late', 1, NULL, NULL), '200 then 201',
    'an unlimited plan that was transferred to a user without a wallet'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
