"""The archived WAL of a cluster, its base backups, and servers restored from both."""

import datetime
import os
import shutil
import subprocess

import yaml

from . import processes
from .patroni import PASSWORD, REPLICATOR
from .postgres import Postgres
from .setting import ROOT

TEMPLATE = ROOT / "deploy/ha/archive.yml"


class Archive:
    """A folder for WAL and one for backups, with the scripts of deploy/backup at a path that the server's user can
    read."""

    def __init__(self, home, binary):
        self.wal, self.backups, self.tools = home / "archive", home / "backups", home / "tools"
        for folder in (self.wal, self.backups):
            folder.mkdir()
            processes.hand_over(folder)
        shutil.copytree(ROOT / "deploy/backup", self.tools)
        self.binary = shutil.copy(binary, self.tools)

    @property
    def settings(self):
        """Returns the operators' settings, with this folder and script."""
        settings = yaml.safe_load(TEMPLATE.read_text())["postgresql"]["parameters"]
        return settings | {"archive_command": f"WAL_ARCHIVE={self.wal} {self.tools}/archive-wal %p %f"}

    def base_backup(self, node):
        """Backs up one node, leader or standby; returns the backup's folder."""
        return self._run("base-backup", "--to", self.backups, PGHOST="127.0.0.1", PGPORT=node.port,
                         PGUSER=REPLICATOR, PGPASSWORD=PASSWORD)

    def complete(self, leader):
        """Closes the leader's current WAL file, and waits until it is archived; returns whether it was archived."""
        name = leader.rows("SELECT pg_walfile_name(pg_switch_wal()) AS name")[0]["name"]
        return processes.wait_until((self.wal / name).exists, 90, 0.1)

    def timelines(self):
        """Returns the timelines in the archive that have a history file."""
        return sorted(int(file.stem, 16) for file in self.wal.glob("*.history"))

    def restore(self, backup, data, instant=None):
        """Restores a data directory to an instant (seconds since 1970) or to the archive's end; returns the output."""
        when = ["--time", datetime.datetime.fromtimestamp(instant, datetime.UTC).isoformat()] if instant else []
        return self._run("restore", "--backup", backup, "--archive", self.wal, "--data", data, *when)

    def _run(self, script, *arguments, **environment):
        user = processes.server_user()
        path = f"{subprocess.check_output(['pg_config', '--bindir'], text=True).strip()}:{os.environ['PATH']}"
        done = subprocess.run(
            [*(["setpriv", *user] if user else []), self.tools / script, *map(str, arguments)], cwd="/",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={"PATH": path, "LC_ALL": "C.UTF-8", "CREDIT_WALLET": self.binary,
                 **{name: str(value) for name, value in environment.items()}},
        )
        if done.returncode:
            raise SystemExit(f"{script} failed with {done.returncode}:\n{done.stdout[-3000:]}")
        return done.stdout.strip()


class Restored(Postgres):
    """A standalone server on restored files, without a primary, standbys or an archive."""

    password = PASSWORD
    OPTIONS = ("archive_mode=off", "primary_conninfo=", "primary_slot_name=", "synchronous_standby_names=")

    def __init__(self, home, name, archive, backup, instant=None):
        super().__init__(home, name)
        self.archive, self.backup, self.instant, self.said = archive, backup, instant, ""

    def make(self):
        self.said = self.archive.restore(self.backup, self.data, self.instant)

    def command(self):
        return [*super().command(), *(word for option in self.OPTIONS for word in ("-c", option))]
