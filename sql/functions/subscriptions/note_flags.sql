-- Stores the newest value of every flag that a fact reports for its period (see wallet.newest_flag).
-- The caller holds the claim. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.note_flags(p_claim_id BIGINT, p_fact JSONB) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    -- One-time purchases have no period, and most of their facts have no flag.
    IF
        NOT p_fact
        ?| '{will_renew, billing_issue, paused, revoked, commitment_renews, grace_ends_at, expired_at, expires_at}'
    THEN
        RETURN;
    END IF;
    INSERT INTO wallet.period_flags AS k (claim_id, flag, value, source_at, since, rank)
    SELECT
        p_claim_id,
        f.flag,
        CASE
            WHEN f.is_instant THEN to_char(f.value::TIMESTAMPTZ AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
            ELSE f.value::BOOLEAN::TEXT
        END,
        (p_fact ->> 'source_at')::TIMESTAMPTZ,
        (p_fact ->> 'source_at')::TIMESTAMPTZ,
        coalesce(array_position(ARRAY[
            'renewal', 'uncancellation', 'cancellation', 'billing_issue', 'expiration', 'refund'
        ], p_fact ->> 'occasion'), 1)
    FROM (
        VALUES
        ('will_renew', p_fact ->> 'will_renew', FALSE),
        ('billing_issue', p_fact ->> 'billing_issue', FALSE),
        ('paused', p_fact ->> 'paused', FALSE),
        ('revoked', p_fact ->> 'revoked', FALSE),
        ('commitment_renews', p_fact ->> 'commitment_renews', FALSE),
        ('grace_ends_at', p_fact ->> 'grace_ends_at', TRUE),
        ('expired_at', p_fact ->> 'expired_at', TRUE),
        ('expires_at', p_fact ->> 'expires_at', TRUE)
    ) AS f (flag, value, is_instant)
    WHERE f.value IS NOT NULL
    ON CONFLICT (claim_id, flag) DO UPDATE SET (value, source_at, rank, since, differed_at) = (
        SELECT n.value, n.source_at, n.rank, n.since, n.differed_at
        FROM wallet.newest_flag(k, excluded) AS n
    ) WHERE wallet.newest_flag(k, excluded) IS DISTINCT FROM k;
END;
$$;
COMMENT ON FUNCTION wallet.note_flags(BIGINT, JSONB) IS
'Stores the newest value of every flag that a fact reports for its period.';

-- Returns what two reports say of one flag. The newer report has the value. If both have the same source time, the
-- occasion with the higher rank wins, then the greater value. The value holds since its first report after the last
-- report of another value. The result does not depend on the order of arrival, with one exception: if the report of
-- another value arrives last, the value holds since its newest report.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.newest_flag(p_one wallet.period_flags, p_other wallet.period_flags)
RETURNS wallet.period_flags LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_is_newer CONSTANT BOOLEAN := (p_one.source_at, p_one.rank, p_one.value)
        >= (p_other.source_at, p_other.rank, p_other.value);
    v_newest wallet.period_flags := CASE WHEN v_is_newer THEN p_one ELSE p_other END;
    v_earlier CONSTANT wallet.period_flags := CASE WHEN v_is_newer THEN p_other ELSE p_one END;
BEGIN
    v_newest.differed_at := greatest(
        v_newest.differed_at,
        CASE WHEN v_earlier.value = v_newest.value THEN v_earlier.differed_at ELSE v_earlier.source_at END
    );
    v_newest.since := least(
        CASE WHEN v_newest.since > v_newest.differed_at THEN v_newest.since ELSE v_newest.source_at END,
        CASE
            WHEN v_earlier.value = v_newest.value AND v_earlier.since > v_newest.differed_at THEN v_earlier.since
        END
    );
    RETURN v_newest;
END;
$$;
COMMENT ON FUNCTION wallet.newest_flag(wallet.period_flags, wallet.period_flags) IS
'Returns what two reports say of one flag.';
