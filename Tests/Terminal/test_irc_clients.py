"""The IRC face by clients of others, each in a terminal: irssi, WeeChat, EPIC and ii, and ZNC in front (Docs/IRC.md)."""

import hashlib
import os
import pathlib
import signal
import subprocess
import time
import unittest

from irc import IRCTest
from window import PATIENCE, Window, free_port

IRSSI = """
servers = ({{ address = "127.0.0.1"; chatnet = "earshot"; port = "{port}"; password = "{password}"; autoconnect = "yes"; }});
chatnets = {{ earshot = {{ type = "IRC"; nick = "alice"; }}; }};
channels = ({{ name = "#lobby"; chatnet = "earshot"; autojoin = "yes"; }});
settings = {{
  core = {{ real_name = "x"; user_name = "x"; nick = "alice"; server_reconnect_time = "10s"; }};
  "fe-common/core" = {{ autocreate_windows = "no"; autocreate_query_level = "none"; term_charset = "UTF-8"; }};
}};
"""
WEECHAT = """
/set irc.server_default.capabilities "*"
/set irc.look.smart_filter off
/set irc.server_default.autoreconnect_delay 1
/set irc.look.typing_status_nicks on
/set irc.look.typing_status_self on
/set typing.look.enabled_nicks on
/set typing.look.enabled_self on
/set typing.look.delay_purge_paused 60
/set typing.look.delay_purge_typing 60
/set weechat.look.prefix_align none
/bar hide buflist
/bar hide nicklist
/server add earshot 127.0.0.1/{port} -nicks=alice -password={password} -autojoin=#lobby
/connect earshot
"""
ZNC = """Version = 1.8.2
<Listener one>
    AllowIRC = true
    AllowWeb = false
    IPv6 = false
    Port = {listen}
    SSL = false
</Listener>
<User alice>
    Admin = true
    Nick = alice
    AltNick = alice_
    Ident = x
    RealName = x
    Buffer = 50
    AutoClearChanBuffer = false
    <Network earshot>
        Server = 127.0.0.1 {port} {password}
        TrustAllCerts = false
        <Chan #lobby>
        </Chan>
    </Network>
    <Pass password>
        Method = sha256
        Hash = {digest}
        Salt = saltsaltsaltsaltsalt
    </Pass>
</User>
"""


class Client(IRCTest):
    """The acts that each client goes through; `begin` starts it, `enter` sends a line of it, `shows` waits for a text on its screen."""

    def through(self, begin):
        alice = self.irc_served()
        bob = self.person("bob", alice)
        bob.say("said before you came")
        alice.node.hears("said before you came")
        begin(alice.irc_port, alice.token)
        self.shows("said before you came")
        bob.say("안녕 alice")
        self.shows("안녕 alice")
        self.enter("반가워 bob")
        bob.hears("반가워 bob")
        self.enter("/msg bob may I?")
        bob.wait(lambda event: event["event"] == "request", "request")
        bob.say(f"/accept {alice.node.number}")
        bob.wait(lambda event: event["event"] == "direct", "acceptance")
        bob.say(f"/msg {alice.node.number} 둘만의 말")
        self.shows_direct("둘만의 말")
        self.enter("/nick alina")
        bob.wait(lambda event: event["event"] == "peer" and event["who"]["nickname"] == "alina", "name")
        self.enter("/away at lunch")
        told = bob.wait(lambda event: event.get("state") == "away", "absence")
        self.assertEqual(told["reason"], "at lunch")
        self.enter("/away")
        bob.wait(lambda event: event["event"] == "peer" and event["state"] == "online" and (event["was"] or {}).get("state") == "away",
                 "return")
        bob.say("/nick robert")
        self.shows("robert")
        return alice, bob

    def shows_direct(self, text):
        self.shows(text)

    def until(self, holds, what):
        deadline = time.monotonic() + PATIENCE
        while not holds():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.1)


class InWindow(Client):
    def open(self):
        self.window = Window(120, 40, HOME=self.folder)
        self.addCleanup(self.end)

    def end(self):
        """Ends the client, which writes to its folder up to then."""
        if keep := os.environ.get("EARSHOT_SCREENS"):
            pathlib.Path(keep, self.id()).write_text("\n".join(self.window.screen) + "\n")
        program = self.window.program
        os.kill(program, signal.SIGKILL)
        self.window.wait_for("$ ")
        self.window.close()

    def shows(self, text):
        self.window.wait_for(text)

    def enter(self, line):
        self.window.enter(line)


class Irssi(InWindow):
    def begin(self, port, password):
        home = pathlib.Path(self.folder, "irssi")
        home.mkdir(exist_ok=True)
        (home / "config").write_text(IRSSI.format(port=port, password=password))
        self.open()
        self.window.enter(f"irssi --home={home}")

    def test_irssi(self):
        alice, bob = self.through(self.begin)
        self.enter("/quote WHOIS robert")
        self.shows(f"{bob.key[:8]}.earshot")
        self.enter("/disconnect")
        self.shows("Connection lost to")
        self.enter("/connect earshot")
        bob.say("after the reconnection")
        self.shows("after the reconnection")

    def test_irssi_with_a_wrong_token(self):
        alice = self.irc_served()
        self.begin(alice.irc_port, "0" * 32)
        self.shows("the token is wrong")


class WeeChat(InWindow):
    def begin(self, port, password):
        script = pathlib.Path(self.folder, "commands")
        script.write_text(WEECHAT.format(port=port, password=password).strip() + "\n")
        lines = ";".join(script.read_text().splitlines())
        self.open()
        self.window.enter(f"weechat -d {self.folder}/weechat -r '{lines}'")
        self.window.wait_for("earshot")

    def shows_direct(self, text):
        # The message opens the buffer, which the status line lists then.
        self.window.wait_for(":bob")
        self.enter("/buffer bob")
        self.shows(text)
        self.enter("/buffer #lobby")

    def test_weechat(self):
        alice, bob = self.through(self.begin)
        bob.say("/typing")
        self.window.wait(lambda: "robert" in self.window.screen[-2] + self.window.screen[-3] + self.window.screen[-1], "typing")
        self.window.text("I am writing")
        bob.wait(lambda event: event["event"] == "typing", "typing")
        self.window.type("Enter")
        bob.hears("I am writing")
        self.enter("/reconnect earshot")
        bob.say("after the reconnection")
        self.enter("/buffer #lobby")
        self.shows("after the reconnection")

    def test_weechat_with_a_wrong_token(self):
        alice = self.irc_served()
        self.begin(alice.irc_port, "0" * 32)
        self.shows("(#lobby)")
        self.enter("/buffer 1")
        self.shows("the token is wrong")


class Epic(InWindow):
    def begin(self, port, password):
        self.open()
        self.window.enter(f"epic5 -d -c '#lobby' alice 127.0.0.1:{port}:{password}")

    def test_epic(self):
        alice, bob = self.through(self.begin)
        self.enter("/disconnect")
        self.shows("Disconnect")
        self.enter("/reconnect")
        bob.say("after the reconnection")
        self.shows("after the reconnection")

    def test_epic_with_a_wrong_token(self):
        alice = self.irc_served()
        self.begin(alice.irc_port, "0" * 32)
        self.shows("the token is wrong")


class Files(Client):
    """ii, whose screen is files."""

    def begin(self, port, password):
        self.port, self.password = port, password
        self.place = pathlib.Path(self.folder, "ii", "127.0.0.1")
        environment = dict(os.environ, TOKEN=password)
        self.process = subprocess.Popen(["ii", "-s", "127.0.0.1", "-p", str(port), "-n", "alice", "-k", "TOKEN", "-i",
                                         str(self.place.parent)], env=environment, stderr=subprocess.DEVNULL)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)

    def everything(self):
        return "\n".join(file.read_text(errors="replace") for file in self.place.rglob("out"))

    def shows(self, text):
        self.until(lambda: text in self.everything(), text)

    def test_ii(self):
        alice = self.irc_served()
        bob = self.person("bob", alice)
        bob.say("said before you came")
        alice.node.hears("said before you came")
        self.begin(alice.irc_port, alice.token)
        self.shows("said before you came")
        room, server = self.place / "#lobby", self.place
        self.until(lambda: (room / "in").exists(), "the folder of the room")
        bob.say("안녕 alice")
        self.shows("안녕 alice")
        self.into(room, "반가워 bob")
        bob.hears("반가워 bob")
        self.into(server, "/j bob may I?")
        bob.wait(lambda event: event["event"] == "request", "request")
        bob.say(f"/accept {alice.node.number}")
        bob.wait(lambda event: event["event"] == "direct", "acceptance")
        bob.say(f"/msg {alice.node.number} 둘만의 말")
        self.until(lambda: "둘만의 말" in (self.place / "bob" / "out").read_text(), "direct message")
        self.into(room, "/a at lunch")
        self.assertEqual(bob.wait(lambda event: event.get("state") == "away", "absence")["reason"], "at lunch")
        self.into(room, "/n alina")
        bob.wait(lambda event: event.get("who", {}).get("nickname") == "alina", "name")
        self.process.kill()
        self.process.wait()
        self.begin(alice.irc_port, alice.token)
        bob.say("after the reconnection")
        self.shows("after the reconnection")

    def test_ii_with_a_wrong_token(self):
        alice = self.irc_served()
        self.begin(alice.irc_port, "0" * 32)
        self.assertNotEqual(self.process.wait(timeout=PATIENCE), None)
        self.assertIn("the token is wrong", self.everything())

    def into(self, folder, line):
        with open(folder / "in", "w") as pipe:
            pipe.write(line + "\n")


class Bouncer(InWindow):
    """ZNC between the face and irssi."""

    def znc(self, port, password):
        folder = pathlib.Path(self.folder, "znc", "configs")
        folder.mkdir(parents=True)
        listen = free_port()
        digest = hashlib.sha256(b"secret" + b"saltsaltsaltsaltsalt").hexdigest()
        (folder / "znc.conf").write_text(ZNC.format(listen=listen, port=port, password=password, digest=digest))
        command = ["znc", "--foreground", "--datadir", str(folder.parent)]
        # As root it waits for 30 s, and asks not to be run so.
        drop = {}
        if os.getuid() == 0:
            subprocess.run(["chown", "-R", "nobody", self.folder], check=True)
            drop = {"user": "nobody", "group": "nogroup", "extra_groups": []}
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env=dict(os.environ, HOME=str(folder)), **drop)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        said = []
        for line in process.stdout:
            said.append(line.decode(errors="replace"))
            if b"Staying open" in line:
                return listen
        raise AssertionError("ZNC has ended: " + "".join(said))

    def begin(self, port, password):
        listen = self.znc(port, password)
        home = pathlib.Path(self.folder, "irssi")
        home.mkdir()
        (home / "config").write_text(IRSSI.format(port=listen, password="alice/earshot:secret"))
        self.open()
        self.window.enter(f"irssi --home={home}")

    def test_znc(self):
        alice, bob = self.through(self.begin)
        # The bouncer has the texts of the time without a client.
        self.enter("/disconnect")
        self.shows("Connection lost to")
        bob.say("while you were away")
        alice.node.hears("while you were away")
        self.enter("/connect earshot")
        self.shows("while you were away")


if __name__ == "__main__":
    unittest.main()
