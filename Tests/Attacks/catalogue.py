"""The attacks, the counters that each must move, and the pass line of each."""

import time
from collections import Counter
from dataclasses import dataclass
from typing import Callable, Optional

# KiB that an attack may add to resident memory: the full tables of Docs/Protocol.md section 11.
MEMORY = 24 * 1024
# Milliseconds below which the machine's noise is as large as the measured delays.
NOISE = 2.0
# The most seconds that an attacker takes to join the room.
ARRIVAL = 20


@dataclass
class Attack:
    name: str
    tried: str
    # Counters of /stats that must increase.
    counted: tuple
    # The required outcome of the attacker's links: closed (none stays open), limited (some stay within the rates).
    end: str = "limited"
    seconds: float = 4
    windows: int = 3
    newcomer: float = 10
    # Rooms that the attack is tried on, one after the other.
    runs: int = 1
    # The most that the members may send of a public message, counted once for each link; None for any number.
    sends: Optional[float] = None
    # The victim's further options; with any, the attacker is a program of its machine.
    options: tuple = ()
    # The acts of honest members before it.
    prepare: Optional[Callable] = None
    look: Optional[Callable] = None
    wanted: Optional[dict] = None
    counters = ("link_", "dropped_", "connections_refused", "bans", "certificates_refused", "sealed_", "wants_refused", "wanted_",
                "id_lists_malformed", "unexpected_frames", "pings_", "candidates", "dials", "handshakes_done", "refused_")

    def missed(self, told, isAlone=True):
        """The pass lines that a run missed, as sentences. That of latency holds for several runs together: in each alone, some
        messages wait for the other work of the machine."""
        calm, attacked = told["calm_ms"][1], told["attack_ms"][1]
        before, peak = told["memory_kib"]
        joined = told["newcomer_seconds"]
        lines = [
            (isAlone and attacked > max(2 * calm, NOISE), f"p99 {attacked} ms, calm {calm} ms"),
            (told["missing"], f"{told['missing']} not delivered"),
            (told["links_lost"], f"{told['links_lost']} honest links lost"),
            (peak - before > MEMORY, f"{peak - before} KiB more"),
            (joined is None or joined > self.newcomer, f"a newcomer waited {joined} s"),
            (self.sends and told["sends_per_message"] > self.sends, f"{told['sends_per_message']} sends of a message"),
            (self.end == "closed" and told["attacker"].get("still_open_at_the_end"), "attacker's links stayed"),
        ]
        missed = [line for is_missed, line in lines if is_missed]
        missed += [f"{name} did not move" for name in self.counted if not told["counted"].get(name)]
        found = told["found"]
        wanted = (self.wanted or {}).items()
        return missed + [f"{name} is {found.get(name)}" for name, value in wanted if found.get(name) != value]


def gateway_plan(listening):
    """The part of a plan that names the victim's IRC gateway, from the event with which it listens."""
    return {"irc_port": int(listening["address"].rsplit(":", 1)[1]), "irc_token": listening["token"]}


def look_alike(crowd):
    """The victim's events about two members with one number, once both have joined."""
    number, deadline = crowd.members[1].number, time.monotonic() + ARRIVAL
    rows = []
    while len(rows) < 2 and time.monotonic() < deadline:
        rows = [row["who"] for row in crowd.ask(crowd.victim, "who")["peers"] if row["who"]["number"] == number]
    answer = crowd.ask(crowd.victim, f"msg {number} is it you?")
    return {"with_suffix": sum(who["suffix"] is not None for who in rows), "rows": len(rows), "bare_number": answer.get("code")}


def requests(crowd):
    return {"open_requests": len(crowd.ask(crowd.victim, "requests")["requests"])}


def changed(crowd):
    """The messages of honest members that any member saw edited or deleted."""
    said = [event for member in crowd.members for event in member.events if event["event"] in ("edited", "deleted")]
    return {"changed": len(said)}


def reacted(crowd):
    """The reactions that any member heard of."""
    return {"reacted": sum(event["event"] == "reacted" for member in crowd.members for event in member.events)}


def cards_of_one(crowd):
    """The most cards of one author on any board."""
    boards = [crowd.ask(member, "board")["cards"] for member in crowd.members]
    counts = [Counter(card["from"]["key"] for card in board).most_common(1) for board in boards]
    return {"most_of_one": max(count[0][1] for count in counts if count)}


def put_up(crowd):
    """Each member puts a card on the board, and all have them."""
    for member in crowd.members:
        crowd.say(member, f"/card lost | something of {member.key[:8]}")
    deadline = time.monotonic() + ARRIVAL
    while min(len(crowd.ask(member, "board")["cards"]) for member in crowd.members) < len(crowd.members):
        assert time.monotonic() < deadline, "a card did not come"


def honest_cards(crowd):
    """The honest members' cards that are gone from any board, and the places above those that a board has."""
    keys, gone, over = {member.key for member in crowd.members}, 0, 0
    for member in crowd.members:
        cards = crowd.ask(member, "board")["cards"]
        gone += len(keys) - sum(card["from"]["key"] in keys for card in cards)
        over = max(over, len(cards) - 16)
    return {"honest_cards_gone": gone, "above_places": max(0, over)}


def answers(crowd):
    """Whether an answer to no known message is shown."""
    said = [event for event in crowd.victim.events if event["event"] == "message" and event["text"].startswith("as you said")]
    return {"answers_shown": bool(said), "with_target": all(event["replyTo"] for event in said)}


CATALOGUE = [
    Attack("slow-handshakes", "1,000 connections from 1,000 addresses that send a byte a second",
           ("link_handshake_timeout", "connections_refused")),
    Attack("idle-connections", "50 silent connections a second from changing addresses",
           ("link_handshake_timeout", "connections_refused")),
    Attack("connect-and-close", "650 connections a second from one address, closed at once", ("connections_refused",),
           seconds=8, windows=2),
    Attack("connect-and-close-many", "650 connections a second from changing addresses, closed at once",
           ("connections_refused",), seconds=8, windows=2),
    Attack("handshake-flood-one", "200 valid first messages a second from one address", ("connections_refused",)),
    Attack("handshake-flood-many", "200 valid first messages a second from changing addresses",
           ("connections_refused", "link_handshake_timeout"), seconds=6, windows=3),
    Attack("garbage", "invalid lengths, low-order keys, TLS and HTTP, 15 times a second",
           ("link_illegal_length", "link_handshake_failed"), "closed"),
    Attack("slow-records", "20 members that send a record at a byte a second", ("link_record_timeout",), seconds=8, windows=2),
    Attack("message-flood", "a member that sends 10,000 messages a second", ("dropped_author_rate", "dropped_duplicate")),
    Attack("message-flood-fresh", "a member that sends 4,000 messages a second, none twice", ("dropped_author_rate",)),
    Attack("presence-flood", "a member that leaves and joins 1,000 times a second under changing nicknames", ("dropped_author_rate",)),
    Attack("pings-unread", "a member that sends 150,000 pings a second and reads nothing", ("pings_unanswered",)),
    Attack("requests", "36 members that send contact requests, 18 a second together",
           ("refused_request_displaced",), seconds=8, windows=2, look=requests, wanted={"open_requests": 32}),
    # Long enough that all 320 have come while the attack is on; 224 find a place.
    Attack("many-members", "320 members from 320 addresses that join as fast as the limits allow",
           ("handshakes_done",), seconds=30, windows=1, newcomer=5, runs=10, sends=40),
    Attack("certificates", "2,000 certificates of new identities a second", ("certificates_refused", "dropped_new_author_rate")),
    Attack("sealed-flood", "800 sealed messages a second that do not open", ("sealed_refused", "sealed_unopened")),
    Attack("false-history", "offers of 60,000 missing payloads a second, and as many requests for them",
           ("wanted_in_vain",)),
    Attack("forgeries", "payloads with a false author, and valid ones changed in each field or signed by another key",
           ("dropped_foreign_author", "dropped_bad_signature", "bans"), "closed"),
    Attack("stale-and-strange", "relayed payloads with a wrong time, room, epoch, sequence number, kind or text, and repeated ones",
           ("dropped_stale", "dropped_from_the_future", "dropped_duplicate", "dropped_equivocation", "dropped_old_epoch",
            "dropped_other_room", "dropped_too_many_hops", "dropped_misdirected", "dropped_unknown_kind")),
    Attack("meddling", "edits and deletions of all messages of honest members, in its own name and in theirs",
           ("refused_not_its_author", "dropped_foreign_author"), look=changed, wanted={"changed": 0}),
    Attack("reaction-flood", "a member that sends 4,000 reactions a second to the messages that it hears", ("dropped_author_rate",)),
    Attack("reactions-unknown", "20 members that send 4,000 reactions a second to messages that do not exist",
           ("dropped_author_rate",), look=reacted, wanted={"reacted": 0}),
    Attack("card-flood", "a member that sends 800 cards a second, none twice", ("dropped_author_rate",), look=cards_of_one,
           wanted={"most_of_one": 2}),
    # Two rounds of identities, of which the first is absent when the second comes.
    Attack("cards-fresh", "two cards each of 20 identities at 20 addresses, other ones every three seconds",
           ("refused_board_full",), seconds=8, windows=2, prepare=put_up, look=honest_cards,
           wanted={"honest_cards_gone": 0, "above_places": 0}),
    Attack("replies-unknown", "a member that answers messages that do not exist", (), look=answers,
           wanted={"answers_shown": True, "with_target": True}),
    Attack("irc-strangers", "200 clients of the IRC gateway a second without the token: long tags, half lines, a wrong token, silence", (),
           options=("--irc", "0")),
    Attack("irc-client", "a client of the IRC gateway that asks for lists, the past and rooms as fast as it is answered", (),
           options=("--irc", "0")),
    Attack("look-alike", "a member with the nickname and the number of another", (), look=look_alike,
           wanted={"with_suffix": 2, "rows": 2, "bare_number": "ambiguous_peer"}),
    Attack("fake-instances", "1,000 mDNS instances at unused addresses", ("dials_failed", "refused_multicast"),
           seconds=15, windows=1),
    Attack("endless-instances", "100 new mDNS instances a second at unused addresses", ("refused_multicast",),
           seconds=15, windows=1),
    Attack("elsewhere", "1,000 mDNS instances at three ports of a machine without a node",
           ("refused_multicast",), seconds=15, windows=1),
    Attack("many-ports-elsewhere", "1,000 mDNS instances at 1,000 ports of a machine without a node",
           ("refused_multicast",), seconds=15, windows=1),
]
