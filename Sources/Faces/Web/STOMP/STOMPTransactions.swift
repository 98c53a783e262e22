import Wire

/// The open transactions of a STOMP client, and the messages of those that were committed and not said yet.
struct STOMPTransactions: Sendable {
    /// A message or a card that a client sends, once it is known to keep the rules.
    struct Message: Hashable, Sendable {
        enum Content: Hashable, Sendable {
            case text(String, replyTo: MessageID?)
            /// The name of the colour is nil for the usual one.
            case card(title: String, text: String, color: String?)
        }

        let place: STOMPDestination
        let content: Content
    }

    /// A step of a committed transaction.
    enum Step: Hashable, Sendable {
        /// With the receipt of the COMMIT, for an error.
        case say(Message, receipt: String?)
        case confirm(receipt: String?)
    }

    static let mostOpen = 16
    /// In each transaction.
    static let mostMessages = 256

    /// By the bytes of their names: other texts, too, compare as equal in Swift.
    private var open: [[UInt8]: [Message]] = [:]
    private var committed: ArraySlice<Step> = []

    func contains(_ name: String) -> Bool { open[Array(name.utf8)] != nil }

    mutating func begin(_ name: String) throws(STOMPFault) {
        guard !contains(name) else { throw STOMPFault("the transaction is open") }
        guard open.count < STOMPTransactions.mostOpen else {
            throw STOMPFault("\(STOMPTransactions.mostOpen) open transactions are the most")
        }
        open[Array(name.utf8)] = []
    }

    mutating func add(_ message: Message, to name: String) throws(STOMPFault) {
        guard let messages = open[Array(name.utf8)] else { throw STOMPTransactions.unknown }
        guard messages.count < STOMPTransactions.mostMessages else {
            throw STOMPFault("\(STOMPTransactions.mostMessages) messages are the most in a transaction")
        }
        open[Array(name.utf8)]?.append(message)
    }

    mutating func commit(_ name: String, receipt: String?) throws(STOMPFault) {
        guard let messages = open.removeValue(forKey: Array(name.utf8)) else { throw STOMPTransactions.unknown }
        committed += messages.map { .say($0, receipt: receipt) } + [.confirm(receipt: receipt)]
    }

    mutating func abort(_ name: String) throws(STOMPFault) {
        guard open.removeValue(forKey: Array(name.utf8)) != nil else { throw STOMPTransactions.unknown }
    }

    /// The next step of what was committed.
    mutating func next() -> Step? { committed.popFirst() }

    static let unknown = STOMPFault("there is no transaction of this name")
}
