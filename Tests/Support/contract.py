"""The contract of `earshot --json`: every event, every field and its values. Any other output is a breach.

`check(event)` raises Breach, which names the place. A new field or event of the program needs an entry here.
A shape is a function that returns true for a value that fits, a list of one shape (an array of such), or a dictionary from names
to shapes (an object with exactly these fields).
"""

import hashlib
import re


class Breach(AssertionError):
    """The program printed a line that the contract does not have."""


def text(value):
    return isinstance(value, str)


def flag(value):
    return isinstance(value, bool)


def count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def matching(pattern):
    return lambda value: text(value) and re.fullmatch(pattern, value, re.ASCII) is not None


def one_of(*words):
    return lambda value: text(value) and value in words


def between(first, last):
    return lambda value: count(value) and first <= value <= last


def nullable(shape):
    return lambda value: value is None or not breaches(value, shape)


def either(*shapes):
    def fits(value):
        return any(not breaches(value, shape) for shape in shapes)

    fits.shapes = shapes  # for Scripts/reference, which lists the members
    return fits


def milliseconds(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def whole_milliseconds(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def named_as_its_key_says(who):
    """True if the number and the suffix match the key (Docs/Protocol.md section 2), and the displayed name is safe and has both."""
    computed = int.from_bytes(hashlib.sha256(b"earshot/3 number\0" + bytes.fromhex(who["key"])).digest()[:8], "big")
    number, suffix = computed % 9000 + 1000, computed // 9000 % 9000 + 1000
    label = f"{number}" + (f"-{suffix}" if who["suffix"] is not None else "")
    word, _, shown = who["displayName"].rpartition("#")
    # Two keys that share number and suffix show their first eight digits, too.
    labels = (label,) if who["suffix"] is None else (label, f"{label}-{who['key'][:8]}")
    return who["number"] == number and shown in labels and who["suffix"] in (None, suffix) and is_safe_word(word, who)


def is_safe_word(word, who):
    """True for a name as it is shown before the number: the user's own behind a star, or the nickname, where each scalar that
    is not plain may be replaced, behind `≈` if it looks like another's."""
    star, own = ("★", who["contact"]) if "contact" in who else ("≈" if word.startswith("≈") else "", who["nickname"] or who["stage"])
    if not word.startswith(star) or set(word[len(star):]) & set("#★≈<>[]*"):
        return False
    plain = re.fullmatch(r"[\w-]+( [\w-]+)*", own)
    return word == star + own if plain else "\ufffd" in word or word == star + " ".join(own.split())


TIME = matching(r"\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z")
ID = matching(r"[0-9a-f]{32}")
SENTENCE = matching(r"[^\n]+")
WHO_FIELDS = {
    "number": between(1000, 9999),
    "suffix": nullable(between(1000, 9999)),
    "nickname": text,
    "stage": one_of("newcomer", "regular", "resident"),
    "displayName": text,
    "key": matching(r"[0-9a-f]{64}"),
}
# A contact has the user's own name for it too.
CONTACT_FIELDS = WHO_FIELDS | {"contact": text}


def WHO(value):
    is_contact = isinstance(value, dict) and "contact" in value
    return not breaches(value, CONTACT_FIELDS if is_contact else WHO_FIELDS) and named_as_its_key_says(value)


PUBLIC = {"conversation": one_of("public")}
DIRECT = {"conversation": one_of("direct"), "with": WHO}


def placed(fields):
    """The fields, with those that name the conversation: the public one, or a direct one with its peer."""
    return either(PUBLIC | fields, DIRECT | fields)


REACTIONS = [{"emoji": text, "count": count, "own": flag}]
MESSAGE_FIELDS = {
    "id": ID,
    "from": WHO,
    "text": text,
    "action": nullable(text),
    "sentAt": TIME,
    "receivedAt": TIME,
    "isFromCurrentUser": flag,
    "history": flag,
    "missed": flag,
    "unread": count,
    "mention": flag,
    "replyTo": nullable(ID),
    "reactions": REACTIONS,
}
# The delivery state of an own direct message.
DELIVERY = {"isFromCurrentUser": lambda value: value is True, "delivery": one_of("sending", "delivered", "read", "failed")}


def message(more):
    return either(PUBLIC | MESSAGE_FIELDS | more, DIRECT | MESSAGE_FIELDS | more, DIRECT | MESSAGE_FIELDS | DELIVERY | more)


MESSAGE = message({})
CARD = {
    "id": ID,
    "from": WHO,
    "title": text,
    "text": text,
    "cardColor": one_of("red", "orange", "yellow", "green", "teal", "blue", "purple", "gray"),
    "sentAt": TIME,
    "expiresAt": TIME,
    "isFromCurrentUser": flag,
    "history": flag,
}
ERROR_CODES = (
    "empty", "is_command", "too_long", "too_many_bytes", "too_dense", "invalid_utf8", "unknown_command", "unknown_peer", "ambiguous_peer",
    "not_connected", "not_accepted", "unknown_message", "invalid_emoji", "too_many_reactions", "invalid_card", "unknown_card",
    "direct_open",
    "rate_limited", "invalid_nickname", "invalid_reason", "invalid_about",
    "invalid_room", "invalid_key", "unknown_room", "too_many_rooms", "only_room", "room_failed", "wiped",
    "too_many_contacts", "no_identity",
)
NOTICE_CODES = ("discovery_changed", "discovery_lost", "clock_skew", "signed_out", "peer_unreachable", "no_interface",
                "room_bridged", "room_unbridged", "bridge_connected", "bridge_lost", "bridge_blocked", "bridge_unblocked",
                "room_unanswered")
PEER_ROW = {
    "who": WHO,
    "state": one_of("online", "away", "offline"),
    "since": TIME,
    "roundTripMs": nullable(whole_milliseconds),
    "muted": flag,
    "verified": flag,
    "blocked": flag,
    "reason": nullable(text),
    "elsewhere": flag,
}


PROFILE = {"about": nullable(text), "announced": [text]}


# A peer before it changed.
SIGHTING = {"state": one_of("online", "away"), "who": WHO, "reason": nullable(text)}


def event(name, fields):
    return {"event": one_of(name), "room": text} | fields


EVENTS = {
    "ready": event("ready", {
        "version": matching(r"\d+\.\d+\.\d+"), "self": WHO, "port": between(1, 65535),
        "discovery": one_of("daemon", "embedded", "none"),
    }),
    "peer": either(
        event("peer", {"state": one_of("online", "away", "offline"), "who": WHO, "peers": count, "reason": nullable(text),
                       "elsewhere": lambda value: value is False, "was": nullable(SIGHTING)}),
        event("peer", {"state": one_of("online", "away", "offline"), "who": WHO, "reason": nullable(text),
                       "elsewhere": lambda value: value is True, "was": nullable(SIGHTING)})),
    "renamed": event("renamed", {"self": WHO, "was": WHO}),
    "status": event("status", {"state": one_of("online", "away"), "reason": nullable(text), "about": nullable(text)}),
    "person": event("person", {key: shape for key, shape in PEER_ROW.items() if key != "roundTripMs"}),
    "blocked": event("blocked", {"who": WHO, "on": flag}),
    "crowd": event("crowd", {"came": count, "left": count, "peers": count}),
    "message": message({"event": one_of("message"), "room": text}),
    "request": event("request", {"from": WHO, "text": text}),
    "invitation": event("invitation", {"from": WHO, "to": text, "private": flag, "there": flag}),
    "direct": event("direct", {"state": one_of("accepted", "declined", "left"), "with": WHO}),
    "edited": placed(event("edited", {"id": ID, "text": text, "action": nullable(text)})),
    "deleted": placed(event("deleted", {"id": ID})),
    "reacted": placed(event("reacted", {"id": ID, "from": WHO, "emojis": [text], "reactions": REACTIONS,
                                         "isFromCurrentUser": flag, "history": flag})),
    "card": event("card", CARD),
    "cardRemoved": event("cardRemoved", {"id": ID, "reason": one_of("removed", "expired", "displaced", "hidden")}),
    "delivered": event("delivered", {"with": WHO, "ids": [ID]}),
    "read": event("read", {"with": WHO, "ids": [ID]}),
    "failed": event("failed", {"with": WHO, "ids": [ID]}),
    "typing": placed(event("typing", {"who": WHO, "on": flag})),
    "error": event("error", {"code": one_of(*ERROR_CODES), "message": SENTENCE}),
    "opened": placed(event("opened", {})),
    "listening": either(
        {"event": one_of("listening"), "face": one_of("web"), "url": text, "address": text, "token": matching(r"[0-9a-f]{32}")},
        {"event": one_of("listening"), "face": one_of("stomp", "irc"), "address": text, "token": matching(r"[0-9a-f]{32}")}),
    "notice": event("notice", {"code": one_of(*NOTICE_CODES), "message": SENTENCE}),
}


def counters(value):
    """Counters are whole numbers with names in one form; their set depends on the program's state."""
    names = value.keys() - {"event", "command", "room"}
    return {"peers_online", "payloads_sent", "resident_bytes", "start_to_ready_us", "events_not_shown"} <= names and all(
        re.fullmatch(r"[a-z][a-z0-9_]*", name) and count(value[name]) for name in names)


def result(command, fields):
    return {"event": one_of("result"), "command": one_of(command), "room": text} | fields


SUMMARY = placed({"room": text, "number": count, "unread": count, "last": nullable(MESSAGE)})
RESULTS = {
    "set": result("set", {"cover": flag}),
    "who": result("who", {
        "self": nullable({"who": WHO, "state": one_of("online", "away"), "reason": nullable(text), "since": nullable(TIME)}),
        "peers": [PEER_ROW], "here": count}),
    "requests": result("requests", {"requests": [{"from": WHO, "text": text}]}),
    "history": placed(result("history", {"messages": [MESSAGE]})),
    "board": result("board", {"cards": [CARD]}),
    "react": placed(result("react", {"id": ID, "reactions": [{"emoji": text, "who": [WHO]}]})),
    "search": placed(result("search", {"messages": [MESSAGE]})),
    "unread": result("unread", {"conversations": [SUMMARY], "requests": [{"room": text, "number": count, "from": WHO, "text": text}]}),
    "rooms": result("rooms", {
        "rooms": [{"room": text, "number": count, "open": flag, "private": flag, "bridged": flag, "entering": flag, "self": WHO,
                   "peers": count, "unread": count}],
        "announced": [{"name": text, "people": count}], "invitations": [{"from": WHO, "to": text, "private": flag}]}),
    "room": result("room", {"key": matching(r"[a-z]{3,6}(-[a-z]{3,6}){7}")}),
    "invite": result("invite", {"with": WHO, "to": text}),
    "bridge": result("bridge", {"allowed": flag, "bridged": flag, "state": nullable(text)}),
    "announce": result("announce", {"rooms": [text]}),
    "contacts": result("contacts", {
        "contacts": [{"who": WHO, "lastHere": nullable(TIME), "here": [text], "verified": flag}]}),
    "blocked": result("blocked", {"peers": [{"who": WHO}]}),
    "join": placed(result("join", {})),
    "part": placed(result("part", {"left": text})),
    "whois": result("whois", PEER_ROW | PROFILE | {"code": matching(r"\d{4}( \d{4}){8}")}),
    "whoami": result("whoami", {"who": WHO, "state": one_of("online", "away"), "reason": nullable(text)} | PROFILE),
    "stats": counters,
    "web": result("web", {"url": nullable(matching(r"http://127\.0\.0\.1:\d+/#c=[0-9a-f]{32}"))}),
    "help": result("help", {"commands": [{"usage": matching(r"/[a-z]+( .+)?"), "does": SENTENCE}]}),
    "open": placed(result("open", {})),
    "close": placed(result("close", {})),
    "verify": result("verify", {
        "with": WHO, "code": matching(r"\d{4}( \d{4}){8}"), "verified": flag, "kept": flag}),
    "wipe": result("wipe", {"conversations": count, "messages": count, "peers": count, "files": [text], "pauseSeconds": count}),
}
for mark in ("nick", "about", "contact", "uncontact", "away", "back", "mute", "unmute", "block", "unblock"):
    RESULTS[mark] = result(mark, {"who": WHO})


def breaches(value, shape, place="it"):
    """The differences between a value and a shape, as sentences; empty if it fits."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return [f"{place} is no object"]
        odd = [f"{place} has no field {name}" for name in shape.keys() - value.keys()]
        odd += [f"{place} has a field {name}" for name in value.keys() - shape.keys()]
        known = [name for name in shape if name in value]
        return odd + [line for name in known for line in breaches(value[name], shape[name], f"{place}.{name}")]
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{place} is no array"]
        return [line for number, element in enumerate(value) for line in breaches(element, shape[0], f"{place}[{number}]")]
    return [] if shape(value) else [f"{place} can not be {value!r}"]


def check(value):
    """Raises Breach unless `value`, a decoded line of JSON, is an event of the contract."""
    name = value.get("event") if isinstance(value, dict) else None
    shape = RESULTS.get(value.get("command")) if name == "result" else EVENTS.get(name)
    if shape is None:
        raise Breach(f"there is no such event: {value!r}")
    odd = breaches(value, shape, name)
    if odd:
        raise Breach("; ".join(odd))
