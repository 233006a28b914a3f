"""Load generators for a server or for PostgreSQL: wrk and pgbench."""

import json
import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).parent
SQL = HERE.parent.parent.parent / "sql" / "bench"


def wrk(port, script, seconds, clients=64, threads=1, **options):
    """Sends requests from several clients over persistent connections; returns wrk's counts and the rate."""
    command = ["wrk", f"-t{threads}", f"-c{clients}", f"-d{seconds}s", "--timeout", "10s", "-s", HERE / script]
    arguments = [f"{name}={value}" for name, value in options.items()]
    done = subprocess.run(
        [*command, f"http://127.0.0.1:{port}", "--", *arguments], stdout=subprocess.PIPE, text=True
    )
    found = re.search(r"^RESULT (.*)$", done.stdout, re.MULTILINE)
    if not found:
        raise SystemExit(f"bench: wrk said nothing of its result:\n{done.stdout}")
    result = json.loads(found.group(1))
    answered = result["requests"] - result["refused"]
    result["per_second"] = answered / result["microseconds"] * 1e6
    for name in ("p50", "p95", "p99"):
        result[f"{name}_ms"] = result.pop(name) / 1000
    return result


def pgbench(cluster, database, role, seconds, clients, *arguments):
    """Runs prepared transactions over the given number of connections; returns their number and their rate."""
    environment = dict(os.environ, PGHOST="127.0.0.1", PGPORT=str(cluster.port), PGUSER=role, PGDATABASE=database)
    done = subprocess.run(
        [f"{cluster.bin}/pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", str(min(clients, 2)),
         "-T", str(seconds), *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )
    rate = re.search(r"^tps = ([0-9.]+)", done.stdout, re.MULTILINE)
    count = re.search(r"^number of transactions actually processed: (\d+)", done.stdout, re.MULTILINE)
    if done.returncode or not rate:
        raise SystemExit(f"bench: pgbench failed:\n{done.stderr[-2000:]}")
    return {"transactions": int(count.group(1)), "per_second": float(rate.group(1))}
