"""Purchases signed by the benchmark's own App Store: receipts as an app submits them, and notifications."""

import base64
import datetime
import json
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.x509.oid import NameOID

from .members import base64url, user_id

BUNDLE = "com.hobbyist.bookingapp"
PACK = "com.hobbyist.bookingapp.credits.starter"
# Apple marks its certificates with extensions that contain an ASN.1 NULL.
INTERMEDIATE_MARK = "1.2.840.113635.100.6.2.1"
LEAF_MARK = "1.2.840.113635.100.6.11.1"


class Storefront:
    """A root, an intermediate and a leaf certificate like Apple's, and the data that they sign."""

    def __init__(self):
        root_key, middle_key, self.key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
        root = certificate("Root", root_key, "Root", root_key, is_authority=True)
        middle = certificate("Intermediate", middle_key, "Root", root_key, True, INTERMEDIATE_MARK)
        leaf = certificate("Signing", self.key, "Intermediate", middle_key, False, LEAF_MARK)
        self.root = der(root)
        chain = [base64.b64encode(der(one)).decode() for one in (leaf, middle, root)]
        self.header = base64url(json.dumps({"alg": "ES256", "x5c": chain}).encode())
        self.now = int(time.time() * 1000)

    def sign(self, payload):
        signed = self.header + b"." + base64url(json.dumps(payload, separators=(",", ":")).encode())
        r, s = decode_dss_signature(self.key.sign(signed, ec.ECDSA(hashes.SHA256())))
        return (signed + b"." + base64url(r.to_bytes(32, "big") + s.to_bytes(32, "big"))).decode()

    def transaction(self, number, member):
        """Returns a member's signed purchase of a pack; the number becomes the transaction's id."""
        return self.sign({
            "transactionId": f"{2_000_000_000_000_000 + number}",
            "originalTransactionId": f"{2_000_000_000_000_000 + number}",
            "bundleId": BUNDLE, "productId": PACK, "type": "Consumable", "quantity": 1,
            "purchaseDate": self.now, "originalPurchaseDate": self.now, "signedDate": self.now,
            "inAppOwnershipType": "PURCHASED", "environment": "Sandbox", "transactionReason": "PURCHASE",
            "storefront": "USA", "storefrontId": "143441", "appAccountToken": user_id(member),
        })

    def notification(self, number, member):
        return self.sign({
            "notificationType": "ONE_TIME_CHARGE", "notificationUUID": f"00000000-0000-4000-8000-{number:012d}",
            "version": "2.0", "signedDate": self.now,
            "data": {
                "bundleId": BUNDLE, "bundleVersion": "1", "environment": "Sandbox",
                "signedTransactionInfo": self.transaction(number, member),
            },
        })

    def write_receipts(self, path, tokens, first, count, members):
        """Writes requests of POST /receipts, each with another transaction; returns the length of one."""
        def request(number):
            member = number % members + 1
            body = {"store": "app_store", "signed_transaction": self.transaction(number, member)}
            return post("/receipts", body, b"\r\nAuthorization: Bearer " + tokens.token(member))
        return write(path, (request(number) for number in range(first, first + count)))

    def write_webhooks(self, path, first, count, members):
        """Writes requests of POST /webhooks/app-store, each about another purchase; returns the length of one."""
        def request(number):
            return post("/webhooks/app-store", {"signedPayload": self.notification(number, number % members + 1)})
        return write(path, (request(number) for number in range(first, first + count)))


def certificate(name, key, issuer, issuer_key, is_authority, mark=None):
    def named(common):
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Benchmark {common}")])
    rights = x509.KeyUsage(
        digital_signature=not is_authority, key_cert_sign=is_authority, crl_sign=is_authority, content_commitment=False,
        key_encipherment=False, data_encipherment=False, key_agreement=False, encipher_only=False, decipher_only=False,
    )
    builder = (
        x509.CertificateBuilder()
        .subject_name(named(name)).issuer_name(named(issuer)).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.datetime(2015, 1, 1)).not_valid_after(datetime.datetime(2099, 1, 1))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(rights, critical=True)
    )
    if mark:
        extension = x509.UnrecognizedExtension(x509.ObjectIdentifier(mark), b"\x05\x00")
        builder = builder.add_extension(extension, critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


def der(one):
    return one.public_bytes(serialization.Encoding.DER)


def post(path, body, headers=b""):
    data = json.dumps(body, separators=(",", ":")).encode()
    return (
        b"POST " + path.encode() + b" HTTP/1.1\r\nHost: wallet\r\nContent-Type: application/json"
        + headers + b"\r\nContent-Length: " + str(len(data)).encode() + b"\r\n\r\n" + data
    )


def write(path, requests):
    """Writes requests without separators; returns their length, which must be the same for all."""
    lengths = set()
    with open(path, "wb") as file:
        for request in requests:
            file.write(request)
            lengths.add(len(request))
    if len(lengths) != 1:
        raise SystemExit(f"bench: requests of different lengths: {sorted(lengths)}")
    return lengths.pop()
