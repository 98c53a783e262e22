import Chat
import Noise
import Wire

/// A public message of 240 characters: its bytes, its id and its signature.
enum CodecMeasurement {
    static func run(_ stopwatch: inout Stopwatch) {
        var speaker = Speaker(seed: 1)
        let said = speaker.say(1)
        let body = Speaker.body(1)
        let signed = Array(said.signed.signedBytes)
        let identity = Speaker.identity(seed: 1)
        stopwatch.time("compose text") { keep(try? Text.compose(Speaker.text(1))) }
        stopwatch.time("encode") { keep(body.encoded()) }
        stopwatch.time("decode") { keep(try? P2PPayload(decoding: signed.span)) }
        stopwatch.time("frame") { keep(said.signed.frame(hops: 0)) }
        stopwatch.time("id") { keep(MessageID(signed: signed.span)) }
        stopwatch.time("sign") { keep(identity.sign(domain: "earshot/3 measured\0", message: signed.span)) }
        stopwatch.time("encode, id and sign") { keep(speaker.say(1)) }
        verify(&stopwatch, speaker.frame(2), from: identity.id)
    }

    private static func verify(_ stopwatch: inout Stopwatch, _ frame: [UInt8], from author: PeerID) {
        var admission = Admission(
            room: Speaker.room.id, me: Speaker.identity(seed: 2).id, rates: AdmissionRates(messagesPerSecond: 0))
        let verdict = admission.judge(
            frame: frame.span, from: .live(LiveLink(to: author, epoch: Speaker.epoch)), now: Instant(nanoseconds: 0),
            wallClock: Speaker.wallClock)
        guard case .admitted(let payload) = verdict else { preconditionFailure("a genuine payload was refused") }
        stopwatch.time("verify") { keep(admission.verifySignature(of: payload)) }
    }
}
