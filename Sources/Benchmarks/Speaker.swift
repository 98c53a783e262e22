import Chat
import Noise
import Wire

/// An author of stamped texts, for measurements of their way.
struct Speaker: ~Copyable {
    static let room = Room.lobby
    static let wallClock = Timestamp(milliseconds: 1_800_000_000_000)
    static let epoch: UInt64 = 1

    var session: UserSession

    init(seed: UInt64) { session = Speaker.session(seed: seed) }

    static func session(seed: UInt64) -> UserSession {
        UserSession(
            identity: Speaker.identity(seed: seed), room: Speaker.room.id, epoch: Speaker.epoch, nickname: "quiet-otter"
        )
    }

    static func identity(seed: UInt64) -> Identity {
        var randomness = Randomness.seeded(seed)
        return Identity.generate(using: &randomness)
    }

    static func text(_ number: Int) -> String {
        StampedText(sender: 1, epoch: 1, sequence: number, sentAt: 0).text
    }

    static func body(_ number: Int) -> PayloadBody {
        .publicMessage(stage: .resident, nickname: "quiet-otter", text: text(number))
    }

    /// A public message, signed.
    mutating func say(_ number: Int) -> VerifiedPayload {
        session.sign(Speaker.body(number), at: Speaker.wallClock)
    }

    /// A message as the body of a frame, as it comes over the speaker's own link.
    mutating func frame(_ number: Int) -> [UInt8] { Array(say(number).signed.frame(hops: 0).dropFirst()) }
}
