"""A `credit-wallet serve` that can be killed, frozen and restarted on the same port."""

import http.client
import signal
import time

from . import processes, tokens

# Short timeouts, so that the service gives up before the clients do.
PATIENCE = {
    "DATABASE_ACQUIRE_TIMEOUT": "2", "DATABASE_STATEMENT_TIMEOUT": "3", "BOOKING_QUEUE_TIMEOUT": "3",
    "RECEIPTS_PER_USER_PER_MINUTE": "100000", "OPERATOR_MAXIMUM_AMOUNT": "100000",
    "OPERATOR_DAILY_AMOUNT": "1000000000000", "RECONCILE_INTERVAL": "0",
    "WORK_INTERVAL": "1", "SWEEP_INTERVAL": "1", "LOG_LEVEL": "warning", "SHUTDOWN_TIMEOUT": "30",
}
# Timeouts for runs in which the database is never away, so that a slow machine alone causes no 503.
UNHURRIED = {"DATABASE_ACQUIRE_TIMEOUT": "30", "DATABASE_STATEMENT_TIMEOUT": "30", "BOOKING_QUEUE_TIMEOUT": "30"}


class Service:
    def __init__(self, binary, home, database_url, settings=None, name="serve"):
        self.binary, self.log = binary, home / f"{name}.log"
        self.port = processes.free_port()
        self.environment = {
            **PATIENCE, **tokens.environment(), **(settings or {}),
            "DATABASE_URL": database_url, "HTTP_PORT": str(self.port),
        }
        self.process = None
        # The number of exits that no fault caused.
        self.crashes = 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.process:
            processes.stop(self.process)

    def start(self, seconds=180):
        """Starts the service and waits until it is ready."""
        self.process = processes.start([self.binary, "serve"], self.log, self.environment)
        if not processes.wait_until(lambda: self.is_ready() or self.process.poll() is not None, seconds):
            raise SystemExit("credit-wallet serve did not get ready:\n" + self.tail())
        if self.process.poll() is not None:
            raise SystemExit("credit-wallet serve ended early:\n" + self.tail())

    def is_ready(self, timeout=5):
        try:
            return self.status("/ready", timeout) == 200
        except (OSError, http.client.HTTPException):
            return False

    def status(self, path, timeout=5):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        finally:
            connection.close()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        """Asks the service to stop as a service manager does; returns the exit code and the duration in seconds."""
        started = time.monotonic()
        return processes.stop(self.process), time.monotonic() - started

    def keep_alive(self):
        """Restarts the service if it ended on its own, which counts as a crash."""
        if self.process.poll() is not None:
            self.crashes += 1
            self.start()

    def tail(self):
        return self.log.read_text()[-3000:] if self.log.exists() else ""


# The required store settings for runs without purchases; the stores are never called.
WITHOUT_STORES = {
    "STORES": "app_store", "APPSTORE_BUNDLE_IDS": "com.hobbyist.bookingapp", "APPSTORE_SHARED_SECRET": "never sent",
    "APPSTORE_GRANTS_FROM": "2020-01-01T00:00:00Z",
}
