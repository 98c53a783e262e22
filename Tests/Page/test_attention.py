"""News in the page: unread counts, the line over new messages, notifications, colours (Docs/Web.md, section 7)."""

import unittest

from chromium import Chromium
from display import Display
from page import PageTest
from playwright.sync_api import expect

# Keeps what is notified; the notification itself is shown too.
KEEP = """
    window.told = [];
    window.Notification = class extends Notification {
        constructor(title, options) {
            super(title, options);
            told.push(`${title}: ${options.body}`);
            window.lastNotification = this;
        }
    };
"""
# Keeps the notifications that the browser has shown.
SEE = """
    window.seen = [];
    window.Notification = class extends Notification {
        constructor(title, options) {
            super(title, options);
            this.onshow = () => seen.push(`${title}: ${options.body}`);
        }
    };
"""
HIDE = """(isHidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


class Attention(PageTest):
    def row(self, page, node):
        return page.locator(f"[data-id='r1-{node.key}']")

    def badge(self, page, node):
        return self.row(page, node).locator(".badge")

    def direct(self, text):
        self.bob.say(f"/msg {self.alice.node.number} {text}")
        self.alice.node.hears(text)

    def test_two_pages_and_a_terminal_agree_on_counts_and_each_shows_its_own(self):
        self.befriend()
        first, second = self.page(), self.page()
        self.direct("one")
        self.direct("two")
        for page in (first, second):
            expect(self.badge(page, self.bob)).to_have_text("2")
            expect(page).to_have_title("(2) Earshot")
            expect(self.row(page, self.bob)).to_contain_text(":")
        self.assertEqual(self.unread(), [2])
        self.row(first, self.bob).click()
        expect(first.locator("#title")).to_contain_text("bob#")
        for page in (first, second):
            expect(self.badge(page, self.bob)).to_have_count(0)
            expect(page).to_have_title("Earshot")
        self.assertEqual(self.unread(), [0])
        expect(second.locator("#title")).to_contain_text("lobby")
        self.bob.say(f"/open {self.alice.node.number}")
        self.bob.say("/typing")
        typing = self.alice.node.wait(lambda event: event["event"] == "typing" and event["on"], "typing")
        self.assertEqual((typing["conversation"], typing["who"]["key"]), ("direct", self.bob.key))
        expect(first.locator("#typing")).to_contain_text("bob#")
        self.assertEqual(second.locator("#typing").inner_text(), "")
        first.locator("#text").press_sequentially("me too")
        self.bob.wait(lambda event: event["event"] == "typing" and event["on"], "typing")
        # Another page and the terminal were not moved: a line of the terminal is for the room.
        self.alice.node.say("for all")
        self.assertEqual(self.bob.hears("for all")["conversation"], "public")
        self.direct("is read in the first page")
        expect(self.rows(first).last).to_have_text("is read in the first page")
        self.assertEqual(self.unread(), [0])
        # A command of the terminal moves no page.
        self.alice.node.result(f"open {self.bob.number}")
        self.bob.say("three")
        for page in (first, second):
            expect(self.row(page, self.bob)).to_contain_text("three")
        expect(first.locator("#title")).to_contain_text("bob#")
        expect(second.locator("#title")).to_contain_text("lobby")
        self.alice.node.result("close")
        first.close()
        while self.alice.conversation("direct")["active"]:
            pass
        self.direct("unread again")
        expect(self.badge(second, self.bob)).to_have_text("1")

    def unread(self):
        rows = self.alice.node.result("unread")["conversations"]
        return [row["unread"] for row in rows if row["conversation"] == "direct"]

    def test_a_page_that_is_loaded_with_unread_messages_has_the_line_over_them(self):
        self.befriend()
        self.direct("read")
        self.alice.node.result(f"open {self.bob.number}")
        self.alice.node.result("close")
        for text in ("new one", "new two"):
            self.direct(text)
        page = self.page()
        expect(self.badge(page, self.bob)).to_have_text("2")
        # The time of the last message is beside the count.
        self.assertRegex(self.row(page, self.bob).locator(".quiet").inner_text(), r"^\d\d:\d\d 2$")
        self.row(page, self.bob).click()
        expect(page.locator(".new + .message .text")).to_have_text("new one")
        expect(page.locator(".new")).to_have_count(1)

    def test_messages_to_a_hidden_page_are_counted_and_have_the_line(self):
        page = self.page()
        self.bob.say("seen")
        expect(self.rows(page)).to_have_text(["seen"])
        page.evaluate(HIDE, True)
        self.bob.say("unseen")
        self.bob.say("unseen too")
        expect(page).to_have_title("(2) Earshot")
        self.assertIn("unread", page.locator("#icon").get_attribute("href"))
        page.evaluate(HIDE, False)
        expect(page).to_have_title("Earshot")
        expect(page.locator(".new + .message .text")).to_have_text("unseen")
        page.evaluate(HIDE, True)
        self.bob.say("later")
        expect(page.locator(".new + .message .text")).to_have_text("later")

    def test_notifications_tell_of_direct_messages_and_mentions_alone(self):
        self.befriend()
        context = self.browser.new_context(locale="en-GB", permissions=["notifications"])
        self.addCleanup(context.close)
        context.add_init_script(KEEP)
        page = self.page(context=context)
        expect(page.get_by_role("button", name="Notify me")).to_be_hidden()
        name = self.bob.result("whoami")["who"]["displayName"]
        self.direct("while it is looked at")
        expect(self.badge(page, self.bob)).to_have_text("1")
        page.evaluate(HIDE, True)
        self.bob.say("nothing of yours, malice")
        self.bob.say(f"ALICE, look, or #{self.alice.node.number}")
        self.direct("psst")
        carol = self.person("carol", self.alice)
        carol.say(f"/msg {self.alice.node.number} may I?")
        expect(page.locator("#requests-part")).to_be_visible()
        told = page.evaluate("told")
        self.assertEqual(told, [f"{name}: said something to you"] * 2
                         + [f"{carol.result('whoami')['who']['displayName']}: asks to talk to you"])
        page.evaluate(HIDE, False)
        page.evaluate("lastNotification.onclick()")

    def test_a_window_behind_another_one_notifies_on_a_real_screen(self):
        self.befriend()
        display = Display()
        self.addCleanup(display.close)
        chromium = Chromium(display)
        self.addCleanup(chromium.close)
        origin = f"http://127.0.0.1:{self.alice.port}"
        chromium.ask("Browser.setPermission", {"permission": {"name": "notifications"}, "setting": "granted", "origin": origin})
        chromium.open(self.alice.link())
        chromium.wait("document.getElementById('state')?.textContent === 'connected'")
        chromium.run(SEE)
        self.bob.say("alice, while it is looked at")
        chromium.wait("document.querySelectorAll('#log .message').length === 1")
        chromium.cover()
        chromium.wait("document.hidden")
        self.bob.say("not about you")
        self.bob.say("alice, look")
        self.direct("psst")
        chromium.wait("document.title === '(3) Earshot'")
        # The browser has shown both, and says so itself.
        chromium.wait("window.seen.length === 2")
        name = self.bob.result("whoami")["who"]["displayName"]
        self.assertEqual(chromium.run("window.seen"), [f"{name}: said something to you"] * 2)
        chromium.uncover()
        chromium.wait("!document.hidden")
        self.bob.say("alice, again")
        chromium.wait("document.querySelectorAll('#log .message').length === 4")
        self.assertEqual(chromium.run("window.seen.length"), 2)

    def test_sound_is_off_until_it_is_wished_and_names_no_peer(self):
        self.befriend()
        context = self.browser.new_context(locale="en-GB")
        self.addCleanup(context.close)
        context.add_init_script("""
            window.tones = window.contexts = 0;
            const Context = AudioContext;
            window.AudioContext = class extends Context { constructor() { super(); contexts += 1; } };
            const start = OscillatorNode.prototype.start;
            OscillatorNode.prototype.start = function (...values) { tones += 1; return start.apply(this, values); };
        """)
        page = self.page(context=context)
        sound = page.get_by_role("button", name="Sound")
        expect(sound).to_have_attribute("aria-pressed", "false")

        def tones_of(text):
            before = page.evaluate("tones")
            page.evaluate(HIDE, True)
            self.direct(text)
            expect(page.locator(f"[data-id='r1-{self.bob.key}']")).to_contain_text(text)
            page.evaluate(HIDE, False)
            return page.evaluate("tones") - before

        self.assertEqual(tones_of("silent"), 0)
        sound.click()
        expect(sound).to_have_attribute("aria-pressed", "true")
        # The page loads what makes the sound when it is wished.
        page.wait_for_function("tones === 1")
        self.assertEqual(tones_of("loud"), 1)
        # The wish outlives the page, and is all that is kept; a page sounds behind its first key or click.
        page.reload()
        expect(page.locator("#state")).to_have_text("connected")
        expect(sound).to_have_attribute("aria-pressed", "true")
        self.assertEqual(page.evaluate("JSON.stringify(localStorage)"), '{"sound":"on"}')
        page.keyboard.press("Shift")
        page.wait_for_function("contexts === 1")
        self.assertEqual(tones_of("loud again"), 1)
        sound.click()
        self.assertEqual(tones_of("silent again"), 0)

    def test_the_node_says_which_messages_name_the_user(self):
        self.befriend()
        page = self.page()
        self.alice.node.say("/nick 민수")
        expect(page.locator("#me")).to_contain_text("민수#")
        for text in ("민수야 안녕", "박민수", "@민수님"):
            self.bob.say(text)
        expect(self.rows(page)).to_have_text(["민수야 안녕", "박민수", "@민수님"])
        expect(page.locator("#log .message.mention .text")).to_have_text(["민수야 안녕", "@민수님"])
        expect(page.locator("#log .message.mention .meta").first).to_contain_text("names you")
        self.direct("hello")
        expect(self.badge(page, self.bob)).to_have_text("1")
        self.direct("민수는?")
        expect(self.badge(page, self.bob)).to_have_text("@2")
        expect(self.badge(page, self.bob)).to_have_attribute("aria-label", "2 unread, you are named")

    def test_the_wish_for_notifications_is_asked_for_once(self):
        context = self.browser.new_context(locale="en-GB")
        self.addCleanup(context.close)
        # The user's answer, which no test can click on.
        context.add_init_script("""
            let answer = "default";
            window.Notification = class {
                static get permission() { return answer; }
                static async requestPermission() { return answer = "granted"; }
                constructor(title, options) { document.body.dataset.told = title; }
            };
        """)
        page = self.page(context=context)
        wish = page.get_by_role("button", name="Notify me")
        expect(wish).to_be_visible()
        page.evaluate(HIDE, True)
        self.bob.say("alice?")
        expect(page).to_have_title("(1) Earshot")
        self.assertIsNone(page.locator("body").get_attribute("data-told"))
        wish.click()
        expect(wish).to_be_hidden()
        self.bob.say("alice!")
        expect(page.locator("body")).to_have_attribute("data-told", self.bob.result("whoami")["who"]["displayName"])

    def test_each_present_peer_has_a_colour_of_its_own(self):
        page = self.page()
        self.person("carol", self.alice).say("hello")
        self.bob.say("hello")
        expect(self.rows(page)).to_have_count(2)
        shown = page.locator("#log .from").evaluate_all("(rows) => rows.map((row) => row.className)")
        self.assertEqual(len(set(shown)), 2)

    def test_a_large_room_is_shown_by_numbers(self):
        result = self.page().evaluate("""async () => {
            const { Model, take } = await import("/model.js");
            const { drawPeople } = await import("/side.js");
            const model = new Model();
            const room = { id: "r1", roomId: "r1", kind: "room", room: "lobby", unread: 0, online: 1, active: true };
            take(model, { event: "snapshot", rooms: [], requests: [], invitations: [], colors: [], cards: [],
                          people: [{ roomId: "r1", state: "online", since: "", who: { key: "0".repeat(64), displayName: "one" } }],
                          conversations: [{ ...room, messages: [] }] });
            const note = { event: "note", conversationId: "r1", number: 1, renamed: 0, renames: [], texts: [] };
            const parts = [take(model, { ...note, came: 500, left: 20 }), take(model, { ...note, came: 501, left: 20 }),
                           take(model, { event: "conversation", ...room, online: 482 })];
            const list = document.createElement("ul");
            drawPeople(list, model, () => {});
            return { parts, notes: model.current.messages.all, list: list.innerText || list.textContent };
        }""")
        self.assertEqual(result["parts"], [["log"], ["log"], ["all"]])
        self.assertEqual([(note["came"], note["left"]) for note in result["notes"]], [(501, 20)])
        self.assertIn("and 481 more", result["list"])

    def test_the_memory_of_the_page_is_bounded(self):
        result = self.page().evaluate("""async () => {
            const { Messages } = await import("/messages.js");
            const [{ Model, take }, { keepAnswer }] = await Promise.all([import("/model.js"), import("/commands.js")]);
            const messages = new Messages();
            const make = (n) => ({ id: `${n}`, receivedAt: new Date(n).toISOString() });
            for (let n = 100; n < 3000; n += 1) messages.add(make(n), null);
            const kept = [messages.all.length, messages.byId.size, messages.first, messages.all[0].id];
            const model = new Model();
            take(model, { event: "snapshot", rooms: [], people: [], requests: [], invitations: [], colors: [], cards: [],
                          conversations: [{ id: "r1", roomId: "r1", kind: "room", unread: 0, active: true, messages: [] }] });
            const who = (n) => ({ key: n.toString(16).padStart(64, "0"), displayName: `${n}` });
            for (let n = 0; n < 3000; n += 1) {
                take(model, { event: "message", conversationId: "r1", before: null, from: who(n), id: `m${n}`, unread: 0 });
                take(model, { event: "note", conversationId: "r1", number: n, came: 1, left: 1, renamed: 0, renames: [], texts: [] });
                take(model, { event: "person", roomId: "r1", state: "offline", since: `${1e6 + n}`, who: who(n) });
                keepAnswer(model.current, ["text"], false);
            }
            const rows = model.current.messages.all;
            return { kept, people: model.people.size, rows: rows.length, answers: rows.filter(({ kind }) => kind === "answer").length,
                     last: model.people.has(`r1-${who(2999).key}`) };
        }""")
        self.assertEqual(result["kept"], [1000, 1000, 1900, "2000"])
        self.assertEqual((result["people"], result["rows"], result["answers"], result["last"]), (1024, 1000, 50, True))


if __name__ == "__main__":
    unittest.main()
