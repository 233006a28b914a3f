"""Which answers and which failures of connections are to be expected, and under which fault."""

# Said of the database that is away, slow to come back, or busy with what it was left with.
DATABASE = {"503 database-unavailable", "503 overloaded", "503 wallet-busy"}
CONNECTION = {"reset", "closed", "cut"}
STORE = {"503 verification-unavailable"}

# What each kind of fault may bring about, beside the success and the refusals that a call may always meet.
UNDER = {
    "service-kill": CONNECTION,
    # A service that was frozen finds that its own deadlines have passed.
    "service-freeze": DATABASE | STORE,
    # Nothing stands before it that would send a request elsewhere.
    "service-restart": CONNECTION | {"refused"},
    "postgres-kill": DATABASE,
    "postgres-immediate": DATABASE,
    "postgres-freeze": DATABASE,
    "session-kill": DATABASE,
    "database-reset": DATABASE,
    "database-silence": DATABASE,
    "database-lost-answers": DATABASE,
    "client-reset": CONNECTION,
    "client-silence": CONNECTION,
    "client-lost-answers": CONNECTION,
    "store-hang": STORE,
    "store-lie": STORE | {"422 receipt-rejected"},
    "store-flap": STORE,
    "rolling-restart": set(),
    "failover": DATABASE,
}
# Faults under which an answer may take any time.
STILL = {"service-freeze", "client-silence"}
SUCCESS = {"200", "201", "204"}
# Seconds for which a fault that has ended is still felt. The circuit breaker before a store stays open for 15.
TAIL = {"store-hang": 45, "store-lie": 30, "store-flap": 30}
USUAL_TAIL = 6
# That a store denied a receipt is remembered for ten minutes, so that nobody can make it be asked again and again.
DENIED = "422 receipt-rejected"
DENIED_TAIL = 610


class Window:
    """When a fault was in force."""

    def __init__(self, kind, start):
        self.kind, self.start, self.end = kind, start, None

    def touches(self, start, end, outcome=None):
        tail = DENIED_TAIL if outcome == DENIED else TAIL.get(self.kind, USUAL_TAIL)
        last = float("inf") if self.end is None else self.end + tail
        return start <= last and end >= self.start


def explanation(operation, outcome, start, end, windows):
    """What explains an outcome: "always", the kind of a fault that was in force, or None."""
    if outcome in SUCCESS or outcome in operation.refusals:
        return "always"
    for window in windows:
        if outcome in UNDER[window.kind] and window.touches(start, end, outcome):
            return window.kind
    return None
