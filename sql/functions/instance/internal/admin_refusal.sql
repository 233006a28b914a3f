-- Turns what a statement on a view of schema admin raised into what a person reads: a sentence as the message, the slug
-- with its members as the detail, and a hint where there is one. The functions below the views raise for programs: the
-- slug as the message and its members as the detail. Those are called over HTTP too, and stay as they are.
-- A refused value is told by the comment of the constraint that refused it, and not by the constraint's name.
-- p_refusal: what was raised. name is the constraint's, lacking the column that must have a value.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.admin_refusal(p_refusal wallet.admin_refusal) RETURNS wallet.admin_refusal
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_answer wallet.admin_refusal := p_refusal;
    v_slug TEXT;
BEGIN
    IF wallet.admin_sentence(substring(p_refusal.detail FROM '^[a-z-]+')) = p_refusal.message THEN
        RETURN p_refusal;
    ELSIF p_refusal.state LIKE 'WL%' THEN
        v_slug := p_refusal.message;
        v_answer.detail := concat_ws(' ', v_slug, CASE v_slug
            -- What an app would sell instead.
            WHEN 'insufficient-credits' THEN (p_refusal.detail::JSONB - 'offers')::TEXT
            ELSE nullif(p_refusal.detail, '')
        END);
        v_answer.message := wallet.admin_sentence(v_slug);
    ELSE
        v_slug := CASE p_refusal.state
            WHEN '23502' THEN 'value-missing'
            WHEN '23503' THEN 'unknown-reference'
            WHEN '23505' THEN 'already-exists'
            ELSE 'value-not-possible'
        END;
        v_answer.detail := v_slug;
        v_answer.message := coalesce(
            CASE WHEN p_refusal.state = '23502' THEN p_refusal.lacking || ' is required.' END,
            (
                SELECT min(d.description) FROM pg_catalog.pg_constraint AS c
                INNER JOIN pg_catalog.pg_description AS d
                    ON c.oid = d.objoid AND d.classoid = 'pg_catalog.pg_constraint'::REGCLASS
                WHERE c.conname = p_refusal.name AND c.connamespace = 'wallet'::REGNAMESPACE
            ),
            wallet.admin_sentence(v_slug)
        );
    END IF;
    v_answer.message := coalesce(
        v_answer.message, upper(left(v_slug, 1)) || translate(substr(v_slug, 2), '-', ' ') || '.'
    );
    v_answer.hint := coalesce(nullif(p_refusal.hint, ''), CASE v_slug
        WHEN 'amount-too-large' THEN 'An adjustment moves 1000000000000 at most.'
        WHEN 'capacity-below-sold' THEN 'Cancel bookings first, or take a larger capacity.'
        WHEN 'expiry-passed' THEN 'Take an instant ahead, or leave expires_at out.'
        WHEN 'gift-not-positive' THEN 'What is taken has the source adjustment.'
        WHEN 'reference-reused' THEN 'admin.adjustments and admin.audit say what it did; take another one.'
        WHEN 'wallet-busy' THEN 'Nothing was changed. Try again.'
        ELSE 'Nothing was changed.'
    END);
    RETURN v_answer;
END;
$$;
COMMENT ON FUNCTION wallet.admin_refusal(wallet.admin_refusal) IS
'What a statement of an administrator raised, in words.';
