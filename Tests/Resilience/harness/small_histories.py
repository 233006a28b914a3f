"""Small histories, possible and impossible ones, each with the verdict that the checker must give."""

import json
import pathlib
import random
import tempfile

from .checker import Checker
from .generator import PRICE, Simulation


class Sketch:
    """A history that a case writes line by line, together with the books that it ends with."""

    def __init__(self):
        self.lines, self.entries, self.changes, self.bookings = [], {}, {}, {}
        self.capacities, self.sums, self.xid = {}, {}, 0

    # The books

    def post(self, user, kind, amount, subject, xid=None, after=None):
        """Appends an entry; returns the wallet's state."""
        entries = self.entries.setdefault(user, [])
        if xid is None:
            self.xid += 1
        balance = (entries[-1][4] if entries else 0) + amount if after is None else after
        entries.append([len(entries) + 1, kind, "credit", amount, balance, subject, xid or self.xid])
        return {"credits": balance, "visits": 0, "version": len(entries)}

    def take(self, name, delta, booking, xid=None):
        self.changes.setdefault(name, []).append([delta, booking, xid or self.xid])

    def booked(self, booking, user, name, key, xid=None, seat_xid=None):
        """Enters a booking into the books; returns the wallet's state."""
        state = self.post(user, "spend", -PRICE, booking, xid)
        self.take(name, 1, booking, seat_xid or xid)
        self.bookings[booking] = {"booking": booking, "user": user, "environment": "production", "class": name,
                                  "key": key, "seats": 1, "unit": "credit", "amount": PRICE, "cancelled": False,
                                  "returned": None}
        return state

    def cancelled(self, booking):
        found = self.bookings[booking]
        found["cancelled"], found["returned"] = True, PRICE
        state = self.post(found["user"], "return", PRICE, booking)
        self.take(found["class"], -1, booking)
        return state

    # The operations

    def line(self, client, start, end, kind, answer, user="ann", after=None, server=None, **asked):
        more = {name: value for name, value in (("after", after), ("server", server)) if value is not None}
        self.lines.append({"client": client, "start": start, "end": end, "kind": kind, "user": user,
                           "environment": "production", "arguments": asked, "answer": answer, **more})

    def adjust(self, client, start, end, key, amount, state, replayed=False, **more):
        answer = state if state == "unknown" else {"replayed": replayed, "amount": amount, **state}
        self.line(client, start, end, "adjust", answer, key=key, amount=amount, **more)

    def given(self, client, start, end, key, amount, user="ann"):
        """An adjustment that is in the books as it was acknowledged."""
        self.adjust(client, start, end, key, amount, self.post(user, "adjust", amount, key), user=user)

    def book(self, client, start, end, key, name, booking, state, replayed=False, **more):
        answer = state if state == "unknown" else {
            "replayed": replayed, "booking": booking, "class": name, "amount": PRICE, **state}
        self.line(client, start, end, "book", answer, key=key, **{"class": name}, **more)

    def cancel(self, client, start, end, booking, state, **more):
        answer = state if state == "unknown" else {"booking": booking, "returned": PRICE, **state}
        self.line(client, start, end, "cancel", answer, booking=booking, **more)

    def balance(self, client, start, end, version, credits, user="ann", **more):
        self.line(client, start, end, "balance", {"version": version, "credits": credits, "visits": 0}, user, **more)

    def seats(self, client, start, end, kind="class", server=None, **left):
        self.line(client, start, end, kind, {"seats": left}, None, server=server)

    def verdicts(self, shown=None):
        """Checks the history with the books; returns the names of the violations."""
        lines = list(self.lines)
        for user, entries in self.entries.items():
            credits, version = self.sums.get(user, (entries[-1][4], len(entries)))
            lines.append({"kind": "final", "of": "wallet", "user": user, "environment": "production",
                          "entries": entries, "credits": credits, "visits": 0, "version": version})
        for name, changes in self.changes.items():
            lines.append({"kind": "final", "of": "class", "class": name, "environment": "production",
                          "capacity": self.capacities.get(name, 10), "changes": changes,
                          "sold": sum(delta for delta, _, _ in changes)})
        lines += [{"kind": "final", "of": "booking", **booking} for booking in self.bookings.values()]
        lines.append({"kind": "final", "of": "end"})
        return verdicts(lines, shown)


def verdicts(lines, shown=None):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "history.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        checker = Checker()
        found = checker.check(path)
        if shown is not None:
            shown += [checker.explain(violation) for violation in found]
        return [violation.name for violation in found]


# Possible histories

def concurrent_reads_may_differ(h):
    h.given(1, 0.0, 1.0, "a", 50)
    h.balance(2, 0.2, 0.4, 1, 50)
    h.balance(3, 0.2, 0.5, 0, 0)


def an_unanswered_write_may_be_missing(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.adjust(1, 0.2, 0.3, "b", 10, "unknown")
    h.balance(1, 0.4, 0.5, 1, 50)


def an_unanswered_write_may_come_late(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.adjust(1, 0.2, 0.3, "b", 10, "unknown")
    h.balance(1, 0.4, 0.5, 1, 50)
    h.post("ann", "adjust", 10, "b")
    h.balance(1, 0.6, 0.7, 2, 60)


def a_repeated_write_happens_once(h):
    h.adjust(1, 0.0, 0.1, "a", 50, "unknown")
    state = h.post("ann", "adjust", 50, "a")
    h.given(2, 0.15, 0.18, "b", 10)
    h.adjust(1, 0.2, 0.3, "a", 50, {"credits": 60, "visits": 0, "version": 2}, replayed=True)
    assert state["version"] == 1


def a_repeated_booking_shows_the_present_balance(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.booked("x", "ann", "yoga", "k")
    state = h.post("ann", "adjust", 10, "b")
    h.adjust(2, 0.25, 0.28, "b", 10, state)
    h.book(1, 0.2, 0.3, "k", "yoga", "x", state)


def a_standby_may_be_behind(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.given(1, 0.2, 0.3, "b", 10)
    h.balance(2, 0.4, 0.5, 1, 50, after="1")
    h.balance(2, 0.6, 0.7, 2, 60, after="1")


def a_list_may_be_a_second_old(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.book(1, 0.2, 0.3, "k", "yoga", "x", h.booked("x", "ann", "yoga", "k"), server=1)
    h.seats(2, 1.0, 1.1, "classes", yoga=10, server=2)


def operations_may_share_a_transaction(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.given(1, 0.0, 0.1, "b", 50, user="bob")
    first = h.booked("x", "ann", "yoga", "k", xid=9)
    second = h.booked("y", "bob", "yoga", "l", xid=9)
    h.book(1, 0.2, 0.5, "k", "yoga", "x", first)
    h.book(2, 0.3, 0.4, "l", "yoga", "y", second, user="bob")
    h.seats(3, 0.2, 0.35, yoga=10)
    h.seats(3, 0.36, 0.6, yoga=8)


def a_full_class_refuses(h):
    h.capacities["yoga"] = 1
    h.given(1, 0.0, 0.1, "a", 50)
    h.given(2, 0.0, 0.1, "b", 50, user="bob")
    h.book(1, 0.2, 0.3, "k", "yoga", "x", h.booked("x", "ann", "yoga", "k"))
    h.line(2, 0.4, 0.5, "book", {"refused": "409 class-full", "left": 0}, user="bob", key="l", **{"class": "yoga"})
    h.cancel(1, 0.6, 0.7, "x", h.cancelled("x"))
    h.book(2, 0.8, 0.9, "l", "yoga", "y", h.booked("y", "bob", "yoga", "l"), user="bob")


def a_poor_wallet_is_refused(h):
    h.given(1, 0.0, 0.1, "a", 5)
    h.line(1, 0.2, 0.3, "book", {"refused": "402 insufficient-credits", "available": 5}, key="k", **{"class": "yoga"})


def a_booking_is_cancelled_twice(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.book(1, 0.2, 0.3, "k", "yoga", "x", h.booked("x", "ann", "yoga", "k"))
    h.line(1, 0.35, 0.4, "booking", {"status": "booked"}, booking="x")
    state = h.cancelled("x")
    h.cancel(1, 0.4, 0.5, "x", "unknown")
    h.cancel(1, 0.6, 0.7, "x", state)
    h.cancel(1, 0.8, 0.9, "x", state)
    h.line(2, 0.95, 0.99, "booking", {"status": "cancelled"}, booking="x")


POSSIBLE = [
    concurrent_reads_may_differ, an_unanswered_write_may_be_missing, an_unanswered_write_may_come_late,
    a_repeated_write_happens_once, a_repeated_booking_shows_the_present_balance, a_standby_may_be_behind,
    a_list_may_be_a_second_old, operations_may_share_a_transaction, a_full_class_refuses, a_poor_wallet_is_refused,
    a_booking_is_cancelled_twice,
]


# Impossible histories, each with its verdict

def stale_read(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.given(1, 0.2, 0.3, "b", 10)
    h.balance(2, 0.4, 0.5, 1, 50)


def stale_standby_read(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.given(1, 0.2, 0.3, "b", 10)
    h.balance(1, 0.4, 0.5, 1, 50, after="2")


def standby_read_of_another_wallet_behind(h):
    """The client has seen a change of one wallet and is then shown another wallet before an earlier change."""
    h.given(1, 0.0, 0.1, "a", 50)
    h.given(2, 0.2, 0.3, "b", 10, user="bob")
    h.balance(3, 0.4, 0.5, 1, 10, user="bob", after="1")
    h.balance(3, 0.6, 0.7, 0, 0, after="2")


def standby_read_too_old(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.balance(2, 30.0, 30.1, 0, 0, after="1")


def early_read(h):
    h.balance(2, 0.0, 0.1, 1, 50)
    h.given(1, 0.2, 0.3, "a", 50)


def lost_write(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.adjust(1, 0.2, 0.3, "b", 10, {"credits": 60, "visits": 0, "version": 2})


def aborted_read(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.adjust(1, 0.2, 0.3, "b", 10, "unknown")
    h.balance(2, 0.2, 0.3, 2, 60)


def intermediate_read(h):
    h.post("ann", "adjust", 50, "a", xid=7)
    h.adjust(1, 0.0, 0.9, "a", 90, h.post("ann", "adjust", 40, "a", xid=7))
    h.balance(2, 0.4, 0.5, 1, 50)


def lost_update(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.given(1, 0.2, 0.4, "b", 10)
    h.adjust(2, 0.2, 0.4, "c", 5, h.post("ann", "adjust", 5, "c", after=55))


def lost_update_of_the_sum(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.given(1, 0.2, 0.4, "b", 10)
    h.sums["ann"] = (50, 2)


def written_twice(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.adjust(1, 0.2, 0.3, "b", 10, "unknown")
    h.post("ann", "adjust", 10, "b")
    h.adjust(1, 0.4, 0.5, "b", 10, h.post("ann", "adjust", 10, "b"))


def booked_twice_under_another_key(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.book(1, 0.2, 0.3, "k", "yoga", "x", "unknown")
    h.booked("x", "ann", "yoga", None)
    h.book(1, 0.4, 0.5, "k", "yoga", "y", h.booked("y", "ann", "yoga", "k"))


def refused_write(h):
    h.given(1, 0.0, 0.1, "a", 20)
    h.line(1, 0.2, 0.3, "book", {"refused": "402 insufficient-credits", "available": 20}, key="k", **{"class": "yoga"})
    h.booked("x", "ann", "yoga", "k")


def unasked_write(h):
    h.given(1, 0.0, 0.1, "a", 20)
    h.post("ann", "adjust", 10, "b")


def write_in_part(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.book(1, 0.2, 0.3, "k", "yoga", "x", h.booked("x", "ann", "yoga", "k", xid=7, seat_xid=8))


def wrong_answer(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.balance(1, 0.2, 0.3, 1, 40)


def wrong_answer_of_a_repeated_booking(h):
    a_repeated_booking_shows_the_present_balance(h)
    h.lines[-1]["answer"]["credits"] -= 1


def early_answer_of_a_repeated_booking(h):
    """The booking shows an adjustment that began after the booking was acknowledged."""
    a_repeated_booking_shows_the_present_balance(h)
    h.lines[-2].update(start=0.4, end=0.5)


def early_acknowledgement(h):
    """The second operation began after the first was acknowledged, but comes before it in the books."""
    second = h.post("ann", "adjust", 5, "b")
    first = h.post("ann", "adjust", 50, "a")
    h.adjust(1, 0.0, 0.1, "a", 50, first)
    h.adjust(2, 0.2, 0.3, "b", 5, second)


def early_acknowledgement_in_a_batch(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.given(1, 0.0, 0.1, "b", 50, user="bob")
    h.book(1, 0.2, 0.3, "k", "yoga", "x", h.booked("x", "ann", "yoga", "k", xid=9))
    h.book(2, 0.4, 0.5, "l", "yoga", "y", h.booked("y", "bob", "yoga", "l", xid=9), user="bob")


def stale_list(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.book(1, 0.2, 0.3, "k", "yoga", "x", h.booked("x", "ann", "yoga", "k"), server=1)
    h.seats(2, 1.4, 1.5, "classes", yoga=10, server=2)


def stale_list_at_the_same_service(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.book(1, 0.2, 0.3, "k", "yoga", "x", h.booked("x", "ann", "yoga", "k"), server=1)
    h.seats(2, 0.4, 0.5, "classes", yoga=10, server=1)


def stale_list_with_a_number_that_came_back(h):
    """The list is older than permitted, but one of its two numbers was reached again within the permitted second."""
    for number, user in enumerate(("ann", "bob"), 1):
        h.given(number, 0.0, 0.1, user, 90, user=user)
    h.book(1, 0.2, 0.3, "k", "yoga", "x", h.booked("x", "ann", "yoga", "k"), server=1)
    h.cancel(1, 0.5, 0.6, "x", h.cancelled("x"), server=1)
    h.book(1, 1.5, 1.6, "l", "yoga", "y", h.booked("y", "ann", "yoga", "l", xid=40), server=1)
    h.book(2, 1.5, 1.6, "m", "pilates", "z", h.booked("z", "bob", "pilates", "m", xid=40), user="bob", server=1)
    h.seats(3, 1.8, 1.9, "classes", yoga=9, pilates=10, server=2)


def stale_class(h):
    h.given(1, 0.0, 0.1, "a", 50)
    h.book(1, 0.2, 0.3, "k", "yoga", "x", h.booked("x", "ann", "yoga", "k"))
    h.seats(2, 0.4, 0.5, yoga=10)


def stale_refusal(h):
    h.capacities["yoga"] = 1
    a_full_class_refuses(h)
    h.cancel(2, 1.0, 1.1, "y", h.cancelled("y"), user="bob")
    h.line(2, 1.2, 1.3, "book", {"refused": "409 class-full", "left": 0}, user="bob", key="m", **{"class": "yoga"})


def seat_sold_twice(h):
    h.capacities["yoga"] = 1
    h.given(1, 0.0, 0.1, "a", 50)
    h.given(2, 0.0, 0.1, "b", 50, user="bob")
    h.book(1, 0.2, 0.4, "k", "yoga", "x", h.booked("x", "ann", "yoga", "k"))
    h.book(2, 0.2, 0.4, "l", "yoga", "y", h.booked("y", "bob", "yoga", "l"), user="bob")


def circular_reads(h):
    """Two transactions, each of which shows the other's change."""
    h.given(1, 0.0, 0.9, "a", 50)
    h.given(2, 0.0, 0.9, "b", 10, user="bob")
    # Each transaction writes one object before and one after the other transaction.
    h.post("ann", "adjust", 1, "c", xid=50)
    h.post("ann", "adjust", 1, "d", xid=51)
    h.post("bob", "adjust", 2, "e", xid=51)
    h.post("bob", "adjust", 2, "f", xid=50)
    for key, user, amount in (("c", "ann", 1), ("d", "ann", 1), ("e", "bob", 2), ("f", "bob", 2)):
        h.adjust(3, 0.1, 0.8, key, amount, "unknown", user=user)


def skewed_read(h):
    """A list shows one class after a transaction that changed two, and the other before it."""
    h.given(1, 0.0, 0.1, "a", 90)
    h.given(2, 0.0, 0.1, "b", 90, user="bob")
    h.book(1, 0.2, 0.9, "k", "yoga", "x", h.booked("x", "ann", "yoga", "k", xid=30))
    h.book(2, 0.2, 0.9, "l", "pilates", "y", h.booked("y", "bob", "pilates", "l", xid=30), user="bob")
    h.seats(3, 0.3, 0.8, yoga=9, pilates=10)


def skewed_reads_of_two(h):
    """Two reads disagree about which of two writes came first."""
    h.given(1, 0.0, 0.9, "a", 90)
    h.given(2, 0.0, 0.9, "b", 90, user="bob")
    h.book(1, 1.0, 1.9, "k", "yoga", "x", h.booked("x", "ann", "yoga", "k"))
    h.book(2, 1.0, 1.9, "l", "pilates", "y", h.booked("y", "bob", "pilates", "l"), user="bob")
    h.seats(3, 1.1, 1.8, yoga=9, pilates=10)
    h.seats(4, 1.1, 1.8, yoga=10, pilates=9)


IMPOSSIBLE = [
    (stale_read, "stale read"), (stale_standby_read, "stale standby read"),
    (standby_read_of_another_wallet_behind, "stale standby read"), (standby_read_too_old, "stale standby read"),
    (early_read, "read of a later write"), (lost_write, "lost write"), (aborted_read, "aborted read"),
    (intermediate_read, "intermediate read"), (lost_update, "lost update"), (lost_update_of_the_sum, "lost update"),
    (written_twice, "written twice"), (booked_twice_under_another_key, "written twice"),
    (refused_write, "refused write"), (unasked_write, "unasked write"), (write_in_part, "write in part"),
    (wrong_answer, "wrong answer"), (wrong_answer_of_a_repeated_booking, "wrong answer"),
    (early_answer_of_a_repeated_booking, "read of a later write"), (early_acknowledgement, "early acknowledgement"),
    (early_acknowledgement_in_a_batch, "early acknowledgement"), (stale_list, "stale list"),
    (stale_list_with_a_number_that_came_back, "stale list"),
    (stale_list_at_the_same_service, "stale list"), (stale_class, "stale read"), (stale_refusal, "stale read"),
    (seat_sold_twice, "seat sold twice"), (circular_reads, "dirty write"), (skewed_read, "skewed read"),
    (skewed_reads_of_two, "skewed write"),
]


def check(tally, seeds=5):
    """Checks that the checker finds each impossible history, with few operations, and invents nothing."""
    for case in POSSIBLE:
        sketch = Sketch()
        case(sketch)
        shown = []
        found = sketch.verdicts(shown)
        tally.check(f"possible: {case.__name__.replace('_', ' ')}", not found, "; ".join(shown))
    for case, name in IMPOSSIBLE:
        sketch = Sketch()
        case(sketch)
        shown = []
        found = sketch.verdicts(shown)
        tally.check(f"impossible: {case.__name__.replace('_', ' ')}", found and set(found) == {name},
                    f"found {found}, not {name}: {'; '.join(shown)}" if set(found) != {name} else f"{name}")
    for seed in range(seeds):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            count = Simulation(file, 4_000, seed).run()
            file.flush()
            checker = Checker()
            found = checker.check(file.name)
            tally.check(f"possible: {count} generated operations, seed {seed}", not found,
                        "; ".join(map(checker.explain, found[:2])))
            lines = [json.loads(line) for line in pathlib.Path(file.name).read_text().splitlines()]
            shown, read = [], make_one_read_stale(lines, random.Random(seed))
            names = verdicts(lines, shown)
            tally.check(f"impossible: one of {count} generated operations is a stale read, seed {seed}",
                        names == ["stale read"] and f"{read['start']:.3f} to {read['end']:.3f}" in shown[0], str(names))


def make_one_read_stale(lines, chance):
    """Changes one read of a balance, so that it lacks a change that was acknowledged before it; returns the read."""
    entries = {(line["user"], line["environment"]): line["entries"] for line in lines if line.get("of") == "wallet"}
    known, choices = {}, []
    for line in sorted((line for line in lines if "end" in line), key=lambda line: line["end"]):
        answer, wallet = line["answer"], (line.get("user"), line["environment"])
        if line["kind"] == "balance" and "after" not in line:
            # The newest version that was acknowledged when this read began.
            version = max((version for end, version in known.get(wallet, ()) if end < line["start"]), default=0)
            if version > 2:
                choices.append((line, version - 2, entries[wallet][version - 3][4]))
        elif isinstance(answer, dict) and "version" in answer and line["kind"] != "balance":
            known.setdefault(wallet, []).append((line["end"], answer["version"]))
    line, version, credits = chance.choice(choices)
    line["answer"] = {"version": version, "credits": credits, "visits": 0}
    return line
