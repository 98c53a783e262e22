import Phrases
import TestSupport
import Testing
import Wire

@testable import Chat
@testable import ChatNode
@testable import Commands
@testable import Model
@testable import Rendering

@Suite struct ProgramPlainTests {
    /// The lines of reports in their order, of a room whose name is not known.
    struct Lines {
        let output: PlainOutput
        private var model = ChatModel()

        init(_ output: PlainOutput) { self.output = output }

        mutating func rendering(of report: Report, at time: Timestamp) -> Rendering {
            let moment = Moment(instant: Instant(nanoseconds: 0), wallClock: time)
            return output.rendering(
                of: report, model.reduce(RoomReport(.lobby, report), at: moment), at: time)
        }
    }

    static func output() -> Lines {
        Lines(PlainOutput { UniversalTime($0).text.dropFirst(11).prefix(8).description })
    }

    static func text(_ report: Report) -> String {
        var output = output()
        let rendering = output.rendering(of: report, at: Sample.time)
        return String(decoding: rendering.output, as: UTF8.self)
    }

    @Test func `a public message shows when it came, who and what`() throws {
        let message = try Sample.said("hi <there>", by: try Sample.who())
        #expect(Self.text(.event(.message(message))) == "00:00:00 <quiet-otter#4821> hi <there>\n")
    }

    @Test func `a reaction of the user says you, and one that a block hides has no line`() throws {
        let (who, me) = (try Sample.who(), try Sample.who("me"))
        let mine = try Sample.said("lunch?", by: me, own: true)
        func text(_ reaction: ReactionEvent) -> String { Self.text(.event(.reacted(reaction))) }
        let given = text(try Sample.reaction(by: who, to: mine))
        #expect(given == "23:59:59 * quiet-otter#4821 reacts with 👍 to lunch?\n")
        let own = text(try Sample.reaction(by: me, to: try Sample.said("hi", by: who), own: true))
        #expect(own == "23:59:59 * you react with 👍 to hi\n")
        let hidden = ReactionEvent(
            message: mine, by: who, emojis: [], id: nil, isFromCurrentUser: false, isHistory: false)
        #expect(text(hidden).isEmpty)
    }

    @Test func `a card that a block hides has no line, and the board has the day on which a card ends`() throws {
        let card = try Sample.card(by: try Sample.who())
        for (reason, isTold) in [(CardEnd.hidden, false), (.removed, true)] {
            var output = Self.output()
            _ = output.rendering(of: .event(.card(card)), at: Sample.time)
            let removal = output.rendering(of: .event(.cardRemoved(card, reason)), at: Sample.time)
            #expect(removal.output.isEmpty != isTold, "\(reason)")
        }
        let row = "0d0d0d0d lost: a red hat (quiet-otter#4821, until 2025-01-01 23:59:59)"
        #expect(Self.text(.answer(.board([card]))) == "23:59:59 * \(row)\n")
    }

    @Test func `a message from history shows when it was said`() throws {
        let message = try Sample.said("hi", by: try Sample.who(), history: true)
        #expect(Self.text(.event(.message(message))) == "23:59:59 <quiet-otter#4821> hi\n")
    }

    @Test func `a missed message says so when it comes, unless it is only seconds late`() throws {
        var message = try Sample.said("hi", by: try Sample.who(), history: true)
        message.isMissed = true
        var output = Self.output()
        func text(_ report: Report, after seconds: UInt64) -> String {
            let time = Timestamp(milliseconds: message.sentAt.milliseconds + seconds * 1_000)
            return String(decoding: output.rendering(of: report, at: time).output, as: UTF8.self)
        }
        #expect(text(.event(.message(message)), after: 11).hasSuffix("23:59:59 (missed) <quiet-otter#4821> hi\n"))
        #expect(text(.event(.message(message)), after: 10).hasSuffix("23:59:59 <quiet-otter#4821> hi\n"))
        #expect(!text(.answer(.history(.publicRoom, [message])), after: 11).contains("missed"))
        message.isMissed = false
        #expect(!text(.event(.message(message)), after: 11).contains("missed"))
    }

    @Test func `a message from an earlier day shows its date too`() throws {
        var output = Self.output()
        let message = try Sample.said("hi", by: try Sample.who(), history: true)
        let later = Timestamp(milliseconds: Sample.time.milliseconds + 1_000)
        for report in [Report.event(.message(message)), .answer(.history(.publicRoom, [message]))] {
            let text = String(decoding: output.rendering(of: report, at: later).output, as: UTF8.self)
            #expect(text.hasSuffix("2024-12-31 23:59:59 <quiet-otter#4821> hi\n"))
        }
    }

    @Test func `a direct message shows its direction`() throws {
        let who = try Sample.who()
        let received = try Sample.said("hi", by: who, in: .direct(with: who))
        #expect(Self.text(.event(.message(received))) == "00:00:00 [quiet-otter#4821 → you] hi\n")
        let sent = try Sample.said(
            "hi", by: try Sample.who("me", number: 1234, byte: 1), in: .direct(with: who), own: true)
        #expect(Self.text(.event(.message(sent))) == "00:00:00 [you → quiet-otter#4821] hi\n")
    }

    @Test func `an undelivered message is reported line by line, and so are its readers`() throws {
        let who = try Sample.who()
        let long = String(repeating: "x", count: 41)
        let lost = [
            Undelivered(id: try Sample.message(1), text: "hi\u{1b}[2J\nthere"),
            Undelivered(id: try Sample.message(2), text: long),
        ]
        let lines = Self.text(.event(.failed(with: who, messages: lost))).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("23:59:59 * not delivered to quiet-otter#4821: \"hi"))
        #expect(lines[1].hasSuffix("\"\(long.prefix(39))…\""))
        #expect(Self.text(.event(.read(with: who, ids: []))).hasSuffix("* quiet-otter#4821 has read what you wrote\n"))
        #expect(Self.text(.event(.delivered(with: who, ids: []))) == "")
    }

    @Test(arguments: NoticeCode.allCases) func `a warning is a line like an error, another notice one among the others`(
        code: NoticeCode
    ) {
        var output = Self.output()
        let rendering = output.rendering(of: .event(.notice(code, "a\u{1b}b")), at: Sample.time)
        let (lines, errors) = (
            String(decoding: rendering.output, as: UTF8.self), String(decoding: rendering.diagnostics, as: UTF8.self)
        )
        #expect(lines == (code.isWarning ? "" : "23:59:59 * a\u{fffd}b\n"))
        #expect(errors == (code.isWarning ? "earshot: a\u{fffd}b\n" : ""))
    }

    @Test func `notices say who comes and goes, once, and who is called otherwise`() throws {
        var output = Self.output()
        func line(_ event: NodeEvent) -> String {
            String(decoding: output.rendering(of: .event(event), at: Sample.time).output, as: UTF8.self)
        }
        let before = try Sample.who()
        let after = try Sample.who("loud-otter")
        #expect(line(.peer(.here, before, online: 1)) == "23:59:59 * quiet-otter#4821 is here\n")
        #expect(line(.peer(.here, before, online: 1)) == "")
        #expect(line(.peer(.here, after, online: 1)) == "23:59:59 * quiet-otter#4821 is now loud-otter#4821\n")
        #expect(line(.peer(.away, after, online: 1)) == "23:59:59 * loud-otter#4821 is away\n")
        let lunch = NodeEvent.peer(.away, after, reason: "lunch\u{1b}", online: 1)
        #expect(line(lunch) == "23:59:59 * loud-otter#4821 is away: lunch\u{fffd}\n")
        #expect(line(lunch) == "")
        #expect(line(.peer(.here, after, online: 1)) == "23:59:59 * loud-otter#4821 is back\n")
        #expect(line(.peer(.left, after, online: 0)) == "23:59:59 * loud-otter#4821 is gone\n")
        #expect(line(.peer(.here, after, online: 1)) == "23:59:59 * loud-otter#4821 is here\n")
    }

    @Test func `a new name that comes with a new state is reported by the state`() throws {
        var output = Self.output()
        _ = output.rendering(of: .event(.peer(.here, try Sample.who(), online: 1)), at: Sample.time)
        let gone = output.rendering(of: .event(.peer(.left, try Sample.who("rob"), online: 0)), at: Sample.time)
        #expect(String(decoding: gone.output, as: UTF8.self) == "23:59:59 * rob#4821 is gone\n")
    }

    @Test func `edits and deletions name the line that they change`() throws {
        var output = Self.output()
        func lines(_ report: Report) -> String {
            String(decoding: output.rendering(of: report, at: Sample.time).output, as: UTF8.self)
        }
        let who = try Sample.who()
        #expect(
            lines(.event(.edited(try Sample.said("ho", by: who))))
                == "23:59:59 * edited in public, 0c0c0c0c: ho\n")
        #expect(
            lines(.event(.deleted(try Sample.said("", by: who, in: .direct(with: who)))))
                == "23:59:59 * deleted in quiet-otter#4821, 0c0c0c0c\n")
        _ = lines(.event(.message(try Sample.said("hi", by: who))))
        #expect(
            lines(.event(.edited(try Sample.said("ho\n", by: who))))
                == "23:59:59 * edited: 00:00:00 <quiet-otter#4821> ho  (was: hi)\n")
        #expect(
            lines(.event(.deleted(try Sample.said("", by: who)))) == "23:59:59 * deleted: 00:00:00 <quiet-otter#4821>\n"
        )
    }

    @Test func `a change of a message of history names its line, and so does one of a direct message`() throws {
        var output = Self.output()
        func lines(_ report: Report) -> String {
            String(decoding: output.rendering(of: report, at: Sample.time).output, as: UTF8.self)
        }
        let who = try Sample.who()
        let direct = ConversationView.direct(with: who)
        let message = try Sample.said("hi", by: who, in: direct, history: true)
        _ = lines(.answer(.active(command: "open", direct, recent: [message])))
        #expect(
            lines(.event(.edited(try Sample.said("ho", by: who, in: direct, history: true))))
                == "23:59:59 * edited: 23:59:59 [quiet-otter#4821 → you] ho (was: hi)\n")
        _ = lines(.event(.blocked(who, isOn: true)))
        #expect(
            lines(.event(.deleted(try Sample.said("", by: who, in: direct))))
                == "23:59:59 * deleted in quiet-otter#4821, 0c0c0c0c\n")
    }

    @Test func `every event is whole lines that begin with the time and a mark`() throws {
        for event in try Sample.events() {
            let text = Self.text(.event(event))
            guard !text.isEmpty else { continue }
            #expect(text.hasSuffix("\n"))
            for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
                #expect(["*", "<", "["].contains(line.dropFirst(9).first))
            }
        }
    }

    @Test func `an error goes to standard error as one lower-case line`() {
        var output = Self.output()
        let rendering = output.rendering(of: .error(ChatError(.tooLong, .messageLong, "251", "240")), at: Sample.time)
        #expect(rendering.output.isEmpty)
        #expect(
            String(decoding: rendering.diagnostics, as: UTF8.self)
                == "earshot: message is 251 characters; 240 is the most\n")
    }

    @Test func `hostile text and names stay in their own cells of their own line`() throws {
        for text in Sample.hostile {
            let who = try Sample.who(text)
            let direct = ConversationView.direct(with: who)
            let id = try Sample.message(1)
            let events: [NodeEvent] = [
                .message(try Sample.said(text, by: who)), .message(try Sample.said(text, by: who, in: direct)),
                .request(from: who, text: text), .peer(.here, who, online: 1),
                .edited(try Sample.said(text, by: who, in: direct)),
                .direct(.accepted, with: who), .read(with: who, ids: []),
                .failed(with: who, messages: [Undelivered(id: id, text: text)]),
                .notice(.clockSkew, Sentence(stringLiteral: text)),
                .ready(me: who, port: 1, room: text, discovery: .none),
            ]
            let reports =
                events.map(Report.event) + [.answer(.requests([(who, text)])), .answer(.done(command: "mute", who))]
            for report in reports { Self.expectOneSafeLine(Self.text(report)) }
        }
    }

    private static func expectOneSafeLine(_ text: String) {
        let controls: [Unicode.GeneralCategory] = [.control, .format, .lineSeparator, .paragraphSeparator]
        #expect(text.hasSuffix("\n"))
        for scalar in text.unicodeScalars.dropLast() {
            #expect(!controls.contains(scalar.properties.generalCategory), "\(text.debugDescription)")
        }
    }

    @Test func `a message can not pass for a notice or for another author's message`() throws {
        let text = "x\n00:00:00 * somebody#1111 is here"
        #expect(
            Self.text(.event(.message(try Sample.said(text, by: try Sample.who())))).hasPrefix(
                "00:00:00 <quiet-otter#4821> x"))
        let who = try Sample.who("bob#1234> hi * [x]")
        let line = Self.text(.event(.message(try Sample.said("y", by: who))))
        let mark = "\u{fffd}"
        #expect(line == "00:00:00 <bob\(mark)1234\(mark) hi \(mark) \(mark)x\(mark)#4821> y\n")
    }
}
