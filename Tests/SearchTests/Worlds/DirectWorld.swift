import Noise
import Wire

@testable import Chat

/// A direct conversation of two users whose connection is cut and comes back (Protocol.md section 8): two routers, as in nodes.
///
/// Either user may write, accept, decline and leave at any moment. Messages that wait go at the end of the turn, receipts and automatic
/// answers at any moment after it. All times are one instant, so that no rate lets more through; their bursts suffice.
struct DirectWorld: World {
    /// A rule of the program that the search does without, so that a breach is to be found.
    enum Mutant: CaseIterable {
        /// The program accepts a request for its user.
        case requestIsConsent
        /// A request is acknowledged when it comes.
        case receiptBeforeConsent
        /// The router does not hear of a new connection.
        case nothingAgain
        /// A failure is reported when the connection is cut, though the message waits for the next one.
        case failsAtCut
    }

    struct Setting {
        /// The most that each side writes.
        var messages = [1, 1]
        var cuts = 1
        var leaves = 1
        var mutant: Mutant?
        /// Each state has routers of its own; else all are one, and only the last can go on.
        var copies = true
    }

    enum Step: Sendable, CustomStringConvertible {
        case write(Int)
        case accept(Int)
        case decline(Int)
        case leave(Int)
        /// A side sends the receipts and automatic answers that wait.
        case answer(Int)
        /// The next payload comes to a side.
        case deliver(Int)
        case cut
        case connect

        var description: String {
            switch self {
            case .write(let side): "\(DirectWorld.names[side]) writes"
            case .accept(let side): "\(DirectWorld.names[side]) accepts"
            case .decline(let side): "\(DirectWorld.names[side]) declines"
            case .leave(let side): "\(DirectWorld.names[side]) leaves"
            case .answer(let side): "\(DirectWorld.names[side]) sends answers"
            case .deliver(let side): "\(DirectWorld.names[side]) receives"
            case .cut: "the connection is cut"
            case .connect: "the connection is back"
            }
        }
    }

    fileprivate static let names = ["A", "B"]

    private let setting: Setting
    private var sides: [DirectSide]
    private var isUp = true
    private var cuts = 0
    private var leaves = 0
    /// The author and the number of each message.
    private var labels: [MessageID: UInt8] = [:]

    init(_ setting: Setting) {
        self.setting = setting
        sides = [DirectSide(0), DirectSide(1)]
        for side in sides { side.connect(to: other(side)) }
    }

    private func other(_ side: DirectSide) -> DirectSide { sides[1 - side.number] }

    var steps: [Step] {
        var steps: [Step] = []
        for side in sides {
            let (me, state) = (side.number, side.state(with: other(side)))
            if !side.inbox.isEmpty { steps.append(.deliver(me)) }
            if isUp, !side.router.peersOwedAnswers.isEmpty { steps.append(.answer(me)) }
            let mayAsk = isUp || state == .accepted || side.request(of: other(side)) != nil
            if side.written.count < setting.messages[me], state != .requestedByUs, mayAsk { steps.append(.write(me)) }
            if side.request(of: other(side)) != nil { steps += [.accept(me), .decline(me)] }
            if leaves < setting.leaves, state == .requestedByUs || state == .accepted { steps.append(.leave(me)) }
        }
        if isUp, cuts < setting.cuts { steps.append(.cut) }
        if !isUp { steps.append(.connect) }
        return steps
    }

    mutating func take(_ step: Step) throws(Breach) {
        // Other states go on from the routers as they are.
        if setting.copies { sides = sides.map { $0.copy() } }
        switch step {
        case .write(let me):
            sides[me].write(to: other(sides[me]))
            labels[sides[me].written.last?.id ?? .none] = UInt8(me * 16 + sides[me].written.count)
        case .accept(let me): sides[me].accept(other(sides[me]))
        case .decline(let me): sides[me].decline(other(sides[me]))
        case .leave(let me):
            leaves += 1
            sides[me].leave(other(sides[me]))
        case .answer(let me): sides[me].sendAnswers(to: other(sides[me]))
        case .deliver(let me): deliver(to: sides[me])
        case .cut: cut()
        case .connect:
            isUp = true
            for side in sides { side.connect(to: other(side), isHeard: setting.mutant != .nothingAgain) }
        }
        for side in sides { side.endTurn(with: other(side), isUp: isUp) }
        try check()
    }

    private func deliver(to side: DirectSide) {
        let payload = side.inbox.removeFirst()
        side.receive(payload, from: other(side))
        guard payload.type == .dmRequest else { return }
        if setting.mutant == .requestIsConsent { side.acceptWithoutUser(other(side)) }
        if setting.mutant == .receiptBeforeConsent { side.acknowledge(payload.id, to: other(side)) }
    }

    private mutating func cut() {
        (isUp, cuts) = (false, cuts + 1)
        for side in sides {
            side.inbox = []
            side.disconnect(from: other(side), isTaken: setting.mutant == .failsAtCut)
        }
    }

    private func check() throws(Breach) {
        for side in sides {
            if let breach = side.breach { throw breach }
            for own in side.written where own.status == .delivered {
                guard !other(side).hasTaken(own.id, of: side) else { continue }
                throw Breach("receipt", "\(name(own.id)) is acknowledged, and its receiver has not taken it")
            }
        }
    }

    private func name(_ id: MessageID) -> String {
        let label = labels[id] ?? 0
        return "message \(label & 15) of \(DirectWorld.names[Int(label >> 4)])"
    }

    var isQuiet: Bool { isUp && sides.allSatisfy { $0.inbox.isEmpty && $0.router.peersOwedAnswers.isEmpty } }

    func judge() throws(Breach) {
        for side in sides {
            for own in side.written where own.status == .sending && other(side).hasAgreed {
                throw Breach("settled", "\(name(own.id)) stays without an outcome")
            }
        }
    }

    func write(to digest: inout Digest) {
        digest.write(isUp)
        digest.write(cuts)
        digest.write(leaves)
        for side in sides { side.write(to: &digest, with: other(side), labels) }
    }
}

extension MessageID {
    /// All zeros: the id of no message.
    fileprivate static var none: MessageID {
        guard let id = MessageID([UInt8](repeating: 0, count: MessageID.byteCount)) else {
            preconditionFailure("an id has \(MessageID.byteCount) bytes")
        }
        return id
    }
}
