"""Bookings and reads in FastAPI and asyncpg, as a team would write them by hand, for comparison with the wallet.

It has its own tables (handwritten.sql). A booking is one transaction of five statements: it looks up the key, then
writes seat, wallet, booking and ledger. So no booking is made twice and no seat is sold twice. A read is one statement.
It lacks the wallet's lots, hash chain and events. The comparison is fair to the peer: it uses Python's fastest event loop, HTTP
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
# orjson does not write the UUIDs of asyncpg.
BALANCE = "SELECT user_id::TEXT, credits FROM wallets WHERE user_id = $1"
BOOKINGS = """
SELECT b.booking_id::TEXT, b.class_id, c.title, c.starts_at, b.seats, b.amount, b.created_at, b.cancelled_at
FROM bookings AS b JOIN classes AS c USING (class_id)
WHERE b.user_id = $1 ORDER BY b.created_at DESC, b.booking_id DESC LIMIT 20
"""
TRANSACTIONS = """
SELECT entry_id, amount, balance_after, booking_id::TEXT, at
FROM ledger WHERE user_id = $1 ORDER BY entry_id DESC LIMIT 20
"""
PASSES = "SELECT product_id, visits, expires_at FROM passes WHERE user_id = $1 ORDER BY expires_at LIMIT 20"
SUBSCRIPTIONS = "SELECT product_id, renews_at FROM subscriptions WHERE user_id = $1"
CLASSES = """
SELECT class_id, title, starts_at, price, capacity, sold FROM classes
WHERE starts_at > now() ORDER BY starts_at, class_id LIMIT 20
"""
PACKS = "SELECT product_id, name, credits, price_minor FROM packs ORDER BY credits"


class Refused(Exception):
    """Rolls back the transaction and contains the reason."""


@asynccontextmanager
async def lifespan(app):
    async with asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=10, max_size=10) as pool:
        app.state.pool = pool
        yield


app = FastAPI(lifespan=lifespan)


def user_of(request):
    """Returns the user of the request's token."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    claims = jwt.decode(token, SECRET, ["HS256"], issuer=ISSUER, audience=AUDIENCE)
    if scheme.lower() != "bearer":
        raise jwt.InvalidTokenError("not a bearer token")
    return uuid.UUID(claims["sub"])


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
    key = request.headers.get("idempotency-key")
    try:
        user_id = user_of(request)
        new = orjson.loads(await request.body())
        item = user_id, key, new["class_id"], new.get("seats", 1)
    except jwt.InvalidTokenError:
        return problem(401, "unauthenticated")
    except (orjson.JSONDecodeError, KeyError, ValueError):
        return problem(400, "malformed-request")
    if not key:
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


async def rows(request, statement, *parameters):
    async with request.app.state.pool.acquire() as connection:
        return [dict(row) for row in await connection.fetch(statement, *parameters)]


def listed(name, found):
    return Response(orjson.dumps({name: found}), media_type="application/json")


async def own(request, name, statement):
    """Responds with the rows of the request's user."""
    try:
        user_id = user_of(request)
    except (jwt.InvalidTokenError, KeyError, ValueError):
        return problem(401, "unauthenticated")
    return listed(name, await rows(request, statement, user_id))


@app.get("/balance")
async def balance(request: Request):
    return await own(request, "balance", BALANCE)


@app.get("/bookings")
async def bookings(request: Request):
    return await own(request, "bookings", BOOKINGS)


@app.get("/transactions")
async def transactions(request: Request):
    return await own(request, "entries", TRANSACTIONS)


@app.get("/passes")
async def passes(request: Request):
    return await own(request, "passes", PASSES)


@app.get("/subscriptions")
async def subscriptions(request: Request):
    return await own(request, "subscriptions", SUBSCRIPTIONS)


@app.get("/classes")
async def classes(request: Request):
    return listed("classes", await rows(request, CLASSES))


@app.get("/packs")
async def packs(request: Request):
    return listed("packs", await rows(request, PACKS))
