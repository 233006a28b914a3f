-- Returns an amount of money in the currency's unit, with the currency's decimals: 17900 hundredths of USD are 179.00,
-- and 150000 hundredths of JPY are 1500. The catalogue and the reports store hundredths of the unit for every currency.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.money(p_minor NUMERIC, p_currency TEXT) RETURNS NUMERIC LANGUAGE sql IMMUTABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT round(p_minor * 0.01, CASE
        -- The currencies of ISO 4217 that do not have two decimals.
        WHEN p_currency IN (
            'BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF',
            'XPF'
        ) THEN 0
        WHEN p_currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') THEN 3
        ELSE 2
    END);
$$;
COMMENT ON FUNCTION wallet.money(NUMERIC, TEXT) IS 'Returns an amount of money in the currency''s unit.';
