-- Two users with a wallet, for the blocks of deploy/personal-data.md.
INSERT INTO admin.adjustments (reference, user_id, amount, reason)
VALUES ('for anna', 'anna', 60, 'goodwill for anna'), ('for berta', 'berta', 60, 'goodwill');
