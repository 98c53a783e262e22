import TestSupport
import Testing
import Wire

@testable import Chat
@testable import ChatNode
@testable import Commands

@Suite struct ProgramJSONAnswersTests {
    typealias JSON = ProgramJSONTests

    @Test func `the list of peers has all that is known of them`() throws {
        let who = try Sample.who()
        let peers = [
            PeerView(
                who: who, state: .here, since: Sample.time, roundTrip: RoundTrip(.microseconds(400)), isMuted: false,
                isVerified: true, isBlocked: false),
            PeerView(
                who: who, state: .left, since: Sample.time, roundTrip: nil, isMuted: true, isVerified: false,
                isBlocked: true),
            PeerView(
                who: who, state: .away, since: Sample.time, roundTrip: nil, isMuted: false, isVerified: false,
                isBlocked: false, reason: "lunch"),
        ]
        #expect(
            JSON.text(.answer(.peers(peers, isWhole: true))) == """
                {"event":"result","command":"who","room":"lobby","self":null,"peers":[\
                {"who":\(JSON.who),"state":"online","since":"\(Sample.timeText)","muted":false,"verified":true,"blocked":false,"reason":null,"elsewhere":false,"roundTripMs":1},\
                {"who":\(JSON.who),"state":"offline","since":"\(Sample.timeText)","muted":true,"verified":false,"blocked":true,"reason":null,"elsewhere":false,"roundTripMs":null},\
                {"who":\(JSON.who),"state":"away","since":"\(Sample.timeText)","muted":false,"verified":false,"blocked":false,"reason":"lunch","elsewhere":false,"roundTripMs":null}\
                ],"here":2}\n
                """)
        #expect(JSON.text(.answer(.peers([], isWhole: false, here: 1_003))).hasSuffix("\"peers\":[],\"here\":1003}\n"))
    }

    @Test func `history has the members of message events`() throws {
        let who = try Sample.who()
        let messages = [try Sample.said("hi", by: who, in: .direct(with: who))]
        #expect(
            JSON.text(.answer(.history(.direct(with: who), messages))) == """
                {"event":"result","command":"history","room":"lobby","conversation":"direct","with":\(JSON.who),"messages":[\
                {"conversation":"direct","with":\(JSON.who),\(JSON.said)}]}\n
                """)
        #expect(
            JSON.text(.answer(.history(.publicRoom, [])))
                == "{\"event\":\"result\",\"command\":\"history\",\"room\":\"lobby\",\"conversation\":\"public\",\"messages\":[]}\n"
        )
    }

    @Test func `unread lists conversations with their last message or none`() throws {
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
            JSON.text(.answer(.unread([overview]))) == """
                {"event":"result","command":"unread","room":"lobby","conversations":[\
                {"room":"lobby","number":1,"conversation":"public","unread":0,"last":null},\
                {"room":"lobby","number":3,"conversation":"direct","with":\(JSON.who),"unread":2,"last":{"conversation":"public",\(JSON.said)}}],\
                "requests":[{"room":"lobby","number":3,"from":\(JSON.who),"text":"hello?"}]}\n
                """)
    }

    @Test func `requests, counters, places and marks are results too`() throws {
        let who = try Sample.who()
        #expect(
            JSON.text(.answer(.requests([(who, "hi")])))
                == "{\"event\":\"result\",\"command\":\"requests\",\"room\":\"lobby\",\"requests\":[{\"from\":\(JSON.who),\"text\":\"hi\"}]}\n"
        )
        #expect(
            JSON.text(
                .answer(.statistics([Counter(.residentBytes, 7), Counter(.bans, 0)])))
                == "{\"event\":\"result\",\"command\":\"stats\",\"room\":\"lobby\",\"resident_bytes\":7,\"bans\":0}\n")
        #expect(
            JSON.text(.answer(.active(command: "open", .direct(with: who), recent: [])))
                == "{\"event\":\"result\",\"command\":\"open\",\"room\":\"lobby\",\"conversation\":\"direct\",\"with\":\(JSON.who)}\n"
        )
        #expect(
            JSON.text(.answer(.done(command: "mute", who)))
                == "{\"event\":\"result\",\"command\":\"mute\",\"room\":\"lobby\",\"who\":\(JSON.who)}\n")
        let help = try JSON.line(.answer(.help(CommandEntry.all)))
        #expect(help["commands"]?.elements.count == CommandEntry.all.count)
        #expect(help["commands"]?[0]?.names == ["usage", "does"])
    }

    @Test func `a code and a wipe are results`() throws {
        let who = try Sample.who()
        #expect(
            JSON.text(.answer(.verification(who, code: "1 2", isVerified: true, isKept: false)))
                == "{\"event\":\"result\",\"command\":\"verify\",\"room\":\"lobby\",\"with\":\(JSON.who),\"code\":\"1 2\",\"verified\":true,\"kept\":false}\n"
        )
        #expect(
            JSON.text(.answer(.wiped(MemoryUsage(conversations: 2, messages: 31, peers: 5), files: ["a", "b"])))
                == "{\"event\":\"result\",\"command\":\"wipe\",\"room\":\"lobby\",\"conversations\":2,\"messages\":31,\"peers\":5,\"files\":[\"a\",\"b\"],\"pauseSeconds\":0}\n"
        )
    }

    @Test func `the suffix is shown when numbers collide`() throws {
        let who = try Sample.who(suffix: 3377)
        let line = try JSON.line(.answer(.done(command: "nick", who)))
        #expect(line["who"]?["suffix"]?.integer == 3377)
        #expect(line["who"]?["displayName"]?.text == "quiet-otter#4821-3377")
    }
}
