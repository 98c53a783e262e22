"""The program talks with a peer that is written from Docs/Protocol.md and shares no code with it."""

import hashlib
import socket
import struct
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Support"))

from earshot_node import Node  # noqa: E402
from noise_peer import issue  # noqa: E402
from stranger import (  # noqa: E402
    ACCEPT, CERTIFICATE, CLOCK, DELETE, DELIVERED, DIRECT, EDIT, GOODBYE, HAVE, INVITATION, LEAVE, PING, PONG, PRESENCE,
    PUBLIC, REQUEST, ROOM, WANT, Stranger, is_visible, now, presence,
)


class AStranger(unittest.TestCase):
    def node(self, *options):
        node = Node(subprocess.Popen, "native", "--discovery", "none", "--rate", "1000000", *options)
        self.addCleanup(node.process.wait)
        self.addCleanup(node.kill)
        self.addCleanup(node.process.stdin.close)
        return node

    def stranger(self, node, **options):
        stream = socket.create_connection(("127.0.0.1", node.ready()["port"]), timeout=20)
        self.addCleanup(stream.close)
        return Stranger("initiator", stream, **options)

    def meet(self):
        node = self.node()
        return node, self.stranger(node)

    def seen(self, node, stranger, state="online"):
        return node.wait(lambda event: event["event"] == "peer" and event["state"] == state
                         and event["who"]["key"] == stranger.me.hex(), f"a stranger that is {state}")

    def test_it_is_seen_with_its_nickname_and_number(self):
        node, stranger = self.meet()
        who = self.seen(node, stranger)["who"]
        number = int.from_bytes(hashlib.sha256(b"earshot/3 number\0" + stranger.me).digest()[:8], "big")
        self.assertEqual((who["nickname"], who["number"]), ("stranger", number % 9000 + 1000))

    def test_it_sees_the_peers(self):
        node, stranger = self.meet()
        presence = stranger.hear(PRESENCE)
        self.assertEqual(presence.author.hex(), node.key)
        self.assertEqual((presence.epoch, presence.hops), (stranger.their_epoch, 0))
        self.assertEqual(presence.body, b"\0\0\x06native\0\0\0\0")

    def test_the_record_that_a_link_opens_with_has_one_size_whatever_the_profile_is(self):
        node = self.node("--nick", "나" * 24)
        node.ready()
        sizes = []
        for _ in range(2):
            stranger = self.stranger(node)
            record = bytes(stranger.peer.receive_record())
            sizes.append((len(record), len(record.rstrip(b"\0"))))
            # The longest profile: lines of 255 bytes, and rooms with names of 480.
            line = "줄" * 75 + "𠀀" * 5
            node.result("about " + line)
            node.result("away " + line)
            for name in ("𠀀" * 60, "𠀁" * 60):
                node.result(f"join {name}")
            node.say(f"@lobby /announce {'𠀀' * 60} {'𠀁' * 60}")
            node.wait(lambda event: event.get("command") == "announce", "the announcement")
        self.assertEqual([size for size, _ in sizes], [1280, 1280])
        self.assertGreater(sizes[1][1], 1180)

    def test_clocks_and_presences_show_no_milliseconds(self):
        node, stranger = self.meet()
        self.assertEqual(stranger.hear(PRESENCE).time % 2_000, 0)
        told, wants_answer = stranger.hear_clock()
        self.assertEqual((told % 2_000, wants_answer), (0, False))
        self.assertLess(abs(told - now()), 4_000)
        stranger.send(stranger.clock(wants_answer=True))
        again, wants_answer = stranger.hear_clock()
        self.assertFalse(wants_answer)
        self.assertIn(again - told, (0, 2_000))
        for bad in (b"", b"\2" + bytes(8), bytes(8), bytes(10)):
            stranger.send(bytes([CLOCK]) + bad)
        stranger.say_publicly("said")
        node.hears("said")
        self.assertEqual(node.result("stats")["unexpected_frames"], 4)

    def test_four_keys_at_one_address_make_no_warning_of_a_wrong_clock(self):
        node = self.node()
        for number in range(4):
            stranger = self.stranger(node, clock_error=600_000)
            self.seen(node, stranger)
            stranger.say_publicly(f"said {number}")
            node.hears(f"said {number}")
        node.result("stats")
        self.assertNotIn("clock_skew", [event.get("code") for event in node.events])

    def test_a_reason_to_be_away_is_exchanged(self):
        node, stranger = self.meet()
        self.seen(node, stranger)
        stranger.hear(PRESENCE)
        node.say("/away at lunch")
        self.assertEqual(stranger.hear(PRESENCE).body, b"\1\0\x06native\x08at lunch\0\0\0")
        stranger.say(PRESENCE, presence(1, "stranger", "점심"))
        self.assertEqual(self.seen(node, stranger, "away")["reason"], "점심")

    def test_a_line_about_oneself_and_announced_rooms_are_exchanged(self):
        node, stranger = self.meet()
        self.seen(node, stranger)
        stranger.hear(PRESENCE)
        node.say("/about in a red hat")
        self.assertEqual(stranger.hear(PRESENCE).body, presence(0, "native", about="in a red hat"))
        node.result("join 차고")
        node.say("@lobby /announce")
        self.assertEqual(stranger.hear(PRESENCE).body, presence(0, "native", about="in a red hat", rooms=["차고"]))
        stranger.say(PRESENCE, presence(0, "stranger", about="빨간 모자", rooms=["kitchen", "차고"]))
        stranger.say_publicly("said")
        node.hears("said")
        self.assertEqual([(row["name"], row["people"]) for row in node.result("rooms")["announced"]],
                         [("kitchen", 1), ("차고", 1)])
        node.say("@lobby /whois stranger")
        shown = node.wait(lambda event: event.get("command") == "whois", "the stranger")
        self.assertEqual((shown["about"], shown["announced"]), ("빨간 모자", ["kitchen", "차고"]))

    def test_four_rooms_a_line_too_long_and_bytes_behind_them_are_refused(self):
        node, stranger = self.meet()
        self.seen(node, stranger)
        good = presence(0, "stranger", about="fine")
        for bad in (presence(0, "stranger", rooms=["a", "b", "c", "d"]), presence(0, "stranger", about="x" * 81),
                    presence(0, "stranger", rooms=["two\nlines"]), presence(0, "stranger", rooms=[""]), good + b"\0",
                    good[:-1], good[:-2] + b"\1\0\0", presence(0, "stranger", bridge=8)):
            stranger.say(PRESENCE, bad)
        stranger.say_publicly("said")
        node.hears("said")
        self.assertIsNone(node.result("whois stranger")["about"])
        counters = node.result("stats")
        self.assertEqual((counters["dropped_malformed"], counters["dropped_invalid_about"]), (7, 1))

    def test_texts_and_names_that_can_not_be_seen_are_refused_alike(self):
        node, stranger = self.meet()
        self.seen(node, stranger)
        blank = ("\u200b", "\u2800", "\u3164", "\u115f", "\ufeff", "\U000e0041", "\u0301", "\ufff0")
        for text in blank:
            self.assertFalse(is_visible(text), ascii(text))
            stranger.say_publicly(text)
            stranger.say(PRESENCE, presence(0, text))
        for text in ("\ue000", "ㅋ", "a\u200b"):
            self.assertTrue(is_visible(text), ascii(text))
            stranger.say_publicly(text)
            node.hears(text)
        counters = node.result("stats")
        self.assertEqual((counters["dropped_empty"], counters["dropped_invalid_nickname"]), (len(blank), len(blank)))
        node.say("\u3164")
        self.assertEqual(node.wait(lambda event: event["event"] == "error", "a refusal")["code"], "empty")

    def test_rooms_are_invited_to_both_ways(self):
        node, stranger = self.meet()
        stranger.write_to_them(REQUEST, "a word?")
        request = node.wait(lambda event: event["event"] == "request", "a request")
        node.say(f"/accept {request['from']['number']}")
        stranger.hear(ACCEPT)
        stranger.say(INVITATION, stranger.them + bytes(range(32)) + "차고".encode())
        told = node.wait(lambda event: event["event"] == "invitation", "an invitation")
        self.assertEqual((told["to"], told["private"]), ("차고", True))
        node.result("join 차고")
        node.say("@lobby /invite stranger 차고")
        # The secret is the same again, and so is the name.
        self.assertEqual(stranger.hear(INVITATION).body, stranger.me + bytes(range(32)) + "차고".encode())
        node.result("join cellar")
        node.say("@lobby /invite stranger cellar")
        self.assertEqual(stranger.hear(INVITATION).body, stranger.me + bytes(32) + b"cellar")

    def test_it_receives_history_on_request(self):
        node = self.node()
        node.ready()
        for text in ("one", "two", "three"):
            node.say(text)
            node.hears(text)
        stranger = self.stranger(node)
        ids = stranger.hear_ids(HAVE)
        stranger.list_ids(WANT, ids)
        given = [stranger.hear(PUBLIC) for _ in ids]
        self.assertEqual([message.named_text(1)[1] for message in given], ["one", "two", "three"])
        self.assertEqual([message.id[:8] for message in given], ids)
        self.assertEqual([message.hops for message in given], [0, 0, 0])

    def test_it_sends_history_on_request(self):
        node, stranger = self.meet()
        self.seen(node, stranger)
        author = self.stranger(node, nickname="author")
        past = author.payload(PUBLIC, b"\0" + author.nickname + b"\x00long ago", hops=1)
        stranger.list_ids(HAVE, [author.last_id])
        self.assertEqual(stranger.hear_ids(WANT), [author.last_id[:8]])
        stranger.send(past)
        message = node.hears("long ago")
        self.assertEqual((message["from"]["key"], message["history"]), (author.me.hex(), True))

    def test_public_messages_go_both_ways_under_one_id(self):
        node, stranger = self.meet()
        stranger.say_publicly("hello from afar, 안녕 👋")
        self.assertEqual(node.hears("hello from afar, 안녕 👋")["id"], stranger.last_id.hex())
        node.say("hello, stranger")
        message = stranger.hear(PUBLIC)
        self.assertEqual(message.named_text(1), ("native", "hello, stranger"))
        self.assertEqual(node.hears("hello, stranger")["id"], message.id.hex())

    def test_it_can_be_dialled(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(20)
            node = self.node("--peer", f"127.0.0.1:{server.getsockname()[1]}")
            stream, _ = server.accept()
        self.addCleanup(stream.close)
        stream.settimeout(20)
        stranger = Stranger("responder", stream)
        self.seen(node, stranger)
        stranger.say_publicly("you called?")
        node.hears("you called?")

    def test_it_asks_is_accepted_and_is_answered(self):
        node, stranger = self.meet()
        stranger.write_to_them(REQUEST, "a word?")
        asked = stranger.last_id
        request = node.wait(lambda event: event["event"] == "request", "a request")
        self.assertEqual(request["text"], "a word?")
        node.say(f"/accept {request['from']['number']}")
        self.assertEqual(stranger.hear(ACCEPT).body, stranger.me)
        self.assertEqual(stranger.hear(DELIVERED).body, stranger.me + b"\1" + asked)
        text = stranger.payload(DIRECT, stranger.them + stranger.nickname + b"\x00between us")
        for _ in range(2):
            stranger.send(text)
            self.assertEqual(stranger.hear(DELIVERED).body, stranger.me + b"\1" + stranger.last_id)
        self.assertEqual(node.hears("between us")["conversation"], "direct")
        node.say(f"/msg {request['from']['number']} so be it")
        reply = stranger.hear(DIRECT)
        self.assertEqual((reply.body[:32], reply.named_text(32)[1]), (stranger.me, "so be it"))
        stranger.say(DELIVERED, stranger.them + b"\1" + reply.id)
        node.wait(lambda event: event["event"] == "delivered" and event["ids"] == [reply.id.hex()], "its receipt")
        stranger.write_to_them(LEAVE)
        node.wait(lambda event: event["event"] == "direct" and event["state"] == "left", "an end of it")

    def test_it_is_asked_and_accepts(self):
        node, stranger = self.meet()
        number = self.seen(node, stranger)["who"]["number"]
        node.say(f"/msg {number} are you real?")
        self.assertEqual(stranger.hear(REQUEST).named_text(32), ("native", "are you real?"))
        stranger.write_to_them(ACCEPT)
        node.wait(lambda event: event["event"] == "direct" and event["state"] == "accepted", "its acceptance")

    def test_it_edits_and_deletes_its_messages(self):
        node, stranger = self.meet()
        stranger.say_publicly("helo")
        node.hears("helo")
        target = stranger.last_id
        stranger.say(EDIT, ROOM + target + b"hello")
        node.wait(lambda event: event["event"] == "edited" and event["text"] == "hello", "the edit")
        stranger.say(DELETE, ROOM + target)
        node.wait(lambda event: event["event"] == "deleted" and event["id"] == target.hex(), "the deletion")

    def test_of_two_edits_the_one_of_the_later_epoch_is_shown(self):
        node, stranger = self.meet()
        stranger.say_publicly("first")
        message = stranger.last_id
        node.hears("first")
        stranger.say(EDIT, ROOM + message + b"second")
        node.wait(lambda event: event["event"] == "edited" and event["text"] == "second", "the first edit")
        # Its run goes on under a higher epoch (section 1), where numbers begin again at 1.
        stranger.epoch, stranger.seq = stranger.epoch + 1, 0
        stranger.send(bytes([CERTIFICATE]) + issue(stranger.peer.identity, stranger.peer.static_public, stranger.epoch))
        stranger.say(EDIT, ROOM + message + b"third")
        node.wait(lambda event: event["event"] == "edited" and event["text"] == "third", "the edit of the later epoch")

    def test_a_false_signature_under_an_edit_of_one_s_own_bans(self):
        node, stranger = self.meet()
        stranger.say_publicly("first")
        node.hears("first")
        stranger.say(EDIT, ROOM + stranger.last_id + b"second", signature=bytes(64))
        self.assertTrue(stranger.is_cut_off())
        try:
            self.assertTrue(self.stranger(node, identity=stranger.peer.identity).is_cut_off())
        except (AssertionError, ConnectionError):
            pass  # The node may disconnect it during its introduction.
        self.assertEqual(node.result("stats")["dropped_bad_signature"], 1)

    def hear_many_records(self, node, stranger):
        """Has the node send more than 256 records, each a presence with another reason."""
        for number in range(300):
            node.say(f"/away {number}")
            while f"{number}".encode() not in stranger.hear(PRESENCE).body:
                pass
        self.assertGreater(stranger.peer.counts["in"], 256)

    def test_a_new_handshake_replaces_the_keys_while_both_talk(self):
        node, stranger = self.meet()
        self.seen(node, stranger)
        for number in range(2):
            node.say(f"before {number}")
            self.assertEqual(stranger.hear(PUBLIC).named_text(1)[1], f"before {number}")
            stranger.say_publicly(f"before, too {number}")
            stranger.renew()
            stranger.say_publicly(f"after {number}")
            node.hears(f"before, too {number}")
            node.hears(f"after {number}")
        self.assertEqual(node.result("stats")["keys_replaced"], 2)
        with self.assertRaises((AssertionError, ConnectionError)):
            stranger.renew()

    def test_keys_change_after_256_records_both_ways(self):
        node, stranger = self.meet()
        self.seen(node, stranger)
        self.assertEqual(stranger.hear(type=PONG), bytes(8), "the answer to the ping on opening")
        for number in range(600):
            stranger.send(bytes([PING]) + struct.pack(">Q", number))
        self.hear_many_records(node, stranger)
        stranger.say_publicly("still here")
        node.hears("still here")

    def test_frames_of_the_future_are_ignored(self):
        node, stranger = self.meet()
        stranger.send(b"\xc8whatever", stranger.payload(PUBLIC, b"\0" + stranger.nickname + b"\x00and this"), b"\xff")
        node.hears("and this")

    def test_when_either_leaves_the_other_knows(self):
        node, stranger = self.meet()
        other = self.stranger(node, nickname="other")
        self.seen(node, stranger)
        self.seen(node, other)
        stranger.leave()
        self.seen(node, stranger, "offline")
        node.say("/quit")
        self.assertEqual(other.hear(type=GOODBYE), b"\0")
        self.assertEqual(node.process.wait(15), 0)

    def test_a_length_that_no_handshake_message_has_closes_at_once(self):
        node = self.node()
        for length in (0, 527, 1296, 4112, 65535):
            with self.subTest(length), socket.create_connection(("127.0.0.1", node.ready()["port"]), timeout=1) as stream:
                stream.sendall(struct.pack(">H", length))
                try:
                    self.assertEqual(stream.recv(1), b"")
                except ConnectionResetError:
                    pass

    def test_another_room_does_not_get_in(self):
        node = self.node()
        with self.assertRaises((AssertionError, ConnectionResetError)):
            self.stranger(node, room="elsewhere")
        self.assertEqual(node.result("stats")["link_handshake_failed"], 1)

    def test_a_peer_that_names_another_author_is_disconnected(self):
        node, stranger = self.meet()
        self.seen(node, stranger)
        stranger.say(PUBLIC, b"\0" + stranger.nickname + b"\x00I am somebody else", author=bytes(range(32)))
        self.assertTrue(stranger.is_cut_off())

    def test_a_peer_that_relays_a_false_signature_is_disconnected_and_banned(self):
        node, stranger = self.meet()
        self.seen(node, stranger)
        stranger.say(PUBLIC, b"\0" + stranger.nickname + b"\x00so they said", author=bytes(range(32)), hops=1,
                     signature=bytes(64))
        self.assertTrue(stranger.is_cut_off())
        try:
            self.assertTrue(self.stranger(node, identity=stranger.peer.identity).is_cut_off())
        except ConnectionError:
            pass  # The node may disconnect it during its introduction.

    def test_padding_that_is_not_zero_ends_the_link(self):
        node, stranger = self.meet()
        self.seen(node, stranger)
        stranger.peer.send_record(bytes(511) + b"\1")
        self.assertTrue(stranger.is_cut_off())


if __name__ == "__main__":
    unittest.main()
