import Noise
import Wire

/// The state of a link. Each step moves the state out and puts it back only if the step succeeds, so that every error
/// leaves it dead, with its keys wiped.
enum LinkState: ~Copyable {
    case handshaking(Handshake)
    case open(Session)
    case dead

    var isOpen: Bool {
        switch self {
        case .open: true
        case .handshaking: false
        case .dead: false
        }
    }

    var isDead: Bool {
        switch self {
        case .dead: true
        case .handshaking: false
        case .open: false
        }
    }

    /// Opens a record of the session into `plaintext`.
    mutating func open(_ record: Span<UInt8>, into plaintext: inout [UInt8]) throws(LinkError) {
        var session = try takeSession()
        do throws(NoiseError) { try session.open(record, into: &plaintext) } catch { throw .undecipherable }
        self = .open(session)
    }

    /// Appends a sealed record.
    mutating func seal(_ plaintext: Span<UInt8>, appendingTo bytes: inout [UInt8]) throws(LinkError) {
        var session = try takeSession()
        do throws(NoiseError) { try session.seal(plaintext, appendingTo: &bytes) } catch { throw .undecipherable }
        self = .open(session)
    }

    /// The records under the present keys, of the direction with more; 0 unless open.
    var recordCount: UInt64 {
        switch self {
        case .open(let session): session.recordCount
        case .handshaking: 0
        case .dead: 0
        }
    }

    /// Seals with the key of a new handshake from now on.
    mutating func switchSending(to next: consuming Session) throws(LinkError) {
        var session = try takeSession()
        do throws(NoiseError) { try session.switchSending(to: next) } catch { throw .handshakeFailed }
        self = .open(session)
    }

    /// Opens with the key of the new handshake from now on.
    mutating func switchReceiving() throws(LinkError) {
        var session = try takeSession()
        do throws(NoiseError) { try session.switchReceiving() } catch { throw .handshakeFailed }
        self = .open(session)
    }

    /// Replaces the keys of both directions.
    mutating func switchBoth(to next: consuming Session) throws(LinkError) {
        _ = try takeSession()
        self = .open(next)
    }

    /// Our next message of the handshake.
    mutating func writeMessage(_ payload: [UInt8]) throws(LinkError) -> [UInt8] {
        var handshake = try takeHandshake()
        let message: [UInt8]
        do throws(NoiseError) {
            message = try handshake.writeMessage(payload: payload.span)
        } catch {
            throw .handshakeFailed
        }
        self = .handshaking(handshake)
        return message
    }

    /// The payload of the other side's message, and its static key once that is proven.
    mutating func readMessage(_ message: Span<UInt8>) throws(LinkError) -> (payload: [UInt8], remoteStatic: PublicKey?)
    {
        var handshake = try takeHandshake()
        let payload: [UInt8]
        do throws(NoiseError) { payload = try handshake.readMessage(message) } catch { throw .handshakeFailed }
        let remoteStatic = handshake.remoteStatic
        self = .handshaking(handshake)
        return (payload, remoteStatic)
    }

    /// Turns a finished handshake into its session.
    mutating func becomeOpen() throws(LinkError) {
        let handshake = try takeHandshake()
        do throws(NoiseError) { self = .open(try handshake.finish()) } catch { throw .handshakeFailed }
    }

    private mutating func takeHandshake() throws(LinkError) -> Handshake {
        switch consume self {
        case .handshaking(let handshake):
            self = .dead
            return handshake
        case .open:
            self = .dead
            throw .handshakeFailed
        case .dead:
            self = .dead
            throw .handshakeFailed
        }
    }

    private mutating func takeSession() throws(LinkError) -> Session {
        switch consume self {
        case .open(let session):
            self = .dead
            return session
        case .handshaking:
            self = .dead
            throw .handshakeFailed
        case .dead:
            self = .dead
            throw .undecipherable
        }
    }
}
