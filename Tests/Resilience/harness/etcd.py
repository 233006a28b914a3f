"""Three etcd members, which store Patroni's leader."""

import base64
import json
import signal
import urllib.request

from . import processes


class Member:
    """One etcd server with its own files."""

    def __init__(self, home, name):
        self.home, self.name = home, name
        self.port, self.peer_port = processes.free_port(), processes.free_port()
        self.process = None

    @property
    def peer_url(self):
        return f"http://127.0.0.1:{self.peer_port}"

    def start(self, members):
        url = f"http://127.0.0.1:{self.port}"
        self.process = processes.start(
            ["etcd", "--name", self.name, "--data-dir", self.home / self.name, "--logger", "zap",
             "--listen-client-urls", url, "--advertise-client-urls", url,
             "--listen-peer-urls", self.peer_url, "--initial-advertise-peer-urls", self.peer_url,
             "--initial-cluster", ",".join(f"{one.name}={one.peer_url}" for one in members),
             "--initial-cluster-token", "wallet"],
            self.home / f"{self.name}.log",
        )

    def kill(self):
        processes.send([self.process.pid], signal.SIGKILL)
        self.process.wait()

    def leads(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10) as answer:
                return "etcd_server_is_leader 1" in answer.read().decode()
        except OSError:
            return False

    def is_healthy(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=10) as answer:
                return json.load(answer)["health"] == "true"
        except OSError:
            return False


class Etcd:
    """An etcd cluster that starts on entry and ends on exit."""

    def __init__(self, home):
        self.members = [Member(home, f"etcd{number}") for number in (1, 2, 3)]

    def __enter__(self):
        for member in self.members:
            member.start(self.members)
        if not processes.wait_until(self.is_whole, 120):
            raise SystemExit("etcd did not start")
        return self

    def __exit__(self, *_):
        for member in self.members:
            if member.process:
                processes.stop(member.process, seconds=10)

    def forget(self, prefix):
        """Deletes every key with the prefix, as `patronictl remove` does for a cluster."""
        # The first key after all keys with the prefix.
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        body = {"key": base64.b64encode(prefix.encode()).decode(), "range_end": base64.b64encode(end.encode()).decode()}
        url = f"http://127.0.0.1:{self.members[0].port}/v3/kv/deleterange"
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode()), timeout=10) as answer:
            return int(json.load(answer).get("deleted", 0))

    def is_whole(self):
        return all(member.is_healthy() for member in self.members)

    def leader(self):
        """Returns the member that leads; the members may be electing one."""
        found = []
        if not processes.wait_until(lambda: found.extend(one for one in self.members if one.leads()) or found, 60):
            raise SystemExit("etcd has no leader")
        return found[0]
