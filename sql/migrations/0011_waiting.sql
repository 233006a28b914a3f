-- Finds the messages that wait for a user, or name one who is deleted.
CREATE INDEX inbox_names ON wallet.inbox USING gin (names);
