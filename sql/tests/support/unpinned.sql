-- The functions that do not set a search_path. PostgreSQL inlines those of a single expression (canonical_user_id,
-- entry_hash, product_label, read_account_token and the constructors new_*). For the others a separate setting would
-- cost as much as their work. Only functions that pin a search_path call them. .ci/checks/pgspot reads this list, too.
CREATE TEMPORARY TABLE unpinned AS
SELECT u.name
FROM unnest(ARRAY[
    'canonical_user_id',
    'decide_booking',
    'entry_hash',
    'lock_seats',
    'lock_wallets',
    'new_booking',
    'new_entry',
    'new_head',
    'new_outcome',
    'new_posting',
    'post',
    'product_label',
    'read_account_token',
    'read_bookings',
    'write_batch'
]) AS u (name);
