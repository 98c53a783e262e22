/// How likely an interface leads to other machines. Only those of the highest rank present take part, so that the containers
/// and virtual machines that come and go on this machine are no change of its network (Protocol.md section 10).
enum NetworkRank: Comparable {
    /// It carries no multicast, is a port of another interface, which takes part in its place, or holds the containers and
    /// virtual machines of this machine alone.
    case unusable
    case loopback
    /// The end of a virtual cable that no route to everywhere leads over: a container's card, or the other end of one.
    case cable
    case network

    /// The interfaces of the highest rank above loopback; none where there is no such interface.
    static func highest(of all: [NetworkInterface]) -> [NetworkInterface] {
        let kinds = Dictionary(all.map { ($0.index, $0.kind) }) { first, _ in first }
        let cards = all.filter { !$0.isVirtual && $0.isRunning }
        // Machines behind a card that is a port of a bridge are reached through the bridge.
        let bridgesOfCards = Set(cards.compactMap(\.master))
        let ranks = all.map { interface in
            let isPort = interface.master.map { kinds[$0] != nil && kinds[$0] != "vrf" } ?? false
            return isPort ? .unusable : NetworkRank(of: interface, holdsCard: bridgesOfCards.contains(interface.index))
        }
        guard let highest = ranks.max(), highest > .loopback else { return [] }
        return zip(all, ranks).filter { $1 == highest }.map(\.0)
    }

    private init(of interface: NetworkInterface, holdsCard: Bool) {
        if !interface.carriesMulticast {
            self = .unusable
        } else if interface.isLoopback {
            self = .loopback
        } else if !interface.isVirtual || interface.hasDefaultRoute || holdsCard {
            self = .network
        } else {
            self = interface.kind == "veth" ? .cable : .unusable
        }
    }
}
