-- Writes lots and amounts as the JSON list of slices that the API shows.
-- Called by: wallet.quote_one. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.slices_json(p_lot_ids UUID[], p_amounts BIGINT[]) RETURNS JSONB
LANGUAGE plpgsql STABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(jsonb_build_object('lot_id', s.lot_id, 'amount', s.amount) ORDER BY s.place), '[]')
        FROM unnest(p_lot_ids, p_amounts) WITH ORDINALITY AS s (lot_id, amount, place)
    );
END;
$$;
COMMENT ON FUNCTION wallet.slices_json(UUID[], BIGINT[]) IS 'Lots and amounts as a JSON list of slices.';
