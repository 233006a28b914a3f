"""What clients ask of the wallet. Each may be sent any number of times and happens once."""

from dataclasses import dataclass, field


@dataclass
class Operation:
    """One thing that a client wants, under one key; `identity` is what its acknowledgement named."""

    key: str
    user: str
    method: str
    path: str
    body: dict | None
    headers: dict
    environment: str = "production"
    state: str = "open"
    # By the clock, as PostgreSQL's commits: when it was first sent, and when it was acknowledged.
    begun: float | None = None
    acknowledged: float | None = None
    # Whether some attempt ended without an answer what became of it.
    is_doubtful: bool = False
    identity: tuple | None = None
    amount: int = 0
    details: dict = field(default_factory=dict)

    kind = "operation"
    # Refusals that say something of the wallet or the class, not of the service.
    refusals = frozenset()
    # Answers upon which a client gives up for now, and comes again another day.
    setbacks = frozenset()
    # Seconds within which the service answers, whatever happens behind it.
    patience = 15

    def identify(self, answer):
        """What the answer says was done; the same for every repetition."""
        return ()

    def is_replay(self, answer):
        """Whether the answer says that it had been done before."""
        return answer.status == 200

    def take(self, answer):
        """Keeps what the first acknowledgement says."""
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


class Receipt(Operation):
    """A pack, handed in with the receipt of its own; `details` has its transaction."""

    kind = "receipt"
    setbacks = frozenset({"422 receipt-rejected"})
    # A store is asked up to three times.
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
    """A store's webhook about a pack; what it did shows in the books only."""

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
