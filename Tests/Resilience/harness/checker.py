"""Checks a history: whether each client's answers are possible, given the books at the end.

A history (see history.py) has one line for each request of a client, and at its end the final books: the entries of
each wallet in order of their version, the changes of each class's seats in their order, and the bookings, each with the
transaction that wrote it. The check has three parts:

1. Each acknowledged write took effect once and wholly, an unanswered one at most once and wholly, a refused one not.
   In each wallet and class, each change builds on the one before it.
2. Each answer shows a state that existed.
3. Transactions and reads can be put in one order that agrees with all states that reads show, with real time, and with
   the position of each client that reads from standbys. A cycle of these dependencies disproves it; its kind is Adya's.

Steps 2 and 3 do not search: the books contain the order of all writes, so the dependencies are known.
"""

import bisect
import gc
import json
from array import array

from . import words
from .graph import CLIENT, NO_OBJECT, OWN, RW, WR, WW, Graph

# How old a cached list of classes may be, in seconds, and the data of a standby for a client that has seen nothing
# newer. The service allows ten of the primary's positions, which it reads once a second, and keeps older ones while it
# or the primary stands still.
LIST_AGE = 1.0
STANDBY_AGE = 20.0
EARLY, LATE = float("-inf"), float("inf")


class Violation:
    """A verdict with the operations that prove it, as indices of the history. A cycle also has its steps (the
    operations at both ends of each edge, its kind and its object), Adya's name, and the number of operations that lie on
    such cycles."""

    def __init__(self, name, sentence, operations, kind="", steps=(), size=0):
        self.name, self.sentence, self.operations = name, sentence, list(dict.fromkeys(operations))
        self.kind, self.steps, self.size = kind, steps, size


class Write:
    """All attempts of one write, which have the same key."""

    __slots__ = ("kind", "user", "environment", "asked", "attempts", "low", "high", "done", "new", "open", "refused")

    def __init__(self, kind, user, environment, asked):
        self.kind, self.user, self.environment, self.asked = kind, user, environment, asked
        # The operations, and those of them that were acknowledged.
        self.attempts, self.done = [], []
        # Between which instants it took effect, if it did.
        self.low, self.high = LATE, LATE
        # Acknowledgements that are no replays, whether some attempt has no answer, and whether one was refused.
        self.new, self.open, self.refused = [], False, False


class Wallet:
    """A wallet's entries; those of versions 1 to n are at 1 to n."""

    def __init__(self, line, number):
        self.name, self.number = (line["user"], line["environment"]), number
        self.line, self.entries = line, line["entries"]
        self.nodes, self.credits, self.visits = [-1], [0], [0]
        self.expires = False

    def following(self, version):
        """Returns the version of the first entry after this one that another transaction wrote."""
        nodes, later = self.nodes, version + 1
        while later < len(nodes) and nodes[later] == nodes[version] and version:
            later += 1
        return later


class Course:
    """The free seats of a class over time: after each transaction that changed them."""

    def __init__(self, line, number):
        self.name, self.number = (line["class"], line["environment"]), number
        self.line, self.capacity = line, line["capacity"]
        self.nodes, self.left, self.ranges = [-1], [line["capacity"]], [None]
        # For each number of free seats, the places at which it was reached.
        self.places = {}
        self.lows, self.highs = [], []


class Checker:
    def __init__(self):
        self.violations = []
        self.starts, self.ends, self.offsets = array("d"), array("d"), array("q")
        # The numbers of the servers, by operation.
        self.servers, self.server_numbers = array("h"), {None: -1}
        self.writes, self.reads, self.lasts = {}, [], {}
        # For reads of standbys: the operation from whose answer the client has its position.
        self.positions = {}
        self.wallets, self.courses, self.bookings, self.keys = {}, {}, {}, {}
        self.is_whole = False

    # Reading the file

    def load(self, path):
        self.path = path
        offset = 0
        with open(path, "rb") as file:
            for raw in file:
                line = json.loads(raw)
                if line["kind"] == "final":
                    self._take_final(line)
                else:
                    self._take(line, offset)
                offset += len(raw)

    def _take(self, line, offset):
        index = len(self.starts)
        self.starts.append(line["start"])
        self.ends.append(line["end"])
        self.offsets.append(offset)
        self.servers.append(self.server_numbers.setdefault(line.get("server"), len(self.server_numbers)))
        client, kind, answer = line["client"], line["kind"], line["answer"]
        if "after" in line:
            self.positions[index] = self.lasts.get(client)
        # A client without a position, or whose last answer had none, reads the newest state.
        self.lasts[client] = index
        identity = self._identity(line)
        if identity is None:
            if answer != "unknown":
                self._take_read(index, line)
            return
        write = self.writes.get(identity)
        if write is None:
            write = self.writes[identity] = Write(kind, line.get("user"), line.get("environment"), line["arguments"])
        write.attempts.append(index)
        write.low = min(write.low, line["start"])
        if answer == "unknown":
            write.open = True
        elif "refused" in answer:
            write.refused = True
            self._take_read(index, line)
        else:
            write.done.append((index, answer))
            # A webhook is acknowledged as soon as it is stored.
            if kind != "webhook":
                write.high = min(write.high, line["end"])
            if not answer.get("replayed", True):
                write.new.append(index)
            elif "version" in answer:
                self._take_read(index, line)

    @staticmethod
    def _identity(line):
        kind, asked = line["kind"], line["arguments"]
        if kind == "book":
            return ("book", line["user"], line["environment"], asked["key"])
        if kind == "cancel":
            return ("cancel", asked["booking"])
        if kind == "adjust":
            return ("adjust", asked["key"])
        if kind in ("receipt", "webhook"):
            return ("purchase", asked["transaction"])
        return None

    def _take_read(self, index, line):
        self.reads.append(
            (index, line["kind"], line.get("user"), line["environment"], line["arguments"], line["answer"])
        )

    def _take_final(self, line):
        of = line["of"]
        if of == "wallet":
            self.wallets[line["user"], line["environment"]] = Wallet(line, len(self.wallets))
        elif of == "class":
            self.courses[line["class"], line["environment"]] = Course(line, len(self.courses))
        elif of == "booking":
            self.bookings[line["booking"]] = line
        elif of == "end":
            self.is_whole = True

    # The check

    def check(self, path):
        """Checks a file; returns the violations."""
        collects = gc.isenabled()
        gc.disable()
        try:
            self.load(path)
            if not self.is_whole:
                raise ValueError(f"{path} does not end with the final books")
            self.graph = Graph()
            self._read_books()
            self._check_writes()
            self.reads.sort(key=lambda read: read[0])
            self._order_objects()
            self._check_reads()
            self._order_in_time()
            for steps, size in self.graph.cycles():
                self._report_cycle(steps, size)
        finally:
            if collects:
                gc.enable()
        return self.violations

    def _report(self, name, sentence, operations):
        self.violations.append(Violation(name, sentence, operations))

    def _read_books(self):
        """Creates a node for each transaction, and finds the entries and seats of each write."""
        self.transactions = {}
        # By write: the transactions that wrote its entries, and the sum of these; and the last version of a wallet.
        self.entries = {}
        for wallet in self.wallets.values():
            self._read_wallet(wallet)
        self.seats = {}
        for course in self.courses.values():
            self._read_course(course)
        for booking in self.bookings.values():
            known = self.keys.setdefault((booking["user"], booking["environment"], booking["key"]), [])
            known.append(booking["booking"])
        self.lows = array("d", [EARLY]) * len(self.transactions)
        self.highs = array("d", [LATE]) * len(self.transactions)
        self.graph.add_nodes(len(self.transactions))

    def _node(self, xid):
        return self.transactions.setdefault(xid, len(self.transactions))

    SUBJECTS = {"spend": "book", "return": "cancel", "adjust": "adjust", "grant": "purchase"}

    def _read_wallet(self, wallet):
        credits = visits = 0
        for place, (version, kind, unit, amount, after, subject, xid) in enumerate(wallet.entries, 1):
            node = self._node(xid)
            before = credits if unit != "visit" else visits
            if version != place:
                self._report("lost write", f"{words.wallet(wallet.name)} has no version {place}.", [])
                return
            if after != before + amount:
                self._report_lost_update(wallet, place, before)
            if unit == "visit":
                visits = after
            elif unit == "credit":
                credits = after
            wallet.nodes.append(node)
            wallet.credits.append(credits)
            wallet.visits.append(visits)
            wallet.expires = wallet.expires or kind == "lapse"
            identity = (self.SUBJECTS.get(kind), subject)
            found = self.entries.get(identity)
            if found is None:
                self.entries[identity] = [{node}, amount, wallet, version]
            else:
                found[0].add(node)
                found[1] += amount
                found[3] = version
        line = wallet.line
        if (line["version"], line["credits"], line["visits"]) != (len(wallet.entries), credits, visits):
            version = len(wallet.entries)
            self._report(
                "lost update", f"{words.wallet(wallet.name)} is at version {line['version']} with {line['credits']} "
                f"credits and {line['visits']} visits, but its entries end at version {version} with {credits} credits "
                f"and {visits} visits: a change overwrote another.",
                self._overwriting(wallet, version, line["credits"] - wallet.entries[-1][3]) if version else [],
            )

    def _report_lost_update(self, wallet, version, before):
        _, _, _, amount, after, _, _ = wallet.entries[version - 1]
        self._report(
            "lost update",
            f"Version {version} of {words.wallet(wallet.name)} adds {amount} to {after - amount} and not to "
            f"{before}, the balance of version {version - 1}: a change overwrote another.",
            self._overwriting(wallet, version, after - amount),
        )

    def _overwriting(self, wallet, version, base):
        """Returns the operation that wrote a version, after the first one whose change it does not contain."""
        balances = wallet.credits[:version]
        known = next((place for place in range(version - 2, -1, -1) if balances[place] == base), version - 2)
        return self._writers(wallet, known + 1) + self._writers(wallet, version)

    def _writers(self, wallet, version):
        """Returns an operation that wrote a version, as a list, if a client did."""
        if not 1 <= version <= len(wallet.entries):
            return []
        kind, subject = wallet.entries[version - 1][1], wallet.entries[version - 1][5]
        return self._operations_of(self.SUBJECTS.get(kind), subject)

    def _operations_of(self, kind, subject):
        if kind == "book" and subject in self.bookings:
            booking = self.bookings[subject]
            write = self.writes.get(("book", booking["user"], booking["environment"], booking["key"]))
        else:
            write = self.writes.get((kind, subject))
        return self._main_attempts(write) if write else []

    @staticmethod
    def _main_attempts(write):
        """Returns the attempt that was acknowledged first, or all if none was."""
        return write.new[:1] or [index for index, _ in write.done[:1]] or write.attempts

    def _read_course(self, course):
        sold, last = 0, None
        for delta, booking, xid in course.line["changes"]:
            node = self._node(xid)
            if node != last:
                course.nodes.append(node)
                course.left.append(None)
                course.ranges.append([course.capacity - sold] * 2)
                last = node
            sold += delta
            left = course.capacity - sold
            course.left[-1] = left
            # Within a transaction, the order of bookings and cancellations is not known.
            course.ranges[-1][0 if delta > 0 else 1] -= delta
            self.seats.setdefault(("book" if delta > 0 else "cancel", booking), []).append((abs(delta), node, course))
        for place, left in enumerate(course.left):
            course.places.setdefault(left, []).append(place)
        over = next((place for place, left in enumerate(course.left) if left < 0), None)
        if over is not None:
            self._report_oversold(course)
        if course.line["sold"] != sold:
            self._report("lost update", f"{words.course(course.name)} counts {course.line['sold']} sold seats, but its "
                         f"bookings have {sold}.", [])

    def _report_oversold(self, course):
        """Reports the first booking for which no seat was left, and the one before it that was not cancelled."""
        sold, standing = 0, {}
        for delta, booking, _ in course.line["changes"]:
            sold += delta
            if delta < 0:
                standing.pop(booking, None)
            elif sold > course.capacity:
                break
            else:
                standing[booking] = True
        self._report(
            "seat sold twice", f"{words.course(course.name)} has {course.capacity} seats, and the last operation sold "
            f"seat {sold}. The booking before it was not cancelled.",
            [index for one in (*list(standing)[-1:], booking) for index in self._operations_of("book", one)],
        )

    # Part 1: writes

    def _check_writes(self):
        claimed = set()
        # The transaction of each acknowledged write, by operation.
        self.acknowledged = {}
        for identity, write in self.writes.items():
            effects = self._effects(identity, write)
            claimed.update(effects)
            self._check_write(identity, write, effects)
        for booking in self.bookings.values():
            self._check_booking(booking, ("book", booking["booking"]) in claimed)
        for (kind, subject), found in self.entries.items():
            if kind in ("adjust", "purchase") and (kind, subject) not in claimed:
                self._report_unasked(kind, subject, found[2].name)

    def _effects(self, identity, write):
        """Returns the effects in the books, each as a kind and a booking, reference or transaction."""
        if write.kind == "book":
            known = self.keys.get(identity[1:], [])
            # A booking that the books keep without its key is identified by the acknowledgement.
            named = [answer["booking"] for _, answer in write.done]
            return [("book", one) for one in dict.fromkeys([*known, *named]) if one in self.bookings]
        if write.kind == "cancel":
            booking = self.bookings.get(identity[1])
            return [identity] if booking and booking["cancelled"] else []
        return [identity] if identity in self.entries else []

    def _check_write(self, identity, write, effects):
        if not effects:
            if write.done:
                self._report("lost write", "The operation was acknowledged, but the books do not contain it.",
                             self._main_attempts(write)[:1])
            return
        if not write.done and not write.open:
            self._report("refused write", "Every attempt was refused, but the books contain the operation.",
                         write.attempts)
        if len(effects) > 1 or len(write.new) > 1:
            self._report_twice(write, len(effects))
        nodes = set()
        for effect in effects:
            if effect in self.entries:
                nodes |= self.entries[effect][0]
            nodes.update(node for _, node, _ in self.seats.get(effect, ()))
        low, high = write.low, write.high
        if len(write.new) == len(effects) == 1:
            # An answer that is no replay shows which attempt took effect.
            low = self.starts[write.new[0]]
        elif len(effects) > 1 or len(write.new) > 1:
            high = LATE
        for node in nodes:
            self.lows[node] = max(self.lows[node], low)
            self.highs[node] = min(self.highs[node], high)
        for index, _ in write.done:
            # A webhook is acknowledged before it takes effect.
            if nodes and write.kind != "webhook":
                self.acknowledged[index] = max(nodes)
        if len(effects) == 1:
            self._check_answers(write, effects[0])
        if write.kind not in ("book", "cancel") and len(nodes) > 1:
            self._report("written twice", f"{len(nodes)} transactions wrote the operation's entries.", write.attempts)
        elif write.kind == "adjust" and self.entries[identity][1] != write.asked["amount"]:
            self._report("write in part", f"The entries of the operation add up to {self.entries[identity][1]}.",
                         self._main_attempts(write)[:1])

    def _report_twice(self, write, count):
        found = write.new if len(write.new) > 1 else write.attempts
        sentence = ("Two attempts with one key were acknowledged as new." if len(write.new) > 1
                    else f"The books contain {count} effects of one key.")
        self._report("written twice", sentence, found)

    def _check_answers(self, write, effect):
        """Compares the acknowledgements with the effect."""
        found = self.entries.get(effect)
        for index, answer in write.done:
            wrong = self._difference(write, effect, answer)
            if not wrong and not answer.get("replayed", True) and found and "version" in answer:
                _, _, wallet, version = found
                shown = (answer["version"], answer["credits"], answer["visits"])
                held = (version, wallet.credits[version], wallet.visits[version])
                if write.kind == "book" and answer["version"] > version:
                    # The service lost the answer to its own commit and sent the batch again, under the same id: like a
                    # replay, the answer then has the balance of that moment.
                    self.reads.append((index, "book", write.user, write.environment, write.asked, answer))
                elif shown != held:
                    wrong = "version {}, {} credits and {} visits after it".format(*held)
            if wrong:
                self._report("wrong answer", f"The books contain {wrong}.", [index])
                return

    def _difference(self, write, effect, answer):
        if write.kind == "book":
            booking = self.bookings[effect[1]]
            if answer["booking"] != booking["booking"]:
                return f"booking {booking['booking']} under this key, and not booking {answer['booking']}"
            if (answer["class"], answer["amount"]) != (booking["class"], booking["amount"]):
                return f"a booking of {booking['class']} for {booking['amount']}"
        elif write.kind == "cancel":
            booking = self.bookings[effect[1]]
            if answer["returned"] != booking["returned"]:
                return f"a return of {booking['returned']}"
        elif write.kind == "receipt" and "granted" in answer and answer["granted"] != self.entries[effect][1]:
            return f"a grant of {self.entries[effect][1]}"
        return None

    def _check_booking(self, booking, is_claimed):
        """Checks that a booking is in the books wholly, in one transaction, and that a client requested it."""
        number = booking["booking"]
        if not is_claimed:
            self._report_unasked_booking(booking)
        paid, taken = self.entries.get(("book", number)), self.seats.get(("book", number), [])
        amount = -paid[1] if paid else 0
        nodes = (paid[0] if paid else set()) | {node for _, node, _ in taken}
        if amount != booking["amount"] or [seats for seats, _, _ in taken] != [booking["seats"]] or len(nodes) != 1:
            self._report("write in part", f"Booking {number} of {booking['seats']} seats for {booking['amount']} paid "
                         f"{amount} and took {sum(seats for seats, _, _ in taken)} seats, in {len(nodes)} transactions"
                         ".", self._operations_of("book", number))
        back, freed = self.entries.get(("cancel", number)), self.seats.get(("cancel", number), [])
        returned = back[1] if back else 0
        nodes = (back[0] if back else set()) | {node for _, node, _ in freed}
        expected = ([booking["seats"]], booking["returned"], 1) if booking["cancelled"] else ([], 0, 0)
        if ([seats for seats, _, _ in freed], returned, len(nodes)) != expected:
            self._report("write in part", f"The cancellation of booking {number} returned {returned} and freed "
                         f"{sum(seats for seats, _, _ in freed)} seats, in {len(nodes)} transactions.",
                         self._operations_of("cancel", number))
        elif booking["cancelled"] and ("cancel", number) not in self.writes:
            self._report("unasked write", f"Booking {number} is cancelled, but no client requested it.",
                         self._operations_of("book", number))

    def _report_unasked_booking(self, booking):
        """Reports a booking under a key that no client sent; another one of the same request explains it."""
        alike = [write for write in self.writes.values() if write.kind == "book" and len(write.attempts) > 1
                 and (write.user, write.environment, write.asked["class"])
                 == (booking["user"], booking["environment"], booking["class"])]
        if alike:
            self._report("written twice", f"The books contain booking {booking['booking']} of {booking['class']} for "
                         f"{booking['user']} as well, which no other operation requested: the repeated one was booked "
                         "again.", alike[0].attempts)
        else:
            self._report("unasked write", f"No client requested booking {booking['booking']} of {booking['class']} for "
                         f"{booking['user']}.", [])

    def _report_unasked(self, kind, subject, name):
        what = "the purchase" if kind == "purchase" else "the adjustment"
        self._report("unasked write", f"No client requested {what} {subject} in {words.wallet(name)}.", [])

    # Part 2: reads

    def _order_objects(self):
        """Adds the edges between successive writes of each wallet and class."""
        edge = self.graph.edge
        for wallet in self.wallets.values():
            for before, after in zip(wallet.nodes[1:], wallet.nodes[2:]):
                edge(before, after, WW, wallet.number)
        offset = len(self.wallets)
        for course in self.courses.values():
            course.number += offset
            nodes = course.nodes
            for before, after in zip(nodes[1:], nodes[2:]):
                edge(before, after, WW, course.number)
            course.highs, course.lows = self._bounds(nodes[1:])
        for wallet in self.wallets.values():
            wallet.bounds = None
        self.objects = [*self.wallets.values(), *self.courses.values()]
        # Bookings are objects too, as soon as a read shows one.
        self.shown = {}

    def _bounds(self, nodes):
        """Returns, for each write, when it was there at the latest, and when at the earliest."""
        highs, lows = array("d", bytes(8 * len(nodes))), array("d", bytes(8 * len(nodes)))
        latest = LATE
        for place in range(len(nodes) - 1, -1, -1):
            highs[place] = latest = min(latest, self.highs[nodes[place]])
        earliest = EARLY
        for place, node in enumerate(nodes):
            lows[place] = earliest = max(earliest, self.lows[node])
        return highs, lows

    def _check_reads(self):
        """Creates a node for each read, with the edges from the state that it shows and to the following one."""
        self.first_read = self.graph.add_nodes(len(self.reads))
        # Reads and classes with several states that have the number which the read shows, but not all at that time.
        self.chosen_by_time = set()
        self.read_indices = array("q", (read[0] for read in self.reads))
        self.read_lows = array("d")
        for number, (index, kind, user, environment, asked, answer) in enumerate(self.reads):
            node, start, end = self.first_read + number, self.starts[index], self.ends[index]
            low = start
            if index in self.positions:
                low = start - STANDBY_AGE
            elif kind == "classes":
                low = start - LIST_AGE
            self.read_lows.append(low)
            if index in self.acknowledged:
                self.graph.edge(self.acknowledged[index], node, OWN)
            if "seats" in answer:
                for name, left in answer["seats"].items():
                    self._see_seats(node, index, (name, environment), left, low, end, False)
            elif "refused" in answer:
                self._see_refusal(node, index, user, environment, asked, answer, low, end)
            elif "status" in answer:
                self._see_booking(node, index, asked["booking"], answer["status"])
            elif "bookings" in answer:
                for booking, status in answer["bookings"]:
                    self._see_booking(node, index, booking, status)
            elif "entries" in answer:
                self._see_entries(node, index, (user, environment), answer["entries"])
            elif "version" in answer:
                self._see_wallet(node, index, (user, environment), answer, kind in ("balance", "receipt"))

    def _see_wallet(self, node, index, name, answer, is_alone):
        wallet, version = self.wallets.get(name), answer["version"]
        if wallet is None or version >= len(wallet.nodes):
            if version:
                self._report_aborted_read(name, version, index)
            return
        held = (wallet.credits[version], wallet.visits[version])
        if held != (answer["credits"], answer["visits"]) and not wallet.expires:
            self._report("wrong answer", f"Version {version} of {words.wallet(name)} has {held[0]} credits and "
                         f"{held[1]} visits.", [index])
        self._see_version(node, index, wallet, version, is_alone)

    def _report_aborted_read(self, name, version, index):
        self._report("aborted read", f"The books contain no version {version} of {words.wallet(name)}.", [index])

    def _see_version(self, node, index, wallet, version, is_alone):
        """Adds the edges of a read of one version. A read that is part of no batch sees whole transactions only."""
        nodes, edge = wallet.nodes, self.graph.edge
        later = version + 1
        if version:
            edge(nodes[version], node, WR, wallet.number)
            if later < len(nodes) and nodes[later] == nodes[version]:
                if is_alone:
                    self._report("intermediate read", f"Version {version} of {words.wallet(wallet.name)} is in the "
                                 "middle of a transaction.", [index])
                later = wallet.following(version)
        if later < len(nodes):
            edge(node, nodes[later], RW, wallet.number)

    def _see_entries(self, node, index, name, entries):
        """Checks the newest entries of a wallet."""
        wallet = self.wallets.get(name)
        if not entries:
            if wallet and len(wallet.nodes) > 1:
                self._see_version(node, index, wallet, 0, True)
            return
        for entry in entries:
            version = entry[0]
            if wallet is None or version >= len(wallet.nodes):
                self._report_aborted_read(name, version, index)
                return
            if wallet.entries[version - 1][:5] != entry:
                self._report("wrong answer", f"Version {version} of {words.wallet(name)} is "
                             f"{wallet.entries[version - 1][:5]} in the books.", [index])
        self._see_version(node, index, wallet, entries[0][0], True)

    def _see_booking(self, node, index, number, status):
        """Adds the edges of a read that shows a booking as booked, cancelled or missing."""
        booking = self.bookings.get(number)
        made, ended = self.seats.get(("book", number)), self.seats.get(("cancel", number))
        if status != "missing" and (booking is None or not made) or status == "cancelled" and not ended:
            self._report("aborted read", f"The books do not contain booking {number} as {status}.", [index])
            return
        if booking is None or not made:
            return
        place = self.shown.setdefault(number, len(self.objects))
        if place == len(self.objects):
            self.objects.append(booking)
            if ended:
                self.graph.edge(made[0][1], ended[0][1], WW, place)
        if status == "missing":
            self.graph.edge(node, made[0][1], RW, place)
        elif status == "booked":
            self.graph.edge(made[0][1], node, WR, place)
            if ended and ended[0][1] != made[0][1]:
                self.graph.edge(node, ended[0][1], RW, place)
        else:
            self.graph.edge(ended[0][1], node, WR, place)

    def _see_refusal(self, node, index, user, environment, asked, answer, low, end):
        if "left" in answer:
            self._see_seats(node, index, (asked["class"], environment), answer["left"], low, end, True)
        elif "available" in answer:
            self._see_credits(node, index, (user, environment), answer["available"], low, end)
        elif "booked" in answer:
            self._see_booking(node, index, answer["booked"], "booked")
        elif answer["refused"] == "404 booking-not-found":
            self._see_booking(node, index, asked["booking"], "missing")

    def _see_seats(self, node, index, name, left, low, end, is_in_batch):
        """Adds the edges of a read of free seats. Several states may have this number; those that are possible by time
        bound the edges."""
        course = self.courses.get(name)
        if course is None:
            return
        first = bisect.bisect_left(course.highs, low)
        last = bisect.bisect_right(course.lows, end)
        places = course.places.get(left, [])
        begin, stop = bisect.bisect_left(places, first), bisect.bisect_right(places, last)
        possible = [places[begin], places[stop - 1]] if begin < stop else []
        if is_in_batch:
            possible += self._inner(course, left, first, last)
        if begin or stop < len(places):
            self.chosen_by_time.add((node, course.number))
        if possible:
            oldest, newest = min(possible), max(possible)
        elif begin:
            # Only older states fit, which the order of time excludes.
            oldest = newest = places[begin - 1]
        elif stop < len(places):
            oldest = newest = places[stop]
        else:
            self._report("aborted read", f"{words.course(name)} never had {left} free seats.", [index])
            return
        if oldest:
            self.graph.edge(course.nodes[oldest], node, WR, course.number)
        if newest + 1 < len(course.nodes):
            self.graph.edge(node, course.nodes[newest + 1], RW, course.number)

    @staticmethod
    def _inner(course, left, first, last):
        """Returns the places before and after the transactions in whose middle this number may have been left."""
        inside = [place for place in range(first + 1, min(last, len(course.nodes) - 1) + 1)
                  if course.ranges[place][0] <= left <= course.ranges[place][1]]
        return [inside[0] - 1, inside[-1]] if inside else []

    def _see_credits(self, node, index, name, available, low, end):
        """Adds the edges of a read of the credits without the version."""
        wallet = self.wallets.get(name)
        if wallet is None or wallet.expires:
            if available and wallet is None:
                self._report("aborted read", f"{words.wallet(name)} never had {available} credits.", [index])
            return
        if wallet.bounds is None:
            places = {}
            for place, credits in enumerate(wallet.credits):
                places.setdefault(credits, []).append(place)
            wallet.bounds = (*self._bounds(wallet.nodes[1:]), places)
        highs, lows, by_credits = wallet.bounds
        places = by_credits.get(available, [])
        first, last = bisect.bisect_left(highs, low), bisect.bisect_right(lows, end)
        begin, stop = bisect.bisect_left(places, first), bisect.bisect_right(places, last)
        if not places:
            self._report("aborted read", f"{words.wallet(name)} never had {available} credits.", [index])
            return
        if begin == stop:
            begin, stop = (begin - 1, begin) if begin else (stop, stop + 1)
        oldest, newest = places[begin], wallet.following(places[stop - 1])
        if oldest:
            self.graph.edge(wallet.nodes[oldest], node, WR, wallet.number)
        if newest < len(wallet.nodes):
            self.graph.edge(node, wallet.nodes[newest], RW, wallet.number)

    # Part 3: the order

    def _order_in_time(self):
        """Adds the order of real time, and of clients that pass their position on."""
        ends, starts = [], []
        for node, (low, high) in enumerate(zip(self.lows, self.highs)):
            if low > high:
                self._report_early(node)
            elif high != LATE:
                ends.append((high, node))
            if low != EARLY and low <= high:
                starts.append((low, node))
        lists = {}
        for number, read in enumerate(self.reads):
            index, node = read[0], self.first_read + number
            ends.append((self.ends[index], node))
            starts.append((self.read_lows[number], node))
            if read[1] == "classes" and self.servers[index] >= 0 and index not in self.positions:
                lists.setdefault(self.servers[index], []).append((self.starts[index], node))
        self.graph.order_by_time(ends, starts)
        if lists:
            self._order_lists(lists)
        for index, earlier in self.positions.items():
            nodes = (None if earlier is None else self._node_of(earlier), self._node_of(index))
            if None not in nodes:
                self.graph.edge(*nodes, CLIENT)

    def _order_lists(self, lists):
        """Adds the order of each service's own changes and its list of classes, which shows them at once."""
        changes = {server: [] for server in lists}
        for write in self.writes.values():
            # A replay changes nothing; the answer to a cancellation does not show whether it is one.
            if len(write.attempts) == 1 and (write.kind == "cancel" or write.kind == "book" and write.new):
                for index, _ in write.done[:1]:
                    if index in self.acknowledged and self.servers[index] in changes:
                        changes[self.servers[index]].append((self.ends[index], self.acknowledged[index]))
        for server, starts in lists.items():
            self.graph.order_by_time(changes[server], starts)

    def _node_of(self, index):
        """Returns the node of an operation, if it has one."""
        place = bisect.bisect_left(self.read_indices, index)
        if place < len(self.read_indices) and self.read_indices[place] == index:
            return self.first_read + place
        return self.acknowledged.get(index)

    def _report_early(self, node):
        """Reports a transaction with an operation that ended before another of its operations began."""
        found = self._operations_at(node)
        self._report("early acknowledgement", "One transaction wrote both operations, but one was acknowledged before "
                     "the other began.", found)

    # Reports

    def _operations_at(self, node, of=None):
        """Returns the operations of a node: of a batch, those that changed an object, if one of them did."""
        if node >= self.first_read:
            return [self.reads[node - self.first_read][0]]
        found, touching = [], []
        for (kind, subject), (nodes, _, wallet, _) in self.entries.items():
            if node in nodes:
                found += (operations := self._operations_of(kind, subject))
                touching += operations if wallet is of else []
        for (kind, subject), changes in self.seats.items():
            for _, one, course in changes:
                if one == node:
                    found += (operations := self._operations_of(kind, subject))
                    touching += operations if course is of or of is self.bookings.get(subject) else []
        return list(dict.fromkeys(touching or found))

    def _report_cycle(self, steps, size):
        kinds = [kind for _, kind, _ in steps]
        nodes = [node for node, _, _ in steps]
        readers = zip(kinds, nodes, nodes[1:] + nodes[:1], (of for _, _, of in steps))
        rests_on_time = any((target if kind == WR else source, of) in self.chosen_by_time
                            for kind, source, target, of in readers if kind in (WR, RW))
        name, kind = words.verdict(kinds, [self._kind(node) for node in nodes], rests_on_time)
        sentence = "Other states with the same number of free seats are too old or too new." if rests_on_time else ""
        # Each operation is shown for the object of the edge at which it stands, or of the edge before.
        places = range(len(steps))
        things = [None if of == NO_OBJECT else self.objects[of] for _, _, of in steps]
        shown = [self._operations_at(steps[place][0], things[place] or things[place - 1]) for place in places]
        for place in places:
            if kinds[place] == OWN:
                shown[place] = shown[(place + 1) % len(steps)]
        described = [(shown[place], kinds[place], self._thing(things[place]), shown[(place + 1) % len(steps)])
                     for place in places]
        self.violations.append(
            Violation(name, sentence, [index for operations in shown for index in operations], kind, described, size)
        )

    @staticmethod
    def _thing(of):
        if of is None:
            return None
        if isinstance(of, dict):
            return f"booking {of['booking']}"
        return words.wallet(of.name) if isinstance(of, Wallet) else words.course(of.name)

    def _kind(self, node):
        if node < self.first_read:
            return "write"
        index, kind = self.reads[node - self.first_read][:2]
        return "standby" if index in self.positions else kind

    def line(self, index):
        with open(self.path, "rb") as file:
            file.seek(self.offsets[index])
            return json.loads(file.readline())

    def explain(self, violation):
        return words.explain(violation, {index: self.line(index) for index in violation.operations})
