package import Wire

/// The delivery state of an own direct message. It never goes back (Protocol.md section 8).
package enum DeliveryState: String, Sendable, CaseIterable {
    /// Not acknowledged: on its way, or waiting for the peer.
    case sending
    case delivered
    /// Known only if both sides send read receipts.
    case read
    /// Given up; this state is final.
    case failed

    /// True if the state can change to `next`.
    package func canBecome(_ next: DeliveryState) -> Bool {
        switch (self, next) {
        case (.sending, .delivered), (.sending, .read), (.sending, .failed), (.delivered, .read): true
        case (.sending, .sending), (.delivered, _), (.read, _), (.failed, _): false
        }
    }
}

/// An own direct message that was given up.
package struct Undelivered: Hashable, Sendable {
    package let id: MessageID
    /// With its edits; not made safe for display.
    package let text: String

    package init(id: MessageID, text: String) {
        self.id = id
        self.text = text
    }
}
