-- Converts an error raised by a statement on a view of schema admin into text for people: the message is a sentence,
-- the detail is the slug with its members, and a hint follows if there is one. The functions behind the views raise
-- errors for programs, with the slug as the message and its members as the detail. The HTTP service calls them too, so
-- they stay unchanged.
-- If a constraint refused a value, the message is the comment of that constraint, not its name.
-- p_refusal: the raised error; name is the constraint, lacking the column that requires a value.
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
            -- Offers are for apps, not for administrators.
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
        WHEN 'amount-too-large' THEN 'An adjustment can be at most 1000000000000.'
        WHEN 'capacity-below-sold' THEN 'Cancel bookings first, or set a larger capacity.'
        WHEN 'expiry-passed' THEN 'Set expires_at to a time in the future, or omit it.'
        WHEN 'gift-not-positive' THEN 'To deduct an amount, use the source adjustment.'
        WHEN 'reference-reused' THEN 'See its first use in admin.adjustments and admin.audit. Use another reference.'
        WHEN 'wallet-busy' THEN 'Nothing was changed. Try again.'
        ELSE 'Nothing was changed.'
    END);
    RETURN v_answer;
END;
$$;
COMMENT ON FUNCTION wallet.admin_refusal(wallet.admin_refusal) IS
'Converts an error raised by a statement of an administrator into text for people.';
