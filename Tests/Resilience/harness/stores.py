"""The sandbox stores of a `credit-wallet dev` whose own wallet is not used."""

import json
import urllib.request

from . import processes

BUNDLE = "com.hobbyist.bookingapp"
PACK = "com.hobbyist.bookingapp.credits.starter"
PACK_CREDITS = 25
REVENUECAT = "Bearer what RevenueCat sends along in these runs"


class Stores:
    """Stores that sell packs and fail on request; the service under test queries them about purchases."""

    def __init__(self, binary, home):
        self.binary, self.data, self.log = binary, home / "dev", home / "dev.log"
        self.process = None

    def __enter__(self):
        self.process = processes.start(
            [self.binary, "dev", "--data", self.data, "--http-port", "0", "--store-port", "0"], self.log
        )
        described = self.data / "dev.json"
        if not processes.wait_until(lambda: described.exists() or self.process.poll() is not None, 120):
            raise SystemExit("credit-wallet dev did not get ready")
        if self.process.poll() is not None:
            raise SystemExit("credit-wallet dev ended early:\n" + self.log.read_text()[-2000:])
        self.url = json.loads(described.read_text())["store_url"]
        self.root = self.data.parent / "root.cer"
        self.root.write_bytes(self.ask("GET", "/sandbox/root.cer"))
        # Its own wallet needs no notifications of these purchases.
        self.control("/sandbox/notifications", {"enabled": False})
        return self

    def __exit__(self, *_):
        processes.stop(self.process)

    def secret(self, name):
        return (self.data / "secrets" / name).read_text()

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read()

    def control(self, path, body):
        return json.loads(self.ask("POST", path, body))

    def buy(self, user, environment="production", product=PACK):
        """Buys a pack with a separate receipt."""
        return self.control("/sandbox/purchases", {
            "user_id": user, "product_id": product, "environment": environment, "separate": True,
        })

    def fail(self, **fault):
        """Makes calls fail; the members are kind or status, delay_ms, count and target."""
        self.control("/sandbox/faults", fault)

    def work(self):
        self.ask("DELETE", "/sandbox/faults")

    def environment(self):
        """Returns the settings that make the service use these stores."""
        return {
            "STORES": "app_store,play_store,revenuecat", "APPSTORE_BUNDLE_IDS": BUNDLE,
            "APPSTORE_SHARED_SECRET": self.secret("app-store-shared-secret"),
            "APPSTORE_GRANTS_FROM": "2020-01-01T00:00:00Z", "APPSTORE_ALLOW_OTHER_HOSTS": "true",
            "APPSTORE_RECEIPT_PRODUCTION_URL": f"{self.url}/verifyReceipt",
            "APPSTORE_RECEIPT_SANDBOX_URL": f"{self.url}/sandbox/verifyReceipt",
            "APPSTORE_EXTRA_ROOTS": str(self.root),
            "APPSTORE_API_ISSUER_ID": "57246542-96fe-1a63-e053-0824d011072a", "APPSTORE_API_KEY_ID": "DEVKEY0001",
            "APPSTORE_API_PRIVATE_KEY": self.secret("app-store-key"),
            # The history would record each purchase again, because these signatures count as sandbox.
            "APPSTORE_HISTORY_INTERVAL": "0",
            "APPSTORE_API_PRODUCTION_URL": self.url, "APPSTORE_API_SANDBOX_URL": f"{self.url}/sandbox-api",
            "REVENUECAT_AUTHORIZATION": REVENUECAT, "REVENUECAT_GRANTS_FROM": "2020-01-01T00:00:00Z",
            **self.google_play(),
        }

    def google_play(self):
        account = {"type": "service_account", "client_email": "wallet@dev.credit-wallet.invalid",
                   "private_key": self.secret("google-play-key")}
        return {
            "GOOGLEPLAY_PACKAGE_NAME": BUNDLE, "GOOGLEPLAY_SERVICE_ACCOUNT": json.dumps(account),
            "GOOGLEPLAY_GRANTS_FROM": "2020-01-01T00:00:00Z", "GOOGLEPLAY_ALLOW_OTHER_HOSTS": "true",
            "GOOGLEPLAY_PUSH_AUDIENCE": "https://dev.credit-wallet.invalid/webhooks/google-play",
            "GOOGLEPLAY_PUSH_EMAIL": "push@dev.credit-wallet.invalid", "GOOGLEPLAY_URL": self.url,
            "GOOGLEPLAY_TOKEN_URL": f"{self.url}/token", "GOOGLEPLAY_KEYS_URL": f"{self.url}/oauth2/v3/certs",
        }


def revenuecat_event(number, user, transaction, at):
    """Returns RevenueCat's webhook event of a pack bought in the App Store."""
    return {"api_version": "1.0", "event": {
        "type": "NON_RENEWING_PURCHASE", "id": number, "app_id": "app0000000001", "app_user_id": user,
        "original_app_user_id": user, "aliases": [user], "store": "APP_STORE", "environment": "PRODUCTION",
        "product_id": PACK, "period_type": "NORMAL", "purchased_at_ms": at, "event_timestamp_ms": at + 500,
        "expiration_at_ms": None, "transaction_id": transaction, "original_transaction_id": transaction,
        "is_family_share": False, "entitlement_ids": None, "country_code": "US", "currency": "USD", "price": 49.0,
        "price_in_purchased_currency": 49.0, "subscriber_attributes": {},
    }}


def revenuecat_refund(number, user, transaction, at):
    """Returns RevenueCat's webhook event of such a pack's refund."""
    event = revenuecat_event(number, user, transaction, at)
    event["event"] |= {"type": "CANCELLATION", "cancel_reason": "CUSTOMER_SUPPORT"}
    return event
