"""The clients' operations. Each may be sent any number of times and takes effect once."""

from dataclasses import dataclass, field


@dataclass
class Operation:
    """One operation under one key; `identity` identifies the object in its acknowledgement."""

    key: str
    user: str
    method: str
    path: str
    body: dict | None
    headers: dict
    environment: str = "production"
    state: str = "open"
    # Wall-clock times, like those of PostgreSQL's commits: the first attempt, and the acknowledgement.
    begun: float | None = None
    acknowledged: float | None = None
    # Whether some attempt ended without a response, so that its result is unknown.
    is_doubtful: bool = False
    identity: tuple | None = None
    amount: int = 0
    details: dict = field(default_factory=dict)

    kind = "operation"
    # Refusals caused by the wallet or the class, not by the service.
    refusals = frozenset()
    # Responses after which a client gives up for now and retries later.
    setbacks = frozenset()
    # The maximum response time of the service in seconds under any fault, with the harness's timeouts: 3 for a batch, 2
    # for a connection and 4 for the statement, and 2 and 4 again if the connection is lost.
    patience = 15

    def identify(self, answer):
        """Returns the identity of the result; it is the same for every repetition."""
        return ()

    def is_replay(self, answer):
        """Returns whether the response is a replay of an earlier one."""
        return answer.status == 200

    def take(self, answer):
        """Stores the identity from the first acknowledgement."""
        self.state, self.identity = "done", self.identify(answer)


class Booking(Operation):
    kind = "booking"
    refusals = frozenset({"402 insufficient-credits", "409 already-booked", "409 class-full"})

    def identify(self, answer):
        booking = answer.body["booking"]
        return (booking["booking_id"], booking["class_id"], booking["amount"], booking["unit"])

    def is_replay(self, answer):
        return answer.status == 200 and answer.is_replayed

    def take(self, answer):
        super().take(answer)
        self.amount = -answer.body["booking"]["amount"]


class Cancellation(Operation):
    kind = "cancellation"

    def identify(self, answer):
        booking = answer.body["booking"]
        return (booking["booking_id"], booking["status"], booking["returned"]["amount"])

    def take(self, answer):
        super().take(answer)
        self.amount = answer.body["booking"]["returned"]["amount"]


class Read(Operation):
    """A read, which is sent once; only the history compares its answer."""

    kind = "read"
    refusals = frozenset({"404 booking-not-found"})


class Receipt(Operation):
    """A pack that is submitted with its own receipt; `details` has its transaction."""

    kind = "receipt"
    setbacks = frozenset({"422 receipt-rejected"})
    # The service calls a store up to three times.
    patience = 35

    def identify(self, answer):
        granted = self._granted(answer)
        return (granted["transaction_id"], granted["lot_id"], granted["amount"])

    def is_replay(self, answer):
        return answer.status == 200 and self._granted(answer)["duplicate"]

    def _granted(self, answer):
        transaction = self.details["transaction"]
        found = [one for one in answer.body["granted"] if one["transaction_id"] == transaction]
        return found[0] if found else {"transaction_id": None, "lot_id": None, "amount": None, "duplicate": False}


class Message(Operation):
    """A store's webhook about a pack; its effect is visible in the books only."""

    kind = "webhook"


class Adjustment(Operation):
    kind = "adjustment"

    def identify(self, answer):
        posted = answer.body["adjustment"]
        return (posted["reference"], posted["lot_id"], posted["amount"])

    def is_replay(self, answer):
        return answer.status == 200 and answer.is_replayed

    def take(self, answer):
        super().take(answer)
        self.amount = answer.body["adjustment"]["amount"]
