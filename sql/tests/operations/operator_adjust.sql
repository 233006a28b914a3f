-- wallet.operator_adjust: an operator's adjustment or gift, once per key and once per reference (contract: Operators).
-- isolation/ledger/adjustment_twice.spec tests two at once.
BEGIN;
\ir ../support/books.sql
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
        p_user, 'production', p_unit, p_amount, p_reference, 'because', p_source, p_expires_at, 'op', p_key,
        p_new_user => TRUE
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
SELECT is(pg_temp.gives(100, 'r1', 'k1'), '100 0 1 adjustment replayed', 'a repeated key replays');
SELECT is(pg_temp.gives(100, 'r1', 'k2'), '100 0 1 adjustment replayed', 'a repeated reference replays');
SELECT is(pg_temp.gives(101, 'r1', 'k1'), 'WL422 idempotency-key-reused', 'a key is for one request');
SELECT is(pg_temp.gives(100, 'r2', 'k1'), 'WL422 idempotency-key-reused', 'another reference is another request');
SELECT is(pg_temp.gives(101, 'r1', 'k3'), 'WL409 reference-reused', 'a reference is for one movement');
SELECT is(pg_temp.gives(100, 'r1', 'k3', 'bob'), 'WL409 reference-reused', 'a reference belongs to one user');
SELECT is(pg_temp.gives(-30, 'r2', 'k3'), '70 0 2', 'a refused request frees its key, and a debit has no lot');
SELECT is(pg_temp.gives(100, 'r1', 'k1'), '70 0 2 adjustment replayed', 'a replay answers the present balance');
SELECT is(pg_temp.gives(-71, 'r3', 'k4'), 'WL409 balance-too-low', 'a debit above the balance is refused');
SELECT is(
    pg_temp.gives(2, 'g', 'k5', 'ann', 'promo', 'visit', wallet.now() + interval '1 week'), '70 2 3 promo', 'a gift'
);
SELECT is_empty('SELECT FROM wallet.operator_totals', 'without a daily amount, no total is kept');
SELECT is(
    pg_temp.gives(2, 'g', 'k5', 'ann', 'promo', 'visit', wallet.now() + interval '2 weeks'),
    'WL422 idempotency-key-reused', 'the expiry is part of the request'
);
SELECT is(
    (wallet.operator_adjust(
        'ann', 'production', 'visit', 2, 'g', 'because', 'promo', wallet.now() + interval '3 weeks', 'op', 'k5b'
    )).expires_at, wallet.now() + interval '1 week', 'a repeated reference returns when its lot really ends'
);
SELECT is(
    (wallet.operator_adjust(
        'ann', 'production', 'credit', 100, 'r1', 'because', 'adjustment', NULL, 'op', 'k1', p_new_user => TRUE
    )).expires_at, NULL, 'the answer has no expiry for a lot without one'
);
SELECT is(pg_temp.gives(-2, 'h', 'k6', 'ann', 'promo', 'visit'), 'WL422 gift-not-positive', 'a gift must be positive');
SELECT is(pg_temp.gives(0, 'h', 'k6'), 'WL422 amount-is-zero', 'an amount of 0 is refused');
SELECT is(pg_temp.gives(1, '', 'k6'), '23514', 'a reference is needed');
SELECT is(pg_temp.gives(1, 'h', 'k6', ''), '23514', 'a user is required');
SELECT is(pg_temp.gives(1, 'h', 'k6', 'ann', 'pack'), '23514', 'packs are bought');
SELECT results_eq(
    $$ SELECT l.actor, l.reason FROM wallet.ledger AS l ORDER BY l.version $$,
    $$ VALUES ('op', 'because'), ('op', 'because'), ('op', 'because') $$, 'the ledger stores actor and reason'
);
SELECT pg_temp.wait('1 week');
SELECT is(
    pg_temp.gives(2, 'g', 'k5', 'ann', 'promo', 'visit', wallet.now()), '70 0 3 promo replayed', 'the gift has lapsed'
);
SELECT is(
    pg_temp.raised($$ SELECT wallet.operator_adjust(
        'ann', 'production', 'credit', 1, 'viewed', 'because', 'adjustment', NULL, 'op', 'k6', FALSE, 'viewer'
    ) $$), 'WL403 right-missing {"needs": "operator", "right": "viewer"}', 'a viewer may not adjust'
);
CREATE FUNCTION pg_temp.has_lot(p_reference text, p_dry boolean) RETURNS boolean LANGUAGE sql AS $$
    SELECT (wallet.operator_adjust(
        'ann', 'production', 'credit', 100, p_reference, 'because', 'adjustment', NULL, 'op', NULL, p_dry
    )).lot_id IS NOT NULL;
$$;
SELECT is(pg_temp.has_lot('r1', TRUE), TRUE, 'a preview of a known adjustment names its lot');
SELECT is(pg_temp.has_lot('new', TRUE), FALSE, 'a preview of a new one names none, because it does not exist');

-- One of a user's two wallets
CREATE FUNCTION pg_temp.lot_in(p_environment wallet.environment, p_reference text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_answer wallet.adjustment_answer;
BEGIN
    v_answer := wallet.operator_adjust(
        'kim', p_environment, 'visit', 1, p_reference, 'because', 'adjustment', NULL, 'op', p_reference || 'key',
        p_new_user => TRUE
    );
    RETURN concat_ws(' ', v_answer.visits, v_answer.version, (
        SELECT l.environment || ' ' || l.granted || ' ' || u.user_id FROM wallet.lots AS l
        INNER JOIN wallet.users AS u ON l.account_id = u.account_id WHERE l.lot_id = v_answer.lot_id
    ));
END;
$$;
SELECT is(pg_temp.lot_in('sandbox', 's1'), '1 1 sandbox 1 kim', 'a visit has a lot, too');
SELECT is(pg_temp.lot_in('sandbox', 's2'), '2 2 sandbox 1 kim', 'a second one');
SELECT is(pg_temp.lot_in('production', 'p1'), '1 1 production 1 kim', 'the adjustment is in its own environment');
SELECT is(pg_temp.lot_in('sandbox', 's3'), '3 3 sandbox 1 kim', 'each');

-- The replay of an adjustment for a user who was merged or deleted since
SELECT wallet.account_for('anon', TRUE), pg_temp.gives(5, 'for anon', 'k7', 'anon');
SELECT wallet.merge_accounts('anon', 'ann');
UPDATE wallet.lots AS l SET expires_at = wallet.now() + interval '9 days'
WHERE l.account_id = wallet.account_for('ann') AND l.granted = 5;
SELECT is(
    (wallet.operator_adjust(
        'anon', 'production', 'credit', 5, 'for anon', 'because', 'adjustment', NULL, 'op', 'k7', p_new_user => TRUE
    )).expires_at, wallet.now() + interval '9 days', 'a lot that moved ends when it ends where it is'
);
UPDATE wallet.lots AS l SET expires_at = 'infinity' WHERE l.account_id = wallet.account_for('ann') AND l.granted = 5;
SELECT is(
    pg_temp.gives(5, 'for anon', 'k7', 'anon'), '75 0 5 adjustment replayed',
    'the balance of a merged account is the remaining account''s'
);
SELECT pg_temp.gives(5, 'for dan', 'k8', 'dan'), wallet.delete_account('dan');
SELECT is(pg_temp.gives(5, 'for dan', 'k8', 'dan'), '0 0 2 adjustment replayed', 'an erased reference is still one');
SELECT is(
    pg_temp.gives(5, 'for dan', 'k9', 'dan'), 'WL409 reference-reused',
    'the reference stays used for other requests and after the user''s return'
);

-- A different reason is a different adjustment, by the same operator or another
SELECT is(
    pg_temp.raised(format($$SELECT wallet.operator_adjust('ann', 'production', 'credit', -30, 'r2', %L, 'adjustment',
        NULL, %L, %L)$$, a.reason, a.actor, a.actor || a.reason)), a.answer, a.actor || ' for ' || a.reason
) FROM (VALUES
    ('op', 'because', 'nothing'), ('two', 'because', 'nothing'), ('op', 'another reason', 'WL409 reference-reused'),
    ('two', 'another reason', 'WL409 reference-reused')
) AS a (actor, reason, answer);

-- An unknown user is accepted only if the operator confirms it; a confirmation does not restore a deleted user
CREATE FUNCTION pg_temp.tries(
    p_user text, p_new boolean, p_shown text DEFAULT NULL, p_amount bigint DEFAULT 50, p_dry boolean DEFAULT FALSE,
    p_environment wallet.environment DEFAULT 'production', p_reason text DEFAULT 'because', p_actor text DEFAULT 'op',
    p_daily bigint DEFAULT NULL
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_answer wallet.adjustment_answer;
    v_state text;
    v_message text;
    v_detail text;
BEGIN
    v_answer := wallet.operator_adjust(
        p_user, p_environment, 'credit', p_amount, 'tries ' || p_user || p_actor || p_amount, p_reason, 'adjustment',
        NULL, p_actor, NULL, p_dry, 'admin', p_new, p_shown, p_daily
    );
    PERFORM set_config('test.preview', coalesce(v_answer.preview, ''), TRUE);
    RETURN concat_ws(' ', v_answer.before_credits, '->', v_answer.credits);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS v_state = RETURNED_SQLSTATE, v_message = MESSAGE_TEXT, v_detail = PG_EXCEPTION_DETAIL;
    PERFORM set_config('test.detail', v_detail, TRUE);
    RETURN concat_ws(' ', v_state, v_message);
END;
$$;
SELECT is(pg_temp.tries('typo', FALSE, NULL, 50, d.dry), 'WL404 user-not-found', 'a typing error is refused')
FROM (VALUES (TRUE), (FALSE)) AS d (dry);
SELECT is(pg_temp.tries('typo', NULL), 'WL404 user-not-found', 'without a choice, an unknown user is refused');
SELECT is(
    (SELECT count(*) FROM wallet.identities AS i WHERE i.user_id = 'typo'), 0::bigint, 'the refusal creates no account'
);
SELECT is(pg_temp.tries('nora', TRUE, NULL, 50, TRUE), '0 -> 50', 'a confirmed new user gets a preview');
SELECT is(
    pg_temp.tries('nora', TRUE, current_setting('test.preview')), '0 -> 50', 'the confirmation creates the user'
);
SELECT is(pg_temp.tries('nora', FALSE, NULL, 7, TRUE), '50 -> 57', 'a known user needs no confirmation');
SELECT wallet.delete_account('nora');
SELECT is(
    pg_temp.tries('nora', FALSE, current_setting('test.preview'), 7), 'WL404 user-not-found',
    'a user deleted after the preview is not created again'
);
SELECT pg_temp.gift('olga', 20);
SELECT is(pg_temp.tries('olga', TRUE, NULL, 7, TRUE), '20 -> 27', 'known, and called new');
SELECT wallet.delete_account('olga');
SELECT is(
    pg_temp.tries('olga', TRUE, current_setting('test.preview'), 7), 'WL412 preview-outdated',
    'a confirmation for a new user is refused if the preview is outdated'
);

-- A confirmation applies exactly the preview
SELECT pg_temp.gift('pia', 10);
SELECT is(pg_temp.tries('pia', FALSE, NULL, 5, TRUE), '10 -> 15', 'shown');
SELECT set_config('test.shown', current_setting('test.preview'), TRUE);
SELECT is(
    pg_temp.tries(
        c.who, FALSE, current_setting('test.shown'), c.amount, FALSE, c.environment::wallet.environment, c.reason
    ),
    'WL412 preview-outdated', c.name
) FROM (VALUES
    ('pia', 6, 'production', 'because', 'another amount'), ('pia', 5, 'sandbox', 'because', 'another wallet'),
    ('pia', 5, 'production', 'why not', 'another reason'), ('kim', 5, 'production', 'because', 'another user')
) AS c (who, amount, environment, reason, name);
SELECT is(pg_temp.funds('pia'), '10 0 0 0', 'the refused confirmation changed nothing');
SELECT is(
    pg_temp.tries('pia', FALSE, NULL, 5, FALSE, 'production', 'because', 'two'), '10 -> 15',
    'another operator adjusts first'
);
SELECT is(pg_temp.tries('pia', FALSE, current_setting('test.shown'), 5), 'WL412 preview-outdated', 'shown before that');
SELECT is(
    current_setting('test.detail')::jsonb - 'preview',
    '{"before": {"credits": 15, "visits": 0}, "after": {"credits": 20, "visits": 0}}',
    'the present preview is in the refusal'
);
SELECT is(pg_temp.tries('pia', FALSE, NULL, -5), '15 -> 10', 'the balance matches the preview');
SELECT is(
    pg_temp.tries('pia', FALSE, current_setting('test.shown'), 5), 'WL412 preview-outdated',
    'the version of the preview is outdated'
);
SELECT is(pg_temp.tries('pia', FALSE, NULL, 5, TRUE), '10 -> 15', 'shown again');
SELECT is(pg_temp.tries('pia', FALSE, current_setting('test.preview'), 5), '10 -> 15', 'the adjustment is posted');
SELECT is(pg_temp.tries('pia', FALSE, 'anything', 5), '-> 15', 'a repeated reference returns the first result');

-- An operator's daily total
SELECT is(pg_temp.tries(
    'kim', FALSE, NULL, d.amount, d.dry, d.environment::wallet.environment, 'because', d.actor, 100
), d.answer, d.name)
FROM (VALUES
    (1, 60, FALSE, 'production', 'max', '0 -> 60', 'up to the limit'),
    (2, 41, TRUE, 'production', 'max', 'WL403 daily-amount-exceeded', 'a preview is refused, too'),
    (3, 41, FALSE, 'production', 'max', 'WL403 daily-amount-exceeded', 'an amount above the limit is refused'),
    (4, -40, FALSE, 'production', 'max', '60 -> 20', 'debits count, too'),
    (5, 1, FALSE, 'production', 'max', 'WL403 daily-amount-exceeded', 'the limit is reached'),
    (6, 500, FALSE, 'sandbox', 'max', '0 -> 500', 'the sandbox is not counted'),
    (7, 1, FALSE, 'production', 'ida', '20 -> 21', 'another operator has another total')
) AS d (n, amount, dry, environment, actor, answer, name) ORDER BY d.n;
SELECT pg_temp.wait('1 day');
SELECT is(
    pg_temp.tries('kim', FALSE, NULL, 101, FALSE, 'production', 'because', 'max', 100), 'WL403 daily-amount-exceeded',
    'a single adjustment above the limit'
);
SELECT is(
    current_setting('test.detail')::jsonb, '{"maximum": 100, "remaining": 100}',
    'the refusal reports the remaining amount'
);
SELECT is(
    pg_temp.tries('kim', FALSE, NULL, 2, FALSE, 'production', 'because', 'max', 100), '21 -> 23',
    'a new day is a new total'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
