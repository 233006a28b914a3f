"""The measured servers: the wallet itself and its peer in Python."""

import http.client
import os
import pathlib
import signal
import subprocess
import sys
import time

from . import members
from .cluster import cpu_seconds, free_port

HERE = pathlib.Path(__file__).parent

# The required settings of `credit-wallet serve`; all others keep their defaults.
SERVICE = {
    "STORES": "app_store",
    "APPSTORE_BUNDLE_IDS": "com.hobbyist.bookingapp",
    "APPSTORE_SHARED_SECRET": "not asked for",
    "APPSTORE_GRANTS_FROM": "2020-01-01T00:00:00Z",
    "RECONCILE_INTERVAL": "0",
    "AUTH_ISSUERS": "bench",
    "AUTH_BENCH_ISSUER": members.ISSUER,
    "AUTH_BENCH_AUDIENCES": members.AUDIENCE,
    "AUTH_BENCH_HS256_SECRET": members.SECRET,
}
# Groups of one on a pool of eight connections.
UNGROUPED = {"BOOKING_BATCH_LIMIT": "1", "BOOKING_WORKERS": "8", "DATABASE_MAXIMUM_CONNECTIONS": "8"}


class Server:
    """A process that serves HTTP on a port of this machine; use it in a `with` statement."""

    def __init__(self, command, environment, log):
        self.port = free_port()
        self.command = [str(part).replace("{port}", str(self.port)) for part in command]
        self.environment = {"PATH": os.environ["PATH"], "HTTP_PORT": str(self.port), **environment}
        self.log = log
        self.first = "/ready"
        self.patience = 30

    def __enter__(self):
        self.started = time.monotonic()
        with open(self.log, "a") as errors:
            self.process = subprocess.Popen(
                self.command, env=self.environment, cwd="/", stdout=subprocess.DEVNULL, stderr=errors
            )
        try:
            self.answered = self.wait(self.first)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(60)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def wait(self, path):
        """Sends requests until one returns 200; returns the seconds since the process was started."""
        while time.monotonic() - self.started < self.patience:
            if self.process.poll() is not None:
                break
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                connection.request("GET", path)
                if connection.getresponse().status == 200:
                    return time.monotonic() - self.started
            except OSError:
                pass
            finally:
                connection.close()
            time.sleep(0.001)
        raise SystemExit(f"bench: {self.command[0]} did not start: {self.log_tail()}")

    def log_tail(self):
        return pathlib.Path(self.log).read_text()[-2000:]

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)

    def memory(self, line="VmRSS"):
        """Returns the current resident megabytes, or with VmHWM the maximum so far."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split(f"{line}:")[1].split()[0]) / 1024


def service(binary, cluster, database, extra=None):
    environment = {**SERVICE, "DATABASE_URL": cluster.url(database, "wallet_service"), **(extra or {})}
    return Server([binary, "serve"], environment, cluster.home / "serve.log")


def peer(cluster, database):
    environment = {
        "DATABASE_URL": cluster.url(database),
        "ISSUER": members.ISSUER, "AUDIENCE": members.AUDIENCE, "SECRET": members.SECRET,
    }
    command = [
        sys.executable, "-m", "uvicorn", "peer:app", "--app-dir", HERE, "--port", "{port}", "--workers", "1",
        "--loop", "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "warning",
    ]
    return Server(command, environment, cluster.home / "peer.log")
