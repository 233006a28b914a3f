-- Adds an amount to the wallets of many users for an operator or administrator, under one reference and for one reason
-- (rule 42). The users are the members of a class, or a list. Each user is compensated once for the reference. So
-- repeating a call changes nothing, an interrupted compensation continues when it is repeated, and a corrected list
-- adds only its new users. A user who cannot be compensated is reported and does not affect the others. The members of
-- a class are those with an active booking and those whose bookings the studio cancelled with the class.
-- p_users: [{"user_id", "amount"}] in any spelling; null for a class. p_amount: the amount for a member, and for each
-- user without an amount. p_source: adjustment, or promo for a gift. p_expires_at: null for never.
-- p_dry_run: whether to return the result and change nothing. p_right: the actor's role. p_new_users: whether to create
-- the accounts of unknown users. p_shown: the preview returned by a dry run; it stays the same while the compensation
-- proceeds, and the call is refused if the users or their amounts have changed. p_daily_amount: see
-- wallet.operator_adjust. p_limit: how many users this call compensates; the others are reported as pending.
-- Locks: the reference, then the wallets in order of account, then the operator's total. Codes: WL403 right-missing,
-- WL403 daily-amount-exceeded, WL404 class-not-found, WL409 reference-reused (with another class, unit, source, expiry
-- or reason), WL412 preview-outdated with the current preview, WL422 reason-required, WL422 expiry-passed, WL400
-- malformed-request (not exactly one of class and users), WL503 wallet-busy (an account was deleted or merged
-- meanwhile).
CREATE OR REPLACE FUNCTION wallet.compensate(
    p_reference TEXT,
    p_environment wallet.environment,
    p_unit wallet.unit,
    p_class_id TEXT,
    p_users JSONB,
    p_amount BIGINT,
    p_reason TEXT,
    p_source TEXT,
    p_expires_at TIMESTAMPTZ,
    p_actor TEXT,
    p_dry_run BOOLEAN DEFAULT FALSE,
    p_right wallet.operator_right DEFAULT 'admin',
    p_new_users BOOLEAN DEFAULT FALSE,
    p_shown TEXT DEFAULT NULL,
    p_daily_amount BIGINT DEFAULT NULL,
    p_limit INTEGER DEFAULT NULL
) RETURNS wallet.compensation_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_action CONSTANT TEXT := CASE WHEN p_class_id IS NULL THEN 'compensate-users' ELSE 'compensate-class' END;
    v_reference TEXT;
    v_lines wallet.compensation_line[];
    v_line wallet.compensation_line;
    v_answer wallet.compensation_answer;
    v_added BIGINT := 0;
    v_amount BIGINT := 0;
BEGIN
    PERFORM wallet.check_right(v_action, p_right);
    p_expires_at := coalesce(p_expires_at, 'infinity');
    IF num_nonnulls(p_class_id, p_users) <> 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'WL400', MESSAGE = 'malformed-request';
    ELSIF wallet.is_plain_text(p_reason) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'reason-required',
            HINT = 'A reason must be one line without control characters.';
    ELSIF p_class_id IS NOT NULL AND NOT EXISTS (SELECT FROM wallet.classes AS c WHERE c.class_id = p_class_id) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'class-not-found';
    END IF;
    BEGIN
        v_reference := wallet.compensation_reference(
            p_reference, p_class_id, p_environment, p_unit, p_source, p_expires_at, p_reason
        );
        v_lines := ARRAY(
            SELECT l FROM wallet.compensation_lines(
                v_reference, p_environment, p_unit, p_class_id, p_users, p_amount, p_new_users
            ) AS l
            -- This is the order of the locks. Users without an account get one with a higher number.
            ORDER BY l.account_id, l.place
        );
        v_answer.preview := wallet.preview_digest(
            v_action,
            jsonb_build_array(
                p_environment, p_unit, p_class_id, p_source, extract(EPOCH FROM p_expires_at), p_reason
            ),
            (
                SELECT jsonb_agg(jsonb_build_array(
                    coalesce(encode(wallet.user_digest(l.user_id), 'hex'), l.account_id::TEXT), l.amount, l.reason
                ) ORDER BY l.place)
                FROM unnest(v_lines) AS l
            )
        );
        IF p_shown <> v_answer.preview AND NOT p_dry_run THEN
            RAISE EXCEPTION USING ERRCODE = 'WL412', MESSAGE = 'preview-outdated',
                DETAIL = jsonb_build_object('preview', v_answer.preview)::TEXT;
        END IF;
        FOR v_place IN 1 .. cardinality(v_lines) LOOP
            v_line := v_lines[v_place];
            CONTINUE WHEN v_line.result <> 'pending';
            IF p_expires_at <= wallet.now() THEN
                RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'expiry-passed';
            END IF;
            EXIT WHEN v_added >= p_limit AND NOT p_dry_run;
            IF NOT p_dry_run THEN
                v_line := wallet.compensate_one(
                    v_line, v_reference, p_environment, p_unit, p_source, p_expires_at, p_actor, p_reason
                );
                v_lines[v_place] := v_line;
                -- Another account of the user was compensated, and was merged into this account meanwhile.
                CONTINUE WHEN v_line.result <> 'added';
            END IF;
            v_added := v_added + 1;
            v_amount := v_amount + v_line.amount;
        END LOOP;
        IF p_environment = 'production' AND p_daily_amount IS NOT NULL AND v_amount > 0 THEN
            PERFORM wallet.add_to_operator_total(p_actor, v_amount, p_daily_amount);
        END IF;
        IF p_dry_run THEN
            RAISE EXCEPTION USING ERRCODE = 'WLDRY';
        ELSIF p_class_id IS NOT NULL AND v_added > 0 THEN
            PERFORM wallet.record_action(
                ROW(p_actor, p_reason, v_reference, NULL)::wallet.action_note, v_action, 'class', p_class_id, '{}',
                jsonb_build_object('users', v_added, p_unit::TEXT || 's', v_amount), NULL, p_environment,
                -- A reference or a reason that names a member is erased with the member.
                p_named => ARRAY(
                    SELECT l.user_id FROM unnest(v_lines) AS l
                    WHERE strpos(lower(concat_ws(' ', v_reference, p_reason)), lower(l.user_id)) > 0
                )
            );
        END IF;
    EXCEPTION
        -- The exception undoes all writes, but v_answer and v_lines keep their values.
        WHEN SQLSTATE 'WLDRY' THEN
            NULL;
    END;
    SELECT
        count(*) FILTER (WHERE l.result <> 'refused'), coalesce(sum(l.amount) FILTER (WHERE l.result <> 'refused'), 0),
        count(*) FILTER (WHERE l.result = 'pending'), count(*) FILTER (WHERE l.result = 'refused'),
        coalesce(jsonb_agg(to_jsonb(l) - ARRAY['account_id', 'place'] ORDER BY l.place), '[]')
    INTO v_answer.users, v_answer.total, v_answer.pending, v_answer.refused, v_answer.lines
    FROM unnest(v_lines) AS l;
    RETURN v_answer;
END;
$$;
COMMENT ON FUNCTION wallet.compensate(
    TEXT, wallet.environment, wallet.unit, TEXT, JSONB, BIGINT, TEXT, TEXT, TIMESTAMPTZ, TEXT, BOOLEAN,
    wallet.operator_right, BOOLEAN, TEXT, BIGINT, INTEGER
) IS 'Adds an amount to the wallets of many users, each once for the reference, or returns the result of a dry run.';

-- Records a compensation when its reference is first used, and returns the stored reference: a digest if the reference
-- was erased with a user whom it named. Refuses the reference of another compensation. Another call with the reference,
-- or the deletion of a user whom it names, finishes first.
-- Locks: the reference. Codes: WL409 reference-reused.
CREATE OR REPLACE FUNCTION wallet.compensation_reference(
    p_reference TEXT,
    p_class_id TEXT,
    p_environment wallet.environment,
    p_unit wallet.unit,
    p_source TEXT,
    p_expires_at TIMESTAMPTZ,
    p_reason TEXT
) RETURNS TEXT LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_known wallet.compensations;
    v_reason_digest CONSTANT BYTEA := (
        SELECT sha256(i.user_salt || convert_to(p_reason, 'UTF8')) FROM wallet.instance AS i WHERE i.only_row
    );
BEGIN
    LOOP
        SELECT c.* INTO v_known FROM wallet.compensations AS c
        WHERE c.reference IN (p_reference, 'erased ' || encode(sha256(convert_to(p_reference, 'UTF8')), 'hex'))
        FOR UPDATE;
        EXIT WHEN FOUND;
        INSERT INTO wallet.compensations (reference, class_id, environment, unit, source, expires_at, reason_digest, at)
        VALUES (p_reference, p_class_id, p_environment, p_unit, p_source, p_expires_at, v_reason_digest, wallet.now())
        ON CONFLICT (reference) DO NOTHING;
    END LOOP;
    IF
        (v_known.class_id, v_known.environment, v_known.unit, v_known.source, v_known.expires_at, v_known.reason_digest)
        IS DISTINCT FROM (p_class_id, p_environment, p_unit, p_source, p_expires_at, v_reason_digest)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'reference-reused';
    END IF;
    RETURN v_known.reference;
END;
$$;
COMMENT ON FUNCTION wallet.compensation_reference(
    TEXT, TEXT, wallet.environment, wallet.unit, TEXT, TIMESTAMPTZ, TEXT
) IS 'Records a compensation when its reference is first used, and returns the stored reference.';

-- Returns the users of a compensation: who was compensated already, who is pending with the expected balance, and who
-- is refused and why. An account that is named twice is compensated once, at its first place.
-- p_reference: the stored reference.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.compensation_lines(
    p_reference TEXT,
    p_environment wallet.environment,
    p_unit wallet.unit,
    p_class_id TEXT,
    p_users JSONB,
    p_amount BIGINT,
    p_new_users BOOLEAN
) RETURNS SETOF wallet.compensation_line LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    WITH members AS (
        SELECT b.account_id, min(b.created_at) AS booked_at FROM wallet.classes AS c
        INNER JOIN wallet.bookings AS b ON c.class_id = b.class_id
        WHERE c.class_id = p_class_id AND b.environment = p_environment AND b.cancelled_at IS NULL
        GROUP BY b.account_id
        UNION ALL
        -- A member whose booking the studio cancelled before the class was not affected by the class.
        SELECT b.account_id, min(b.created_at) FROM wallet.classes AS c
        INNER JOIN wallet.bookings AS b ON c.class_id = b.class_id
        WHERE
            c.class_id = p_class_id AND b.environment = p_environment AND b.cancelled_by = 'studio'
            AND b.cancelled_at >= c.cancelled_at
        GROUP BY b.account_id
    ),

    named AS (
        SELECT
            u.place, i.account_id, wallet.canonical_user_id(u.listed ->> 'user_id') AS user_id,
            coalesce((u.listed ->> 'amount')::BIGINT, p_amount) AS amount
        FROM jsonb_array_elements(coalesce(p_users, '[]')) WITH ORDINALITY AS u (listed, place)
        LEFT JOIN wallet.identities AS i ON i.user_id = wallet.canonical_user_id(u.listed ->> 'user_id')
        UNION ALL
        SELECT row_number() OVER (ORDER BY min(m.booked_at), m.account_id), m.account_id, (
            SELECT min(i.user_id) FROM wallet.identities AS i
            WHERE i.account_id = m.account_id AND i.merged_at IS NULL
        ), p_amount
        FROM members AS m
        GROUP BY m.account_id
    ),

    judged AS (
        SELECT n.*, a.deleted_at, CASE
            WHEN n.account_id IS NULL AND (
                char_length(n.user_id) BETWEEN 1 AND 320 AND wallet.is_plain_text(n.user_id)
            ) IS NOT TRUE THEN 'user-id-malformed'
            WHEN a.deleted_at IS NOT NULL OR (n.account_id IS NULL AND EXISTS (
                SELECT FROM wallet.deleted_users AS d WHERE d.user_digest = wallet.user_digest(n.user_id)
            )) THEN 'user-deleted'
            WHEN n.account_id IS NULL AND NOT p_new_users THEN 'user-not-found'
            WHEN coalesce(n.amount, 0) <= 0 THEN 'amount-not-positive'
            WHEN n.amount > 1000000000000 THEN 'amount-too-large'
            WHEN row_number() OVER (
                PARTITION BY coalesce(n.account_id::TEXT, 'new ' || n.user_id) ORDER BY n.place
            ) > 1 THEN 'user-repeated'
            WHEN k.amount <> n.amount THEN 'amount-changed'
        END AS refusal, k.amount AS added
        FROM named AS n
        LEFT JOIN wallet.accounts AS a ON n.account_id = a.account_id
        LEFT JOIN LATERAL (
            -- The account itself, or one that was merged into it, was compensated.
            SELECT j.amount FROM wallet.accounts AS o
            INNER JOIN wallet.adjustments AS j ON o.account_id = j.account_id AND j.compensation = p_reference
            WHERE n.account_id IN (o.account_id, o.merged_into)
            ORDER BY j.at
            LIMIT 1
        ) AS k ON TRUE
    )

    SELECT
        j.place, j.account_id, j.user_id, j.amount,
        CASE WHEN j.refusal IS NOT NULL THEN 'refused' WHEN j.added IS NOT NULL THEN 'already_added' ELSE 'pending' END,
        j.refusal, b.balance,
        CASE WHEN coalesce(j.refusal, j.added::TEXT) IS NULL THEN b.balance + greatest(j.amount - b.owed, 0) END
    FROM judged AS j
    LEFT JOIN LATERAL (
        SELECT
            coalesce(max(CASE p_unit WHEN 'credit' THEN w.credits ELSE w.visits END), 0) AS balance,
            coalesce(max(CASE p_unit WHEN 'credit' THEN w.owed_credits ELSE w.owed_visits END), 0) AS owed
        FROM wallet.balances AS w
        WHERE w.account_id = j.account_id AND w.environment = p_environment
    ) AS b ON j.account_id IS NOT NULL OR j.refusal IS NULL;
$$;
COMMENT ON FUNCTION wallet.compensation_lines(
    TEXT, wallet.environment, wallet.unit, TEXT, JSONB, BIGINT, BOOLEAN
) IS 'Returns the users of a compensation, with their results so far.';

-- Compensates one user, unless a compensated account has just been merged into the user's account, and returns the
-- result.
-- Locks: the wallet; see wallet.account_for for a new user. Codes: see wallet.adjust.
CREATE OR REPLACE FUNCTION wallet.compensate_one(
    p_line wallet.compensation_line,
    p_reference TEXT,
    p_environment wallet.environment,
    p_unit wallet.unit,
    p_source TEXT,
    p_expires_at TIMESTAMPTZ,
    p_actor TEXT,
    p_reason TEXT
) RETURNS wallet.compensation_line LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_line wallet.compensation_line := p_line;
BEGIN
    v_line.account_id := coalesce(v_line.account_id, wallet.account_for(v_line.user_id));
    PERFORM wallet.lock_wallet(v_line.account_id, p_environment);
    SELECT CASE p_unit WHEN 'credit' THEN w.credits ELSE w.visits END INTO STRICT v_line.before
    FROM wallet.wallets AS w
    WHERE w.account_id = v_line.account_id AND w.environment = p_environment;
    IF EXISTS (
        SELECT FROM wallet.accounts AS o
        INNER JOIN wallet.adjustments AS j ON o.account_id = j.account_id AND j.compensation = p_reference
        WHERE v_line.account_id IN (o.account_id, o.merged_into)
    ) THEN
        v_line.result := 'already_added';
        v_line.after := NULL;
        RETURN v_line;
    END IF;
    PERFORM wallet.adjust(
        v_line.account_id, p_environment, p_unit, v_line.amount, p_reference || ' ' || wallet.new_id(), p_actor,
        p_reason, p_expires_at, p_source, p_reference
    );
    v_line.result := 'added';
    SELECT CASE p_unit WHEN 'credit' THEN w.credits ELSE w.visits END INTO STRICT v_line.after
    FROM wallet.wallets AS w
    WHERE w.account_id = v_line.account_id AND w.environment = p_environment;
    RETURN v_line;
END;
$$;
COMMENT ON FUNCTION wallet.compensate_one(
    wallet.compensation_line, TEXT, wallet.environment, wallet.unit, TEXT, TIMESTAMPTZ, TEXT, TEXT
) IS 'Compensates one user, unless a compensated account has just been merged into the user''s account.';

-- Carries out INSERT INTO admin.compensations: compensates the members of a class, or one user. COPY inserts a list. An
-- unknown user is refused unless new_user is true. A row that changes nothing is not counted.
-- Locks: see wallet.compensate. Codes: see wallet.compensate; WL422 user-and-reference-required, WL422
-- invalid-source, WL404 user-not-found, WL409 reference-reused (also for another amount), WL422 amount-is-zero,
-- WL422 amount-too-large, WL422 gift-not-positive.
CREATE OR REPLACE FUNCTION wallet.admin_insert_compensation(p_new RECORD) RETURNS RECORD
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_new admin.compensations := p_new;
    v_answer wallet.compensation_answer;
    v_refusal TEXT;
BEGIN
    IF
        num_nonnulls(v_new.user_id, v_new.class_id) <> 1 OR wallet.is_plain_text(v_new.reference) IS NOT TRUE
        OR NOT wallet.is_plain_text(v_new.user_id)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'user-and-reference-required',
            HINT = 'A row needs a reference, and either a class_id or a user_id.';
    ELSIF v_new.source NOT IN ('adjustment', 'gift', 'promo') THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'invalid-source';
    ELSIF coalesce(v_new.amount, 0) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'amount-is-zero';
    ELSIF v_new.amount < 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'gift-not-positive';
    ELSIF v_new.amount > 1000000000000 THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'amount-too-large', DETAIL = '{"maximum": 1000000000000}';
    END IF;
    v_new.environment := coalesce(v_new.environment, 'production');
    v_new.unit := coalesce(v_new.unit, 'credit');
    v_new.source := coalesce(v_new.source, 'adjustment');
    v_new.actor := session_user::TEXT;
    v_new.at := wallet.now();
    v_answer := wallet.compensate(
        v_new.reference, v_new.environment, v_new.unit, v_new.class_id,
        CASE WHEN v_new.user_id IS NOT NULL THEN jsonb_build_array(jsonb_build_object('user_id', v_new.user_id)) END,
        v_new.amount::wallet.whole_number::BIGINT, v_new.reason,
        CASE WHEN v_new.source = 'gift' THEN 'promo' ELSE v_new.source END, v_new.expires_at, v_new.actor,
        p_new_users => coalesce(v_new.new_user, FALSE)
    );
    v_refusal := CASE WHEN v_new.user_id IS NOT NULL THEN v_answer.lines -> 0 ->> 'reason' END;
    IF v_refusal = 'amount-changed' THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'reference-reused';
    ELSIF v_refusal IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'user-not-found',
            HINT = 'Check the user_id. To add a new user, set new_user = TRUE.';
    END IF;
    SELECT count(*), coalesce(sum((l.line ->> 'amount')::BIGINT), 0) INTO v_new.users, v_new.total
    FROM jsonb_array_elements(v_answer.lines) AS l (line)
    WHERE l.line ->> 'result' = 'added';
    IF v_new.users = 0 THEN
        RETURN NULL;
    END IF;
    RETURN v_new;
END;
$$;
COMMENT ON FUNCTION wallet.admin_insert_compensation(RECORD) IS 'Carries out INSERT INTO admin.compensations.';
