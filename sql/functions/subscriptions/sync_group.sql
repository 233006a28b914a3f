-- Updates the other periods affected by a claim's period: the account's periods that it may cut short, its own end,
-- which a later period may cut short, and the rollover into and out of it. The period before may belong to another
-- account.
-- The caller holds the owner's wallet. Locks: the wallets of the other accounts, without waiting, because other locks
-- are already held. Codes: WL503 wallet-busy if another transaction holds one.
CREATE OR REPLACE FUNCTION wallet.sync_group(p_claim wallet.claims) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF NOT wallet.lock_lot_owners(p_claim.account_id, p_claim.environment, ARRAY(
        SELECT ROW(l.account_id, l.lot_id, 0)::wallet.owned_slice FROM wallet.lots AS l
        INNER JOIN wallet.claims AS c ON l.claim_id = c.claim_id OR l.rolled_from = c.claim_id
        WHERE
            c.store = p_claim.store AND c.environment = p_claim.environment AND c.kind = 'subscription'
            AND c.chain_id = p_claim.chain_id AND c.account_id <> p_claim.account_id
    )) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
    PERFORM wallet.sync_expiry(c) FROM (
        SELECT o.* FROM wallet.claims AS o
        WHERE
            o.account_id = p_claim.account_id AND o.environment = p_claim.environment AND o.store = p_claim.store
            AND o.kind = 'subscription' AND o.granted_at IS NOT NULL AND o.duplicate_of IS NULL
            AND (o.claim_id = p_claim.claim_id OR o.expires_at > p_claim.purchased_at)
        ORDER BY o.purchased_at, o.claim_id
    ) AS c;
    PERFORM wallet.settle(c.account_id, c.lot_id, p_rolls => TRUE) FROM (
        SELECT l.account_id, l.lot_id FROM wallet.lots AS l
        WHERE l.claim_id IN (p_claim.claim_id, (wallet.period_before(p_claim)).claim_id)
        ORDER BY l.claim_id
    ) AS c;
END;
$$;
COMMENT ON FUNCTION wallet.sync_group(wallet.claims) IS 'Updates the other periods affected by one period.';

-- Updates all periods and subscriptions of an account after claims have moved to it or from it: which periods replace
-- each other follows from their present owner.
-- The caller holds the claims and the wallet. Locks: see wallet.sync_group and wallet.end_replaced. Codes: WL503
-- wallet-busy, see wallet.sync_group.
CREATE OR REPLACE FUNCTION wallet.sync_periods(p_account_id BIGINT, p_environment wallet.environment) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM wallet.sync_group(c) FROM (
        SELECT o.* FROM wallet.claims AS o
        WHERE
            o.account_id = p_account_id AND o.environment = p_environment AND o.kind = 'subscription'
            AND o.granted_at IS NOT NULL AND o.duplicate_of IS NULL
        ORDER BY o.purchased_at, o.claim_id
    ) AS c;
    PERFORM wallet.end_replaced(p_account_id, p_environment);
END;
$$;
COMMENT ON FUNCTION wallet.sync_periods(BIGINT, wallet.environment) IS
'Updates all periods and subscriptions of an account after claims have moved to it or from it.';

-- Sets the expiry of a plan's lots to the end of their period. Freezes move it, unless the period was cut short. If the
-- period was extended after a lot had lapsed, the lot reopens, unless its lapsed amount has rolled over. If the period
-- was cut short, the remaining amount lapses.
-- Locks: no others; the caller holds the wallet. Codes: none.
CREATE OR REPLACE FUNCTION wallet.sync_expiry(p_claim wallet.claims) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot wallet.lots;
    v_period_end CONSTANT TIMESTAMPTZ := wallet.period_end(p_claim);
    v_end TIMESTAMPTZ;
    v_before CONSTANT BIGINT := (wallet.period_before(p_claim)).claim_id;
BEGIN
    FOR v_lot IN
        SELECT l.* FROM wallet.lots AS l
        WHERE
            l.source = 'plan' AND l.reopened_until IS NULL
            AND l.expires_at <> v_period_end + make_interval(
                secs => CASE WHEN v_period_end < p_claim.expires_at THEN 0 ELSE l.frozen_seconds END
            )
            AND (l.claim_id = p_claim.claim_id OR l.rolled_from = v_before)
        ORDER BY l.lot_id
    LOOP
        v_end := v_period_end + make_interval(
            secs => CASE WHEN v_period_end < p_claim.expires_at THEN 0 ELSE v_lot.frozen_seconds END
        );
        UPDATE wallet.lots AS l SET expires_at = v_end
        WHERE l.account_id = v_lot.account_id AND l.lot_id = v_lot.lot_id;
        UPDATE wallet.wallets AS w SET next_expiry = v_end
        WHERE w.account_id = v_lot.account_id AND w.environment = v_lot.environment AND w.next_expiry > v_end;
        IF
            v_lot.lapsed > 0 AND v_end > wallet.now()
            AND NOT EXISTS (SELECT FROM wallet.lots AS r WHERE r.rolled_from = p_claim.claim_id)
        THEN
            PERFORM wallet.post_lot(
                v_lot.account_id, v_lot.environment, v_lot.lot_id, 'reopen',
                p_lapsed => -v_lot.lapsed, p_claim_id => p_claim.claim_id
            );
            PERFORM wallet.settle(v_lot.account_id, v_lot.lot_id, p_repays => TRUE);
            PERFORM wallet.emit(
                'credits.granted', v_lot.account_id, v_lot.environment, p_claim.claim_id,
                p_details => jsonb_build_object(
                    'lot_id', v_lot.lot_id, 'amount', v_lot.granted - v_lot.refunded - v_lot.spent
                )
            ) WHERE v_lot.granted - v_lot.refunded - v_lot.spent > 0;
        END IF;
        PERFORM wallet.settle(v_lot.account_id, v_lot.lot_id);
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.sync_expiry(wallet.claims) IS
'Sets the expiry of a plan''s lots to the end of their period.';
