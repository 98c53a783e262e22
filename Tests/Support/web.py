"""A node with its web server, and clients of it that share no code with it."""

import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
import unittest

import websocket
from earshot_node import BINARY, Node


def started(command, **options):
    return subprocess.Popen(command, **options)


class Served:
    """A node with --web, and requests to it."""

    def __init__(self, name, *options, launch=started):
        self.node = Node(launch, name, "--discovery", "none", "--web", "0", "--rate", "1000000", *options)
        place = self.node.wait(lambda event: event["event"] == "listening", "listening")
        self.token, self.address = place["token"], place["address"]
        self.port = int(self.address.rsplit(":", 1)[1])
        # The link lets one page in.
        self.url = place["url"]

    def link(self):
        """A link that was not opened yet."""
        return self.get("/api/v1/link")["url"]

    def raw(self, data, host="127.0.0.1", reads_all=True):
        """The bytes that answer a request of bytes, up to the end of the connection."""
        with socket.create_connection((host, self.port), timeout=20) as client:
            client.sendall(data)
            received = b""
            try:
                while part := client.recv(65536):
                    received += part
                    if not reads_all:
                        break
            except ConnectionResetError:
                pass
            return received

    def ask(self, method, path, body=None, headers=(), token=None, host="127.0.0.1"):
        """(status, headers, value of the JSON body or its bytes)."""
        connection = http.client.HTTPConnection(host, self.port, timeout=30)
        fields = {"Authorization": f"Bearer {self.token if token is None else token}"}
        if body is not None:
            fields["Content-Type"] = "application/json"
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        fields.update(headers)
        connection.request(method, path, body, {name: value for name, value in fields.items() if value is not None})
        response = connection.getresponse()
        data = response.read()
        connection.close()
        if "json" in response.getheader("content-type", ""):
            data = json.loads(data)
        return response.status, response.headers, data

    def get(self, path):
        status, _, value = self.ask("GET", path)
        assert status == 200, (status, value)
        return value

    def conversation(self, kind="room"):
        return next(row for row in self.get("/api/v1/conversations")["conversations"] if row["kind"] == kind)

    def socket(self, query="", token=None, protocols=None, **options):
        offered = ["earshot.v1", f"t.{token or self.token}"] if protocols is None else protocols
        client = websocket.create_connection(f"ws://127.0.0.1:{self.port}/api/v1/socket{query}", timeout=20,
                                             subprotocols=offered, **options)
        return Socket(client)

    def quit(self):
        return self.node.quit()


class Socket:
    """A WebSocket of events."""

    def __init__(self, client):
        self.client = client
        self.events = []

    def next(self):
        event = json.loads(self.client.recv())
        self.events.append(event)
        return event

    def wait(self, **wanted):
        """The next event with these members."""
        while True:
            event = self.next()
            if all(event.get(name) == value for name, value in wanted.items()):
                return event

    def send(self, line):
        self.client.send(line)

    def close(self):
        self.client.close()


class WebTest(unittest.TestCase):
    """Nodes that know each other's port."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def served(self, name="alice", *options, launch=started):
        served = Served(name, *options, launch=launch)
        self.addCleanup(lambda: served.node.process.poll() is None and served.node.kill())
        return served

    def person(self, name, of, *options):
        """A node without a page that meets another one."""
        port = of.node.ready()["port"]
        node = Node(started, name, "--discovery", "none", "--peer", f"127.0.0.1:{port}", "--rate", "1000000", *options)
        self.addCleanup(lambda: node.process.poll() is None and node.kill())
        node.sees(of.node)
        of.node.sees(node)
        return node

    def bridge(self):
        """The options of a bridge whose broker is not there: it is a bridge all the same."""
        key = os.path.join(self.folder, "bridge.key")
        subprocess.run([BINARY, "bridge", "new", key], check=True, capture_output=True)
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        return ["--bridge", f"amqp://127.0.0.1:{port}", "--bridge-key", key]

    def control(self):
        return ["--control", os.path.join(self.folder, "control")]
