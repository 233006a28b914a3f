-- Since when the store has reported the present value of a flag: a later report of the same value does not move it. The
-- newest report of another value is kept, because reports may arrive in any order.

ALTER TABLE wallet.period_flags
ADD COLUMN since TIMESTAMPTZ,
ADD COLUMN differed_at TIMESTAMPTZ NOT NULL DEFAULT '-infinity';
UPDATE wallet.period_flags SET since = source_at;
ALTER TABLE wallet.period_flags ALTER COLUMN since SET NOT NULL;
