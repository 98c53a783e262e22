"""Relays of TCP connections to a broker, which record what passes, and can be cut."""

import asyncio
import threading


class Recorder:
    """Relays in a thread of their own; `port` leads to `target` and records all bytes of both directions."""

    def __init__(self, target):
        self._seen = bytearray()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._servers, self._connections, self._targets = {}, {}, {}
        self.port = self.forward(target, "127.0.0.1")

    def forward(self, target, address):
        """A port of `address` that leads to `target` of 127.0.0.1."""
        return self._run(self._listen(target, address, 0))

    def bytes(self):
        return bytes(self._seen)

    def cut(self, port):
        """Ends all connections of a port, and accepts none."""
        self._run(self._cut(port))

    def mend(self, port):
        target, address = self._targets[port]
        self._run(self._listen(target, address, port))

    def close(self):
        for port in list(self._servers):
            self._run(self._cut(port))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(20)

    async def _listen(self, target, address, port):
        holder = {}

        async def accept(reader, writer):
            number = holder["port"]
            try:
                other_reader, other_writer = await asyncio.open_connection("127.0.0.1", target)
            except OSError:
                return writer.close()
            self._connections.setdefault(number, set()).update((writer, other_writer))
            await asyncio.gather(self._pass(reader, other_writer), self._pass(other_reader, writer))

        server = await asyncio.start_server(accept, address, port, reuse_address=True)
        number = server.sockets[0].getsockname()[1]
        holder["port"] = number
        self._servers[number], self._targets[number] = server, (target, address)
        return number

    async def _pass(self, reader, writer):
        try:
            while data := await reader.read(65536):
                self._seen += data
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()

    async def _cut(self, port):
        self._servers.pop(port).close()
        for writer in self._connections.pop(port, ()):
            writer.transport.abort()
