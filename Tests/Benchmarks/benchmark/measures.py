"""The measurements: each method starts its servers, warms up, measures, and stops them."""

import json
import statistics
import subprocess
import time

from . import reads, servers
from .disk import Disk
from .loads import HERE, SQL, pgbench, wrk
from .members import Tokens
from .reads import READS, READS_PER_BOOKING
from .storefront import Storefront

WARM_UP_SECONDS = 2
READ_WARM_UP_SECONDS = 1
# The number of wallets whose entity tags are fetched before a measurement.
TAGGED = 2_000
CLIENTS = 64
# The assumed minimum rate, in tokens a second, at which the service verifies and caches tokens. On a faster machine,
# the greeting ends earlier.
GREETED_PER_SECOND = 500
# The number of purchases signed beforehand for each second; a measurement ends early when all of them have been used.
PURCHASES_PER_SECOND = 2_500
# A refused booking is cheaper than a successful one, so a larger share of refusals would inflate the rate.
REFUSED_AT_MOST = 0.001


class Measures:
    def __init__(self, cluster, binary, seconds):
        self.cluster, self.binary, self.seconds = cluster, binary, seconds
        self.storefront = Storefront()
        self.purchases = 0

    # a

    def single_item(self, books, clients, *arguments):
        """Calls wallet.book_batch with one item a transaction; the rate counts bookings, not transactions."""
        before = books.booked()
        result = pgbench(
            self.cluster, books.name, "wallet_service", self.seconds, clients, "-f", SQL / "book_one_item.sql",
            "-D", f"wallets={books.wallets}", "-D", f"classes={books.classes}", *arguments,
        )
        booked = books.booked() - before
        share = booked / result["transactions"]
        if share < 0.97:
            raise SystemExit(f"bench: pgbench booked only {booked} times in {result['transactions']} transactions")
        return {**result, "clients": clients, "per_second": result["per_second"] * share}

    # f

    def simple_update(self, clients):
        """Runs pgbench's own script with as many accounts as there are wallets."""
        result = pgbench(self.cluster, "simple_update", "postgres", self.seconds, clients, "-N")
        return {**result, "clients": clients}

    def pgledger(self, books, clients):
        """Runs a transfer between accounts with pgledger's own function."""
        result = pgbench(
            self.cluster, "pgledger", "postgres", self.seconds, clients, "-f", HERE / "pgledger_transfer.sql",
            "-D", f"wallets={books.wallets}", "-D", f"classes={books.classes}",
        )
        return {**result, "clients": clients}

    def make_pgledger(self, books, directory):
        """Creates a database of pgledger from a copy of its repository."""
        self.cluster.query("postgres", "CREATE DATABASE pgledger")
        identifiers = sorted(directory.glob("vendor/*/uuid-to-ulid.sql"))
        self.cluster.psql("pgledger", *(part for file in (*identifiers, directory / "pgledger.sql") for part in ("-f", file)))
        numbers = ("-v", f"wallets={books.wallets}", "-v", f"classes={books.classes}")
        self.cluster.psql("pgledger", *numbers, "-f", HERE / "pgledger.sql")

    # s

    def wallet_select(self, books, clients):
        """Selects one wallet by its primary key; tables are closed to the service's role."""
        before = self.cluster.cpu_seconds()
        result = pgbench(
            self.cluster, books.name, "postgres", self.seconds, clients, "-f", HERE / "select_wallet.sql",
            "-D", f"wallets={books.wallets}",
        )
        cpu = self.cluster.cpu_seconds() - before
        return {**result, "clients": clients, "postgres_cpu_us": cpu / result["transactions"] * 1e6}

    def make_simple_update(self, wallets):
        self.cluster.query("postgres", "CREATE DATABASE simple_update")
        subprocess.run(
            [f"{self.cluster.bin}/pgbench", "-i", "-q", "-s", str(max(1, round(wallets / 100_000))),
             self.cluster.url("simple_update")],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )

    # b, c, d, e

    def grouped(self, books, shape="any"):
        return self._bookings(self.service(books), books, shape, keeps_tokens=True)

    def service(self, books):
        """Returns a service whose cache can hold all tokens, so that no measurement includes signatures."""
        extra = {"TOKEN_CACHE_LIMIT": str(2 * books.wallets)}
        return servers.service(self.binary, self.cluster, books.name, extra)

    def ungrouped(self, books, shape="any"):
        server = servers.service(self.binary, self.cluster, books.name, servers.UNGROUPED)
        return self._bookings(server, books, shape, keeps_tokens=True)

    def peer(self, books):
        return self._bookings(servers.peer(self.cluster, books.name), books, "any")

    def _bookings(self, server, books, shape, keeps_tokens=False):
        with server:
            if keeps_tokens and shape != "solo":
                self.greet(server, books)
            wrk(server.port, "book.lua", WARM_UP_SECONDS, CLIENTS, **books.options(shape, WARM_UP_SECONDS))
            options = books.options(shape, self.seconds)
            # This query must not count as PostgreSQL's work during the measurement.
            booked = books.booked()
            before = self._counters(server)
            result = wrk(server.port, "book.lua", self.seconds, CLIENTS, **options)
            after = self._counters(server)
            booked = books.booked() - booked
            memory = server.memory("VmHWM")
        service, postgres, wal, pages = (end - start for start, end in zip(before, after))
        answered = result["requests"] - result["refused"]
        if result["refused"] > REFUSED_AT_MOST * result["requests"] or result["failed"]:
            raise SystemExit(f"bench: not all were booked: {result}; {server.log_tail()}")
        # Requests in flight when wrk closed its connections may have been booked without a counted response.
        if not 0 <= booked - answered <= 2 * CLIENTS:
            raise SystemExit(f"bench: {answered} bookings were answered, {booked} made")
        return {
            **result, "booked": booked, "service_cpu_us": service / booked * 1e6,
            "postgres_cpu_us": postgres / booked * 1e6, "wal_bytes": wal / booked, "full_pages": pages / booked,
            "resident_mb": memory,
        }

    def greet(self, server, books):
        """Sends every token to a service once, as if the service had run for a day."""
        seconds = max(5, round(books.wallets / GREETED_PER_SECOND))
        wrk(server.port, "greet.lua", seconds, CLIENTS, **books.token_options())

    def _counters(self, server):
        return (server.cpu_seconds(), self.cluster.cpu_seconds(), *self.cluster.wal())

    def warm_up(self, books, seconds):
        """Books until few full-page images are written, with a time limit; returns the full-page images per booking."""
        with servers.service(self.binary, self.cluster, books.name) as server:
            step = min(10, seconds)
            for _ in range(max(1, round(seconds / step))):
                before = books.booked(), self.cluster.wal()[1]
                wrk(server.port, "book.lua", step, CLIENTS, **books.options("any", step))
                share = (self.cluster.wal()[1] - before[1]) / (books.booked() - before[0])
                if share < 0.05:
                    break
        return share

    # r

    def read(self, server, books, name):
        """Sends the requests of a read to a running server, the wallet or its peer."""
        found = READS[name]
        wallets = found.wallets(books)
        if found.is_tagged:
            wallets["readers"] = min(wallets["readers"], TAGGED)
            path = self.cluster.home / "tags"
            wallets |= {"tags": path, "tag": reads.write_tags(server, books, path, **wallets)}
        reads.check(server, books, found)
        options = {**books.token_options(), **wallets, "paths": ",".join(found.paths)}
        if found.is_visit:
            options |= {"threads": CLIENTS, "visit": 1}
        return self._reads(server, lambda seconds: wrk(server.port, "read.lua", seconds, CLIENTS, **options))

    def mix(self, server, books):
        """Sends twenty reads for each booking."""
        more = {"reads": READS_PER_BOOKING, "paths": ",".join(READS["app_reads"].paths)}
        return self._reads(server, lambda seconds: wrk(
            server.port, "book.lua", seconds, CLIENTS, **books.options("any", seconds), **more
        ))

    def _reads(self, server, send):
        send(READ_WARM_UP_SECONDS)
        before = server.cpu_seconds(), self.cluster.cpu_seconds()
        result = send(self.seconds)
        service, postgres = server.cpu_seconds() - before[0], self.cluster.cpu_seconds() - before[1]
        if result["refused"] > REFUSED_AT_MOST * result["requests"] or result["failed"] or not result["requests"]:
            raise SystemExit(f"bench: not all reads were answered: {result}; {server.log_tail()}")
        return {
            **result, "service_cpu_us": service / result["requests"] * 1e6,
            "postgres_cpu_us": postgres / result["requests"] * 1e6,
        }

    # h

    def open_loop_reads(self, books, rate, seconds):
        """Reads on a fixed schedule, with the shares of "app_reads"."""
        return self._open_loop(books, rate, seconds, "--read-share", "1")

    def open_loop(self, books, rate, seconds):
        """Books on a fixed schedule."""
        return self._open_loop(books, rate, seconds)

    def _open_loop(self, books, rate, seconds, *arguments):
        """Runs `credit-wallet load`, in which latency counts from the scheduled time of each request. Meanwhile the
        disk's own commit time is measured without PostgreSQL."""
        tokens, classes = self.cluster.home / "tokens.txt", self.cluster.home / "classes.txt"
        figures = self.cluster.home / "load.json"
        tokens.write_bytes(b"".join(token + b"\n" for token in books.tokens()))
        classes.write_text("".join(f"open-{number:06d}\n" for number in range(books.classes)))
        with servers.service(self.binary, self.cluster, books.name) as server:
            self.greet(server, books)
            wrk(server.port, "book.lua", WARM_UP_SECONDS, CLIENTS, **books.options("any", WARM_UP_SECONDS))
            disk = Disk(self.cluster.home)
            done = subprocess.run(
                [self.binary, "load", "--url", server.url, "--tokens", tokens, "--classes", classes,
                 "--rate", f"{rate:.0f}", "--duration", str(seconds), "--connections", str(CLIENTS),
                 "--json", figures, *arguments],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/",
            )
        if done.returncode:
            raise SystemExit(f"bench: credit-wallet load failed:\n{done.stdout[-2000:]}")
        found = json.loads(figures.read_text())
        kind = found.get("reads") or {**found, "answered": found["booked"]}
        if kind["answered"] < 0.99 * kind["sent"] or kind["failed"]:
            raise SystemExit(f"bench: the open loop did not complete what it sent: {done.stdout[-2000:]}")
        latencies = kind["latency_ms"]
        return {
            "rate": rate, "per_second": kind.get("booked_per_second", kind["answered"] / seconds),
            "disk_p99_ms": disk.p99_ms(),
            **{f"{name}_ms": latencies[name] for name in ("p50", "p95", "p99")},
        }

    # n

    def alone(self, books):
        """Runs one client that waits for each response: over HTTP, and with the function in pgbench."""
        with servers.service(self.binary, self.cluster, books.name) as server:
            self.greet(server, books)
            wrk(server.port, "book.lua", WARM_UP_SECONDS, 1, **books.options("any", WARM_UP_SECONDS))
            over_http = wrk(server.port, "book.lua", self.seconds, 1, **books.options("any", self.seconds))
        log = self.cluster.home / "alone"
        self.single_item(books, 1, "--log", "--log-prefix", log)
        # The third column is the duration of a transaction in microseconds.
        [file] = self.cluster.home.glob("alone.*")
        took = [int(line.split()[2]) for line in file.read_text().splitlines()]
        file.unlink()
        return {**over_http, "function_p50_ms": statistics.median(took) / 1000}

    # i, j

    def at_rest(self, books):
        """Returns the resident megabytes of a service without requests for three seconds."""
        with servers.service(self.binary, self.cluster, books.name) as server:
            time.sleep(3)
            return server.memory()

    def start(self, books, path):
        """Returns the milliseconds from the start of the process to the first 200."""
        server = servers.service(self.binary, self.cluster, books.name)
        server.first = path
        with server:
            return server.answered * 1000

    # l, m

    def receipts(self, books):
        """Submits signed transactions as their buyers; the service verifies each and grants a pack."""
        return self._purchases(books, "receipts")

    def webhooks(self, books):
        """Posts signed notifications of purchases; the service verifies and stores each, and grants a pack."""
        return self._purchases(books, "webhooks")

    def _purchases(self, books, kind):
        count = PURCHASES_PER_SECOND * (self.seconds + WARM_UP_SECONDS)
        path, first = self.cluster.home / f"{kind}.requests", self.purchases
        self.purchases += count
        if kind == "receipts":
            length = self.storefront.write_receipts(path, Tokens(), first, count, books.wallets)
        else:
            length = self.storefront.write_webhooks(path, first, count, books.wallets)
        root = self.cluster.home / "root.der"
        root.write_bytes(self.storefront.root)
        extra = {"APPSTORE_EXTRA_ROOTS": str(root), "RECEIPTS_PER_USER_PER_MINUTE": "100000"}
        granted = "SELECT count(*) FROM wallet.claims WHERE granted_at IS NOT NULL"
        with servers.service(self.binary, self.cluster, books.name, extra) as server:
            common = {"requests": path, "length": length, "count": count}
            warm = wrk(server.port, "replay.lua", WARM_UP_SECONDS, CLIENTS, first=0, **common)
            # The seed has no purchases, so plans for empty tables would be used until the next autovacuum.
            self.cluster.query(books.name, "ANALYZE")
            # The requests that wrk had sent without a response have been processed by then.
            first = warm["requests"] + CLIENTS
            before = int(self.cluster.query(books.name, granted)), server.cpu_seconds(), self.cluster.cpu_seconds()
            result = wrk(server.port, "replay.lua", self.seconds, CLIENTS, first=first, **common)
            service = server.cpu_seconds() - before[1]
            postgres = self.cluster.cpu_seconds() - before[2]
            made = int(self.cluster.query(books.name, granted)) - before[0]
        path.unlink()
        answered = result["requests"] - result["refused"]
        if not made or result["refused"] or result["failed"] or not 0 <= made - answered + 2 * CLIENTS <= 4 * CLIENTS:
            raise SystemExit(f"bench: {kind}: {made} purchases granted, {result}; {server.log_tail()}")
        return {**result, "service_cpu_us": service / made * 1e6, "postgres_cpu_us": postgres / made * 1e6}
