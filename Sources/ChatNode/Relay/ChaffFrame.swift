import Wire

/// A frame 17: it says nothing, and makes a record as long as another (Protocol.md section 8, "Hiding the receiver").
struct ChaffFrame: Hashable {
    /// Type and flag.
    static let smallest = 2
    /// With its length, in a record.
    static let smallestInRecord = Limits.lengthPrefix + smallest

    /// The receiver sends one record back, within `Limits.coverAnswer`.
    let wantsAnswer: Bool
    /// Bytes of the whole frame, type byte included: at least `smallest`.
    let byteCount: Int

    init(wantsAnswer: Bool, byteCount: Int = ChaffFrame.smallest) {
        precondition(byteCount >= ChaffFrame.smallest, "a frame of \(byteCount) bytes")
        (self.wantsAnswer, self.byteCount) = (wantsAnswer, byteCount)
    }

    /// Nil for a body whose flag is not 0 or 1, or with another byte that is not 0.
    init?(_ body: Span<UInt8>) {
        guard body.count >= 1, body[0] <= 1 else { return nil }
        for index in 1..<body.count where body[index] != 0 { return nil }
        self.init(wantsAnswer: body[0] == 1, byteCount: 1 + body.count)
    }

    /// The frames that make records full which hide a frame of content: so neither an observer nor a member learns its length.
    ///
    /// - Parameters:
    ///   - count: bytes of the frame of content, type byte included.
    ///   - wantsAnswer: whether these frames, and the one behind the content, ask for an answer.
    /// - Returns: the frame for each other link, and the one behind the content; nil where the content fills its record, and is
    ///   not to be answered.
    static func hiding(_ count: Int, wantsAnswer: Bool) -> (whole: ChaffFrame, rest: ChaffFrame?) {
        func frame(_ count: Int) -> ChaffFrame { ChaffFrame(wantsAnswer: wantsAnswer, byteCount: count) }
        let used = Limits.lengthPrefix + count
        if !wantsAnswer, Limits.recordPlaintexts.contains(used) { return (frame(count), nil) }
        // The longest content takes a second record for the rest.
        let size = Limits.recordPlaintexts.first { $0 >= used + smallestInRecord } ?? used + smallestInRecord
        return (frame(size - Limits.lengthPrefix), frame(size - used - Limits.lengthPrefix))
    }

    /// The whole frame, its type byte first.
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        bytes[0] = FrameType.chaff.rawValue
        bytes[1] = wantsAnswer ? 1 : 0
        return bytes
    }
}
