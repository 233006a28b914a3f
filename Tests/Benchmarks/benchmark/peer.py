"""POST /bookings in FastAPI and asyncpg, as a team would write it by hand, for comparison with the wallet.

It has its own tables (handwritten.sql). A booking is one transaction of five statements: it looks up the key, then
writes seat, wallet, booking and ledger. So no booking is made twice and no seat is sold twice. It lacks the wallet's
lots, passes, hash chain and events. The comparison is fair to the peer: it uses Python's fastest event loop, HTTP
parser and JSON library, no model between JSON and SQL, and no request log, although the wallet writes one. It is fair
to the wallet: the peer verifies the same tokens.
"""

import os
import time
import uuid
from contextlib import asynccontextmanager

import asyncpg
import jwt
import orjson
from fastapi import FastAPI, Request, Response

SECRET, ISSUER, AUDIENCE = (os.environ[name] for name in ("SECRET", "ISSUER", "AUDIENCE"))
KNOWN = "SELECT booking_id, class_id, seats, amount FROM bookings WHERE user_id = $1 AND idempotency_key = $2"
TAKE_SEATS = """
UPDATE classes SET sold = sold + $2 WHERE class_id = $1 AND sold + $2 <= capacity AND starts_at > now()
RETURNING title, starts_at, price * $2 AS amount
"""
TAKE_CREDITS = "UPDATE wallets SET credits = credits - $2 WHERE user_id = $1 AND credits >= $2 RETURNING credits"
BOOK = """
INSERT INTO bookings (booking_id, user_id, class_id, idempotency_key, seats, amount) VALUES ($1, $2, $3, $4, $5, $6)
"""
POST = "INSERT INTO ledger (user_id, amount, balance_after, booking_id) VALUES ($1, $2, $3, $4)"


class Refused(Exception):
    """Rolls back the transaction and contains the reason."""


@asynccontextmanager
async def lifespan(app):
    async with asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=10, max_size=10) as pool:
        app.state.pool = pool
        yield


app = FastAPI(lifespan=lifespan)


def problem(status, slug):
    body = {"type": f"/problems/{slug}", "status": status}
    return Response(orjson.dumps(body), status, media_type="application/problem+json")


def time_ordered():
    """Returns a UUID of version 7."""
    milliseconds = time.time_ns() // 1_000_000
    return uuid.UUID(int=milliseconds << 80 | 7 << 76 | uuid.uuid4().int & ((1 << 76) - 1))


async def make_booking(connection, user_id, key, class_id, seats):
    async with connection.transaction():
        known = await connection.fetchrow(KNOWN, user_id, key)
        if known:
            if (known["class_id"], known["seats"]) != (class_id, seats):
                raise Refused(422, "idempotency-key-reused")
            return 200, dict(known)
        taken = await connection.fetchrow(TAKE_SEATS, class_id, seats)
        if not taken:
            raise Refused(409, "class-full")
        credits = await connection.fetchval(TAKE_CREDITS, user_id, taken["amount"])
        if credits is None:
            raise Refused(402, "insufficient-credits")
        booking_id = time_ordered()
        await connection.execute(BOOK, booking_id, user_id, class_id, key, seats, taken["amount"])
        await connection.execute(POST, user_id, -taken["amount"], credits, booking_id)
    return 201, {
        "booking_id": booking_id, "class_id": class_id, "class_title": taken["title"],
        "starts_at": taken["starts_at"], "seats": seats, "amount": taken["amount"], "credits": credits,
    }


@app.get("/ready")
async def ready():
    return {"status": "ready"}


@app.post("/bookings")
async def book(request: Request):
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    key = request.headers.get("idempotency-key")
    try:
        claims = jwt.decode(token, SECRET, ["HS256"], issuer=ISSUER, audience=AUDIENCE)
        new = orjson.loads(await request.body())
        item = uuid.UUID(claims["sub"]), key, new["class_id"], new.get("seats", 1)
    except jwt.InvalidTokenError:
        return problem(401, "unauthenticated")
    except (orjson.JSONDecodeError, KeyError, ValueError):
        return problem(400, "malformed-request")
    if scheme.lower() != "bearer" or not key:
        return problem(400, "malformed-request")
    try:
        async with request.app.state.pool.acquire() as connection:
            status, answer = await make_booking(connection, *item)
    except Refused as refusal:
        return problem(*refusal.args)
    except asyncpg.UniqueViolationError:
        return problem(409, "already-booked")
    headers = {"location": f"/bookings/{answer['booking_id']}"}
    return Response(orjson.dumps(answer), status, headers, "application/json")
