-- Two users with a wallet, for the blocks of deploy/personal-data.md.
INSERT INTO admin.adjustments (reference, user_id, amount, reason, new_user)
VALUES ('for anna', 'anna', 60, 'goodwill for anna', TRUE), ('for berta', 'berta', 60, 'goodwill', TRUE);
