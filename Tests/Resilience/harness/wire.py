"""A client's persistent connection, reopened after a failure."""

import http.client
import json
import time
from dataclasses import dataclass, field


@dataclass
class Answer:
    """The result of a call: a status with the problem's slug, if there is one, or a connection error."""

    status: int | None
    name: str
    headers: dict = field(default_factory=dict)
    body: dict | None = None

    @property
    def is_success(self):
        return self.status is not None and 200 <= self.status < 300

    @property
    def outcome(self):
        """Returns the outcome for counting, such as "201", "503 database-unavailable" or "reset"."""
        return self.name if self.status is None else f"{self.status} {self.name}".strip()

    @property
    def is_replayed(self):
        return self.headers.get("idempotent-replayed") == "true"

    @property
    def retry_after(self):
        return int(self.headers["retry-after"]) if "retry-after" in self.headers else None


class Wire:
    """The connection of one client. A recorder (history.py) records its requests. If it follows, it lets standbys
    answer: it sends with each request the position that the last answer named."""

    def __init__(self, port, timeout=40, recorder=None, follows=False):
        self.port, self.timeout, self.recorder = port, timeout, recorder
        self.position = "latest" if follows else None
        self.connection = None

    def call(self, method, path, body=None, headers=None, transaction=None):
        """Sends a request; `transaction` is that of a receipt, for the recorder."""
        start, headers = time.monotonic(), dict(headers or {})
        if self.position:
            headers["Wallet-Position"] = self.position
        answer = self._call(method, path, body, headers)
        if self.position:
            # A call without a response may have changed the books.
            self.position = answer.headers.get("wallet-position", "latest")
        if self.recorder:
            self.recorder.record(start, method, path, body, headers, answer, transaction)
        return answer

    def insist(self, method, path, body=None, headers=None):
        """Sends a request again while the answer is 503, as a client does; a busy machine may exceed a time limit."""
        deadline = time.monotonic() + 60
        while True:
            answer = self.call(method, path, body, headers)
            if answer.status != 503 or time.monotonic() > deadline:
                return answer
            time.sleep(answer.retry_after or 1)

    def _call(self, method, path, body, headers):
        data = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        fields = {"Content-Type": "application/json", **headers} if data is not None else headers
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
            self.connection.request(method, path, data, fields)
            response = self.connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return Answer(None, error_name(error))
        found = {name.lower(): value for name, value in response.getheaders()}
        if found.get("connection") == "close":
            self.close()
        return read(response.status, found, text)

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None


def read(status, headers, text):
    """Returns a response from its parts; one whose body contradicts its headers counts as garbled."""
    body = None
    if text:
        try:
            body = json.loads(text)
        except ValueError:
            return Answer(None, "garbled", headers)
    slug = str(body.get("type", "")).rsplit("/", 1)[-1] if status >= 400 and isinstance(body, dict) else ""
    if status >= 400 and not slug:
        return Answer(status, "without-problem", headers, body)
    if status in (429, 503) and "retry-after" not in headers:
        return Answer(status, f"{slug} without Retry-After", headers, body)
    return Answer(status, slug, headers, body)


def error_name(error):
    """Returns one word for a connection error."""
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, ConnectionRefusedError):
        return "refused"
    # The connection ended before any byte of a response; http.client has its own error for this.
    if isinstance(error, http.client.RemoteDisconnected):
        return "closed"
    if isinstance(error, (ConnectionResetError, BrokenPipeError, ConnectionAbortedError)):
        return "reset"
    if isinstance(error, http.client.IncompleteRead):
        return "cut"
    return type(error).__name__
