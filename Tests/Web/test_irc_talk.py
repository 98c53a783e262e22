"""The IRC face: texts, their changes and their past, by raw lines on one side and nodes on the other (Docs/IRC.md)."""

import datetime
import os
import tempfile
import unittest

from irc import MODERN, IRCTest, batch


class Room(IRCTest):
    def test_texts_go_both_ways_in_korean_and_as_actions(self):
        alice, bob, client = self.pair()
        bob.say("안녕 hello")
        said = client.next("PRIVMSG", "#lobby", text="안녕 hello")
        self.assertEqual(said.nick, "bob")
        self.assertTrue(said.source.endswith(f"@{bob.key[:8]}.earshot"), said.source)
        client.send("PRIVMSG #lobby :반가워, \U0001f44b")
        bob.hears("반가워, \U0001f44b")
        client.send("PRIVMSG #lobby :\1ACTION waves 손\1")
        self.assertEqual(bob.wait(lambda event: event["event"] == "message" and event["action"], "action")["action"], "waves 손")
        bob.say("/me waves back")
        client.next("PRIVMSG", "#lobby", text="\1ACTION waves back\1", nick="bob")
        client.send("NOTICE #lobby :as a notice")
        bob.hears("as a notice")
        # Without echo-message, a client does not hear itself.
        self.assertFalse([line for line in client.ask() if line.nick == "alice"])

    def test_a_text_that_begins_with_a_slash_is_a_text(self):
        alice, bob, client = self.pair("standard-replies")
        client.send("PRIVMSG #lobby :/join elsewhere")
        bob.hears("/join elsewhere")
        client.send("PRIVMSG #lobby ://quit")
        bob.hears("//quit")
        self.assertEqual([row["room"] for row in alice.node.result("rooms")["rooms"]], ["lobby"])

    def test_two_clients_of_one_node_show_the_same(self):
        alice, bob, first = self.pair("echo-message", "message-tags")
        second = self.client(alice, "message-tags")
        first.send("PRIVMSG #lobby :from the first")
        own, other = (client.next("PRIVMSG", "#lobby", text="from the first", nick="alice") for client in (first, second))
        self.assertEqual(own.tags["msgid"], other.tags["msgid"])
        alice.node.say("from the terminal")
        for client in (first, second):
            client.next("PRIVMSG", "#lobby", text="from the terminal", nick="alice")
        first.send("NICK alina")
        for client in (first, second):
            self.assertEqual(client.next("NICK", nick="alice").params, ["alina"])
        bob.wait(lambda event: event["event"] == "peer" and event["who"]["nickname"] == "alina", "name")
        first.close()
        second.send("PRIVMSG #lobby :still here")
        bob.hears("still here")

    def test_a_peer_comes_goes_and_changes_its_name(self):
        alice, bob, client = self.pair()
        bob.say("/nick robert")
        self.assertEqual(client.next("NICK", nick="bob").params, ["robert"])
        bob.say("/quit")
        client.next("QUIT", nick="robert")
        self.person("carol", alice)
        self.assertTrue(client.next("JOIN", "#lobby").source.startswith("carol!"))

    def test_peers_with_one_name_have_two_nicks(self):
        alice, bob, client = self.pair()
        other = self.person("bob", alice)
        join = client.next("JOIN", "#lobby")
        self.assertEqual(join.nick, f"bob-{other.number}")
        other.say("which bob?")
        client.next("PRIVMSG", "#lobby", nick=f"bob-{other.number}", text="which bob?")
        third = self.person("alice", alice)
        self.assertEqual(client.next("JOIN", "#lobby").nick, f"alice-{third.number}")
        bob.say("/nick carol")
        client.next("NICK", "carol", nick="bob")
        # The name of a peer that is here is not taken by another one.
        other.say("/nick carol")
        client.next("NICK", f"carol-{other.number}")

    def test_a_peer_that_returns_with_another_key_is_another_user(self):
        alice, bob, client = self.pair()
        first = bob.key
        bob.quit()
        client.next("QUIT", nick="bob")
        again = self.person("bob", alice)
        join = client.next("JOIN", "#lobby")
        self.assertNotEqual(first[:8], again.key[:8])
        self.assertTrue(join.source.endswith(f"@{again.key[:8]}.earshot"))

    def test_a_peer_that_returns_with_its_key_under_another_nick_joins_and_is_no_rename(self):
        alice = self.irc_served()
        client = self.client(alice)
        with tempfile.TemporaryDirectory(prefix="earshot-irc.") as folder:
            key = ("--identity", f"{folder}/key")
            bob = self.person("bob", alice, *key)
            client.next("JOIN", "#lobby", nick="bob")
            client.ask("MONITOR + bob,robert")
            bob.quit()
            client.next("731")
            bob.process.wait()
            found = len(client.seen)
            self.person("robert", alice, *key)
            client.next("JOIN", "#lobby", nick="robert")
            client.ask()
            told = [(line.command, line.text.split("!")[0]) for line in client.seen[found:] if line.command in ("NICK", "730", "731")]
            self.assertEqual(told, [("730", "robert")])

    def test_names_that_irc_can_not_have_are_made_legal(self):
        alice = self.irc_served()
        client = self.client(alice)
        for name in ("two words", "민수", "1st", "a#b", "x" * 24):
            peer = self.person("plain", alice)
            client.next("JOIN", "#lobby")
            peer.say("/nick " + name)
            told = client.next("NICK").params[0]
            self.assertRegex(told, r"^[^\s,*?!@.#&:0-9+~%-][^\s,*?!@:]*$", name)
            peer.say("called " + name)
            client.next("PRIVMSG", nick=told)
            self.assertIn("311", [line.command for line in client.ask(f"WHOIS {told}")])
            peer.kill()
            client.next("QUIT", nick=told)

    def test_own_nick_is_the_own_nickname(self):
        alice, bob, client = self.pair()
        client.send("NICK alina")
        self.assertEqual(client.next("NICK", nick="alice").params, ["alina"])
        for wrong, numeric in (("NICK", "431"), ("NICK a!b", "432"), ("NICK bob", "433")):
            client.answer(wrong, numeric)
        self.assertEqual(alice.node.result("whoami")["who"]["nickname"], "alina")
        # A name that any face takes is a NICK.
        alice.node.say("/nick from-the-terminal")
        self.assertEqual(client.next("NICK", nick="alina").params, ["from-the-terminal"])

    def test_away_and_back(self):
        alice, bob, client = self.pair("away-notify")
        self.assertIn("306", [line.command for line in client.ask("AWAY :at lunch")])
        told = bob.wait(lambda event: event.get("state") == "away", "absence")
        self.assertEqual(told["reason"], "at lunch")
        self.assertIn("305", [line.command for line in client.ask("AWAY")])
        bob.say("/away too")
        self.assertEqual(client.next("AWAY", nick="bob").params, ["too"])
        bob.say("/back")
        self.assertEqual(client.next("AWAY", nick="bob").params, [])
        bob.say("/away reading")
        client.next("AWAY", nick="bob")
        self.assertEqual(client.answer("PRIVMSG bob :are you there?", "301").text, "reading")

    def test_rooms_are_joined_and_left(self):
        alice, bob, client = self.pair()
        client.send("JOIN #Attic")
        self.assertEqual(client.next("JOIN", nick="alice").params[0].lower(), "#attic")
        self.assertEqual(client.next("366").params[1].lower(), "#attic")
        self.assertIn("attic", [row["room"].lower() for row in alice.node.result("rooms")["rooms"]])
        client.send("PART #attic :bye")
        self.assertEqual(client.next("PART").params[0].lower(), "#attic")
        client.ask()
        self.assertEqual([row["room"] for row in alice.node.result("rooms")["rooms"]], ["lobby"])
        for line, numerics in (("PART #attic", ("442", "403")), ("PRIVMSG #attic :x", ("404", "403", "442")), ("JOIN lobby", ("403", "476")),
                               ("JOIN #", ("403", "476", "479")), ("PART #nowhere", ("403", "442")), ("JOIN #" + "x" * 65, ("403", "476", "479"))):
            client.answer(line, *numerics)
        alice.node.say("/join cellar")
        self.assertEqual(client.next("JOIN", nick="alice").params[0], "#cellar")
        alice.node.say("/part cellar")
        client.next("PART", "#cellar", nick="alice")
        # The node stays in its last room; only this client leaves the channel.
        other = self.client(alice)
        client.send("PART #lobby")
        client.next("PART", "#lobby", nick="alice")
        bob.say("for the other one")
        other.next("PRIVMSG", text="for the other one")
        self.assertFalse([line for line in client.ask() if line.command == "PRIVMSG"])
        client.answer("PRIVMSG #lobby :x", "404", "442")
        client.send("JOIN #lobby")
        client.next("JOIN", "#lobby", nick="alice")
        bob.say("for both")
        for one in (client, other):
            one.next("PRIVMSG", text="for both")

    def test_a_private_room_takes_its_words_as_the_key(self):
        alice = self.irc_served()
        key = alice.node.result("room new vault")["key"]
        alice.node.say("/part vault")
        bob = self.irc_served("bob")
        client = self.client(bob)
        client.answer("JOIN #vault short", "475")
        client.send(f"JOIN #vault {key}" if " " not in key else f"JOIN #vault :{key}")
        self.assertEqual(client.next("JOIN", nick="bob").params[0], "#vault")
        self.assertFalse([line for line in client.seen if key in line.raw], "a key is shown")

    def test_invitations(self):
        alice, bob, client = self.friends("invite-notify")
        bob.say("/join kitchen")
        bob.wait(lambda event: event["event"] == "ready" and event["room"] == "kitchen", "kitchen")
        bob.say(f"@lobby /invite {alice.node.key} kitchen")
        invite = client.next("INVITE", nick="bob")
        self.assertEqual(invite.params, ["alice", "#kitchen"])
        client.send("JOIN #attic")
        client.next("JOIN", "#attic")
        self.assertEqual(client.answer("INVITE bob #attic", "341").params[1:], ["bob", "#attic"])
        bob.wait(lambda event: event["event"] == "invitation", "invitation")
        client.answer("INVITE nobody #attic", "401")
        client.answer("INVITE bob #nowhere", "403", "442")

    def test_an_invitation_leads_to_the_room_that_it_names_whatever_marks_its_name_has(self):
        alice, bob, client = self.friends("invite-notify")
        bob.say('/room new "my plans"')
        bob.wait(lambda event: event["event"] == "ready" and event["room"] == "my plans", "the private room")
        bob.say(f'@lobby /invite {alice.node.key} "my plans"')
        self.assertEqual(client.next("INVITE", "alice").params[1], "#my_plans")
        client.send("JOIN #my_plans")
        client.next("JOIN", "#my_plans")
        self.assertEqual(client.answer("MODE #my_plans", "324").params[2], "+kn")

    def test_a_nick_of_the_server_or_its_services_has_a_number(self):
        alice, bob, client = self.pair()
        for name in ("earshot", "NickServ", "Server"):
            bob.say(f"/nick {name}")
            self.assertEqual(client.next("NICK").params, [f"{name}-{bob.number}"])

    def test_a_nick_that_differs_in_letters_of_another_script_and_in_case_has_a_number(self):
        alice, bob, client = self.pair()
        other = self.person("B\u043eb", alice)
        self.assertEqual(client.next("JOIN", "#lobby").nick, f"B\u043eb-{other.number}")

    def test_a_block_is_one_quit(self):
        alice, bob, client = self.pair()
        alice.node.say(f"/block {bob.number}")
        client.next("QUIT", nick="bob")
        self.assertFalse([line for line in client.ask() if line.command == "QUIT"])
        alice.node.say(f"/unblock {bob.number}")
        client.next("JOIN", "#lobby", nick="bob")

    def test_the_names_and_answers_of_a_client_reach_no_peer(self):
        alice, bob, client = self.pair(*MODERN)
        secret = self.stranger(alice)
        secret.send(f"PASS {alice.token}", "NICK alice", "USER myusername 0 * :My Real Name")
        secret.next("001")
        secret.ask("SETNAME :My Other Name", "PRIVMSG bob :\1VERSION\1", "PRIVMSG #lobby :\1VERSION\1", "NOTICE bob :\1VERSION WeeChat\1")
        secret.send("PRIVMSG #lobby :the last")
        bob.hears("the last")
        told = "\n".join(bob.lines.seen)
        for word in ("myusername", "My Real Name", "My Other Name", "WeeChat", "VERSION"):
            self.assertNotIn(word, told)

    def test_ctcp_is_answered_by_the_gateway_and_dcc_refused(self):
        alice, bob, client = self.pair("standard-replies")
        version = client.answer("PRIVMSG bob :\1VERSION\1", "NOTICE")
        self.assertRegex(version.text, "^\x01VERSION .*[Ee]arshot.*\x01$")
        self.assertEqual(client.answer("PRIVMSG bob :\1PING 12345\1", "NOTICE").text, "\1PING 12345\1")
        for wrong in ("DCC SEND a.txt 2130706433 5000 10", "DCC CHAT chat 2130706433 5000", "TIME", "CLIENTINFO"):
            told = client.ask(f"PRIVMSG bob :\1{wrong}\1")
            if wrong.startswith("DCC"):
                self.assertIn(told[0].command, ("FAIL", "NOTICE"), wrong)
        bob.say("nothing came")
        client.next("PRIVMSG", text="nothing came")
        self.assertFalse([event for event in bob.events if event["event"] in ("request", "message") and event.get("text") != "nothing came"])

    def test_colours_and_other_codes_are_removed(self):
        alice, bob, client = self.pair()
        for sent, heard in (("\x02bold\x02 and \x0304,12red\x03 end", "bold and red end"), ("\x1f\x1d\x16\x11\x1eplain\x0f", "plain"),
                            ("\x04ff0000hex\x04", "hex"), ("\x033 3 is no colour\x03", " 3 is no colour".strip())):
            client.send(f"PRIVMSG #lobby :{sent}")
            bob.wait(lambda event, heard=heard: event["event"] == "message" and event["text"].strip() == heard, heard)

    def test_texts_that_break_a_rule_fail_and_are_never_cut(self):
        alice, bob, client = self.pair("standard-replies", "echo-message")
        client.send("PRIVMSG #lobby :" + "x" * 240)
        bob.hears("x" * 240)
        client.next("PRIVMSG", text="x" * 240)
        for text in ("x" * 241, "가" * 241, "a" + "\u0301" * 20, "   "):
            told = [line for line in client.ask(f"PRIVMSG #lobby :{text}") if line.command != "PRIVMSG"]
            self.assertEqual([line.command for line in told], ["FAIL"], text)
            self.assertEqual(told[0].params[0], "PRIVMSG")
            self.assertRegex(told[0].params[1], r"^[A-Z_]+$")
        self.assertIn("240", next(line for line in client.seen if line.command == "FAIL").text)
        # A client without standard replies gets a NOTICE.
        plain = self.client(alice)
        refusal = plain.answer("PRIVMSG #lobby :" + "x" * 241, "NOTICE")
        self.assertIn("240", refusal.text)
        # Beside the text, which many clients show as if it were said.
        self.assertEqual(refusal.params[0], "#lobby")
        bob.say("end")
        client.next("PRIVMSG", text="end")
        self.assertEqual([event["text"] for event in bob.events if event["event"] == "message"][:1], ["x" * 240])

    def test_only_utf8_is_taken(self):
        alice, bob, client = self.pair("standard-replies")
        client.stream.write(b"PRIVMSG #lobby :\xc0\xaf \xff\r\n")
        self.assertEqual(client.next("FAIL").params[1], "INVALID_UTF8")
        client.send("PRIVMSG #lobby :valid")
        self.assertEqual(bob.wait(lambda event: event["event"] == "message", "message")["text"], "valid")

    def test_cards_show_in_the_room(self):
        alice, bob, client = self.pair()
        bob.say("/card lost | a red hat")
        notice = client.next("NOTICE", "#lobby")
        self.assertIn("lost", notice.text)
        self.assertIn("a red hat", notice.text)
        later = self.client(alice)
        self.assertTrue([line for line in later.first if line.command == "NOTICE" and line.text.startswith("1 on the notice board")],
                        [line.raw for line in later.first])

    def test_a_contact_has_the_name_that_the_user_gave_and_a_verified_one_a_voice(self):
        alice = self.irc_served("alice", "--identity", os.path.join(self.folder, "me"))
        bob = self.person("bob", alice)
        client = self.client(alice)
        alice.node.say(f"/contact {bob.key} Robert")
        self.assertEqual(client.next("NICK", nick="bob").params, ["Robert"])
        alice.node.say(f"/verify {bob.key} ok")
        client.next("MODE", "#lobby", "+v", "Robert")
        names = client.answer("NAMES #lobby", "353").text.split()
        self.assertIn("+Robert", names)
        # A stranger that calls itself so gets a number.
        other = self.person("Robert", alice)
        self.assertEqual(client.next("JOIN", "#lobby").nick, f"Robert-{other.number}")


class Direct(IRCTest):
    def test_a_first_message_is_a_request_and_its_answer_a_notice(self):
        alice, bob, client = self.pair()
        client.send("PRIVMSG bob :may I?")
        bob.wait(lambda event: event["event"] == "request", "request")
        bob.say(f"/accept {alice.node.number}")
        client.wait(lambda line: line.command == "NOTICE" and line.nick == "bob", "acceptance")
        client.send("PRIVMSG bob :thanks")
        bob.hears("thanks")
        bob.say(f"/msg {alice.node.number} welcome")
        client.next("PRIVMSG", "alice", nick="bob", text="welcome")

    def test_before_the_answer_no_second_message_is_sent(self):
        alice, bob, client = self.pair("standard-replies")
        client.ask("PRIVMSG bob :may I?")
        self.assertEqual([line.command for line in client.ask("PRIVMSG bob :well?")], ["FAIL"])

    def test_a_request_is_accepted_by_a_message_back(self):
        alice, bob, client = self.pair()
        bob.say(f"/msg {alice.node.number} may I?")
        notice = client.wait(lambda line: line.command == "NOTICE" and "may I?" in line.text, "request")
        self.assertIn("bob", notice.raw)
        self.assertIn("DECLINE", notice.raw + "".join(line.raw for line in client.ask()))
        found = len(client.seen)
        client.send("PRIVMSG bob :of course")
        bob.hears("of course")
        self.assertEqual(bob.wait(lambda event: event["event"] == "direct", "acceptance")["state"], "accepted")
        bob.say(f"/msg {alice.node.number} a second text")
        client.next("PRIVMSG", "alice", nick="bob", text="a second text")
        # The request came as a notice, and the user knows who has accepted.
        told = [line.text for line in client.seen[found:] if line.nick == "bob"]
        self.assertEqual(told, ["a second text"])

    def test_a_request_is_declined_without_a_word(self):
        alice, bob, client = self.pair()
        bob.say(f"/msg {alice.node.number} may I?")
        client.wait(lambda line: line.command == "NOTICE" and "may I?" in line.text, "request")
        told = client.ask("DECLINE bob")
        self.assertNotIn("421", [line.command for line in told])
        self.assertEqual(alice.node.result("requests")["requests"], [])
        bob.say("after that")
        client.next("PRIVMSG", text="after that")
        self.assertFalse([event for event in bob.events if event["event"] == "direct"])
        client.answer("DECLINE bob", "NOTICE", "401", "FAIL")
        client.answer("DECLINE nobody", "401")
        client.answer("DECLINE", "461")

    def test_a_message_to_no_user_is_refused(self):
        client = self.client(self.irc_served())
        self.assertEqual(client.answer("PRIVMSG nobody :x", "401").params[1], "nobody")
        self.assertEqual([line.command for line in client.ask("NOTICE nobody :x") if line.command != "401"], [])

    def test_texts_to_oneself_and_to_several_targets(self):
        alice, bob, client = self.friends("echo-message")
        client.send("PRIVMSG #lobby,bob :to both")
        for kind in ("public", "direct"):
            bob.wait(lambda event, kind=kind: event["event"] == "message" and (event["conversation"], event["text"]) == (kind, "to both"),
                     kind)
        told = client.ask("PRIVMSG alice :to me")
        self.assertTrue(told)

    def test_own_direct_messages_show_in_each_client(self):
        alice, bob, client = self.friends("echo-message")
        other = self.client(alice)
        client.send("PRIVMSG bob :between us")
        for one in (client, other):
            self.assertEqual(one.next("PRIVMSG", text="between us").params[0], "bob")
        self.assertEqual(client.seen[-1].nick, "alice")


class Changes(IRCTest):
    """Edits, deletions, reactions, answers, typing and markers."""

    def said(self, bob, client, text="hello"):
        bob.say(text)
        return client.next("PRIVMSG", "#lobby", text=text).tags["msgid"]

    def test_an_edit_is_shown_and_made(self):
        alice, bob, client = self.pair("message-tags", "echo-message", "draft/message-editing")
        plain = self.client(alice)
        name = self.said(bob, client)
        bob.say("/edit changed")
        edit = client.next("EDIT", "#lobby", name)
        self.assertEqual((edit.nick, edit.text), ("bob", "changed"))
        self.assertRegex(plain.wait(lambda line: "edited" in line.text, "edit").text, r"^\* edited \(\d\d:\d\d\): changed$")
        client.send("PRIVMSG #lobby :mine")
        own = client.next("PRIVMSG", text="mine").tags["msgid"]
        client.send(f"EDIT #lobby {own} :mine, better")
        bob.wait(lambda event: event["event"] == "edited" and event["text"] == "mine, better", "edit")
        client.next("EDIT", "#lobby", own, text="mine, better")
        for wrong in (f"EDIT #lobby {name} :not mine", f"EDIT #lobby {'0' * 32} :x", f"EDIT #lobby {own} :" + "x" * 241, "EDIT #lobby"):
            self.assertTrue([line for line in client.ask(wrong) if line.command in ("FAIL", "461", "NOTICE")], wrong)

    def test_an_edit_of_an_action_stays_one(self):
        alice, bob, client = self.pair("message-tags", "echo-message", "draft/message-editing")
        plain = self.client(alice)
        bob.say("/me dances")
        client.next("PRIVMSG", text="\1ACTION dances\1")
        bob.say("/edit sings")
        self.assertEqual(client.next("EDIT", "#lobby").text, "\1ACTION sings\1")
        self.assertRegex(plain.wait(lambda line: "edited" in line.text, "edit").text, r"^\x01ACTION edited \(\d\d:\d\d\): sings\x01$")
        client.send("PRIVMSG #lobby :\1ACTION waves\1")
        own = client.next("PRIVMSG", nick="alice").tags["msgid"]
        client.send(f"EDIT #lobby {own} :\1ACTION bows\1")
        self.assertEqual(client.next("EDIT", "#lobby", own).text, "\1ACTION bows\1")

    def test_a_change_names_the_conversation_of_its_message(self):
        alice, bob, client = self.pair("message-tags", "echo-message", "standard-replies", "draft/message-editing", "draft/message-redaction")
        client.send("PRIVMSG #lobby :public")
        said = client.next("PRIVMSG", text="public").tags["msgid"]
        client.send("PRIVMSG bob :may I?")
        asked = client.next("PRIVMSG", "bob").tags["msgid"]
        bob.wait(lambda event: event["event"] == "request", "request")
        for target, name in (("bob", said), ("#lobby", asked)):
            self.assertEqual(client.answer(f"EDIT {target} {name} :a secret", "FAIL").params[:2], ["EDIT", "UNKNOWN_MSGID"])
            self.assertEqual(client.answer(f"REDACT {target} {name}", "FAIL").params[:2], ["REDACT", "UNKNOWN_MSGID"])
        bob.say("a line behind")
        client.next("PRIVMSG", text="a line behind")
        self.assertFalse([event for event in bob.events if event["event"] in ("edited", "deleted")])

    def test_a_client_without_redaction_reads_of_a_deletion(self):
        alice, bob, plain = self.pair()
        bob.say("a slip")
        plain.next("PRIVMSG", text="a slip")
        bob.say("/delete")
        told = plain.wait(lambda line: "deleted" in line.text, "deletion")
        self.assertEqual((told.command, told.nick, told.params[0]), ("NOTICE", "bob", "#lobby"))
        self.assertRegex(told.text, r"^\* deleted what was said at \d\d:\d\d$")

    def test_a_redaction_is_shown_and_made(self):
        alice, bob, client = self.pair("message-tags", "echo-message", "draft/message-redaction", "standard-replies")
        plain = self.client(alice)
        name = self.said(bob, client)
        bob.say("/delete")
        self.assertEqual(client.next("REDACT", "#lobby", name).nick, "bob")
        self.assertFalse([line for line in plain.ask() if line.command == "REDACT"])
        client.send("PRIVMSG #lobby :mine")
        own = client.next("PRIVMSG", text="mine").tags["msgid"]
        client.send(f"REDACT #lobby {own} :a slip")
        bob.wait(lambda event: event["event"] == "deleted" and event["id"] == own, "deletion")
        client.next("REDACT", "#lobby", own)
        for wrong in (self.said(bob, client, "not mine"), "0" * 32, "x"):
            told = client.answer(f"REDACT #lobby {wrong}", "FAIL")
            self.assertEqual(told.params[0], "REDACT")
            self.assertIn(told.params[1], ("UNKNOWN_MSGID", "REDACT_FORBIDDEN"))

    def test_reactions_and_answers(self):
        alice, bob, client = self.pair("message-tags", "echo-message", "labeled-response", "batch")
        name = self.said(bob, client)
        client.send(f"@+draft/reply={name};+draft/react=\U0001f44d TAGMSG #lobby")
        self.assertEqual(bob.wait(lambda event: event["event"] == "reacted", "reaction")["emojis"], ["\U0001f44d"])
        bob.say(f"/react {name} \u2764\ufe0f")
        told = client.wait(lambda line: line.command == "TAGMSG" and line.nick == "bob", "reaction")
        self.assertEqual((told.tags["+draft/react"], told.tags["+draft/reply"]), ("\u2764\ufe0f", name))
        bob.say(f"/unreact {name} \u2764\ufe0f")
        told = client.wait(lambda line: line.command == "TAGMSG" and "+draft/unreact" in line.tags, "end of the reaction")
        self.assertEqual(told.tags["+draft/reply"], name)
        client.send(f"@+draft/reply={name};+draft/unreact=\U0001f44d TAGMSG #lobby")
        bob.wait(lambda event: event["event"] == "reacted" and not event["emojis"] and event["from"]["key"] == alice.node.key, "its end")
        client.send(f"@+draft/reply={name} PRIVMSG #lobby :an answer")
        self.assertEqual(bob.hears("an answer")["replyTo"], name)
        self.assertEqual(client.next("PRIVMSG", text="an answer").tags["+draft/reply"], name)
        bob.say(f"/re {name} to myself")
        self.assertEqual(client.next("PRIVMSG", text="to myself").tags["+draft/reply"], name)

    def test_a_client_without_tags_reads_reactions_nowhere(self):
        alice, bob, client = self.pair()
        bob.say("hello")
        client.next("PRIVMSG", text="hello")
        name = bob.hears("hello")["id"]
        bob.say(f"/react {name} \U0001f44d")
        alice.node.wait(lambda event: event["event"] == "reacted", "reaction")
        self.assertFalse([line for line in client.ask() if line.command == "TAGMSG"])

    def test_typing(self):
        alice, bob, client = self.pair("message-tags")
        client.send("@+typing=active TAGMSG #lobby")
        bob.wait(lambda event: event["event"] == "typing", "typing")
        bob.say("/typing")
        told = client.wait(lambda line: line.command == "TAGMSG" and line.nick == "bob", "typing")
        self.assertEqual((told.params, told.tags["+typing"]), (["#lobby"], "active"))
        client.ask("@+typing=paused TAGMSG #lobby", "@+typing=done TAGMSG #lobby", "@+typing=nonsense TAGMSG #lobby",
                   "@+other=x TAGMSG #lobby", "TAGMSG #lobby")
        bob.say("/typing off")
        client.wait(lambda line: line.command == "TAGMSG" and line.tags.get("+typing") == "done", "end of typing")

    def test_a_marker_in_the_future_is_one_of_now(self):
        alice, bob, client = self.pair("draft/read-marker")
        told = client.answer("MARKREAD #lobby timestamp=2099-01-01T00:00:00.000Z", "MARKREAD").params[1]
        self.assertLess(told, "timestamp=2098")

    def test_read_markers_are_one_for_all_clients(self):
        alice, bob, client = self.pair("draft/read-marker", "server-time", "message-tags")
        other = self.client(alice, "draft/read-marker")
        bob.say("read me")
        time = client.next("PRIVMSG", text="read me").tags["time"]
        self.assertEqual(client.answer("MARKREAD #lobby", "MARKREAD").params[0], "#lobby")
        told = client.answer(f"MARKREAD #lobby timestamp={time}", "MARKREAD")
        self.assertEqual(told.params, ["#lobby", f"timestamp={time}"])
        other.next("MARKREAD", "#lobby", text=f"timestamp={time}")
        # It only moves forward.
        told = client.answer("MARKREAD #lobby timestamp=2020-01-01T00:00:00.000Z", "MARKREAD")
        self.assertEqual(told.params[1], f"timestamp={time}")
        for wrong in ("MARKREAD #lobby timestamp=yesterday", "MARKREAD #lobby x", "MARKREAD #nowhere timestamp=2020-01-01T00:00:00.000Z"):
            client.answer(wrong, "FAIL", "403", "NOTICE")
        self.assertEqual(alice.node.result("unread")["conversations"][0]["unread"], 0)

    def test_metadata_has_what_peers_say_about_themselves(self):
        alice, bob, client = self.pair("draft/metadata-2", "standard-replies", "batch")
        bob.say("/about plays the viola")
        client.send("METADATA * SET about :reads much")
        client.next("761")
        self.assertEqual(client.answer("METADATA * GET about", "761").text, "reads much")
        bob.say("is it told?")
        client.next("PRIVMSG", text="is it told?")
        self.assertEqual(bob.result("whois alice")["about"], "reads much")
        self.assertIn("about", [line.params[2] for line in client.ask("METADATA * LIST") if line.command == "761"])
        self.assertEqual(client.answer("METADATA bob GET about", "761").text, "plays the viola")
        client.answer("METADATA bob GET nonsense", "766", "FAIL")
        self.assertEqual(client.answer("METADATA bob SET about :x", "FAIL").params[:2], ["METADATA", "KEY_NO_PERMISSION"])
        self.assertEqual(client.answer("METADATA nobody GET about", "FAIL").params[:2], ["METADATA", "INVALID_TARGET"])


class Past(IRCTest):
    """Messages from before a client came."""

    def said(self, *capabilities, count=60):
        alice = self.irc_served()
        bob = self.person("bob", alice)
        for number in range(count):
            bob.say(f"line {number}")
        alice.node.hears(f"line {count - 1}")
        return alice, bob, self.client(alice, *capabilities)

    def texts(self, lines):
        return [line.text for line in lines if line.command == "PRIVMSG"]

    def test_a_client_with_chathistory_gets_none_unasked(self):
        client = self.said(*MODERN)[2]
        self.assertEqual(self.texts(client.first), [])

    def test_a_client_with_server_time_gets_the_last_fifty(self):
        client = self.said("server-time", "message-tags")[2]
        self.assertEqual(self.texts(client.first), [f"line {number}" for number in range(10, 60)])
        self.assertTrue(all("time" in line.tags for line in client.first if line.command == "PRIVMSG"))

    def test_an_old_client_gets_them_as_notices_with_their_times(self):
        client = self.said()[2]
        notices = [line for line in client.first if line.command == "NOTICE" and "line " in line.text]
        self.assertEqual(len(notices), 50)
        self.assertRegex(notices[0].text, r"\d\d:\d\d.*bob.*line 10$")
        self.assertEqual(self.texts(client.first), [])

    def history(self, client, words):
        return batch(client.ask(f"CHATHISTORY {words}"))

    def test_history_by_its_ends_and_around(self):
        alice, bob, client = self.said(*MODERN)
        head, latest = self.history(client, "LATEST #lobby * 10")
        self.assertEqual(head, ["chathistory", "#lobby"])
        self.assertEqual(self.texts(latest), [f"line {number}" for number in range(50, 60)])
        ids, times = [line.tags["msgid"] for line in latest], [line.tags["time"] for line in latest]
        cases = (
            (f"LATEST #lobby msgid={ids[6]} 10", range(57, 60)),
            (f"BEFORE #lobby msgid={ids[0]} 5", range(45, 50)),
            (f"AFTER #lobby msgid={ids[3]} 3", range(54, 57)),
            (f"AROUND #lobby msgid={ids[5]} 3", range(54, 57)),
            (f"BETWEEN #lobby msgid={ids[2]} msgid={ids[6]} 10", range(53, 56)),
            (f"BETWEEN #lobby msgid={ids[6]} msgid={ids[2]} 2", range(54, 56)),
            (f"BEFORE #lobby timestamp={times[0]} 200", None), (f"AFTER #lobby timestamp={times[-1]} 5", range(0)),
        )
        for words, wanted in cases:
            found = self.texts(self.history(client, words)[1])
            if wanted is not None:
                self.assertEqual(found, [f"line {number}" for number in wanted], words)
            else:
                self.assertEqual(found[-1][:5], "line ", words)
                self.assertLessEqual(len(found), 100)

    def test_targets_are_between_times(self):
        client = self.client(self.irc_served(), "draft/chathistory", "batch")
        self.assertEqual(client.answer("CHATHISTORY TARGETS msgid=x msgid=y 5", "FAIL").params[1], "INVALID_PARAMS")

    def test_faults_of_a_request_for_history(self):
        alice, bob, client = self.said(*MODERN, count=2)
        for words, code in (("LATEST #lobby * x", "INVALID_PARAMS"), ("LATEST #nowhere * 5", "INVALID_TARGET"),
                            ("NONSENSE #lobby * 5", "INVALID_PARAMS"), ("BEFORE #lobby nonsense 5", "INVALID_PARAMS"),
                            ("BEFORE #lobby timestamp=now 5", "INVALID_PARAMS"), ("LATEST #lobby", "INVALID_PARAMS"),
                            ("BEFORE #lobby msgid=" + "0" * 32 + " 5", None), ("LATEST #lobby * -1", "INVALID_PARAMS")):
            told = client.ask(f"CHATHISTORY {words}")
            if code:
                fail = next((line for line in told if line.command in ("FAIL", "461")), None)
                self.assertIsNotNone(fail, (words, [line.raw for line in told]))
                if fail.command == "FAIL":
                    self.assertEqual(fail.params[0], "CHATHISTORY")
                    self.assertIn(fail.params[1], (code, "INVALID_TARGET", "UNKNOWN_COMMAND", "NEED_MORE_PARAMS"))
            else:
                self.assertTrue(told, words)

    def test_history_of_a_direct_conversation_and_the_targets(self):
        alice, bob, client = self.friends(*MODERN)
        begun = datetime.datetime(2020, 1, 1).isoformat(timespec="milliseconds") + "Z"
        ends = datetime.datetime(2099, 1, 1).isoformat(timespec="milliseconds") + "Z"
        client.send("PRIVMSG bob :between us")
        bob.hears("between us")
        client.next("PRIVMSG", text="between us")
        found = self.history(client, "LATEST bob * 5")[1]
        self.assertEqual([(line.nick, line.text) for line in found if line.command == "PRIVMSG"][-1], ("alice", "between us"))
        bob.say("to the room")
        client.next("PRIVMSG", text="to the room")
        head, targets = self.history(client, f"TARGETS timestamp={begun} timestamp={ends} 10")
        self.assertEqual(head, ["draft/chathistory-targets"])
        self.assertEqual({line.params[1] for line in targets}, {"bob", "#lobby"})

    def test_deleted_messages_are_not_in_the_past(self):
        alice, bob, client = self.said(*MODERN, count=3)
        bob.say("/delete")
        client.next("REDACT")
        found = self.history(client, "LATEST #lobby * 10")[1]
        self.assertEqual(self.texts(found), ["line 0", "line 1"])


if __name__ == "__main__":
    unittest.main()
