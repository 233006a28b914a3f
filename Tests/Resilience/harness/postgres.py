"""The run's own PostgreSQL, which can be killed, frozen, copied and promoted."""

import json
import signal
import subprocess
import time

from . import processes

DATABASE = "wallet"


class QueryFailed(SystemExit):
    """A query failed; this ends the program unless it is caught."""


class Postgres:
    """A server with PostgreSQL's default durability settings; it is stopped on exit, and its files are deleted with
    the home."""

    superuser = "postgres"
    # The password of all roles; without one, every role can connect.
    password = None

    def __init__(self, home, name="postgres"):
        self.bin = subprocess.check_output(["pg_config", "--bindir"], text=True).strip()
        self.place = home / name
        self.log = home / f"{name}.log"
        self.port = processes.free_port()
        self.process = None
        self.frozen = []

    def __enter__(self):
        self.place.mkdir()
        processes.hand_over(self.place)
        self.make()
        self.start()
        return self

    def __exit__(self, *_):
        self.thaw()
        if self.process:
            processes.stop(self.process, signal.SIGINT)

    @property
    def data(self):
        return self.place / "data"

    def make(self):
        """Creates the files; a standby copies them instead."""
        self.run("initdb", "--pgdata", self.data, "--username", self.superuser, "--auth", "trust", "--encoding", "UTF8",
                 "--locale", "C.UTF-8", "--no-sync")

    def run(self, program, *arguments):
        """Runs one of PostgreSQL's programs as the server's user."""
        user = processes.server_user()
        done = subprocess.run(
            [*(["setpriv", *user] if user else []), f"{self.bin}/{program}", *map(str, arguments)], cwd=self.place,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        if done.returncode:
            raise SystemExit(f"{program} failed:\n{done.stdout[-2000:]}")

    def command(self):
        # The superuser's queries for violations take longer to compile than to run.
        return [f"{self.bin}/postgres", "-D", self.data, "-k", self.place, "-h", "127.0.0.1", "-p", self.port,
                "-c", "jit=off"]

    def start(self):
        """Starts the server and waits until it accepts connections; retries while an old server is still stopping."""
        deadline = time.monotonic() + 180
        while time.monotonic() < deadline:
            self.process = processes.start(self.command(), self.log, as_server=True)
            while self.process.poll() is None and time.monotonic() < deadline:
                if self.answers():
                    return
                time.sleep(0.05)
            time.sleep(0.2)
        raise SystemExit("PostgreSQL did not start:\n" + self.log.read_text()[-2000:])

    def answers(self):
        command = [f"{self.bin}/pg_isready", "-q", "-h", "127.0.0.1", "-p", self.port, "-U", self.superuser]
        return processes.succeeds(command)

    # Faults

    def kill(self, everything=True):
        """Kills the server at once, with its children or leaving those to notice."""
        others = processes.children(self.process.pid) if everything else []
        processes.send([self.process.pid, *others], signal.SIGKILL)
        self.process.wait()

    def stop_immediately(self):
        """Ends every session without a checkpoint, as `pg_ctl stop -m immediate` does."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def kill_backend(self, choose):
        """Kills one session of the service; the server then restarts all sessions."""
        sessions = self.rows("SELECT pid FROM pg_stat_activity WHERE usename = 'wallet_service' ORDER BY pid")
        if sessions:
            processes.send([choose(sessions)["pid"]], signal.SIGKILL)

    def freeze(self):
        """Freezes every process; sockets stay open, but the server does not respond."""
        # Signals the postmaster first, because it would notice that its children stopped.
        self.frozen = [self.process.pid]
        processes.send(self.frozen, signal.SIGSTOP)
        self.frozen += processes.children(self.process.pid)
        processes.send(self.frozen, signal.SIGSTOP)

    def thaw(self):
        processes.send(self.frozen, signal.SIGCONT)
        self.frozen = []

    def promote(self):
        self.run("pg_ctl", "promote", "-w", "-D", self.data)

    # Queries

    def url(self, role=None, port=None, database=DATABASE):
        user = ":".join(filter(None, (role or self.superuser, self.password)))
        return f"postgresql://{user}@127.0.0.1:{port or self.port}/{database}"

    def psql(self, *arguments, database=DATABASE, role=None):
        """Runs psql as a role, by default the superuser, and returns its output."""
        done = subprocess.run(
            [f"{self.bin}/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.url(role, database=database),
             *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        if done.returncode:
            raise QueryFailed(f"psql failed: {done.stderr[-2000:]}")
        return done.stdout.strip()

    def rows(self, query):
        """Returns the rows of a query, each as a dictionary."""
        return json.loads(self.psql("-c", f"SELECT coalesce(json_agg(r), '[]') FROM ({query}) AS r"))


class Standby(Postgres):
    """A copy of a primary that follows it by streaming replication."""

    def __init__(self, home, port):
        super().__init__(home, "standby")
        self.primary_port = port

    def make(self):
        self.run("pg_basebackup", "-D", self.data, "-R", "-X", "stream", "-c", "fast",
                 "-d", f"host=127.0.0.1 port={self.primary_port} user=postgres application_name=standby")

    def lag(self, by):
        """Applies the primary's changes that much later than they were committed, such as `20ms`; `0` for at once."""
        self.psql("-c", f"ALTER SYSTEM SET recovery_min_apply_delay = '{by}'")
        self.psql("-c", "SELECT pg_reload_conf()")
