"""A small load balancer: round robin over the ready instances, with persistent connections on both sides.

It observes `/ready` and `Connection: close`, and sends no request twice: if an instance has received a request and does
not answer, the client gets 502.
"""

import asyncio
import threading

from .proxy import Proxy

INTERVAL = 0.2


class Instance:
    def __init__(self, port):
        self.port, self.is_ready, self.idle = port, False, []

    def forget(self):
        """Closes the idle connections."""
        for _, writer in self.idle:
            writer.close()
        self.idle.clear()


class Balancer(Proxy):
    """A load balancer for several instances; use it in a `with` statement."""

    def __init__(self, ports):
        super().__init__(None)
        self.instances = [Instance(port) for port in ports]
        self.lost = []
        self.turn = 0

    def ready(self):
        """Returns the number of instances that get requests."""
        return sum(instance.is_ready for instance in self.instances)

    async def _run(self, started):
        watching = [asyncio.ensure_future(self._watch(instance)) for instance in self.instances]
        # Keeps a reference, because the task could be garbage-collected otherwise.
        self.watching = watching
        await super()._run(started)
        for task in watching:
            task.cancel()

    async def _watch(self, instance):
        while True:
            instance.is_ready = await self._answers_ready(instance)
            if not instance.is_ready:
                instance.forget()
            await asyncio.sleep(INTERVAL)

    @staticmethod
    async def _answers_ready(instance):
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", instance.port)
        except OSError:
            return False
        try:
            writer.write(b"GET /ready HTTP/1.1\r\nHost: wallet\r\nConnection: close\r\n\r\n")
            return (await asyncio.wait_for(reader.readline(), 20)).split(b" ")[1:2] == [b"200"]
        except (OSError, asyncio.TimeoutError):
            return False
        finally:
            writer.close()

    # Client connections

    async def _accept(self, reader, writer):
        self.pairs.add((writer,))
        try:
            while (request := await read_message(reader)) is not None:
                writer.write(await self._forward(request))
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self.pairs.discard((writer,))
            writer.close()

    async def _forward(self, request):
        for _ in range(2 * len(self.instances)):
            instance = self._next()
            if instance is None:
                break
            try:
                connection = instance.idle.pop() if instance.idle else await asyncio.open_connection(
                    "127.0.0.1", instance.port)
            except OSError:
                # Nothing was sent yet, so another instance may get the request.
                instance.is_ready = False
                continue
            return await self._exchange(instance, connection, request)
        return unanswered(503, "no-instance")

    def _next(self):
        ready = [instance for instance in self.instances if instance.is_ready]
        self.turn += 1
        return ready[self.turn % len(ready)] if ready else None

    async def _exchange(self, instance, connection, request):
        reader, writer = connection
        try:
            writer.write(request[0] + request[1])
            await writer.drain()
            answer = await read_message(reader)
        except (OSError, asyncio.IncompleteReadError):
            answer = None
        if answer is None:
            writer.close()
            self.lost.append(request[0].split(b"\r\n")[0].decode())
            return unanswered(502, "lost")
        head, body = answer
        if b"\r\nconnection: close" in head.lower():
            writer.close()
            # The header only concerns the connection to the instance, not the client's.
            head = b"\r\n".join(line for line in head.split(b"\r\n") if line.lower() != b"connection: close")
        else:
            instance.idle.append(connection)
        return head + body


async def read_message(reader):
    """Returns the head and the body of a request or a response; None at the end of a connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None
    length = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return head, await reader.readexactly(length)


def unanswered(status, slug):
    body = b'{"type":"%s"}' % slug.encode()
    fields = b"Content-Type: application/problem+json\r\nRetry-After: 1\r\nContent-Length: %d" % len(body)
    return b"HTTP/1.1 %d Unanswered\r\n%s\r\n\r\n" % (status, fields) + body


class Receiver:
    """An operator's endpoint that receives the wallet's events and counts them by id."""

    def __init__(self):
        self.taken = []

    def __enter__(self):
        started = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self._run(started)), daemon=True)
        self.thread.start()
        started.wait()
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.done.set)
        self.thread.join(10)

    async def _run(self, started):
        self.loop, self.done = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/events"
        started.set()
        await self.done.wait()
        server.close()

    async def _accept(self, reader, writer):
        try:
            while (message := await read_message(reader)) is not None:
                for line in message[0].split(b"\r\n"):
                    name, _, value = line.partition(b":")
                    if name.lower() == b"webhook-id":
                        self.taken.append(value.strip().decode())
                writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
