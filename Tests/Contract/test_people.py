"""Invitations, announced rooms, contacts and the line about oneself."""

import pathlib
import tempfile

from people import People


class Invited(People):
    def members(self):
        """Friends in the lobby, alice also in a private room and in an open one."""
        alice, bob = self.friends()
        alice.result("join attic a pass phrase of ours")
        alice.result("join cellar")
        alice.result("open lobby")
        return alice, bob

    def rooms(self, node):
        return node.result("rooms")

    def test_a_friend_is_invited_to_a_private_room_and_never_sees_its_key(self):
        alice, bob = self.members()
        self.assertEqual(alice.result("invite bob attic")["to"], "attic")
        told = self.next(bob, "invitation")
        self.assertEqual((told["from"]["key"], told["to"], told["private"], told["there"]), (alice.key, "attic", True, False))
        waiting = self.rooms(bob)["invitations"]
        self.assertEqual([(row["to"], row["private"]) for row in waiting], [("attic", True)])
        self.assertEqual(bob.result("join attic")["room"], "attic")
        self.assertEqual(self.rooms(bob)["invitations"], [])
        # The pass phrase leads to the same room, so it was the room of the key.
        self.assertEqual(bob.result("join attic a pass phrase of ours")["room"], "attic")
        self.assertEqual(len(self.rooms(bob)["rooms"]), 2)
        # The open room of that name is another one.
        self.assertEqual(bob.result("join attic --open")["room"], "attic/2")

    def test_a_room_is_made_with_a_key_that_is_shown_once_and_invited_to(self):
        alice, bob = self.friends()
        made = alice.result('room new "our attic"')
        self.assertEqual(made["room"], "our attic")
        alice.result("invite bob")
        self.assertTrue(self.next(bob, "invitation")["private"])
        self.assertEqual(bob.result('join "our attic"')["room"], "our attic")
        # The words lead to the same room.
        self.assertEqual(bob.result(f'join "our attic" {made["key"]}')["room"], "our attic")
        self.assertEqual(len(bob.result("rooms")["rooms"]), 2)
        alice.say("/room old attic")
        self.error(alice, "unknown_command")

    def test_the_room_of_the_command_is_meant_and_the_friend_is_found_in_the_others(self):
        alice, bob = self.members()
        alice.say("@cellar /invite bob")
        self.assertEqual(self.next(alice, "result", command="invite")["to"], "cellar")
        told = self.next(bob, "invitation")
        self.assertEqual((told["to"], told["private"]), ("cellar", False))
        self.assertEqual(bob.result("join cellar")["room"], "cellar")

    def test_an_invitation_to_a_room_that_one_is_in_says_so(self):
        alice, bob = self.members()
        bob.result("join cellar")
        bob.result("open lobby")
        alice.result("invite bob cellar")
        self.assertTrue(self.next(bob, "invitation")["there"])
        self.assertEqual(self.rooms(bob)["invitations"], [])

    def test_an_invitation_waits_for_a_friend_and_comes_once(self):
        alice, bob = self.members()
        alice.result("invite bob attic")
        alice.result("invite bob attic")
        self.next(bob, "invitation")
        self.next(bob, "invitation")
        self.assertEqual(len(self.rooms(bob)["invitations"]), 1)

    def test_strangers_are_not_invited(self):
        alice, bob = self.pair()
        alice.result("join attic")
        alice.say("@lobby /invite bob attic")
        self.error(alice, "not_accepted")
        alice.say("/invite carol")
        self.error(alice, "unknown_peer")
        alice.say("@lobby /invite bob garden")
        self.error(alice, "unknown_room")
        alice.result("part attic")
        alice.say("/invite bob")
        self.error(alice, "unknown_room")

    def test_a_muted_friend_invites_unheard(self):
        alice, bob = self.members()
        bob.say("/ignore alice")
        self.next(bob, "result", command="mute")
        alice.result("invite bob attic")
        alice.say("/msg bob behind it")
        # Payloads that come in order are acknowledged in order, unheard or not.
        self.next(alice, "delivered")
        bob.say("/unignore alice")
        self.next(bob, "result", command="unmute")
        alice.say("and now")
        self.next(bob, "message", text="and now")
        self.assertEqual([event for event in bob.events if event["event"] == "invitation"], [])


class Announced(People):
    def test_open_rooms_are_announced_until_they_are_left(self):
        alice, bob = self.pair()
        alice.result("join attic a pass phrase of ours")
        alice.result("join cellar")
        alice.result("open lobby")
        self.assertEqual(bob.result("rooms")["announced"], [])
        self.assertEqual(alice.result("announce")["rooms"], ["cellar"])
        self.said(alice, bob)
        self.assertEqual(bob.result("rooms")["announced"], [{"name": "cellar", "people": 1}])
        self.assertEqual(bob.result("whois alice")["announced"], ["cellar"])
        alice.result("part cellar")
        self.said(alice, bob)
        self.assertEqual(bob.result("rooms")["announced"], [])

    def test_an_announcement_is_taken_back(self):
        alice, bob = self.pair()
        alice.result("join cellar")
        alice.result("open lobby")
        alice.result("announce cellar")
        self.assertEqual(alice.result("announce off")["rooms"], [])
        self.said(alice, bob)
        self.assertEqual(bob.result("rooms")["announced"], [])

    def test_private_rooms_and_more_than_three_are_not_announced(self):
        alice, _ = self.pair()
        alice.result("join attic a pass phrase of ours")
        for command, code in (("announce attic", "invalid_room"), ("announce", "unknown_room"), ("announce x", "unknown_room")):
            alice.say("@lobby /" + command)
            self.error(alice, code)
        for name in ("one", "two", "three", "four"):
            alice.result("join " + name)
        alice.say("@lobby /announce")
        self.error(alice, "too_many_rooms")
        alice.say('@lobby /announce one "two" three')
        self.assertEqual(self.next(alice, "result", command="announce")["rooms"], ["one", "two", "three"])

    def test_a_line_about_oneself_is_shown_to_those_who_ask(self):
        alice, bob = self.pair()
        line = "빨간 모자, 세 번째 줄"
        alice.result("about " + line)
        self.assertEqual(alice.result("whoami")["about"], line)
        self.said(alice, bob)
        self.assertEqual(bob.result("whois alice")["about"], line)
        alice.result("about")
        self.said(alice, bob)
        self.assertIsNone(bob.result("whois alice")["about"])
        alice.say("/about " + "x" * 81)
        self.error(alice, "invalid_about")

    def said(self, speaker, hearer):
        """Everything that was sent before has come."""
        speaker.say("@lobby said")
        self.next(hearer, "message", text="said")


class Contacts(People):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = str(pathlib.Path(folder.name) / "me")

    def alice(self, *options, **more):
        return self.person("alice", "--identity", self.file, *options, **more)

    def test_a_contact_has_the_users_name_everywhere_and_in_the_next_run(self):
        alice = self.alice()
        bob = self.person("bob", "--identity", self.file + "-bob", meets=alice)
        who = alice.result("contact bob Robert der Große")["who"]
        self.assertEqual((who["contact"], who["nickname"]), ("Robert der Große", "bob"))
        bob.say("hello")
        self.assertEqual(self.next(alice, "message")["from"]["contact"], "Robert der Große")
        (row,) = alice.result("contacts")["contacts"]
        self.assertEqual((row["who"]["key"], row["here"], row["verified"]), (bob.key, ["lobby"], False))
        self.assertEqual(alice.result("whois Robert der Große")["who"]["key"], bob.key)
        alice.result("verify bob ok")
        self.assertEqual(alice.quit(), 0)
        again = self.alice("--peer", f"127.0.0.1:{bob.ready()['port']}")
        self.assertEqual(self.next(again, "peer", state="online")["who"]["contact"], "Robert der Große")
        bob.quit()
        self.next(again, "peer", state="offline")
        (row,) = again.result("contacts")["contacts"]
        self.assertEqual((row["here"], row["verified"]), ([], True))
        self.assertIsNotNone(row["lastHere"])
        again.result("uncontact Robert der Große")
        self.assertEqual(again.result("contacts")["contacts"], [])

    def test_a_contact_under_another_key_is_a_stranger(self):
        alice = self.alice()
        bob = self.person("bob", meets=alice)
        alice.result("contact bob")
        bob.quit()
        self.next(alice, "peer", state="offline")
        again = self.person("bob", meets=alice)
        arrival = alice.sees(again)
        self.assertEqual((arrival["who"]["nickname"], "contact" in arrival["who"]), ("bob", False))

    def test_contacts_need_an_identity_and_names_of_their_own(self):
        alice, bob = self.pair()
        for command in ("contact bob", "uncontact bob", "contacts"):
            alice.say("/" + command)
            self.error(alice, "no_identity")
        carol = self.alice("--peer", f"127.0.0.1:{alice.ready()['port']}", "--peer", f"127.0.0.1:{bob.ready()['port']}")
        carol.sees(alice)
        carol.sees(bob)
        carol.result(f"contact {alice.number} pal")
        carol.say(f"/contact {bob.number} pal")
        self.error(carol, "invalid_nickname")
        carol.say(f"/uncontact {bob.number}")
        self.error(carol, "unknown_peer")
        self.assertEqual(carol.result(f"contact {alice.number} buddy")["who"]["contact"], "buddy")

    def test_a_wipe_forgets_contacts_and_the_line_about_oneself(self):
        alice = self.alice()
        bob = self.person("bob", meets=alice)
        alice.result("contact bob Bobby")
        alice.result("about a line")
        alice.result("wipe now")
        self.assertFalse(pathlib.Path(self.file).exists())
        alice.wait(lambda event: event["event"] == "ready", "ready", from_start=False)
        self.assertIsNone(alice.result("whoami")["about"])
        alice.say("/contacts")
        self.error(alice, "no_identity")

    def test_the_line_about_oneself_is_kept_with_the_identity(self):
        alice = self.alice()
        alice.result("about a line")
        alice.quit()
        self.assertEqual(self.alice().result("whoami")["about"], "a line")


if __name__ == "__main__":
    import unittest

    unittest.main()
