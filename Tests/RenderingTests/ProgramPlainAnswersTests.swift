import Glibc
import Reactor
import Phrases
import TestSupport
import Testing
import Wire

@testable import Chat
@testable import ChatNode
@testable import Commands
@testable import Rendering
@testable import TerminalFace

@Suite struct ProgramPlainAnswersTests {
    @Test func `the list of peers says how long, how far and which marks`() throws {
        let who = try Sample.who()
        let since = Timestamp(milliseconds: Sample.time.milliseconds - 125_000)
        let peers = [
            PeerView(
                who: who, state: .here, since: since, roundTrip: RoundTrip(.microseconds(400)), isMuted: true,
                isVerified: true,
                isBlocked: false),
            PeerView(
                who: who, state: .left, since: Timestamp(milliseconds: .max), roundTrip: nil, isMuted: false,
                isVerified: false, isBlocked: true),
            PeerView(
                who: who, state: .away, since: since, roundTrip: nil, isMuted: false, isVerified: false,
                isBlocked: false, reason: "lunch, verified\u{1b}"),
            PeerView(
                who: who, state: .away, since: since, roundTrip: RoundTrip(.microseconds(400)), isMuted: false,
                isVerified: true,
                isBlocked: false, reason: "lunch"),
        ]
        #expect(
            ProgramPlainTests.text(.answer(.peers(peers, isWhole: true))) == """
                23:59:59 * quiet-otter#4821 online for 2 min, 1 ms, muted, verified
                23:59:59 * quiet-otter#4821 offline for 0 s, blocked
                23:59:59 * quiet-otter#4821 away, here for 2 min: lunch, verified\u{fffd}
                23:59:59 * quiet-otter#4821 away, here for 2 min, 1 ms, verified: lunch\n
                """)
        #expect(ProgramPlainTests.text(.answer(.peers([], isWhole: true))) == "23:59:59 * nobody else is here\n")
        let latest = ProgramPlainTests.text(.answer(.peers(Array(peers.prefix(1)), isWhole: true, here: 1_003)))
        #expect(latest.hasPrefix("23:59:59 * 1004 here; those heard last:\n23:59:59 * quiet-otter#4821 online"))
    }

    @Test func `arrivals and departures of a crowd are a line with the number that is here`() {
        #expect(
            ProgramPlainTests.text(.event(.crowd(came: 12, left: 3, online: 1_003)))
                == "23:59:59 * 12 came, 3 left: 1004 here\n")
        #expect(
            ProgramPlainTests.text(.event(.crowd(came: 0, left: 3, online: 1_000))) == "23:59:59 * 3 left: 1001 here\n")
    }

    @Test func `history is a notice and the messages`() throws {
        let message = try Sample.said("hi", by: try Sample.who())
        #expect(
            ProgramPlainTests.text(.answer(.history(.publicRoom, [message])))
                == "23:59:59 * history of public: 1 message\n00:00:00 <quiet-otter#4821> hi\n")
    }

    @Test func `a room is called by its name, as a place and as private`() throws {
        let room = RoomLabel(number: 2, name: "my \u{202e}room")
        var output = PlainRooms(clock: { UniversalTime($0).text.dropFirst(11).prefix(8).description })
        let answers: [Answer] = [
            .active(command: "open", .publicRoom, recent: []), .joined(recent: [], isPrivate: true, key: "best room"),
            .history(.publicRoom, []), .joined(recent: [], isPrivate: true, key: nil),
            .joined(recent: [], isPrivate: false, key: nil), .joined(recent: [], isPrivate: true, key: "maple-otter"),
        ]
        let texts = answers.map { answer in
            let bytes = output.rendering(of: RoomReport(room, .answer(answer)), at: Sample.time).output
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(texts[0].hasSuffix("* you are looking at my \u{fffd}room\n"))
        #expect(texts[1].contains("* you are in my \u{fffd}room, a private room, with the key that you gave; "))
        #expect(texts[2].hasSuffix("* history of my \u{fffd}room: 0 messages\n"))
        #expect(texts[3].hasSuffix("* you are in my \u{fffd}room, a private room\n"))
        #expect(texts[4].hasSuffix("* you are in my \u{fffd}room, an open room\n"))
        // A key that is no part of a name is no reason to doubt it.
        #expect(texts[5].hasSuffix("* you are in my \u{fffd}room, a private room, with the key that you gave\n"))
    }

    @Test func `a name that is shown differently says so`() throws {
        let plain = try Sample.who()
        let odd = PeerName(
            number: plain.number, suffix: nil, nickname: "ben\u{2800}", stage: plain.stage, key: plain.key)
        for command in ["nick", "contact"] {
            let text = ProgramPlainTests.text(.answer(.done(command: command, odd)))
            #expect(text.contains("* \u{fffd} stands for a character that can not be seen"))
            #expect(!ProgramPlainTests.text(.answer(.done(command: command, plain))).contains("\u{fffd}"))
        }
        #expect(!ProgramPlainTests.text(.answer(.done(command: "mute", odd))).contains("stands for"))
    }

    @Test func `an act has its author's name once`() throws {
        let who = try Sample.who()
        let act = ProgramPlainTests.text(.event(.message(try Sample.said("* \(who.nickname) waves", by: who))))
        #expect(act == "00:00:00 • quiet-otter#4821 waves\n")
        for text in ["* other waves", "* \(who.nickname)", "x * \(who.nickname) waves"] {
            let said = ProgramPlainTests.text(.event(.message(try Sample.said(text, by: who))))
            #expect(said == "00:00:00 <quiet-otter#4821> \(text)\n")
        }
    }

    @Test func `unread, requests and counters are notices`() throws {
        let who = try Sample.who()
        let summaries = [
            ConversationSummary(conversation: .publicRoom, isActive: true, unread: 0, last: nil),
            ConversationSummary(
                conversation: .direct(with: who), isActive: false, unread: 2, last: try Sample.said("hi", by: who)),
        ]
        let overview = RoomOverview(
            .lobby, isOpen: true, me: who, online: 1, conversations: summaries, requests: [(who, "hello?")],
            numbers: [.publicRoom: 1, .direct(who.key): 3])
        #expect(
            ProgramPlainTests.text(.answer(.unread([overview]))) == """
                23:59:59 * 1 public (shown): 0 unread
                23:59:59 * 3 quiet-otter#4821: 2 unread, last 00:00:00 <quiet-otter#4821> hi
                23:59:59 * 3 quiet-otter#4821: a request for a direct conversation: hello?\n
                """)
        let attic = RoomOverview(
            RoomLabel(number: 2, name: "attic"), isOpen: false, me: who, online: 0,
            conversations: [ConversationSummary(conversation: .publicRoom, isActive: false, unread: 0, last: nil)],
            requests: [], numbers: [.publicRoom: 2])
        #expect(
            ProgramPlainTests.text(.answer(.unread([overview, attic]))).split(separator: "\n").map { $0.prefix(18) }
                == [
                    "23:59:59 * 1 lobby", "23:59:59 * 2 attic", "23:59:59 * 3 quiet", "23:59:59 * 3 quiet",
                ])
        let rooms = RoomList([overview], announced: [:], invitations: [])
        #expect(
            ProgramPlainTests.text(.answer(.rooms(rooms)))
                == "23:59:59 * 1 lobby (shown), open: quiet-otter#4821, 2 here, 2 unread\n")
        #expect(ProgramPlainTests.text(.answer(.requests([(who, "hi")]))) == "23:59:59 * quiet-otter#4821 asks: hi\n")
        #expect(
            ProgramPlainTests.text(
                .answer(.statistics([Counter(.dials, 0), Counter(.bans, 1)])))
                == "23:59:59 * bans 1\n")
    }

    @Test func `a completed action is a sentence`() throws {
        let who = try Sample.who()
        let sentences = [
            "nick": "you are now quiet-otter#4821", "away": "you are away", "back": "you are back",
            "mute": "quiet-otter#4821 is muted and not told", "unmute": "quiet-otter#4821 is no longer muted",
            "block": "quiet-otter#4821 is blocked and not told", "unblock": "quiet-otter#4821 is no longer blocked",
        ]
        for (command, sentence) in sentences {
            #expect(ProgramPlainTests.text(.answer(.done(command: command, who))) == "23:59:59 * \(sentence)\n")
        }
    }

    @Test func `help lists every command with what it does`() {
        let text = ProgramPlainTests.text(.answer(.help(CommandEntry.all)))
        for entry in CommandEntry.listed {
            #expect(text.contains(entry.usage))
            #expect(text.contains(entry.help.english))
        }
    }

    @Test func `a code to compare says what to do with it, and a verified one whether that is kept`() throws {
        let who = try Sample.who()
        func lines(_ isVerified: Bool, _ isKept: Bool) -> String {
            ProgramPlainTests.text(.answer(.verification(who, code: "1 2", isVerified: isVerified, isKept: isKept)))
        }
        #expect(
            lines(false, true) == """
                23:59:59 * quiet-otter#4821, not verified: 1 2
                23:59:59 * read it to each other over another way; if it is the same, /verify #4821 ok\n
                """)
        #expect(lines(true, true).hasSuffix(", verified: 1 2\n23:59:59 * kept with your identity\n"))
        #expect(lines(true, false).hasSuffix(", verified: 1 2\n23:59:59 * remembered until you leave\n"))
    }

    @Test func `a wipe has a line for each thing that is gone, and no name of a file can steer a terminal`() throws {
        let lost = MemoryUsage(conversations: 2, messages: 31, peers: 5)
        #expect(
            ProgramPlainTests.text(.answer(.wiped(lost, files: ["/a\u{1b}[2J"]))) == """
                23:59:59 * forgotten: 2 conversations with 31 messages
                23:59:59 * forgotten: 5 peers, and who was muted, blocked or verified
                23:59:59 * forgotten: your keys
                23:59:59 * removed: /a\u{fffd}[2J, of which the disk may keep traces
                23:59:59 * what others received stays with them: their copies can not be reached
                23:59:59 * you go on under a new identity, which no file keeps\n
                """)
    }

    @Test func `only what was typed here is left out of a terminal without an editor`() throws {
        let who = try Sample.who()
        #expect(Terminal.hides(.event(.message(try Sample.said("hi", by: who, own: true)))))
        #expect(!Terminal.hides(.event(.message(try Sample.said("hi", by: who, own: true, history: true)))))
        #expect(!Terminal.hides(.event(.message(try Sample.said("hi", by: who)))))
    }

    @Test func `the first cause of leaving decides the exit code, but a failure always shows`() {
        func code(_ causes: Departure.Cause...) -> CInt {
            let departure = Departure()
            for cause in causes { departure.record(cause) }
            return departure.exitCode
        }
        #expect(code() == 0)
        #expect(code(.asked, .signal(15)) == 0)
        #expect(code(.signal(15), .asked) == 143)
        #expect(code(.signal(2)) == 130)
        #expect(code(.signedOut) == 3)
        let refused = Departure()
        refused.recordRefusal()
        #expect(refused.exitCode == 1)
        refused.record(.signal(15))
        #expect(refused.exitCode == 143)
        let departure = Departure()
        departure.record(.asked)
        departure.nodeStopped(.failed("the loop broke"))
        #expect(departure.exitCode == 1)
        #expect(departure.complaint == "the loop broke")
    }

    @Test func `a reader that has enough is no failure, a full disk is one`() {
        let read = Departure()
        read.outputFailed("broken pipe", isClosedByReader: true)
        #expect(read.exitCode == 0)
        #expect(read.complaint == nil)
        let full = Departure()
        full.outputFailed(SystemError(call: "write", errno: ENOSPC).reason, isClosedByReader: false)
        #expect(full.exitCode == 1)
        #expect(full.complaint == "standard output: no space left on device; see where it goes")
    }
}
