-- The functions without a search_path of their own. PostgreSQL inlines canonical_user_id, lock_wallets and
-- entry_hash; for the others a separate setting would cost as much as their work. Only functions that pin a search_path call them.
-- .ci/checks/pgspot reads this list, too.
CREATE TEMPORARY TABLE unpinned AS
SELECT u.name
FROM unnest(ARRAY[
    'canonical_user_id',
    'choose_payment',
    'entry_hash',
    'lock_seats',
    'lock_wallets',
    'post',
    'read_bookings',
    'write_batch'
]) AS u (name);
