-- What lets facts and messages of the stores be taken in groups.

-- What became of one item of wallet.apply_facts or wallet.take_events: its outcome, or the SQLSTATE, message and detail
-- of what it was undone for. WL… is a decided refusal; whatever else there is calls for another attempt, alone.
CREATE TYPE wallet.fact_answer AS (
    item INTEGER,
    state TEXT,
    message TEXT,
    detail TEXT,
    outcome wallet.fact_outcome
);
CREATE TYPE wallet.event_answer AS (
    item INTEGER,
    state TEXT,
    message TEXT,
    detail TEXT,
    outcome wallet.event_outcome
);
