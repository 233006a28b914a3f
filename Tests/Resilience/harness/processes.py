"""Starts, freezes and kills processes, and only those that it started."""

import os
import pathlib
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time


reserved_ports = []


def free_port():
    """Returns a port that this run keeps, below the range of outgoing connections.

    A socket stays bound to the port without listening. A program that looks for a free port cannot take it, but a
    server that shares the address can, even after a restart.
    """
    while True:
        holder = socket.socket()
        try:
            holder.bind(("127.0.0.1", random.randrange(20_000, 32_000)))
        except OSError:
            holder.close()
            continue
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved_ports.append(holder)
        return holder.getsockname()[1]


def end_on_signals():
    """Makes a signal end the run through its clean-up, which ends the started processes."""
    def end(number, _):
        raise SystemExit(128 + number)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, end)


def wait_until(holds, seconds, pause=0.05):
    """Waits until the condition holds; returns whether it did in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True


def children(pid):
    """Returns the running child processes of a process."""
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except FileNotFoundError:
        return []
    return [int(child) for child in text.split()]


def send(pids, number):
    """Sends a signal to processes and ignores those that have ended."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def server_user():
    """Returns the options that switch to the server's user if this is root, which PostgreSQL and pgbouncer refuse."""
    return ["--reuid", "postgres", "--regid", "postgres", "--init-groups"] if os.geteuid() == 0 else []


def hand_over(path):
    """Makes the server's user the owner of a file or folder."""
    if os.geteuid() == 0:
        owner = pwd.getpwnam("postgres")
        os.chown(path, owner.pw_uid, owner.pw_gid)


def start(command, log, environment=None, as_server=False):
    """Starts a process that ends with this one, even after a kill; its output goes to a file."""
    dies_along = ["setpriv", "--pdeathsig", "KILL", *(server_user() if as_server else [])]
    with open(log, "ab") as output:
        return subprocess.Popen(
            [*dies_along, *map(str, command)], stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd="/",
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **(environment or {})},
        )


def succeeds(command):
    return subprocess.run([*map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def stop(process, number=signal.SIGTERM, seconds=60):
    """Stops a process normally, or kills it after the time limit; returns its exit code."""
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.send_signal(number)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()


class Home:
    """A temporary folder that other users can enter, deleted on exit."""

    def __enter__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="wallet-chaos."))
        self.path.chmod(0o755)
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)
