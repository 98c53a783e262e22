import Wire

extension FuzzTarget {
    /// A stream yields the same records for all divisions into pieces, those of Docs/Protocol.md.
    static let records = FuzzTarget(name: "records", seeds: RecordStream.seeds) { input in
        var choices = Choices(input)
        let stream = RecordStream.draw(&choices)
        let plainly = RecordStream(reading: stream)
        let pieces = choices.pieces(of: stream)
        demand(RecordStream(decoding: [stream]) == plainly, "the decoder reads other records than the rules")
        demand(RecordStream(decoding: pieces) == plainly, "the decoder reads other records from pieces")
    }
}

/// The records of a stream, read in two ways.
private struct RecordStream: Equatable {
    var records: [[UInt8]] = []
    var illegal: Int?
    var isMidRecord = false

    static let lengths = Limits.recordPlaintexts.map { $0 + Limits.sealOverhead }

    static func seeds() -> [[UInt8]] {
        [[0, 1, 7, 9, 10, 20], [1, 0, 1, 4, 2, 9, 9], [0, 0, 1, 0, 1, 2, 3, 2, 16, 0, 40]]
    }

    /// Complete records, truncated ones, and arbitrary bytes.
    static func draw(_ choices: inout Choices) -> [UInt8] {
        var stream: [UInt8] = []
        for _ in 0...choices.below(6) {
            let length = choices.pick(lengths)
            let head = [UInt8(length >> 8), UInt8(length & 255)]
            switch choices.below(4) {
            case 0, 1: stream += head + [UInt8](repeating: choices.byte(), count: length)
            case 2: stream += head + choices.bytes(choices.below(64))
            default: stream += choices.bytes(choices.below(16))
            }
        }
        return stream
    }

    init(decoding pieces: [[UInt8]]) {
        var decoder = RecordDecoder()
        for piece in pieces {
            var position = 0
            do throws(IllegalRecordLength) {
                while let location = try decoder.next(in: piece.span, from: &position) {
                    switch location {
                    case .input(let range): records.append(Array(piece[range]))
                    case .gathered(let slice): records.append(Array(slice))
                    }
                }
            } catch {
                illegal = error.length
                return
            }
            demand(position == piece.count, "the decoder left bytes")
        }
        isMidRecord = decoder.isMidRecord
    }

    /// Reads the complete stream at once.
    init(reading stream: [UInt8]) {
        var rest = stream[...]
        while rest.count >= Limits.lengthPrefix {
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            guard RecordStream.lengths.contains(length) else {
                illegal = length
                return
            }
            guard rest.count >= Limits.lengthPrefix + length else { break }
            records.append(Array(rest.dropFirst(Limits.lengthPrefix).prefix(length)))
            rest = rest.dropFirst(Limits.lengthPrefix + length)
        }
        isMidRecord = !rest.isEmpty
    }
}
