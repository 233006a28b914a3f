-- The least that a read of a wallet can cost, for pgbench: one row by its primary key.
\set wallet random(1, :wallets)
SELECT w.* FROM wallet.wallets AS w WHERE w.account_id = :wallet AND w.environment = 'production';
