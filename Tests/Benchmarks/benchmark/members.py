"""The members that sql/bench/seed.sql creates, and their tokens."""

import base64
import hashlib
import hmac
import json
import time
import uuid

ISSUER = "https://bench.example"
AUDIENCE = "credit-wallet"
SECRET = "a secret that signs the tokens of a benchmark"


def user_id(number):
    return str(uuid.UUID(hashlib.md5(f"bench-{number}".encode()).hexdigest()))


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


class Tokens:
    """Tokens signed with HS256, one for each member; all have the same length, so a file of them needs no
    separators."""

    def __init__(self):
        self.issued = int(time.time()) - 60
        self.header = base64url(b'{"alg":"HS256","typ":"JWT"}')
        self.key = hmac.new(SECRET.encode(), digestmod=hashlib.sha256)

    def token(self, number):
        claims = {
            "iss": ISSUER, "aud": AUDIENCE, "sub": user_id(number), "role": "authenticated",
            "iat": self.issued, "exp": self.issued + 86_400,
        }
        signed = self.header + b"." + base64url(json.dumps(claims, separators=(",", ":")).encode())
        signature = self.key.copy()
        signature.update(signed)
        return signed + b"." + base64url(signature.digest())

    def write(self, path, count):
        """Writes the tokens of members 1 to count; returns the length of one token."""
        with open(path, "wb") as file:
            for number in range(1, count + 1):
                file.write(self.token(number))
        return len(self.token(1))
