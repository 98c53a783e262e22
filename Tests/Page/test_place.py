"""The rows that a user reads stay in their place; title and icon of a page behind another one (Docs/Web.md, section 7)."""

import socket
import threading
import time
import unittest

from chromium import Chromium
from display import Display
from earshot_node import Node, outlast
from page import PageTest
from playwright.sync_api import expect
from web import started

# The first message whose text is wholly in view, with its place.
FIRST = """() => {
    const top = document.getElementById("log").getBoundingClientRect().top;
    const text = [...document.querySelectorAll("#log .message .text")].find((text) => text.getBoundingClientRect().top >= top);
    return [text.closest(".message").dataset.id, text.getBoundingClientRect().top];
}"""
PLACE = "(id) => document.querySelector(`[data-id='${id}'] .text`)?.getBoundingClientRect().top ?? null"
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
UP = "(part) => { const log = document.getElementById('log'); log.scrollTop = part * log.scrollHeight; }"

# Holds frames back, and counts the messages that came and the questions for the height of the log, each of which has the layout computed.
HOLD = """
    window.held = null;
    const frame = window.requestAnimationFrame.bind(window);
    window.expected = 0;
    window.requestAnimationFrame = (draw) => {
        if (window.held) return window.held.push(draw);
        window.expected += 1;
        return frame((now) => {
            window.expected -= 1;
            draw(now);
        });
    };
    window.came = 0;
    window.WebSocket = class extends WebSocket {
        set onmessage(received) {
            super.onmessage = (event) => {
                received(event);
                window.came += JSON.parse(event.data).event === "message" ? 1 : 0;
            };
        }
    };
    window.asked = 0;
    const height = Object.getOwnPropertyDescriptor(Element.prototype, "scrollHeight");
    Object.defineProperty(Element.prototype, "scrollHeight", { get() { window.asked += 1; return height.get.call(this); } });
"""


class Place(PageTest):
    def say(self, prefix, count):
        for number in range(count):
            self.bob.say(f"{prefix} {number}")
        self.alice.node.hears(f"{prefix} {count - 1}")

    def load(self, page, text):
        """Scrolls up to a message."""
        deadline = time.monotonic() + 30
        while (first := self.rows(page).first.inner_text()) != text:
            self.assertLess(time.monotonic(), deadline, first)
            page.evaluate(UP, 0)
            page.evaluate(DRAWN)

    def read(self, page, part):
        """Scrolls up and waits until nothing loads; the row that is read."""
        page.evaluate(UP, part)
        page.evaluate(DRAWN)
        return page.evaluate(FIRST)

    def stays(self, page, row, what):
        page.evaluate(DRAWN)
        place = page.evaluate(PLACE, row[0])
        self.assertIsNotNone(place, what)
        self.assertLess(abs(place - row[1]), 3, what)

    def test_a_long_last_message_leaves_its_author_readable_in_the_list(self):
        self.bob.say("a long message " * 15)
        page = self.page()
        expect(page.locator("#conversations .words").first).to_contain_text("a long message")
        wide, shown = page.evaluate(
            "() => { const name = document.querySelector('#conversations .last .nick'); return [name.scrollWidth, name.clientWidth]; }")
        self.assertGreater(wide, 0)
        self.assertEqual(shown, wide)

    def test_messages_snapshots_and_deletions_move_nothing_that_is_read(self):
        self.say("early", 150)
        page = self.page()
        expect(self.rows(page).last).to_have_text("early 149")
        self.load(page, "early 50")
        row = self.read(page, 0.2)
        self.say("later", 350)
        expect(page.locator("#newer")).to_have_text("350 new")
        self.stays(page, row, "messages")
        # A request that is accepted gives the page all anew.
        self.befriend()
        expect(page.locator("#conversations .row")).to_have_count(2)
        self.stays(page, row, "snapshot")
        carol = self.person("carol", self.alice)
        expect(page.locator(f"[data-key='{carol.key}']")).to_be_visible()
        carol.quit()
        self.stays(page, row, "arrivals")
        own = self.alice.node.result("history")["messages"]
        self.assertEqual(len(own), 100)
        page.locator("#newer").click()
        expect(self.rows(page).last).to_have_text("later 349")
        self.say("end", 1)
        expect(self.rows(page).last).to_have_text("end 0")

    def test_messages_that_come_between_frames_have_no_layout_computed_and_are_drawn_once(self):
        context = self.browser.new_context(locale="en-GB")
        self.addCleanup(context.close)
        context.add_init_script(HOLD)
        page = self.page(context=context)
        self.say("first", 1)
        expect(self.rows(page)).to_have_text(["first 0"])
        # A frame that was asked for before would draw.
        self.until(page, "expected === 0 && (held = []) && (came = 0, asked = 0, true)")
        self.say("many", 100)
        self.until(page, "came === 100")
        self.assertEqual(page.evaluate("[asked, held.length, document.querySelectorAll('#log .message').length]"), [0, 1, 1])
        page.evaluate("() => { const draws = held; held = null; for (const draw of draws) requestAnimationFrame(draw); }")
        expect(self.rows(page).last).to_have_text("many 99")
        self.assertLess(page.evaluate("asked"), 10)

    def test_a_message_that_goes_moves_no_other(self):
        self.bob.say("first")
        self.bob.say("to be deleted " + "long " * 40)
        self.alice.node.hears("first")
        gone = self.alice.node.wait(lambda event: event["event"] == "message" and event["text"].startswith("to be deleted"), "message")
        self.say("row", 80)
        page = self.page(viewport={"width": 700, "height": 500})
        expect(self.rows(page).last).to_have_text("row 79")
        row = self.read(page, 0.5)
        self.bob.say(f"/delete {gone['id']}")
        expect(page.locator(f"[data-id='{gone['id']}']")).to_have_class("message erased")
        self.stays(page, row, "deletion")
        # A row shows its button and its menu without getting higher.
        page.locator("#text").fill("mine")
        page.keyboard.press("Enter")
        own = page.locator("#log .message.own:not(.waiting)")
        expect(own).to_be_visible()
        before = own.bounding_box()
        own.hover()
        own.get_by_role("button", name="What can be done").click()
        expect(page.get_by_role("menuitem", name="Edit")).to_be_visible()
        self.assertEqual(own.bounding_box(), before)

    def test_late_history_is_in_its_place_and_moves_nothing_behind_it(self):
        result = self.page().evaluate("""async () => {
            const { Messages } = await import("/messages.js");
            const make = (n, more = {}) => ({ id: `${n}`, sentAt: new Date(n).toISOString(), receivedAt: new Date(5000).toISOString(), ...more });
            const ids = () => messages.all.map(({ id }) => id).join(" ");
            const messages = new Messages([1, 2, 3, 4].map((n) => make(n)));
            const end = messages.end;
            // A message of history is where the node has it, and moves nothing behind it.
            messages.add(make(9), "1");
            messages.add({ id: "note", kind: "note" }, null);
            messages.add(make(10), null);
            // The answer to a request is ahead of the event of its message, which has the place.
            messages.add(make(11));
            messages.add(make(12), null);
            messages.add(make(11), null);
            messages.add(make(12));
            const [last, before] = [ids(), messages.end];
            // In front of a message that is not there, nothing is.
            const isTaken = messages.add(make(13), "no such");
            // The node has forgotten the first ones, and one was deleted.
            const same = messages.renewed([2, 4, 10, 12, 14].map((n) => make(n))) === messages;
            const renewed = [ids(), messages.end - before];
            // None of those that the node has now is known.
            const other = messages.renewed([20, 21].map((n) => make(n))).all.map(({ id }) => id).join(" ");
            return { last, end: before - end, isTaken, same, renewed, other };
        }""")
        self.assertEqual(result["last"], "9 1 2 3 4 note 10 12 11")
        self.assertEqual((result["end"], result["isTaken"], result["same"]), (4, False, True))
        self.assertEqual(result["renewed"], ["9 1 2 4 note 10 12 14", -1])
        self.assertEqual(result["other"], "note 20 21")

    def test_title_and_icon_count_while_another_window_is_in_front(self):
        display = Display()
        self.addCleanup(display.close)
        self.befriend()
        carol = self.person("carol", self.alice)
        chromium = Chromium(display)
        self.addCleanup(chromium.close)
        chromium.open(self.alice.link())
        chromium.wait("document.getElementById('state')?.textContent === 'connected'")
        chromium.cover()
        chromium.wait("document.hidden")
        self.bob.say("unseen")
        chromium.wait("document.title === '(1) Earshot'")
        # Of another conversation, and a request.
        self.bob.say(f"/msg {self.alice.node.number} psst")
        chromium.wait("document.title === '(2) Earshot'")
        carol.say(f"/msg {self.alice.node.number} may I?")
        chromium.wait("document.title === '(3) Earshot'")
        self.assertIn("unread", chromium.run("document.getElementById('icon').href"))
        # It is still without frames, and has drawn nothing.
        self.assertEqual(chromium.run("document.querySelectorAll('#log .message').length"), 0)
        chromium.uncover()
        chromium.wait("document.title === '(2) Earshot'")
        chromium.wait("document.querySelectorAll('#log .message').length === 1")


class Wire:
    """A way to a port that can be cut: its connections end, and no other one begins."""

    def __init__(self, port):
        self.port, self.ends, self.is_cut = port, [], False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            if self.is_cut:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self.port))
            self.ends += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(source, sink), daemon=True).start()

    def carry(self, source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        self.is_cut = True
        for end in self.ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def mend(self):
        self.is_cut = False

    def close(self):
        self.cut()
        self.listener.close()
        for end in self.ends:
            end.close()


class Missed(PageTest):
    def test_missed_messages_are_labelled_counted_and_in_their_place(self):
        # Another peer would pass the messages on.
        self.bob.quit()
        wire = Wire(self.alice.node.ready()["port"])
        self.addCleanup(wire.close)
        carol = Node(started, "carol", "--discovery", "none", "--peer", wire.address, "--rate", "1000000")
        self.addCleanup(lambda: carol.process.poll() is None and carol.kill())
        self.alice.node.sees(carol)
        page = self.page()
        carol.say("before")
        expect(self.rows(page)).to_have_text(["before"])
        wire.cut()
        self.alice.node.loses(carol)
        carol.loses(self.alice.node)
        carol.say("in the outage")
        carol.hears("in the outage")
        carol.say("and once more")
        # By their times alone, which are up to a second off: neither has heard the other.
        outlast(carol.hears("and once more"))
        self.alice.node.say("meanwhile")
        expect(self.rows(page)).to_have_text(["before", "meanwhile"])
        wire.mend()
        self.alice.node.hears("and once more", timeout=60)
        expect(self.rows(page)).to_have_text(["before", "in the outage", "and once more", "meanwhile"])
        expect(page.locator("#log .missed")).to_have_text(["2 messages that you missed"])
        expect(page.locator("#log .missed + .message .text")).to_have_text("in the outage")


class Names(PageTest):
    def test_hostile_names_are_shown_as_the_node_gives_them(self):
        self.befriend()
        page = self.page()
        page.locator("#conversations .row").filter(has_text="bob#").click()
        expect(page.locator("#title")).to_contain_text("bob#")
        for nickname in ("ben#9294" + "\u2800" * 15, "Ian\u200b", "Ian\ufff0", "ben#9294\u202e", "★Bob"):
            self.bob.say("/nick " + nickname)
            self.bob.say(f"/msg {self.alice.node.number} from {ascii(nickname)}")
            self.alice.node.hears("from " + ascii(nickname))
            shown = self.alice.get("/api/v1/people")["people"][0]["who"]["displayName"]
            word, number = shown.rsplit("#", 1)
            self.assertEqual((number, set(word) & set("#★\u2800\u200b\ufff0\u202e")), (str(self.bob.number), set()), ascii(shown))
            expect(self.rows(page).last).to_have_text("from " + ascii(nickname))
            for place in ("#people .peer", "#log .message .from >> nth=-1", "#log .message .from >> nth=0", "#title .peer",
                          "#conversations .row .peer >> nth=0"):
                expect(page.locator(place)).to_have_text(shown)
            page.locator(f"#people [data-key='{self.bob.key}']").click()
            expect(page.locator("#dialog-title")).to_have_text(shown)
            page.locator("#dialog").get_by_role("button", name="Close").click()
            self.bob.say(f"/open {self.alice.node.number}")
            self.bob.say("/typing")
            expect(page.locator("#typing")).to_contain_text(f"#{self.bob.number} is typing")
            for sign in "★\u2800\u200b\ufff0\u202e":
                self.assertNotIn(sign, page.locator("body").inner_text().replace(ascii(nickname), ""), ascii(nickname))
            told = page.evaluate('(who) => import("/text.js").then(({ shortName }) => shortName(who))', {"displayName": shown})
            self.assertTrue(told.endswith(f"#{self.bob.number}"), told)
            self.bob.say("/close")

    def test_a_rename_is_a_rename_and_every_place_has_the_present_name(self):
        self.befriend()
        page = self.page()
        before = self.bob.result("whoami")["who"]["displayName"]
        self.bob.say("said earlier")
        expect(self.rows(page)).to_have_text(["said earlier"])
        arrivals = page.locator("#log .note").filter(has_text="came").all_inner_texts()
        for nickname in ("rob", "robbie", "robert"):
            self.bob.result(f"nick {nickname}")
        after = f"robert#{self.bob.number}"
        expect(page.locator("#people .peer")).to_have_text(after)
        expect(page.locator("#log .message .from")).to_have_text(after)
        expect(page.locator("#conversations .row .peer").filter(has_text=after).first).to_be_visible()
        expect(page.locator("#log .note").filter(has_text="is now")).to_have_text([f"{before} is now {after}"])
        # A page that is loaded now has the same names.
        other = self.page()
        expect(other.locator("#log .message .from")).to_have_text(after)
        expect(other.locator("#conversations .last .peer").first).to_have_text(after)
        self.bob.say("/away lunch")
        expect(page.locator("#people .last")).to_contain_text("lunch")
        self.bob.say("/back")
        expect(page.locator("#people .last")).to_have_text("online")
        self.assertEqual(page.locator("#log .note").filter(has_text="came").all_inner_texts(), arrivals)
        page.locator("#conversations .row").filter(has_text="robert#").last.click()
        expect(page.locator("#title")).to_have_text(after)
        self.bob.result("nick bertie")
        expect(page.locator("#title")).to_have_text(f"bertie#{self.bob.number}")
        own = self.alice.node.number
        self.alice.node.say(f"/msg {self.bob.number} hello")
        expect(self.rows(page).last).to_have_text("hello")
        self.alice.node.result("nick alicia")
        expect(page.locator("#me")).to_have_text(f"alicia#{own}")
        page.locator("#conversations .row").filter(has_text="lobby").click()
        expect(page.locator("#log .note").filter(has_text="you are now")).to_have_text([f"you are now alicia#{own}"])

    def test_the_own_state_is_shown_whichever_face_sets_it(self):
        page, own = self.page(), f"alice#{self.alice.node.number}"
        expect(page.locator("#me")).to_have_text(own)
        self.alice.node.say("/away lunch")
        expect(page.locator("#me")).to_have_text(f"{own} (away: lunch)")
        # A page that is loaded now knows it too.
        expect(self.page().locator("#me")).to_have_text(f"{own} (away: lunch)")
        self.assertEqual(self.alice.ask("POST", "/api/v1/commands", {"line": "/back"})[0], 200)
        expect(page.locator("#me")).to_have_text(own)
        expect(page.locator("#log .note").filter(has_text="you are")).to_have_text(["you are away: lunch", "you are back"])

    def test_the_messages_of_a_blocked_peer_go_and_come_back(self):
        page = self.page()
        page.evaluate("() => { window.WebSocket = null; }")
        self.bob.say("of bob")
        self.alice.node.hears("of bob")
        self.alice.node.say("of alice")
        self.bob.say(f"/msg {self.alice.node.number} may I?")
        page.get_by_role("button", name="accept bob").click()
        expect(page.locator("#requests-part")).to_be_hidden()
        expect(page.locator(f"[data-id='r1-{self.bob.key}'] .last")).to_contain_text("may I?")
        # The page has opened the conversation that was accepted.
        page.locator("#conversations [data-id='r1']").click()
        expect(self.rows(page)).to_have_count(2)
        page.locator(f"#people [data-key='{self.bob.key}']").click()
        page.locator("#dialog").get_by_role("button", name="Block", exact=True).click()
        expect(self.rows(page)).to_have_text(["of alice"])
        expect(page.locator("#conversations")).not_to_contain_text("of bob")
        expect(page.locator("#people .last")).to_contain_text("blocked")
        self.alice.node.result(f"unblock {self.bob.number}")
        expect(self.rows(page)).to_have_text(["of bob", "of alice"])
        # All of that came as rows: the page could not have connected again.
        expect(page.locator("#state")).to_have_text("connected")

    def test_a_reason_can_not_be_read_as_a_mark(self):
        page = self.page()
        self.bob.say("/away verified")
        expect(page.locator("#people .last")).to_have_text("away: verified")
        expect(page.locator("#people .last bdi")).to_have_text(": verified")

    def test_a_long_name_is_cut_and_its_number_never(self):
        carol = self.person("W" * 24, self.alice)
        carol.say("hello " * 30)
        self.alice.node.hears(("hello " * 30).strip())
        carol.say(f"/msg {self.alice.node.number} may I?")
        for width in (390, 1000):
            page = self.page(viewport={"width": width, "height": 800})
            expect(self.rows(page)).to_have_count(1)
            self.whole(page, "#log .number", carol)
            if width == 390:
                page.get_by_role("button", name="Conversations").click()
            self.whole(page, "#people .number", carol)
            self.whole(page, "#conversations .last .number", carol)
            self.whole(page, "#requests .number", carol)

    def whole(self, page, selector, peer):
        number = page.locator(selector).filter(has_text=f"#{peer.number}").first
        expect(number).to_be_visible()
        cut = number.evaluate("""(number) => {
            const box = number.getBoundingClientRect();
            for (let outer = number.parentElement; outer; outer = outer.parentElement) {
                const around = outer.getBoundingClientRect();
                const isClipped = getComputedStyle(outer).overflowX !== "visible";
                if (isClipped && (box.right > around.right + 0.5 || box.left < around.left - 0.5)) return outer.outerHTML.slice(0, 200);
            }
            return number.scrollWidth > number.clientWidth + 1 && number.clientWidth > 0 ? "itself" : null;
        }""")
        self.assertIsNone(cut, selector)
        self.assertEqual(number.inner_text(), f"#{peer.number}")


if __name__ == "__main__":
    unittest.main()
