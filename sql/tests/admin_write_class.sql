-- wallet.admin_write_class: classes through admin.classes, by the operators rules.
BEGIN;
\ir support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.as_admin(p_statement text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(p_statement, 'wallet_admin');
$$;
SELECT is(pg_temp.as_admin($$ INSERT INTO admin.classes (class_id, title, starts_at, ends_at, capacity, price_credits)
    VALUES ('a', 'A', '2030-01-05 10:00', '2030-01-05 11:00', 2, 20) $$), 'nothing', 'a class is made');
SELECT results_eq(
    $$ SELECT c.capacity, c.seats_sold, c.seats_left,
       c.free_minutes_before FROM admin.classes AS c WHERE c.class_id = 'a' $$,
    $$ VALUES (2, 0, 2, 1440) $$, 'with the usual cancellation'
);
SELECT pg_temp.gift('ann', 100), pg_temp.book('ann', 'k', 'a', 2);
SELECT is(
    pg_temp.as_admin($$ UPDATE admin.classes SET capacity = 1 WHERE class_id = 'a' $$),
    'WL409 capacity-below-sold {"capacity": 1, "seats_sold": 2}', 'sold seats cannot be taken away'
);
SELECT is(
    pg_temp.as_admin($$ UPDATE admin.classes SET capacity = 5, title = 'B' WHERE class_id = 'a' $$), 'nothing', 'more'
);
SELECT is((SELECT c.seats_left FROM admin.classes AS c WHERE c.class_id = 'a'), 3, 'are to be sold');
SELECT is(
    pg_temp.as_admin(format('UPDATE admin.classes SET %s WHERE class_id = ''a''', i.change)),
    'WL422 column-not-editable',
    i.change
) FROM unnest(ARRAY[
    'class_id = ''b''', 'seats_sold = 0', 'seats_left = 100', 'status = ''cancelled'''
]) AS i (change);
SELECT is(
    pg_temp.as_admin($$ UPDATE admin.classes SET price_credits = -1 WHERE class_id = 'a' $$), '23514',
    'no negative price'
);
SELECT is(pg_temp.as_admin($$ DELETE FROM admin.classes WHERE class_id = 'a' $$), '55000', 'a class is not removed');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
