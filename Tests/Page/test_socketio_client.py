"""The Socket.IO gateway by the JavaScript `socket.io-client` in Chromium, over a network that breaks (Docs/Web.md, section 6)."""

import importlib.metadata
import socket
import threading
import unittest

from page import PageTest

# The client's own bundle, as NiceGUI ships it; the package itself is not imported.
CLIENT = importlib.metadata.distribution("nicegui").locate_file("nicegui/static/socket.io.min.js").read_text()

CONNECT = """([token, transports]) => {
    window.got = [];
    window.recovered = [];
    const options = {auth: {token}, reconnectionDelay: 20, reconnectionDelayMax: 100, ...(transports ? {transports} : {})};
    window.socket = io(location.origin, options);
    socket.on("connect", () => recovered.push(socket.recovered));
    socket.on("newChatMessage", (name, text) => got.push(text));
}"""


class Relay:
    """A SOCKS 5 proxy (RFC 1928) whose connections break when a test says so."""

    def __init__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.lock = threading.Lock()
        self.ends = set()
        self.is_down = False
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def accept(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, client.makefile("rb", buffering=0) as reader:
            try:
                reader.read(reader.read(2)[1])
                client.sendall(b"\x05\x00")
                # Version, command, 0, the type of a name, its length; the name and a port.
                name = reader.read(reader.read(5)[4])
                port = int.from_bytes(reader.read(2), "big")
                target = socket.create_connection((name, port))
                client.sendall(b"\x05\x00\x00\x01" + bytes(6))
            except (OSError, IndexError):
                return
            with target:
                with self.lock:
                    self.ends |= {client, target}
                    is_down = self.is_down
                if is_down:
                    self.reset()
                back = threading.Thread(target=self.pass_on, args=(client, target), daemon=True)
                back.start()
                self.pass_on(target, client)
                back.join()
                with self.lock:
                    self.ends -= {client, target}

    def pass_on(self, source, sink):
        try:
            while part := source.recv(65536):
                sink.sendall(part)
        except OSError:
            pass
        self.end(source, sink)

    def end(self, *ends):
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def reset(self):
        """Breaks all connections, with the bytes under way in them."""
        with self.lock:
            ends = list(self.ends)
        self.end(*ends)

    def down(self):
        """Breaks all connections, and each that comes before `up`."""
        with self.lock:
            self.is_down = True
        self.reset()

    def up(self):
        with self.lock:
            self.is_down = False

    def close(self):
        self.end(self.server)
        self.thread.join()
        self.server.close()
        self.reset()


class SocketIOClient(PageTest):
    def client(self, transports):
        """A page of the server's origin with a client that goes over `self.relay`."""
        self.relay = Relay()
        self.addCleanup(self.relay.close)
        context = self.browser.new_context(
            proxy={"server": f"socks5://127.0.0.1:{self.relay.port}", "bypass": "<-loopback>"}, bypass_csp=True)
        self.addCleanup(context.close)
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{self.alice.port}/style.css")
        page.evaluate(CLIENT)
        page.evaluate(CONNECT, [self.alice.token, transports])
        page.wait_for_function("recovered.length === 1")
        return page

    def comes_back(self, transports):
        page = self.client(transports)
        self.bob.say("first")
        page.wait_for_function("got.includes('first')")
        self.relay.down()
        page.wait_for_function("!socket.connected")
        for text in ("missed", "frist"):
            self.bob.say(text)
            self.alice.node.hears(text)
        self.bob.say("/edit edited")
        self.alice.node.wait(lambda event: event["event"] == "edited", "edit")
        page.evaluate("socket.emit('chatMessage', 'alice', 'said offline')")
        self.relay.up()
        page.wait_for_function("recovered.length === 2")
        self.bob.hears("said offline")
        self.bob.say("last")
        page.wait_for_function("got.includes('last')")
        self.assertEqual(page.evaluate("recovered"), [False, True])
        self.assertEqual(page.evaluate("got"), ["first", "missed", "edited", "said offline", "last"])
        self.assertEqual([event["text"] for event in self.bob.events if event["event"] == "message"].count("said offline"), 1)

    def breaks_often(self, transports):
        page = self.client(transports)
        texts = [f"text {number}" for number in range(60)]
        for number, text in enumerate(texts):
            self.bob.say(text)
            if number % 10 == 5:
                self.alice.node.hears(text)
                before = page.evaluate("recovered.length")
                self.relay.down()
                page.wait_for_function("!socket.connected")
                self.relay.up()
                page.wait_for_function("(before) => recovered.length > before", arg=before)
        page.wait_for_function("(text) => got.includes(text)", arg=texts[-1])
        self.assertEqual(page.evaluate("got"), texts)
        self.assertEqual(page.evaluate("recovered"), [False] + [True] * 6)

    def comes_back_before_its_first_event(self, transports):
        page = self.client(transports)
        self.relay.down()
        page.wait_for_function("!socket.connected")
        self.bob.say("first")
        self.alice.node.hears("first")
        self.relay.up()
        page.wait_for_function("got.includes('first')")
        self.assertEqual(page.evaluate("[recovered, got]"), [[False, True], ["first"]])

    def test_a_websocket_that_breaks_before_its_first_event_misses_nothing(self):
        self.comes_back_before_its_first_event(["websocket"])

    def test_polls_that_break_before_their_first_event_miss_nothing(self):
        self.comes_back_before_its_first_event(["polling"])

    def test_a_websocket_comes_back_and_misses_nothing(self):
        self.comes_back(["websocket"])

    def test_polls_come_back_and_miss_nothing(self):
        self.comes_back(["polling"])

    def test_a_client_that_upgrades_comes_back_and_misses_nothing(self):
        self.comes_back(None)

    def test_a_websocket_that_breaks_often_gets_each_message_once(self):
        self.breaks_often(["websocket"])

    def test_polls_that_break_often_get_each_message_once(self):
        self.breaks_often(["polling"])


if __name__ == "__main__":
    unittest.main()
