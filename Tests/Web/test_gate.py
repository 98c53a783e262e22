"""The checks of requests, byte by byte (Docs/Web.md, section 2)."""

import contextlib
import http.client
import json
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
        for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1", f"127.0.0.1:{served.port + 1}", ""):
            self.assertEqual(self.status(served, Host=host, Origin="http://evil.example", Authorization="x"), 421, host)
        for host in (None, [own, own]):
            self.assertEqual(self.status(served, Host=host, Origin="http://evil.example", Authorization="x"), 400, host)
        for origin in ("http://evil.example", "null", f"https://{own}", f"wss://{own}", f"http://{own}.evil.example",
                       f"ws://{own}.evil.example", f"ws://127.0.0.1:{served.port + 1}"):
            self.assertEqual(self.status(served, Origin=origin, Authorization="x"), 403, origin)
        for origin in (f"http://{own}", f"http://localhost:{served.port}", f"http://[::1]:{served.port}", f"ws://{own}", f"WS://localhost:{served.port}"):
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
        self.assertEqual(refused, 5 + 2 + 7 + 8 + 2)

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
        self.assertEqual(self.status(served, path, "POST", b"0\r\n\r\n", Content_Type=kind, Transfer_Encoding="gzip, chunked"), 411)
        length = str(len(body))
        for lengths in ([length, "5"], [length, length], f"{length}, {length}", "-1", "+18", "0x12", "99999999999999999999"):
            self.assertEqual(post(body, Content_Length=lengths), 400, lengths)
        self.assertEqual(post(body, Transfer_Encoding="chunked"), 400)
        # The field is none for its space, so there is no body.
        self.assertEqual(self.status(served, path, "POST", body, **{"Content-Type": kind, "Content-Length ": length}), 400)
        deep = b"[" * 40 + b"]" * 40
        for wrong in (b'{"line":' + deep + b"}", b'{"line":"/whoami","line":"/whoami"}', b'{"line":"/whoami","room":"x","room":"y"}'):
            self.assertEqual(post(wrong), 400, wrong)
        for wrong in (b"", b"[]", b"{", b'{"line":1}', b'{"line":"/x"}', b'{"line":"/whoami","line":"/quit"}', b'{"other":1}',
                      b'{"line":"a\\nb"}', b"\xff", b'{"line":"x","room":"nowhere"}'):
            self.assertIn(post(wrong), (400, 404, 422), wrong)

    def test_heads_of_more_than_8_kib_are_refused(self):
        served = self.served()
        for name, size in (("Cookie", 8_200), ("X_Other", 9_300), ("Cookie", 60_000), ("X_Other", 60_000)):
            self.assertEqual(self.status(served, **{name: "x" * size}), 431, (name, size))
        self.assertEqual(self.status(served, **{f"X{number}": "y" * 100 for number in range(120)}), 431)
        self.assertEqual(self.status(served, **{"n" * 9_300: "x"}), 431)
        self.assertEqual(self.status(served, path="/" + "x" * 9_000), 431)
        for name in ("Cookie", "X_Other"):
            self.assertEqual(self.status(served, **{name: "x" * 7_500}), 200, name)
            # A head that does not fit into the server's buffer has no answer.
            self.assertIsNone(self.status(served, **{name: "x" * 70_000}), name)
        # A long body is no part of the head, nor is the request before.
        body = b'{"line":"' + b"x" * 16_000 + b'"}'
        length = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        self.assertEqual(self.status(served, "/api/v1/commands", "POST", body, **length), 422)
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
        for _ in range(40):
            connection.request("GET", "/api/v1/me", headers={"Authorization": f"Bearer {served.token}", "X-Other": "x" * 1_000})
            response = connection.getresponse()
            self.assertEqual((response.status, response.read()[:1]), (200, b"{"))
        connection.close()

    def test_smuggled_requests_are_not_performed(self):
        served = self.served()
        own = f"127.0.0.1:{served.port}"
        for hosts in ([own, own], [own, "evil.example"], ["evil.example", own]):
            self.assertEqual(self.status(served, Host=hosts), 400, hosts)
        self.assertEqual(self.status(served, Origin=[f"http://{own}", "http://evil.example"]), 403)
        self.assertEqual(self.status(served, Authorization=[f"Bearer {served.token}", "Bearer x"]), 401)
        # Targets that are no path (RFC 9112 section 3.2).
        for method, path in (("GET", "http://evil.example/api/v1/me"), ("GET", "evil.example:80"),
                             ("GET", "api/v1/me"), ("OPTIONS", "*")):
            self.assertEqual(self.status(served, path, method), 403, (method, path))
        self.assertIsNone(self.status(served, "/api/v1/me%00"))
        self.assertEqual(self.status(served, "/api/v1/../../../etc/passwd"), 404)
        # Bytes behind a refused request are not read.
        known = f"Host: {own}\r\nAuthorization: Bearer {served.token}\r\n"
        hidden = f"DELETE /api/v1/conversations/r1/messages/0 HTTP/1.1\r\n{known}\r\n"
        for fields in (f"Host: {own}\r\n", known + "Content-Length: 5\r\nContent-Length: 0\r\n", known + "Transfer-Encoding: chunked\r\n",
                       known + "Origin: http://evil.example\r\n"):
            answer = served.raw(f"POST /api/v1/commands HTTP/1.1\r\n{fields}\r\n{hidden}".encode())
            self.assertEqual(answer.count(b"HTTP/1."), 1, (fields, answer))
            self.assertIn(b"connection: close", answer)
        self.assertTrue(served.raw(f"GET /api/v1/me HTTP/1.0\r\n{known}\r\n".encode()).startswith(b"HTTP/1.0 200"))

    def test_pipelined_requests_are_performed_once_and_harm_no_other_client(self):
        served = self.served()
        known = f"Host: 127.0.0.1:{served.port}\r\nAuthorization: Bearer {served.token}\r\n"
        get = f"GET /api/v1/me HTTP/1.1\r\n{known}\r\n"

        def say(text):
            body = f'{{"text":"{text}"}}'
            return (f"POST /api/v1/conversations/r1/messages HTTP/1.1\r\n{known}Content-Type: application/json\r\n"
                    f"Content-Length: {len(body)}\r\n\r\n{body}")

        # Requests without a body are answered one behind the other.
        answer = served.raw((get * 30 + get.replace(known, known + "Connection: close\r\n")).encode())
        self.assertEqual(answer.count(b"HTTP/1.1 200"), 31)
        # The connection ends behind a body that more bytes follow; nothing is performed twice or out of order.
        for part in ("", get):
            texts = [f"{len(part)}.{number}" for number in range(20)]
            answer = served.raw("".join(say(text) + part for text in texts).encode())
            # Behind the others, as it comes the same way.
            self.assertEqual(served.ask("POST", "/api/v1/conversations/r1/messages", {"text": f"end {len(part)}"})[0], 201)
            served.node.hears(f"end {len(part)}")
            said = [event["text"] for event in served.node.events if event["event"] == "message" and event["text"] in texts]
            self.assertEqual(said, texts[:len(said)], part)
            self.assertIn(answer.count(b"HTTP/1.1 201"), (len(said), len(said) - 1))
        # Connections still end in time.
        with socket.create_connection(("127.0.0.1", served.port), timeout=20) as client:
            client.sendall(b"GET / HT")
            self.assertEqual(client.recv(1), b"")
        self.assertEqual(self.status(served), 200)

    def test_a_connection_with_a_request_behind_one_that_waits_ends(self):
        served = self.served()
        known = f"Host: 127.0.0.1:{served.port}\r\nAuthorization: Bearer {served.token}\r\n"
        path = "/socket.io/?EIO=4&transport=polling"
        packet = served.ask("GET", path)[2]
        path += "&sid=" + json.loads(packet[1:])["sid"]
        for stream in (path, "/api/v1/events"):
            with socket.create_connection(("127.0.0.1", served.port), timeout=20) as client:
                client.sendall(f"GET {stream} HTTP/1.1\r\n{known}\r\n".encode())
                # Behind the request in time: another client's answer comes the same way.
                self.assertEqual(self.status(served), 200)
                client.sendall(f"GET /api/v1/me HTTP/1.1\r\n{known}\r\n".encode())
                self.assertEqual(self.status(served), 200)
                with contextlib.suppress(ConnectionResetError):
                    while client.recv(65536):
                        pass
                self.assertEqual(self.status(served), 200)

    def test_pages_of_other_sites_load_nothing(self):
        """A browser sends no Origin for an image, but says that the page is another one (W3C Fetch Metadata)."""
        served = self.served()
        polling = "/socket.io/?EIO=4&transport=polling"
        for site in ("cross-site", "same-site"):
            for path in ("/api/v1/me", "/main.js", "/icon.svg", polling):
                self.assertEqual(self.status(served, path, **{"Sec-Fetch-Site": site}), 403, (site, path))
            self.assertEqual(self.status(served, "/", **{"Sec-Fetch-Site": site}), 200)
        for site in ("same-origin", "none"):
            for path in ("/api/v1/me", "/main.js", "/", polling):
                self.assertEqual(self.status(served, path, **{"Sec-Fetch-Site": site}), 200, (site, path))
        self.assertEqual(served.node.result("stats")["web_refusals"], 2 * 4)

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

    def test_of_65_connections_with_the_token_one_is_refused_and_later_ones_are_served(self):
        served = self.served()
        known = f"Host: 127.0.0.1:{served.port}\r\nAuthorization: Bearer {served.token}\r\n"
        idle = []
        for _ in range(64):
            idle.append(socket.create_connection(("127.0.0.1", served.port)))
            idle[-1].sendall(f"GET /api/v1/me HTTP/1.1\r\n{known}\r\n".encode())
            self.assertTrue(idle[-1].recv(65536).startswith(b"HTTP/1.1 200"))
        self.assertEqual(self.status(served), 503)
        # The page itself can still be loaded.
        self.assertEqual(self.status(served, path="/", Authorization=None), 200)
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
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
                   "Sec-WebSocket-Protocol": f"earshot.v1, t.{served.token}"}
        for change, status in (({}, 426), ({"Sec-WebSocket-Version": "8"}, 426), ({"Upgrade": "h2c", "Connection": "Upgrade, close"}, 404),
                               ({"Sec-WebSocket-Version": "13", "X-Other": "x" * 10_000}, 431),
                               ({"Sec-WebSocket-Version": "13", "Sec-WebSocket-Protocol": "earshot.v1"}, 401)):
            fields = {**upgrade, "Authorization": None, **change}
            self.assertEqual(self.status(served, "/api/v1/socket", **fields), status, change)
        self.assertEqual(self.status(served, "/api/v1/me", **upgrade, **{"Sec-WebSocket-Version": "13"}), 404)
        self.assertEqual(served.node.result("stats")["web_refusals"], 6 + 5)
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
            self.assertEqual(file.read(), f"{served.url}\n{served.token}\n")
        self.assertRegex(served.url, rf"^http://127\.0\.0\.1:{served.port}/#c=[0-9a-f]{{32}}$")
        self.assertRegex(served.token, r"^[0-9a-f]{32}$")
        self.assertNotIn(served.token, served.url)
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

    def test_a_code_lets_a_page_in_and_no_other_request(self):
        served = self.served()
        path, code = "/api/v1/session", served.url.split("=")[1]
        self.assertEqual(served.ask("GET", "/api/v1/me", token=code)[0], 401)
        for foreign in ({"Origin": "http://example.org"}, {"Sec-Fetch-Site": "cross-site"}, {"Host": "example.org"}):
            self.assertIn(served.ask("POST", path, {"code": code}, headers=foreign, token="")[0], (403, 421), foreign)
        self.assertEqual(served.ask("POST", path, {"code": "0" * 32}, token="")[2]["code"], "used_code")
        status, _, admitted = served.ask("POST", path, {"code": code}, token="")
        self.assertEqual((status, admitted["token"]), (200, served.token))
        self.assertEqual(served.ask("POST", path, {"code": code}, token="")[2]["code"], "used_code")
        # The code of the reload is good again and again while its time lasts, and is no token.
        reload = admitted["reload"]
        for _ in range(2):
            self.assertEqual(served.ask("POST", path, {"code": reload}, token="")[0], 200)
        self.assertEqual(served.ask("GET", "/api/v1/me", token=reload)[0], 401)
        self.assertEqual(served.ask("GET", "/api/v1/link", token="")[0], 401)
        self.assertNotEqual(served.link(), served.url)

    def test_a_port_in_use_and_a_wrong_one_are_refused(self):
        served = self.served()
        for options, words in ((["--web", str(served.port)], "choose another"), (["--web=70000"], "a port from 0 to 65535"),
                               (["--web=x"], "a port from 0 to 65535")):
            ended = subprocess.run([BINARY, "--json", "--discovery", "none", *options], input=b"", capture_output=True, timeout=30)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn(words, ended.stderr.decode())


if __name__ == "__main__":
    unittest.main()
