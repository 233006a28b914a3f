"""Tokens signed with HS256, as the issuers of users and of operators create them."""

import base64
import hashlib
import hmac
import json
import time

AUDIENCE = "credit-wallet"
ISSUERS = {
    "users": ("https://users.example", "a secret that signs the tokens of the users of a run"),
    "operators": ("https://operators.example", "a secret that signs the tokens of a run's operators"),
}


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def token(subject, issuer="users", lifetime=3_500, **more):
    """Returns a token with additional claims; operators' tokens may be valid for at most an hour."""
    name, secret = ISSUERS[issuer]
    now = int(time.time()) - 30
    claims = {"iss": name, "aud": AUDIENCE, "sub": subject, "role": "authenticated", "iat": now, "exp": now + lifetime,
              **more}
    signed = encode(b'{"alg":"HS256","typ":"JWT"}') + b"." + encode(json.dumps(claims).encode())
    return (signed + b"." + encode(hmac.digest(secret.encode(), signed, hashlib.sha256))).decode()


def environment():
    """Returns the settings that make the service accept these tokens."""
    keys = {"AUTH_ISSUERS": ",".join(ISSUERS)}
    for issuer, (name, secret) in ISSUERS.items():
        prefix = f"AUTH_{issuer.upper()}"
        keys |= {
            f"{prefix}_ISSUER": name, f"{prefix}_AUDIENCES": AUDIENCE, f"{prefix}_HS256_SECRET": secret,
            f"{prefix}_PURPOSE": issuer,
        }
    return keys


def subject(text):
    """Returns the subject of a token without checking it."""
    payload = text.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["sub"]
