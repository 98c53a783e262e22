"""The IRC face: registration, capabilities and the commands that ask, by raw lines (Docs/IRC.md)."""

import pathlib
import re
import socket
import subprocess
import tempfile
import unittest

import websocket
from earshot_node import BINARY
from irc import CAPABILITIES, IRC, MODERN, IRCTest, Stream, WebStream, batch, plain


class Registration(IRCTest):
    def test_a_client_comes_in_with_the_token_as_its_password(self):
        alice, bob, client = self.pair()
        numerics = [line.command for line in client.first]
        self.assertEqual(numerics[:4], ["001", "002", "003", "004"])
        for wanted in ("005", "251", "255"):
            self.assertIn(wanted, numerics)
        self.assertTrue({"376", "422"} & set(numerics))
        self.assertTrue(all(line.params[0] == "alice" for line in client.first if line.command.isdigit()))
        # The room of the node is there without a command.
        join = next(line for line in client.first if line.command == "JOIN")
        self.assertEqual((join.nick, join.params), ("alice", ["#lobby"]))
        names = next(line for line in client.first if line.command == "353")
        self.assertEqual(names.params[1:3], ["=", "#lobby"])
        self.assertEqual(set(names.text.split()), {"alice", "bob"})
        self.assertEqual(next(line for line in client.first if line.command == "366").params[1], "#lobby")

    def test_isupport_says_what_the_face_has(self):
        alice = self.irc_served()
        client = self.client(alice)
        words = [word for line in client.first if line.command == "005" for word in line.params[1:-1]]
        tokens = dict(word.partition("=")[::2] for word in words)
        self.assertEqual(len(tokens), len(words), "a token comes twice")
        self.assertTrue(all(len(line.params) <= 15 for line in client.first if line.command == "005"))
        for name, value in {"CASEMAPPING": "ascii", "CHANTYPES": "#", "UTF8ONLY": "", "BOT": "B", "WHOX": "", "NETWORK": "Earshot"}.items():
            self.assertEqual(tokens[name], value, name)
        for name in ("NICKLEN", "CHANNELLEN", "LINELEN", "MONITOR", "CHATHISTORY"):
            self.assertGreater(int(tokens[name]), 0, name)
        self.assertEqual(set(tokens["MSGREFTYPES"].split(",")), {"msgid", "timestamp"})
        # Clients read from these how MODE and names look.
        self.assertRegex(tokens["PREFIX"], r"^\([a-z]*v[a-z]*\).*\+")
        self.assertRegex(tokens["CHANMODES"], r"^\w*,\w*,\w*,\w*$")

    def test_a_wrong_token_or_none_is_refused_and_the_link_ends(self):
        alice = self.irc_served()
        for word in ("PASS 0123456789abcdef0123456789abcdef", "PASS x", "PASS " + alice.token[:-1], "PASS :" + alice.token + " "):
            client = self.stranger(alice)
            client.send(word, "NICK alice", "USER a 0 * :a")
            told = client.ends()
            self.assertIn("464", [line.command for line in told], word)
            self.assertEqual(told[-1].command, "ERROR")
            self.assertNotIn("001", [line.command for line in told])
        client = self.stranger(alice)
        client.send("NICK alice", "USER a 0 * :a")
        self.assertEqual([line.command for line in client.ends()], ["464", "ERROR"])

    def test_a_stranger_can_do_nothing_but_register(self):
        alice = self.irc_served()
        bob = self.person("bob", alice)
        client = self.stranger(alice)
        for line in ("JOIN #lobby", "PRIVMSG #lobby :hello", "NAMES #lobby", "WHO #lobby", "LIST", "CHATHISTORY LATEST #lobby * 5",
                     "MONITOR + bob", "TAGMSG #lobby", "WHOIS bob", "AWAY :gone", "METADATA bob GET about"):
            client.send(line)
            self.assertEqual(client.next("451").params[0], "*", line)
        client.send("PING still")
        self.assertIn(client.read().command, ("PONG", "451"))
        bob.say("nothing for strangers")
        self.registered(client, alice)
        self.assertFalse([line for line in client.seen if line.command == "PRIVMSG" and line.nick != "bob"])

    def test_sasl_plain_takes_the_token_as_the_password(self):
        alice = self.irc_served()
        client = self.stranger(alice)
        client.send("CAP LS 302", "NICK alice", "USER a 0 * :a", "CAP REQ :sasl")
        client.wait(lambda line: line.command == "CAP" and "ACK" in line.params, "ACK")
        client.send("AUTHENTICATE PLAIN")
        self.assertEqual(client.next("AUTHENTICATE").params, ["+"])
        client.send("AUTHENTICATE " + plain(alice.token))
        client.next("900")
        client.next("903")
        client.send("AUTHENTICATE PLAIN")
        client.next("907")
        client.send("CAP END")
        client.next("001")

    def test_sasl_that_fails_says_so(self):
        alice = self.irc_served()
        for lines, numerics in (
            (["AUTHENTICATE EXTERNAL"], ["908", "904"]),
            (["AUTHENTICATE PLAIN", "AUTHENTICATE *"], ["906"]),
            (["AUTHENTICATE PLAIN", "AUTHENTICATE " + "A" * 401], ["905"]),
            (["AUTHENTICATE PLAIN", "AUTHENTICATE " + plain("0" * 32)], ["904"]),
            (["AUTHENTICATE PLAIN", "AUTHENTICATE !!!"], ["904"]),
            (["AUTHENTICATE PLAIN", "AUTHENTICATE +"], ["904"]),
            (["AUTHENTICATE PLAIN", "AUTHENTICATE AAAA"], ["904"]),
        ):
            client = self.stranger(alice)
            client.send("CAP LS 302", "CAP REQ :sasl", "NICK alice", "USER a 0 * :a", *lines)
            for numeric in numerics:
                client.next(numeric)
        # A wrong token is a refusal; a fault of the exchange is not.
        self.assertEqual([line.command for line in self.wrong_token(alice)][-2:], ["904", "ERROR"])

    def wrong_token(self, alice):
        client = self.stranger(alice)
        client.send("CAP LS 302", "CAP REQ :sasl", "NICK alice", "USER a 0 * :a", "AUTHENTICATE PLAIN", "AUTHENTICATE " + plain("1" * 32))
        return client.ends()

    def test_the_order_of_pass_nick_and_user_is_free(self):
        alice = self.irc_served()
        for lines in (["NICK alice", "PASS {}", "USER a 0 * :a"], ["USER a 0 * :a", "PASS {}", "NICK alice"],
                      ["PASS {}", "USER a 0 * :a", "NICK alice"], ["PASS :{}", "USER a * * a", "nick :alice"]):
            client = self.stranger(alice)
            client.send(*(line.format(alice.token) for line in lines))
            client.next("001")

    def test_faults_of_registration_have_their_numerics(self):
        alice = self.irc_served()
        client = self.stranger(alice)
        client.send("NICK")
        client.next("431")
        for name in ("#room", "a!", "@a", ":", "1abc,d", "x" * 200):
            client.send(f"NICK {name}")
            client.wait(lambda line: line.command in ("432", "431"), f"refusal of {name}")
        client.send("USER a")
        client.next("461", "*", "USER")
        client.send("PASS")
        client.next("461", "*", "PASS")
        self.registered(client, alice)
        client.send("PASS x")
        client.next("462")
        client.send("USER a 0 * :a")
        client.next("462")

    def test_the_line_before_the_password_says_nothing_of_the_node(self):
        alice = self.irc_served("alice", "--room", "a-secret-place")
        client = self.stranger(alice)
        client.send("CAP LS 302", "PING a", "VERSION", "MOTD", "LUSERS", "INFO", "NICK alice", "USER a 0 * :a", "CAP END")
        told = "\n".join(line.raw for line in client.ends())
        for word in ("a-secret-place", alice.token, alice.node.key[:8]):
            self.assertNotIn(word, told)

    def test_both_loopback_addresses_listen_and_no_other(self):
        alice = self.irc_served()
        for host in ("127.0.0.1", "::1"):
            client = IRC(Stream(alice.irc_port, host))
            self.addCleanup(client.close)
            self.registered(client, alice)
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.2", alice.irc_port), timeout=5)

    def test_a_port_that_another_program_has_is_an_error(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            ended = subprocess.run([BINARY, "--json", "--discovery", "none", "--irc", str(port)], input=b"", capture_output=True,
                                   timeout=30)
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn(f"--irc can not listen on port {port} of 127.0.0.1: address already in use", ended.stderr.decode())


class Token(IRCTest):
    def new_folder(self):
        folder = tempfile.TemporaryDirectory(prefix="earshot-token.")
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)

    def test_a_token_in_a_file_stays(self):
        path = self.new_folder() / "token"
        first = self.irc_served("alice", "--token-file", str(path))
        self.assertEqual((path.read_text().strip(), path.stat().st_mode & 0o777), (first.token, 0o600))
        self.client(first)
        first.node.kill()
        second = self.irc_served("alice", "--token-file", str(path))
        self.assertEqual(second.token, first.token)
        self.client(second)

    def test_a_file_without_a_token_or_that_others_read_is_refused(self):
        for text, mode in (("no token", 0o600), ("0" * 31, 0o600), ("0" * 32, 0o644)):
            path = self.new_folder() / "token"
            path.write_text(text)
            path.chmod(mode)
            ended = subprocess.run([BINARY, "--discovery", "none", "--irc", "0", "--token-file", str(path)], input=b"", capture_output=True,
                                   timeout=20)
            self.assertEqual(ended.returncode, 1, text)
            self.assertIn(str(path), ended.stderr.decode())
            self.assertEqual(path.read_text(), text)


class Capabilities(IRCTest):
    def listed(self, client):
        words = []
        while True:
            line = client.next("CAP")
            words += line.text.split()
            if line.params[2] != "*":
                return dict(word.partition("=")[::2] for word in words)

    def test_the_list_has_the_capabilities_of_the_documents(self):
        alice = self.irc_served()
        client = self.stranger(alice)
        client.send("CAP LS 302")
        listed = self.listed(client)
        self.assertEqual(set(listed), set(CAPABILITIES))
        self.assertEqual(listed["sasl"], "PLAIN")
        older = self.stranger(alice)
        older.send("CAP LS")
        # Clients without version 302 get no values.
        plain_list = self.listed(older)
        self.assertEqual(set(plain_list) | {"cap-notify"}, set(CAPABILITIES))
        self.assertFalse(any(plain_list.values()))

    def test_requests_are_all_or_nothing(self):
        alice = self.irc_served()
        client = self.stranger(alice)
        client.send("CAP LS 302", "NICK alice", "USER a 0 * :a", "CAP REQ :server-time no-such-thing")
        self.assertEqual(client.wait(lambda line: "NAK" in line.params, "NAK").text.split(), ["server-time", "no-such-thing"])
        client.send("CAP LIST")
        self.assertEqual(client.wait(lambda line: "LIST" in line.params, "LIST").text.split(), ["cap-notify"])
        client.send("CAP REQ :server-time batch")
        self.assertEqual(set(client.wait(lambda line: "ACK" in line.params, "ACK").text.split()), {"server-time", "batch"})
        client.send("CAP REQ :-batch")
        self.assertEqual(client.wait(lambda line: "ACK" in line.params, "ACK").text.split(), ["-batch"])
        client.send(f"PASS {alice.token}", "CAP LIST")
        self.assertEqual(client.wait(lambda line: "LIST" in line.params, "LIST").text.split(), ["server-time", "cap-notify"])
        client.send("CAP NONSENSE")
        self.assertEqual(client.next("410").params[1], "NONSENSE")
        client.send("CAP END")
        client.next("001")
        told = client.ask("CAP REQ :away-notify", "CAP LIST")
        self.assertEqual(set(next(line for line in told if "LIST" in line.params).text.split()) - {"cap-notify"},
                         {"server-time", "away-notify"})

    def test_registration_waits_for_the_end_of_the_negotiation(self):
        alice = self.irc_served()
        client = self.stranger(alice)
        client.send("CAP LS 302", f"PASS {alice.token}", "NICK alice", "USER a 0 * :a", "CAP REQ :batch")
        client.wait(lambda line: "ACK" in line.params, "ACK")
        self.assertNotIn("001", [line.command for line in client.seen])
        client.send("CAP END")
        client.next("001")

    def test_each_capability_can_be_had(self):
        alice = self.irc_served()
        for name in CAPABILITIES:
            client = self.stranger(alice)
            client.send("CAP LS 302", f"CAP REQ {name}")
            self.assertEqual(client.wait(lambda line: "ACK" in line.params or "NAK" in line.params, name).params[1], "ACK", name)
            client.close()

    def test_a_client_that_asked_for_none_sees_no_tags(self):
        alice, bob, client = self.pair()
        bob.say("no tags")
        self.assertEqual(client.next("PRIVMSG", "#lobby", text="no tags").tags, {})
        self.assertFalse([line for line in client.seen if line.tags or line.command in ("BATCH", "TAGMSG", "FAIL")])

    def test_server_time_and_message_tags_bring_their_tags_alone(self):
        alice, bob, timed = self.pair("server-time")
        tagged = self.client(alice, "message-tags")
        bob.say("one")
        self.assertEqual(set(timed.next("PRIVMSG", text="one").tags), {"time"})
        self.assertEqual(set(tagged.next("PRIVMSG", text="one").tags), {"msgid", "time"})
        self.assertRegex(timed.seen[-1].tags["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(tagged.seen[-1].tags["msgid"], bob.hears("one")["id"])

    def test_labels_come_back_once(self):
        alice = self.irc_served()
        client = self.client(alice, "labeled-response", "batch", "echo-message", "message-tags")
        self.assertEqual(client.answer("@label=a1 PING x", "PONG").tags["label"], "a1")
        told = client.ask("@label=a2 WHOIS alice")
        self.assertEqual(told[0].command, "BATCH")
        self.assertEqual((told[0].tags["label"], told[0].params[1]), ("a2", "labeled-response"))
        self.assertEqual(batch(told)[1][-1].command, "318")
        self.assertEqual(sum("label" in line.tags for line in told), 1)
        self.assertEqual(client.answer("@label=a3 PONG x", "ACK").tags["label"], "a3")
        self.assertEqual(client.answer("@label=a4 PRIVMSG #lobby :labelled", "PRIVMSG").tags["label"], "a4")
        self.assertEqual(client.answer("@label=a5 NONSENSE", "421").tags["label"], "a5")
        # Another client sees no label.
        other = self.client(alice, "labeled-response", "batch", "message-tags")
        client.send("@label=a6 PRIVMSG #lobby :once more")
        self.assertNotIn("label", other.next("PRIVMSG", text="once more").tags)

    def test_a_client_that_gives_batches_up_gets_no_labels(self):
        client = self.client(self.irc_served(), "labeled-response", "batch")
        client.ask("CAP REQ :-batch")
        told = client.ask("@label=x NAMES #lobby")
        self.assertEqual([line.tags for line in told], [{}] * len(told))

    def test_lines_that_are_none_have_the_right_fault(self):
        client = self.client(self.irc_served())
        for line, code in (("@a=b", "INVALID_MESSAGE"), (":x", "INVALID_MESSAGE"), (" ", "INVALID_MESSAGE")):
            self.assertEqual(client.answer(line, "FAIL").params[1], code, line)
        self.assertEqual(client.answer("@ PING a", "PONG").text, "a")
        self.assertEqual(client.answer("PRIVMSG #lobby :\1\1", "412").command, "412")
        self.assertEqual(client.answer("PRIVMSG a,b,c,d,e :x", "407").command, "407")

    def test_userhost_in_names_extended_join_and_multi_prefix(self):
        alice, bob, client = self.pair("userhost-in-names", "extended-join", "multi-prefix")
        names = next(line for line in client.first if line.command == "353").text.split()
        self.assertTrue(all(re.fullmatch(r"\+?[^!]+![^@]+@[0-9a-f]{8}\.earshot", name) for name in names), names)
        self.assertIn(f"@{bob.key[:8]}.earshot", " ".join(names))
        carol = self.person("carol", alice)
        join = client.next("JOIN", "#lobby", nick="carol")
        self.assertEqual(join.params[1], "*")
        self.assertEqual(len(join.params), 3)
        self.assertTrue(join.source.endswith(f"@{carol.key[:8]}.earshot"), join.source)


class Asking(IRCTest):
    """Commands whose answer is about the chat, and changes nothing."""

    def numerics(self, client, *lines):
        return [line.command for line in client.ask(*lines)]

    def test_commands_that_no_server_of_rooms_needs_are_unknown(self):
        client = self.client(self.irc_served())
        for name in ("OPER", "KICK", "KILL", "CONNECT", "SQUIT", "REHASH", "DIE", "WALLOPS", "SERVICE", "NONSENSE", "RENAME", "123"):
            self.assertEqual(client.answer(f"{name} x y z", "421").params[1], name)

    def test_ping_version_time_motd_lusers(self):
        alice = self.irc_served()
        client = self.client(alice)
        self.assertEqual(client.answer("PING :two words", "PONG").text, "two words")
        self.assertIn(client.answer("PING", "461", "409").command, ("461", "409"))
        self.assertIn("arshot", client.answer("VERSION", "351").raw)
        self.assertRegex(client.answer("TIME", "391").text, r"\d")
        self.assertTrue({"375", "376"} <= set(self.numerics(client, "MOTD")) or "422" in self.numerics(client, "MOTD"))
        lusers = self.numerics(client, "LUSERS")
        self.assertEqual([one for one in lusers if one in ("251", "255")], ["251", "255"])
        client.ask("PONG whatever")

    def test_parameters_that_lack_are_named(self):
        client = self.client(self.irc_served(), "standard-replies")
        for name in ("JOIN", "PART", "WHOIS", "INVITE", "MONITOR", "CHATHISTORY", "MARKREAD", "REDACT", "METADATA", "USERHOST"):
            told = client.ask(name)
            self.assertTrue(any(line.command in ("461", "431", "FAIL") for line in told), (name, [line.raw for line in told]))
        client.answer("PRIVMSG", "411", "461")
        client.answer("PRIVMSG #lobby", "412", "461")
        client.answer("PRIVMSG #lobby :", "412")

    def test_names_who_and_whox(self):
        alice, bob, client = self.pair("away-notify")
        told = client.ask("NAMES #lobby")
        self.assertEqual(set(next(line for line in told if line.command == "353").text.split()), {"alice", "bob"})
        self.assertEqual([line.command for line in client.ask("NAMES #nowhere")], ["366"])
        who = [line for line in client.ask("WHO #lobby") if line.command == "352"]
        self.assertEqual({line.params[5] for line in who}, {"alice", "bob"})
        row = next(line for line in who if line.params[5] == "bob")
        self.assertEqual((row.params[1], row.params[3]), ("#lobby", f"{bob.key[:8]}.earshot"))
        self.assertTrue(row.params[6].startswith("H"))
        self.assertRegex(row.text, r"^0 ")
        self.assertEqual(self.numerics(client, "WHO nobody-here"), ["315"])
        extended = [line for line in client.ask("WHO #lobby %tcuhnfar,42") if line.command == "354"]
        row = next(line for line in extended if "bob" in line.params)
        self.assertEqual(row.params[1:3], ["42", "#lobby"])
        self.assertEqual(row.params[4:6], [f"{bob.key[:8]}.earshot", "bob"])
        self.assertEqual((row.params[-2]), "0")
        bob.say("/away lunch")
        client.next("AWAY", nick="bob")
        self.assertTrue(next(line for line in client.ask("WHO bob") if line.command == "352").params[6].startswith("G"))

    def test_whois_and_whowas(self):
        alice, bob, client = self.pair("away-notify")
        told = {line.command: line for line in client.ask("WHOIS bob")}
        self.assertEqual(told["311"].params[1], "bob")
        self.assertEqual(told["311"].params[3], f"{bob.key[:8]}.earshot")
        self.assertEqual(told["319"].text.split(), ["#lobby"])
        self.assertIn("312", told)
        self.assertEqual(told["318"].params[1], "bob")
        code = next(line for line in alice.node.result(f"whois {bob.key}").values() if isinstance(line, str) and len(line.split()) == 9)
        self.assertIn(code, told["320"].text)
        bob.say("/away lunch")
        client.next("AWAY", nick="bob")
        self.assertEqual(client.answer("WHOIS bob", "301").text, "lunch")
        self.assertEqual(self.numerics(client, "WHOIS missing"), ["401", "318"])
        self.assertIn("311", self.numerics(client, "WHOIS irc.example bob"))
        bob.quit()
        client.next("QUIT", nick="bob")
        self.assertEqual(self.numerics(client, "WHOIS bob"), ["401", "318"])
        told = {line.command: line for line in client.ask("WHOWAS bob")}
        self.assertEqual((told["314"].params[1], told["369"].params[1]), ("bob", "bob"))
        self.assertEqual(self.numerics(client, "WHOWAS missing"), ["406", "369"])

    def test_mode_topic_list_userhost_and_ison(self):
        alice, bob, client = self.pair()
        self.assertEqual(client.answer("MODE #lobby", "324").params[1], "#lobby")
        self.assertEqual(client.answer("MODE alice", "221").params[0], "alice")
        client.answer("MODE bob", "502")
        client.answer("MODE #nowhere", "403")
        client.answer("MODE #lobby +b", "368")
        client.answer("MODE #lobby +o bob", "482", "472")
        self.assertEqual(client.answer("TOPIC #lobby", "331", "332").params[1], "#lobby")
        client.answer("TOPIC #lobby :mine", "482")
        client.answer("TOPIC #nowhere", "403", "442")
        told = client.ask("LIST")
        row = next(line for line in told if line.command == "322")
        self.assertEqual(row.params[1:3], ["#lobby", "2"])
        self.assertEqual(told[-1].command, "323")
        host = client.answer("USERHOST bob", "302").text.strip()
        self.assertRegex(host, rf"^bob=\+[^@]*@{bob.key[:8]}\.earshot$")
        self.assertEqual(client.answer("ISON bob missing alice", "303").text.split(), ["bob", "alice"])

    def test_the_nicks_are_compared_without_case(self):
        alice, bob, client = self.pair()
        self.assertIn("311", self.numerics(client, "WHOIS BOB"))
        self.assertEqual(client.answer("ISON BoB", "303").text.strip().lower(), "bob")
        client.ask("NAMES #LOBBY")
        self.assertEqual(client.answer("NAMES #LoBBy", "353").params[2].lower(), "#lobby")

    def test_monitor_tells_who_comes_and_goes(self):
        alice, bob, client = self.pair()
        told = {line.command: line for line in client.ask("MONITOR + bob,carol")}
        self.assertTrue(told["730"].text.startswith("bob!"))
        self.assertEqual(told["731"].text, "carol")
        carol = self.person("carol", alice)
        self.assertTrue(client.next("730").text.startswith("carol!"))
        carol.quit()
        self.assertEqual(client.next("731").text, "carol")
        told = client.ask("MONITOR L")
        self.assertEqual(set(",".join(line.text for line in told if line.command == "732").split(",")), {"bob", "carol"})
        self.assertEqual(told[-1].command, "733")
        self.assertEqual({line.command for line in client.ask("MONITOR S")}, {"730", "731"})
        client.ask("MONITOR - bob")
        self.assertEqual(next(line for line in client.ask("MONITOR L") if line.command == "732").text, "carol")
        client.ask("MONITOR C")
        self.assertEqual([line.command for line in client.ask("MONITOR L")], ["733"])
        most = int(next(word for line in client.first for word in line.params if word.startswith("MONITOR=")).split("=")[1])
        for first in range(0, most, 20):
            client.send("MONITOR + " + ",".join(f"n{number}" for number in range(first, min(most, first + 20))))
        self.assertEqual(client.answer("MONITOR + beyond", "734").params[2], "beyond")


class Sockets(IRCTest):
    def test_websocket_speaks_both_subprotocols(self):
        alice = self.irc_served()
        bob = self.person("bob", alice)
        for protocol in ("text.ircv3.net", "binary.ircv3.net"):
            client = self.registered(self.web_stranger(alice, protocol), alice, *MODERN)
            self.assertEqual(client.stream.client.subprotocol, protocol)
            bob.say(f"안녕 {protocol}")
            client.next("PRIVMSG", "#lobby", text=f"안녕 {protocol}")
            client.send(f"PRIVMSG #lobby :from {protocol}")
            bob.hears(f"from {protocol}")
            # No message has a line break, nor two lines.
            self.assertFalse([line for line in client.seen if "\r" in line.raw or "\n" in line.raw])
            client.close()

    def test_websocket_refuses_other_subprotocols_and_sites(self):
        alice = self.irc_served()
        for protocol, options in (("chat.example", {}), ("text.ircv3.net", {"origin": "http://example.org"}),
                                  ("text.ircv3.net", {"host": "example.org"})):
            with self.assertRaises(websocket.WebSocketBadStatusException):
                WebStream(alice.port, protocol, **options)

    def test_a_wrong_token_over_websocket_ends_it(self):
        alice = self.irc_served()
        client = self.web_stranger(alice)
        client.send("PASS 0")
        self.assertEqual([line.command for line in client.ends()], ["464", "ERROR"])

    def test_lines_in_pieces_and_together_are_the_same_lines(self):
        alice = self.irc_served()
        client = self.stranger(alice)
        data = f"PASS {alice.token}\r\nNICK alice\nUSER a 0 * :a\r\n\r\n\n  \r\nPING :x y\r\n".encode()
        for byte in data:
            client.stream.write(bytes([byte]))
        client.next("001")
        self.assertEqual(client.next("PONG").text, "x y")

    def test_quit_ends_the_connection_and_not_the_node(self):
        alice, bob, client = self.pair()
        client.send("QUIT :bye")
        self.assertEqual(client.ends()[-1].command, "ERROR")
        bob.say("still there?")
        alice.node.hears("still there?")
        self.assertFalse([event for event in bob.events if event["event"] == "peer" and event["state"] == "offline"])


if __name__ == "__main__":
    unittest.main()
