import Chat
import Wire

/// When this node asks a neighbour for the presences that it lacks, and how it answers such questions (Protocol.md section 13).
struct RosterExchange {
    /// An answer under way.
    private struct Answer {
        var buckets: UInt16
        var next: Int
    }

    /// A question of ours: presences of its answer may be old and many.
    private struct Question {
        let until: Instant
        /// The presences, and as many certificates, that may still come.
        var presences: Int
        var certificates: Int
    }

    private var asksAt: Instant?
    private var interval = Limits.firstRosterInterval
    private var questions: [ConnectionID: Question] = [:]
    private var answers: [ConnectionID: Answer] = [:]
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
    mutating func isQuestionDue(now: Instant) -> Bool {
        guard let asksAt, asksAt <= now else { return false }
        self.asksAt = now + interval
        interval = min(interval * 2, Limits.rosterInterval)
        return true
    }

    /// There is no neighbour to ask: the same again as soon as there may be one.
    mutating func postpone(now: Instant) { begin(now: now + Limits.presenceGathering) }

    /// Our digests were sent on a link.
    mutating func asked(_ link: ConnectionID, now: Instant) {
        let most = Limits.knownPeers
        questions[link] = Question(until: now + Limits.rosterAnswerTime, presences: most, certificates: most)
    }

    /// True if a presence on a link may be of an answer, of which it is counted as a part.
    mutating func takePresence(on link: ConnectionID, now: Instant) -> Bool {
        take(\.presences, on: link, now: now)
    }

    /// True if a certificate on a link may be of an answer, of which it is counted as a part.
    mutating func takeCertificate(on link: ConnectionID, now: Instant) -> Bool {
        take(\.certificates, on: link, now: now)
    }

    private mutating func take(
        _ rest: WritableKeyPath<Question, Int>, on link: ConnectionID, now: Instant
    ) -> Bool {
        guard var question = questions[link] else { return false }
        guard now < question.until, question[keyPath: rest] > 0 else {
            questions[link] = nil
            return false
        }
        question[keyPath: rest] -= 1
        questions[link] = question
        return true
    }

    /// Begins to answer a neighbour's digests; false above the rate, so that a question costs no more than its answer is worth.
    ///
    /// - Parameter buckets: those in which the two rosters differ.
    mutating func answer(_ buckets: UInt16, on link: ConnectionID, now: Instant) -> Bool {
        let rate = Rate(perSecond: Limits.rosterAnswersPerSecond, burst: Limits.rosterAnswersBurst)
        var bucket = rates[link] ?? TokenBucket(rate, now: now)
        defer { rates[link] = bucket }
        guard bucket.take(now: now) else { return false }
        guard buckets != 0 else { return true }
        answers[link] = Answer(buckets: buckets, next: 0)
        stepsAt = stepsAt ?? now
        return true
    }

    /// The parts of answers to send now: the caller answers each with `answered`.
    mutating func parts(now: Instant) -> [(link: ConnectionID, buckets: UInt16, start: Int)] {
        guard let stepsAt, stepsAt <= now else { return [] }
        self.stepsAt = answers.isEmpty ? nil : now + Limits.rosterPortionInterval
        return answers.sorted { $0.key < $1.key }.map { ($0.key, $0.value.buckets, $0.value.next) }
    }

    /// A part of an answer was sent.
    ///
    /// - Parameter next: where to go on; nil at the end.
    mutating func answered(_ link: ConnectionID, next: Int?) {
        if let next { answers[link]?.next = next } else { answers[link] = nil }
        if answers.isEmpty { stepsAt = nil }
    }

    mutating func linkClosed(_ link: ConnectionID) {
        (questions[link], answers[link], rates[link]) = (nil, nil, nil)
        if answers.isEmpty { stepsAt = nil }
    }
}
