import Chat
import Noise
import Wire

/// The way of a public message of 240 characters through admission and the router, without link and network.
enum RouterMeasurement {
    private static let messages = 2_000
    private static let moment = Moment(instant: Instant(nanoseconds: 0), wallClock: Speaker.wallClock)

    static func run(_ stopwatch: inout Stopwatch) {
        var speaker = Speaker(seed: 1)
        let author = speaker.session.id
        let frames = (0..<messages).map { speaker.frame($0) }
        stopwatch.time("admit", count: messages, prepare: admission) { admission in
            var admission = admission
            for frame in frames { keep(admit(frame, author, &admission)) }
        }
        stopwatch.time("route", count: messages, prepare: { Arrivals(at: router(author), payloads(frames, author)) }) {
            var arrivals = $0
            for payload in arrivals.payloads {
                keep(arrivals.router.route(payload, at: moment))
            }
        }
        stopwatch.time("send", count: messages, prepare: { MessageRouter(session: Speaker.session(seed: 1)) }) {
            var router = $0
            for number in 0..<messages { keep(send(number, &router)) }
        }
    }

    /// Payloads that were admitted, and where they are routed.
    private struct Arrivals: ~Copyable {
        var router: MessageRouter
        let payloads: [VerifiedPayload]

        init(at router: consuming MessageRouter, _ payloads: [VerifiedPayload]) {
            self.router = router
            self.payloads = payloads
        }
    }

    private static func admission() -> Admission {
        Admission(room: Speaker.room.id, me: Speaker.identity(seed: 2).id, rates: AdmissionRates(messagesPerSecond: 0))
    }

    private static func router(_ author: PeerID) -> MessageRouter {
        var router = MessageRouter(session: Speaker.session(seed: 2))
        _ = router.linkOpened(author, at: moment)
        return router
    }

    private static func payloads(_ frames: [[UInt8]], _ author: PeerID) -> [VerifiedPayload] {
        var admission = admission()
        return frames.compactMap { frame in
            guard case .admitted(let payload) = admit(frame, author, &admission) else { return nil }
            return payload
        }
    }

    private static func admit(_ frame: [UInt8], _ author: PeerID, _ admission: inout Admission) -> AdmissionResult {
        admission.judge(
            frame: frame.span, from: .live(LiveLink(to: author, epoch: Speaker.epoch)), now: moment.instant,
            wallClock: moment.wallClock)
    }

    private static func send(_ number: Int, _ router: inout MessageRouter) -> Outcome? {
        try? router.send(Speaker.text(number), to: .publicRoom, at: moment)
    }
}
