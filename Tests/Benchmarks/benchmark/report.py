"""Calculates figures from raw measurements: ratios, missed floors and aims, and the tables in deploy/benchmarks.md."""

import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess

from .reads import READS, READS_PER_BOOKING

START, END = "<!-- bench -->", "<!-- /bench -->"


def machine(cluster):
    cpu = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    memory = int(re.search(r"^MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text(), re.MULTILINE).group(1))
    swift = subprocess.run(["swift", "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    version = re.search(r"Swift version ([0-9.]+)", swift.stdout)
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "cpu": cpu.group(1) if cpu else os.uname().machine,
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(memory / 1024 ** 2),
        "postgresql": cluster.query("postgres", "SHOW server_version").split()[0],
        "swift": version.group(1) if version else None,
    }


def done(rounds):
    """Returns the rounds of a measurement that did not fail."""
    return [one for one in rounds or [] if one]


def best(rounds_by_clients):
    """Returns the rounds of the number of clients with the highest median."""
    tried = [rounds for rounds in (rounds_by_clients or {}).values() if done(rounds)]
    return max(tried, key=lambda rounds: middle(rounds, "per_second"), default=None)


def middle(rounds, name):
    found = [one[name] for one in done(rounds)]
    return statistics.median(found) if found else None


def middle_round(upper, lower):
    """Returns the rates of the round with the median ratio, so that simultaneous measurements are compared."""
    found = [(u["per_second"], l["per_second"]) for u, l in zip(upper or [], lower or []) if u and l]
    found.sort(key=lambda rates: rates[0] / rates[1])
    return found[(len(found) - 1) // 2] if found else None


def ratio(upper, lower):
    found = middle_round(upper, lower)
    return found[0] / found[1] if found else None


def predicted_mix(raw):
    """Returns the rates of the mix that the rates of its two parts predict, by round."""
    def rate(read, booking):
        requests = READS_PER_BOOKING + 1
        return requests / (READS_PER_BOOKING / read["per_second"] + 1 / booking["per_second"])

    both = zip(raw.get("read_app_reads") or [], raw.get("http") or [])
    return [{"per_second": rate(read, booking)} if read and booking else None for read, booking in both]


def read_pairs(raw):
    """Yields the names and the rounds of the reads that are compared."""
    def read(name):
        return raw.get(f"read_{name}")

    for name in ("balance", "balance_304", "classes", "packs"):
        yield name, "health", read(name), read("health")
    for name in ("balance", "bookings", "subscriptions", "passes", "transactions"):
        yield name, "http", read(name), raw.get("http")
    for name in ("balance", "open_app"):
        yield name, "fastapi", read(name), raw.get(f"peer_read_{name}")
    yield "balance", "wallet_select", read("balance"), best(raw.get("wallet_select"))
    yield "mix", "prediction", read("mix"), predicted_mix(raw)


def ratios(raw):
    hot = {
        shape: ratio(raw.get(f"{shape}_grouped"), raw.get(f"{shape}_ungrouped")) for shape in ("solo", "crowd")
    }
    grouped = raw.get("http")
    reads = {f"{name}_over_{other}": ratio(upper, lower) for name, other, upper, lower in read_pairs(raw)}
    return {
        **reads,
        "http_over_simple_update": ratio(grouped, best(raw.get("simple_update"))),
        "single_over_simple_update": ratio(best(raw.get("single_item")), best(raw.get("simple_update"))),
        "grouped_over_ungrouped": ratio(grouped, raw.get("http_ungrouped")),
        "http_over_handwritten_fastapi": ratio(grouped, raw.get("handwritten_fastapi")),
        "http_over_pgledger": ratio(grouped, best(raw.get("pgledger"))),
        "hot_wallet": hot["solo"],
        "hot_class": hot["crowd"],
        "scale": ratio(raw.get("scale_large"), raw.get("scale_small")),
    }


class Row:
    """A line of the table: at_least is a floor, at_most a ceiling; both are optional. The reason explains why the aim
    may be out of reach."""

    def __init__(self, name, value, form, at_least=None, at_most=None, aim=None, reason="", beside=""):
        self.name, self.value, self.form, self.aim, self.reason, self.beside = name, value, form, aim, reason, beside
        self.at_least, self.at_most = at_least, at_most

    @property
    def is_missed(self):
        return (self.at_least is not None and self.value < self.at_least) or (
            self.at_most is not None and self.value > self.at_most
        )

    @property
    def falls_short(self):
        """Whether the figure is within its floor, but has not reached its aim."""
        if self.aim is None or self.is_missed:
            return False
        return self.value > self.aim if self.at_most is not None else self.value < self.aim

    @property
    def text(self):
        bound = f"≥ {self.at_least:g}" if self.at_least is not None else ""
        bound = f"≤ {self.at_most:g}" if self.at_most is not None else bound
        mark = " **missed**" if self.is_missed else ""
        aim = "" if self.aim is None else f"{self.aim:g}"
        return f"| {self.name} | {self.form.format(self.value)}{mark} | {bound} | {aim} | {self.beside} |"

    @property
    def shortfall(self):
        return f"Aim not reached: {self.name}: {self.form.format(self.value)}, aim {self.aim:g}. {self.reason}"


TIMES = "{:.2f} ×"
SHARED_PROCESSORS = "The load generator, the service and PostgreSQL share the processors, which lowers the higher rate most."


def against(upper, lower):
    found = middle_round(upper, lower)
    return "{:,.0f}/s ÷ {:,.0f}/s".format(*found) if found else ""


def scale_row(document):
    """Returns the row of `make bench-scale`, which may have been measured on another day; None without it."""
    scale, raw = document.get("scale"), document["raw"]
    value = ratio(raw.get("scale_large"), raw.get("scale_small"))
    if not scale or value is None:
        return None
    small, large = scale["wallets"]
    name = f"{large:,} wallets with {large * scale['entries']:,} entries ÷ {small:,} wallets"
    beside = f"{against(raw.get('scale_large'), raw.get('scale_small'))}; {scale['machine']['date']}"
    return Row(name, value, TIMES, 0.7, aim=0.9, beside=beside, reason=(
        "With more wallets, more bookings are the first change of a page after a checkpoint, which writes it whole."))


def latency_row(name, rounds, on_disk, aim=None, reason=""):
    """Returns a latency row; the disk's share is the 99th percentile of three commits."""
    p50, p95, p99, rate, disk = (middle(rounds, name) for name in ("p50_ms", "p95_ms", "p99_ms", "rate", "disk_p99_ms"))
    if p99 is None:
        return None
    at_most = round(10 + (3 * disk if on_disk else 0), 1)
    return Row(name, p99, "{:.1f} ms", at_most=at_most, aim=aim, reason=reason, beside=(
        f"p50 {p50:.1f} ms, p95 {p95:.1f} ms at {rate:,.0f}/s; a sync of the disk: p99 {disk:.1f} ms"))


def measured(rows):
    """Returns the rows that have a value."""
    return [row for row in rows if row and row.value is not None]


def read_rows(document):
    raw = document["raw"]
    found = ratios(raw)
    health, http, prediction = raw.get("read_health"), raw.get("http"), predicted_mix(raw)

    def row(title, name, other, rounds, floor=None, aim=None, reason=""):
        beside = against(raw.get(f"read_{name}"), rounds)
        return Row(title, found[f"{name}_over_{other}"], TIMES, floor, aim=aim, reason=reason, beside=beside)

    return measured([
        row("`GET /balance` ÷ HTTP booking", "balance", "http", http, 2, aim=3, reason=(
            "The HTTP request, the token and the lots of a single balance take more than a third of a booking's CPU.")),
        row("`GET /balance` ÷ `GET /health`", "balance", "health", health, 0.4),
        row("`GET /balance` with its tag (304) ÷ `GET /health`", "balance_304", "health", health, 0.5),
        row("`GET /classes` ÷ `GET /health`", "classes", "health", health, 0.6),
        row("`GET /packs` ÷ `GET /health`", "packs", "health", health, 0.6),
        row("`GET /bookings` ÷ HTTP booking", "bookings", "http", http, 1.5),
        row("`GET /subscriptions` ÷ HTTP booking", "subscriptions", "http", http, 1.5),
        row("`GET /passes` ÷ HTTP booking", "passes", "http", http, 1.5),
        row("`GET /transactions` ÷ HTTP booking", "transactions", "http", http, 1.5),
        row("`GET /balance` ÷ FastAPI and asyncpg, written by hand", "balance", "fastapi", raw.get("peer_read_balance"), 6),
        row("opening the app ÷ FastAPI and asyncpg", "open_app", "fastapi", raw.get("peer_read_open_app"), 6),
        row("`GET /balance` ÷ pgbench's SELECT of a wallet", "balance", "wallet_select", best(raw.get("wallet_select"))),
        row(f"{READS_PER_BOOKING} reads to 1 booking ÷ the rate that both parts predict", "mix", "prediction",
            prediction, 0.9),
        latency_row("p99 of an app's reads at half of their highest rate, open loop, 60 s", done(raw.get("half_reads")),
            on_disk=False),
    ])


def booking_rows(document):
    raw = document["raw"]
    found = ratios(raw)
    http, receipts, webhooks = (done(raw.get(name)) for name in ("http", "receipts", "webhooks"))
    alone = done(raw.get("alone"))
    single, update, transfer = (best(raw.get(name)) for name in ("single_item", "simple_update", "pgledger"))
    cpu = statistics.median(one["service_cpu_us"] + one["postgres_cpu_us"] for one in http) if http else None
    waits = statistics.median(one["p50_ms"] / one["function_p50_ms"] for one in alone) if alone else None
    return measured([
        Row("HTTP booking ÷ pgbench simple-update", found["http_over_simple_update"], TIMES, 0.85, aim=1.2,
            beside=against(raw.get("http"), update), reason=(
                "simple-update changes one row and adds one; a booking also takes a seat, spends from lots, and adds a "
                "booking, a ledger entry with its hash and the data for events.")),
        Row("the function alone, one booking a call ÷ pgbench simple-update", found["single_over_simple_update"], TIMES,
            0.27, aim=0.5, beside=against(single, update), reason=(
                "A call starts a dozen statements, and PostgreSQL reads the CHECK constraints from text for each.")),
        Row("HTTP bookings decided in batches ÷ one at a time", found["grouped_over_ungrouped"], TIMES, 2, aim=4,
            beside=against(raw.get("http"), raw.get("http_ungrouped")), reason=SHARED_PROCESSORS),
        Row("HTTP booking ÷ FastAPI and asyncpg, written by hand", found["http_over_handwritten_fastapi"], TIMES, 4.5,
            aim=5, beside=against(raw.get("http"), raw.get("handwritten_fastapi")), reason=SHARED_PROCESSORS),
        Row("HTTP booking ÷ a transfer of pgledger", found["http_over_pgledger"], TIMES, 2.2, aim=3,
            beside=against(raw.get("http"), transfer), reason=SHARED_PROCESSORS),
        Row("one wallet books all, in batches ÷ one at a time", found["hot_wallet"], TIMES, 8,
            beside=against(raw.get("solo_grouped"), raw.get("solo_ungrouped"))),
        Row("all book one class, in batches ÷ one at a time", found["hot_class"], TIMES, 6,
            beside=against(raw.get("crowd_grouped"), raw.get("crowd_ungrouped"))),
        Row("CPU a booking, service and PostgreSQL", cpu, "{:.0f} µs", at_most=185, aim=170, reason=(
                "A booking writes to the class's seats, the wallet, its lots, the bookings, the ledger and the outbox."),
            beside="" if not http else "{:.0f} µs and {:.0f} µs; {:,.0f} B of WAL".format(
                middle(http, "service_cpu_us"), middle(http, "postgres_cpu_us"), middle(http, "wal_bytes"))),
        latency_row("p99 at half of the highest rate, open loop, 60 s, on the disk", done(raw.get("half_rate")), True),
        latency_row("the same with the database in memory", done(raw.get("half_rate_in_memory")), False, aim=5, reason=(
            "The slowest bookings occur when a batch, a vacuum and the load need the processors at the same time.")),
        Row("one client alone: p50 over HTTP ÷ p50 of the function by pgbench", waits, TIMES, at_most=1.5,
            beside="" if not alone else "{:.2f} ms ÷ {:.2f} ms".format(
                middle(alone, "p50_ms"), middle(alone, "function_p50_ms"))),
        Row("resident memory at rest", raw.get("rest_mb"), "{:.0f} MB", at_most=60),
        Row("resident memory under 64 clients, at most", max((one["resident_mb"] for one in http), default=None),
            "{:.0f} MB", at_most=120),
        Row("start to the first 200 of `/health`", raw.get("start_health_ms"), "{:.0f} ms", at_most=200,
            beside=f"`/ready`: {raw['start_ready_ms']:.0f} ms" if raw.get("start_ready_ms") else ""),
        Row("receipts (signed transactions) granted", middle(receipts, "per_second"), "{:,.0f}/s", 1500,
            beside="" if not receipts else f"{middle(receipts, 'service_cpu_us'):.0f} µs of the service's CPU"),
        Row("webhooks (signed notifications) granted", middle(webhooks, "per_second"), "{:,.0f}/s", 2000,
            beside="" if not webhooks else f"{middle(webhooks, 'service_cpu_us'):.0f} µs of the service's CPU"),
    ])


def rows(document, is_scale):
    """Returns the rows of the figures that the run measured."""
    if is_scale:
        return measured([scale_row(document)])
    return read_rows(document) + booking_rows(document)


def speeds(raw):
    """Returns a table row for each read, and for a booking."""
    def line(title, rounds, peer):
        if not done(rounds):
            return []
        cells = [title, f"{middle(rounds, 'per_second'):,.0f}/s"]
        for name, form in (
            ("p50_ms", "{:.1f} ms"), ("p99_ms", "{:.1f} ms"), ("service_cpu_us", "{:.0f} µs"),
            ("postgres_cpu_us", "{:.0f} µs"),
        ):
            cells.append(form.format(middle(rounds, name)) if name in done(rounds)[0] else "")
        there = middle(peer, "per_second")
        return ["| " + " | ".join([*cells, f"{there:,.0f}/s" if there else ""]) + " |"]

    lines = []
    for name, read in READS.items():
        lines += line(read.title, raw.get(f"read_{name}"), raw.get(f"peer_read_{name}"))
    lines += line(f"{READS_PER_BOOKING} reads of an app to 1 booking", raw.get("read_mix"), None)
    lines += line("`POST /bookings`", raw.get("http"), raw.get("handwritten_fastapi"))
    return lines + line("pgbench's SELECT of a wallet by its primary key", best(raw.get("wallet_select")), None)


def conditions(document):
    """Returns a sentence about the machine and the conditions of the measurement."""
    where = document["machine"]
    return (
        f"{where['date']}, {where['cores']} cores ({where['cpu']}) shared by load generator, service and PostgreSQL "
        f"{where['postgresql']} in its default settings, {where['memory_gb']} GB, Swift {where['swift']}; medians of "
        f"{document['rounds']} interleaved rounds of {document['seconds']:g} s with 64 clients and "
        f"{document['wallets']:,} wallets."
    )


def figures(rows):
    return ["| figure | measured | floor | aim | |", "|---|---|---|---|---|", *(row.text for row in rows)]


def table(document):
    """Returns the tables, reads first, and a line for each aim that was not reached."""
    lines = [conditions(document), ""] if "machine" in document else []
    reads, bookings = read_rows(document), booking_rows(document) + measured([scale_row(document)])
    if reads:
        columns = "| request | rate | p50 | p99 | CPU of the service | CPU of PostgreSQL | FastAPI |"
        lines += [columns, "|---|---|---|---|---|---|---|", *speeds(document["raw"]), "", *figures(reads), ""]
    lines += figures(bookings)
    short = [f"- {row.shortfall}" for row in reads + bookings if row.falls_short]
    return "\n".join(lines + ["", *short] if short else lines)


def write(document, path):
    document["ratios"] = {name: value and round(value, 3) for name, value in ratios(document["raw"]).items()}
    pathlib.Path(path).write_text(json.dumps(document, indent=1) + "\n")


def put_into(document, text):
    """Replaces the text between the markers."""
    path = pathlib.Path(document)
    before, rest = path.read_text().split(START, 1)
    path.write_text(f"{before}{START}\n{text}\n{END}{rest.split(END, 1)[1]}")
