"""What the clients requested, what they were answered, and what explains each answer."""

import collections
import json
import threading
import time

from . import expectations


class Journal:
    """Shared by all clients. Acknowledgements also go to a file, one a line, before anything else is done."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.file = open(path, "a", buffering=1)
        self.operations = []
        self.windows = []
        self.acknowledged = 0
        self.seen = collections.Counter()
        self.unexplained = []

    def begin(self, operation):
        with self.lock:
            operation.begun = time.time()
            self.operations.append(operation)

    def observe(self, operation, answer, start):
        """Notes an attempt's outcome and whether something explains it."""
        end = time.monotonic()
        with self.lock:
            outcome = answer.outcome
            reason = expectations.explanation(operation, outcome, start, end, self.windows)
            if reason and end - start > operation.patience and not self._was_still(start, end):
                outcome, reason = f"{outcome}, too late", None
            self.seen[(outcome, reason or "UNEXPLAINED")] += 1
            if reason is None:
                present = ", ".join(window.kind for window in self.windows if window.touches(start, end)) or "no fault"
                self.unexplained.append(
                    f"{operation.method} {operation.path} ({operation.kind}): {outcome} after {end - start:.1f} s "
                    f"under {present}"
                )

    def _was_still(self, start, end):
        """Whether somebody kept the service or the client waiting."""
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

    def close(self):
        self.file.close()

    def of(self, kind, *states):
        return [one for one in self.operations if one.kind == kind and (not states or one.state in states)]

    def table(self):
        """Every outcome that was seen, by what explains it."""
        lines = [f"  {count:7}  {outcome:34} {reason}" for (outcome, reason), count in sorted(self.seen.items())]
        return "\n".join(["seen:", *lines])


def perform(journal, wire, operation, goes_on, attempts=60):
    """Sends an operation until it is acknowledged or refused, with the same key each time; returns the last answer."""
    answer = None
    for _ in range(attempts):
        start = time.monotonic()
        answer = wire.call(operation.method, operation.path, operation.body, operation.headers)
        journal.observe(operation, answer, start)
        if answer.is_success:
            if operation.state != "done":
                journal.acknowledge(operation, answer)
            return answer
        if answer.outcome in operation.refusals:
            # While an attempt is in doubt, it may yet be done: the key is sent again in the end.
            operation.state = "open" if operation.is_doubtful else "refused"
            return answer
        # A connection that was refused brought nothing to anybody; everything else may have arrived.
        operation.is_doubtful = operation.is_doubtful or answer.name != "refused"
        if answer.outcome in operation.setbacks or not goes_on():
            return answer
        time.sleep(min(answer.retry_after or 0.2, 0.4))
    return answer
