import Chat
import Noise
import Wire

/// Records of each legal size, sealed and opened.
enum SessionMeasurement {
    private static let records = 1_024

    static func run(_ stopwatch: inout Stopwatch) {
        for size in Limits.recordPlaintexts {
            let plaintext = [UInt8](repeating: 42, count: size)
            stopwatch.time("seal \(size) bytes", count: records, prepare: NoiseLine.open) { line in
                var line = line
                keep(line.seal(plaintext, times: records))
            }
            stopwatch.time("open \(size) bytes", count: records, prepare: { sealed(plaintext) }) { sealed in
                var sealed = sealed
                sealed.openAll()
            }
        }
    }

    private static func sealed(_ plaintext: [UInt8]) -> SealedLine {
        var line = NoiseLine.open()
        let bytes = line.seal(plaintext, times: records)
        return SealedLine(line: line, bytes: bytes, recordSize: plaintext.count + Limits.sealOverhead)
    }
}

/// A session with records for it that are not opened yet.
private struct SealedLine: ~Copyable {
    var line: NoiseLine
    let bytes: [UInt8]
    let recordSize: Int

    mutating func openAll() {
        var plaintext: [UInt8] = []
        let (bytes, recordSize) = (bytes, recordSize)
        for start in stride(from: Limits.lengthPrefix, to: bytes.count, by: Limits.lengthPrefix + recordSize) {
            try? line.bob.open(bytes.span.extracting(start..<start + recordSize), into: &plaintext)
        }
        keep(plaintext)
    }
}

/// Both ends of a session.
struct NoiseLine: ~Copyable {
    var alice: Session
    var bob: Session

    static func open() -> NoiseLine {
        var randomness = Randomness.seeded(3)
        var alice = handshake(.initiator, &randomness)
        var bob = handshake(.responder, &randomness)
        do throws(NoiseError) {
            let empty: [UInt8] = []
            let first = try alice.writeMessage(payload: empty.span)
            _ = try bob.readMessage(first.span)
            let second = try bob.writeMessage(payload: empty.span)
            _ = try alice.readMessage(second.span)
            let third = try alice.writeMessage(payload: empty.span)
            _ = try bob.readMessage(third.span)
            return NoiseLine(alice: try alice.finish(), bob: try bob.finish())
        } catch {
            preconditionFailure("two honest ends did not come together: \(error)")
        }
    }

    private static func handshake(_ role: Handshake.Role, _ randomness: inout Randomness) -> Handshake {
        Handshake(
            role: role, prologue: Array("measured".utf8), room: Room.lobby.preSharedKey,
            key: StaticKey(KeyPair.generate(using: &randomness)),
            using: &randomness)
    }

    /// Records that Alice sends, one behind the other.
    mutating func seal(_ plaintext: [UInt8], times: Int) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(times * (plaintext.count + Limits.sealOverhead + Limits.lengthPrefix))
        for _ in 0..<times { try? alice.seal(plaintext.span, appendingTo: &output) }
        return output
    }
}
