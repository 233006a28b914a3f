"""Records what each client did and saw, one line of JSON for each request, for the checker (checker.py).

A line has the members

- client: the client's number, whose requests come one after the other; server: the instance that it calls, if directly
- start, end: when the request was sent and when it was answered, in seconds on the script's monotonic clock
- kind: book, cancel, adjust, receipt, webhook, balance, transactions, booking, bookings, class or classes
- user, environment: the wallet
- arguments: what was requested; the key of a write is the same in each attempt
- answer: the members of the result that the checker compares (`read_answer`); the member "refused" for a refusal;
  "unknown" if the connection broke or the service answered 5xx, so that a write may have taken effect or not
- after: the position that the client sent, if it lets standbys answer (`Wallet-Position`)

A read without an answer shows nothing and is left out. At the end come the final books as lines of the kind "final":
each wallet with its entries in order of their version, each class with the changes of its seats in order, each booking,
and the line {"kind": "final", "of": "end"}. Each change names the database transaction that wrote it (xmin of its row).
The order of a class's changes is that of their events in the outbox: the service inserts them while it holds the
seats, so their ids are in the order in which the seats changed. Nothing is added to a booking for this.
"""

import json
import re
import threading
import time
import urllib.parse

from . import tokens
from .postgres import DATABASE

BOOKING = re.compile(r"^/bookings/([^/?]+)(/cancel)?$")
CLASS = re.compile(r"^/classes/([^/?]+)$")
PLAIN = {"/balance": "balance", "/transactions": "transactions", "/bookings": "bookings", "/classes": "classes"}


class History:
    """A file that several clients write to."""

    def __init__(self, path):
        self.path, self.lock, self.began = path, threading.Lock(), time.monotonic()
        self.file = open(path, "w", buffering=1 << 16)
        self.clients = self.count = 0
        # The length without the final books, once they were appended.
        self.length = None

    def client(self, server=None):
        """Returns the recorder of another client; `server` is the instance that it calls directly."""
        with self.lock:
            self.clients += 1
            return Recorder(self, self.clients, server)

    def write(self, line):
        text = json.dumps(line, separators=(",", ":")) + "\n"
        with self.lock:
            self.file.write(text)
            self.count += line["kind"] != "final"

    def end(self, postgres, database=DATABASE):
        """Appends the final books; `resume` removes them again."""
        self.resume()
        self.file.flush()
        self.length = self.file.tell()
        for line in final_books(lambda query: postgres.psql("-c", query, database=database)):
            self.write(line)
        self.file.flush()

    def resume(self):
        """Removes the final books, so that more operations can follow."""
        with self.lock:
            if self.length is not None:
                self.file.seek(self.length)
                self.file.truncate()
            self.length = None


def final_books(run):
    """Returns the lines of the final books; `run` runs a query and returns its rows as lines of JSON."""
    lines = [{"kind": "final", **json.loads(text)} for query in FINAL for text in run(query).splitlines()]
    return [*lines, {"kind": "final", "of": "end"}]


class Recorder:
    def __init__(self, history, name, server):
        self.history, self.name, self.server = history, name, server

    def record(self, start, method, path, body, headers, answer, transaction=None):
        """Records one request that has just been answered, or not; a receipt's transaction must be named."""
        end = time.monotonic()
        if answer.name == "refused":
            # A connection that was refused carried no request.
            return
        request = interpret(method, path, body, headers, transaction)
        if request is None:
            return
        kind, arguments = request
        is_unknown = answer.status is None or answer.status >= 500 or answer.status in (401, 408, 429)
        if is_unknown and kind not in WRITES:
            return
        found = "unknown" if is_unknown else read_answer(kind, arguments, answer)
        if found is None:
            return
        line = {"client": self.name, "start": round(start - self.history.began, 6),
                "end": round(end - self.history.began, 6), "kind": kind}
        if kind not in ("class", "classes"):
            line["user"] = user_of(kind, body, headers)
        line["environment"] = headers.get("Wallet-Environment", "production")
        if kind == "receipt" and answer.is_success:
            line["environment"] = answer.body["environment"]
        line["arguments"], line["answer"] = arguments, found
        if self.server is not None:
            line["server"] = self.server
        position = headers.get("Wallet-Position", "latest")
        if position != "latest" and kind not in WRITES:
            line["after"] = position
        self.history.write(line)


WRITES = {"book", "cancel", "adjust", "receipt", "webhook"}


def interpret(method, path, body, headers, transaction):
    """Returns the kind and the arguments of a request; None if histories do not contain it."""
    place, _, query = path.partition("?")
    if method == "POST" and place == "/bookings" and not query:
        return "book", {"key": headers["Idempotency-Key"], "class": body["class_id"], "seats": body.get("seats", 1)}
    if method == "POST" and place == "/operator/adjustments" and not query:
        return "adjust", {"key": body["reference"], "amount": body["amount"], "unit": body["unit"]}
    if method == "POST" and place in ("/receipts", "/webhooks/revenuecat"):
        kind = "receipt" if place == "/receipts" else "webhook"
        return kind, {"transaction": transaction or body["event"]["transaction_id"]}
    if found := BOOKING.match(place):
        kind = "cancel" if method == "POST" and found[2] else "booking" if method == "GET" and not found[2] else None
        return kind and (kind, {"booking": found[1]})
    if method != "GET":
        return None
    if found := CLASS.match(place):
        return "class", {"class": found[1]}
    asked = urllib.parse.parse_qs(query)
    if place in PLAIN and set(asked) <= {"limit"}:
        return PLAIN[place], {name: int(values[0]) for name, values in asked.items()}
    return None


def user_of(kind, body, headers):
    """Returns the owner of the wallet that a request is about."""
    if kind == "adjust":
        return body["user_id"]
    if kind == "webhook":
        return body["event"]["app_user_id"]
    return tokens.subject(headers["Authorization"].removeprefix("Bearer "))


def read_answer(kind, arguments, answer):
    """Returns the answer's members that the checker compares; None if it shows nothing."""
    if not answer.is_success:
        return read_refusal(answer) if answer.status >= 400 else None
    body = answer.body or {}
    if kind == "book":
        booking = body["booking"]
        return {"replayed": answer.status == 200, "booking": booking["booking_id"], "class": booking["class_id"],
                "amount": booking["amount"], **state(body["balance"])}
    if kind == "cancel":
        booking = body["booking"]
        return {"booking": booking["booking_id"], "returned": booking["returned"]["amount"], **state(body["balance"])}
    if kind == "adjust":
        return {"replayed": answer.status == 200, "amount": body["adjustment"]["amount"], **state(body["balance"])}
    if kind == "receipt":
        granted = [one["amount"] for one in body["granted"] if one["transaction_id"] == arguments["transaction"]]
        return {**({"granted": granted[0]} if granted else {}), **state(body["balance"])}
    if kind == "balance":
        return state(body)
    if kind == "transactions":
        return {"entries": [[entry["version"], entry["kind"], entry["unit"], entry["amount"], entry["balance_after"]]
                            for entry in body["entries"]]}
    if kind == "booking":
        return {"status": status(body)}
    if kind == "bookings":
        return {"bookings": [[booking["booking_id"], status(booking)] for booking in body["bookings"]]}
    if kind == "class":
        return {"seats": {body["class_id"]: body["seats_left"]}}
    if kind == "classes":
        return {"seats": {one["class_id"]: one["seats_left"] for one in body["classes"]}}
    return {"taken": True}


def status(booking):
    return "cancelled" if booking["status"] == "cancelled" else "booked"


def state(balance):
    return {name: balance[name] for name in ("credits", "visits", "version")}


def read_refusal(answer):
    found, body = {"refused": answer.outcome}, answer.body or {}
    if answer.name == "class-full":
        found["left"] = body["seats_left"]
    elif answer.name == "already-booked":
        found["booked"] = body["booking_id"]
    elif answer.name == "insufficient-credits":
        credits = [one["available"] for one in body["shortages"] if one["unit"] == "credit"]
        found |= {"available": credits[0]} if credits else {}
    return found


OWNER = "coalesce((SELECT i.user_id FROM wallet.identities AS i WHERE i.account_id = {0}.account_id LIMIT 1)," \
        " 'account ' || {0}.account_id)"
FINAL = [
    # An entry's subject is its booking, its store's transaction or its adjustment's reference.
    f"""
    SELECT json_build_object('of', 'wallet', 'user', {OWNER.format('w')}, 'environment', w.environment,
        'version', w.version, 'credits', w.credits, 'visits', w.visits, 'entries', coalesce((
            SELECT json_agg(json_build_array(
                e.version, e.kind, e.unit, e.amount, e.balance_after, coalesce(e.booking_id::TEXT, c.transaction_id, (
                    SELECT a.reference FROM wallet.adjustments AS a
                    WHERE a.account_id = e.account_id AND a.environment = e.environment
                        AND e.version BETWEEN a.first_version AND a.first_version + a.entry_count - 1
                    LIMIT 1
                )), e.xmin::TEXT::BIGINT
            ) ORDER BY e.version)
            FROM wallet.entries AS e LEFT JOIN wallet.claims AS c ON c.claim_id = e.claim_id
            WHERE e.account_id = w.account_id AND e.environment = w.environment
        ), '[]'))
    FROM wallet.wallets AS w""",
    """
    SELECT json_build_object('of', 'class', 'class', s.class_id, 'environment', s.environment, 'capacity', s.capacity,
        'sold', s.sold, 'changes', coalesce(c.changes, '[]'))
    FROM wallet.class_seats AS s
    LEFT JOIN (
        SELECT b.class_id, b.environment, json_agg(json_build_array(
            CASE o.type WHEN 'booking.created' THEN b.seats ELSE -b.seats END, b.booking_id, o.xmin::TEXT::BIGINT
        ) ORDER BY o.event_id) AS changes
        FROM wallet.outbox AS o INNER JOIN wallet.bookings AS b ON b.booking_id = o.booking_id
        WHERE o.type IN ('booking.created', 'booking.cancelled')
        GROUP BY b.class_id, b.environment
    ) AS c ON c.class_id = s.class_id AND c.environment = s.environment""",
    f"""
    SELECT json_build_object('of', 'booking', 'booking', b.booking_id, 'user', {OWNER.format('b')},
        'environment', b.environment, 'class', b.class_id, 'key', b.idempotency_key, 'seats', b.seats,
        'unit', b.unit, 'amount', b.amount, 'cancelled', b.cancelled_at IS NOT NULL, 'returned', b.returned)
    FROM wallet.bookings AS b""",
]
