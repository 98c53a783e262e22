"""The checks of requests, byte by byte (Docs/Web.md, section 2)."""

import os
import socket
import stat
import subprocess
import unittest

import websocket
from earshot_node import BINARY
from web import WebTest

HEAD = "GET {path} HTTP/1.1\r\n{fields}\r\n"


class Gate(WebTest):
    def status(self, served, path="/api/v1/me", method="GET", body=b"", **fields):
        known = {"Host": f"127.0.0.1:{served.port}", "Authorization": f"Bearer {served.token}", "Connection": "close"}
        known.update({name.replace("_", "-"): value for name, value in fields.items()})
        lines = []
        for name, value in known.items():
            for one in value if isinstance(value, list) else [value]:
                if one is not None:
                    lines.append(f"{name}: {one}\r\n")
        data = f"{method} {path} HTTP/1.1\r\n{''.join(lines)}\r\n".encode() + body
        answer = served.raw(data)
        return int(answer.split(b" ")[1]) if answer else None

    def test_each_check_has_its_status_and_they_come_in_order(self):
        served = self.served()
        own = f"127.0.0.1:{served.port}"
        for host in (own, f"localhost:{served.port}", f"[::1]:{served.port}", own.upper()):
            self.assertEqual(self.status(served, Host=host), 200, host)
        for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1", f"127.0.0.1:{served.port + 1}", None, ""):
            self.assertEqual(self.status(served, Host=host, Origin="http://evil.example", Authorization="x"), 421, host)
        for origin in ("http://evil.example", "null", f"https://{own}", f"http://{own}.evil.example"):
            self.assertEqual(self.status(served, Origin=origin, Authorization="x"), 403, origin)
        for origin in (f"http://{own}", f"http://localhost:{served.port}", f"http://[::1]:{served.port}"):
            self.assertEqual(self.status(served, Origin=origin), 200, origin)
        for token in (None, "", "Bearer", "Bearer ", "Bearer " + "0" * 32, f"Bearer {served.token}0", f"Basic {served.token}",
                      f"Bearer {served.token[:-1]}"):
            self.assertEqual(self.status(served, Authorization=token), 401, token)
        self.assertEqual(self.status(served, path="/", Authorization=None), 200)
        self.assertEqual(self.status(served, path="/metrics", Authorization=None), 401)
        self.assertEqual(self.status(served, path="/nothing", Authorization=None), 401)
        self.assertEqual(self.status(served, path="/api/v1/nothing"), 404)
        self.assertEqual(self.status(served, method="DELETE"), 405)
        refused = served.node.result("stats")["web_refusals"]
        self.assertEqual(refused, 6 + 4 + 8 + 2)

    def test_bodies_are_json_of_bounded_length_and_have_one_length(self):
        served = self.served()
        path, kind = "/api/v1/commands", "application/json"
        body = b'{"line":"/whoami"}'

        def post(body, **fields):
            return self.status(served, path, "POST", body, **{"Content-Type": kind, "Content-Length": str(len(body)), **fields})

        self.assertEqual(post(body), 200)
        self.assertEqual(post(body, Content_Type="application/json; charset=utf-8"), 200)
        for other in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None, "application/jsonp"):
            self.assertEqual(post(body, Content_Type=other), 415, other)
        self.assertEqual(post(b"x" * 16385), 413)
        self.assertEqual(self.status(served, path, "POST", b"", Content_Type=kind, Content_Length="99999999999"), 413)
        self.assertEqual(self.status(served, path, "POST", b"0\r\n\r\n", Content_Type=kind, Transfer_Encoding="chunked"), 411)
        for answer in (
            self.status(served, path, "POST", body, Content_Type=kind, Content_Length=[str(len(body)), "5"]),
            self.status(served, path, "POST", body, Content_Type=kind, Content_Length=str(len(body)), Transfer_Encoding="chunked"),
            self.status(served, path, "POST", body, Content_Type=kind, Content_Length="-1"),
            self.status(served, path, "POST", body, Content_Type=kind, Content_Length="0x12"),
        ):
            self.assertIn(answer, (400, None))
        self.assertIn(self.status(served, Host=[f"127.0.0.1:{served.port}", "evil.example"]), (421, None))
        for wrong in (b"", b"[]", b"{", b'{"line":1}', b'{"line":"/x"}', b'{"line":"/whoami","line":"/quit"}', b'{"other":1}',
                      b'{"line":"a\\nb"}', b"\xff", b'{"line":"x","room":"nowhere"}'):
            self.assertIn(post(wrong), (400, 404, 422), wrong)

    def test_heads_of_more_than_8_kib_are_refused(self):
        served = self.served()
        for name, size in (("Cookie", 8_300), ("X-Other", 9_000), ("Cookie", 70_000)):
            self.assertIn(self.status(served, **{name: "x" * size}), (431, None), name)
        self.assertEqual(self.status(served, Cookie="x" * 4_000), 200)
        self.assertIn(self.status(served, path="/" + "x" * 20_000), (404, 414, 431, None))

    def test_garbage_and_half_requests_end_and_harm_no_other_client(self):
        served = self.served()
        for garbage in (b"\x00" * 100, b"\x16\x03\x01\x02\x00\x01\x00", b"GET\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", served.port)) as client:
                client.sendall(garbage)
                client.shutdown(socket.SHUT_WR)
                client.settimeout(20)
                try:
                    while client.recv(65536):
                        pass
                except ConnectionResetError:
                    pass
            self.assertEqual(self.status(served), 200)

    def test_of_65_connections_one_is_refused_and_later_ones_are_served(self):
        served = self.served()
        idle = []
        for _ in range(64):
            idle.append(socket.create_connection(("127.0.0.1", served.port)))
            idle[-1].sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode())
            self.assertTrue(idle[-1].recv(65536).startswith(b"HTTP/1.1 200"))
        self.assertEqual(self.status(served), 503)
        for client in idle:
            client.close()
        self.assertEqual(self.eventually(lambda: self.status(served), 200), 200)

    def eventually(self, ask, wanted):
        """Each try waits for an answer; the server learns of closed connections in between."""
        for _ in range(1_000):
            if (answer := ask()) == wanted:
                break
        return answer

    def test_answers_have_the_headers_that_protect_a_page(self):
        served = self.served()
        for path in ("/", "/api/v1/me", "/api/v1/nothing", "/metrics"):
            _, headers, _ = served.ask("GET", path)
            self.assertIn("default-src 'none'", headers["content-security-policy"])
            self.assertNotIn("unsafe", headers["content-security-policy"])
            self.assertEqual((headers["x-content-type-options"], headers["referrer-policy"], headers["cross-origin-resource-policy"]),
                             ("nosniff", "no-referrer", "same-origin"))
            self.assertIsNone(headers["access-control-allow-origin"])
        _, headers, _ = served.ask("GET", "/main.js", token="")
        self.assertEqual(served.ask("GET", "/main.js", headers={"If-None-Match": headers["etag"]})[0], 304)
        self.assertEqual(served.ask("GET", "/api/v1/me")[1]["cache-control"], "no-store")

    def test_a_websocket_needs_the_token_and_a_page_of_this_origin(self):
        served = self.served()
        for options in ({"token": "0" * 32}, {"protocols": ["earshot.v1"]}, {"protocols": []}, {"origin": "http://evil.example"},
                        {"host": "evil.example"}, {"protocols": [f"t.{served.token}"]}):
            with self.assertRaises((websocket.WebSocketException, ConnectionError), msg=options):
                served.socket(**options)
        for options in ({}, {"suppress_origin": True}, {"origin": f"http://localhost:{served.port}"}):
            client = served.socket(**options)
            self.assertEqual(client.next()["event"], "snapshot")
            self.assertEqual(client.client.subprotocol, "earshot.v1")
            client.close()

    def test_it_listens_on_loopback_alone_and_says_where(self):
        served = self.served("alice", *self.control())
        path = os.path.join(self.folder, "control.web")
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path) as file:
            self.assertEqual(file.read().strip(), served.url)
        self.assertEqual(served.url, f"http://127.0.0.1:{served.port}/#t={served.token}")
        self.assertRegex(served.token, r"^[0-9a-f]{32}$")
        listening = set()
        for name in ("tcp", "tcp6"):
            with open(f"/proc/{served.node.process.pid}/net/{name}") as table:
                for row in table.readlines()[1:]:
                    local, state = row.split()[1], row.split()[3]
                    if state == "0A" and int(local.split(":")[1], 16) == served.port:
                        listening.add(local.split(":")[0])
        self.assertEqual(listening, {"0100007F", "00000000000000000000000001000000"})
        self.assertEqual(served.ask("GET", "/api/v1/me", host="::1")[0], 200)
        self.assertEqual(served.quit(), 0)
        self.assertFalse(os.path.exists(path))

    def test_a_port_in_use_and_a_wrong_one_are_refused(self):
        served = self.served()
        for options, words in ((["--web", str(served.port)], "choose another"), (["--web=70000"], "a port from 0 to 65535"),
                               (["--web=x"], "a port from 0 to 65535")):
            ended = subprocess.run([BINARY, "--json", "--discovery", "none", *options], input=b"", capture_output=True, timeout=30)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn(words, ended.stderr.decode())


if __name__ == "__main__":
    unittest.main()
