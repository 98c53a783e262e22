import Wire

/// Counts the stamped texts that arrive, each once.
struct Tally {
    /// The effects of one text.
    struct Note: Hashable {
        /// The first in the life of the node.
        var isFirst = false
        /// As many have come as were waited for.
        var isLast = false
    }

    /// Texts of one sender with higher numbers are taken for no measurement of ours.
    private static let mostTexts = 1 << 26
    private static let mostSenders = 1_024

    private let me: Int
    private var epoch = 0
    private var expected: Int?
    private var hasHeard = false
    /// Of each sender, a bit for each sequence number.
    private var seen: [[UInt64]] = []

    private(set) var received = 0
    /// Of those, the ones that came as history instead of live.
    private(set) var history = 0
    private(set) var repeated = 0
    /// Neither ours nor a measurement's.
    private(set) var foreign = 0
    private(set) var senders = 0
    private(set) var firstAt = Instant(nanoseconds: 0)
    private(set) var lastAt = Instant(nanoseconds: 0)
    /// From sending to arrival, in nanoseconds, in order of arrival.
    private(set) var latencies: [UInt64] = []

    /// - Parameter me: whose texts are not counted.
    init(me: Int) {
        self.me = me
    }

    /// Forgets all counts; only texts of `epoch` count from now on.
    mutating func reset(epoch: Int) {
        let hasHeard = hasHeard
        self = Tally(me: me)
        self.epoch = epoch
        self.hasHeard = hasHeard
    }

    /// Tells once when so many have come.
    mutating func expect(_ count: Int) {
        expected = count
    }

    mutating func count(_ text: String, isHistory: Bool = false, at now: Instant) -> Note {
        guard let stamp = StampedText(text), stamp.sender < Tally.mostSenders, stamp.sequence < Tally.mostTexts else {
            foreign += 1
            return Note()
        }
        guard stamp.sender != me, stamp.epoch == epoch else { return Note() }
        let isFirst = !hasHeard
        hasHeard = true
        guard isNew(stamp) else {
            repeated += 1
            return Note(isFirst: isFirst)
        }
        if received == 0 { firstAt = now }
        lastAt = now
        received += 1
        if isHistory { history += 1 }
        latencies.append(UInt64(max(0, now.nanoseconds)) &- stamp.sentAt)
        return Note(isFirst: isFirst, isLast: received == expected)
    }

    private mutating func isNew(_ stamp: StampedText) -> Bool {
        while seen.count <= stamp.sender { seen.append([]) }
        if seen[stamp.sender].isEmpty { senders += 1 }
        let (word, bit) = stamp.sequence.quotientAndRemainder(dividingBy: 64)
        let missing = word + 1 - seen[stamp.sender].count
        if missing > 0 { seen[stamp.sender] += Array(repeating: 0, count: max(missing, seen[stamp.sender].count)) }
        let mask: UInt64 = 1 << UInt64(bit)
        defer { seen[stamp.sender][word] |= mask }
        return seen[stamp.sender][word] & mask == 0
    }
}

extension Tally {
    /// One JSON object, times in nanoseconds of the monotonic clock.
    var json: String {
        let texts = #""recv":\#(received),"history":\#(history),"dup":\#(repeated)"#
        let counts = texts + #","bad":\#(foreign),"senders":\#(senders)"#
        return #"{\#(counts),"first":\#(firstAt.nanoseconds),"last":\#(lastAt.nanoseconds)}"#
    }
}
