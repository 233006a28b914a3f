-- wallet.mark_dev: a database that has held an account cannot change its kind (rule 3).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
UPDATE wallet.instance SET kind = 'production';
SELECT lives_ok('SELECT wallet.mark_dev()', 'a fresh database can be marked');
SELECT is((SELECT f.kind FROM wallet.instance_facts AS f), 'dev', 'the database is marked as dev');
SELECT wallet.account_for('ann');
SELECT lives_ok('SELECT wallet.mark_dev()', 'a dev database stays dev after accounts exist');
UPDATE wallet.instance SET kind = 'production';
SELECT is(pg_temp.raised('SELECT wallet.mark_dev()'), 'WL409 database-is-production', 'production with accounts stays');
SELECT is((SELECT f.kind FROM wallet.instance_facts AS f), 'production', 'the kind is unchanged');
SELECT * FROM finish();
ROLLBACK;
