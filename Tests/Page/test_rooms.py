"""Rooms in the page: join, make, leave, invite, announce (Docs/Web.md, section 7)."""

import unittest

from page import PageTest
from playwright.sync_api import expect


class Rooms(PageTest):
    def room(self, page, name):
        return page.locator("#conversations .row").filter(has_text=name)

    def dialog(self, page, name):
        return page.locator("#dialog").get_by_role("button", name=name, exact=True)

    def join(self, page, name, key=None):
        page.get_by_role("button", name="Join a room").click()
        page.get_by_label("Name", exact=True).fill(name)
        if key:
            page.get_by_label("Key (empty for an open room)").fill(key)
        self.dialog(page, "OK").click()

    def fill(self, page, name, key, press):
        page.get_by_role("button", name="Join a room").click()
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_label("Key (empty for an open room)").fill(key)
        page.keyboard.press(press)

    def test_rooms_are_joined_made_and_left(self):
        page = self.page()
        page.get_by_role("button", name="Room", exact=True).click()
        expect(page.locator("#dialog-body")).to_contain_text("your only room")
        self.dialog(page, "Close").click()
        self.join(page, "the attic")
        expect(page.locator("#title")).to_contain_text("the attic")
        page.get_by_role("button", name="Make a private room").click()
        page.get_by_label("Name").fill("secret den")
        page.keyboard.press("Enter")
        key = page.locator(".key")
        expect(key).to_be_visible()
        self.assertRegex(key.inner_text(), r"^[a-z]+(-[a-z]+){7}$")
        self.dialog(page, "Close").click()
        expect(page.locator("#conversations .row")).to_have_count(3)
        expect(self.room(page, "secret den").get_by_role("img", name="private")).to_be_visible()
        expect(page.locator("#title")).to_contain_text("secret den")
        page.get_by_role("button", name="Room", exact=True).click()
        self.dialog(page, "Leave the room").click()
        self.dialog(page, "Leave").click()
        expect(page.locator("#conversations .row")).to_have_count(2)
        expect(page.locator("#title")).not_to_contain_text("secret den")
        # The page leaves a room that another face leaves.
        self.alice.node.say('/part "the attic"')
        expect(page.locator("#conversations .row")).to_have_count(1)
        expect(page.locator("#title")).to_contain_text("lobby")
        self.join(page, "n" * 65)
        expect(page.locator("#dialog").get_by_role("alert")).not_to_be_empty()

    def test_a_private_room_is_joined_with_its_key(self):
        made = self.bob.result("room new den")
        self.bob.say("@den behind the door")
        page = self.page()
        self.join(page, "den", made["key"][:-1] + "!")
        expect(page.locator("#dialog").get_by_role("alert")).not_to_be_empty()
        self.dialog(page, "Close").click()
        self.join(page, "den", made["key"])
        expect(page.locator("#title")).to_contain_text("den")
        expect(self.room(page, "den").get_by_role("img", name="private")).to_be_visible()

    def test_a_name_or_a_key_leads_to_no_other_room(self):
        page = self.page()
        for name, key in (('my "best" room', "the key of the best room"), ("lab", "the key of the lab --open")):
            self.join(page, name, key)
            expect(page.locator("#title")).to_contain_text(name)
        rooms = ["lobby", 'my "best" room', "lab"]
        self.assertEqual([row["room"] for row in self.alice.node.result("rooms")["rooms"]], rooms)
        private = [row["private"] for row in self.alice.get("/api/v1/conversations")["conversations"]]
        self.assertEqual(private, [False, True, True])
        # The dialogue stays, with what was filled in.
        for press in ("Enter", None):
            self.join(page, " ", "SECRET-KEY") if press is None else self.fill(page, "", "SECRET-KEY", press)
            expect(page.locator("#dialog").get_by_role("alert")).to_have_text("a room needs a name")
            expect(page.get_by_label("Key (empty for an open room)")).to_have_value("SECRET-KEY")
            self.dialog(page, "Close").click()
        self.assertEqual([row["room"] for row in self.alice.node.result("rooms")["rooms"]], rooms)
        self.room(page, 'my "best" room').click()
        page.get_by_role("button", name="Room", exact=True).click()
        self.dialog(page, "Leave the room").click()
        self.dialog(page, "Leave").click()
        expect(self.room(page, 'my "best" room')).to_have_count(0)

    def test_a_room_that_a_bridge_carries_is_marked_and_the_consent_is_changed(self):
        page = self.page()
        expect(page.locator("#title")).not_to_contain_text("⇄")
        self.person("carl", self.alice, *self.bridge())
        expect(page.locator("#title")).to_contain_text("lobby ⇄")
        expect(self.room(page, "lobby")).to_contain_text("⇄")
        expect(page.locator("#log .note")).to_contain_text(["carries this room to other networks, without what you say"])
        page.get_by_role("button", name="Room", exact=True).click()
        expect(page.locator("#dialog-body")).to_contain_text("to other networks, without what you say")
        with page.expect_response("**/api/v1/commands"):
            self.dialog(page, "Let bridges carry what I say").click()
        self.assertTrue(self.alice.node.result("bridge")["allowed"])
        # Another page has the mark from the start.
        other = self.page()
        expect(other.locator("#title")).to_contain_text("lobby ⇄")
        other.get_by_role("button", name="Room", exact=True).click()
        expect(other.locator("#dialog-body")).to_contain_text("to other networks, with what you say")
        expect(self.dialog(other, "Keep what I say here")).to_be_visible()

    def test_an_invitation_is_shown_joined_and_hidden(self):
        self.befriend()
        self.bob.result("room new den")
        page = self.page()
        self.bob.say(f"@lobby /invite {self.alice.node.number} den")
        invitation = page.locator("#requests")
        expect(invitation).to_contain_text("invites you to the private room den")
        expect(page).to_have_title("(1) Earshot")
        page.get_by_role("button", name="hide the invitation to den").click()
        expect(page.locator("#requests-part")).to_be_hidden()
        expect(page).to_have_title("Earshot")
        # Another page has it from the start.
        other = self.page()
        other.get_by_role("button", name="join den").click()
        expect(other.locator("#title")).to_contain_text("den")
        expect(other.locator("#requests-part")).to_be_hidden()
        # The page in which nothing was joined shows what it showed.
        expect(self.room(page, "den")).to_be_visible()
        expect(page.locator("#title")).to_contain_text("lobby")

    def test_a_peer_is_invited_and_rooms_are_announced(self):
        self.befriend()
        page = self.page()
        self.join(page, "kitchen")
        expect(page.locator("#title")).to_contain_text("kitchen")
        self.room(page, "lobby").click()
        expect(page.locator("#title")).to_contain_text("lobby")
        page.locator(f"[data-key='{self.bob.key}']").click()
        self.dialog(page, "Invite to a room").click()
        self.dialog(page, "kitchen").click()
        expect(page.locator("#dialog-title")).to_have_text("Invited")
        self.dialog(page, "Close").click()
        self.bob.wait(lambda event: event["event"] == "invitation" and event["to"] == "kitchen", "invitation")
        page.get_by_role("button", name="Room", exact=True).click()
        self.dialog(page, "Announce my other open rooms here").click()
        for _ in range(1_000):
            if (announced := self.bob.result("rooms")["announced"]):
                break
        self.assertEqual(announced, [{"name": "kitchen", "people": 1}])
        self.bob.result("join hall")
        self.bob.say("@lobby /announce hall")
        self.bob.wait(lambda event: event["event"] == "result" and event["command"] == "announce", "announcement")
        page.get_by_role("button", name="Join a room").click()
        expect(page.locator(".announced")).to_have_text(["hall · announced by 1 Join"])
        page.get_by_role("button", name="join hall").click()
        expect(page.locator("#title")).to_contain_text("hall")


if __name__ == "__main__":
    unittest.main()
