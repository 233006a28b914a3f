"""Calculates figures from raw measurements: ratios, missed floors, and the table in deploy/benchmarks.md."""

import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess

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


def ratios(raw):
    hot = {
        shape: ratio(raw.get(f"{shape}_grouped"), raw.get(f"{shape}_ungrouped")) for shape in ("solo", "crowd")
    }
    grouped = raw.get("http")
    return {
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
    """A line of the table: at_least is a floor, at_most a ceiling; both are optional."""

    def __init__(self, name, value, form, at_least=None, at_most=None, aim=None, beside=""):
        self.name, self.value, self.form, self.aim, self.beside = name, value, form, aim, beside
        self.at_least, self.at_most = at_least, at_most

    @property
    def is_missed(self):
        if self.value is None:
            return False
        return (self.at_least is not None and self.value < self.at_least) or (
            self.at_most is not None and self.value > self.at_most
        )

    @property
    def text(self):
        bound = f"≥ {self.at_least:g}" if self.at_least is not None else ""
        bound = f"≤ {self.at_most:g}" if self.at_most is not None else bound
        value = "not measured" if self.value is None else self.form.format(self.value)
        mark = " **missed**" if self.is_missed else ""
        aim = "" if self.aim is None else f"{self.aim:g}"
        return f"| {self.name} | {value}{mark} | {bound} | {aim} | {self.beside} |"


def scale_row(document, value, beside):
    """Returns the row of `make bench-scale`, which may have been measured on another day."""
    scale = document.get("scale")
    if not scale:
        return Row("1,000,000 wallets ÷ 100,000 wallets", None, "", 0.7, aim=0.9)
    small, large = scale["wallets"]
    name = f"{large:,} wallets with {large * scale['entries']:,} entries ÷ {small:,} wallets"
    return Row(name, value, "{:.2f} ×", 0.7, aim=0.9, beside=f"{beside}; {scale['machine']['date']}")


def latency_row(name, rounds, on_disk):
    """Returns a latency row; the disk's share is the 99th percentile of three commits."""
    disk = middle(rounds, "disk_p99_ms")
    at_most = 10 + (3 * disk if on_disk and disk else 0)
    return Row(name, middle(rounds, "p99_ms"), "{:.1f} ms", at_most=round(at_most, 1), aim=5 if not on_disk else None,
        beside="" if not rounds else "p50 {:.1f} ms, p95 {:.1f} ms at {:,.0f}/s; a sync of the disk: p99 {:.1f} ms".format(
            middle(rounds, "p50_ms"), middle(rounds, "p95_ms"), middle(rounds, "rate"), disk))


def rows(document):
    raw = document["raw"]
    found, times = ratios(raw), "{:.2f} ×"
    http = done(raw.get("http"))
    single, update = best(raw.get("single_item")), best(raw.get("simple_update"))
    cpu = None
    if http:
        cpu = statistics.median(one["service_cpu_us"] + one["postgres_cpu_us"] for one in http)
    half, alone, receipts, webhooks = (done(raw.get(name)) for name in ("half_rate", "alone", "receipts", "webhooks"))
    waits = statistics.median(one["p50_ms"] / one["function_p50_ms"] for one in alone) if alone else None

    def against(upper, lower):
        found = middle_round(upper, lower)
        return "{:,.0f}/s ÷ {:,.0f}/s".format(*found) if found else ""

    return [
        Row("HTTP booking ÷ pgbench simple-update", found["http_over_simple_update"], times, 1.2, aim=1.6,
            beside=against(raw.get("http"), update)),
        Row("the function alone, one booking a call ÷ pgbench simple-update", found["single_over_simple_update"], times,
            0.5, beside=against(single, update)),
        Row("HTTP bookings decided in batches ÷ one at a time", found["grouped_over_ungrouped"], times, 2, aim=4,
            beside=against(raw.get("http"), raw.get("http_ungrouped"))),
        Row("HTTP booking ÷ FastAPI and asyncpg, written by hand", found["http_over_handwritten_fastapi"], times, 5, aim=8,
            beside=against(raw.get("http"), raw.get("handwritten_fastapi"))),
        Row("HTTP booking ÷ a transfer of pgledger", found["http_over_pgledger"], times, 3, aim=4,
            beside=against(raw.get("http"), best(raw.get("pgledger")))),
        Row("one wallet books all, in batches ÷ one at a time", found["hot_wallet"], times, 8,
            beside=against(raw.get("solo_grouped"), raw.get("solo_ungrouped"))),
        Row("all book one class, in batches ÷ one at a time", found["hot_class"], times, 6,
            beside=against(raw.get("crowd_grouped"), raw.get("crowd_ungrouped"))),
        scale_row(document, found["scale"], against(raw.get("scale_large"), raw.get("scale_small"))),
        Row("CPU a booking, service and PostgreSQL", cpu, "{:.0f} µs", at_most=170, aim=120,
            beside="" if not http else "{:.0f} µs and {:.0f} µs; {:,.0f} B of WAL".format(
                middle(http, "service_cpu_us"), middle(http, "postgres_cpu_us"), middle(http, "wal_bytes"))),
        latency_row("p99 at half of the highest rate, open loop, 60 s, on the disk", half, on_disk=True),
        latency_row("the same with the database in memory", done(raw.get("half_rate_in_memory")), on_disk=False),
        Row("one client alone: p50 over HTTP ÷ p50 of the function by pgbench", waits, times, at_most=1.5,
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
    ]


def conditions(document):
    """Returns a sentence about the machine and the conditions of the measurement."""
    where = document["machine"]
    return (
        f"{where['date']}, {where['cores']} cores ({where['cpu']}) shared by load generator, service and PostgreSQL "
        f"{where['postgresql']} in its default settings, {where['memory_gb']} GB, Swift {where['swift']}; medians of "
        f"{document['rounds']} interleaved rounds of {document['seconds']:g} s with 64 clients and "
        f"{document['wallets']:,} wallets."
    )


def table(document):
    lines = [conditions(document), ""] if "machine" in document else []
    lines += ["| figure | measured | floor | aim | |", "|---|---|---|---|---|"]
    return "\n".join(lines + [row.text for row in rows(document)])


def write(document, path):
    document["ratios"] = {name: value and round(value, 3) for name, value in ratios(document["raw"]).items()}
    pathlib.Path(path).write_text(json.dumps(document, indent=1) + "\n")


def put_into(document, text):
    """Replaces the text between the markers."""
    path = pathlib.Path(document)
    before, rest = path.read_text().split(START, 1)
    path.write_text(f"{before}{START}\n{text}\n{END}{rest.split(END, 1)[1]}")
