\set member random(1, :wallets)
\set class random(1, :classes)
SELECT t.* FROM pgledger_create_transfer(
    (SELECT id FROM members WHERE n = :member), (SELECT id FROM classes WHERE n = :class), 1
) AS t;
