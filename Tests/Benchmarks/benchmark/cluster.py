"""A PostgreSQL cluster of the benchmark, with PostgreSQL's default settings unless others are given."""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Resilience"))
from harness.processes import free_port

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_fields(pid):
    """Returns the CPU times of a process in ticks: user, system, and those of the children that it has waited for."""
    with open(f"/proc/{pid}/stat") as file:
        return [int(field) for field in file.read().rsplit(")", 1)[1].split()[11:15]]


def cpu_seconds(pid):
    return sum(cpu_fields(pid)[:2]) / TICKS


class Cluster:
    """A PostgreSQL that starts on entry, and is stopped and deleted on exit. It sets only port, socket directory,
    max_connections and the given settings; fsync, synchronous_commit, full_page_writes and shared_buffers keep their
    defaults. `directory` contains the data; the default is the system's temporary directory."""

    SHOWN = ("fsync", "synchronous_commit", "full_page_writes", "shared_buffers", "max_wal_size", "max_connections")

    def __init__(self, directory=None, **settings):
        self.directory = directory
        self.chosen = [argument for name, value in settings.items() for argument in ("-c", f"{name}={value}")]

    def __enter__(self):
        self.bin = subprocess.check_output(["pg_config", "--bindir"], text=True).strip()
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="wallet-bench.", dir=self.directory))
        self.home.chmod(0o755)
        self.port = free_port()
        self.server = None
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.server and self.server.poll() is None:
            self.server.send_signal(signal.SIGINT)
            self.server.wait(120)
        shutil.rmtree(self.home, ignore_errors=True)

    def _start(self):
        # PostgreSQL refuses to run as root.
        user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        place = self.home / "postgres"
        place.mkdir()
        if user:
            owner = pwd.getpwnam("postgres")
            os.chown(place, owner.pw_uid, owner.pw_gid)
        environment = dict(os.environ, LC_ALL="C.UTF-8")
        subprocess.run(
            [f"{self.bin}/initdb", "--pgdata", place / "data", "--username", "postgres", "--auth", "trust",
             "--encoding", "UTF8", "--locale", "C.UTF-8"],
            check=True, stdout=subprocess.DEVNULL, env=environment, cwd=place, **user,
        )
        with open(self.home / "postgres.log", "w") as log:
            self.server = subprocess.Popen(
                [f"{self.bin}/postgres", "-D", place / "data", "-k", place, "-h", "127.0.0.1", "-p", str(self.port),
                 "-c", "max_connections=200", *self.chosen],
                stdout=log, stderr=log, env=environment, cwd=place, **user,
            )
        deadline = time.monotonic() + 60
        while self.server.poll() is None and time.monotonic() < deadline:
            answer = subprocess.run([f"{self.bin}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)])
            if answer.returncode == 0:
                return
            time.sleep(0.1)
        raise SystemExit("bench: PostgreSQL did not start:\n" + (self.home / "postgres.log").read_text()[-2000:])

    def url(self, database, role="postgres"):
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def psql(self, database, *arguments):
        """Runs psql as the superuser and returns its output."""
        done = subprocess.run(
            [f"{self.bin}/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.url(database), *arguments],
            stdout=subprocess.PIPE, text=True, check=True,
        )
        return done.stdout.strip()

    def query(self, database, sql):
        return self.psql(database, "-c", sql)

    def settings(self):
        return {name: self.query("postgres", f"SHOW {name}") for name in self.SHOWN}

    def cpu_seconds(self):
        """Returns the user and system time of every process of the cluster. Ended backends are included, because the
        postmaster has waited for them and counts their times as those of children."""
        total = sum(cpu_fields(self.server.pid))
        children = pathlib.Path(f"/proc/{self.server.pid}/task/{self.server.pid}/children").read_text()
        for child in children.split():
            try:
                total += sum(cpu_fields(child)[:2])
            except (FileNotFoundError, ProcessLookupError):
                pass
        return total / TICKS

    def wal(self):
        """Returns the bytes of WAL written since the cluster was created, and the number of full-page images."""
        position, pages = self.query(
            "postgres", "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn, wal_fpi FROM pg_stat_wal"
        ).split("|")
        return int(position), int(pages)
