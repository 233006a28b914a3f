"""Three PostgreSQL servers under Patroni that can be killed, frozen, cut off from etcd and rebuilt."""

import contextlib
import copy
import json
import signal
import subprocess
import time
import urllib.error
import urllib.request

import yaml

from . import processes
from .postgres import DATABASE, Postgres, QueryFailed
from .proxy import Proxy
from .setting import ROOT

# The operators' settings; only names and addresses differ here.
TEMPLATE = ROOT / "deploy/ha/patroni.yml"
SETTINGS = yaml.safe_load(TEMPLATE.read_text())
SCOPE = SETTINGS["scope"]
# The superuser, the replication user and the wallet's roles all have the same password here.
PASSWORD = SETTINGS["postgresql"]["authentication"]["superuser"]["password"]
REPLICATOR = SETTINGS["postgresql"]["authentication"]["replication"]["username"]
# The network that the template admits.
NETWORK = "10.0.0.0/24"
# The size in megabytes of a disk in memory, for a run in which a disk becomes full.
DISK = 1_500
# The seconds of a leader's lease without renewal, and the seconds between an agent's checks.
TTL, LOOP = (SETTINGS["bootstrap"]["dcs"][name] for name in ("ttl", "loop_wait"))


class Node(Postgres):
    """A server with the agent that starts and stops it; the agent reaches etcd through its own proxies."""

    password = PASSWORD

    def __init__(self, home, name, etcd, has_own_disk, archive):
        super().__init__(home, name)
        self.name, self.rest, self.has_own_disk = name, processes.free_port(), has_own_disk
        self.archive = archive
        self.links = [Proxy(member.port) for member in etcd.members]
        # The standbys replicate through this proxy; clients connect directly.
        self.replication = Proxy(self.port)
        self.agent = None

    def __enter__(self):
        self.place.mkdir()
        if self.has_own_disk:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}m", "wallet-ha", self.place], check=True)
        for link in (*self.links, self.replication):
            link.__enter__()
        self.place.joinpath("patroni.yml").write_text(yaml.safe_dump(self._settings()))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-subj", "/CN=node", "-days", "1", "-keyout", "node.key", "-out", "node.crt"],
                       cwd=self.place, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for path in (self.place, self.place / "node.key", self.place / "node.crt"):
            processes.hand_over(path)
        self.start()
        return self

    def __exit__(self, *_):
        self.thaw()
        if self.agent:
            processes.stop(self.agent, seconds=30)
        processes.send(self._servers(), signal.SIGKILL)
        for link in (*self.links, self.replication):
            link.__exit__()
        if self.has_own_disk:
            subprocess.run(["umount", "--lazy", self.place])

    def fill_disk(self):
        """Fills the server's disk until the disk is cleared."""
        with contextlib.suppress(OSError), open(self.place / "filler", "wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 20))

    def clear_disk(self):
        (self.place / "filler").unlink()

    def _settings(self):
        settings, rest, server = copy.deepcopy(SETTINGS), f"127.0.0.1:{self.rest}", f"127.0.0.1:{self.port}"
        settings["name"] = self.name
        settings["restapi"] = {"listen": rest, "connect_address": rest}
        # Patroni must treat the links as proxies; otherwise it asks etcd for the members' addresses and bypasses them.
        settings["etcd3"] = {"hosts": [f"127.0.0.1:{link.port}" for link in self.links], "use_proxies": True}
        settings["bootstrap"]["initdb"] += ["no-sync"]
        server_settings = settings["postgresql"]
        server_settings |= {
            "listen": server, "connect_address": f"127.0.0.1:{self.replication.port}", "data_dir": str(self.data),
            "bin_dir": self.bin, "pgpass": str(self.place / "pgpass"),
            "pg_hba": [rule.replace(NETWORK, "127.0.0.1/32") for rule in server_settings["pg_hba"]],
        }
        server_settings["parameters"] |= {
            "unix_socket_directories": str(self.place), "ssl_cert_file": str(self.place / "node.crt"),
            "ssl_key_file": str(self.place / "node.key"),
        }
        if self.archive:
            settings["bootstrap"]["dcs"]["postgresql"]["parameters"] |= self.archive.settings
        # The watchdog must not restart this machine.
        settings["watchdog"] = {"mode": "off"}
        return settings

    def start(self):
        """Starts the agent, which starts the server."""
        self.agent = processes.start(["patroni", self.place / "patroni.yml"], self.log, as_server=True)

    def start_again(self):
        """Starts an agent that ended with an error, as `Restart=on-failure` of its unit does.

        Patroni 3.0 ends if etcd's leader fails while it starts.
        """
        if (self.agent.poll() or 0) > 0:
            print(f"  {self.name}'s agent ended with {self.agent.returncode} and is started again", flush=True)
            self.start()

    def runs(self):
        """Returns whether the agent answers and its server runs."""
        answer = self.ask("/patroni")
        return isinstance(answer, dict) and answer.get("state") == "running"

    def _servers(self):
        """Returns the postmaster, if it runs, and its children."""
        try:
            pid = int((self.data / "postmaster.pid").read_text().splitlines()[0])
        except (OSError, ValueError, IndexError):
            return []
        return [pid, *processes.children(pid)]

    def kill(self):
        """Kills agent and server at once."""
        processes.send([self.agent.pid, *self._servers()], signal.SIGKILL)
        self.agent.wait()

    def freeze(self):
        """Freezes agent and server; their sockets stay open, but they do not respond."""
        self.frozen = [self.agent.pid, *processes.children(self.agent.pid), *self._servers()]
        processes.send(self.frozen, signal.SIGSTOP)

    def cut_off(self):
        """Cuts the agent off from etcd; the server's own connections stay open."""
        for link in self.links:
            link.swallow()

    def join(self):
        for link in self.links:
            link.work(with_reset=True)

    def ask(self, path, body=None, method=None):
        """Sends a request to the agent; returns None if it does not answer."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.rest}{path}", json.dumps(body).encode() if body else None,
            {"Content-Type": "application/json"}, method=method,
        )
        try:
            with urllib.request.urlopen(request, timeout=60 if body else 10) as answer:
                text = answer.read().decode()
        except OSError as failure:
            text = failure.read().decode() if isinstance(failure, urllib.error.HTTPError) else None
        try:
            return text and json.loads(text)
        except json.JSONDecodeError:
            return text

    def writes(self):
        """Returns whether the server currently accepts writes; it may shut down meanwhile."""
        try:
            return self.answers() and self.rows("SELECT pg_is_in_recovery() AS standby") == [{"standby": False}]
        except QueryFailed:
            return False


class Patroni:
    """A leader, a synchronous standby and another standby, created on entry; all use the archive, if one is given."""

    def __init__(self, home, etcd, have_own_disks=False, archive=None):
        self.nodes = [Node(home, f"node{number}", etcd, have_own_disks, archive) for number in (1, 2, 3)]

    def __enter__(self):
        for node in self.nodes:
            node.__enter__()
        if not processes.wait_until(self.is_whole, 300, 0.2):
            raise SystemExit("Patroni made no cluster:\n" + self.nodes[0].log.read_text()[-3000:])
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            node.__exit__()

    def members(self):
        """Returns role and state of all members by name, from the first agent that answers."""
        for node in self.nodes:
            answer = node.ask("/cluster")
            if isinstance(answer, dict):
                return {one["name"]: (one["role"], one["state"]) for one in answer["members"]}
        return {}

    def is_whole(self):
        """Returns whether one node leads, one follows synchronously, and the third follows too.

        Each agent must answer itself: etcd still knows a killed node until its lease ends.
        """
        for node in self.nodes:
            node.start_again()
        if not all(node.runs() for node in self.nodes):
            return False
        members = self.members()
        roles = sorted(role for role, _ in members.values())
        return roles == ["leader", "replica", "sync_standby"] and all(
            state in ("running", "streaming") for _, state in members.values()
        )

    def switch_over(self):
        """Asks for the synchronous standby as the leader; returns whether it became the leader, and the answer.

        Patroni refuses a candidate that has just become asynchronous, so the request is repeated.
        """
        deadline = time.monotonic() + 120
        while True:
            old, candidate = self.leader, self.with_role("sync_standby")
            answer = old.ask("/switchover", {"leader": old.name, "candidate": candidate.name})
            if processes.wait_until(candidate.writes, 30, 0.1) or time.monotonic() > deadline:
                return candidate.writes(), str(answer)

    def check_whole(self, tally):
        """Checks that the cluster heals, and prints the ends of the logs of the nodes that do not run."""
        whole = processes.wait_until(self.is_whole, 120, 0.5)
        if not tally.check("the cluster is whole again", whole, self.members()):
            for node in self.nodes:
                if not node.runs():
                    print(f"# the end of {node.name}'s log:\n{node.log.read_text()[-6000:]}", flush=True)

    def with_role(self, role):
        """Returns the node with a role; the nodes may be changing their roles."""
        found = []

        def is_found():
            members = self.members()
            found.extend(node for node in self.nodes if members.get(node.name, ("",))[0] == role)
            return bool(found)

        if not processes.wait_until(is_found, 60):
            raise SystemExit(f"no node is {role}: {self.members()}")
        return found[0]

    @property
    def leader(self):
        return self.with_role("leader")

    def let_in(self, role):
        """Sets the password of one of the wallet's roles."""
        self.leader.psql("-c", f"ALTER ROLE {role} PASSWORD '{PASSWORD}'")

    def url(self, role, database=DATABASE):
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)
        return f"postgresql://{role}:{PASSWORD}@{hosts}/{database}?target_session_attrs=read-write&connect_timeout=2"

    def leads_elsewhere(self, old):
        """Returns whether a node other than this one accepts writes."""
        return any(node is not old and node.writes() for node in self.nodes)

    def wait_for_other(self, old):
        started = time.monotonic()
        return processes.wait_until(lambda: self.leads_elsewhere(old), 60, 0.1), time.monotonic() - started
