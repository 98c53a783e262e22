"""Attacks on the IRC face: hostile clients, with the token and without it, harm no other client and no node (Docs/IRC.md, section 4)."""

import multiprocessing
import os
import socket
import threading
import time
import unittest

from irc import IRC, IRCTest, Stream, parsed

MOST_STRANGERS = 32
# Milliseconds below which the noise of a machine with other work is as large as the measured delays.
NOISE = 100
TURNS, SAMPLES = 5, 80


def flood(port, token):
    """Clients that come with long tags and a wrong token and go, or one with the token that asks as fast as it is answered."""
    os.nice(10)
    if token is None:
        while True:
            strangers = [Stream(port) for _ in range(20)]
            for stream in strangers:
                stream.write(b"@a=" + b"x" * 4000 + b" CAP LS 302\r\nNICK a\r\nPASS 0\r\n")
            for stream in strangers:
                stream.close()
    client = IRC(Stream(port))
    client.send(f"PASS {token}", "NICK a", "USER a 0 * :a")
    while True:
        client.ask("WHO #lobby", "NAMES #lobby", "JOIN #lobby", "WHOIS bob", "NONSENSE")


class Limits(IRCTest):
    def silent(self, served, count, data=b""):
        clients = []
        for _ in range(count):
            stream = Stream(served.irc_port)
            self.addCleanup(stream.close)
            if data:
                stream.write(data)
            clients.append(stream)
        return clients

    def ended(self, stream):
        try:
            while stream.socket.recv(65536):
                pass
        except ConnectionResetError:
            pass

    def test_idle_strangers_keep_no_holder_of_the_token_out(self):
        alice, bob, holder = self.pair()
        for data in (b"", b"NICK x\r\n", b"CAP LS 302\r\n", b"PASS", b"NICK x\r\nUSER x 0 * :x\r\nCAP LS\r\n"):
            clients = self.silent(alice, 100, data)
            self.client(alice)
            for stream in clients[:100 - MOST_STRANGERS - 1]:
                self.ended(stream)
        bob.say("still here")
        holder.next("PRIVMSG", text="still here")

    def test_a_client_too_many_is_not_welcomed_first(self):
        alice = self.irc_served()
        clients = [self.client(alice) for _ in range(64)]
        last = self.stranger(alice)
        last.send(f"PASS {alice.token}", "NICK alice", "USER a 0 * :a")
        self.assertEqual([line.command for line in last.ends()], ["ERROR"])
        clients[0].close()
        alice.node.counts("irc_clients", 63)
        self.client(alice)

    def test_a_stranger_ends_however_slowly_it_writes(self):
        alice = self.irc_served()
        stream = self.silent(alice, 1)[0]
        begun = time.monotonic()
        try:
            while time.monotonic() - begun < 40:
                stream.write(b"N")
                stream.socket.settimeout(0.25)
                try:
                    if not stream.socket.recv(65536):
                        break
                except TimeoutError:
                    pass
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.assertLess(time.monotonic() - begun, 20)

    def test_long_tags_and_lines_are_refused_and_the_client_goes_on(self):
        alice, bob, client = self.pair("message-tags")
        longest = "@+draft/reply=" + "a" * (4094 - len("+draft/reply=")) + " PRIVMSG #lobby :with the longest tags"
        client.send(longest)
        bob.hears("with the longest tags")
        for line in ("@a=" + "x" * 8192 + " PRIVMSG #lobby :too long", "@a=" + "x" * 4095 + " PING x", "PRIVMSG #lobby :" + "y" * 4097,
                     "x" * 100_000):
            client.answer(line, "417")
        client.send("@" + ";".join(f"t{number}=1" for number in range(500)) + " PRIVMSG #lobby :many tags")
        bob.hears("many tags")
        client.ask("PING " + " ".join(["p"] * 2_000))
        bob.say("still here")
        client.next("PRIVMSG", text="still here")

    def test_line_breaks_and_nul_in_any_parameter_make_no_line(self):
        """Each of them in each parameter, raw and as an escape of a tag."""
        alice, bob, client = self.friends("message-tags", "echo-message", "standard-replies", "labeled-response", "batch")
        raw = []
        for command in ("JOIN #a{}b", "PART #lobby{}", "NAMES #lo{}bby", "WHO a{}b %t", "WHOIS a{}b", "WHOWAS a{}b", "AWAY :a{}b", "NICK a{}b",
                        "TOPIC #l{}", "LIST #a{}", "INVITE b{}ob #x{}y", "MONITOR + a{}b", "USERHOST a{}b", "ISON a{}b", "MODE a{}b",
                        "SETNAME :a{}b", "CHATHISTORY LATEST #l{}obby * 5", "MARKREAD #l{}obby", "REDACT #lobby a{}b", "METADATA * SET about :a{}b",
                        "PRIVMSG #no{}where :x", "PRIVMSG bob :a{}b", "PRIVMSG #lobby :\1ACTION a{}b\1", "PRIVMSG bob :\1PING a{}b\1",
                        "CAP REQ :a{}b", "PING :a{}b", "QUI{}T"):
            for piece in ("\rPRIVMSG #lobby :smuggled", "\0", "\0PRIVMSG #lobby :smuggled", "\x01", "\x1b[2J", "\u2028", "\u202e"):
                told = client.ask(command.replace("{}", piece))
                # `parsed` refuses a line with any of them; none of them comes back raw.
                raw += [line.raw for line in told if any(letter in line.raw for letter in "\0\r\n\x1b\u202e")]
        self.assertEqual(raw, [])
        for label in ("a\\r\\nPRIVMSG", "a\\n", "\\0", "x" * 65):
            told = client.ask(f"@label={label} PING y")
            self.assertEqual([line.command for line in told], ["PONG"], label)
            self.assertTrue(parsed(told[0].raw))
        client.send("AWAY", "PRIVMSG #lobby :the end")
        bob.hears("the end")
        self.assertNotIn("smuggled", "\n".join(bob.lines.seen))
        self.assertNotIn("\\u001b", "\n".join(bob.lines.seen))

    def test_ten_thousand_joins_make_sixteen_rooms_at_most(self):
        alice, bob, client = self.pair()
        sender = threading.Thread(target=client.stream.write, args=(b"".join(b"JOIN #r%d\r\n" % number for number in range(10_000)),))
        sender.start()
        other = self.client(alice)
        bob.say("still here")
        other.next("PRIVMSG", text="still here")
        self.assertLessEqual(len(alice.node.result("rooms", timeout=60)["rooms"]), 16)
        client.close()
        sender.join()

    def test_clients_that_vanish_leave_nothing(self):
        alice, bob, client = self.pair()
        descriptors = f"/proc/{alice.node.process.pid}/fd"
        calm = len(os.listdir(descriptors))
        for number in range(200):
            stream = Stream(alice.irc_port)
            stream.send(f"PASS {alice.token}")
            stream.send("NICK alice")
            stream.write(b"USER a 0 * :a\r\nPRIVMSG #lobby :half of a li"[:20 + number % 25])
            # A reset, as of a client that was killed.
            stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            stream.close()
        deadline = time.monotonic() + 20
        while len(os.listdir(descriptors)) > calm + 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertLessEqual(len(os.listdir(descriptors)), calm + 2)
        bob.say("still here")
        client.next("PRIVMSG", text="still here")

    def test_a_client_that_reads_nothing_is_let_go(self):
        alice, bob, client = self.pair()
        slow = IRC(Stream(alice.irc_port))
        slow.stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.addCleanup(slow.close)
        slow.send(f"PASS {alice.token}", "NICK alice", "USER a 0 * :a")
        slow.next("001")
        # The answers to these, which it does not read, are megabytes.
        try:
            for _ in range(20_000):
                slow.send("LUSERS", "MOTD", "VERSION")
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            pass
        bob.say("still here")
        client.next("PRIVMSG", text="still here")

    def latencies(self, bob, node, name):
        """Seconds from the line of a peer to the event of the node."""
        delays = []
        for number in range(SAMPLES):
            text = f"{name}-{number}"
            begun = time.monotonic()
            bob.say(text)
            node.wait(lambda event, text=text: event["event"] == "message" and event["text"] == text, text, from_start=False)
            delays.append(time.monotonic() - begun)
        return delays

    def test_floods_of_clients_at_most_double_the_delay_of_a_node(self):
        """By turns with calm, so that other load of the machine affects both; the floods give way on its processors."""
        alice, bob, _ = self.pair()
        delays = {"calm": [], "attacked": []}
        for turn in range(TURNS):
            delays["calm"] += self.latencies(bob, alice.node, f"calm-{turn}")
            floods = [multiprocessing.Process(target=flood, args=(alice.irc_port, token)) for token in (None, alice.token)]
            for process in floods:
                process.start()
            try:
                delays["attacked"] += self.latencies(bob, alice.node, f"attacked-{turn}")
            finally:
                for process in floods:
                    process.kill()
                    process.join()
        figures = {name: [round(1000 * sorted(found)[int(len(found) * share)], 2) for share in (0.5, 0.99)] for name, found in delays.items()}
        print("p50 and p99 in ms:", figures)
        self.assertLess(figures["attacked"][1], max(2 * figures["calm"][1], NOISE), figures)


if __name__ == "__main__":
    unittest.main()
