"""Follows a member's balance as an app does: reconnects whenever the stream ends, with the last event id."""

import http.client
import json
import threading
import time


class Follower:
    """A follower of one stream, for a `with` statement; `versions` are the received versions in order."""

    def __init__(self, port, headers):
        self.port, self.headers = port, headers
        self.versions, self.connections = [], 0
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()

    @property
    def last(self):
        return self.versions[-1] if self.versions else None

    @property
    def went_back(self):
        """Returns whether some version was lower than an earlier one."""
        return any(later < earlier for earlier, later in zip(self.versions, self.versions[1:]))

    def _work(self):
        known = None
        while not self.ending.is_set():
            try:
                known = self._follow(known)
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.3)

    def _follow(self, known):
        """Reads one connection to its end; returns the id of the last event."""
        # The service sends a comment every 15 seconds, so a longer silence means a dead connection.
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", "/balance/stream", headers=self.headers | ({"Last-Event-ID": known} if known else {}))
        answer = connection.getresponse()
        self.connections += 1
        try:
            while answer.status == 200 and not self.ending.is_set() and (line := answer.readline()):
                if line.startswith(b"id: "):
                    known = line[4:].strip().decode()
                if line.startswith(b"data: "):
                    self.versions.append(json.loads(line[6:])["version"])
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()
        return known
