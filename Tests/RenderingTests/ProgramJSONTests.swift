import Chat
import Phrases
import TestSupport
import Testing
import Wire

@testable import ChatNode
@testable import Commands
@testable import Rendering

@Suite struct ProgramJSONTests {
    static func line(_ report: Report) throws -> TestedJSON {
        let rendering = JSONOutput().rendering(of: RoomReport(.lobby, report), at: Sample.time)
        #expect(rendering.diagnostics.isEmpty)
        #expect(rendering.output.last == 0x0a)
        return try TestedJSON(parsing: Array(rendering.output.dropLast()))
    }

    static func text(_ report: Report) -> String {
        String(decoding: JSONOutput().rendering(of: RoomReport(.lobby, report), at: Sample.time).output, as: UTF8.self)
    }

    static let who = """
        {"number":4821,"suffix":null,"nickname":"quiet-otter","stage":"newcomer",\
        "displayName":"quiet-otter#4821","key":"\(String(repeating: "ab", count: 32))"}
        """
    static let id = String(repeating: "0c", count: 16)
    static let said = """
        "id":"\(id)","from":\(who),"text":"hi","action":null,"sentAt":"\(Sample.timeText)",\
        "receivedAt":"2025-01-01T00:00:00.042Z","isFromCurrentUser":false,"history":false,"missed":false,"unread":1,"mention":false,\
        "replyTo":null,"reactions":[]
        """

    @Test func `ready tells the version, who, where and how peers are found`() throws {
        let event = NodeEvent.ready(me: try Sample.who(), port: 40_123, room: "lobby", discovery: .embedded)
        #expect(
            Self.text(.event(event)) == """
                {"event":"ready","room":"lobby","version":"\(Version.current)","self":\(Self.who),"port":40123,\
                "discovery":"embedded"}\n
                """)
    }

    @Test(arguments: [(PresenceState.here, "online"), (.away, "away"), (.left, "offline")])
    func `a peer is online, away or offline`(state: PresenceState, word: String) throws {
        let text = Self.text(.event(.peer(state, try Sample.who(), online: 3)))
        #expect(
            text
                == "{\"event\":\"peer\",\"room\":\"lobby\",\"state\":\"\(word)\",\"who\":\(Self.who),\"peers\":3,\"reason\":null,\"elsewhere\":false,\"was\":null}\n"
        )
    }

    @Test func `a crowd is an event with counts`() {
        let text = Self.text(.event(.crowd(came: 12, left: 3, online: 1_003)))
        #expect(text == "{\"event\":\"crowd\",\"room\":\"lobby\",\"came\":12,\"left\":3,\"peers\":1003}\n")
    }

    @Test func `a peer that is away can have a reason`() throws {
        let text = Self.text(.event(.peer(.away, try Sample.who(), reason: "\u{1b}lunch", online: 3)))
        #expect(text.hasSuffix(",\"peers\":3,\"reason\":\"\\u001blunch\",\"elsewhere\":false,\"was\":null}\n"))
    }

    @Test func `a rename says both names, of a peer and of the user`() throws {
        let (who, was) = (try Sample.who("otter"), try Sample.who("seal"))
        let text = Self.text(.event(.peer(.here, who, was: PeerSighting(was, .away, reason: "tea"), online: 1)))
        #expect(
            text.contains("\"was\":{\"state\":\"away\",\"who\":{\"number\":4821,\"suffix\":null,\"nickname\":\"seal\""))
        #expect(text.hasSuffix("\"reason\":\"tea\"}}\n"))
        let own = Self.text(.event(.renamed(who, was: was)))
        #expect(own.contains("\"event\":\"renamed\",\"room\":\"lobby\",\"self\":{\"number\":4821"))
        #expect(own.contains("\"was\":{\"number\":4821,\"suffix\":null,\"nickname\":\"seal\""))
    }

    @Test func `a message says where it was said`() throws {
        let who = try Sample.who()
        let open = Self.text(.event(.message(try Sample.said("hi", by: who))))
        #expect(open == "{\"event\":\"message\",\"room\":\"lobby\",\"conversation\":\"public\",\(Self.said)}\n")
        let direct = Self.text(.event(.message(try Sample.said("hi", by: who, in: .direct(with: who)))))
        #expect(
            direct
                == "{\"event\":\"message\",\"room\":\"lobby\",\"conversation\":\"direct\",\"with\":\(Self.who),\(Self.said)}\n"
        )
    }

    @Test func `direct conversations tell requests, changes and receipts`() throws {
        let who = try Sample.who()
        let id = try Sample.message(0x0c)
        #expect(
            Self.text(.event(.request(from: who, text: "hi")))
                == "{\"event\":\"request\",\"room\":\"lobby\",\"from\":\(Self.who),\"text\":\"hi\"}\n")
        for change in [DirectChange.accepted, .declined, .left] {
            #expect(
                Self.text(.event(.direct(change, with: who)))
                    == "{\"event\":\"direct\",\"room\":\"lobby\",\"state\":\"\(change.rawValue)\",\"with\":\(Self.who)}\n"
            )
        }
        #expect(
            Self.text(.event(.delivered(with: who, ids: [id, id])))
                == "{\"event\":\"delivered\",\"room\":\"lobby\",\"with\":\(Self.who),\"ids\":[\"\(Self.id)\",\"\(Self.id)\"]}\n"
        )
        #expect(
            Self.text(.event(.read(with: who, ids: [])))
                == "{\"event\":\"read\",\"room\":\"lobby\",\"with\":\(Self.who),\"ids\":[]}\n")
        #expect(
            Self.text(.event(.failed(with: who, messages: [Undelivered(id: id, text: "hi")])))
                == "{\"event\":\"failed\",\"room\":\"lobby\",\"with\":\(Self.who),\"ids\":[\"\(Self.id)\"]}\n")
    }

    @Test(arguments: [
        (DeliveryState.sending, "sending"), (.delivered, "delivered"), (.read, "read"), (.failed, "failed"),
    ])
    func `a direct message of ours says how far it came`(delivery: DeliveryState, word: String) throws {
        let who = try Sample.who()
        let message = try Sample.said("hi", by: who, in: .direct(with: who), own: true, delivery: delivery)
        #expect(try Self.line(.event(.message(message)))["delivery"]?.text == word)
    }

    @Test func `edits, deletions and typing say in which conversation`() throws {
        let who = try Sample.who()
        #expect(
            Self.text(.event(.edited(try Sample.said("ho", by: who))))
                == "{\"event\":\"edited\",\"room\":\"lobby\",\"conversation\":\"public\",\"id\":\"\(Self.id)\",\"text\":\"ho\",\"action\":null}\n"
        )
        #expect(
            Self.text(.event(.deleted(try Sample.said("", by: who, in: .direct(with: who)))))
                == "{\"event\":\"deleted\",\"room\":\"lobby\",\"conversation\":\"direct\",\"with\":\(Self.who),\"id\":\"\(Self.id)\"}\n"
        )
        #expect(
            Self.text(.event(.typing(who, .publicRoom, isOn: true)))
                == "{\"event\":\"typing\",\"room\":\"lobby\",\"who\":\(Self.who),\"conversation\":\"public\",\"on\":true}\n"
        )
    }

    @Test func `errors and notices carry a code and a sentence`() throws {
        #expect(
            Self.text(.error(ChatError(.tooLong, .messageLong, "251", "240")))
                == "{\"event\":\"error\",\"room\":\"lobby\",\"code\":\"too_long\",\"message\":\"message is 251 characters; 240 is the most\"}\n"
        )
        #expect(
            Self.text(.event(.notice(.clockSkew, "set your clock")))
                == "{\"event\":\"notice\",\"room\":\"lobby\",\"code\":\"clock_skew\",\"message\":\"set your clock\"}\n")
        for code in ChatError.Code.allCases {
            #expect(try Self.line(.error(ChatError(code, .messageEmpty)))["code"]?.text == code.rawValue)
        }
    }

    @Test func `every event is one line of strict JSON, and the end of the node is none`() throws {
        for event in try Sample.events() {
            if case .stopped = event {
                #expect(Self.text(.event(event)) == "")
            } else {
                #expect(try Self.line(.event(event))["event"]?.text != nil)
            }
        }
    }
}
