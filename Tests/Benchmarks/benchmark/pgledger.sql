-- Accounts of pgledger for the transfers: one for each member and one for each class.
--   psql -v wallets=100000 -v classes=2000 -f pgledger.sql
CREATE TABLE members AS
SELECT n, a.id FROM generate_series(1, :wallets) AS n
CROSS JOIN LATERAL pgledger_create_account('member ' || n, 'credit') AS a;
CREATE TABLE classes AS
SELECT n, a.id FROM generate_series(1, :classes) AS n
CROSS JOIN LATERAL pgledger_create_account('class ' || n, 'credit') AS a;
ALTER TABLE members ADD PRIMARY KEY (n);
ALTER TABLE classes ADD PRIMARY KEY (n);
VACUUM (ANALYZE);
