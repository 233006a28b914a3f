-- An answer names the lots that paid in two arrays: to write them as JSON and to read that again cost as much as the
-- rest of an answer.

DROP FUNCTION IF EXISTS wallet.slices_json(UUID[], BIGINT[]);

ALTER TYPE wallet.booking_outcome DROP ATTRIBUTE slices, ADD ATTRIBUTE lot_ids UUID[],
ADD ATTRIBUTE lot_amounts BIGINT[];
