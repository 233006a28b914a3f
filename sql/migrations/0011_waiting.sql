-- Finds the messages that wait for a user by the account token that they name.
CREATE INDEX inbox_waiting ON wallet.inbox
USING gin (jsonb_path_query_array(payload, '$.statements[*].fact.app_account_token')) WHERE status = 'parked';
