import Chat
import Wire

@testable import ChatNode

extension FuzzTarget {
    /// The frames 10 to 15 that are read are written again as they were.
    static let overlayFrames = FuzzTarget(name: "overlayFrames", seeds: OverlayFrames.seeds) { input in
        guard let first = input.first else { return }
        let body = Array(input.dropFirst())
        switch FrameType(rawValue: first) {
        case .tree:
            if let frame = TreeFrame(body.span) { OverlayFrames.checkTree(frame) }
        case .latest:
            if let frame = LatestFrame(body.span) { demand(frame.bytes == input, "a latest is written otherwise") }
        case .news:
            if let frame = NewsFrame(body.span) { demand(frame.bytes == input, "news are written otherwise") }
        case .contacts:
            if let frame = ContactsFrame(body.span, scope: 7) { OverlayFrames.checkContacts(frame) }
        case .roster:
            if let frame = RosterFrame(body.span) { demand(frame.bytes == input, "a roster is written otherwise") }
        case .clock:
            if let frame = ClockFrame(body.span) { demand(frame.bytes == input, "a clock is written otherwise") }
        default: return
        }
    }

    /// The overlay of a node: tables keep their bounds, no deadline stays due, and nothing is sent to a neighbour that is gone.
    static let overlay = FuzzTarget(name: "overlay", seeds: OverlayRun.seeds) { input in
        var choices = Choices(input)
        var run = OverlayRun()
        while !choices.isOver { run.step(&choices) }
        run.checkTables()
    }
}

private enum OverlayFrames {
    static func seeds() -> [[UInt8]] {
        let key = PeerID([UInt8](repeating: 9, count: PeerID.byteCount))
        let contacts = key.map { key in
            [[127, 0, 0, 1], [UInt8](repeating: 1, count: 16)].map {
                ContactsFrame.NodeContact(peer: key, endpoint: Endpoint(address: $0, port: 7))
            }
        }
        let trees: [TreeFrame] = [
            .hello(Hello(isOverlay: true)), .graft(3, ids: [1, 2]), .prune(1), .wide(7, 128), .busy(.full),
            .lacking([1, 2]), .loopCheck(LoopCheck(id: 8, mask: 3, linksLeft: 24)),
            .distances(TreeDistances(repeating: 3)),
        ]
        return trees.map(\.bytes) + [
            LatestFrame(wantsAnswer: true, ids: [1, 2, 3]).bytes, NewsFrame(ids: [1]).bytes,
            ContactsFrame(contacts: contacts ?? []).bytes,
            RosterFrame(count: 2, digests: [UInt32](repeating: 5, count: 16)).bytes,
            ClockFrame(wantsAnswer: true, time: Timestamp(milliseconds: 1_790_000_000_000)).bytes,
        ]
    }

    /// Flags and reasons that are not defined are not written again.
    static func checkTree(_ frame: TreeFrame) {
        let body = Array(frame.bytes.dropFirst())
        demand(TreeFrame(body.span) == frame, "an arrangement of trees is written otherwise")
    }

    /// An IPv4 address that is mapped into IPv6 is written as IPv4.
    static func checkContacts(_ frame: ContactsFrame) {
        demand(frame.contacts.count <= Limits.contactsTold, "more contacts than may be")
        let body = Array(frame.bytes.dropFirst())
        demand(ContactsFrame(body.span, scope: 7) == frame, "contacts are written otherwise")
    }
}
