import Noise
import Wire

@testable import Chat
@testable import ChatNode

/// Two runs of one identity and a peer that both connect to (Protocol.md section 9): real certificates, the value that decides which run
/// goes on (`LoginGuard`), and the peer's table of the best certificates (`KnownCertificates`).
///
/// The acts of `OwnSession`, `Intake` and `Links` that follow from the answers of these values are written here again: links, frames 2 and 8,
/// and goodbyes.
struct PlaceWorld: World {
    /// A rule that the search does without, so that a breach is to be found.
    enum Mutant: CaseIterable {
        /// A run that meets a better certificate goes on as it is.
        case noVerdict
        /// A run past its first 15 s believes that it is in them.
        case alwaysYoung
        /// The links of an earlier run stay open.
        case earlierLinkStays
        /// A worse certificate in a handshake has no answer.
        case worseHandshakeStays
        /// A run that has issued again tells no neighbour.
        case reissueIsSecret
    }

    struct Setting {
        /// The epoch of each run at its start.
        var epochs: [UInt64]
        /// The run whose noise key is the larger one.
        var larger: Int
        /// The two can connect to each other.
        var canMeet: Bool
        var mutant: Mutant?

        /// Each order of the epochs and of the keys, with and without a connection of the two.
        static func all(_ mutant: Mutant? = nil) -> [Setting] {
            [[1, 1], [1, 2], [2, 1]].flatMap { epochs in
                [0, 1].flatMap { larger in
                    [false, true].map { Setting(epochs: epochs, larger: larger, canMeet: $0, mutant: mutant) }
                }
            }
        }
    }

    enum Step: Sendable, CustomStringConvertible {
        case start(Int)
        case connect(Int)
        case meet
        case peerReceives(from: Int)
        case runReceives(Int)
        case runHears(Int)
        /// 15 s since the start of a run have passed.
        case age(Int)

        var description: String {
            switch self {
            case .start(let run): "run \(run) starts"
            case .connect(let run): "run \(run) connects to the peer"
            case .meet: "the runs connect to each other"
            case .peerReceives(let run): "the peer receives from run \(run)"
            case .runReceives(let run): "run \(run) receives from the peer"
            case .runHears(let run): "run \(run) receives from the other run"
            case .age(let run): "run \(run) is past its 15 s"
            }
        }
    }

    /// A message that is under way.
    enum Item: Hashable, Sendable {
        /// A handshake is complete, with this certificate.
        case hello(Certificate)
        case certificate(Certificate)
        case superseded(Certificate)
        case goodbye

        var certificate: Certificate? {
            switch self {
            case .hello(let certificate), .certificate(let certificate), .superseded(let certificate): certificate
            case .goodbye: nil
            }
        }
    }

    private struct Run {
        var certificate: Certificate
        var login = LoginGuard()
        var reissues = 0
        var hasStarted = false
        var isYoung = true
        var isOut = false
        var isLinked = false
        /// From the peer, and from the other run.
        var fromPeer: [Item] = []
        var fromRun: [Item] = []
        var toPeer: [Item] = []
    }

    private static let cast = PlaceCast()
    private static let now = Instant(nanoseconds: 0)

    private let setting: Setting
    private var runs: [Run]
    private var known = KnownCertificates()
    /// The certificate of each run's link at the peer; nil without a link.
    private var links: [Certificate?] = [nil, nil]
    private var hasMet: Bool
    /// When the second run started the first was past its 15 s.
    private var isFirstOld = false

    init(_ setting: Setting) {
        self.setting = setting
        hasMet = !setting.canMeet
        runs = [0, 1].map { run in
            Run(certificate: PlaceWorld.cast.certificate(run, setting.larger, epoch: setting.epochs[run], serial: 0))
        }
    }

    var steps: [Step] {
        var steps: [Step] = []
        for run in runs.indices {
            let own = runs[run]
            if !own.hasStarted { steps.append(.start(run)) }
            let isFree = own.toPeer.isEmpty && own.fromPeer.isEmpty && links[run] == nil
            if own.hasStarted, !own.isOut, !own.isLinked, isFree { steps.append(.connect(run)) }
            if !own.toPeer.isEmpty { steps.append(.peerReceives(from: run)) }
            if !own.fromPeer.isEmpty { steps.append(.runReceives(run)) }
            if !own.fromRun.isEmpty { steps.append(.runHears(run)) }
            if own.hasStarted, own.isYoung { steps.append(.age(run)) }
        }
        if !hasMet, runs.allSatisfy({ $0.hasStarted && !$0.isOut }) { steps.append(.meet) }
        return steps
    }

    mutating func take(_ step: Step) throws(Breach) {
        switch step {
        case .start(let run):
            runs[run].hasStarted = true
            if run == 1 { isFirstOld = runs[0].hasStarted && !runs[0].isYoung }
        case .connect(let run):
            runs[run].isLinked = true
            runs[run].toPeer.append(.hello(runs[run].certificate))
        case .meet:
            hasMet = true
            for run in runs.indices { runs[run].fromRun.append(.hello(runs[1 - run].certificate)) }
        case .peerReceives(let run): peerReceives(runs[run].toPeer.removeFirst(), from: run)
        case .runReceives(let run):
            let item = runs[run].fromPeer.removeFirst()
            if item == .goodbye { runs[run].isLinked = false }
            if let certificate = item.certificate { try hear(certificate, run, isMeeting: false) }
        case .runHears(let run):
            let item = runs[run].fromRun.removeFirst()
            guard let certificate = item.certificate else { return }
            if case .hello = item {
                try hear(certificate, run, isMeeting: true)
            } else {
                try hear(certificate, run, isMeeting: false)
            }
        case .age(let run): runs[run].isYoung = false
        }
    }

    /// As `OwnSession.receive` and `OwnSession.meet`.
    private mutating func hear(_ theirs: Certificate, _ run: Int, isMeeting: Bool) throws(Breach) {
        guard !runs[run].isOut, setting.mutant != .noVerdict else { return }
        let isYoung = runs[run].isYoung || setting.mutant == .alwaysYoung
        let age: Duration = isYoung ? .zero : Limits.reissueTime
        switch runs[run].login.meet(theirs, ours: runs[run].certificate, sinceStart: age) {
        case .stay: if isMeeting { runs[1 - run].fromRun.append(.superseded(runs[run].certificate)) }
        case .reissue(let epoch):
            runs[run].reissues += 1
            runs[run].certificate = PlaceWorld.cast.certificate(
                run, setting.larger, epoch: epoch, serial: runs[run].reissues)
            if runs[run].isLinked, setting.mutant != .reissueIsSecret {
                runs[run].toPeer.append(.certificate(runs[run].certificate))
            }
            if isMeeting { runs[1 - run].fromRun.append(.superseded(runs[run].certificate)) }
        case .signOut: try signOut(run, because: theirs)
        }
    }

    private mutating func signOut(_ run: Int, because theirs: Certificate) throws(Breach) {
        guard !runs[1 - run].isOut else { throw Breach("one", "both runs sign out") }
        if run == 1, isFirstOld, runs[1].isYoung {
            throw Breach("last", "a run in its first 15 s signs out for one that is past its own")
        }
        runs[run].isOut = true
        guard runs[run].isLinked else { return }
        runs[run].isLinked = false
        runs[run].toPeer += [.certificate(theirs), .goodbye]
    }

    /// As `Links.established`, `Intake.receiveCertificate` and `Intake.learn`.
    private mutating func peerReceives(_ item: Item, from run: Int) {
        switch item {
        case .hello(let certificate):
            let news = known.news(of: certificate, now: PlaceWorld.now)
            if case .worse(let best) = news, setting.mutant != .worseHandshakeStays {
                runs[run].fromPeer += [.superseded(best), .goodbye]
                return
            }
            known.keep(certificate, now: PlaceWorld.now)
            links[run] = certificate
            if news == .better { supersede(by: certificate) }
        case .certificate(let certificate):
            guard let current = links[run] else { return }
            guard certificate.isOfSameRun(as: current) else { return learn(certificate, from: run) }
            guard certificate.isBetter(than: current) || certificate.isRenewal(of: current) else { return }
            links[run] = certificate
            known.keep(certificate, now: PlaceWorld.now)
        case .goodbye: links[run] = nil
        case .superseded: break
        }
    }

    private mutating func learn(_ certificate: Certificate, from run: Int) {
        switch known.news(of: certificate, now: PlaceWorld.now) {
        case .worse(let best): return runs[run].fromPeer.append(.certificate(best))
        case .better: supersede(by: certificate)
        case .nothing, .first, .renewal: break
        }
        known.keep(certificate, now: PlaceWorld.now)
    }

    /// Links of other runs end with the better certificate.
    private mutating func supersede(by certificate: Certificate) {
        guard setting.mutant != .earlierLinkStays else { return }
        for run in runs.indices where links[run].map({ !$0.isOfSameRun(as: certificate) }) ?? false {
            links[run] = nil
            runs[run].fromPeer += [.superseded(certificate), .goodbye]
        }
    }

    /// Nothing is under way, both runs have started, and what is left is that they grow older.
    var isQuiet: Bool {
        steps.allSatisfy { if case .age = $0 { true } else { false } } && runs.allSatisfy(\.hasStarted)
    }

    func judge() throws(Breach) {
        guard let on = runs.indices.first(where: { !runs[$0].isOut }), runs[1 - on].isOut else {
            throw Breach("one", "both runs go on")
        }
        guard known.best(of: runs[on].certificate.identity, now: PlaceWorld.now) == runs[on].certificate else {
            throw Breach("known", "the peer knows another certificate than that of the run that goes on")
        }
        guard links[on] != nil, runs[on].isLinked, links[1 - on] == nil else {
            throw Breach("known", "the peer has no link with the run that goes on, or one with the other")
        }
    }

    func write(to digest: inout Digest) {
        digest.write(setting.larger)
        digest.write(hasMet)
        digest.write(isFirstOld)
        write(known.best(of: runs[0].certificate.identity, now: PlaceWorld.now), to: &digest)
        for run in runs.indices {
            let own = runs[run]
            write(own.certificate, to: &digest)
            write(links[run], to: &digest)
            digest.write(own.reissues)
            for flag in [own.hasStarted, own.isYoung, own.isOut, own.isLinked] { digest.write(flag) }
            for queue in [own.fromPeer, own.fromRun, own.toPeer] { write(queue, to: &digest) }
        }
    }

    private func write(_ queue: [Item], to digest: inout Digest) {
        digest.write(queue.count)
        for item in queue {
            switch item {
            case .hello: digest.write(1 as UInt8)
            case .certificate: digest.write(2 as UInt8)
            case .superseded: digest.write(3 as UInt8)
            case .goodbye: digest.write(4 as UInt8)
            }
            write(item.certificate, to: &digest)
        }
    }

    private func write(_ certificate: Certificate?, to digest: inout Digest) {
        guard let certificate else { return digest.write(0 as UInt8) }
        digest.write(certificate.isOfSameRun(as: runs[0].certificate) ? 1 : 2 as UInt8)
        digest.write(certificate.epoch)
        digest.write(certificate.serial)
    }
}

/// Certificates of two runs of one identity, issued once for all states.
private struct PlaceCast: Sendable {
    private struct Name: Hashable {
        let key: Int
        let epoch: UInt64
        let serial: UInt64
    }

    private let certificates: [Name: Certificate]

    init() {
        var randomness = Randomness.seeded(21)
        let identity = Identity.generate(using: &randomness)
        // In the order of their noise keys.
        let pairs = [0, 1].map { _ in KeyPair.generate(using: &randomness, protection: .transient).publicKey }
            .map { (key: $0, dm: KeyPair.generate(using: &randomness, protection: .transient).publicKey) }
            .sorted { $0.key < $1.key }
        var certificates: [Name: Certificate] = [:]
        for key in 0...1 {
            for epoch in 1...12 as ClosedRange<UInt64> {
                for serial in 0...UInt64(Limits.reissues) {
                    certificates[Name(key: key, epoch: epoch, serial: serial)] = Certificate.issue(
                        by: identity, noise: pairs[key].key, dm: pairs[key].dm, epoch: epoch, serial: serial)
                }
            }
        }
        self.certificates = certificates
    }

    func certificate(_ run: Int, _ larger: Int, epoch: UInt64, serial: Int) -> Certificate {
        let name = Name(key: run == larger ? 1 : 0, epoch: epoch, serial: UInt64(serial))
        guard let certificate = certificates[name] else { preconditionFailure("no certificate of epoch \(epoch)") }
        return certificate
    }
}
