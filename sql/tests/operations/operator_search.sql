-- wallet.operator_search: finds the objects that a text identifies.
BEGIN;
\ir ../support/books.sql
SELECT plan(35);
CREATE FUNCTION pg_temp.found(p_text text, p_limit integer DEFAULT 20) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce(string_agg(concat_ws(' ', h.kind, h.id, 'of', h.user_id, h.environment, h.summary), '; '), 'nothing')
    FROM wallet.operator_search(p_text, p_limit) AS h;
$$;
\o /dev/null
SELECT pg_temp.buy('ann', 'tx-1', 'explorer');
SELECT wallet.account_for('anna', TRUE), wallet.account_for('7C9E6679-7425-40DE-944B-E07FC1F90AE7');
SELECT pg_temp.lesson('yoga', 20);
SELECT pg_temp.book('ann', 'key', 'yoga');
SELECT wallet.operator_adjust(
    'anna', 'production', 'credit', 5, 'REF-5', 'ticket', 'adjustment', NULL, 'dana', 'key'
);
\o
SELECT is(
    pg_temp.found('ann'), 'user ann of ann; user anna of anna',
    'the user with that id comes first, then users whose ids start with it'
);
SELECT is(pg_temp.found(' anna '), 'user anna of anna', 'spaces around it do not matter');
SELECT is(pg_temp.found('an'), 'nothing', 'two characters are too few to begin with');
SELECT is(pg_temp.found('ann', 1), 'user ann of ann', 'the limit holds');
SELECT is(
    pg_temp.found('7C9E6679-7425-40DE-944B-E07FC1F90AE7'),
    'user 7c9e6679-7425-40de-944b-e07fc1f90ae7 of 7c9e6679-7425-40de-944b-e07fc1f90ae7', 'a UUID in any spelling'
);
SELECT is(
    pg_temp.found('7C9E6679'), 'user 7c9e6679-7425-40de-944b-e07fc1f90ae7 of 7c9e6679-7425-40de-944b-e07fc1f90ae7',
    'the beginning of the id is sufficient'
);
SELECT is(pg_temp.found('tx-1'), 'purchase tx-1 of ann production com.hobbyist.bookingapp.credits.explorer, granted',
    'a purchase by the store''s id');
SELECT is(
    pg_temp.found(upper(b.booking_id::text)), concat('booking ', b.booking_id, ' of ann production Class yoga, booked'),
    'a booking by its id'
) FROM wallet.bookings AS b;
SELECT is(
    pg_temp.found(upper(right(b.booking_id::text, 8))),
    concat('booking ', b.booking_id, ' of ann production Class yoga, booked'),
    'a booking by its code without the letters'
) FROM wallet.bookings AS b;
SELECT is(
    pg_temp.found('hb' || right(b.booking_id::text, 8)),
    concat('booking ', b.booking_id, ' of ann production Class yoga, booked'), 'a booking by its code in any case'
) FROM wallet.bookings AS b;
SELECT is(
    pg_temp.found(right(b.booking_id::text, 4)),
    concat('booking ', b.booking_id, ' of ann production Class yoga, booked'), 'four digits of the code are sufficient'
) FROM wallet.bookings AS b;
SELECT is(pg_temp.found(right(b.booking_id::text, 3)), 'nothing', 'three are not') FROM wallet.bookings AS b;
SELECT is(pg_temp.found('REF-5'), 'adjustment REF-5 of anna production +5 credit', 'an adjustment by its reference');
\o /dev/null
SELECT pg_temp.lesson('judo', 20);
SELECT wallet.operator_act('set-tester', '{"user_id": "anna", "tester": true}', 'dana', 'tries it', 'REF-6');
SELECT wallet.operator_act('cancel-class', '{"class_id": "yoga"}', 'dana', 'ill', 'REF-8', TRUE);
SELECT wallet.operator_act('cancel-class', '{"class_id": "judo"}', 'dana', 'ill', 'REF-6');
\o
SELECT is(
    pg_temp.found('REF-6'),
    'action REF-6 of anna set-tester, by dana; action REF-6 of cancel-class of class judo, by dana',
    'each action with the reference'
);
SELECT is(pg_temp.found('REF-8'), 'nothing', 'a dry run is not found');
SELECT matches(pg_temp.found('yoga'), '^class yoga of Class yoga, scheduled', 'a class by its id');
SELECT is(pg_temp.found('class YO'), 'class yoga of Class yoga, scheduled', 'a class by a part of its title');
SELECT is(pg_temp.found('yo'), 'nothing', 'two characters of a title are too few');
SELECT is(pg_temp.found('%'), 'nothing', 'wildcards are not interpreted');
SELECT is(pg_temp.found(''), 'nothing', 'an empty text finds nothing');

-- A booking code is searched among active bookings of classes near in time, as needed at the door.
\o /dev/null
CREATE TEMPORARY TABLE code AS
SELECT 'HB' || right(b.booking_id::text, 8) AS code, b.booking_id FROM wallet.bookings AS b;
UPDATE wallet.classes SET starts_at = starts_at + INTERVAL '15 days', ends_at = ends_at + INTERVAL '15 days';
\o
SELECT is(pg_temp.found(c.code), 'nothing', 'a code of a class in more than two weeks') FROM code AS c;
\o /dev/null
UPDATE wallet.classes SET starts_at = wallet.now() - INTERVAL '25 hours', ends_at = wallet.now() - INTERVAL '24 hours';
\o
SELECT is(pg_temp.found(c.code), 'nothing', 'a code of a class before yesterday') FROM code AS c;
\o /dev/null
UPDATE wallet.classes SET starts_at = wallet.now() + INTERVAL '1 day', ends_at = wallet.now() + INTERVAL '25 hours';
\o
SELECT matches(pg_temp.found(c.code), '^booking .* booked$', 'a code of tomorrow''s class') FROM code AS c;
\o /dev/null
SELECT pg_temp.cancel('ann', 'key');
\o
SELECT is(pg_temp.found(c.code), 'nothing', 'the code of a cancelled booking') FROM code AS c;

-- A merged user's objects belong to the user they were merged into; a deleted user's have no user.
\o /dev/null
SELECT wallet.merge_accounts('anna', 'ann');
\o
SELECT is(pg_temp.found('REF-5'), 'adjustment REF-5 of ann production +5 credit', 'objects of a merged user are found');
SELECT is(pg_temp.found('anna'), 'user anna of ann merged into another user', 'a merged user names the other');
\o /dev/null
SELECT wallet.delete_account('ann');
\o
SELECT is(pg_temp.found('ann'), 'nothing', 'a deleted user is not found');
SELECT matches(pg_temp.found('tx-1'), '^purchase tx-1 of production ', 'purchases of a deleted user have no user');
SELECT is(
    pg_temp.found('REF-5'), 'adjustment REF-5 of production +5 credit', 'adjustments of a deleted user have no user'
);
SELECT matches(pg_temp.found('REF-6'), 'action REF-6 of set-tester(;|$)', 'actions on a deleted user have no user');

-- Names and email addresses, the best matches first
CREATE FUNCTION pg_temp.named(p_text text) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce(string_agg(concat_ws(' | ', h.id, h.user_name, h.summary), '; '), 'nothing')
    FROM wallet.operator_search(p_text) AS h;
$$;
\o /dev/null
SELECT wallet.account_for('p-1'), wallet.account_for('p-2'), wallet.account_for('p-3'), wallet.account_for('ros');
SELECT wallet.note_profile('p-1', wallet.now(), 'Maria Rosa', 'm@example.org');
SELECT
    wallet.note_profile('p-2', wallet.now(), 'Rosa Klein', NULL),
    wallet.note_profile('p-3', wallet.now(), NULL, 'rosa@web.de');
SELECT pg_temp.lesson('rosa', 5), pg_temp.gift('p-2', 10), pg_temp.book('p-2', 'p', 'rosa');
\o
SELECT is(pg_temp.named('klein'), 'p-2 | Rosa Klein', 'a user by a part of the name');
SELECT is(pg_temp.named('m@exa'), 'p-1 | Maria Rosa | m@example.org', 'and of the email address');
SELECT matches(pg_temp.named('rosa'), '^p-2 \| Rosa Klein; p-3 \| rosa@web.de; p-1 \| .*; rosa \| Class rosa, ',
    'users whose name begins with the text come first, then other users, then classes');
SELECT matches(pg_temp.named('ros'), '^ros; ', 'the user with that id comes before them');
SELECT matches(pg_temp.named(b.booking_id::text), ' \| Rosa Klein \| Class rosa, booked$', 'results have the name')
FROM wallet.bookings AS b WHERE b.class_id = 'rosa';
SELECT * FROM finish();
ROLLBACK;
