-- wallet.freeze_lot and wallet.unfreeze_lot: a frozen pass pays for no class, and its expiry moves (rule 39).
-- isolation/bookings/freeze_and_booking.spec tests concurrent calls.
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
UPDATE wallet.products SET freeze_days = 30, freeze_minimum_days = 3 WHERE product_id IN ('tenVisit', 'threeVisit');
CREATE FUNCTION pg_temp.lot(p_user text, p_product text) RETURNS uuid LANGUAGE sql AS $$
    SELECT l.lot_id FROM wallet.lots AS l INNER JOIN wallet.users AS u ON l.account_id = u.account_id
    WHERE u.user_id = p_user AND l.product_id = p_product AND l.moved_to IS NULL ORDER BY l.lot_id DESC LIMIT 1;
$$;
-- The calls, by days from the first day of the test.
CREATE FUNCTION pg_temp.freezes(
    p_user text, p_product text, p_from numeric, p_until numeric, p_action text DEFAULT 'freeze'
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_answer wallet.action_answer;
    v_message text;
    v_detail text;
BEGIN
    v_answer := wallet.operator_act(p_action, jsonb_strip_nulls(jsonb_build_object(
        'user_id', p_user, 'lot_id', pg_temp.lot(p_user, p_product), 'from', pg_temp.noon(p_from),
        'until', pg_temp.noon(p_until)
    )), 'op', 'holiday', NULL);
    RETURN CASE WHEN v_answer.replayed THEN 'replayed' ELSE v_answer.after::text END;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS v_message = MESSAGE_TEXT, v_detail = PG_EXCEPTION_DETAIL;
    RETURN concat_ws(' ', v_message, nullif(v_detail, ''));
END;
$$;
CREATE FUNCTION pg_temp.day(p_at timestamptz) RETURNS text LANGUAGE sql AS $$
    SELECT trim_scale(round(extract(EPOCH FROM p_at - pg_temp.noon(0))::numeric / 86400, 3))::text;
$$;
-- The freeze of a lot and its end, by days.
CREATE FUNCTION pg_temp.terms(p_user text, p_product text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', pg_temp.day(l.frozen_from), pg_temp.day(l.frozen_until), l.frozen_seconds / 86400,
        'ends ' || pg_temp.day(l.expires_at)
    ) FROM wallet.lots AS l WHERE l.lot_id = pg_temp.lot(p_user, p_product) AND l.moved_to IS NULL;
$$;

SELECT pg_temp.buy('ann', 'a', 'threeVisit'), pg_temp.lesson('d' || n, 20, 1, p_ahead => make_interval(days => n))
FROM generate_series(1, 20) AS n;
SELECT pg_temp.lesson('late', 20, 1, p_ahead => '65 days');

-- Refusals
SELECT
    is(
        pg_temp.freezes('ann', 'threeVisit', 5, 7),
        'freeze-out-of-range {"days_left": 30, "minimum_days": 3}',
        'too short'
    );
SELECT is(
    pg_temp.freezes('ann', 'threeVisit', 5, 36), 'freeze-out-of-range {"days_left": 30, "minimum_days": 3}', 'too long'
);
SELECT is(
    pg_temp.freezes('ann', 'threeVisit', 9, 5), 'freeze-out-of-range {"days_left": 30, "minimum_days": 3}', 'backwards'
);
SELECT is(pg_temp.freezes('ann', 'threeVisit', 60, 70), 'lot-not-freezable', 'after the expiry');
SELECT is(
    pg_temp.freezes('ann', 'threeVisit', 5, NULL), 'malformed-request', 'without an end'
);
SELECT pg_temp.book('ann', 'd10', 'd10');
SELECT is(
    pg_temp.freezes('ann', 'threeVisit', 5, 12),
    'lot-booked ' || jsonb_build_object('booking_ids', ARRAY[pg_temp.id_of('d10')])::text,
    'a lot that paid for a class in the span'
);
SELECT pg_temp.buy('ann', 's', 'singleVisit'), pg_temp.buy('ann', 'c', 'starter');
SELECT is(pg_temp.freezes('ann', 'singleVisit', 5, 12), 'lot-not-freezable', 'the product does not allow it');
SELECT is(
    pg_temp.freezes('ann', 'com.hobbyist.bookingapp.credits.starter', 5, 12), 'lot-not-freezable',
    'bought credits never expire'
);
SELECT is(
    pg_temp.freezes('bob', 'threeVisit', 5, 12), 'malformed-request', 'a user without the lot'
);
SELECT pg_temp.gift('bob', 1);
SELECT is(
    pg_temp.raised(format($$ SELECT wallet.freeze_lot(wallet.account_for('bob'), 'production', %L, wallet.now(),
        wallet.now() + interval '5 days', ROW('op', 'r', NULL, NULL)) $$, pg_temp.lot('ann', 'threeVisit'))),
    'WL404 lot-not-found', 'another user''s lot'
);
SELECT pg_temp.sound();

-- A freeze
SELECT is(
    pg_temp.freezes('ann', 'threeVisit', 11, 16),
    '{"expires_at": "2030-03-07T12:00:00Z", "frozen_from": "2030-01-12T12:00:00Z", '
    '"frozen_until": "2030-01-17T12:00:00Z"}',
    'a freeze moves the expiry'
);
SELECT is(pg_temp.terms('ann', 'threeVisit'), '11 16 5 ends 65', 'by the frozen days');
SELECT is(pg_temp.freezes('ann', 'threeVisit', 11, 16), 'replayed', 'a repeated freeze changes nothing');
SELECT is(
    pg_temp.freezes('ann', 'threeVisit', 20, 25),
    format('lot-frozen {"lot_id": "%s", "frozen_until": "2030-01-17T12:00:00Z"}', pg_temp.lot('ann', 'threeVisit')),
    'a lot has one freeze at a time'
);
SELECT is(pg_temp.story('ann', 4), 'freeze 0', 'the entry has the amount 0');
SELECT is(
    (SELECT concat_ws(' ', o.type, o.version, o.details ->> 'frozen_until') FROM wallet.outbox AS o
     WHERE o.type LIKE 'lot.%'), 'lot.frozen 5 2030-01-17T12:00:00Z', 'the event'
);
SELECT is(
    (SELECT concat_ws(' ', a.action, a.object_id = pg_temp.lot('ann', 'threeVisit')::text, t.reason)
     FROM wallet.audit AS a INNER JOIN wallet.audit_texts AS t ON a.audit_id = t.audit_id WHERE a.kind = 'lot'),
    'freeze t holiday', 'the audit'
);
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'd11', 'd11', 1, pg_temp.lot('ann', 'threeVisit')::text)),
    '409 lot-frozen', 'the lot pays for no class that starts in the span, from its start'
);
SELECT is(
    pg_temp.answer(pg_temp.ask('quote', 'ann', NULL, 'd15', 1, pg_temp.lot('ann', 'threeVisit')::text)),
    '409 lot-frozen', 'nor does a quote'
);
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'd12', 'd12', 1, 'visits')), '201 booked 1 visit', 'another lot pays'
);
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'd13', 'd13', 1, 'visits')), '409 lot-frozen', 'without another lot, none pays'
);
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'd14', 'd14')), '201 booked 20 credit', 'credits pay as usual'
);
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'd15', 'd15')), '409 lot-frozen', 'too few credits and a frozen lot'
);
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'd15', 'd15', 1, 'credits')), '402 insufficient-credits', 'credits alone'
);
SELECT is(pg_temp.answer(pg_temp.book('ann', 'd16', 'd16')), '201 booked 1 visit', 'the end of the span is open');
SELECT is(
    pg_temp.answer(pg_temp.ask('quote', 'ann', NULL, 'd9', 1, pg_temp.lot('ann', 'threeVisit')::text)),
    '200 1 visit', 'the lot pays for a class before the span'
);
SELECT pg_temp.sound();

-- The end of a freeze
SELECT pg_temp.wait('13 days');
SELECT is(
    pg_temp.raised($$ SELECT wallet.consume_pass(wallet.account_for('ann'), 'production', 'a', 'door') $$),
    format(
        'WL409 lot-frozen {"lot_id": "%s", "frozen_until": "2030-01-17T12:00:00Z"}', pg_temp.lot('ann', 'threeVisit')
    ),
    'a visit cannot be used directly during a freeze'
);
SELECT is(
    pg_temp.freezes('ann', 'threeVisit', NULL, NULL, 'unfreeze'),
    '{"expires_at": "2030-03-04T12:00:00Z", "frozen_until": "2030-01-14T12:00:00Z"}', 'a freeze ends early'
);
SELECT is(pg_temp.terms('ann', 'threeVisit'), '11 13 2 ends 62', 'the expiry moves back by the rest');
SELECT is(pg_temp.freezes('ann', 'threeVisit', NULL, NULL, 'unfreeze'), 'replayed', 'a repeated end changes nothing');
SELECT is(
    (wallet.consume_pass(wallet.account_for('ann'), 'production', 'a', 'door')).remaining, 0::bigint,
    'afterwards the lot pays'
);
SELECT is(pg_temp.freezes('ann', 'threeVisit', 20, 25), 'lot-not-freezable', 'a lot that is used up');
SELECT pg_temp.cancel('ann', 'd16');
SELECT is(
    pg_temp.freezes('ann', 'threeVisit', 20, 49),
    'freeze-out-of-range {"days_left": 28, "minimum_days": 3}', 'earlier freezes of the year count'
);
SELECT is(
    pg_temp.freezes('ann', 'threeVisit', 10, 20)::jsonb ->> 'frozen_from', '2030-01-14T12:00:00Z',
    'a freeze starts now at the earliest'
);
SELECT is(pg_temp.terms('ann', 'threeVisit'), '13 20 9 ends 69', 'and moves the expiry by less');
SELECT is(pg_temp.answer(pg_temp.book('ann', 'late', 'late')), '201 booked 1 visit', 'the moved expiry counts');
SELECT is(
    pg_temp.freezes('ann', 'threeVisit', NULL, NULL, 'unfreeze'),
    'lot-booked ' || jsonb_build_object('booking_ids', ARRAY[pg_temp.id_of('late')])::text,
    'a freeze does not end while a class after the earlier expiry is booked'
);
SELECT pg_temp.cancel('ann', 'late');
SELECT pg_temp.freezes('ann', 'threeVisit', NULL, NULL, 'unfreeze');
SELECT is(pg_temp.terms('ann', 'threeVisit'), '11 13 2 ends 62', 'a freeze that has not begun is removed');
SELECT pg_temp.wait('48 days 23 hours');
SELECT is(pg_temp.funds('ann'), '5 1 0 0', 'the lot is valid until the moved expiry');
SELECT pg_temp.wait('1 hour');
SELECT is(pg_temp.funds('ann'), '5 0 0 0', 'and lapses then');
SELECT pg_temp.sound();

-- A plan: a period that is extended keeps the frozen days, one that is cut short loses them
SELECT set_config('t.now', '2030-01-01 12:00:00+00', TRUE);
UPDATE wallet.products SET freeze_days = 30 WHERE kind = 'plan';
SELECT pg_temp.buy('pat', 'p1', 'plan.explorer', '{"expires_at": "2030-01-31T12:00:00Z"}');
SELECT pg_temp.freezes('pat', 'com.hobbyist.bookingapp.subscription.explorer', 3, 13);
SELECT is(
    pg_temp.terms('pat', 'com.hobbyist.bookingapp.subscription.explorer'), '3 13 10 ends 40', 'the visits of a plan'
);
SELECT pg_temp.buy(
    'pat', 'p1', 'plan.explorer', '{"expires_at": "2030-02-05T12:00:00Z", "source_at": "2030-01-01T13:00:00Z"}'
);
SELECT is(
    pg_temp.terms('pat', 'com.hobbyist.bookingapp.subscription.explorer'), '3 13 10 ends 45',
    'an extended period keeps the frozen days'
);
SELECT pg_temp.wait('20 days');
SELECT pg_temp.buy('pat', 'p2', 'plan.enthusiast', jsonb_build_object(
    'original_transaction_id', 'p1', 'expires_at', wallet.now() + interval '30 days'
));
SELECT is(
    (SELECT string_agg(concat_ws(' ', pg_temp.day(l.expires_at), l.frozen_seconds / 86400), ', ' ORDER BY l.lot_id)
     FROM wallet.lots AS l WHERE l.account_id = wallet.account_for('pat')), '20 10, 50 0',
    'a period that another one cuts short loses them'
);
SELECT set_config('t.now', '2030-01-01 12:00:00+00', TRUE);
SELECT pg_temp.sound();
SELECT pg_temp.buy('quinn', 'q1', 'plan.explorer', '{"expires_at": "2030-01-31T12:00:00Z"}');
SELECT pg_temp.freezes('quinn', 'com.hobbyist.bookingapp.subscription.explorer', 3, 13);
SELECT pg_temp.buy('quinn', 'q2', 'plan.enthusiast', jsonb_build_object(
    'original_transaction_id', 'q1', 'purchased_at', pg_temp.noon(10), 'expires_at', pg_temp.noon(40)
));
SELECT set_config('t.now', pg_temp.noon(6)::text, TRUE);
SELECT pg_temp.freezes('quinn', 'com.hobbyist.bookingapp.subscription.explorer', NULL, NULL, 'unfreeze');
SELECT is(
    pg_temp.terms('quinn', 'com.hobbyist.bookingapp.subscription.explorer'), '3 6 3 ends 10',
    'the end of the freeze does not move the end of a period that is cut short'
);
SELECT is(
    pg_temp.freezes('quinn', 'com.hobbyist.bookingapp.subscription.explorer', 7, 9), 'lot-not-freezable',
    'and another freeze could not'
);
SELECT set_config('t.now', '2030-01-01 12:00:00+00', TRUE);
SELECT pg_temp.sound();

-- A merge moves the freeze, and a deletion and a restore keep it
SELECT wallet.account_for('anon', TRUE), wallet.account_for('eve');
SELECT pg_temp.buy('anon', 'm', 'tenVisit');
SELECT pg_temp.freezes('anon', 'tenVisit', 3, 13);
SELECT wallet.merge_accounts('anon', 'eve');
SELECT is(pg_temp.terms('eve', 'tenVisit'), '3 13 10 ends ' || (
    SELECT p.valid_days + 10 FROM wallet.products AS p WHERE p.product_id = 'tenVisit'
), 'a merge moves the freeze');
SELECT is(
    pg_temp.freezes('eve', 'tenVisit', 20, 45),
    format('lot-frozen {"lot_id": "%s", "frozen_until": "2030-01-14T12:00:00Z"}', pg_temp.lot('eve', 'tenVisit')),
    'to the other user'
);
SELECT pg_temp.sound();
CREATE TEMPORARY TABLE deleted AS
SELECT l.account_id, l.lot_id FROM wallet.lots AS l
INNER JOIN wallet.users AS u ON l.account_id = u.account_id WHERE u.user_id = 'eve' AND l.moved_to IS NULL
ORDER BY l.lot_id LIMIT 1;
SELECT wallet.delete_account('eve');
SELECT is(
    pg_temp.raised(format($$ SELECT wallet.unfreeze_lot(%L, 'production', %L, row('op', 'r', NULL, NULL)) $$,
        d.account_id, d.lot_id)),
    'WL404 user-not-found', 'a lot of a deleted account'
) FROM deleted AS d;
SELECT pg_temp.sound();

-- psql
SELECT pg_temp.buy('joe', 'j', 'tenVisit');
CREATE FUNCTION pg_temp.updates(p_set text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(
        format('UPDATE admin.lots SET %s WHERE lot_id = %L', p_set, pg_temp.lot('joe', 'tenVisit')), 'wallet_admin'
    );
$$;
SELECT is(pg_temp.updates(c.change), c.refusal, c.change) FROM (VALUES
    ('granted = 5', '42501'),
    ($$ frozen_from = '2030-01-05 12:00+00' $$, 'WL422 column-not-editable'),
    ($$ frozen_from = '2030-01-05 12:00+00', frozen_until = '2030-01-15 12:00+00' $$, 'WL422 reason-required'),
    ($$ frozen_from = '2030-01-05 12:00+00', frozen_until = '2030-01-06 12:00+00', reason = 'r' $$,
        'WL422 freeze-out-of-range {"days_left": 30, "minimum_days": 3}'),
    ($$ frozen_from = '2030-01-05 12:00+00', frozen_until = '2030-01-15 12:00+00', reason = 'r' $$, 'nothing'),
    ($$ reason = 'r' $$, 'nothing')
) AS c (change, refusal);
SELECT is(
    (SELECT concat_ws(' ', pg_temp.day(l.frozen_from), pg_temp.day(l.frozen_until)) FROM admin.lots AS l
     WHERE l.user_id = 'joe'), '4 14', 'psql freezes a lot'
);
SELECT is(pg_temp.updates('frozen_from = NULL, frozen_until = NULL, reason = ''r'''), 'nothing', 'and ends the freeze');
SELECT is(
    (SELECT count(*) FROM wallet.freezes AS f WHERE f.lot_id = pg_temp.lot('joe', 'tenVisit')), 0::bigint,
    'which had not begun'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
