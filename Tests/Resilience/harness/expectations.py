"""The expected responses and connection failures under each fault."""

# Responses while the database is unreachable, restarting, or busy afterwards.
DATABASE = {"503 database-unavailable", "503 overloaded", "503 wallet-busy"}
CONNECTION = {"reset", "closed", "cut"}
STORE = {"503 verification-unavailable"}

# The additional outcomes under each kind of fault, besides success and the refusals of the operation itself.
UNDER = {
    "service-kill": CONNECTION,
    # A service that was frozen finds its own deadlines exceeded.
    "service-freeze": DATABASE | STORE,
    # No load balancer in front of the service could redirect a request.
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
    # The primary answers if the standby does not, and no answer depends on the service's clock.
    "standby-freeze": set(),
    "standby-kill": set(),
    "standby-lag": set(),
    "standby-cut": set(),
    "clock-step": set(),
    "rolling-restart": set(),
    "failover": DATABASE,
    # Not a fault: requests that are sent again until they succeed, while a busy machine may exceed a time limit.
    "busy-machine": DATABASE,
}
# Faults under which a response may take any time.
STILL = {"service-freeze", "client-silence"}
SUCCESS = {"200", "201", "204"}
# The seconds for which a fault still has effects after its end. A store's circuit breaker stays open for 15.
TAIL = {"store-hang": 45, "store-lie": 30, "store-flap": 30, "failover": 15, "busy-machine": 0}
USUAL_TAIL = 6
# A denied receipt is cached for ten minutes, so that repeated submissions do not query the store again.
DENIED = "422 receipt-rejected"
DENIED_TAIL = 610


class Window:
    """The time during which a fault was active."""

    def __init__(self, kind, start):
        self.kind, self.start, self.end = kind, start, None

    def touches(self, start, end, outcome=None):
        tail = DENIED_TAIL if outcome == DENIED else TAIL.get(self.kind, USUAL_TAIL)
        last = float("inf") if self.end is None else self.end + tail
        return start <= last and end >= self.start


def explanation(operation, outcome, start, end, windows):
    """Returns the explanation of an outcome: "always", the kind of an active fault, or None."""
    if outcome in SUCCESS or outcome in operation.refusals:
        return "always"
    for window in windows:
        if outcome in UNDER[window.kind] and window.touches(start, end, outcome):
            return window.kind
    return None
