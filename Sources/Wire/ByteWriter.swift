/// Builds what `ByteReader` reads: fixed-width, big-endian, no padding (Protocol.md).
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func write(_ value: UInt8) {
        bytes.append(value)
    }

    package mutating func write(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    package mutating func write(_ value: UInt64) {
        bytes.append(addingCapacity: 8) { (output: inout OutputSpan<UInt8>) in
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                output.append(UInt8(truncatingIfNeeded: value >> shift))
            }
        }
    }

    package mutating func write(_ value: [UInt8]) {
        bytes.append(contentsOf: value)
    }

    package mutating func write(_ id: PeerID) {
        for word in [id.words.0, id.words.1, id.words.2, id.words.3] { write(word) }
    }

    package mutating func write(_ id: MessageID) {
        write(id.words.0)
        write(id.words.1)
    }
}
