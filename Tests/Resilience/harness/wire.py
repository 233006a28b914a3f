"""A client's persistent connection, reopened after a failure."""

import http.client
import json
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
    def __init__(self, port, timeout=40):
        self.port, self.timeout = port, timeout
        self.connection = None

    def call(self, method, path, body=None, headers=None):
        data = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        fields = {"Content-Type": "application/json", **(headers or {})} if data is not None else dict(headers or {})
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
