import ChatNode
import Reactor

/// Where multicast is heard: one interface, one family.
struct MulticastPlace: Hashable, Sendable {
    let interface: UInt32
    let family: Family
}

/// Makes observations of the packets that the probes of an examination hear. Packets are hostile input.
struct ExaminationTally {
    /// More is not told apart from this many.
    static let maximumOthers = 64
    static let maximumPeers = 4_096

    /// A node that answered, by its instance name.
    struct HeardNode {
        var isOfRoom = false
        /// Whether this machine answered for it.
        var isOwn = false
        /// Whether a packet had an address that this machine can dial; nil before one with all that a dial needs.
        var isReachable: Bool?
    }

    /// The multicast query: for the nodes of the room and of `others`, and, so that any mDNS shows itself, for the service
    /// types.
    let question: [UInt8]
    /// The payload of the probe to the other port; random.
    let token: [UInt8]
    private let room: [String]
    private let name: BrowsedName
    private let view: NetworkView
    private let own: [String]
    private let ownAddresses: Set<[UInt8]>
    private let reverseNames: Set<[String]>
    private(set) var families: [MulticastPlace: FamilyObservation]
    private(set) var nodes: [String: HeardNode] = [:]

    /// - Parameters:
    ///   - room: the subtype of the room.
    ///   - others: subtypes of rooms that people use often: an answer for one of them shows that nodes can be heard.
    ///   - own: the subtype that the responder of this machine is given a record of.
    ///   - view: the addresses of this machine.
    init(
        room: String, others: [String] = [], own: String, token: [UInt8], places: [MulticastPlace],
        addresses: [[UInt8]], view: NetworkView = NetworkView()
    ) {
        self.room = MDNSName.subtype(room).labels
        (name, self.view) = (BrowsedName(subtype: room), view)
        self.own = MDNSName.subtype(own).labels
        self.token = token
        let rooms = [room] + others.filter { $0 != room }
        question = MDNSMessage.query(
            for: rooms.map(MDNSName.subtype) + [MDNSName(["_services", "_dns-sd", "_udp"])])
        ownAddresses = Set(addresses)
        reverseNames = Set(addresses.map { MDNSName(reverseOf: $0).labels })
        families = Dictionary(
            places.map { ($0, FamilyObservation(family: $0.family)) }, uniquingKeysWith: { first, _ in first })
    }

    /// A socket could not be had, or a packet not be sent.
    mutating func failed(_ socket: MulticastSocket.Use, at place: MulticastPlace, _ error: SystemError) {
        switch socket {
        case .mdns where families[place]?.mdns == .dropped: families[place]?.mdns = .refused(error)
        case .otherPort where families[place]?.otherPort == .dropped: families[place]?.otherPort = .refused(error)
        case .mdns, .otherPort, .asker: break
        }
    }

    mutating func heard(
        _ bytes: [UInt8], from sender: [UInt8], by socket: MulticastSocket.Use, at place: MulticastPlace
    ) {
        let isOwn = ownAddresses.contains(sender)
        switch socket {
        case .otherPort:
            if isOwn, bytes == token { families[place]?.otherPort = .open }
        case .mdns:
            if isOwn, bytes == question { families[place]?.mdns = .open }
            if !isOwn { recordOther(sender, at: place) }
            for pointer in MDNSMessage.pointers(in: bytes) { recordNode(pointer, isOwn: isOwn) }
            for heard in HeardInstance.all(in: bytes[...], from: sender, of: name) {
                recordAddresses(of: heard, at: place)
            }
        case .asker:
            guard isOwn else { return }
            for pointer in MDNSMessage.pointers(in: bytes) { recordAnswer(pointer, at: place) }
        }
    }

    private mutating func recordOther(_ sender: [UInt8], at place: MulticastPlace) {
        guard let count = families[place]?.others.count, count < Self.maximumOthers else { return }
        families[place]?.others.insert(sender)
    }

    private mutating func recordNode(_ pointer: MDNSPointer, isOwn: Bool) {
        guard pointer.name != own, Self.isRoom(pointer.name) else { return }
        guard let label = pointer.target.first, let instance = RandomNames.canonical(label) else { return }
        guard pointer.target == MDNSName.instance(instance).labels else { return }
        guard nodes[instance] != nil || nodes.count < Self.maximumPeers else { return }
        if pointer.name == room { nodes[instance, default: HeardNode()].isOfRoom = true }
        if isOwn { nodes[instance, default: HeardNode()].isOwn = true }
        if nodes[instance] == nil { nodes[instance] = HeardNode() }
    }

    /// Of a node that is noted.
    private mutating func recordAddresses(of heard: HeardInstance, at place: MulticastPlace) {
        guard nodes[heard.instance]?.isReachable != true else { return }
        nodes[heard.instance]?.isReachable =
            heard.endpoint(in: view, at: place.interface, first: place.family) != nil
    }

    private static func isRoom(_ name: [String]) -> Bool {
        guard let subtype = name.first, subtype.hasPrefix("_r"), subtype.utf8.count <= 63 else { return false }
        return name == MDNSName.subtype(subtype).labels
    }

    /// The nodes that answered so far.
    var counts: NodeCounts {
        var counts = NodeCounts()
        for node in nodes.values {
            switch (node.isOfRoom, node.isOwn) {
            case (true, false):
                counts.peers += 1
                if node.isReachable == false { counts.unreachable += 1 }
            case (true, true): counts.own += 1
            case (false, false): counts.others += 1
            case (false, true): counts.ownOthers += 1
            }
        }
        return counts
    }

    private mutating func recordAnswer(_ pointer: MDNSPointer, at place: MulticastPlace) {
        if pointer.name == own { families[place]?.isAnswered = true }
        guard reverseNames.contains(pointer.name), families[place]?.names.count ?? 0 < Self.maximumOthers else {
            return
        }
        families[place]?.names.insert(pointer.target.joined(separator: "."))
    }

    /// Whether every packet came back and every interface answers: what is still to come can only be peers.
    var isSound: Bool {
        let answered = Set(families.filter(\.value.isAnswered).keys.map(\.interface))
        return families.allSatisfy { place, family in
            family.mdns == .open && family.otherPort == .open && answered.contains(place.interface)
        }
    }
}
