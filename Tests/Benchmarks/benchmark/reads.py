"""The reads of an app that are measured, and checks of their responses."""

import http.client

# Apps read far more often than they book.
READS_PER_BOOKING = 20
# The number of lots of a wallet depends on its number, so that each size has a third of the wallets.
LOTS = (3, 12, 1)
LOTS_OF_WALLET = f"(ARRAY{list(LOTS)})[(n - 1) % {len(LOTS)} + 1]"


class Read:
    """A read's title and paths, and the wallets that read them: all, or those with a number of lots. A visit is one
    user's reads, one after the other on one connection."""

    def __init__(self, title, *paths, lots=None, is_tagged=False, is_visit=False):
        self.title, self.paths, self.lots = title, paths, lots
        self.is_tagged, self.is_visit = is_tagged, is_visit

    def wallets(self, books):
        """Returns the arguments of read.lua that select the wallets."""
        if self.lots is None:
            return {"first": 0, "step": 1, "readers": books.wallets}
        return {"first": LOTS.index(self.lots), "step": len(LOTS), "readers": books.wallets // len(LOTS)}


READS = {
    "health": Read("`GET /health`", "/health"),
    "balance": Read("`GET /balance`, 3 lots", "/balance", lots=3),
    "balance_304": Read("`GET /balance` with its tag: 304", "/balance", lots=3, is_tagged=True),
    "balance_1": Read("`GET /balance`, 1 lot", "/balance", lots=1),
    "balance_12": Read("`GET /balance`, 12 lots", "/balance", lots=12),
    "classes": Read("`GET /classes`, 20 of them", "/classes"),
    "packs": Read("`GET /packs`", "/packs"),
    "bookings": Read("`GET /bookings`, up to 20", "/bookings"),
    "subscriptions": Read("`GET /subscriptions`, none", "/subscriptions"),
    "passes": Read("`GET /passes`, none", "/passes"),
    "transactions": Read("`GET /transactions`, 20 of them", "/transactions"),
    # The shares of `credit-wallet load --read-share`.
    "app_reads": Read(
        "an app's reads: half balances, a quarter classes, a quarter bookings",
        "/balance", "/classes", "/balance", "/bookings",
    ),
    "open_app": Read(
        "opening the app: balance, classes, bookings, subscriptions in turn; one request",
        "/balance", "/classes", "/bookings", "/subscriptions", is_visit=True,
    ),
}
# The reads of the peer in Python.
PEER_READS = (
    "balance", "classes", "packs", "bookings", "subscriptions", "passes", "transactions", "app_reads", "open_app",
)


def check(server, books, read):
    """Requests each path once and ends the run unless the response is 200."""
    token = books.token(0).decode()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    for path in read.paths:
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise SystemExit(f"bench: GET {path} was answered {answer.status}: {body[:500]}")
    connection.close()


def write_tags(server, books, path, first, step, readers):
    """Writes the entity tags of the balances of some wallets, and checks that a tag is answered 304; returns the length
    of one tag."""
    tokens = [books.token(first + reader * step) for reader in range(readers)]
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)

    def balance(token, headers):
        connection.request("GET", "/balance", headers={"Authorization": f"Bearer {token.decode()}", **headers})
        answer = connection.getresponse()
        answer.read()
        return answer

    tags = [balance(token, {}).headers["ETag"] for token in tokens]
    status = balance(tokens[0], {"If-None-Match": tags[0]}).status
    connection.close()
    lengths = {len(tag) for tag in tags}
    if status != 304 or len(lengths) != 1:
        raise SystemExit(f"bench: a balance with its tag was answered {status}; lengths of tags: {lengths}")
    path.write_text("".join(tags))
    return lengths.pop()
