"""The story of an app that calls Supabase edge functions, with Supabase's own client for Python.

Reads its input as JSON from standard input (`url`, `key`, `token`, `user`, `store_url`, `product`, `class_id`) and
writes its results to standard output. A failed expectation ends it with status 1.
"""

import json
import sys
import time

import httpx
from supabase_functions import SyncFunctionsClient
from supabase_functions.errors import FunctionsHttpError
from supabase_functions.utils import FunctionRegion


class App:
    """An app that creates a functions client once and reads envelopes."""

    def __init__(self, url: str, key: str, token: str) -> None:
        self.client = SyncFunctionsClient(url, {"apikey": key})
        self.client.set_auth(token)

    def call(self, function: str, body: dict | None = None) -> dict:
        """Invokes a function with a body by POST, or without one by GET."""
        options: dict = {"responseType": "json", "region": FunctionRegion("eu-west-1")}
        if body is None:
            options["method"] = "GET"
        else:
            options["body"] = body
        envelope = self.invoke(function, options)
        expect(envelope["success"] is True, f"{function} succeeds: {envelope}")
        expect(bool(envelope["meta"]["request_id"]), f"{function} has a request id")
        return envelope["data"]

    def invoke(self, function: str, options: dict) -> dict:
        """Invokes a function, and retries for a minute while the wallet is busy with other requests."""
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.client.invoke(function, dict(options))
            except FunctionsHttpError as error:
                if error.status != 503 or time.monotonic() > deadline:
                    raise
                time.sleep(float(error.__cause__.response.headers["retry-after"]))

    def refusal(self, function: str, body: dict | None = None) -> tuple[int, dict]:
        """Invokes a function that refuses, and reads the body as an app must: from the response of the error's
        cause."""
        try:
            answer = self.call(function, body)
        except FunctionsHttpError as error:
            envelope = error.__cause__.response.json()
            expect(envelope["success"] is False, f"{function} fails: {envelope}")
            expect(error.message == envelope["error"], "the client's error holds the envelope's")
            return error.status, envelope["error"]
        raise SystemExit(f"{function} should have refused: {answer}")


def expect(holds: bool, what: str) -> None:
    if not holds:
        raise SystemExit(f"not so: {what}")


def buy(store_url: str, user: str, product: str) -> dict:
    purchase = {"user_id": user, "product_id": product, "environment": "sandbox"}
    return httpx.post(f"{store_url}/sandbox/purchases", json=purchase, timeout=60).raise_for_status().json()


def main() -> None:
    given = json.load(sys.stdin)
    functions = f"{given['url']}/functions/v1"
    app = App(functions, given["key"], given["token"])
    booking = {"class_id": given["class_id"], "attendees": [{"name": "Ann", "email": "ann@example.com"}]}

    stranger = App(functions, given["key"], given["key"])
    packs = stranger.call("credit-packs/available")
    expect(given["product"] in [pack.get("apple_product_id") for pack in packs], "the pack is on sale")
    status, error = stranger.refusal("credit-packs/balance")
    expect((status, error["code"]) == (401, "UNAUTHORIZED"), f"a key is no session: {status} {error}")

    expect(app.call("credit-packs/balance")["credit_balance"] == 0, "nothing to begin with")
    status, error = app.refusal("credit-packs/book-with-credits", booking)
    expect((status, error["code"]) == (402, "INSUFFICIENT_CREDITS"), f"out of credits: {status} {error}")
    expect(error["details"]["credits_needed"] == 20, f"what is missing is told: {error}")
    offered = [pack["product_id"] for pack in error["details"]["offers"]["packs"]]
    expect(given["product"] in offered, f"and what to buy: {offered}")

    sale = buy(given["store_url"], given["user"], given["product"])
    status, error = app.refusal("validate-receipt", {"receipt": json.dumps({"transactionId": sale["transaction_id"]})})
    expect((status, error["code"]) == (400, "UNSIGNED_TRANSACTION"), f"unsigned JSON: {status} {error}")
    first = app.call("validate-receipt", {"receipt": sale["signed_transaction"]})
    again = app.call("validate-receipt", {"receiptData": sale["receipt"], "transactionId": sale["transaction_id"]})
    expect((first["credits_granted"], first["new_balance"], first["idempotent"]) == (25, 25, False), f"{first}")
    expect((again["new_balance"], again["idempotent"]) == (25, True), f"a replay: {again}")
    expect(first["environment"] == "sandbox", "bought in the sandbox")

    expect(app.call("credit-packs/balance")["credit_balance"] == 25, "the balance")
    booked = app.call("credit-packs/book-with-credits", booking)
    repeat = app.call("credit-packs/book-with-credits", booking)
    expect((booked["status"], booked["credits_used"], booked["remaining_credits"]) == ("confirmed", 20, 5), f"{booked}")
    expect(repeat["idempotent"] and repeat["booking_id"] == booked["booking_id"], f"a repeat: {repeat}")
    more = {**booking, "attendees": booking["attendees"] * 2}
    status, error = app.refusal("credit-packs/book-with-credits", more)
    expect((status, error["code"]) == (409, "BOOKING_EXISTS"), f"another number of people: {status} {error}")
    upcoming = app.call("bookings/upcoming?limit=5")
    expect([row["id"] for row in upcoming] == [booked["booking_id"]], f"upcoming: {upcoming}")
    confirmed = app.call("bookings/my-bookings?status=confirmed&page=1&limit=20")
    expect([row["id"] for row in confirmed] == [booked["booking_id"]], f"the user's bookings: {confirmed}")
    expect(app.call(f"bookings/{booked['booking_id']}")["can_cancel"] is True, "it can be cancelled")
    bought = app.call("credit-packs/purchases?limit=20&offset=0")
    told = [(row["id"], row["total_credits_received"], row["status"]) for row in bought]
    expect(told == [(sale["transaction_id"], 25, "completed")], f"what was bought: {bought}")

    cancelled = app.call("bookings/cancel", {"booking_id": booked["booking_id"], "reason": "ill"})
    expect(cancelled["refund"]["amount"] == 20, f"what came back: {cancelled}")
    expect(app.call("bookings/cancel", {"booking_id": booked["booking_id"]})["idempotent"], "cancelled twice")
    balance = app.call("credit-packs/balance")
    expect((balance["credit_balance"], balance["total_spent"]) == (25, 0), f"all is back: {balance}")
    kinds = [row["transaction_type"] for row in app.call("credit-packs/transactions?limit=10&offset=0")]
    expect(kinds == ["refund", "spend", "purchase"], f"the history: {kinds}")
    statuses = [row["status"] for row in app.call("bookings/history")]
    expect(statuses == ["cancelled"], f"the bookings: {statuses}")
    created = app.call("bookings/create", booking)
    expect(created["booking"]["id"] != booked["booking_id"], f"a cancelled class is booked again: {created}")
    expect((created["payment"]["remaining_credits"], created["idempotent"]) == (5, False), f"paid at once: {created}")
    app.call("bookings/cancel", {"booking_id": created["booking"]["id"]})
    status, error = app.refusal("purchase-credits", {"action": "create_payment_sheet", "package_id": "1"})
    expect(status == 404 and "validate-receipt" in error["message"], f"what is no more: {status} {error}")
    json.dump({"booking_id": booked["booking_id"], "balance": balance["credit_balance"]}, sys.stdout)


main()
