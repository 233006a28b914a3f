-- wallet.operator_adjust: an operator's adjustment or gift, once for a key and once for a reference (contract:
-- Operators). Two at once are in isolation/ledger/adjustment_twice.spec.
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.gives(
    p_amount bigint, p_reference text, p_key text, p_user text DEFAULT 'ann', p_source text DEFAULT 'adjustment',
    p_unit wallet.unit DEFAULT 'credit', p_expires_at timestamptz DEFAULT NULL
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_answer wallet.adjustment_answer;
    v_state text;
    v_message text;
BEGIN
    v_answer := wallet.operator_adjust(
        p_user, 'production', p_unit, p_amount, p_reference, 'because', p_source, p_expires_at, 'op', p_key
    );
    RETURN concat_ws(
        ' ', v_answer.credits, v_answer.visits, v_answer.version, (
            SELECT l.source FROM wallet.lots AS l WHERE l.lot_id = v_answer.lot_id AND l.moved_to IS NULL
        ), CASE WHEN v_answer.replayed THEN 'replayed' END
    );
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS v_state = RETURNED_SQLSTATE, v_message = MESSAGE_TEXT;
    RETURN CASE WHEN v_state LIKE 'WL%' THEN concat_ws(' ', v_state, v_message) ELSE v_state END;
END;
$$;
SELECT is(pg_temp.gives(100, 'r1', 'k1'), '100 0 1 adjustment', 'a user first seen is given something');
SELECT is(pg_temp.gives(100, 'r1', 'k1'), '100 0 1 adjustment replayed', 'once for its key');
SELECT is(pg_temp.gives(100, 'r1', 'k2'), '100 0 1 adjustment replayed', 'and once for its reference');
SELECT is(pg_temp.gives(101, 'r1', 'k1'), 'WL422 idempotency-key-reused', 'a key is for one request');
SELECT is(pg_temp.gives(100, 'r2', 'k1'), 'WL422 idempotency-key-reused', 'another reference is another request');
SELECT is(pg_temp.gives(101, 'r1', 'k3'), 'WL409 reference-reused', 'a reference is for one movement');
SELECT is(pg_temp.gives(100, 'r1', 'k3', 'bob'), 'WL409 reference-reused', 'of one user');
SELECT is(pg_temp.gives(-30, 'r2', 'k3'), '70 0 2', 'what was refused left its key free; a debit has no lot');
SELECT is(pg_temp.gives(100, 'r1', 'k1'), '70 0 2 adjustment replayed', 'a replay answers the present balance');
SELECT is(pg_temp.gives(-71, 'r3', 'k4'), 'WL409 balance-too-low', 'no more than there is');
SELECT is(
    pg_temp.gives(2, 'g', 'k5', 'ann', 'promo', 'visit', wallet.now() + interval '1 week'), '70 2 3 promo', 'a gift'
);
SELECT is(
    pg_temp.gives(2, 'g', 'k5', 'ann', 'promo', 'visit', wallet.now() + interval '2 weeks'),
    'WL422 idempotency-key-reused', 'its end is part of the request'
);
SELECT is(
    (wallet.operator_adjust(
        'ann', 'production', 'visit', 2, 'g', 'because', 'promo', wallet.now() + interval '3 weeks', 'op', 'k5b'
    )).expires_at, wallet.now() + interval '1 week', 'a repeated reference returns when its lot really ends'
);
SELECT is(
    (wallet.operator_adjust(
        'ann', 'production', 'credit', 100, 'r1', 'because', 'adjustment', NULL, 'op', 'k1'
    )).expires_at, NULL, 'and nothing where it never does'
);
SELECT is(pg_temp.gives(-2, 'h', 'k6', 'ann', 'promo', 'visit'), 'WL422 gift-not-positive', 'nobody is given less');
SELECT is(pg_temp.gives(0, 'h', 'k6'), 'WL422 amount-is-zero', 'or nothing');
SELECT is(pg_temp.gives(1, '', 'k6'), '23514', 'a reference is needed');
SELECT is(pg_temp.gives(1, 'h', 'k6', ''), '23514', 'and a user');
SELECT is(pg_temp.gives(1, 'h', 'k6', 'ann', 'pack'), '23514', 'packs are bought');
SELECT results_eq(
    $$ SELECT l.actor, l.reason FROM wallet.ledger AS l ORDER BY l.version $$,
    $$ VALUES ('op', 'because'), ('op', 'because'), ('op', 'because') $$, 'who and why are in the ledger'
);
SELECT pg_temp.wait('1 week');
SELECT is(pg_temp.gives(2, 'g', 'k5', 'ann', 'promo', 'visit', wallet.now()), '70 0 3 promo replayed', 'it has lapsed');

-- One of a user's two wallets
CREATE FUNCTION pg_temp.lot_in(p_environment wallet.environment, p_reference text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_answer wallet.adjustment_answer;
BEGIN
    v_answer := wallet.operator_adjust(
        'kim', p_environment, 'visit', 1, p_reference, 'because', 'adjustment', NULL, 'op', p_reference || 'key'
    );
    RETURN concat_ws(' ', v_answer.visits, v_answer.version, (
        SELECT l.environment || ' ' || l.granted || ' ' || u.user_id FROM wallet.lots AS l
        INNER JOIN wallet.users AS u ON l.account_id = u.account_id WHERE l.lot_id = v_answer.lot_id
    ));
END;
$$;
SELECT is(pg_temp.lot_in('sandbox', 's1'), '1 1 sandbox 1 kim', 'a visit has a lot, too');
SELECT is(pg_temp.lot_in('sandbox', 's2'), '2 2 sandbox 1 kim', 'a second one');
SELECT is(pg_temp.lot_in('production', 'p1'), '1 1 production 1 kim', 'in its own environment');
SELECT is(pg_temp.lot_in('sandbox', 's3'), '3 3 sandbox 1 kim', 'each');

-- No matter whom they were merged into, or erased
SELECT wallet.account_for('anon', TRUE), pg_temp.gives(5, 'for anon', 'k7', 'anon');
SELECT wallet.merge_accounts('anon', 'ann');
UPDATE wallet.lots AS l SET expires_at = wallet.now() + interval '9 days'
WHERE l.account_id = wallet.account_for('ann') AND l.granted = 5;
SELECT is(
    (wallet.operator_adjust(
        'anon', 'production', 'credit', 5, 'for anon', 'because', 'adjustment', NULL, 'op', 'k7'
    )).expires_at, wallet.now() + interval '9 days', 'a lot that moved ends when it ends where it is'
);
UPDATE wallet.lots AS l SET expires_at = 'infinity' WHERE l.account_id = wallet.account_for('ann') AND l.granted = 5;
SELECT is(
    pg_temp.gives(5, 'for anon', 'k7', 'anon'), '75 0 5 adjustment replayed',
    'a merged account''s balance is the other''s'
);
SELECT pg_temp.gives(5, 'for dan', 'k8', 'dan'), wallet.delete_account('dan');
SELECT is(pg_temp.gives(5, 'for dan', 'k8', 'dan'), '0 0 2 adjustment replayed', 'an erased reference is still one');
SELECT is(
    pg_temp.gives(5, 'for dan', 'k9', 'dan'), 'WL409 reference-reused',
    'also for another request, and for who comes back'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
