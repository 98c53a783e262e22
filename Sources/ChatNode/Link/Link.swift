package import Noise
package import Wire

/// An event of a link.
package enum LinkEvent {
    /// The handshake is through and the other side's certificate holds.
    case established(Certificate)
    /// A frame came: its type, and where its body lies in the plaintext.
    case frame(FrameType, Range<Int>)
    /// The link is dead; nothing more comes of it.
    case failed(LinkError)
}

/// One connection as a value: bytes in, events out; frames in, sealed bytes out (Protocol.md sections 3 and 4).
///
/// Every failure leaves it dead: no further byte is read or written.
package struct Link: ~Copyable {
    package enum Role: Sendable {
        case initiator
        case responder
    }

    /// The handshake in an open link by which its keys are replaced (Protocol.md section 4).
    private enum Renewal: ~Copyable {
        case none
        /// We are the initiator, and wait for message 2.
        case begun(Handshake)
        /// We are the responder, and wait for message 3.
        case answered(Handshake)
        /// We are the initiator, seal with the new key, and wait for the last record under the responder's old one.
        case switching
    }

    package let role: Role
    var state: LinkState
    private var timing: LinkTiming
    /// The key that the handshake of the connection proved, and each renewal proves again; nil before.
    private var peer: PublicKey?
    private var renewal = Renewal.none
    /// The times that the keys were replaced.
    package private(set) var renewals = 0
    private var decoder = RecordDecoder(isHandshaking: true)
    private var packer = FramePacker()
    package internal(set) var outbox = Outbox()
    /// Where the next frame of the record being read begins; nil between records.
    private var nextFrame: Int?
    /// Frames of a type that this version does not know; ignored (Protocol.md section 5).
    package private(set) var unknownFrames = 0
    /// Pings that came faster than they are answered, or while the queue was held up.
    package private(set) var unansweredPings = 0
    /// The sealed records without a payload, and their bytes on the wire.
    package private(set) var control = ControlTally()
    /// A payload waits to be sealed.
    private var isPayloadPacked = false
    /// Discards all frames but pongs: the link of an attacker in an experiment.
    var isMute = false
    /// The nonce of the newest ping that came while the queue was held up; its pong follows when the queue drains.
    private var deferredPong: [UInt8]?

    /// The initiator speaks first: its first message is waiting in the outbox at once.
    package init(role: Role, context: LinkContext, now: Instant, using randomness: inout Randomness) {
        self.role = role
        timing = LinkTiming(role: role, now: now, using: &randomness)
        switch role {
        case .initiator:
            state = .handshaking(context.handshake(.initiator, using: &randomness))
            try? write(Handshake.openingPayload)
        case .responder:
            state = .handshaking(context.handshake(.responder, using: &randomness))
        }
    }

    package var isOpen: Bool { state.isOpen }

    package var isDead: Bool { state.isDead }

    /// Whether `flush` has work to do.
    package var hasSomethingToSend: Bool { !packer.isEmpty || !outbox.isEmpty }

    /// The longest frame that the record has room for which the waiting frames need; 0 without waiting frames.
    var padding: Int {
        packer.isEmpty ? 0 : max(0, packer.plaintextSize - packer.bytes.count - Limits.lengthPrefix)
    }

    /// The last measured round trip of a ping.
    package var roundTrip: Duration? { timing.roundTrip }

    /// The next event in `bytes` from `position` on; nil when all is used. Call until nil before anything else is received.
    ///
    /// Pings, pongs and steps of a renewal are handled here, and no events.
    ///
    /// - Parameter plaintext: where records are opened to; frames lie in it until the next call.
    package mutating func next(
        in bytes: Span<UInt8>, from position: inout Int, plaintext: inout [UInt8], context: LinkContext, now: Instant,
        using randomness: inout Randomness
    ) -> LinkEvent? {
        do throws(LinkError) {
            while !isDead {
                if let event = try nextFrameEvent(plaintext, context, now: now, using: &randomness) { return event }
                guard let record = try nextRecord(in: bytes, from: &position) else { break }
                timing.receivedRecord(at: now)
                let event: LinkEvent? =
                    switch record {
                    case .input(let range):
                        try receive(bytes.extracting(range), plaintext: &plaintext, context: context)
                    case .gathered(let slice):
                        try receive(slice.span, plaintext: &plaintext, context: context)
                    }
                if case .established = event { timing.opened(at: now) }
                if let event { return event }
            }
            timing.receivedRest(at: now, isMidRecord: decoder.isMidRecord)
            _ = timing.countRecords(state.recordCount, at: now)
            return nil
        } catch {
            die()
            return .failed(error)
        }
    }

    /// Queues a frame, type byte first, for the next `flush`. Nothing happens on a link that is not open.
    package mutating func enqueue(_ frame: [UInt8]) {
        guard !isMute else { return }
        pack(frame)
    }

    mutating func pack(_ frame: [UInt8]) {
        guard isOpen else { return }
        if !packer.append(frame) {
            seal()
            _ = packer.append(frame)
        }
        if frame.first == FrameType.payload.rawValue { isPayloadPacked = true }
    }

    /// Seals what waits and offers it to `write`, which returns how many bytes it took.
    ///
    /// - Throws: `LinkError.tooSlow` when more waits than a slow peer is allowed.
    package mutating func flush(_ write: (Span<UInt8>) -> Int) throws(LinkError) {
        seal()
        outbox.drain(write)
        if !outbox.isHeldUp, let nonce = deferredPong.take() {
            pack([FrameType.pong.rawValue] + nonce)
            seal()
            outbox.drain(write)
        }
        if outbox.isOverfull {
            die()
            throw .tooSlow
        }
    }

    /// Looks whether a deadline has passed; may queue a ping, or the first message of new keys.
    ///
    /// - Parameter unacknowledged: the bytes that the network took and the peer's machine has not acknowledged.
    package mutating func tick(
        _ context: LinkContext, now: Instant, unacknowledged: @autoclosure () -> Int = 0,
        using randomness: inout Randomness
    ) throws(LinkError) {
        guard let due = timing.due(now: now, isOpen: isOpen) else { return }
        switch due {
        case .ping:
            ping(now: now, using: &randomness)
        case .probe:
            sendProbe(now: now, using: &randomness)
        case .renewal:
            try beginRenewal(context, using: &randomness)
        case .look:
            guard timing.look(acknowledged: outbox.taken - unacknowledged(), at: now) else {
                die()
                throw .tooSlow
            }
        case .end(let error):
            die()
            throw error
        }
    }

    /// Begins or ends to watch whether the peer reads, and counts records; to be called after `flush`.
    ///
    /// - Returns: true if `deadline` is an earlier one now.
    package mutating func reviewDeadlines(now: Instant, unacknowledged: @autoclosure () -> Int) -> Bool {
        let isRenewalDue = timing.countRecords(state.recordCount, at: now)
        return watchReader(now: now, unacknowledged: unacknowledged()) || isRenewalDue
    }

    private mutating func watchReader(now: Instant, unacknowledged: @autoclosure () -> Int) -> Bool {
        guard outbox.isHeldUp != timing.isWatchingReader else { return false }
        guard outbox.isHeldUp else {
            timing.readerCaughtUp()
            return false
        }
        timing.watchReader(acknowledged: outbox.taken - unacknowledged(), at: now)
        return true
    }

    /// When the last record came.
    var lastReceived: Instant { timing.lastReceived }

    /// Asks for a round trip now, without waiting for silence.
    package mutating func ping(now: Instant, using randomness: inout Randomness) {
        enqueue(timing.ping(now: now, using: &randomness))
    }

    /// Asks for a sign of life, without which the link is dead after `timeout`.
    package mutating func probe(
        now: Instant, within timeout: Duration = Limits.probeTimeout, using randomness: inout Randomness
    ) {
        guard isOpen else { return }
        timing.requestProbe(at: now, within: timeout)
        if timing.isProbeDue(at: now) { sendProbe(now: now, using: &randomness) }
    }

    private mutating func sendProbe(now: Instant, using randomness: inout Randomness) {
        timing.beginProbe(at: now)
        ping(now: now, using: &randomness)
    }

    /// When `tick` is due next; nil for a dead link.
    package var deadline: Instant? { isDead ? nil : timing.deadline(isOpen: isOpen) }

    /// Wipes the keys.
    package mutating func die() {
        state = .dead
        renewal = .none
    }

    private mutating func nextRecord(
        in bytes: Span<UInt8>, from position: inout Int
    ) throws(LinkError) -> RecordDecoder.Location? {
        do throws(IllegalRecordLength) {
            return try decoder.next(in: bytes, from: &position)
        } catch {
            throw .illegalLength
        }
    }

    private mutating func receive(
        _ record: Span<UInt8>, plaintext: inout [UInt8], context: LinkContext
    ) throws(LinkError) -> LinkEvent? {
        guard isOpen else { return try receiveHandshake(record, context: context) }
        try state.open(record, into: &plaintext)
        nextFrame = 0
        return nil
    }

    /// The next frame of the record that was opened last, but for those that the link handles itself.
    private mutating func nextFrameEvent(
        _ plaintext: [UInt8], _ context: LinkContext, now: Instant, using randomness: inout Randomness
    ) throws(LinkError) -> LinkEvent? {
        while let start = nextFrame {
            let range: Range<Int>?
            do throws(FramingError) {
                var cursor = FrameCursor(plaintext.span, from: start)
                range = try cursor.next()
            } catch {
                throw .badFraming
            }
            nextFrame = range?.upperBound
            guard let range else { return nil }
            let body = range.dropFirst()
            switch FrameType(rawValue: plaintext[range.lowerBound]) {
            case nil:
                unknownFrames += 1
            case .ping:
                answerPing(plaintext[body].prefix(LinkTiming.nonceLength), now: now)
            case .pong:
                timing.ponged(plaintext[body], now: now)
            case .handshake:
                try receiveRenewal(plaintext.span.extracting(body), context, now: now, using: &randomness)
            case .some(let type):
                return .frame(type, body)
            }
        }
        return nil
    }

    /// A peer that reads nothing gets no answers until it does, and then one.
    private mutating func answerPing(_ nonce: ArraySlice<UInt8>, now: Instant) {
        guard timing.mayAnswer(at: now) else { return unansweredPings += 1 }
        guard outbox.isHeldUp else { return pack([FrameType.pong.rawValue] + nonce) }
        if deferredPong != nil { unansweredPings += 1 }
        deferredPong = Array(nonce)
    }

    /// Seals waiting frames in a record of one size: a link begins with the profile of its user, and the size class of that would tell
    /// an observer of a long one.
    package mutating func sealOpening() {
        seal(atLeast: Limits.openingPlaintext)
    }

    /// Bytes of the plaintext that waits to be sealed.
    var bytesWaiting: Int { packer.bytes.count }

    /// Seals waiting frames, and another one if it fits behind them, in a record of at least `size` bytes of plaintext.
    mutating func sealCover(_ frame: [UInt8], atLeast size: Int) {
        if packer.isEmpty || packer.bytes.count + Limits.lengthPrefix + frame.count <= size { enqueue(frame) }
        seal(atLeast: size)
    }

    mutating func seal(atLeast size: Int = 0) {
        guard !packer.isEmpty else { return }
        packer.pad(to: size)
        let plaintext = packer.bytes
        if !isPayloadPacked { control.add(plaintext.count) }
        isPayloadPacked = false
        do throws(LinkError) {
            try outbox.seal(plaintext.span, with: &state)
        } catch {
            die()
        }
        // Let go first: the packer then empties its buffer in place instead of copying it.
        _ = consume plaintext
        packer.clear()
    }
}

/// The handshake of a link: Noise XXpsk0 with the room's key, each message one record of the smallest size, certificates in the
/// second and third (Protocol.md section 3).
extension Link {
    private mutating func receiveHandshake(_ record: Span<UInt8>, context: LinkContext) throws(LinkError) -> LinkEvent?
    {
        guard record.count == Handshake.messageSize else { throw .handshakeFailed }
        let (payload, remoteStatic) = try state.readMessage(record)
        guard let remoteStatic else {
            guard payload == Handshake.openingPayload else { throw .handshakeFailed }
            try write(Handshake.payload(carrying: context.certificate, by: .responder))
            return nil
        }
        let certificate = try Link.check(payload, remoteStatic: remoteStatic, context: context)
        if role == .initiator { try write(Handshake.payload(carrying: context.certificate, by: .initiator)) }
        try state.becomeOpen()
        peer = remoteStatic
        decoder.endHandshake()
        return .established(certificate)
    }

    /// Appends our next message to the outbox, as a record.
    private mutating func write(_ payload: [UInt8]) throws(LinkError) {
        let message = try state.writeMessage(payload)
        outbox.append([UInt8(message.count >> 8), UInt8(message.count & 255)] + message)
    }

    /// The certificate that comes with the other side's static key, if it is about that key and not of this very run of ours.
    private static func check(
        _ payload: [UInt8], remoteStatic: PublicKey, context: LinkContext
    ) throws(LinkError) -> Certificate {
        let certificate: Certificate
        do throws(CertificateError) {
            certificate = try Handshake.certificate(in: payload.span)
        } catch {
            throw .badCertificate
        }
        guard certificate.noise == remoteStatic else { throw .badCertificate }
        guard !certificate.isOfSameRun(as: context.certificate) else { throw .connectedToSelf }
        return certificate
    }
}

/// The handshake that replaces the keys (Protocol.md section 4).
extension Link {
    /// Begins to replace the keys: the initiator's part.
    mutating func beginRenewal(_ context: LinkContext, using randomness: inout Randomness) throws(LinkError) {
        timing.didBeginRenewal()
        var handshake = context.renewal(.initiator, using: &randomness)
        try write(Handshake.openingPayload, of: &handshake)
        renewal = .begun(handshake)
    }

    /// Takes a step of the renewal.
    ///
    /// - Parameter body: of a handshake frame: a message, or nothing, by which the responder says that its new key begins.
    private mutating func receiveRenewal(
        _ body: Span<UInt8>, _ context: LinkContext, now: Instant, using randomness: inout Randomness
    ) throws(LinkError) {
        switch exchange(&renewal, with: .none) {
        case .none: try answerRenewal(body, context, now: now, using: &randomness)
        case .begun(var handshake):
            try Link.read(body, from: peer, of: &handshake, Handshake.emptyPayload(by: .responder))
            try write(Handshake.emptyPayload(by: .initiator), of: &handshake)
            // Message 3 is in the last record under the old key.
            seal()
            try state.switchSending(to: Link.finish(handshake))
            renewal = .switching
        case .answered(var handshake):
            try Link.read(body, from: peer, of: &handshake, Handshake.emptyPayload(by: .initiator))
            pack([FrameType.handshake.rawValue])
            seal()
            try state.switchBoth(to: Link.finish(handshake))
            recordRenewal(now: now, using: &randomness)
        case .switching:
            guard body.isEmpty else { throw .handshakeFailed }
            try state.switchReceiving()
            recordRenewal(now: now, using: &randomness)
        }
    }

    /// Answers message 1, which only the initiator sends, and not while the keys are too young for it.
    private mutating func answerRenewal(
        _ body: Span<UInt8>, _ context: LinkContext, now: Instant, using randomness: inout Randomness
    ) throws(LinkError) {
        guard role == .responder, timing.mayRenew(after: state.recordCount, at: now) else { throw .handshakeFailed }
        var handshake = context.renewal(.responder, using: &randomness)
        try Link.read(body, from: nil, of: &handshake, Handshake.openingPayload)
        try write(Handshake.emptyPayload(by: .responder), of: &handshake)
        renewal = .answered(handshake)
    }

    /// Reads a message, which has to have a known payload and to prove a known key; nil for none yet.
    private static func read(
        _ message: Span<UInt8>, from peer: PublicKey?, of handshake: inout Handshake, _ expected: [UInt8]
    ) throws(LinkError) {
        guard message.count == Handshake.messageSize else { throw .handshakeFailed }
        let payload: [UInt8]
        do throws(NoiseError) { payload = try handshake.readMessage(message) } catch { throw .handshakeFailed }
        guard payload == expected, handshake.remoteStatic == peer else { throw .handshakeFailed }
    }

    private mutating func write(_ payload: [UInt8], of handshake: inout Handshake) throws(LinkError) {
        let message: [UInt8]
        do throws(NoiseError) {
            message = try handshake.writeMessage(payload: payload.span)
        } catch {
            throw .handshakeFailed
        }
        pack([FrameType.handshake.rawValue] + message)
    }

    private static func finish(_ handshake: consuming Handshake) throws(LinkError) -> Session {
        do throws(NoiseError) { return try handshake.finish() } catch { throw .handshakeFailed }
    }

    private mutating func recordRenewal(now: Instant, using randomness: inout Randomness) {
        renewals += 1
        timing.beginKeys(at: now, using: &randomness)
    }
}

/// Records without a payload: pings, lists of ids, and what keeps links and trees.
package struct ControlTally: Hashable, Sendable {
    package private(set) var records = 0
    /// As written to the network.
    package private(set) var bytes = 0

    package init() {}

    mutating func add(_ plaintext: Int) {
        records += 1
        bytes += Limits.lengthPrefix + plaintext + Limits.sealOverhead
    }

    package static func - (later: ControlTally, earlier: ControlTally) -> ControlTally {
        var difference = later
        difference.records -= earlier.records
        difference.bytes -= earlier.bytes
        return difference
    }

    package static func += (sum: inout ControlTally, other: ControlTally) {
        sum.records += other.records
        sum.bytes += other.bytes
    }
}

extension Limits {
    /// Bytes of the first record of each direction of a link, which has the user's profile. In a smaller one, a long
    /// profile takes a second record, and the traffic tells of it; a larger one costs every link more.
    static let openingPlaintext = 1_280
}
