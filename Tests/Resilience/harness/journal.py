"""Records the clients' requests, the responses, and the explanation of each response."""

import collections
import json
import threading
import time

from . import expectations
from .wire import Wire


class Journal:
    """A journal shared by all clients. Each acknowledgement is first written to a file, one per line. A history, if one
    is given, records every request of the journal's wires. A service with other timeouts than the harness's may take
    `patience` seconds to respond."""

    def __init__(self, path, history=None, patience=0):
        self.history = history
        self.patience = patience
        self.lock = threading.Lock()
        self.file = open(path, "a", buffering=1)
        self.operations = []
        self.windows = []
        self.acknowledged = 0
        self.seen = collections.Counter()
        self.unexplained = []

    def wire(self, port, server=None, follows=False):
        """Returns a connection for another client; `server` is the instance that it calls directly."""
        return Wire(port, recorder=self.history and self.history.client(server), follows=follows)

    def begin(self, operation):
        with self.lock:
            operation.begun = time.time()
            self.operations.append(operation)

    def observe(self, operation, answer, start):
        """Records an attempt's outcome and its explanation, if there is one."""
        end = time.monotonic()
        with self.lock:
            outcome = answer.outcome
            reason = expectations.explanation(operation, outcome, start, end, self.windows)
            patience = max(operation.patience, self.patience)
            if reason and end - start > patience and not self._was_still(start, end):
                outcome, reason = f"{outcome}, too late", None
            self.seen[(outcome, reason or "UNEXPLAINED")] += 1
            if reason is None:
                present = ", ".join(window.kind for window in self.windows if window.touches(start, end)) or "no fault"
                self.unexplained.append(
                    f"{operation.method} {operation.path} ({operation.kind}): {outcome} after {end - start:.1f} s "
                    f"under {present}"
                )

    def _was_still(self, start, end):
        """Returns whether a fault delayed the service or the client."""
        return any(window.kind in expectations.STILL and window.touches(start, end) for window in self.windows)

    def acknowledge(self, operation, answer):
        with self.lock:
            operation.acknowledged = time.time()
            operation.take(answer)
            line = {"kind": operation.kind, "key": operation.key, "user": operation.user,
                    "identity": operation.identity, "amount": operation.amount}
            self.file.write(json.dumps(line) + "\n")
            self.acknowledged += 1

    def open_window(self, kind):
        window = expectations.Window(kind, time.monotonic())
        with self.lock:
            self.windows.append(window)
        return window

    def close_window(self, window):
        with self.lock:
            window.end = time.monotonic()

    def falls_still(self):
        """Waits until nothing was acknowledged for 3 seconds; returns whether that happened within 20 seconds."""
        known, since, deadline = self.acknowledged, time.monotonic(), time.monotonic() + 20
        while time.monotonic() < since + 3:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
            if self.acknowledged != known:
                known, since = self.acknowledged, time.monotonic()
        return True

    def close(self):
        self.file.close()

    def of(self, kind, *states):
        return [one for one in self.operations if one.kind == kind and (not states or one.state in states)]

    def table(self):
        """Returns every outcome with its explanation."""
        lines = [f"  {count:7}  {outcome:34} {reason}" for (outcome, reason), count in sorted(self.seen.items())]
        return "\n".join(["seen:", *lines])


def perform(journal, wire, operation, goes_on, attempts=60):
    """Sends an operation with the same key until it is acknowledged or refused; returns the last response."""
    answer = None
    for _ in range(attempts):
        start = time.monotonic()
        answer = wire.call(operation.method, operation.path, operation.body, operation.headers,
                           operation.details.get("transaction"))
        journal.observe(operation, answer, start)
        if answer.is_success:
            if operation.state != "done":
                journal.acknowledge(operation, answer)
            return answer
        if answer.outcome in operation.refusals:
            # If an attempt is in doubt, it may still take effect, so the key is sent again at the end.
            operation.state = "open" if operation.is_doubtful else "refused"
            return answer
        # Only a refused connection proves that the request did not arrive.
        operation.is_doubtful = operation.is_doubtful or answer.name != "refused"
        if answer.outcome in operation.setbacks or not goes_on():
            return answer
        time.sleep(min(answer.retry_after or 0.2, 0.4))
    return answer
