"""The conversation in the page: groups, pictures, links, the menu of a message, what an empty one says (Docs/Web.md, section 7)."""

import re
import unittest

from page import PageTest
from playwright.sync_api import expect

# The place of each row, to see that nothing has moved.
PLACES = """() => [document.getElementById("log").scrollTop,
    ...[...document.querySelectorAll("#log > *, #composer, #head")].map((row) => JSON.stringify(row.getBoundingClientRect()))]"""
# A log with messages of a time, in milliseconds, and of an author each, and whether each row has a name.
GROUPS = """async (rows) => {
    const { Log } = await import("/log.js");
    const { Messages } = await import("/messages.js");
    const make = ([author, time, own], id) => ({ id: `${id}`, text: "x", sentAt: new Date(1.7e12 + time).toISOString(), isFromCurrentUser: own === true,
                                               from: { key: author.repeat(64), displayName: `${author}#1` } });
    const [root, newer] = [document.createElement("div"), document.createElement("button")];
    const log = new Log(root, newer, { unsent: () => [], isHidden: () => false, color: () => "c1", author: (_, { from }) => from, person: () => undefined,
                                         smallTalk: () => null });
    log.show({ messages: new Messages(rows.map(make)), unreadFrom: "6" });
    return [...root.querySelectorAll(".message")].map((row) => row.classList.contains("head"));
}"""
# Of each row the boxes of its time and its name, below its top, and where the letters of its text begin.
BESIDE = """(rows) => rows.map((row) => {
    const boxes = [...row.querySelectorAll(".at, .peer")].map((each) => each.getBoundingClientRect());
    const text = row.querySelector(".text").lastChild;
    const glyphs = [...text.data].map((_, place) => {
        const range = document.createRange();
        range.setStart(text, place);
        range.setEnd(text, place + 1);
        return range.getBoundingClientRect().left;
    });
    return { beside: boxes.map(({ left, width }) => [left, width]), glyphs };
})"""
TEXTS = """async (texts) => {
    const { richText } = await import("/richtext.js");
    return texts.map((text) => {
        const shown = richText(text);
        const of = (name, what) => [...shown.querySelectorAll(name)].map(what);
        return { text: shown.textContent, links: of("a", (link) => link.getAttribute("href")), shown: of("a", (link) => link.textContent),
                 code: of("code", (code) => code.textContent), large: shown.classList.contains("large") };
    });
}"""
CONTRASTS = """() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const light = (color) => {
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((byte) => (byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (a, b) => {
        const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
        return (high + 0.05) / (low + 0.05);
    };
    const probe = document.createElement("button");
    document.querySelector("main").append(probe);
    const color = (value) => {
        probe.style.color = value;
        return getComputedStyle(probe).color;
    };
    const grounds = ["var(--back)", "var(--side)", "var(--own)", "color-mix(in srgb, var(--mark) 10%, var(--back))"];
    const found = {};
    for (const name of ["text", "quiet", "mark", "bad"]) for (const ground of grounds) {
        // Neither quiet words nor red ones stand on the user's own messages.
        if (ground === "var(--own)" && name !== "text") continue;
        found[`${name} on ${ground}`] = contrast(color(`var(--${name})`), color(ground));
    }
    found["back on mark"] = contrast(color("var(--back)"), color("var(--mark)"));
    probe.style.color = "";
    for (let number = 0; number < 24; number += 1) for (const ground of [...grounds.slice(0, 2), grounds[3]]) {
        probe.className = `from c${number}`;
        const name = getComputedStyle(probe).color;
        probe.className = "";
        found[`name ${number} on ${ground}`] = contrast(name, color(ground));
        probe.style.color = "";
    }
    probe.remove();
    return found;
}"""


class View(PageTest):
    def menu(self, page, text):
        """Opens the menu of a message by the pointer."""
        row = page.locator("#log .message").filter(has_text=text).last
        row.hover()
        row.locator(".more").click()
        return page.locator("#actions")

    def item(self, page, name):
        return page.get_by_role("menuitem", name=name)

    def test_messages_of_one_author_have_one_name_and_one_picture(self):
        page = self.page()
        carol = self.person("carol", self.alice)
        for node, text in ((self.bob, "one"), (self.bob, "two"), (carol, "three"), (self.bob, "four")):
            node.say(text)
            self.alice.node.hears(text)
        for text in ("mine", "mine too"):
            page.locator("#text").fill(text)
            page.keyboard.press("Enter")
            self.bob.hears(text)
        rows = page.locator("#log .message:not(.waiting)")
        expect(rows).to_have_count(6)
        self.assertEqual(rows.evaluate_all("(rows) => rows.map((row) => row.querySelectorAll('.from, .face').length)"), [2, 0, 2, 2, 0, 0])
        self.assertEqual(rows.evaluate_all("(rows) => rows.map((row) => getComputedStyle(row.querySelector('.at')).visibility)"),
                         ["visible", "hidden", "visible", "visible", "visible", "hidden"])
        before = page.evaluate(PLACES)
        rows.nth(1).hover()
        expect(rows.nth(1).locator(".at")).to_be_visible()
        self.assertEqual(page.evaluate(PLACES), before)
        self.assertRegex(rows.nth(1).locator(".at").inner_text(), r"^\d\d:\d\d$")

    def test_a_group_ends_after_five_minutes_and_at_a_line(self):
        minute = 60_000
        rows = [["a", 0], ["a", 4 * minute], ["a", 5 * minute - 1], ["a", 5 * minute], ["b", 5 * minute + 1], ["b", 6 * minute], ["b", 6 * minute + 1],
                ["b", 7 * minute, True], ["c", 7 * minute, True]]
        self.assertEqual(self.page().evaluate(GROUPS, rows), [True, False, False, True, True, False, True, True, True])

    def test_the_first_message_of_the_window_has_a_name_and_the_text_below_it_stays(self):
        for number in range(100):
            self.bob.say(f"early {number}")
        self.alice.node.hears("early 99")
        page = self.page()
        for number in range(250):
            self.bob.say(f"row {number}")
        expect(self.rows(page).last).to_have_text("row 249")
        expect(page.locator("#log .message").first).to_have_class(re.compile("head"))
        self.assertEqual(page.locator("#log .head").count(), 1)
        moved = page.evaluate("""async () => {
            const log = document.getElementById("log");
            const text = log.querySelector(".message .text");
            log.scrollTop = 0;
            const before = text.getBoundingClientRect().top;
            await new Promise((done) => new MutationObserver(() => requestAnimationFrame(done)).observe(log, { childList: true }));
            return [text.closest(".message").classList.contains("head"), text.getBoundingClientRect().top - before];
        }""")
        self.assertEqual(moved[0], False)
        self.assertLess(abs(moved[1]), 1)

    def test_an_action_is_a_line_of_its_own_without_a_bubble(self):
        page = self.page()
        page.locator("#text").fill("hello")
        page.keyboard.press("Enter")
        page.locator("#text").fill("/me waves <b>")
        page.keyboard.press("Enter")
        self.bob.wait(lambda event: event["event"] == "message" and event["action"] == "waves <b>", "action")
        self.bob.say("/me nods")
        action = page.locator("#log .message.action")
        expect(action).to_have_count(2)
        expect(action.nth(0).locator(".line")).to_have_text(re.compile(r"^• alice#\d+ waves <b>( delivered)?$"))
        expect(action.nth(1).locator(".line")).to_have_text(re.compile(r"^• bob#\d+ nods$"))
        expect(page.locator("#log .message.own")).to_have_text(re.compile("hello"))
        expect(action.nth(1).locator(".from, .face")).to_have_count(0)
        expect(page.locator("#conversations .row").first.locator(".last")).to_have_text(re.compile(r"^bob#\d+\snods$"))
        # Its edit is one too.
        self.bob.say("/edit sleeps")
        expect(action.nth(1).locator(".line")).to_have_text(re.compile(r"^• bob#\d+ sleeps"))

    def test_the_picture_of_a_key_is_its_own_and_has_the_marks(self):
        page = self.page()
        self.bob.say("hello")
        face = page.locator("#log .face .avatar")
        expect(face).to_have_count(1)
        expect(face).to_have_attribute("aria-hidden", "true")
        pattern = face.locator("path").first.get_attribute("d")
        self.assertEqual(page.locator("#people .avatar path").first.get_attribute("d"), pattern)
        self.assertEqual((face.bounding_box()["width"], face.bounding_box()["height"]), (24, 24))
        self.assertEqual(*(page.locator(f"#log {place}").evaluate("(made) => getComputedStyle(made).color") for place in (".avatar", ".from")))
        self.assertEqual(page.locator("#face path").count(), 1)
        self.assertNotEqual(page.locator("#face path").get_attribute("d"), pattern)
        self.alice.node.result(f"verify {self.bob.number} ok")
        expect(face).to_have_attribute("aria-label", "verified")
        expect(face.locator(".verified")).to_have_count(1)
        different = page.evaluate("""async () => {
            const { avatar, marksOf } = await import("/avatar.js");
            const key = () => Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
            const of = () => avatar({ key: key() }, "c1").querySelector("path").getAttribute("d");
            const contact = avatar({ key: "0".repeat(64) }, "c1", marksOf({ contact: "Bob" }, { verified: true }));
            const patterns = Array.from({ length: 100 }, of);
            const cells = patterns.map((pattern) => pattern.split("M").length - 1);
            return [new Set(patterns).size, Math.min(...cells), Math.max(...cells), contact.getAttribute("aria-label")];
        }""")
        # There are 6,435 of them; each has 8 cells, of which those beside the middle are there twice.
        self.assertGreater(different[0], 90)
        self.assertTrue(11 <= different[1] <= different[2] <= 16, different)
        self.assertEqual(different[3], "verified, contact")

    def test_addresses_code_and_emoji_are_shown_as_such(self):
        texts = {
            "see https://a.example/x?y=1#z, and (http://b.example).": {"links": ["https://a.example/x?y=1#z", "http://b.example/"]},
            "https://en.example/wiki/Otter_(animal)": {"links": ["https://en.example/wiki/Otter_(animal)"]},
            "HTTP://UPPER.example": {"links": ["http://upper.example/"], "shown": ["HTTP://UPPER.example"]},
            "https://xn--e1awd7f.example https://\u0435\u0440.example": {
                "shown": ["https://xn--e1awd7f.example", "https://\u0435\u0440.example"],
                "text": "https://xn--e1awd7f.example https://\u0435\u0440.example (xn--e1aw.example)"},
            # An address that could run or lead elsewhere is text.
            "javascript:alert(1) data:text/html,x file:///etc/passwd //c.example": {"links": []},
            "https://": {"links": []},
            "https://d.example/\u202egpj.exe": {"links": ["https://d.example/"], "text": "https://d.example/\ufffdgpj.exe"},
            "run `git pull` and `make`": {"code": ["git pull", "make"]},
            "`https://e.example`": {"links": [], "code": ["https://e.example"]},
            "one ` alone": {"code": []},
            "👍": {"large": True}, "❤️ 👨‍👩‍👧‍👦🇰🇷": {"large": True}, "👍 ok": {"large": False}, "7": {"large": False}, "👍" * 7: {"large": False}, "": {"large": False},
        }
        page = self.page()
        found = page.evaluate(TEXTS, list(texts))
        for (text, wanted), result in zip(texts.items(), found):
            self.assertEqual({name: result[name] for name in wanted}, wanted, ascii(text))
            self.assertEqual(result["text"].replace("`", ""), wanted.get("text", text.replace("`", "")))
        self.bob.say("look at https://a.example/page.")
        link = page.locator("#log a")
        expect(link).to_have_attribute("href", "https://a.example/page")
        self.assertEqual((link.get_attribute("rel"), link.get_attribute("target")), ("noreferrer noopener", "_blank"))
        self.bob.say("🎉")
        self.bob.say("`x`")
        expect(page.locator("#log code")).to_have_text("x")
        self.assertEqual(page.locator("#log code").evaluate("(code) => getComputedStyle(code).fontFamily"), "ui-monospace, monospace")
        self.assertGreater(page.locator("#log .large").bounding_box()["height"], 32)

    def test_long_words_break_and_directions_are_isolated(self):
        page = self.page(viewport={"width": 390, "height": 700})
        carol = self.person("W" * 24, self.alice)
        texts = ["x" * 240, "https://a.example/" + "y" * 200, "`" + "z" * 200 + "`", "\u0634\u0643\u0631\u0627 bob: 1", "e" + "\u0301" * 12]
        for text in texts:
            carol.say(text)
        expect(self.rows(page)).to_have_count(len(texts))
        wide = page.evaluate("(log => log.scrollWidth - log.clientWidth)(document.getElementById('log'))")
        self.assertEqual(wide, 0)
        # Each letter is within its text, which would cut it off.
        cut = self.rows(page).evaluate_all("""(texts) => texts.filter((text) => {
            const range = document.createRange();
            range.selectNodeContents(text);
            return range.getBoundingClientRect().right > text.getBoundingClientRect().right + 4;
        }).map((text) => text.textContent)""")
        self.assertEqual(cut, [])
        arabic = self.rows(page).nth(3)
        self.assertEqual(arabic.evaluate("(text) => [getComputedStyle(text).direction, getComputedStyle(text).unicodeBidi]"), ["rtl", "isolate"])
        # Marks above a letter do not cover the row above.
        self.assertEqual(self.rows(page).nth(4).evaluate("(text) => getComputedStyle(text).overflow"), "clip")

    def test_the_menu_has_what_can_be_done_and_moves_nothing(self):
        context = self.browser.new_context(locale="en-GB", permissions=["clipboard-read", "clipboard-write"])
        self.addCleanup(context.close)
        page = self.page(context=context)
        self.bob.say("of *bob*, `raw`")
        for text in ("mine", "another"):
            page.locator("#text").fill(text)
            page.keyboard.press("Enter")
            self.bob.hears(text)
        expect(page.locator("#log .message:not(.waiting)")).to_have_count(3)
        before = page.evaluate(PLACES)
        menu = self.menu(page, "of *bob*")
        name = f"bob#{self.bob.number}"
        expect(menu.get_by_role("menuitem")).to_have_text(["Reply", "React", "Copy the text", "Message privately", f"About {name}", f"Mute {name}", f"Block {name}"])
        self.assertEqual(page.evaluate(PLACES), before)
        self.item(page, "Copy").click()
        expect(menu).to_be_hidden()
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), "of *bob*, `raw`")
        self.menu(page, "of *bob*")
        self.item(page, "Mute").click()
        expect(page.locator("#people .last")).to_contain_text("muted")
        expect(self.menu(page, "of *bob*").get_by_role("menuitem").nth(5)).to_have_text(f"Unmute {name}")
        # A press beside it closes it, and does nothing else.
        page.mouse.click(700, 200)
        expect(menu).to_be_hidden()
        self.menu(page, "mine")
        expect(menu.get_by_role("menuitem")).to_have_text(["Reply", "React", "Copy the text", "Edit", "Delete"])
        self.item(page, "Edit").click()
        expect(page.locator("#text")).to_have_value("mine")
        expect(page.locator("#text")).to_be_focused()
        page.keyboard.press("Escape")
        self.menu(page, "another")
        self.item(page, "Delete").click()
        self.bob.wait(lambda event: event["event"] == "deleted", "deletion")
        expect(page.locator("#log .own .text")).to_have_text(["mine", "(deleted)"])
        # There is nothing to be done with the place of a message.
        expect(page.locator("#log .erased .more")).to_have_count(0)
        page.locator("#log .erased").focus()
        page.keyboard.press("Enter")
        expect(menu).to_be_hidden()
        self.menu(page, "of *bob*")
        self.item(page, "Block").click()
        expect(page.locator("#log .message:not(.own)")).to_have_count(0)

    def test_the_menu_of_what_goes_closes_and_says_so(self):
        self.befriend()
        self.alice.node.result("join attic")
        page = self.page()
        page.locator("[data-id='r1']").click()
        menu, rule = page.locator("#actions"), page.locator("#rule")
        carol = self.person("carol", self.alice)

        def begin(node, text):
            node.say(text)
            expect(self.rows(page).last).to_have_text(text)
            self.menu(page, text)
            expect(menu).to_be_visible()

        # Deleted, blocked by another face.
        begin(self.bob, "soon gone")
        self.bob.say("/delete")
        expect(menu).to_be_hidden()
        expect(rule).to_have_text("the message is gone")
        begin(carol, "of carol")
        self.alice.node.say(f"@lobby /block {carol.number}")
        expect(menu).to_be_hidden()
        # In a direct conversation.
        page.locator(f"[data-id='r1-{self.bob.key}']").click()
        expect(page.locator("#title")).to_contain_text("bob#")
        self.bob.say(f"/msg {self.alice.node.number} between us")
        expect(self.rows(page).last).to_have_text("between us")
        self.menu(page, "between us")
        self.bob.say(f"/open {self.alice.node.number}")
        self.bob.say("/delete")
        expect(menu).to_be_hidden()
        expect(self.rows(page).last).to_have_text("(deleted)")
        # A room that another face leaves.
        page.locator("#conversations .row").filter(has_text="attic").click()
        expect(page.locator("#title")).to_contain_text("attic")
        page.locator("#text").fill("mine")
        page.keyboard.press("Enter")
        expect(page.locator("#log .message:not(.waiting)")).to_have_count(1)
        self.menu(page, "mine")
        self.alice.node.say("/part attic")
        expect(page.locator("#title")).not_to_contain_text("attic")
        expect(menu).to_be_hidden()

    def test_a_dialogue_about_what_went_is_refused_inside(self):
        self.alice.node.result("join attic")
        page = self.page()
        page.locator("[data-id='r1']").click()
        expect(page.locator("#title")).to_contain_text("lobby")
        page.locator("#people .row").click()
        expect(page.locator("#dialog")).to_be_visible()
        self.alice.node.say("/part lobby")
        expect(page.locator("#title")).to_contain_text("attic")
        alert = page.locator("#dialog").get_by_role("alert")
        for name in ("Mute", "Block", "Verify"):
            page.locator("#dialog").get_by_role("button", name=name, exact=True).click()
            expect(alert).not_to_be_empty()

    def test_a_deleted_message_leaves_its_place_in_a_room_and_in_a_direct_conversation(self):
        self.befriend()
        page = self.page()
        page.locator("[data-id='r1']").click()
        self.bob.say("one")
        self.bob.say("SECRET-TWO")
        expect(self.rows(page)).to_have_text(["one", "SECRET-TWO"])
        self.bob.say("/delete")
        expect(self.rows(page)).to_have_text(["one", "(deleted)"])
        # The list has the message before it, and the text is nowhere.
        expect(page.locator("#conversations [data-id='r1'] .words")).to_have_text(": one")
        self.assertNotIn("SECRET-TWO", page.content())
        direct = page.locator(f"[data-id='r1-{self.bob.key}']")
        direct.click()
        expect(page.locator("#title")).to_contain_text("bob#")
        self.bob.say(f"/open {self.alice.node.number}")
        self.bob.say("SECRET-THREE")
        expect(self.rows(page)).to_have_text(["may I?", "SECRET-THREE"])
        self.bob.say("/delete")
        expect(self.rows(page)).to_have_text(["may I?", "(deleted)"])
        quiet, words = (page.locator(place).evaluate("(each) => getComputedStyle(each).color") for place in ("#log .erased .line", "#log .message .text >> nth=0"))
        self.assertNotEqual(quiet, words)
        page.locator("[data-id='r1']").click()
        expect(self.rows(page)).to_have_text(["one", "(deleted)"])
        # A place goes with its author's messages, and a page that is loaded later has none.
        self.alice.node.say(f"/block {self.bob.number}")
        expect(self.rows(page)).to_have_count(0)
        self.alice.node.say(f"/unblock {self.bob.number}")
        expect(self.rows(page)).to_have_text(["one"])

    def test_the_header_of_a_direct_conversation_leads_to_the_person(self):
        self.befriend()
        page = self.page()
        person = page.get_by_role("button", name="Person", exact=True)
        page.locator("[data-id='r1']").click()
        expect(page.locator("#title")).to_contain_text("lobby")
        expect(person).to_have_count(0)
        page.locator(f"[data-id='r1-{self.bob.key}']").click()
        expect(page.get_by_role("button", name="Room", exact=True)).to_have_count(0)
        person.click()
        expect(page.locator("#dialog-title")).to_have_text(f"bob#{self.bob.number}")
        page.locator("#dialog").get_by_role("button", name="Mute").click()
        expect(page.locator("#people .last")).to_contain_text("muted")

    def test_the_time_is_written_as_the_locale_writes_it(self):
        context = self.browser.new_context(locale="en-US")
        self.addCleanup(context.close)
        shown = self.page(context=context).evaluate("""async () => {
            const { clock } = await import("/text.js");
            return [clock("2026-01-31T13:58:00"), clock("2026-01-31T00:05:00")].map((each) => each.replace("\u202f", " "));
        }""")
        self.assertEqual(shown, ["1:58 PM", "12:05 AM"])
        shown = self.page().evaluate("import('/text.js').then(({ clock }) => [clock('2026-01-31T13:58:00'), clock('2026-01-31T09:05:00')])")
        self.assertEqual(shown, ["13:58", "09:05"])

    def test_the_host_that_an_address_leads_to_is_shown_where_it_is_another_one_than_is_read(self):
        page = self.page()
        for said, shown in (
            ("see http://\u0440\u0430\u0443\u0440\u0430l.com/ now", "see http://\u0440\u0430\u0443\u0440\u0430l.com/ (xn--l-7sba6dbr.com) now"),
            ("http://a.\u0440\u0430.example/x.", "http://a.\u0440\u0430.example/x (a.xn--80a5a.example)."),
            ("http://paypal.com\u3002a.example/", "http://paypal.com\u3002a.example/ (paypal.com.a.example)"),
            ("http://2130706433/", "http://2130706433/ (127.0.0.1)"),
            ("HTTPS://A.example:8080/b?c http://xn--l-7sba6dbr.com/", "HTTPS://A.example:8080/b?c http://xn--l-7sba6dbr.com/"),
        ):
            with self.subTest(said):
                self.bob.say(said)
                expect(self.rows(page).last).to_have_text(shown)
        expect(self.rows(page).first.locator("a")).to_have_text("http://\u0440\u0430\u0443\u0440\u0430l.com/")

    def test_nothing_in_a_text_is_unseen(self):
        page = self.page()
        kept = ["\ud55c\uae00 \u1112\u1161\u11ab", "\u0915\u094d\u200d\u0937", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
                "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f44d\U0001f3fd \u2764\ufe0f\u200d\U0001f525 1\ufe0f\u20e3",
                "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\u060012", "\u6f22\u5b57\u3000\u4eee\u540d"]
        hidden = "\0\7\x1b\x85\u00ad\u061c\u200b\u2028\u2029\u2060\u115f\u1160\u3164\uffa0\ue000\u0378\ufeff\u034f\u200c\u200d\U000e0041\U000e0100\u202e"
        shown = page.evaluate("""async (texts) => {
            const { shownText } = await import("/text.js");
            return texts.map(shownText);
        }""", kept + [f"a{each}b" for each in hidden] + ["a\nb\r\nc\td", "\u0301a", "\ufe0fa", "\u2764\ufe0f\ufe0f", "a\u200d\U0001f600"])
        self.assertEqual(shown, kept + ["a\ufffdb"] * len(hidden) + ["a b c d", "\ufffda", "\ufffda", "\u2764\ufe0f\ufffd", "a\ufffd\U0001f600"])
        self.bob.say("a\u3164\u200bb")
        expect(self.rows(page)).to_have_text(["a\ufffd\ufffdb"])
        # A screen reader reads the text that is shown.
        self.assertIn(": a\ufffd\ufffdb,", page.locator("#log .message").last.get_attribute("aria-label"))

    def test_no_character_of_a_text_moves_its_neighbours(self):
        page = self.page()
        controls = ["\u202e", "\u2069\u202e", "\u2067", "\u2069\u2069\u202e", "\u200f", "\u061c"]
        self.bob.say("plain ab")
        for control in controls:
            self.bob.say(f"{control}plain ab")
        self.bob.say("/me plain ab")
        self.bob.say("/me \u2069\u202eplain ab")
        self.bob.say("/away \u2069\u202ereason")
        expect(self.rows(page)).to_have_count(len(controls) + 3)
        expect(page.locator("#people .last .words")).to_contain_text("reason")
        expect(page.locator("#conversations .last .words")).to_contain_text("plain ab")
        places = page.locator("#log .message").evaluate_all(BESIDE)
        self.assertEqual([place for place in places[1:len(controls) + 1] if place["glyphs"] != sorted(place["glyphs"])], [])
        head, plain, *rest = (place["beside"] for place in places[:len(controls) + 1])
        self.assertEqual([place for place in rest if place != plain], [])
        said = places[len(controls) + 1:]
        self.assertEqual(said[0]["beside"], said[1]["beside"])
        self.assertEqual(said[1]["glyphs"], sorted(said[1]["glyphs"]))
        # In the lists, the neighbours in front of the words stay there.
        for row in ("#people .last", "#conversations .last"):
            first, words = page.locator(row).evaluate("(row) => [...row.children].map((each) => each.getBoundingClientRect().left)")
            self.assertLess(first, words, row)

    def test_the_menu_is_reached_by_the_keyboard(self):
        page = self.page()
        for text in ("first", "second", "third"):
            self.bob.say(text)
        expect(self.rows(page)).to_have_count(3)
        log, menu = page.locator("#log"), page.locator("#actions")
        log.focus()
        page.keyboard.press("ArrowUp")
        expect(page.locator("#log .message").last).to_be_focused()
        page.keyboard.press("ArrowUp")
        row = page.locator("#log .message").nth(1)
        expect(row).to_be_focused()
        self.assertEqual(row.locator(".more").evaluate("(more) => getComputedStyle(more).pointerEvents"), "auto")
        for key in ("Enter", "Shift+F10", "ContextMenu"):
            page.keyboard.press(key)
            expect(menu.get_by_role("menuitem").first).to_be_focused()
            page.keyboard.press("ArrowUp")
            expect(menu.get_by_role("menuitem").last).to_be_focused()
            page.keyboard.press("ArrowDown")
            page.keyboard.press("ArrowDown")
            expect(menu.get_by_role("menuitem").nth(1)).to_be_focused()
            page.keyboard.press("Escape")
            expect(menu).to_be_hidden()
            expect(row).to_be_focused()
        # A row that changes keeps the focus.
        self.bob.say("/edit third, changed")
        page.keyboard.press("ArrowDown")
        expect(self.rows(page).last).to_have_text("third, changed")
        expect(page.locator("#log .message").last).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("End")
        page.keyboard.press("Home")
        for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Enter"):
            page.keyboard.press(key)
        expect(page.locator("#dialog-title")).to_have_text(f"To bob#{self.bob.number}")
        page.keyboard.type("in private")
        page.keyboard.press("Enter")
        self.bob.wait(lambda event: event["event"] == "request" and event["text"] == "in private", "request")

    def test_a_press_on_a_name_or_a_picture_opens_the_person(self):
        self.befriend()
        page = self.page()
        self.bob.say("hello")
        for place in (".from", ".face"):
            page.locator(f"#log {place}").click()
            expect(page.locator("#dialog-title")).to_have_text(f"bob#{self.bob.number}")
            expect(page.locator("#dialog-body")).to_contain_text("online")
            page.locator("#dialog").get_by_role("button", name="Close").click()
        # With one who has a direct conversation, that is opened.
        page.locator("#log .from").click()
        page.locator("#dialog").get_by_role("button", name="Direct message").click()
        expect(page.locator("#title")).to_contain_text("bob#")

    def test_an_empty_conversation_says_what_to_do(self):
        served = self.served("quiet-otter")
        page = self.page(served)
        number, port = served.node.number, served.node.ready()["port"]
        welcome = page.locator("#log .welcome")
        expect(welcome.locator(".first")).to_have_text(f"You are quiet-otter#{number}. Nobody else is here yet.")
        expect(welcome).to_contain_text(f"This node listens on port {port} and looks for nobody.")
        expect(welcome).to_contain_text("--peer")
        expect(welcome.locator("code")).to_have_text(["--peer", "earshot doctor"])
        expect(page.locator("#presence")).to_have_text("nobody else is here")
        expect(page.locator("#people")).to_contain_text("Nobody else is here yet")
        served.node.result("nick calm-otter")
        expect(welcome.locator(".first")).to_contain_text(f"You are calm-otter#{number}.")
        carol = self.person("carol", served)
        expect(welcome).to_contain_text("Nothing is said here yet.")
        expect(page.locator("#presence")).to_have_text("2 here")
        carol.say("hello")
        expect(self.rows(page)).to_have_text(["hello"])
        expect(welcome).to_have_count(0)
        carol.say("/delete")
        expect(self.rows(page)).to_have_text(["(deleted)"])
        expect(welcome).to_have_count(0)
        lines = page.evaluate("""async () => {
            const { welcomeLines } = await import("/welcome.js");
            const room = { kind: "room", title: "den", private: true, online: 0 };
            const obstacles = [{ code: "no_interface" }, { code: "discovery_lost" }];
            return ["daemon", "embedded"].map((discovery, place) =>
                welcomeLines(room, { displayName: "me#1" }, { port: 4800, discovery, obstacle: obstacles[place] }));
        }""")
        self.assertEqual([shown[3] for shown in lines], ["No network leads to other machines; `earshot doctor` says why.",
                                                         "Nobody can be found yet; `earshot doctor` says why."])
        for shown, way in zip(lines, ("by the Avahi daemon", "by itself")):
            self.assertIn("with the same key of the room den", shown[1])
            self.assertIn("port 4800", shown[2])
            self.assertIn(way, shown[2])

    def test_a_direct_conversation_has_the_presence_in_its_header(self):
        self.befriend()
        page = self.page()
        page.locator("#conversations .row").filter(has_text="bob#").click()
        presence = page.locator("#presence")
        expect(presence).to_have_text("online")
        self.bob.say("/away lunch")
        expect(presence).to_have_text("away: lunch")
        self.bob.say("/back")
        expect(presence).to_have_text("online")
        self.bob.quit()
        expect(presence).to_have_text(re.compile(r"^not here since \d\d:\d\d$"))

    def test_the_people_are_those_of_the_room_that_is_shown(self):
        page = self.page()
        expect(page.locator(f"#people [data-key='{self.bob.key}']")).to_be_visible()
        self.alice.node.result("join attic")
        page.locator("#conversations .row").filter(has_text="attic").click()
        expect(page.locator("#title")).to_contain_text("attic")
        expect(page.locator("#people .row")).to_have_count(0)
        page.locator("#conversations .row").filter(has_text="lobby").click()
        expect(page.locator("#people .row")).to_have_count(1)
        order = [page.locator(f"#{name}").bounding_box()["y"] for name in ("rename", "join", "conversations", "people")]
        self.assertEqual(order, sorted(order))
        self.assertEqual(page.locator("#join").bounding_box()["y"], page.locator("#make").bounding_box()["y"])

    def test_long_lists_fold(self):
        result = self.page().evaluate("""async () => {
            const { Model, take } = await import("/model.js");
            const { drawConversations, drawPeople } = await import("/side.js");
            const model = new Model();
            const who = (number) => ({ key: number.toString(16).padStart(64, "0"), displayName: `${String(number).padStart(2, "0")}#1` });
            const numbers = Array.from({ length: 20 }, (_, number) => number);
            const room = { id: "r1", roomId: "r1", kind: "room", title: "lobby", room: "lobby", unread: 0, mentions: 0, online: 19, active: true, messages: [] };
            take(model, { event: "snapshot", rooms: [], requests: [], invitations: [], colors: [], cards: [],
                people: numbers.map((n) => ({ roomId: n === 0 ? "r2" : "r1", room: "lobby", state: "online", since: "", who: who(n) })),
                conversations: [room, ...numbers.map((n) => ({ ...room, id: `r1-${n}`, kind: "direct", with: who(n), unread: n === 19 ? 3 : 0 }))] });
            const list = document.createElement("ul");
            const [count, words] = [() => list.querySelectorAll(".row").length, () => list.querySelector(".fold").textContent];
            const fold = () => list.querySelector(".fold").click();
            const result = [];
            for (const draw of [() => drawPeople(list, model, () => {}), () => drawConversations(list, model, () => {})]) {
                draw();
                result.push([count(), words()]);
                fold();
                result.push([count(), words()]);
                fold();
                result.push([count(), words()]);
            }
            return [result, list.textContent.includes("19#1")];
        }""")
        # Of the conversations, one with unread messages is always shown.
        self.assertEqual(result, [[[12, "Show 7 more"], [19, "Show fewer"], [12, "Show 7 more"],
                                   [13, "Show 8 more"], [21, "Show fewer"], [13, "Show 8 more"]], True])

    def test_mentions_are_tinted_and_have_a_sign_in_the_list(self):
        page = self.page()
        self.alice.node.result("join attic")
        page.locator("#conversations .row").filter(has_text="attic").click()
        expect(page.locator("#title")).to_contain_text("attic")
        self.bob.say("nothing")
        badge = page.locator("#conversations [data-id='r1'] .badge")
        expect(badge).to_have_text("1")
        self.bob.say("alice, look")
        expect(badge).to_have_text("@2")
        page.locator("#conversations [data-id='r1']").click()
        plain, named = (page.locator("#log .message").filter(has_text=text).evaluate("(row) => getComputedStyle(row).backgroundColor")
                        for text in ("nothing", "alice, look"))
        self.assertNotEqual(plain, named)

    def test_the_contrast_of_all_colours_is_enough(self):
        for scheme in ("light", "dark"):
            found = self.page(color_scheme=scheme).evaluate(CONTRASTS)
            self.assertEqual(len(found), 4 * 4 - 3 + 1 + 24 * 3)
            self.assertEqual({name: round(value, 2) for name, value in found.items() if value < 4.5}, {}, scheme)

    def test_nothing_moves_by_itself(self):
        page = self.page()
        self.bob.say("hello")
        expect(self.rows(page)).to_have_count(1)
        moving = page.evaluate("""() => [...document.querySelectorAll("*")].filter((each) => {
            const { transitionDuration, animationName } = getComputedStyle(each);
            return transitionDuration !== "0s" || animationName !== "none";
        }).length""")
        self.assertEqual(moving, 0)


if __name__ == "__main__":
    unittest.main()
