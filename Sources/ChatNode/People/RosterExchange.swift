import Chat
import Noise
import Wire

/// When this node asks a neighbour for the presences that it lacks, and how it answers such questions (Protocol.md section 13).
struct RosterExchange {
    /// An answer under way.
    private struct RosterAnswer {
        let buckets: UInt16
        var next: Int
        /// Bytes that may still be sent: a question is small.
        var bytes = Limits.rosterAnswerBytes
    }

    /// A question of ours: presences of its answer may be old and many.
    private struct RosterQuestion {
        let until: Instant
        /// Bytes of presences and certificates that may still come.
        var bytes = Limits.rosterAnswerBytes
        /// The answer brought an author that was not known.
        var isUseful = false
    }

    private var asksAt: Instant?
    private var interval = Limits.firstRosterInterval
    private var questions: [ConnectionID: RosterQuestion] = [:]
    private var answers: [ConnectionID: RosterAnswer] = [:]
    /// Where the last answer on a link ended, and the next one goes on.
    private var ends: [ConnectionID: Int] = [:]
    /// The link on which the last question was asked.
    private var asked: ConnectionID?
    private var rates: [ConnectionID: TokenBucket] = [:]
    private var stepsAt: Instant?

    /// Begins to ask: at once, and after pauses that grow up to a minute.
    mutating func begin(now: Instant) {
        asksAt = now
        interval = Limits.firstRosterInterval
    }

    /// Asks no more and answers no more.
    mutating func end() { self = RosterExchange() }

    var nextDeadline: Instant? { Instant.earlier(asksAt, stepsAt) }

    /// True if a question is due; the caller asks a neighbour, or calls `postpone` if there is none.
    mutating func isQuestionDue(now: Instant, using randomness: inout Randomness) -> Bool {
        guard let asksAt, asksAt <= now else { return false }
        self.asksAt = now + interval.spread(using: &randomness)
        interval = min(interval * 2, Limits.rosterInterval)
        return true
    }

    /// The link of the neighbour whose last answer brought something new: there is more to come; nil for any.
    var continuation: ConnectionID? { asked.flatMap { questions[$0]?.isUseful == true ? $0 : nil } }

    /// An answer brought an author that was not known: the same neighbour is asked for more soon.
    mutating func recordUseful(on link: ConnectionID, now: Instant) {
        guard questions[link]?.isUseful == false else { return }
        questions[link]?.isUseful = true
        guard link == asked else { return }
        asksAt = Instant.earlier(asksAt, now + Limits.rosterContinuation)
        interval = Limits.firstRosterInterval
    }

    /// There is no neighbour to ask: the same again as soon as there may be one.
    mutating func postpone(now: Instant) { begin(now: now + Limits.presenceGathering) }

    /// Our digests were sent on a link.
    mutating func recordQuestion(_ link: ConnectionID, now: Instant) {
        questions[link] = RosterQuestion(until: now + Limits.rosterAnswerTime)
        asked = link
    }

    /// True if so many bytes of a presence, or of a certificate, on a link may be of an answer, of which they are counted as a part.
    mutating func takeBytes(_ bytes: Int, on link: ConnectionID, now: Instant) -> Bool {
        guard let question = questions[link], now < question.until, question.bytes >= bytes else { return false }
        questions[link]?.bytes -= bytes
        return true
    }

    /// Begins to answer a neighbour's digests; false above the rate, so that a question costs no more than its answer is worth.
    ///
    /// - Parameter buckets: those in which the two rosters differ.
    mutating func answer(_ buckets: UInt16, on link: ConnectionID, now: Instant) -> Bool {
        let rate = Rate(perSecond: Limits.rosterAnswersPerSecond, burst: Limits.rosterAnswersBurst)
        var bucket = rates[link] ?? TokenBucket(rate, now: now)
        defer { rates[link] = bucket }
        guard bucket.takeTokens(now: now) else { return false }
        guard buckets != 0 else { return true }
        answers[link] = RosterAnswer(buckets: buckets, next: ends[link] ?? 0)
        stepsAt = stepsAt ?? now
        return true
    }

    /// The parts of answers to send now: the caller answers each with `recordAnswer`.
    mutating func parts(now: Instant) -> [(link: ConnectionID, buckets: UInt16, start: Int)] {
        guard let stepsAt, stepsAt <= now else { return [] }
        self.stepsAt = answers.isEmpty ? nil : now + Limits.rosterPortionInterval
        return answers.sorted { $0.key < $1.key }.map { ($0.key, $0.value.buckets, $0.value.next) }
    }

    /// A part of an answer was sent.
    ///
    /// - Parameters:
    ///   - next: where to go on; nil at the end.
    ///   - bytes: that were sent. An answer with too few left for another presence ends; the next question on the link continues it.
    mutating func recordAnswer(_ link: ConnectionID, next: Int?, bytes: Int) {
        answers[link]?.bytes -= bytes
        if let next { answers[link]?.next = next }
        ends[link] = next
        if next == nil || !hasSpace(for: link) { answers[link] = nil }
        if answers.isEmpty { stepsAt = nil }
    }

    /// Bytes that an answer may still send.
    func space(for link: ConnectionID) -> Int { answers[link]?.bytes ?? 0 }

    private func hasSpace(for link: ConnectionID) -> Bool { space(for: link) >= RosterExchange.largest }

    /// The most bytes of a presence with its author's certificate behind it.
    static let largest = 1_800

    mutating func linkClosed(_ link: ConnectionID) {
        (questions[link], answers[link], rates[link], ends[link]) = (nil, nil, nil, nil)
        if asked == link { asked = nil }
        if answers.isEmpty { stepsAt = nil }
    }
}

extension Limits {
    /// From the first digests that are sent to the next; the pause doubles. A shorter one asks before the answer has
    /// come; a longer one leaves a newcomer's list incomplete for longer.
    static let firstRosterInterval = Duration.seconds(2)
    /// That pause in the end; a fifth is added to each pause or taken away, at random. A longer one leaves differences of two rosters for longer; a shorter one costs traffic where
    /// nothing differs.
    static let rosterInterval = Duration.seconds(60)
    /// Digests of a neighbour that are answered at once. More let a small question draw much traffic; with fewer, a
    /// newcomer's first questions are ignored.
    static let rosterAnswersBurst = 8.0
    /// Those per second in the long run, with the same consequences.
    static let rosterAnswersPerSecond = 1.0
    /// Bytes of presences and certificates in an answer: a question of 67 bytes draws no more. With fewer, the list of
    /// a large crowd takes more questions.
    static let rosterAnswerBytes = 65_536
    /// From an answer that brought an unknown author to the next digests for that neighbour. A longer one slows a
    /// newcomer's list; a shorter one asks before the answer has ended.
    static let rosterContinuation = Duration.seconds(1)
    /// Presences of an answer that are sent at once. More delay messages on the link; with fewer, an answer takes
    /// longer.
    static let rosterPortion = 20
    /// The time to the next portion. A longer one slows the answer; a shorter one crowds out messages on the link.
    static let rosterPortionInterval = Duration.milliseconds(20)
    /// How long after digests the presences of an answer are accepted, which may be old and many. A longer one lets a
    /// neighbour send such for longer; a shorter one refuses the end of a large answer.
    static let rosterAnswerTime = Duration.seconds(30)
}
