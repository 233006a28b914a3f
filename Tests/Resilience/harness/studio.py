"""A studio that uses every subject of the wallet, so that each table of its database has rows."""

import datetime
import time

from . import processes, tokens
from .setting import command
from .stores import PACK, PACK_CREDITS, REVENUECAT, revenuecat_event, revenuecat_refund

PLAN = "com.hobbyist.bookingapp.subscription.explorer"
BUNDLE, PASS = "com.hobbyist.bookingapp.credits.explorer", "fiveVisit"


def instant(**ahead):
    """Returns the instant that lies so far ahead."""
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(**ahead)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def day(ahead):
    return instant(days=ahead)[:10]


class Studio:
    """The studio's operator and users, who send requests that must succeed."""

    def __init__(self, wire, shops, host, prefix):
        self.wire, self.shops, self.host, self.prefix = wire, shops, host, prefix
        self.operator = {"Authorization": f"Bearer {tokens.token('operator', 'operators')}"}
        self.count = 0

    def ask(self, method, path, body=None, user=None, status=(200, 201), **headers):
        """Sends a request of the user, or of the operator, and returns its body."""
        self.count += 1
        sender = {"Authorization": f"Bearer {tokens.token(user)}"} if user else self.operator
        key = {"Idempotency-Key": f"{self.prefix}-{self.count}"}
        answer = self.wire.insist(method, path, body, {**sender, **key, **headers})
        if answer.status not in status:
            raise SystemExit(f"{method} {path}: {answer.outcome} {answer.body}")
        return answer.body

    def act(self, action, **members):
        return self.ask("POST", f"/operator/actions/{action}", {"reason": "The story of the studio.", **members})

    def user(self, name):
        return f"{self.prefix}-{name}"

    def buy(self, user, product=PACK, **more):
        """Buys a product in a sandbox store, submits it, and returns the store's data."""
        bought = self.shops.control("/sandbox/purchases", {
            "user_id": user, "product_id": product, "separate": True, **more,
        })
        self.ask("POST", "/receipts", proof(bought), user)
        return bought

    def book(self, user, class_id, **more):
        return self.ask("POST", "/bookings", {"class_id": class_id, **more}, user)["booking"]["booking_id"]

    def make_class(self, name, **more):
        class_id = f"{self.prefix}-{name}"
        self.ask("PUT", f"/operator/classes/{class_id}", {
            "title": f"Class {name}", "starts_at": instant(days=20), "ends_at": instant(days=20, hours=1),
            "capacity": 10, "price": {"credits": 5, "visits": 1}, **more,
        })
        return class_id

    def adjust(self, user, amount, unit="credit", **more):
        self.ask("POST", "/operator/adjustments", {
            "user_id": user, "unit": unit, "amount": amount, "reason": "A story.", "new_user": amount > 0,
            "reference": f"{self.prefix}-{self.count}", **more,
        })

    # The story

    def live(self):
        self.sell()
        self.teach()
        self.owe()
        self.change_accounts()
        self.operate()
        self.wait_for_the_workers()

    def sell(self):
        """Sells, renews and refunds in all stores."""
        ann, bob = self.user("ann"), self.user("bob")
        self.ask("PUT", f"/operator/products/{BUNDLE}", {
            "kind": "pack", "name": "Bundle", "unit": "credit", "amount": 50, "price": {"amount": 99, "currency": "USD"},
            "store_ids": {"app_store": BUNDLE},
            "bundle_items": [{"unit": "visit", "amount": 2, "valid_days": 30, "starts_within_days": 10}],
        })
        self.ask("PUT", f"/operator/products/{PASS}", {
            "kind": "pass", "name": "Yoga", "unit": "visit", "amount": 5, "price": {"amount": 69, "currency": "USD"},
            "store_ids": {"app_store": PASS}, "valid_days": 90, "freeze_days": 30,
        })
        self.pack = self.buy(ann)
        self.buy(ann, BUNDLE)
        self.buy(ann, PASS)
        self.play = self.buy(ann, store="play_store")
        self.buy(bob, environment="sandbox")
        single = self.buy(ann, "singleVisit")
        self.ask("POST", f"/purchases/{single['transaction_id']}/consume", {"reference": "front door"}, ann)
        plan = self.buy(ann, PLAN)
        renewed = self.shops.control(f"/sandbox/subscriptions/{plan['original_transaction_id']}/renew", {})
        self.ask("POST", "/receipts", proof(renewed), ann)
        self.buy(bob, PLAN, store="play_store")
        now = int(time.time() * 1000)
        self.tell(revenuecat_event(f"{self.prefix}-kept", self.user("keeps"), self.user("keeps"), now))
        # Three refunds raise a review flag.
        for number in range(3):
            bought = f"{self.prefix}-refunded-{number}"
            self.tell(revenuecat_event(bought, self.user("refunded"), bought, now))
            self.tell(revenuecat_refund(f"{bought}-back", self.user("refunded"), bought, now))
        # A message that cannot be read, and one about an unknown product, stay in the inbox.
        self.tell({"api_version": "1.0", "event": {"type": "RENEWAL", "id": f"{self.prefix}-unreadable"}})
        unknown = revenuecat_event(f"{self.prefix}-unknown", ann, f"{self.prefix}-unknown", now)
        unknown["event"]["product_id"] = "unknown.product"
        self.tell(unknown)

    def owe(self):
        """Refunds credits that were spent; the next grant repays the debt."""
        dora, bought = self.user("dora"), self.user("dora")
        self.tell(revenuecat_event(bought, dora, bought, int(time.time() * 1000)))
        self.wait_for(lambda: self.ask("GET", "/balance", user=dora)["credits"] == PACK_CREDITS, "a grant")
        self.book(dora, f"{self.prefix}-far", pay_with="credits")
        self.tell(revenuecat_refund(f"{bought}-back", dora, bought, int(time.time() * 1000)))
        self.wait_for(lambda: self.ask("GET", "/balance", user=dora)["owed_credits"] > 0, "a debt")
        self.adjust(dora, 20)

    def tell(self, event):
        answer = self.wire.insist("POST", "/webhooks/revenuecat", event, {"Authorization": REVENUECAT})
        if answer.status != 200:
            raise SystemExit(f"RevenueCat's message: {answer.outcome} {answer.body}")

    def teach(self):
        """Teaches classes with bookings, a waitlist, attendance and consequences, and a series."""
        ann, bob, cleo = (self.user(name) for name in ("ann", "bob", "cleo"))
        for user in (bob, cleo):
            self.adjust(user, 100)
        self.act("put-policy", policy_id=f"{self.prefix}-strict", policy={
            "name": "Strict", "cancellation": {"free_minutes_before": 1440},
            "late_cancel": {"fee": 2, "strike": True}, "no_show": {"fee": 5, "strike": True},
            "strikes": {"allowed": 1, "days": 30, "block_days": 7},
        })
        far = self.make_class("far")
        self.cancelled = self.book(bob, far)
        self.ask("POST", f"/bookings/{self.cancelled}/cancel", user=bob)
        self.booked = self.book(ann, far, pay_with="credits", seats=2)
        full = self.make_class("full", capacity=1)
        self.book(bob, full)
        self.ask("POST", f"/classes/{full}/waitlist", {}, cleo)
        soon = self.make_class("soon", starts_at=instant(minutes=30), ends_at=instant(minutes=90),
                               policy_id=f"{self.prefix}-strict", cancellation=None)
        late = self.book(cleo, soon)
        self.ask("POST", f"/bookings/{late}/cancel", user=cleo)
        self.act("waive-cancellation", user_id=cleo, booking_id=late)
        missed, came = self.book(bob, soon), self.book(ann, soon)
        self.act("mark-attendance", class_id=soon, booking_ids=[missed], attendance="no_show")
        self.act("mark-attendance", class_id=soon, booking_ids=[came], attendance="attended")
        self.act("put-series", series={
            "title": f"{self.prefix} flow", "weekdays": ["monday", "friday"], "start_time": "18:30", "minutes": 60,
            "time_zone": "Europe/Berlin", "from_date": day(1), "capacity": 12, "price": {"credits": 5},
        })
        self.act("put-holiday", on_date=day(10), name="Closed")
        broken = self.make_class("broken")
        self.book(cleo, broken)
        self.act("compensate-class", class_id=broken, unit="credit", amount=5, reference=f"{self.prefix}-sorry")
        self.ask("POST", f"/operator/classes/{broken}/cancel", {"reason": "The kiln is broken."})

    def change_accounts(self):
        """Deletes, restores and merges accounts."""
        gone = self.user("gone")
        bought = self.buy(gone)
        self.ask("DELETE", "/account", user=gone, status=(204,))
        heir = self.user("heir")
        self.ask("POST", "/restore", {"store": "app_store", "receipt": bought["receipt"]}, heir)
        anonymous = tokens.token(self.user("anonymous"), is_anonymous=True)
        self.wire.insist("GET", "/balance", None, {"Authorization": f"Bearer {anonymous}"})
        self.adjust(self.user("anonymous"), 7)
        self.ask("POST", "/identify", {"anonymous_token": anonymous}, heir)

    def operate(self):
        """Performs the remaining actions of operators."""
        ann, cleo = self.user("ann"), self.user("cleo")
        self.ask("PUT", f"/operator/users/{ann}/profile", {"name": "Ann Bell", "email": "ann@example.org",
                                                           "reason": "Asked by phone."})
        self.act("set-tester", user_id=cleo, tester=True)
        self.adjust(cleo, 3, "visit", source="gift", expires_at=instant(days=3))
        self.adjust(cleo, -1)
        self.host.psql("-c", f"""
            INSERT INTO admin.offers (product_id, offer_id, name, eligibility)
            VALUES ('{PLAN}', '{self.prefix}-back', 'Come back', 'lapsed')""")
        lots = self.ask("GET", f"/operator/users/{ann}/lots")["lots"]
        frozen = next(lot for lot in lots if lot["product_id"] == PASS)
        self.act("freeze", user_id=ann, lot_id=frozen["lot_id"], **{"from": instant(days=2), "until": instant(days=9)})

    def import_balances(self, binary, home):
        """Imports balances from another system, as the owner of the database."""
        source = home / f"{self.prefix}.csv"
        source.write_text(f"user_id,credits\n{self.prefix}-imported,12\n")
        command(binary, self.host.url(self.host.owner), "import", "--source", self.prefix,
                "--cut-over", "2020-01-01T00:00:00Z", "--csv", source, "--apply")

    def wait_for_the_workers(self):
        """Waits until the workers have applied all messages, posted all sums and tried to send the events."""
        left = """
            SELECT (SELECT count(*) FROM wallet.inbox AS i WHERE i.status = 'new')
                + (SELECT count(*) FROM wallet.wallets AS w WHERE NOT EXISTS (
                    SELECT FROM wallet.summed_wallets AS s WHERE s.account_id = w.account_id)) AS n"""
        self.wait_for(lambda: self.host.rows(left)[0]["n"] == 0, "the workers")

    def wait_for(self, holds, what):
        if not processes.wait_until(holds, 60, 0.5):
            raise SystemExit(f"{what} did not come within a minute")


def proof(bought):
    """Returns the body of POST /receipts for a purchase."""
    if bought.get("purchase_token"):
        return {"store": "play_store", "product_id": bought["product_id"], "purchase_token": bought["purchase_token"]}
    return {"store": "app_store", "receipt": bought["receipt"]}
