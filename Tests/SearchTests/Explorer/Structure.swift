import Wire

@testable import Chat

/// The content of values that say nothing of it themselves, by reflection, private properties included.
extension Digest {
    /// Writes a value with all that is in it. Tables and sets have one order, whatever order they came to be in.
    mutating func write(contentOf value: Any) {
        if writeLeaf(value) { return }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .dictionary, .set:
            let parts = mirror.children.map { child in
                var part = Digest()
                part.write(contentOf: child.value)
                return part.content
            }
            write(parts.count)
            for part in parts.sorted(by: { $0.lexicographicallyPrecedes($1) }) { write(part) }
        case .enum where mirror.children.isEmpty: write("\(value)")
        case .enum:
            for child in mirror.children { write(child.label ?? "") }
            writeChildren(of: mirror)
        case .collection, .optional:
            write(mirror.children.count)
            writeChildren(of: mirror)
        default: writeChildren(of: mirror)
        }
    }

    private mutating func writeChildren(of mirror: Mirror) {
        for child in mirror.children { write(contentOf: child.value) }
    }

    /// Writes a value without parts; false for any other.
    private mutating func writeLeaf(_ value: Any) -> Bool {
        let type = type(of: value)
        if type == UInt64.self, let value = value as? UInt64 {
            write(value)
        } else if type == Int.self, let value = value as? Int {
            write(value)
        } else if type == UInt8.self, let value = value as? UInt8 {
            write(value)
        } else if type == Bool.self, let value = value as? Bool {
            write(value)
        } else if type == Instant.self, let value = value as? Instant {
            write(UInt64(bitPattern: value.nanoseconds))
        } else if type == Double.self, let value = value as? Double {
            write(value.bitPattern)
        } else if type == PeerID.self, let value = value as? PeerID {
            write(value.words.3)
        } else if type == VerifiedPayload.self, let value = value as? VerifiedPayload {
            write(value.id.prefix)
        } else if type == SIMD8<UInt8>.self, let value = value as? SIMD8<UInt8> {
            for index in value.indices { write(value[index]) }
        } else {
            return false
        }
        return true
    }
}
