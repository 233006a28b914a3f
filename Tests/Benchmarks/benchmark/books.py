"""A database with books for the measurements."""

import os
import subprocess
import time

from . import members
from .loads import HERE, SQL

# Wallets with credits for any number of bookings; each solo run uses the next one.
HOT = 64
CROWDS = 400


class Books:
    def __init__(self, cluster, binary, name, wallets, entries, classes, solos, lots="2"):
        self.cluster, self.binary, self.name = cluster, binary, name
        self.wallets, self.entries, self.classes, self.solos, self.lots = wallets, entries, classes, solos, lots
        self.tokens_file = cluster.home / f"{name}.tokens"
        # The next unused class and wallet of each shape, so that no run repeats a booking of an earlier one.
        self.next_class = self.next_hot = self.next_crowd = self.runs = 0

    def make(self):
        """Creates, migrates and seeds the database and writes the members' tokens; returns the duration in seconds."""
        started = time.monotonic()
        self.cluster.query("postgres", f"CREATE DATABASE {self.name}")
        self.command("migrate")
        variables = {
            "wallets": self.wallets, "entries": self.entries, "lots": self.lots, "hot": HOT, "classes": self.classes,
            "solos": self.solos,
        }
        values = [part for name, value in variables.items() for part in ("-v", f"{name}={value}")]
        self.cluster.psql(self.name, *values, "-f", str(SQL / "seed.sql"))
        self.cluster.psql(self.name, "-f", str(SQL.parent / "seed" / "catalog.sql"))
        self.cluster.query("postgres", "CHECKPOINT")
        self.token_length = members.Tokens().write(self.tokens_file, self.wallets + HOT)
        return time.monotonic() - started

    def tokens(self):
        """Returns the tokens of all members except the hot ones."""
        data = self.tokens_file.read_bytes()
        return (data[at:at + self.token_length] for at in range(0, self.wallets * self.token_length, self.token_length))

    def token(self, place):
        """Returns the token of a member, from 0."""
        with open(self.tokens_file, "rb") as file:
            file.seek(place * self.token_length)
            return file.read(self.token_length)

    def command(self, *arguments):
        """Runs a command of credit-wallet as the owner of the database."""
        environment = dict(
            os.environ, DATABASE_URL=self.cluster.url(self.name),
            # Verification sums over all entries, so it gets more memory; this is not measured.
            PGOPTIONS="-c work_mem=256MB -c jit=off",
        )
        done = subprocess.run(
            [self.binary, *arguments], env=environment, cwd="/", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode:
            raise SystemExit(f"bench: credit-wallet {' '.join(arguments)} failed:\n{done.stdout[-4000:]}")
        return done.stdout

    def verify(self, *arguments):
        """Verifies the books, and ends the run if they are not intact."""
        started = time.monotonic()
        self.command("verify", *arguments)
        return time.monotonic() - started

    def booked(self):
        """Returns the number of sold seats, which equals the number of bookings here."""
        return int(self.cluster.query(self.name, "SELECT sum(sold) FROM wallet.class_seats"))

    def token_options(self):
        return {"tokens": self.tokens_file, "length": self.token_length, "count": self.wallets + HOT}

    def options(self, shape, seconds):
        """Returns the arguments of book.lua for bookings that have not been made yet."""
        self.runs += 1
        common = {
            **self.token_options(), "classes": self.classes, "run": f"{self.name}-{self.runs}", "shape": shape,
            "wallets": self.wallets,
        }
        if shape == "solo":
            common["first"] = self.wallets + self.next_hot
            self.next_hot += 1
            if self.next_hot > HOT:
                raise SystemExit("bench: there are not enough hot wallets for so many rounds.")
        elif shape == "crowd":
            # A class has at most 100,000 seats.
            common["wallets"] = min(self.wallets, 100_000)
            common["first"] = self.next_crowd
            self.next_crowd += max(2, int(30_000 * seconds / common["wallets"]) + 1)
            if self.next_crowd > CROWDS:
                raise SystemExit("bench: there are not enough classes for so many rounds with so few wallets.")
        else:
            # An upper bound on the bookings that the busiest wallet can have made by then.
            mean = 30_000 * seconds / self.wallets
            common["first"] = self.next_class
            self.next_class += int(mean + 8 * mean ** 0.5 + 8)
            if self.next_class > self.classes:
                raise SystemExit("bench: there are not enough classes for so many rounds with so few wallets.")
        return common


class PeerBooks(Books):
    """The peer's own tables, with the same numbers of members and classes and the same tokens. Each member has as many
    past bookings as `history`."""

    def __init__(self, books, name="peer", history=0):
        super().__init__(books.cluster, books.binary, name, books.wallets, history, books.classes, 0)
        self.tokens_file, self.token_length = books.tokens_file, books.token_length

    def make(self):
        self.cluster.query("postgres", f"CREATE DATABASE {self.name}")
        self.cluster.psql(
            self.name, "-v", f"wallets={self.wallets}", "-v", f"hot={HOT}", "-v", f"classes={self.classes}",
            "-v", f"history={self.entries}", "-f", str(HERE / "handwritten.sql"),
        )

    def verify(self, *_):
        """Ends the run if credits, seats and ledger do not match."""
        off = self.cluster.query(self.name, """
            SELECT count(*) FROM wallets AS w
            LEFT JOIN (SELECT user_id, sum(amount) AS spent FROM ledger GROUP BY user_id) AS l USING (user_id)
            WHERE w.credits <> 1000000000 + coalesce(l.spent, 0)
        """)
        if off != "0" or self.booked() != int(self.cluster.query(self.name, "SELECT count(*) FROM bookings")):
            raise SystemExit(f"bench: the peer's own books are off: {off} wallets")

    def booked(self):
        return int(self.cluster.query(self.name, "SELECT sum(sold) FROM classes"))
