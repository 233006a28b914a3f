"""Checks that two instances share their background work and do each task once."""

import base64
import collections
import contextlib
import datetime
import subprocess
import time

from . import clients, processes, stores
from .streams import Follower
from .wire import Wire

SECRET = "whsec_" + base64.b64encode(b"a secret that signs the events of a run").decode()


class Sharing:
    """Creates work of every kind for the instances and checks the results."""

    def __init__(self, postgres, instances, journal, members, shops, tally):
        self.postgres, self.instances, self.journal = postgres, instances, journal
        self.members, self.shops, self.tally = members, shops, tally
        self.wires = [Wire(instance.port) for instance in instances]

    def run(self):
        # Refunds come first, because the reconciliation queries the stores about every purchase in turn.
        self.refunds()
        self.waitlist()
        # The gifts lapse while the messages are processed.
        gifts = self.give_gifts()
        self.messages()
        self.lapses(gifts)
        self.notices()

    def call(self, number, method, path, body=None, headers=None):
        answer = self.wires[number % len(self.wires)].insist(method, path, body, headers)
        if not answer.is_success:
            raise SystemExit(f"{method} {path} was answered {answer.outcome}")
        return answer.body

    def one(self, query):
        return self.postgres.rows(query)[0]

    def entries(self, kind):
        """Returns the number of entries of a kind, and their sum."""
        return self.one("SELECT count(*) AS n, coalesce(sum(e.amount), 0) AS amount FROM wallet.entries AS e"
                        f" WHERE e.kind = '{kind}'")

    # Refunds without a message

    def refunds(self, count=10):
        user = self.members.ids[1]
        for number in range(count):
            bought = self.shops.buy(user, "sandbox")
            proof = {"store": "app_store", "signed_transaction": bought["signed_transaction"]}
            self.call(number, "POST", "/receipts", proof, self.members.headers(user))
            self.shops.control(f"/sandbox/transactions/{bought['transaction_id']}/refund", {})
        began = time.monotonic()
        # A round asks the stores about everything that was ever bought, so it takes longer the longer the load ran.
        processes.wait_until(lambda: self.entries("refund")["n"] >= count, 300, 0.3)
        seconds = time.monotonic() - began
        # Both instances have reconciled again by then.
        time.sleep(4)
        found = self.entries("refund")
        self.tally.check(f"{count} refunds that both instances find out are posted once each",
                         found == {"n": count, "amount": -stores.PACK_CREDITS * count},
                         f"{found['n']} after {seconds:.0f} s, {self.purchases()} purchases")

    def purchases(self):
        return self.one("SELECT count(*) AS n FROM wallet.claims")["n"]

    # Waiting messages, for example from a store outage

    def messages(self, count=300):
        user = self.members.ids[0]
        before = self.credits(user)
        with self._kept_message(user):
            # Copies the message, each about its own purchase; all are due at once when the wallet is unlocked.
            self.postgres.psql("-c", f"""
                INSERT INTO wallet.inbox (source, source_event_id, type, payload, status, next_attempt_at, received_at)
                SELECT i.source, 'copy-' || n, i.type, replace(
                    replace(i.payload::TEXT, '60000000', '6' || (1000000 + n)), 'template', 'copy-' || n
                )::JSONB, 'new', now() + INTERVAL '4 seconds', now()
                FROM wallet.inbox AS i CROSS JOIN generate_series(1, {count}) AS n
                WHERE i.source_event_id = 'template'""")
        left = "SELECT count(*) AS n FROM wallet.inbox WHERE status IN ('new', 'failed')"
        processes.wait_until(lambda: self.one(left)["n"] == 0, 180, 0.2)
        done = self.one("SELECT count(*) AS n, count(DISTINCT source_event_id) AS ids FROM wallet.inbox_done"
                        " WHERE source_event_id LIKE 'copy-%' AND status = 'processed'")
        right = {"n": count, "ids": count}
        self.tally.check(f"{count} messages that waited are each processed once", done == right, str(done))
        got = self.credits(user) - before
        self.tally.check("and each pack is granted once", got == (count + 1) * stores.PACK_CREDITS, f"{got} credits")

    @contextlib.contextmanager
    def _kept_message(self, user):
        """Stores a message that cannot be applied yet, because its wallet is locked until the end of the block."""
        account = self.one(f"SELECT account_id FROM wallet.identities WHERE user_id = '{user}'")["account_id"]
        lock = f"SELECT FROM wallet.wallets WHERE account_id = {account} FOR UPDATE"
        holding = subprocess.Popen(
            [f"{self.postgres.bin}/psql", "-Xq", "-d", self.postgres.url(), "-o", "/dev/null", "-c",
             f"BEGIN; {lock}; SELECT pg_sleep(600); COMMIT"], stderr=subprocess.DEVNULL,
        )
        session = "FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%pg_sleep(600)%'"
        try:
            if not processes.wait_until(lambda: self.postgres.rows(f"SELECT pid {session}"), 60):
                raise SystemExit("the wallet could not be locked")
            event = stores.revenuecat_event("template", user, "60000000", int(time.time() * 1000))
            self.call(0, "POST", "/webhooks/revenuecat", event, {"Authorization": stores.REVENUECAT})
            kept = "SELECT status FROM wallet.inbox WHERE source_event_id = 'template'"
            if not processes.wait_until(lambda: self.postgres.rows(kept) == [{"status": "failed"}], 60):
                raise SystemExit(f"a message about a wallet that was held is {self.postgres.rows(kept)}, not failed")
            yield
        finally:
            self.postgres.rows(f"SELECT pg_terminate_backend(pid) AS ended {session}")
            holding.kill()
            holding.wait()

    def credits(self, user, environment="production"):
        return self.call(0, "GET", "/balance", headers=self.members.headers(user, environment=environment))["credits"]

    # Freed seats

    def waitlist(self):
        seats = 6
        name = self._class("waited-for", seats)
        holders, waiting = self.members.ids[3:3 + seats], self.members.ids[3 + seats:3 + 3 * seats]
        booked = [
            self.call(n, "POST", "/bookings", {"class_id": name}, self.members.headers(user, f"seat-{n}"))
            for n, user in enumerate(holders)
        ]
        for number, user in enumerate(waiting):
            self.call(number, "POST", f"/classes/{name}/waitlist", {}, self.members.headers(user))
        before = {user: self.credits(user) for user in waiting}
        for number, (user, answer) in enumerate(zip(holders, booked)):
            path = f"/bookings/{answer['booking']['booking_id']}/cancel"
            self.call(number, "POST", path, None, self.members.headers(user))
        standing = f"SELECT count(*) AS n FROM wallet.bookings WHERE class_id = '{name}' AND cancelled_at IS NULL"
        processes.wait_until(lambda: self.one(standing)["n"] == seats, 120, 0.2)
        time.sleep(2)
        promoted = self.one(standing)["n"]
        charged = [before[user] - self.credits(user) for user in waiting]
        right = [clients.PRICE] * seats + [0] * (len(waiting) - seats)
        self.tally.check(f"{seats} freed seats go to the first {seats} who wait, each charged once",
                         promoted == seats and charged == right, f"{promoted} booked, charged {charged}")

    def _class(self, name, capacity):
        start = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) + datetime.timedelta(days=20)
        body = {"title": name, "starts_at": start.isoformat(), "capacity": capacity,
                "ends_at": (start + datetime.timedelta(hours=1)).isoformat(), "price": {"credits": clients.PRICE}}
        self.call(0, "PUT", f"/operator/classes/{name}", body, {**self.members.operator, "Idempotency-Key": name})
        return name

    # Expiring credits

    def give_gifts(self):
        count = 40
        # The credits of the first member are compared meanwhile.
        others = self.members.ids[1:]
        for number in range(count):
            # Each gift has its own expiry, because on a busy machine the calls may take longer than one of them lasts.
            at = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) + datetime.timedelta(seconds=16)
            user, key = others[number % len(others)], f"gift-{number}"
            gift = clients.adjustment(self.members, user, 7, key, source="gift", expires_at=at.isoformat())
            self.call(number, "POST", gift.path, gift.body, gift.headers)
        return count

    def lapses(self, count):
        processes.wait_until(lambda: self.entries("lapse")["n"] >= count, 180, 0.2)
        time.sleep(2)
        found = self.entries("lapse")
        self.tally.check(f"{count} gifts lapse once each", found == {"n": count, "amount": -7 * count}, str(found))

    # Changes on streams

    def notices(self):
        changes = 5
        user = self.members.ids[2]
        with contextlib.ExitStack() as stack:
            headers = self.members.headers(user)
            followers = [stack.enter_context(Follower(instance.port, headers)) for instance in self.instances]
            processes.wait_until(lambda: all(follower.versions for follower in followers), 120)
            for number in range(changes):
                change = clients.adjustment(self.members, user, 1, f"notice-{number}")
                self.call(number, "POST", change.path, change.body, change.headers)
                time.sleep(0.8)
            version = self.call(0, "GET", "/balance", headers=headers)["version"]
            processes.wait_until(lambda: all(follower.last == version for follower in followers), 120)
            heard = [follower.versions for follower in followers]
            self.tally.check(
                "a stream on either instance sends every wallet's changes, none twice",
                all(versions[-1:] == [version] and len(set(versions)) == len(versions) <= changes + 1
                    for versions in heard),
                str(heard),
            )

    # Events for an operator's endpoint

    def events(self, receiver):
        """Checks that every event was sent, and since nothing failed, none twice."""
        ids = "SELECT 'evt_' || o.event_id AS id FROM wallet.outbox AS o"
        processes.wait_until(lambda: {row["id"] for row in self.postgres.rows(ids)} <= set(receiver.taken), 120, 0.5)
        expected, taken = {row["id"] for row in self.postgres.rows(ids)}, collections.Counter(receiver.taken)
        twice = [name for name, count in taken.items() if count > 1]
        self.tally.check("every event is sent once", set(taken) == expected and not twice,
                         f"{len(expected)} events, {len(expected - set(taken))} missing, {len(twice)} twice")
