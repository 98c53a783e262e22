import Noise
import Wire

@testable import ChatNode
@testable import Discovery

extension FuzzTarget {
    /// For all results of mDNS, the number of resolvers is bounded and the reported candidates are consistent.
    static let instances = FuzzTarget(name: "instances", seeds: InstanceRun.seeds) { input in
        var choices = Choices(input)
        var run = InstanceRun()
        while !choices.isOver {
            run.step(&choices)
            run.check()
        }
        run.close()
    }
}

private struct InstanceRun {
    private var table = InstanceTable()
    private var now = Instant(nanoseconds: 0)
    /// The listings that the table asked to resolve and that have no result yet.
    private var resolving: Set<Listing> = []
    /// The instances that the table reported as found and not as lost.
    private var told: Set<String> = []

    static func seeds() -> [[UInt8]] {
        [
            [0, 0, 0, 0, 3, 0, 0, 0, 1, 9, 1, 0, 0, 0, 6, 200],
            [0, 0, 0, 0, 0, 1, 1, 0, 4, 0, 0, 0, 6, 3, 6, 255, 5, 0, 6, 255, 6, 255, 7, 0, 1, 1, 1],
            [8, 0, 10, 0, 10, 1, 0, 0, 0, 0, 0, 1, 0, 0, 9, 7, 2, 0, 0, 11, 0, 6, 200],
            [8, 60, 0, 6, 4, 8, 200, 1, 6, 255, 5, 1, 6, 255],
        ]
    }

    mutating func step(_ choices: inout Choices) {
        switch choices.below(15) {
        case 0: take(table.listed(listing(&choices), now: now))
        case 1: take(table.unlisted(listing(&choices), now: now))
        case 2, 3: answer(listing(&choices), endpoint(&choices))
        case 4: answer(listing(&choices), nil)
        case 5: end(choices.pick(RecordSource.allCases))
        case 6: pass(.milliseconds(choices.below(256) * 300))
        case 7:
            if choices.flag() { table.addOwn(InstanceRun.name(choices.below(40))) }
            take(table.networkChanged(now: now))
        case 9:
            let endpoint = Endpoint(address: [192, 0, 2, choices.byte()], port: 4_000)
            take(table.heard(listing(&choices), endpoint, weight: [0, 1, 8, 128][choices.below(4)], now: now))
        case 10: table.linkOpened(to: choices.pick(InstanceRun.runs).run, now: now)
        case 12: take(table.crowdChanged(isCrowd: choices.flag(), now: now))
        case 13: table.withdrawn(InstanceRun.name(choices.below(6)), by: [192, 0, 2, choices.byte()], now: now)
        case 14: take(table.networkLeft(now: now))
        case 11: take(table.linkClosed(to: choices.pick(InstanceRun.runs).run, now: now))
        default:
            let first = choices.below(256) * 16
            for number in first..<first + 1 + choices.below(256) * 4 {
                take(
                    table.listed(
                        Listing(
                            source: .embedded, instance: InstanceRun.name(number), interface: 1, family: .ipv4),
                        now: now))
            }
        }
    }

    mutating func close() {
        table.close()
        demand(!table.isWaiting, "what is closed waits for a resolver")
    }

    func check() {
        demand(table.instanceCount <= table.memory.maximumInstances, "\(table.instanceCount) instances")
        demand(resolving.count <= ResolverWindow.most, "\(resolving.count) resolvers")
        demand(told.count <= table.instanceCount, "a reported instance is not listed")
    }

    private func listing(_ choices: inout Choices) -> Listing {
        Listing(
            source: choices.pick(RecordSource.allCases), instance: InstanceRun.name(choices.below(6)),
            interface: UInt32(1 + choices.below(20)), family: choices.flag() ? .ipv4 : .ipv6)
    }

    private func endpoint(_ choices: inout Choices) -> Endpoint? {
        choices.below(4) == 0 ? nil : Endpoint(address: [192, 0, 2, choices.byte()], port: 4_000)
    }

    private mutating func answer(_ listing: Listing, _ endpoint: Endpoint?) {
        guard resolving.remove(listing) != nil else {
            demand(table.resolved(listing, endpoint, now: now).isEmpty, "an answer without a query is used")
            return
        }
        take(table.resolved(listing, endpoint, now: now))
    }

    private mutating func end(_ source: RecordSource) {
        resolving = resolving.filter { $0.source != source }
        take(table.sourceEnded(source, now: now))
    }

    private mutating func pass(_ time: Duration) {
        now = now + time
        // A listing that fails now may be resolved again at once.
        for _ in 0..<3 { take(table.due(now: now)) }
        if let next = table.nextDue { demand(next > now, "a deadline stays in the past") }
    }

    private mutating func take(_ actions: [ListingAction]) {
        for action in actions {
            switch action {
            case .resolve(let listing, _):
                demand(resolving.insert(listing).inserted, "a listing is resolved twice at once")
            case .cancel(let listing):
                demand(resolving.remove(listing) != nil, "a resolver is cancelled that was not open")
            case .tell(.found(let instance, _, _)), .tell(.moved(let instance, _)): told.insert(instance)
            case .tell(.lost(let instance)):
                demand(told.remove(instance) != nil, "an instance is lost that was not found")
            case .tell(.mode), .tell(.networkChanged), .tell(.namesOutdated), .tell(.warning), .tell(.failed):
                fatalError("the table reports events of the network")
            }
        }
    }

    /// Runs that may have a link, each with an instance name of its own.
    private static let runs: [(run: LinkedRun, name: String)] = {
        var randomness = Randomness.seeded(1)
        return (0..<3).map { _ in
            let key = KeyPair.generate(using: &randomness).publicKey
            return (LinkedRun(key), InstanceName(of: key, using: &randomness).text)
        }
    }()

    private static func name(_ number: Int) -> String {
        if number < runs.count { return runs[number].name }
        let digits = String(number)
        return digits.map { String(UnicodeScalar(UInt8(97 + Int($0.wholeNumberValue ?? 0)))) }.joined()
            + String(repeating: "z", count: RandomNames.length - digits.count)
    }
}
