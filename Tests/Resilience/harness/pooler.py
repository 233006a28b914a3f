"""The run's own pgbouncer in transaction mode."""

import shutil
import signal

from . import processes
from .postgres import DATABASE

CONFIGURATION = """\
[databases]
* = host=127.0.0.1 port={server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {users}
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 100
"""


class Pooler:
    """Shares few server sessions among transactions; stopped on exit."""

    def __init__(self, home, postgres, size=4):
        self.place, self.log = home / "pgbouncer", home / "pgbouncer.log"
        self.postgres, self.size, self.port = postgres, size, processes.free_port()
        self.process = None

    def __enter__(self):
        program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin")
        if program is None:
            raise SystemExit("pgbouncer is not installed; `make deps` installs it")
        self.place.mkdir()
        users, file = self.place / "users.txt", self.place / "pgbouncer.ini"
        users.write_text('"wallet_service" ""\n')
        file.write_text(CONFIGURATION.format(server=self.postgres.port, port=self.port, users=users, size=self.size))
        self.process = processes.start([program, file], self.log, as_server=True)
        if not processes.wait_until(self.answers, 120):
            raise SystemExit("pgbouncer did not start:\n" + self.log.read_text()[-2000:])
        return self

    def __exit__(self, *_):
        if self.process:
            processes.stop(self.process, signal.SIGINT)

    def answers(self):
        command = [f"{self.postgres.bin}/pg_isready", "-q", "-h", "127.0.0.1", "-p", self.port, "-U", "wallet_service"]
        return processes.succeeds(command)

    def url(self, database=DATABASE):
        return self.postgres.url("wallet_service", self.port, database)
