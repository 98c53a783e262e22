import ChatNode

/// A responder with the books that are kept about it.
struct AvahiSource: Sendable {
    let responder: AvahiResponder
    /// Counts the times it was opened: what it tells of an earlier time is late and void.
    private(set) var epoch = 0
    private(set) var isOpen = false
    /// True if it can publish and browse now.
    var isReady = false
    private var retries = AvahiSource.freshRetries

    private static var freshRetries: Backoff { Backoff(from: .milliseconds(100), to: .seconds(5)) }

    init(_ responder: AvahiResponder) {
        self.responder = responder
    }

    mutating func open() {
        epoch += 1
        isOpen = true
        responder.open(epoch: epoch)
    }

    mutating func becameReady() {
        isReady = true
        retries = Self.freshRetries
    }

    /// Returns how long to wait before it is opened again.
    mutating func close(_ completion: @escaping @Sendable () -> Void = {}) -> Duration {
        epoch += 1
        isOpen = false
        isReady = false
        responder.close(completion)
        return retries.next()
    }
}
