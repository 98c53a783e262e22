package import Wire

/// How far a direct message of ours is known to have come. It never goes back (Protocol.md section 8).
package enum Delivery: String, Sendable, CaseIterable {
    /// Not acknowledged: it is on its way, or waits for its peer.
    case sending
    case delivered
    /// Known only where both sides tell what they have read.
    case read
    /// Given up; what is known of it does not change any more.
    case failed

    /// Whether it can still come to be known as `next`.
    package func canBecome(_ next: Delivery) -> Bool {
        switch (self, next) {
        case (.sending, .delivered), (.sending, .read), (.sending, .failed), (.delivered, .read): true
        case (.sending, .sending), (.delivered, _), (.read, _), (.failed, _): false
        }
    }
}

/// A direct message of ours that was given up.
package struct Undelivered: Hashable, Sendable {
    package let id: MessageID
    /// As it was to be read last; not made safe for display.
    package let text: String

    package init(id: MessageID, text: String) {
        self.id = id
        self.text = text
    }
}
