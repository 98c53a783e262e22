"""HTTP/1.1 as clients expect it that share no code with the server (RFC 9110, RFC 9112), byte by byte."""

import email.utils
import http.client
import json
import socket
import subprocess
import time
import unittest

from web import WebTest

# The fields of java.net.http.HttpClient 17, which asks for HTTP/2 on every connection without TLS.
JAVA = ("Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n"
        "Upgrade: h2c\r\nUser-Agent: Java-http-client/17\r\n")


class Standards(WebTest):
    def setUp(self):
        super().setUp()
        self.alice = self.served()
        self.own = f"127.0.0.1:{self.alice.port}"
        self.known = f"Host: {self.own}\r\nAuthorization: Bearer {self.alice.token}\r\n"

    def answer(self, method="GET", path="/api/v1/me", fields=None, body=b"", version="1.1"):
        """(status, fields, body) of one request, whose connection ends behind it."""
        fields = self.known + "Connection: close\r\n" if fields is None else fields
        data = self.alice.raw(f"{method} {path} HTTP/{version}\r\n{fields}\r\n".encode() + body)
        head, _, rest = data.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        return int(lines[0].split(" ")[1]), dict(line.lower().split(": ", 1) for line in lines[1:]), rest

    def close(self, fields=""):
        return self.known + "Connection: close\r\n" + fields

    def test_head_is_where_get_is(self):
        for path in ("/", "/main.js", "/api/v1/me", "/api/v1/openapi.json", "/api/v1/conversations", "/metrics",
                     "/api/v1/conversations/r1/messages", "/api/v1/people", "/api/v1/requests"):
            got, head = self.answer("GET", path), self.answer("HEAD", path)
            self.assertEqual((got[0], head[0], head[2]), (200, 200, b""), path)
            self.assertEqual(head[1]["content-type"], got[1]["content-type"], path)
            if path != "/metrics":
                self.assertEqual(head[1]["content-length"], str(len(got[2])), path)
        status, fields, rest = self.answer("HEAD", "/api/v1/events")
        self.assertEqual((status, fields["content-type"], rest), (200, "text/event-stream", b""))
        self.assertNotIn("content-length", fields)
        self.assertEqual(self.answer("HEAD", "/api/v1/nothing")[0], 404)
        self.assertEqual(self.answer("DELETE", "/api/v1/me")[1]["allow"], "get, head")
        # The next request of the connection is read as such.
        data = self.alice.raw(f"HEAD /api/v1/me HTTP/1.1\r\n{self.known}\r\nGET /api/v1/me HTTP/1.1\r\n{self.close()}\r\n".encode())
        self.assertEqual(data.count(b"HTTP/1.1 200 OK"), 2)

    def test_answers_have_a_date_and_204_has_no_length(self):
        body = b'{"on":true}'
        fields = self.close(f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n")
        status, fields, rest = self.answer("PUT", "/api/v1/conversations/r1/typing", fields, body)
        self.assertEqual((status, rest), (204, b""))
        self.assertNotIn("content-length", fields)
        for path in ("/", "/api/v1/me", "/api/v1/nothing"):
            date = self.answer(path=path)[1]["date"]
            self.assertRegex(date, r"^(mon|tue|wed|thu|fri|sat|sun), \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d gmt$")
            self.assertLess(abs(email.utils.parsedate_to_datetime(date).timestamp() - time.time()), 60)
            self.assertEqual(email.utils.parsedate_to_datetime(date).strftime("%a").lower(), date[:3])

    def test_if_none_match_is_a_list_of_weak_or_strong_tags(self):
        tag = self.answer(path="/main.js")[1]["etag"]
        for value in (tag, f"W/{tag}", f'"other", {tag}', f'"other",W/{tag}', "*", f'"a"\r\nIf-None-Match: {tag}'):
            self.assertEqual(self.answer(path="/main.js", fields=self.close(f"If-None-Match: {value}\r\n"))[0], 304, value)
        for value in ('"other"', f"w/{tag}", tag.strip('"'), ""):
            self.assertEqual(self.answer(path="/main.js", fields=self.close(f"If-None-Match: {value}\r\n"))[0], 200, value)

    def test_a_target_in_absolute_form_is_that_of_the_path(self):
        for host in (self.own, f"localhost:{self.alice.port}", f"[::1]:{self.alice.port}", self.own.upper()):
            for scheme in ("http", "HTTP"):
                self.assertEqual(self.answer(path=f"{scheme}://{host}/api/v1/me")[0], 200, host)
        self.assertEqual(self.answer(path=f"http://{self.own}")[1]["content-type"], "text/html; charset=utf-8")
        self.assertEqual(self.answer(path=f"http://{self.own}?")[0], 200)
        self.assertEqual(self.answer(path=f"http://{self.own}/api/v1/conversations/r1/messages?limit=1")[0], 200)
        for host in ("evil.example", f"{self.own}.evil.example", f"user@{self.own}", "127.0.0.1", "", f"127.0.0.1:{self.alice.port}0"):
            self.assertEqual(self.answer(path=f"http://{host}/api/v1/me")[0], 403, host)
        evil = "Host: evil.example\r\nConnection: close\r\n"
        self.assertEqual(self.answer(path=f"http://{self.own}/", fields=evil)[0], 421)
        # In any pieces; the body goes with it, and the connection ends.
        body = b'{"line":"/whoami"}'
        request = (f"POST http://{self.own}/api/v1/commands HTTP/1.1\r\n{self.known}Content-Type: application/json\r\n"
                   f"Content-Length: {len(body)}\r\n\r\n").encode() + body
        with socket.create_connection(("127.0.0.1", self.alice.port), timeout=20) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in request:
                client.sendall(bytes([byte]))
            data = b""
            while part := client.recv(65536):
                data += part
        self.assertTrue(data.startswith(b"HTTP/1.1 200"), data)
        self.assertIn(b"connection: close", data)

    def test_a_client_that_expects_100_gets_it_before_it_sends_the_body(self):
        body = b'{"line":"/whoami"}'
        head = (f"POST /api/v1/commands HTTP/1.1\r\n{self.close()}Content-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\nExpect: 100-Continue\r\n\r\n")
        with socket.create_connection(("127.0.0.1", self.alice.port), timeout=20) as client:
            client.sendall(head.encode())
            self.assertEqual(client.recv(65536), b"HTTP/1.1 100 Continue\r\n\r\n")
            client.sendall(body)
            self.assertTrue(client.recv(65536).startswith(b"HTTP/1.1 200"))
        # A request that is refused gets its final answer instead.
        refused = head.replace(f"Content-Length: {len(body)}", "Content-Length: 99999")
        self.assertTrue(self.alice.raw(refused.encode()).startswith(b"HTTP/1.1 413"))

    def test_a_method_that_there_is_not_is_405_on_any_connection(self):
        for method in ("TRACE", "CONNECT", "PROPFIND", "M-SEARCH", "LOOOOOOOOOOOOOOOOOOOONG"):
            for path, allowed in (("/api/v1/me", "GET, HEAD"), ("/api/v1/session?x", "POST"), ("/main.js", "GET, HEAD")):
                status, fields, body = self.answer(method, path)
                self.assertEqual((status, fields.get("allow")), (405, allowed.lower()), (method, path))
                self.assertEqual(json.loads(body)["code"], "wrong_method")
            self.assertEqual(self.answer(method, "/nowhere")[0], 404, method)
        for line in (b"\x16\x03\x01\x02\x00\x01", b"PRI * HTTP/2.0\r\n\r\n", b"SSH-2.0-x\r\n", b"FOO /api/v1/me HTTP/9.1\r\n\r\n"):
            self.assertIn(b" 400 ", self.alice.raw(line + b"x" * 16).split(b"\r\n")[0], line)
        with socket.create_connection(("127.0.0.1", self.alice.port), timeout=20) as client:
            client.sendall(f"GET /api/v1/me HTTP/1.1\r\n{self.known}\r\n".encode())
            data = b""
            while not data.endswith(b"}"):
                data += client.recv(65536)
            client.sendall(f"TRACE /api/v1/me HTTP/1.1\r\n{self.known}\r\n".encode())
            data = b""
            while part := client.recv(65536):
                data += part
        self.assertIn(b" 405 ", data.split(b"\r\n")[0])

    def test_a_line_break_in_a_target_ends_no_line(self):
        # The library loses the field behind the break, and may take what is between for one: no check has it to judge.
        foreign = f"Host: evil.example\r\nAuthorization: Bearer {self.alice.token}\r\nConnection: close\r\n"
        for target in ("/api/v1/me%0A", "/api/v1/%0a", "/api/v1/me%0D%0A", f"/api/v1/me%0AHost:{self.own}%0A"):
            for fields in (None, foreign):
                status, _, body = self.answer(path=target, fields=fields)
                self.assertEqual((status, json.loads(body)["code"]), (400, "bad_target"), (target, fields))
        self.assertEqual(self.answer(path="/api/v1/me?x=%0A")[0], 400)

    def test_connection_is_a_list(self):
        for wish in ("close", "Close, x", "x, close", "x,close"):
            data = self.alice.raw(f"GET /api/v1/me HTTP/1.1\r\n{self.known}Connection: {wish}\r\n\r\n".encode())
            self.assertTrue(data.startswith(b"HTTP/1.1 200"), wish)
            self.assertIn(b"connection: close", data, wish)

    def test_the_scheme_of_the_token_has_any_case_and_any_spaces(self):
        token = self.alice.token
        for value, status in ((f"bearer {token}", 200), (f"BEARER   {token}", 200), (f"Bearer{token}", 401), ("Bearer   ", 401),
                              (f"Bearer {token} {token}", 401), (f"Basic {token}", 401)):
            fields = f"Host: {self.own}\r\nAuthorization: {value}\r\nConnection: close\r\n"
            self.assertEqual(self.answer(fields=fields)[0], status, value)

    def test_empty_parts_of_a_query_are_none(self):
        path = "/api/v1/conversations/r1/messages"
        for query in ("?", "?&", "?limit=1&", "?&limit=1", "?&&limit=1&&"):
            self.assertEqual(self.answer(path=path + query)[0], 200, query)
        self.assertEqual(self.answer(path="/api/v1/me?")[0], 200)
        self.assertEqual(self.answer(path="/?")[0], 200)
        for query in ("?limit=0", "?limit=1&&x=1", "?&limit=101", "?x&"):
            self.assertEqual(self.answer(path=path + query)[0], 400, query)

    def test_a_parameter_comes_once_and_a_page_has_one_cursor(self):
        said = self.alice.ask("POST", "/api/v1/conversations/r1/messages", {"text": "first"})[2]["id"]
        for query, name in (("limit=1&limit=1", "limit"), (f"before={said}&before={said}", "before"), (f"before={said}&after={said}", "after")):
            status, _, problem = self.alice.ask("GET", f"/api/v1/conversations/r1/messages?{query}")
            self.assertEqual((status, problem["code"]), (400, "bad_query"), query)
            self.assertIn(name, problem["detail"])

    def test_a_head_that_is_none_is_refused_at_once(self):
        """The library waited 10 s for its end, or took a NUL for the end of a value."""
        token = f"Authorization: Bearer {self.alice.token}"
        for line in ("X-Other: a\0b", "no colon", ": empty", "X Other: x", "X-Other : x", " folded", f"{token}\0", "X-Other: a\rb"):
            begun = time.monotonic()
            status, fields, rest = self.answer(fields=self.close(line + "\r\n"))
            self.assertEqual((status, json.loads(rest)["code"]), (400, "bad_head"), line)
            self.assertEqual((fields["connection"], fields["content-length"]), ("close", str(len(rest))))
            self.assertLess(time.monotonic() - begun, 5, line)
        for name in ("Sec-Fetch-Site", "sec-fetch-site", "Last-Event-ID", "Idempotency-Key"):
            self.assertEqual(self.answer(fields=self.close(f"{name}: none\r\nX-Other: x\r\n{name.title()}: none\r\n"))[0], 400, name)
            self.assertEqual(self.answer(fields=self.close(f"{name}: none\r\n"))[0], 200, name)
        # In parts, a head is as good as at once; the library gets it with its end.
        head = f"GET /api/v1/me HTTP/1.1\r\n{self.known}X-Other: {'x' * 5_000}\r\nConnection: close\r\n\r\n".encode()
        for cut in (1, 20, 100, 3_000, len(head) - 3, len(head) - 1):
            with socket.create_connection(("127.0.0.1", self.alice.port), timeout=20) as client:
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                client.sendall(head[:cut])
                # Behind the part in time.
                self.assertEqual(self.alice.ask("GET", "/api/v1/me")[0], 200)
                client.sendall(head[cut:])
                self.assertTrue(client.recv(65536).startswith(b"HTTP/1.1 200"), cut)

    def test_white_space_behind_the_token_is_no_part_of_it(self):
        for space in (" ", "\t", "  \t "):
            line = f"Host: {self.own}\r\nAuthorization: Bearer {self.alice.token}{space}\r\nConnection: close\r\n"
            self.assertEqual(self.answer(fields=line)[0], 200, repr(space))

    def test_a_body_with_a_content_encoding_is_refused(self):
        body = b'{"text":"hello"}'
        fields = self.close(f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n")
        path = "/api/v1/conversations/r1/messages"
        for encoding in ("gzip", "br", "gzip, identity"):
            self.assertEqual(self.answer("POST", path, fields + f"Content-Encoding: {encoding}\r\n", body)[0], 415, encoding)
        self.assertEqual(self.answer("POST", path, fields + "Content-Encoding: identity\r\n", body)[0], 201)

    def test_ids_have_digits_of_any_case(self):
        bob = self.person("bob", self.alice)
        bob.say("hello")
        self.alice.node.hears("hello")
        key = next(row["who"]["key"] for row in self.alice.get("/api/v1/people")["people"])
        messages = "/api/v1/conversations/r1/messages"
        said = self.alice.ask("POST", messages, {"text": "first"})[2]["id"]
        upper = key.upper()
        self.assertNotEqual(upper, key)
        for path in (f"/api/v1/rooms/r1/people/{upper}", f"{messages}?before={said.upper()}"):
            self.assertEqual(self.alice.ask("GET", path)[0], 200, path)
        # A room has one name.
        for room in ("R1", "r01", "r+1", "r0", "r"):
            for path in (f"/api/v1/rooms/{room}/people/{key}", f"/api/v1/conversations/{room}/messages",
                         f"/api/v1/conversations/{room}-{key}/messages"):
                self.assertEqual(self.alice.ask("GET", path)[0], 404, path)
        self.assertEqual(self.alice.ask("PATCH", f"{messages}/{said.upper()}", {"text": "second"})[0], 204)
        self.assertEqual(self.alice.ask("PUT", f"/api/v1/rooms/r1/people/{upper}/mute")[0], 204)
        self.assertEqual(self.alice.ask("DELETE", f"/api/v1/rooms/r1/people/{upper}/mute")[0], 204)
        self.assertEqual(self.alice.ask("POST", "/api/v1/rooms/r1/direct", {"to": upper, "text": "psst"})[0], 201)
        self.assertEqual(self.alice.ask("GET", f"/api/v1/conversations/r1-{upper}/messages")[0], 200)
        self.assertEqual(self.alice.ask("DELETE", f"{messages}/{said.upper()}")[0], 204)

    def test_a_websocket_without_a_known_subprotocol_gets_an_answer(self):
        upgrade = ("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
        engine = "/socket.io/?EIO=4&transport=websocket"
        for path, offered, status in (
                ("/api/v1/socket", "chat", 400), ("/api/v1/socket", f"t.{self.alice.token}", 400), ("/api/v1/socket", None, 400),
                ("/stomp", "chat", 400), ("/stomp", "chat, v12.stomp", 101), ("/stomp", None, 101), ("/stomp", "x" * 130, 400),
                ("/stomp", "a b, v12.stomp", 400), (engine, "chat", 400), (engine, None, 101), ("/", "earshot.v1", 404)):
            fields = self.known + upgrade + (f"Sec-WebSocket-Protocol: {offered}\r\n" if offered else "")
            data = self.alice.raw(f"GET {path} HTTP/1.1\r\n{fields}\r\n".encode(), reads_all=False)
            self.assertEqual(data.split(b" ")[1:2], [str(status).encode()], (path, offered))
        for change in (("Connection: Upgrade", "Connection: keep-alive"), ("GET", "POST")):
            request = f"GET /stomp HTTP/1.1\r\n{self.known}{upgrade}\r\n".replace(*change)
            answer = self.alice.raw(request.encode())
            self.assertEqual(answer.split(b" ")[1:2], [b"400"], change)

    def test_a_client_that_asks_for_http_2_by_the_way_is_answered_in_http_1_1(self):
        body = b'{"text":"from Java"}'
        post = (f"POST /api/v1/conversations/r1/messages HTTP/1.1\r\n{JAVA}{self.known}Content-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode() + body
        get = f"GET /api/v1/me HTTP/1.1\r\n{JAVA}{self.known}\r\n".encode()
        with socket.create_connection(("127.0.0.1", self.alice.port), timeout=20) as client:
            # Java keeps the connection, and asks again on it.
            for request, status in ((get, 200), (post, 201), (get, 200)):
                client.sendall(request)
                response = http.client.HTTPResponse(client)
                response.begin()
                self.assertEqual((response.version, response.status), (11, status))
                response.read()
        self.alice.node.hears("from Java")
        # A name that the library does not know ends the connection alone.
        self.alice.raw(f"GET /api/v1/me HTTP/1.1\r\n{self.known}Connection: Upgrade\r\nUpgrade: x/1\r\n\r\n".encode())
        self.assertEqual(self.answer()[0], 200)

    def test_curl_with_http_2(self):
        url = f"http://{self.own}/api/v1/commands"
        for options in ([], ["--data", '{"line":"/whoami"}', "-H", "Content-Type: application/json", url]):
            ended = subprocess.run(
                ["curl", "-sS", "--http2", "-w", "\n%{http_version} %{http_code}", "-H", f"Authorization: Bearer {self.alice.token}",
                 *(options or [f"http://{self.own}/api/v1/me"])], capture_output=True, text=True, timeout=30)
            value, _, line = ended.stdout.rpartition("\n")
            self.assertEqual(line, "1.1 200", ended.stderr)
            self.assertIsInstance(json.loads(value), dict)

    def test_a_websocket_message_has_one_line(self):
        for text in ("hello\r\n/quit", "hello\n/quit", "hello\r/quit", "hello\n\u0301/quit"):
            client = self.alice.socket()
            client.wait(event="snapshot")
            client.send(text)
            opcode, data = client.client.recv_data()
            while opcode != 8:
                opcode, data = client.client.recv_data()
            self.assertEqual(int.from_bytes(data[:2], "big"), 1007, text)
        self.assertEqual(self.alice.ask("POST", "/api/v1/commands", {"line": "a\r\nb"})[0], 422)
        self.assertIsNone(self.alice.node.process.poll())


if __name__ == "__main__":
    unittest.main()
