"""A studio's day in a running dev: people with names, tonight's class with its bookings, and a waitlist."""
import datetime
import random
import time
import uuid

PEOPLE = [
    "Ben Okafor", "Ana Sofía Fernández de la Vega y Montenegro-Hohenstauffen", "محمد عبد الرحمن الفارسي",
    "Chloé Dubois", "Yuki Tanaka", "Miriam כהן", "Paul O'Brien", "Zoë <b>Quist</b>", "Ivan Petrov", "Lea Sommer",
    "Tom Wu",
]


class Studio:
    """Creates people and classes through the API."""

    def __init__(self, demo):
        # The first three letters are in no other name, title or id, so they find this studio's Rosa; the others mark its
        # classes.
        letters = "".join(random.sample("qxzjvkw", 6))
        self.demo, self.mark, self.tag = demo, letters[:3], letters[3:]
        self.names = [f"Rosa {self.mark.title()}"] + PEOPLE
        self.people = {name: f"demo-{uuid.uuid4().hex[:12]}" for name in self.names}
        asked = "&".join(f"user={user}" for user in self.people.values())
        session = self.call("GET", f"/demo/session?{asked}")
        self.operator = session["operator_token"]
        self.tokens = {user["user_id"]: user["token"] for user in session["users"]}

    def call(self, method, path, body=None, token=None):
        headers = {"Idempotency-Key": uuid.uuid4().hex}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        answer = self.demo.context.request.fetch(
            f"{self.demo.base}{path}", method=method, headers=headers, data=body
        )
        assert answer.ok, f"{method} {path}: {answer.status} {answer.text()}"
        return answer.json() if answer.text() else None

    def welcome(self):
        """Opens the wallet of each person, with a name, an email address and credits."""
        for name, user in self.people.items():
            self.call("POST", "/operator/adjustments", {
                "user_id": user, "unit": "credit", "amount": 60, "reason": "opening balance",
                "reference": uuid.uuid4().hex, "new_user": True,
            }, token=self.operator)
            first = name.split(" ")[0].lower()
            address = f"{first if first.isascii() else 'guest'}@{user}.example"
            self.call("PUT", f"/operator/users/{user}/profile", {
                "name": name, "email": address, "reason": "import",
            }, token=self.operator)

    def now(self):
        now = self.call("GET", "/demo/store/clock")["now"]
        return datetime.datetime.fromisoformat(now.replace("Z", "+00:00")).replace(microsecond=0)

    def put_class(self, title, minutes_ahead, credits=20):
        """Creates a class that starts the given minutes from now and returns its id."""
        name = f"class-{self.mark}-{minutes_ahead}-{time.time_ns() % 10_000}"
        starts = self.now() + datetime.timedelta(minutes=minutes_ahead)
        instant = lambda moment: moment.isoformat().replace("+00:00", "Z")
        self.call("PUT", f"/operator/classes/{name}", {
            "title": title, "starts_at": instant(starts), "ends_at": instant(starts + datetime.timedelta(minutes=90)),
            "capacity": 12, "price": {"credits": credits},
        }, token=self.operator)
        return name

    def book(self, session, names=None):
        for name in names or self.names:
            self.call("POST", "/bookings", {"class_id": session}, token=self.tokens[self.people[name]])

    def wait(self, session, names):
        for name in names:
            self.call("POST", f"/classes/{session}/waitlist", {}, token=self.tokens[self.people[name]])
