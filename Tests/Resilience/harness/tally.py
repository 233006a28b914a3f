"""Counts passed and failed checks."""


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, holds, detail=""):
        """Records and prints a check; returns whether it passed."""
        if holds:
            self.passed += 1
        else:
            self.failed += 1
        print(f"{'ok' if holds else 'not ok'} - {name}{f': {detail}' if detail else ''}", flush=True)
        return holds

    def close(self, name):
        """Prints the closing line; returns the exit code."""
        print(f"{name}: {self.passed} passed, {self.failed} failed", flush=True)
        return 0 if self.passed and not self.failed else 1
