import ChatNode
import Noise
import Testing
import Wire

@Suite struct SamplersTests {
    private var randomness = Randomness.seeded(11)
    private let start = Instant(nanoseconds: 0)

    private func address(_ number: Int, port: UInt16 = 4_000) -> Endpoint {
        Endpoint(address: [10, 0, UInt8(number >> 8), UInt8(number & 255)], port: port)
    }

    private func addressSix(_ number: Int) -> Endpoint {
        let digits = [UInt8(number >> 8), UInt8(number & 255)]
        return Endpoint(address: [0xfe, 0x80] + [UInt8](repeating: 0, count: 12) + digits, port: 4_000, scope: 2)
    }

    /// Samplers that know `count` nodes, each at an address of its own.
    private mutating func samplers(_ count: Int) -> Samplers {
        var samplers = Samplers(using: &randomness)
        for number in 0..<count { samplers.add("node-\(number)", at: address(number), .proven, now: start) }
        return samplers
    }

    /// The share of draws, of 200 nodes with private salts each, that fall on `isOurs`.
    private mutating func share(
        _ fill: (inout Samplers) -> Void, of isOurs: (String) -> Bool
    ) -> Double {
        var (ours, all) = (0, 0)
        for _ in 0..<200 {
            var samplers = Samplers(using: &randomness)
            fill(&samplers)
            let drawn = samplers.drawn()
            ours += drawn.count(where: isOurs)
            all += drawn.count
        }
        return Double(ours) / Double(all)
    }

    @Test mutating func `two nodes draw different candidates, and one seed the same`() {
        let (one, other) = (samplers(200), samplers(200))
        #expect(one.drawn().count > 24 && Set(one.drawn()) != Set(other.drawn()))
        randomness = .seeded(11)
        #expect(samplers(200).drawn() == one.drawn())
    }

    @Test mutating func `the order of arrival does not matter`() {
        var generator = Randomness.seeded(3)
        var (forward, backward) = (Samplers(using: &generator), Samplers(using: &randomness))
        generator = .seeded(3)
        backward = Samplers(using: &generator)
        for number in 0..<100 { forward.add("node-\(number)", at: address(number), .proven, now: start) }
        for number in (0..<100).reversed() { backward.add("node-\(number)", at: address(number), .proven, now: start) }
        #expect(forward.drawn() == backward.drawn())
    }

    @Test mutating func `many names at one address are drawn as often as one`() {
        let start = start
        let address = address
        let share = share(
            { samplers in
                for number in 0..<99 { samplers.add("node-\(number)", at: address(number, 4_000), .proven, now: start) }
                for number in 0..<1_000 {
                    samplers.add("fake-\(number)", at: address(99, UInt16(5_000 + number)), .proven, now: start)
                }
            }, of: { $0.hasPrefix("fake") })
        // One of a hundred sources.
        #expect(share > 0.002 && share < 0.03, "\(share)")
        var crowd = samplers(99)
        for number in 0..<1_000 { crowd.add("fake-\(number)", at: address(99, 4_000), .proven, now: start) }
        #expect(crowd.sourceCount == 100)
    }

    @Test mutating func `announcing again and again gains nothing`() {
        var once = samplers(100)
        let before = once.drawn()
        for _ in 0..<100 { once.add("node-7", at: address(7), .proven, now: start) }
        #expect(once.drawn() == before && once.count == 100)
    }

    @Test mutating func `addresses that were ground for one node's salts are drawn by others no more often`() {
        // The addresses that win most slots of a node whose salts have leaked.
        var victim = Samplers(using: &randomness)
        for number in 0..<3_000 { victim.add("node-\(number)", at: address(number), .proven, now: start) }
        let ground = Set(victim.drawn())
        let start = start
        let address = address
        let share = share(
            { samplers in
                for number in 0..<1_000 {
                    samplers.add("node-\(number)", at: address(number, 4_000), .proven, now: start)
                }
                for name in ground {
                    let number = Int(name.dropFirst(5)) ?? 0
                    samplers.add("node-\(number)", at: address(number, 4_000), .proven, now: start)
                }
            }, of: { ground.contains($0) })
        #expect(share < 0.05, "\(share) of the draws fell on \(ground.count) of 1,000 candidates")
    }

    @Test mutating func `a fifth of the sources gets a fifth of the draws`() {
        let start = start
        let address = address
        let share = share(
            { samplers in
                for number in 0..<500 {
                    samplers.add("node-\(number)", at: address(number, 4_000), .proven, now: start)
                }
            }, of: { (Int($0.dropFirst(5)) ?? 0) < 100 })
        #expect(share > 0.17 && share < 0.23, "\(share)")
    }

    @Test mutating func `a node that answers every newcomer is drawn hardly oftener for it`() {
        let start = start
        let address = address
        // Of 800 honest nodes a newcomer hears an eighth, which stand for eight each, and all of 200 attackers.
        func fill(_ samplers: inout Samplers, _ weight: Int) {
            for number in 0..<100 {
                samplers.add("node-\(number)", at: address(number, 4_000), .proven, weight: weight, now: start)
            }
            for number in 100..<300 {
                let weight = number < 125 ? weight : 1
                samplers.add("eager-\(number)", at: address(number, 4_000), .proven, weight: weight, now: start)
            }
        }
        let weighed = share({ fill(&$0, 8) }, of: { $0.hasPrefix("eager") })
        let plain = share({ fill(&$0, 1) }, of: { $0.hasPrefix("eager") })
        // (25 * 8 + 175) of 1,175, and 200 of 300.
        #expect(weighed > 0.27 && weighed < 0.37 && plain > 0.6, "\(weighed), \(plain)")
    }

    @Test mutating func `a weight belongs to the address that answered, counts once, and ends after 20 min`() {
        var samplers = samplers(10)
        #expect(samplers.roomSize == 10)
        samplers.add("node-0", at: address(0), .proven, weight: 128, now: start)
        samplers.add("node-0", at: address(0), .proven, weight: 8, now: start)
        samplers.add("node-0", at: address(0), .proven, weight: 1, now: start)
        samplers.add("node-0", at: addressSix(0), .proven, weight: 8, now: start)
        #expect(samplers.roomSize == 17)
        for number in 0..<50 {
            let endpoint = address(99, port: UInt16(5_000 + number))
            samplers.add("name-\(number)", at: endpoint, .proven, weight: 8, now: start)
        }
        #expect(samplers.roomSize == 25 && samplers.sourceCount == 11)
        samplers.move("node-0", to: [address(1)], now: start)
        #expect(samplers.roomSize == 17 && samplers.sourceCount == 10)
        #expect(samplers.nextDeadline == start + .seconds(1_200))
        samplers.wake(now: start + .seconds(1_200))
        #expect(samplers.roomSize == 10 && samplers.nextDeadline == nil)
        for number in 0..<50 { samplers.remove("name-\(number)") }
        for number in 0..<10 { samplers.remove("node-\(number)") }
        #expect(samplers.roomSize == 0 && samplers.sourceCount == 0)
    }

    @Test mutating func `weights end 20 min after the last answer, whichever candidates rest meanwhile`() {
        var samplers = samplers(10)
        samplers.add("node-0", at: address(0), .proven, weight: 8, now: start)
        samplers.fail("node-0", now: start, using: &randomness)
        samplers.add("node-0", at: address(0), .proven, weight: 1, now: start + .seconds(600))
        samplers.recordOwnAddress(address(0).address, now: start + .seconds(900))
        #expect(samplers.roomSize == 17)
        samplers.wake(now: start + .seconds(1_200))
        #expect(samplers.roomSize == 10)
    }

    @Test mutating func `only what is proven is drawn, and the rest is kept aside`() {
        var samplers = samplers(40)
        for number in 100..<140 { samplers.add("hint-\(number)", at: address(number), .announced, now: start) }
        for number in 200..<240 { samplers.add("told-\(number)", at: address(number), .told, now: start) }
        #expect(samplers.drawn().allSatisfy { $0.hasPrefix("node") })
        #expect(samplers.unproven(.announced).count == 40 && samplers.unproven(.told).count == 40)
        for number in 100..<140 { samplers.add("hint-\(number)", at: address(number), .proven, now: start) }
        #expect(samplers.drawn().contains { $0.hasPrefix("hint") } && samplers.unproven(.announced).isEmpty)
    }

    @Test mutating func `a node with two addresses is one source, by IPv4 where that is as well proven`() {
        var samplers = Samplers(using: &randomness)
        for number in 0..<20 {
            samplers.add("node-\(number)", at: addressSix(number), .proven, now: start)
            samplers.add("node-\(number)", at: address(number), .proven, now: start)
        }
        #expect(samplers.sourceCount == 20)
        // All names claim one IPv4 address without a proof: each keeps its proven one.
        for number in 0..<20 { samplers.add("node-\(number)", at: address(999), .announced, now: start) }
        #expect(samplers.sourceCount == 20)
        for number in 0..<20 { samplers.move("node-\(number)", to: [address(999)], now: start) }
        #expect(samplers.sourceCount == 1)
    }

    @Test mutating func `nodes of this machine are a source each, others of one address one`() {
        var samplers = Samplers(using: &randomness)
        for number in 0..<50 {
            let port = UInt16(5_000 + number)
            samplers.add("here-\(number)", at: Endpoint(address: [127, 0, 0, 1], port: port), .proven, now: start)
            samplers.add("lan-\(number)", at: address(1, port: port), .proven, now: start)
            samplers.add("there-\(number)", at: address(2, port: port), .proven, now: start)
        }
        #expect(samplers.sourceCount == 52)
        samplers.recordOwnAddress(address(1).address, now: start)
        #expect(samplers.sourceCount == 101 && samplers.count == 150)
        #expect(samplers.drawn().contains { $0.hasPrefix("lan") })
    }

    @Test mutating func `contacts do not count for the size of a room`() {
        var samplers = Samplers(using: &randomness)
        for number in 0..<50 {
            let tail = [UInt8](repeating: 0, count: 7) + [UInt8(number)]
            let endpoint = Endpoint(address: [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 1] + tail, port: 4_000)
            samplers.add("told-\(number)", at: endpoint, .told, now: start)
        }
        #expect(samplers.sourceCount == 0 && samplers.unproven(.told).count == 50)
    }

    @Test mutating func `a candidate that leaves is replaced from all others`() {
        var samplers = samplers(64)
        for number in 0..<63 {
            samplers.remove("node-\(number)")
            #expect(!samplers.drawn().contains("node-\(number)"))
        }
        #expect(samplers.drawn() == ["node-63"] && samplers.sourceCount == 1)
        samplers.remove("node-63")
        #expect(samplers.drawn().isEmpty && samplers.sourceCount == 0)
    }

    @Test mutating func `a dead candidate rests for 2 s, then twice as long each time, at most 10 min`() {
        var samplers = samplers(1)
        var now = start
        var rests: [Duration] = []
        for _ in 0..<12 {
            samplers.fail("node-0", now: now, using: &randomness)
            #expect(samplers.drawn().isEmpty && !samplers.isRested("node-0"))
            guard let due = samplers.nextDeadline else { break }
            rests.append(due - now)
            now = due
            samplers.wake(now: now)
            #expect(samplers.drawn() == ["node-0"] && samplers.isRested("node-0"))
        }
        #expect(rests.prefix(4) == [.seconds(2), .seconds(4), .seconds(8), .seconds(16)])
        #expect(rests.count == 12 && rests.last == .seconds(600))
        samplers.succeed("node-0")
        samplers.fail("node-0", now: now, using: &randomness)
        #expect(samplers.nextDeadline == now + .seconds(2))
    }

    @Test mutating func `a candidate that is seen anew ends its rest, but not where its source is avoided`() {
        var samplers = samplers(1)
        for _ in 0..<5 { samplers.fail("node-0", now: start, using: &randomness) }
        samplers.add("node-0", at: address(0), .proven, now: start)
        #expect(samplers.isRested("node-0"))

        samplers.avoid(address(0, port: 9), nil, now: start, using: &randomness)
        samplers.add("node-0", at: address(0), .proven, now: start)
        samplers.add("renamed", at: address(0), .proven, now: start)
        #expect(samplers.drawn().isEmpty && samplers.avoids(address(0), now: start + .seconds(599)))
        samplers.wake(now: start + .seconds(600))
        #expect(!samplers.drawn().isEmpty && !samplers.avoids(address(0), now: start + .seconds(600)))
    }

    @Test mutating func `one without room keeps its slots`() {
        var samplers = samplers(40)
        let before = samplers.drawn()
        samplers.pause(before[0], until: start + .seconds(60))
        #expect(samplers.drawn() == before && !samplers.isRested(before[0]))
    }

    @Test mutating func `a redraw changes one slot of a link and no spare`() {
        var samplers = samplers(1_000)
        let before = (samplers.drawn(from: 6), samplers.drawn())
        samplers.redrawOne(using: &randomness)
        let after = (samplers.drawn(from: 6), samplers.drawn())
        #expect(Set(before.0).symmetricDifference(after.0).count == 2)
        #expect(Set(before.1).symmetricDifference(after.1).count <= 2)
    }

    @Test mutating func `tables are bounded however many are announced`() {
        var samplers = Samplers(using: &randomness)
        for number in 0..<Limits.knownPeers + 500 {
            samplers.add("node-\(number)", at: address(number & 0xffff), .proven, now: start)
        }
        #expect(samplers.count == Limits.knownPeers && samplers.sourceCount <= Limits.knownPeers)
        for number in 0..<500 {
            samplers.recordOwnAddress([10, 1, UInt8(number >> 8), UInt8(number & 255)], now: start)
        }
    }
}
