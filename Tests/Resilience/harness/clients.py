"""Clients that concurrently book, cancel, submit receipts, post webhooks, adjust wallets and read."""

import collections
import random
import threading
import time

from . import stores, tokens
from .journal import perform
from .operations import Adjustment, Booking, Cancellation, Message, Read, Receipt

PRICE = 20


class Members:
    """The users of a run and their tokens; a few of them have too few credits."""

    def __init__(self, seed, count=24):
        self.ids = [f"member-{seed}-{number}" for number in range(count)]
        self.tokens = {user: tokens.token(user) for user in self.ids}
        self.poor = set(self.ids[:3])
        self.operator = {"Authorization": f"Bearer {tokens.token('operator-of-the-run', 'operators')}"}

    def headers(self, user, key=None, environment="production"):
        fields = {"Authorization": f"Bearer {self.tokens[user]}"}
        if key:
            fields["Idempotency-Key"] = key
        if environment != "production":
            fields["Wallet-Environment"] = environment
        return fields


class Load:
    """Several clients, each with its own connection and random generator; use it in a `with` statement."""

    KINDS = (("book", 50), ("cancel", 20), ("receipt", 10), ("webhook", 10), ("adjust", 10))
    READS = (("/balance", 45), ("/transactions?limit=5", 10), ("/bookings/{booking}", 15), ("/bookings?limit=10", 5),
             ("/classes/{class_id}", 15), ("/classes", 10))

    def __init__(self, port, journal, members, classes, shops, seed, clients=6, pause=0.09, server=None, readers=2,
                 follows=False):
        """Creates the clients. If the journal has a history, `readers` more clients only read, and `server` is the
        instance that all of them call directly. If they follow, standbys may answer their reads."""
        self.port, self.journal, self.members, self.classes, self.shops = port, journal, members, classes, shops
        self.seed, self.pause, self.server, self.follows = seed, pause, server, follows
        self.ending = threading.Event()
        self.cancellable, self.purchases, self.booked = [], [], collections.deque(maxlen=50)
        self.failures = []
        works = [self._write] * clients + [self._read] * (readers if journal.history else 0)
        self.threads = [threading.Thread(target=self._work, args=pair) for pair in enumerate(works)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        for thread in self.threads:
            thread.join()

    def goes_on(self):
        return not self.ending.is_set()

    def _work(self, number, work):
        chance, wire = random.Random(f"{self.seed}-{number}"), self.journal.wire(self.port, self.server, self.follows)
        count = 0
        try:
            while self.goes_on():
                count += 1
                work(wire, chance, f"{self.seed}-{number}-{count}")
        except Exception as error:  # A client must not end unnoticed.
            self.failures.append(f"client {number}: {error!r}")
        finally:
            wire.close()

    def _write(self, wire, chance, key):
        names, weights = zip(*(kind for kind in self.KINDS if self.shops or kind[0] not in ("receipt", "webhook")))
        operation = getattr(self, f"_{chance.choices(names, weights)[0]}")(chance, key)
        if operation:
            self.journal.begin(operation)
            perform(self.journal, wire, operation, self.goes_on)
            if operation.kind == "booking" and operation.state == "done":
                self.cancellable.append(operation)
                self.booked.append(operation)
        time.sleep(chance.uniform(0, 2 * self.pause))

    def _read(self, wire, chance, key):
        paths, weights = zip(*self.READS)
        path, booking = chance.choices(paths, weights)[0], chance.choice(self.booked or [None])
        if booking or "{booking}" not in path:
            user = booking.user if "{booking}" in path else chance.choice(self.members.ids)
            path = path.format(booking=booking and booking.identity[0], class_id=chance.choice(self.classes))
            operation = Read(key, user, "GET", path, None, self.members.headers(user))
            start = time.monotonic()
            answer = wire.call("GET", path, None, operation.headers)
            self.journal.observe(operation, answer, start)
        time.sleep(chance.uniform(0, self.pause))

    # The clients' operations

    def _book(self, chance, key):
        user = chance.choice(self.members.ids)
        body = {"class_id": chance.choice(self.classes)}
        return Booking(key, user, "POST", "/bookings", body, self.members.headers(user, key))

    def _cancel(self, chance, key):
        try:
            booking = self.cancellable.pop(chance.randrange(len(self.cancellable)))
        except (IndexError, ValueError):
            return None
        path = f"/bookings/{booking.identity[0]}/cancel"
        return Cancellation(key, booking.user, "POST", path, None, self.members.headers(booking.user))

    def _receipt(self, chance, key):
        user = chance.choice(self.members.ids)
        environment = chance.choice(("production", "production", "sandbox"))
        bought = self.shops.buy(user, environment)
        proof = ({"receipt": bought["receipt"]} if environment == "production"
                 else {"signed_transaction": bought["signed_transaction"]})
        details = {"transaction": bought["transaction_id"]}
        if environment == "production":
            self.purchases.append((user, bought["transaction_id"]))
        return Receipt(key, user, "POST", "/receipts", {"store": "app_store", **proof}, self.members.headers(user),
                       environment=environment, details=details)

    def _webhook(self, chance, key):
        """Posts a message about a new pack, or about one that is also submitted as a receipt."""
        if self.purchases and chance.random() < 0.4:
            user, transaction = self.purchases.pop()
        else:
            user, transaction = chance.choice(self.members.ids), f"7{chance.randrange(10**15):015}"
        body = stores.revenuecat_event(key, user, transaction, int(time.time() * 1000))
        return Message(key, user, "POST", "/webhooks/revenuecat", body, {"Authorization": stores.REVENUECAT},
                       details={"transaction": transaction})

    def _adjust(self, chance, key):
        return adjustment(self.members, chance.choice(self.members.ids), chance.randint(1, 60), key)


def adjustment(members, user, amount, key, **more):
    body = {"user_id": user, "unit": "credit", "amount": amount, "reason": "for a run", "reference": key, "new_user": True, **more}
    return Adjustment(key, user, "POST", "/operator/adjustments", body, {**members.operator, "Idempotency-Key": key})


def give_credits(journal, wire, members, seed, amount):
    """Gives the members initial credits by acknowledged adjustments."""
    window = journal.open_window("busy-machine")
    for number, user in enumerate(members.ids):
        operation = adjustment(members, user, PRICE if user in members.poor else amount, f"{seed}-start-{number}")
        journal.begin(operation)
        deadline = time.monotonic() + 60
        perform(journal, wire, operation, lambda: time.monotonic() < deadline, attempts=150)
        if operation.state != "done":
            raise SystemExit(f"a wallet could not be filled: {operation.path}")
    journal.close_window(window)
