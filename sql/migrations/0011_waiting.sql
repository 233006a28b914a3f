-- Finds the messages that wait for a user, or name one who is deleted. What is new is not left on the index's list of
-- what is pending, which every search would have to read.
CREATE INDEX inbox_names ON wallet.inbox USING gin (names) WITH (fastupdate = off);
