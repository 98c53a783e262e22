import ChatNode
import Wire

/// Which buckets of a crowd a node asks for their members, and when (Protocol.md section 10).
///
/// A round has two buckets that are drawn in private. First the 256ths are asked, which is enough in a room of thousands; where
/// few answer, the sixteenths that contain them. Both questions are equally fair to all addresses.
struct BucketPlan {
    private enum Stage {
        /// No question is open; the next round begins with its draw.
        case resting
        /// 256ths were asked.
        case narrow
        /// Sixteenths were asked.
        case wide
    }

    /// Before the first question of a round, since others may have been switched on with us.
    static let firstWait = Duration.milliseconds(0)...Duration.milliseconds(100)
    /// From a question to the next one. Responders answer a one-shot question at once.
    static let answerTime = Duration.milliseconds(250)
    /// From the question for sixteenths to its repetitions, each after the one before: questions and answers may be lost, and
    /// a busy machine may answer too late.
    static let repeatTimes = [Duration.seconds(1), .seconds(4), .seconds(16)]
    /// Random share of the time between rounds.
    static let spread = 0.1
    /// Sources that are counted; more are as good as that many.
    static let maximumCounted = 4_096

    private var stage = Stage.resting
    private var buckets: [AddressBucket] = []
    private var isWide = false
    /// Repetitions of the question for sixteenths.
    private var repetitions = 0
    private var counted: Set<[UInt8]> = []
    /// When `due` has something to do; nil before the first round.
    private(set) var nextDue: Instant?

    /// Begins a round, unless there was one already.
    mutating func begin(now: Instant, using generator: inout some RandomNumberGenerator) {
        if nextDue == nil { restart(now: now, using: &generator) }
    }

    /// Begins a round in any case, as on another network.
    mutating func restart(now: Instant, using generator: inout some RandomNumberGenerator) {
        stage = .resting
        nextDue = now + .random(in: Self.firstWait, using: &generator)
    }

    /// Forgets the buckets and asks nothing.
    mutating func end() { self = BucketPlan() }

    /// The subtypes to ask for now; none while nothing is due, or where enough have answered.
    mutating func due(
        of subtype: String, now: Instant, using generator: inout some RandomNumberGenerator
    ) -> [String] {
        guard let due = nextDue, due <= now else { return [] }
        switch stage {
        case .resting:
            buckets = Self.draw(using: &generator)
            (stage, isWide, counted, nextDue) = (.narrow, false, [], now + Self.answerTime)
            return buckets.map { $0.narrowSubtype(of: subtype) }
        case .narrow where counted.count < Limits.bucketSources:
            (stage, isWide, repetitions, nextDue) = (.wide, true, 0, now + Self.repeatTimes[0])
            return buckets.map { $0.wideSubtype(of: subtype) }
        case .wide where counted.count < Limits.bucketSources && repetitions < Self.repeatTimes.count:
            repetitions += 1
            let isLast = repetitions == Self.repeatTimes.count
            nextDue = now + (isLast ? Self.answerTime : Self.repeatTimes[repetitions])
            return buckets.map { $0.wideSubtype(of: subtype) }
        case .narrow, .wide:
            stage = .resting
            let spread = Double.random(in: 1 - Self.spread...1 + Self.spread, using: &generator)
            nextDue = now + Limits.beaconTerm * spread
            return []
        }
    }

    /// Counts a source that answered.
    ///
    /// - Returns: the number of nodes that it stands for, because only one in so many was asked; nil where its address is of no
    ///   bucket that was asked.
    mutating func takes(_ source: [UInt8], of subtype: String) -> Int? {
        let own = AddressBucket(of: source, in: subtype)
        guard buckets.contains(where: { isWide ? $0.isNear(own) : $0 == own }) else { return nil }
        if counted.count < Self.maximumCounted { counted.insert(source) }
        return AddressBucket.weight(isWide: isWide)
    }

    /// Buckets of different sixteenths.
    private static func draw(using generator: inout some RandomNumberGenerator) -> [AddressBucket] {
        var drawn: [AddressBucket] = []
        while drawn.count < Limits.askedBuckets {
            let bucket = AddressBucket(.random(in: 0...255, using: &generator))
            if !drawn.contains(where: bucket.isNear) { drawn.append(bucket) }
        }
        return drawn
    }
}
