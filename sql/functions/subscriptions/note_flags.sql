-- Stores the newest value of every flag that a fact reports for its period. If two facts have the same source time, the
-- occasion with the higher rank wins, then the greater value, so that the result does not depend on the order of
-- arrival.
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
    INSERT INTO wallet.period_flags (claim_id, flag, value, source_at, rank)
    SELECT
        p_claim_id,
        f.flag,
        CASE
            WHEN f.is_instant THEN to_char(f.value::TIMESTAMPTZ AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
            ELSE f.value::BOOLEAN::TEXT
        END,
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
    ON CONFLICT (claim_id, flag) DO UPDATE SET
        value = excluded.value, source_at = excluded.source_at, rank = excluded.rank
    WHERE (excluded.source_at, excluded.rank, excluded.value)
        > (wallet.period_flags.source_at, wallet.period_flags.rank, wallet.period_flags.value);
END;
$$;
COMMENT ON FUNCTION wallet.note_flags(BIGINT, JSONB) IS
'Stores the newest value of every flag that a fact reports for its period.';
