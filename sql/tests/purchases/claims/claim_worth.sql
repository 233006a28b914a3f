-- wallet.claim_worth: the number of pieces times the grant of one, or the amount that the store reported (rule 14).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.worth(p_claim text) RETURNS bigint LANGUAGE sql AS $$
    SELECT wallet.claim_worth(jsonb_populate_record(NULL::wallet.claims, p_claim::jsonb));
$$;
SELECT is(
    pg_temp.worth('{"grant_amount": 25, "quantity": 3, "grants_reported_amount": false}'),
    75::bigint,
    'three pieces'
);
SELECT is(
    pg_temp.worth('{"grant_amount": 10, "reported_amount": 25, "quantity": 3, "grants_reported_amount": true}'),
    25::bigint,
    'a reported amount covers all pieces, and the larger report counts'
);
SELECT is(
    pg_temp.worth('{"grant_amount": 0, "quantity": 3, "grants_reported_amount": false}'),
    0::bigint,
    'an unlimited plan'
);
SELECT is(
    pg_temp.worth('{"quantity": 1, "grants_reported_amount": false}'),
    NULL::bigint,
    'before the grant the worth is unknown'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
