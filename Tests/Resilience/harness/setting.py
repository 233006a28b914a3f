"""Prepares a database for a run."""

import os
import pathlib
import subprocess

from .postgres import DATABASE

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BINARY = ROOT / ".build/debug/credit-wallet"


def prepare(postgres, binary, classes, database=DATABASE):
    """Creates, migrates and fills a database; returns the classes' ids."""
    postgres.psql("-c", f"CREATE DATABASE {database}", database="postgres")
    command(binary, postgres.url(database=database), "migrate")
    return fill(postgres, classes, database)


def command(binary, url, *arguments):
    """Runs one of the program's commands, which must succeed; returns its output."""
    done = subprocess.run(
        [binary, *map(str, arguments)], cwd="/", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={"PATH": os.environ["PATH"], "DATABASE_URL": url},
    )
    if done.returncode:
        raise SystemExit(f"credit-wallet {arguments[0]} failed:\n{done.stdout[-2000:]}")
    return done.stdout


def wait_longer(postgres, database=DATABASE):
    """Makes the service's sessions wait longer for locks and statements than a slow machine pauses."""
    for name, seconds in (("lock_timeout", 10), ("statement_timeout", 30)):
        postgres.psql("-c", f"ALTER ROLE wallet_service IN DATABASE {database} SET {name} = '{seconds}s'")


def fill(postgres, classes, database=DATABASE):
    """Fills a migrated database with the catalogue and the given number of classes; returns their ids."""
    postgres.psql("-f", ROOT / "sql/seed/catalog.sql", database=database)
    # Every tenth class has few seats, so that some become full.
    postgres.psql("-c", f"""
        INSERT INTO wallet.classes (class_id, title, starts_at, ends_at, price_credits, updated_at)
        SELECT 'class-' || n, 'Class ' || n, now() + INTERVAL '30 days', now() + INTERVAL '30 days 1 hour', 20, now()
        FROM generate_series(1, {classes}) AS n;
        INSERT INTO wallet.class_seats (class_id, environment, capacity)
        SELECT 'class-' || n, e, CASE WHEN n % 10 = 0 THEN 8 ELSE 1000 END
        FROM generate_series(1, {classes}) AS n CROSS JOIN unnest(enum_range(NULL::wallet.environment)) AS e""",
        database=database,
    )
    return [f"class-{number}" for number in range(1, classes + 1)]
