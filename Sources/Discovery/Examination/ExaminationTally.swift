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

    /// The multicast query: for the room's nodes, and, so that any mDNS shows itself, for the service types.
    let question: [UInt8]
    /// The payload of the probe to the other port; random.
    let token: [UInt8]
    private let room: [String]
    private let own: [String]
    private let ownAddresses: Set<[UInt8]>
    private let reverseNames: Set<[String]>
    private(set) var families: [MulticastPlace: FamilyObservation]
    private(set) var peers: Set<String> = []

    /// - Parameters:
    ///   - room: the subtype of the room.
    ///   - own: the subtype that the responder of this machine is given a record of.
    init(room: String, own: String, token: [UInt8], places: [MulticastPlace], addresses: [[UInt8]]) {
        self.room = MDNSName.subtype(room).labels
        self.own = MDNSName.subtype(own).labels
        self.token = token
        question = MDNSMessage.query(for: [.subtype(room), MDNSName(["_services", "_dns-sd", "_udp"])])
        ownAddresses = Set(addresses)
        reverseNames = Set(addresses.map { MDNSName(reverseOf: $0).labels })
        families = Dictionary(
            places.map { ($0, FamilyObservation(family: $0.family)) }, uniquingKeysWith: { first, _ in first })
    }

    /// A socket could not be had, or a packet not be sent.
    mutating func failed(_ socket: MulticastSocket.Place, at place: MulticastPlace, _ error: SystemError) {
        switch socket {
        case .mdns where families[place]?.mdns == .dropped: families[place]?.mdns = .refused(error)
        case .otherPort where families[place]?.otherPort == .dropped: families[place]?.otherPort = .refused(error)
        case .mdns, .otherPort, .asker: break
        }
    }

    mutating func heard(
        _ bytes: [UInt8], from sender: [UInt8], by socket: MulticastSocket.Place, at place: MulticastPlace
    ) {
        let isOwn = ownAddresses.contains(sender)
        switch socket {
        case .otherPort:
            if isOwn, bytes == token { families[place]?.otherPort = .open }
        case .mdns:
            if isOwn, bytes == question { families[place]?.mdns = .open }
            if !isOwn { noteOther(sender, at: place) }
            for pointer in MDNSMessage.pointers(in: bytes) where pointer.name == room { notePeer(pointer) }
        case .asker:
            guard isOwn else { return }
            for pointer in MDNSMessage.pointers(in: bytes) { noteAnswer(pointer, at: place) }
        }
    }

    private mutating func noteOther(_ sender: [UInt8], at place: MulticastPlace) {
        guard let count = families[place]?.others.count, count < Self.maximumOthers else { return }
        families[place]?.others.insert(sender)
    }

    private mutating func notePeer(_ pointer: MDNSPointer) {
        guard let label = pointer.target.first, let instance = RandomNames.canonical(label) else { return }
        guard pointer.target == MDNSName.instance(instance).labels, peers.count < Self.maximumPeers else { return }
        peers.insert(instance)
    }

    private mutating func noteAnswer(_ pointer: MDNSPointer, at place: MulticastPlace) {
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
