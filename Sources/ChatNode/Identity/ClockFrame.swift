import Wire

/// A frame 15: the wall clock of its sender (Protocol.md section 7).
struct ClockFrame: Hashable {
    /// The sender has lost what it knew of the receiver's clock.
    let wantsAnswer: Bool
    let time: Timestamp

    init(wantsAnswer: Bool, time: Timestamp) { (self.wantsAnswer, self.time) = (wantsAnswer, time) }

    /// Nil for a body of another length, or another value of `wantsAnswer` than 0 and 1.
    init?(_ body: Span<UInt8>) {
        var reader = ByteReader(body)
        guard let flag = try? reader.readUInt8(), flag <= 1, let time = try? reader.readUInt64(), reader.remaining == 0
        else { return nil }
        self.init(wantsAnswer: flag == 1, time: Timestamp(milliseconds: time))
    }

    /// The whole frame, its type byte first.
    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 10)
        writer.write(FrameType.clock.rawValue)
        writer.write(UInt8(wantsAnswer ? 1 : 0))
        writer.write(time.milliseconds)
        return writer.bytes
    }
}
