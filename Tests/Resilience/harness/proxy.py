"""A TCP proxy that can reset its connections, drop all traffic, or drop the responses."""

import asyncio
import logging
import socket
import struct
import threading

RESET = struct.pack("ii", 1, 0)
# Broken connections are the purpose of this proxy, so they are not logged.
logging.getLogger("asyncio").setLevel(logging.ERROR)


class Proxy:
    """Listens on its own port and forwards everything; any thread may set its faults."""

    def __init__(self, target):
        self.target = target
        self.port = None
        self.pairs = set()
        self.loses_answers = False

    def __enter__(self):
        started = threading.Event()
        self.thread = threading.Thread(target=self._serve, args=(started,), daemon=True)
        self.thread.start()
        started.wait()
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.done.set)
        self.thread.join(10)

    # Faults

    def reset(self):
        """Resets all connections, like a firewall that drops their state."""
        self._tell(self._reset)

    def swallow(self):
        """Forwards nothing and reports nothing, like a network that loses every packet."""
        self._tell(self.open.clear)

    def lose_answers(self):
        """Forwards requests and drops all responses."""
        self.loses_answers = True

    def work(self, with_reset=False):
        """Forwards everything again; swallowed data arrives late, as after retransmissions."""
        def heal():
            # A stream with missing bytes is useless to either side.
            if with_reset or self.loses_answers:
                self._reset()
            self.loses_answers = False
            self.open.set()
        self._tell(heal)

    # Forwarding

    def _serve(self, started):
        asyncio.run(self._run(started))

    async def _run(self, started):
        self.loop = asyncio.get_running_loop()
        self.done, self.open = asyncio.Event(), asyncio.Event()
        self.open.set()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=1 << 20)
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        await self.done.wait()
        server.close()
        self._reset()

    async def _accept(self, reader, writer):
        await self.open.wait()
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target, limit=1 << 20)
        except OSError:
            self._abort(writer)
            return
        pair = (writer, far_writer)
        self.pairs.add(pair)
        try:
            await asyncio.gather(
                self._pass(reader, far_writer, is_answer=False), self._pass(far_reader, writer, is_answer=True)
            )
        finally:
            self.pairs.discard(pair)
            for one in pair:
                one.close()

    async def _pass(self, reader, writer, is_answer):
        try:
            while data := await reader.read(1 << 16):
                await self.open.wait()
                if is_answer and self.loses_answers:
                    continue
                writer.write(data)
                await writer.drain()
            if not (is_answer and self.loses_answers):
                await self.open.wait()
                writer.close()
        except (OSError, asyncio.CancelledError):
            self._abort(writer)

    def _reset(self):
        for pair in list(self.pairs):
            for writer in pair:
                self._abort(writer)

    @staticmethod
    def _abort(writer):
        try:
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        except OSError:
            pass
        writer.transport.abort()

    def _tell(self, action):
        done = threading.Event()

        def act():
            action()
            done.set()
        self.loop.call_soon_threadsafe(act)
        done.wait(10)
