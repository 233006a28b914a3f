"""Compares the books with the responses to the clients."""

import collections
import os
import shutil
import subprocess
import tempfile
import time

from . import processes, stores
from .checker import Checker
from .journal import perform


class Books:
    def __init__(self, postgres, journal, tally, binary):
        self.postgres, self.journal, self.tally, self.binary = postgres, journal, tally, binary

    def wait_for_quiet(self):
        """Waits until no transaction runs in the database and no message waits."""
        def is_quiet():
            row = self.postgres.rows(
                "SELECT (SELECT count(*) FROM pg_stat_activity WHERE usename = 'wallet_service' AND state <> 'idle')"
                " AS busy, (SELECT count(*) FROM wallet.inbox WHERE status IN ('new', 'failed')) AS waiting"
            )[0]
            return row == {"busy": 0, "waiting": 0}
        quiet = processes.wait_until(is_quiet, 180, 0.2)
        self.tally.check("nothing is under way any more, and no message waits", quiet)
        # A statement sent before the silence may still arrive.
        time.sleep(0.5)

    # Acknowledged operations exist, and others do not exist in part

    def compare(self, moment):
        self._bookings(moment)
        self._adjustments(moment)
        self._purchases(moment)

    def _bookings(self, moment):
        rows = self.postgres.rows("""
            SELECT b.idempotency_key AS key, b.booking_id, b.class_id, b.amount, b.unit, b.cancelled_at, b.returned,
                coalesce((SELECT -sum(e.amount) FROM wallet.entries AS e
                    WHERE e.account_id = b.account_id AND e.booking_id = b.booking_id), 0) AS paid
            FROM wallet.bookings AS b""")
        asked = {one.key: one for one in self.journal.of("booking")}
        found = collections.Counter(row["key"] for row in rows)
        lost = [key for key, one in asked.items() if one.state == "done" and found[key] != 1]
        self._none(f"{moment}, every acknowledged booking is there once", lost)
        self._none(f"{moment}, no booking is there that was refused or not asked for",
                   [key for key in found if key not in asked or asked[key].state == "refused"])
        self._none(f"{moment}, every booking is paid for in full or given back in full", [
            row["key"] for row in rows
            if row["paid"] != (row["amount"] if row["cancelled_at"] is None else row["amount"] - row["returned"])
        ])
        self._none(f"{moment}, every booking is what was acknowledged", [
            row["key"] for row in rows if row["key"] in asked and asked[row["key"]].state == "done"
            and asked[row["key"]].identity != (row["booking_id"], row["class_id"], row["amount"], row["unit"])
        ])
        cancelled = {row["booking_id"] for row in rows if row["cancelled_at"] is not None}
        self._none(f"{moment}, every acknowledged cancellation stands", [
            one.key for one in self.journal.of("cancellation", "done") if one.identity[0] not in cancelled
        ])

    def _adjustments(self, moment):
        rows = self.postgres.rows("SELECT a.reference AS key, a.amount FROM wallet.adjustments AS a")
        found = collections.Counter(row["key"] for row in rows)
        asked = {one.key: one for one in self.journal.of("adjustment")}
        self._none(f"{moment}, every acknowledged adjustment is there once and no other",
                   [key for key, one in asked.items() if one.state == "done" and found[key] != 1]
                   + [key for key in found if key not in asked or asked[key].state == "refused"])

    def _purchases(self, moment):
        rows = self.postgres.rows("""
            SELECT c.transaction_id, count(*) AS claims, coalesce(sum(g.grants), 0) AS grants,
                coalesce(sum(g.amount), 0) AS amount
            FROM wallet.claims AS c
            LEFT JOIN LATERAL (
                SELECT count(*) AS grants, sum(e.amount) AS amount FROM wallet.entries AS e
                WHERE e.claim_id = c.claim_id AND e.kind = 'grant'
            ) AS g ON TRUE
            -- If two sources report a purchase under different ids, one claim is valid, and the duplicate grants
            -- nothing.
            WHERE c.duplicate_of IS NULL OR g.grants > 0
            GROUP BY c.transaction_id""")
        bought = [one for kind in ("receipt", "webhook") for one in self.journal.of(kind)]
        asked = {one.details["transaction"] for one in bought}
        confirmed = {one.details["transaction"] for one in bought if one.state == "done"}
        found = {row["transaction_id"]: row for row in rows}
        self._none(f"{moment}, every acknowledged purchase is granted once", [
            transaction for transaction in confirmed if transaction not in found
            or (found[transaction]["claims"], found[transaction]["grants"], found[transaction]["amount"])
            != (1, 1, stores.PACK_CREDITS)
        ])
        self._none(f"{moment}, no purchase is there that nobody reported, nor by half", [
            row for transaction, row in found.items()
            if transaction not in asked or row["claims"] != 1 or row["grants"] != 1
        ])

    # A repetition of every key

    def replay(self, wires):
        """Sends every acknowledged and every doubtful key again, and those that were new then once more."""
        different, unanswered = [], []
        window = self.journal.open_window("busy-machine")
        for count, operation in enumerate(self.journal.operations):
            if operation.state == "refused":
                continue
            wire = wires[count % len(wires)]
            was_done, known = operation.state == "done", operation.identity
            answer = self._again(wire, operation)
            if not was_done and operation.state == "done":
                known, answer = operation.identity, self._again(wire, operation)
            if operation.state == "refused" or answer.outcome in operation.refusals and not was_done:
                operation.state = "refused"
            elif not answer.is_success:
                unanswered.append(f"{operation.key}: {answer.outcome}")
            elif not operation.is_replay(answer) or operation.identify(answer) != known:
                different.append(f"{operation.kind} {operation.key}: {known}, now {operation.identify(answer)}")
        self.journal.close_window(window)
        self._none("every key that is sent again is answered", unanswered)
        self._none("every key that is sent again gives what it gave", different)

    def _again(self, wire, operation):
        deadline = time.monotonic() + 60
        return perform(self.journal, wire, operation, lambda: time.monotonic() < deadline, attempts=150)

    def balances(self, wire, members):
        """Checks that every wallet's balance, as its member sees it, is the sum of the acknowledged operations."""
        expected = collections.Counter()
        granted = {}
        for one in self.journal.operations:
            if one.state == "done":
                expected[(one.user, one.environment)] += one.amount
                if "transaction" in one.details:
                    granted[one.details["transaction"]] = (one.user, one.environment)
        for owner in granted.values():
            expected[owner] += stores.PACK_CREDITS
        wrong = []
        for user in members.ids:
            for environment in ("production", "sandbox"):
                answer = wire.insist("GET", "/balance", headers=members.headers(user, environment=environment))
                credits = (answer.body or {}).get("credits", answer.outcome)
                if credits != expected[(user, environment)]:
                    wrong.append(f"{user} {environment}: {credits}, not {expected[(user, environment)]}")
        self._none("every wallet holds what was acknowledged", wrong)

    # The wallet's own verification

    def verify(self):
        broken = self.postgres.rows("SELECT name, violations, sample FROM admin.invariants WHERE violations > 0")
        self._none("every invariant holds", [f"{row['name']} {row['sample']}" for row in broken])
        done = subprocess.run(
            [self.binary, "verify", "--deep"], cwd="/", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={"PATH": os.environ["PATH"], "DATABASE_URL": self.postgres.url()},
        )
        self.tally.check("credit-wallet verify --deep", done.returncode == 0, done.stdout.strip()[-500:])

    def possible(self):
        check_history(self.journal.history, self.postgres, self.tally)

    def explained(self):
        """Checks that a fault explains every unexpected response and every failed connection."""
        print(self.journal.table(), flush=True)
        self._none("every answer and every failure of a connection is explained", self.journal.unexplained)

    def _none(self, name, exceptions):
        shown = f"{len(exceptions)}, such as {'; '.join(map(str, exceptions[:3]))}" if exceptions else ""
        self.tally.check(name, not exceptions, shown)


def check_history(history, postgres, tally):
    """Checks that every answer that a client got is possible, given the books. A history that is not is kept."""
    started = time.monotonic()
    history.end(postgres)
    checker = Checker()
    violations = checker.check(history.path)
    for violation in violations[:10]:
        print(checker.explain(violation), flush=True)
    detail = f"{len(checker.starts)} operations, checked in {time.monotonic() - started:.1f} s"
    if violations:
        kept = tempfile.mkstemp(prefix="wallet-history-", suffix=".jsonl")[1]
        shutil.copy(history.path, kept)
        detail += f"; {', '.join(sorted({one.name for one in violations}))}; kept in {kept}"
    tally.check("every answer that a client got was possible", not violations, detail)
