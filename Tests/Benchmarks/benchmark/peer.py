"""POST /bookings in FastAPI and asyncpg, to measure the wallet against.

It is fair to the peer: the fastest event loop, HTTP parser and JSON library that Python has; no model between JSON and
SQL; no log of requests, where the wallet writes one; one round trip for a booking, since the admission of the token's
user stands in the same statement. It is fair to the wallet: the same tokens are verified, the same admission asked,
the same function called with one item as the same role, and the same answer written.
"""

import os
import time
import uuid
from contextlib import asynccontextmanager
from datetime import datetime, timezone

import asyncpg
import jwt
import orjson
from fastapi import FastAPI, Request, Response

SECRET, ISSUER, AUDIENCE = (os.environ[name] for name in ("SECRET", "ISSUER", "AUDIENCE"))
BOOK = """
SELECT o.*, o.unit::text AS unit_name
FROM (SELECT wallet.admit_token($1, $2, $3)) AS admitted,
    wallet.book_batch(ARRAY[ROW(
        wallet.account_for($1), 'production', 'book', $4::uuid, $5::text, $6::text, $7::integer, $8::text, $9::bigint
    )::wallet.booking_request]) AS o
"""


@asynccontextmanager
async def lifespan(app):
    async with asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=10, max_size=10) as pool:
        app.state.pool = pool
        yield


app = FastAPI(lifespan=lifespan)


def problem(status, slug, **members):
    body = {"type": f"/problems/{slug}", "status": status, **members}
    return Response(orjson.dumps(body), status, media_type="application/problem+json")


def time_ordered():
    """A UUID of version 7."""
    milliseconds = time.time_ns() // 1_000_000
    return uuid.UUID(int=milliseconds << 80 | 7 << 76 | uuid.uuid4().int & ((1 << 76) - 1))


def instant(value):
    return value and value.strftime("%Y-%m-%dT%H:%M:%SZ")


def answer(row):
    booking_id, unit, returned = str(row["booking_id"]), row["unit_name"], row["returned"]
    return {
        "balance": {"credits": row["credits"], "version": row["version"], "visits": row["visits"]},
        "booking": {
            "amount": row["amount"],
            "booking_id": booking_id,
            "cancellation": {
                "free_minutes_before": row["free_minutes_before"], "free_until": instant(row["free_until"])
            },
            "cancelled_at": instant(row["cancelled_at"]),
            "cancelled_by": row["cancelled_by"],
            "class_id": row["class_id"],
            "class_title": row["class_title"],
            "confirmation_code": "HB" + booking_id[-8:].upper(),
            "created_at": instant(row["created_at"]),
            "from_waitlist": row["promoted"],
            "late_cancel": row["late_cancel"],
            "moved": row["moved"],
            "returned": None if returned is None else {"amount": returned, "unit": unit},
            "seats": row["seats"],
            "slices": [
                {"amount": amount, "lot_id": str(lot)} for lot, amount in zip(row["lot_ids"], row["lot_amounts"])
            ],
            "starts_at": instant(row["starts_at"]),
            "status": row["booking_status"],
            "unit": unit,
        },
    }


@app.get("/ready")
async def ready():
    return {"status": "ready"}


@app.post("/bookings")
async def book(request: Request):
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    try:
        claims = jwt.decode(token, SECRET, ["HS256"], issuer=ISSUER, audience=AUDIENCE)
        new = orjson.loads(await request.body())
        item = (new["class_id"], new.get("seats", 1), new.get("pay_with"), new.get("max_amount"))
    except jwt.InvalidTokenError:
        return problem(401, "unauthenticated")
    except (orjson.JSONDecodeError, KeyError):
        return problem(400, "malformed-request")
    key = request.headers.get("idempotency-key")
    if scheme.lower() != "bearer" or not key:
        return problem(400, "malformed-request")
    issued = datetime.fromtimestamp(claims["iat"], timezone.utc) if "iat" in claims else None
    row = await request.app.state.pool.fetchrow(
        BOOK, claims["sub"], issued, claims.get("is_anonymous", False), time_ordered(), key, *item
    )
    if row["status"] >= 400:
        return problem(row["status"], row["slug"], **orjson.loads(row["detail"] or "{}"))
    headers = {"location": f"/bookings/{row['booking_id']}"}
    return Response(orjson.dumps(answer(row)), row["status"], headers, "application/json")
