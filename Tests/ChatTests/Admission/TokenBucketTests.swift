import Testing
import Wire

@testable import Chat

struct TokenBucketTests {
    static let start = Instant(nanoseconds: 1_000)

    @Test func `a bucket gives its burst at once and then its rate`() {
        var bucket = TokenBucket(Rate(perSecond: 4, burst: 20), now: TokenBucketTests.start)
        let first = (0..<30).count { _ in bucket.takeTokens(now: TokenBucketTests.start) }
        #expect(first == 20)
        let later = TokenBucketTests.start + .seconds(3)
        let second = (0..<30).count { _ in bucket.takeTokens(now: later) }
        #expect(second == 12)
    }

    @Test func `a pause fills a bucket up to its burst`() {
        var bucket = TokenBucket(Rate(perSecond: 4, burst: 20), now: TokenBucketTests.start)
        let later = TokenBucketTests.start + .seconds(86_400)
        let taken = (0..<100).count { _ in bucket.takeTokens(now: later) }
        #expect(taken == 20)
    }

    @Test func `a token is there when the wait is over`() {
        var bucket = TokenBucket(Rate(perSecond: 3, burst: 1), now: TokenBucketTests.start)
        var now = TokenBucketTests.start
        #expect(bucket.wait(now: now) == .zero)
        for _ in 0..<50 {
            let taken = bucket.takeTokens(now: now)
            #expect(taken)
            let wait = bucket.wait(now: now)
            #expect(wait > .milliseconds(333) && wait < .milliseconds(334))
            let early = bucket.takeTokens(now: now + (wait - .microseconds(1)))
            #expect(!early)
            now = now + wait
        }
    }

    @Test func `a refused token costs nothing, nor does time that goes back`() {
        var bucket = TokenBucket(Rate(perSecond: 1, burst: 1), now: TokenBucketTests.start)
        let moments: [Duration] = [.zero, .milliseconds(500), .milliseconds(500), .nanoseconds(-1_000), .seconds(1)]
        let taken = moments.map { bucket.takeTokens(now: TokenBucketTests.start + $0) }
        #expect(taken == [true, false, false, false, true])
    }

    @Test func `a rate of 0 limits nothing`() {
        var bucket = TokenBucket(.unlimited, now: TokenBucketTests.start)
        let taken = (0..<10_000).count { _ in bucket.takeTokens(now: TokenBucketTests.start) }
        #expect(taken == 10_000)
        #expect(bucket.wait(now: TokenBucketTests.start) == .zero)
    }

    @Test(
        arguments: [
            1e-10, 1e-300, .leastNonzeroMagnitude, 1e300, .greatestFiniteMagnitude, .infinity, .nan, -1, -.infinity,
        ] as [Double])
    func `no rate and no interval makes a bucket overflow`(perSecond: Double) {
        for burst in [1, 0.5, 0, -1, 1e300, .infinity, .nan] as [Double] {
            var bucket = TokenBucket(Rate(perSecond: perSecond, burst: burst), now: Instant(nanoseconds: .min))
            for nanoseconds in [.min, .min + 1, -1, 0, 1, .max - 1, .max] as [Int64] {
                let now = Instant(nanoseconds: nanoseconds)
                for _ in 0..<3 { _ = bucket.takeTokens(now: now) }
                let wait = bucket.wait(now: now)
                #expect(wait >= .zero && wait <= TokenBucket.longestWait)
                #expect(wait > .zero || bucket.takeTokens(now: now))
            }
        }
    }

    @Test func `a rate of one token in 300 years gives one token and reports the longest wait`() {
        var bucket = TokenBucket(Rate(perSecond: 1e-10, burst: 1), now: TokenBucketTests.start)
        let taken = (0..<3).map { bucket.takeTokens(now: TokenBucketTests.start + .seconds(86_400) * $0) }
        #expect(taken == [true, false, false])
        #expect(bucket.wait(now: TokenBucketTests.start) == TokenBucket.longestWait)
    }

    @Test func `a rate that is not a number returns no tokens`() {
        var bucket = TokenBucket(Rate(perSecond: .nan, burst: 2), now: TokenBucketTests.start)
        let taken = (0..<4).map { bucket.takeTokens(now: TokenBucketTests.start + .seconds($0)) }
        #expect(taken == [true, true, false, false])
    }

    @Test func `rates follow what an author may send`() {
        let usual = AdmissionRates()
        #expect(usual.messages == Rate(perSecond: 4, burst: 20))
        #expect(usual.relayed == Rate(perSecond: 200, burst: 400) && AdmissionRates.meshCost == 10)
        #expect(usual.newAuthors == Rate(perSecond: 5.0 / 60, burst: 5))
        #expect(AdmissionRates(messagesPerSecond: 20).messages == Rate(perSecond: 40, burst: 200))
        #expect(AdmissionRates(messagesPerSecond: 0.1).messages == Rate(perSecond: 0.2, burst: 1))
        #expect(AdmissionRates(messagesPerSecond: 0).newAuthors.isUnlimited)
    }
}
