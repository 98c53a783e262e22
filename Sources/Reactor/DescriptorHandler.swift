/// The awaited states of a descriptor. Errors and hang-ups are always reported.
package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let readable = Interest(rawValue: 1)
    package static let writable = Interest(rawValue: 2)
    package static let both = Interest(rawValue: 3)
}

/// The current states of a descriptor.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let readable = Readiness(rawValue: 1)
    package static let writable = Readiness(rawValue: 2)
    /// Both directions are shut; told again and again until the descriptor is no longer watched.
    package static let hangUp = Readiness(rawValue: 4)
    package static let error = Readiness(rawValue: 8)

    /// Whether a read tells something: that bytes have come, or how it has ended.
    package var isWorthReading: Bool { rawValue & 13 != 0 }

    package var isWritable: Bool { rawValue & 2 != 0 }
}

/// An event loop calls it when a descriptor that it watches is ready.
package protocol DescriptorHandler: AnyObject {
    /// On the loop. May watch and unwatch anything; told again next turn while the state lasts (level-triggered).
    func ready(_ descriptor: CInt, _ events: Readiness)
}
