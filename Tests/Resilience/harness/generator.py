"""Generates histories that are possible: of clients that use one simulated service, whose state is known at any time.

Some operations share a transaction, and some get no answer and are sent again. Some reads come from a list of classes
that is up to a second old, and some from a standby that is behind.
"""

import bisect
import collections
import heapq
import json
import random

PRICE = 20


class Simulation:
    def __init__(self, file, count, seed=1, wallets=200, classes=60, clients=16):
        self.file, self.count, self.chance = file, count, random.Random(seed)
        self.users = [f"member-{number}" for number in range(wallets)]
        # Of each wallet: its entries, and when it got them.
        self.entries = {user: [] for user in self.users}
        self.times = {user: [] for user in self.users}
        self.classes = {f"class-{number}": (8 if number % 10 == 0 else 10_000) for number in range(classes)}
        self.changes = {name: [] for name in self.classes}
        self.class_times = {name: [] for name in self.classes}
        self.sold = {name: [0] for name in self.classes}
        self.bookings, self.keys, self.active = {}, {}, {}
        self.recent = collections.deque(maxlen=50)
        # When each booking was made and cancelled.
        self.moments = {}
        self.transactions, self.numbers = 0, 0
        self.clients = clients
        # The newest state that each client has seen; every third client reads from the standby.
        self.positions = [0.0] * clients
        self.waiting = []

    def run(self):
        """Writes the history; returns the number of its operations."""
        written = 0
        for client in range(self.clients):
            self._begin(client, self.chance.random() / 100)
        while self.waiting and written < self.count:
            point = self.waiting[0][0]
            self.transactions += 1
            # Operations that are under way at this moment may share the transaction.
            together = self.chance.randint(1, 3) if self.chance.random() < 0.3 else 1
            while together and self.waiting and self.waiting[0][3] <= point:
                _, _, client, start, end, kind, asked, is_lost, has_client = heapq.heappop(self.waiting)
                answer = self._answer(kind, client, asked, start, point)
                together -= 1
                if has_client:
                    written += 1
                    if not is_lost and kind in ("book", "adjust", "cancel"):
                        self.positions[client] = max(self.positions[client], point)
                    self._write(client, start, end, kind, asked, "unknown" if is_lost else answer)
                    if is_lost and kind in ("book", "adjust"):
                        self._send(client, end + 0.001, kind, asked)
                    else:
                        self._begin(client, end + self.chance.random() / 500)
        self._end()
        return written

    def _begin(self, client, start):
        """Starts a random operation of a client."""
        chance = self.chance
        kind = chance.choices(("book", "cancel", "adjust", "balance", "transactions", "booking", "class", "classes"),
                              (30, 14, 6, 25, 5, 6, 9, 5))[0]
        user = chance.choice(self.users)
        self.numbers += 1
        asked = {"user": user, "key": f"key-{self.numbers}"}
        if kind in ("cancel", "booking"):
            if not self.active:
                kind = "adjust"
            else:
                asked["booking"] = chance.choice(self.recent)
                asked["user"] = self.bookings[asked["booking"]]["user"]
        if kind in ("book", "class"):
            asked["class"] = chance.choice(list(self.classes))
        if kind == "adjust":
            asked["amount"] = chance.randint(1, 90)
        self._send(client, start, kind, asked)

    def _send(self, client, start, kind, asked):
        chance = self.chance
        end = start + 0.002 + chance.random() / 50
        is_lost = kind in ("book", "adjust", "cancel") and chance.random() < 0.02
        point = start + (end - start) * chance.random()
        if is_lost and chance.random() < 0.3:
            # The request arrives after its client gave up.
            self._plan(end + chance.random(), client, start, end, kind, asked, True, False)
            kind, asked = ("nothing", kind), {**asked}
        self._plan(point, client, start, end, kind, asked, is_lost, True)

    def _plan(self, point, *operation):
        """Lets an operation take effect at a point in time."""
        self.numbers += 1
        heapq.heappush(self.waiting, (point, self.numbers, *operation))

    # The service

    def _answer(self, kind, client, asked, start, point):
        user = asked["user"]
        if kind == "book":
            return self._book(user, asked, point)
        if kind == "cancel":
            booking = self.bookings[asked["booking"]]
            if not booking["cancelled"]:
                booking["cancelled"], booking["returned"] = True, booking["amount"]
                del self.active[user, booking["class"]]
                self.moments[booking["booking"]].append(point)
                self._change_seats(booking["class"], -1, booking["booking"], point)
                self._post(user, "return", PRICE, booking["booking"], point)
            return {"booking": booking["booking"], "returned": booking["returned"], **self._state(user)}
        if kind == "adjust":
            is_known = asked["key"] in self.keys
            if not is_known:
                self.keys[asked["key"]] = True
                self._post(user, "adjust", asked["amount"], asked["key"], point)
            return {"replayed": is_known, "amount": asked["amount"], **self._state(user)}
        if isinstance(kind, tuple):
            return None
        return self._read(kind, client, asked, start, point)

    def _book(self, user, asked, point):
        name, known = asked["class"], self.keys.get(asked["key"])
        if known:
            return {"replayed": True, "booking": known, "class": name, "amount": PRICE, **self._state(user)}
        if (user, name) in self.active:
            return {"refused": "409 already-booked", "booked": self.active[user, name]}
        if self.sold[name][-1] >= self.classes[name]:
            return {"refused": "409 class-full", "left": 0}
        credits = self._state(user)["credits"]
        if credits < PRICE:
            return {"refused": "402 insufficient-credits", "available": credits}
        self.numbers += 1
        number = f"booking-{self.numbers}"
        self.keys[asked["key"]] = self.active[user, name] = number
        self.bookings[number] = {"booking": number, "user": user, "environment": "production", "class": name,
                                 "key": asked["key"], "seats": 1, "unit": "credit", "amount": PRICE,
                                 "cancelled": False, "returned": None}
        self.recent.append(number)
        self.moments[number] = [point]
        self._change_seats(name, 1, number, point)
        self._post(user, "spend", -PRICE, number, point)
        return {"replayed": False, "booking": number, "class": name, "amount": PRICE, **self._state(user)}

    def _post(self, user, kind, amount, subject, point):
        entries = self.entries[user]
        after = (entries[-1][4] if entries else 0) + amount
        entries.append([len(entries) + 1, kind, "credit", amount, after, subject, self.transactions])
        self.times[user].append(point)

    def _change_seats(self, name, delta, number, point):
        self.changes[name].append([delta, number, self.transactions])
        self.class_times[name].append(point)
        self.sold[name].append(self.sold[name][-1] + delta)

    def _state(self, user, at=None):
        entries = self.entries[user]
        version = len(entries) if at is None else bisect.bisect_right(self.times[user], at)
        return {"version": version, "credits": entries[version - 1][4] if version else 0, "visits": 0}

    def _left(self, name, at):
        return self.classes[name] - self.sold[name][bisect.bisect_right(self.class_times[name], at)]

    def _read(self, kind, client, asked, start, point):
        user, at = asked["user"], point
        if client % 3 == 0 and kind != "classes":
            at = self.chance.uniform(max(self.positions[client], start - 9), point)
            asked["after"] = self.positions[client]
        # A transaction that began at this point is read as a whole or not.
        at = at if at < point else point - 1e-9
        if kind == "balance":
            answer = self._state(user, at)
        elif kind == "transactions":
            version = self._state(user, at)["version"]
            answer = {"entries": [entry[:5] for entry in self.entries[user][max(0, version - 5):version][::-1]]}
        elif kind == "booking":
            answer = self._shown(asked["booking"], at)
        elif kind == "class":
            answer = {"seats": {asked["class"]: self._left(asked["class"], at)}}
        else:
            at = self.chance.uniform(start - 0.99, at)
            answer = {"seats": {name: self._left(name, at) for name in list(self.classes)[:10]}}
        self.positions[client] = max(self.positions[client], at)
        return answer

    def _shown(self, number, at):
        changes = bisect.bisect_right(self.moments[number], at)
        return ({"refused": "404 booking-not-found"}, {"status": "booked"}, {"status": "cancelled"})[changes]

    # The file

    def _write(self, client, start, end, kind, asked, answer):
        kind = kind[1] if isinstance(kind, tuple) else kind
        names = {"book": ("key", "class"), "cancel": ("booking",), "adjust": ("key", "amount"), "booking": ("booking",),
                 "class": ("class",)}.get(kind, ())
        line = {"client": client, "start": start, "end": end, "kind": kind, "environment": "production",
                "arguments": {name: asked[name] for name in names}, "answer": answer}
        if kind not in ("class", "classes"):
            line["user"] = asked["user"]
        if "after" in asked:
            line["after"] = str(asked["after"])
        self.file.write(json.dumps(line) + "\n")

    def _end(self):
        for user, entries in self.entries.items():
            self._final("wallet", user=user, environment="production", entries=entries, **self._state(user))
        for name, capacity in self.classes.items():
            self._final("class", **{"class": name}, environment="production", capacity=capacity,
                        sold=self.sold[name][-1], changes=self.changes[name])
        for booking in self.bookings.values():
            self._final("booking", **booking)
        self._final("end")

    def _final(self, of, **members):
        self.file.write(json.dumps({"kind": "final", "of": of, **members}) + "\n")
