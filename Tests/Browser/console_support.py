"""Checks of support's actions for one user in the console: bookings, purchases, flags, messages and events."""
import datetime
import time
import uuid

from playwright.sync_api import TimeoutError as NotInTime, expect

from console_checks import confirm, sign_in

STARTER = "com.hobbyist.bookingapp.credits.starter"


class Shop:
    """A new user of dev, and actions of that user outside the console."""

    def __init__(self, demo):
        self.demo, self.user = demo, f"demo-{uuid.uuid4().hex[:12]}"
        session = self.call("GET", f"/demo/session?user={self.user}")
        self.operator = session["operator_token"]
        self.token = next(user["token"] for user in session["users"] if user["user_id"] == self.user)
        self.call("GET", "/balance", token=self.token)

    def call(self, method, path, body=None, token=None, key=None):
        headers = {"Idempotency-Key": key or uuid.uuid4().hex}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        answer = self.demo.context.request.fetch(
            f"{self.demo.base}{path}", method=method, headers=headers, data=body
        )
        assert answer.ok, f"{method} {path}: {answer.status} {answer.text()}"
        return answer.json() if answer.text() else None

    def put_class(self, hours):
        """Creates a class some hours ahead of dev's clock, which other checks move; a cancellation within a day is
        late."""
        name = f"support-{uuid.uuid4().hex[:8]}"
        now = datetime.datetime.fromisoformat(self.call("GET", "/demo/store/clock")["now"].replace("Z", "+00:00"))
        starts = now.replace(microsecond=0) + datetime.timedelta(hours=hours)
        self.call("PUT", f"/operator/classes/{name}", {
            "title": f"Class {name}", "starts_at": starts.isoformat().replace("+00:00", "Z"),
            "ends_at": (starts + datetime.timedelta(hours=1)).isoformat().replace("+00:00", "Z"),
            "capacity": 5, "price": {"credits": 5},
        }, token=self.operator)
        return name

    def book(self, name):
        self.call("POST", "/bookings", {"class_id": name}, token=self.token)

    def buy(self):
        sold = self.call("POST", "/demo/store/purchases", {
            "user_id": self.user, "product_id": STARTER, "store": "app_store",
        })
        self.call("POST", "/receipts", {
            "store": "app_store", "product_id": STARTER, "signed_transaction": sold["signed_transaction"],
        }, token=self.token)
        return sold["transaction_id"]

    def refund(self, transaction):
        self.call("POST", f"/demo/store/transactions/{transaction}/refund")


def act(demo, link, result, reason="a test", **fields):
    """Follows a link to an action's form, fills the form, confirms its preview, and checks the result's heading."""
    link.click()
    for label, value in fields.items():
        demo.page.get_by_label(label).select_option(value)
    demo.page.get_by_label("Reason").fill(reason)
    demo.page.get_by_role("button", name="Preview").click()
    expect(demo.page.get_by_role("button", name="Confirm")).to_be_visible()
    confirm(demo, result)


def console_bookings(demo):
    """Cancels a booking by the user's rules, waives a late cancellation, and refunds a third booking in full."""
    shop, page = Shop(demo), demo.page
    shop.buy()
    early, late, full = shop.put_class(100), shop.put_class(5), shop.put_class(6)
    for name in [early, late, full]:
        shop.book(name)
    sign_in(demo)

    def row(name):
        page.goto(f"{demo.base}/console/user?user_id={shop.user}")
        return page.get_by_role("row").filter(has=page.get_by_role("link", name=f"Class {name}", exact=True))

    def credits(amount):
        page.goto(f"{demo.base}/console/user?user_id={shop.user}")
        expect(page.locator(".balance").first).to_contain_text(f"{amount} credits")

    credits(10)
    act(demo, row(early).get_by_role("link", name="Cancel", exact=True), "Booking cancelled")
    credits(15)
    act(demo, row(late).get_by_role("link", name="Cancel", exact=True), "Booking cancelled")
    credits(15)
    act(demo, row(late).get_by_role("link", name="Waive"), "Late cancellation waived", "the tram stood still")
    credits(20)
    expect(row(late).get_by_role("link", name="Waive")).to_have_count(0)
    act(
        demo, row(full).get_by_role("link", name="Cancel and return all"), "Booking cancelled and returned in full"
    )
    credits(25)
    expect(page.get_by_text("was waived").first).to_be_visible()
    demo.picture("console-bookings")


def console_purchases(demo):
    """Releases a purchase and keeps it again, makes the user a tester, and resolves a flag after three refunds."""
    shop, page = Shop(demo), demo.page
    bought = [shop.buy() for _ in range(3)]
    sign_in(demo)
    address = f"{demo.base}/console/user?user_id={shop.user}"
    page.goto(address)
    act(demo, page.get_by_role("link", name="Release", exact=True).first, "Purchase released")
    page.goto(address)
    act(demo, page.get_by_role("link", name="Undo the release"), "Release undone")
    page.goto(address)
    expect(page.get_by_role("link", name="Undo the release")).to_have_count(0)
    act(demo, page.get_by_role("link", name="Set tester"), "Tester setting saved", **{"Is a tester": "true"})
    page.goto(f"{demo.base}/console/list/testers?user_id={shop.user}")
    expect(page.get_by_role("cell", name=shop.user)).to_be_visible()
    for transaction in bought:
        shop.refund(transaction)
    flag = page.get_by_role("row").filter(has_text=shop.user)
    for _ in range(240):
        page.goto(f"{demo.base}/console/list/flags?open=true")
        if flag.count() == 2:
            break
        time.sleep(0.25)
    # One flag counts the refunds of the account, the other those of the user's copy of the app.
    expect(flag).to_have_count(2)
    for left in [1, 0]:
        act(demo, flag.get_by_role("link", name="Resolve").first, "Flag resolved", Resolution="dismissed")
        page.goto(f"{demo.base}/console/list/flags?open=true")
        expect(flag).to_have_count(left)


def console_deliveries(demo):
    """Sends an event again, and replays a message that waits for a user."""
    shop, page = Shop(demo), demo.page
    shop.buy()
    sign_in(demo)
    page.goto(f"{demo.base}/console/list/events?user_id={shop.user}")
    act(demo, page.get_by_role("link", name="Send again").first, "Event queued for delivery")
    # The App Store reports a purchase of a user that the wallet has never seen, and RevenueCat, which knows the user,
    # does not. So the message keeps waiting.
    stranger = f"demo-{uuid.uuid4().hex[:12]}"
    shop.call("POST", "/demo/store/notifications", {"enabled": False})
    shop.call("POST", "/demo/store/purchases", {"user_id": stranger, "product_id": STARTER, "store": "app_store"})
    written = shop.call("GET", "/demo/store/notifications")["notifications"]
    report = [message["id"] for message in written if message["source"] == "app_store"][-1]
    shop.call("POST", f"/demo/store/notifications/{report}/redeliver")
    shop.call("POST", "/demo/store/notifications", {"enabled": True})
    # The worker tries the message again meanwhile. Then the confirmation shows a new preview, and the operator begins
    # again.
    deadline = time.monotonic() + 180
    while True:
        page.goto(f"{demo.base}/console/list/messages")
        link = page.get_by_role("link", name="Try again").first
        try:
            act(demo, link, "Message queued for another attempt")
            return
        except (AssertionError, NotInTime):
            if time.monotonic() > deadline:
                raise


ALL = [console_bookings, console_purchases, console_deliveries]
