"""Clients that have not shown the token keep no other client out, and cost the node nothing (Docs/Web.md, section 2)."""

import collections
import contextlib
import json
import multiprocessing
import os
import resource
import socket
import subprocess
import threading
import time
import unittest

import stomp
import websocket
from earshot_node import BINARY, Node
from web import WebTest, started

MOST_STRANGERS = 32


def few_descriptors(command, **options):
    """Starts a program that can have 64 descriptors."""
    return subprocess.Popen(command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)), **options)


def flood(port, data, over):
    """Connects as fast as a process can, and keeps the latest hundred connections."""
    kept = collections.deque(maxlen=100)
    while not over.wait(0.003):
        client = socket.socket()
        with contextlib.suppress(OSError):
            client.settimeout(2)
            client.connect(("127.0.0.1", port))
            client.sendall(data)
        if len(kept) == kept.maxlen:
            kept[0].close()
        kept.append(client)


class Strangers(WebTest):
    def connect(self, port, count, data=b""):
        clients = []
        for _ in range(count):
            client = socket.create_connection(("127.0.0.1", port), timeout=20)
            self.addCleanup(client.close)
            if data:
                client.sendall(data)
            clients.append(client)
        return clients

    def ends(self, client):
        """Waits for the end of a connection."""
        client.settimeout(20)
        try:
            while client.recv(65536):
                pass
        except ConnectionResetError:
            pass

    def gateway(self, *options, launch=started):
        node = Node(launch, "alice", "--discovery", "none", "--stomp", "0", "--rate", "1000000", *options)
        self.addCleanup(lambda: node.process.poll() is None and node.kill())
        place = node.wait(lambda event: event["event"] == "listening" and event["face"] == "stomp", "listening")
        return node, int(place["address"].rsplit(":", 1)[1]), place["token"]

    def stomp_client(self, port, token):
        connection = stomp.Connection12([("127.0.0.1", port)], reconnect_attempts_max=1, timeout=20)
        connection.connect(passcode=token, wait=True)
        self.addCleanup(lambda: connection.is_connected() and connection.disconnect())
        return connection

    def test_silent_connections_to_the_page_keep_no_holder_of_the_token_out(self):
        served = self.served()
        own = f"Host: 127.0.0.1:{served.port}\r\n"
        holder = served.socket()
        holder.wait(event="snapshot")
        for data in (b"", b"G", b"GET / HTTP/1.1\r\n", f"GET / HTTP/1.1\r\n{own}\r\n".encode()):
            clients = self.connect(served.port, 100, data)
            self.assertEqual(served.ask("GET", "/api/v1/me")[0], 200, data)
            self.assertEqual(served.ask("GET", "/", token="")[0], 200, data)
            # The oldest ones gave way, to strangers as to others.
            for client in clients[:100 - MOST_STRANGERS]:
                self.ends(client)
        holder.send("still here")
        self.assertEqual(holder.wait(event="message")["text"], "still here")
        self.assertGreaterEqual(served.node.result("stats")["web_refusals"], 4 * (100 - MOST_STRANGERS))

    def test_clients_that_show_the_token_at_once_are_no_strangers_however_many_come(self):
        served = self.served()
        head = f"GET /api/v1/me HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nAuthorization: Bearer {served.token}\r\n\r\n"
        for client in self.connect(served.port, 64, head.encode()):
            self.assertTrue(client.recv(65536).startswith(b"HTTP/1.1 200"))

    def test_silent_connections_end_after_a_time_of_their_own(self):
        served = self.served()
        silent, = self.connect(served.port, 1)
        start = time.monotonic()
        self.ends(silent)
        self.assertLess(time.monotonic() - start, 20)

    def test_sessions_of_engine_io_without_the_token_give_way_and_end_though_they_answer(self):
        served = self.served()
        url = f"ws://127.0.0.1:{served.port}/socket.io/?EIO=4&transport=websocket"
        holder = websocket.create_connection(url, timeout=20)
        holder.recv()
        holder.send(f'40{{"token":"{served.token}"}}')
        self.assertTrue(holder.recv().startswith("40"))
        strangers = []
        for _ in range(80):
            client = websocket.create_connection(url, timeout=30)
            self.addCleanup(client.shutdown)
            client.recv()
            client.send("3")
            strangers.append(client)
        self.assertEqual(served.ask("GET", "/api/v1/me")[0], 200)
        later = websocket.create_connection(url, timeout=20)
        self.assertTrue(later.recv().startswith("0"))
        later.send(f'40{{"token":"{served.token}"}}')
        self.assertTrue(later.recv().startswith("40"))
        holder.send('42["chatMessage","x","from the holder"]')
        served.node.hears("from the holder")
        # An answer to a ping that was not sent puts nothing off.
        last = strangers[-1]
        start = time.monotonic()
        try:
            while last.recv():
                last.send("3")
        except (websocket.WebSocketException, ConnectionError):
            pass
        self.assertLess(time.monotonic() - start, 30)
        holder.close()
        later.close()

    def test_a_poll_of_a_holder_of_the_token_gives_way_to_no_stranger(self):
        served = self.served()
        path = "/socket.io/?EIO=4&transport=polling"
        packet = served.ask("GET", path, token="")[2]
        path += "&sid=" + json.loads(packet[1:])["sid"]
        served.ask("POST", path, f'40{{"token":"{served.token}"}}'.encode(), {"Content-Type": "text/plain"}, token="")
        self.assertTrue(served.ask("GET", path, token="")[2].startswith(b"40"))
        poll, = self.connect(served.port, 1, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode())
        served.ask("GET", "/api/v1/me")
        strangers = self.connect(served.port, 100, f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode())
        self.ends(strangers[0])
        served.ask("POST", "/api/v1/conversations/r1/messages", {"text": "for the poll"})
        poll.settimeout(20)
        # The body may come in a segment of its own.
        received = b""
        while b"for the poll" not in received:
            piece = poll.recv(65536)
            self.assertTrue(piece, received)
            received += piece

    def test_silent_connections_to_stomp_keep_no_holder_of_the_token_out(self):
        node, port, token = self.gateway()
        first = self.stomp_client(port, token)
        for data in (b"", b"CONNECT\n", b"\n"):
            clients = self.connect(port, 100, data)
            self.stomp_client(port, token)
            for client in clients[:100 - MOST_STRANGERS]:
                self.ends(client)
        self.assertTrue(first.is_connected())
        self.assertGreaterEqual(node.result("stats")["stomp_refusals"], 3 * (100 - MOST_STRANGERS))

    def spins(self, node):
        """Whether a thread of the node wants the processor all the time, however busy the machine is."""
        tasks = f"/proc/{node.process.pid}/task"
        running = 0
        for _ in range(40):
            time.sleep(0.05)
            for task in os.listdir(tasks):
                with open(f"{tasks}/{task}/stat") as file:
                    running += file.read().rsplit(")", 1)[1].split()[0] == "R"
        return running > 20

    def test_a_server_without_descriptors_pauses_and_goes_on(self):
        for options in (["--web", "0"], ["--stomp", "0"]):
            node = Node(few_descriptors, "alice", "--discovery", "none", "--rate", "1000000", *options)
            self.addCleanup(lambda node=node: node.process.poll() is None and node.kill())
            place = node.wait(lambda event: event["event"] == "listening", "listening")
            port, token = int(place["address"].rsplit(":", 1)[1]), place["token"]
            idle = self.connect(port, 80)
            self.assertFalse(self.spins(node), options)
            # Those that have shown the token fill the descriptors: accepting waits for one.
            head = f"GET /api/v1/me HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
            data = head.encode() if options[0] == "--web" else f"CONNECT\naccept-version:1.2\nhost:x\npasscode:{token}\n\n\0".encode()
            holders = self.connect(port, 80, data)
            self.assertTrue(holders[0].recv(4))
            self.assertFalse(self.spins(node), options)
            for client in idle + holders[:-1]:
                client.close()
            self.assertTrue(holders[-1].recv(4), options)
            node.kill()

    def test_strangers_give_way_at_once_where_descriptors_are_few(self):
        """Clients that come as fast as they can: a holder of the token waited for seconds."""
        served = self.served("alice", launch=few_descriptors)
        half = f"GET /api/v1/me HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nX: ".encode()
        for data in (half,):
            over = multiprocessing.Event()
            floods = [multiprocessing.Process(target=flood, args=(served.port, data, over)) for _ in range(4)]
            for process in floods:
                process.start()
                self.addCleanup(process.kill)
            waited = 0
            for _ in range(20):
                begun = time.monotonic()
                self.assertEqual(served.ask("GET", "/api/v1/me")[0], 200)
                waited += time.monotonic() - begun
                over.wait(0.1)
            over.set()
            for process in floods:
                process.join()
            # All twenty answers; a connection that the system had no place for is tried again after a second.
            self.assertLess(waited, 2, data)

    def test_a_burst_of_refused_connections_takes_no_more_descriptors_than_there_are_places(self):
        served = self.served()
        folder = f"/proc/{served.node.process.pid}/fd"
        calm, most, over = len(os.listdir(folder)), 0, threading.Event()

        def look():
            nonlocal most
            while not over.is_set():
                most = max(most, len(os.listdir(folder)))
                over.wait(0.001)

        watcher = threading.Thread(target=look)
        watcher.start()
        clients = self.connect(served.port, 400, f"GET /api/v1/me HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode())
        for client in clients:
            self.ends(client)
        self.assertEqual(served.ask("GET", "/api/v1/me")[0], 200)
        over.set()
        watcher.join()
        # The strangers of the page and those in front of it, and as many that are on their way or end.
        self.assertLess(most - calm, 4 * MOST_STRANGERS)

    def test_the_control_socket_without_descriptors_pauses_and_goes_on(self):
        path = os.path.join(self.folder, "control")
        node = Node(few_descriptors, "alice", "--discovery", "none", "--web", "0", "--control", path)
        self.addCleanup(lambda: node.process.poll() is None and node.kill())
        place = node.wait(lambda event: event["event"] == "listening", "listening")
        head = f"GET /api/v1/me HTTP/1.1\r\nHost: {place['address']}\r\nAuthorization: Bearer {place['token']}\r\n\r\n"
        holders = self.connect(int(place["address"].rsplit(":", 1)[1]), 80, head.encode())
        self.assertTrue(holders[0].recv(4))
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.connect(path)
        self.assertFalse(self.spins(node))
        for holder in holders:
            holder.close()
        client.settimeout(20)
        self.assertIn(b"control", client.recv(65536))

    def test_a_port_that_another_program_has_at_one_of_the_addresses_is_an_error(self):
        for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
            with socket.socket(family) as other:
                other.bind((address, 0))
                other.listen()
                port = other.getsockname()[1]
                for option in ("--web", "--stomp"):
                    ended = subprocess.run([BINARY, "--json", "--discovery", "none", option, str(port)], input=b"",
                                           capture_output=True, timeout=30)
                    self.assertNotEqual(ended.returncode, 0, (option, address))
                    said = ended.stderr.decode()
                    self.assertIn(f"{option} can not listen on port {port} of {address}: address already in use", said)
                    self.assertIn("choose another", said)


if __name__ == "__main__":
    unittest.main()
