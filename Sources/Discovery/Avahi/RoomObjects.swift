/// The objects of either Avahi that belong to one room, with the context that their callbacks are given.
@safe
struct RoomObjects {
    let context: RoomContext
    /// The entry groups that hold the room's records.
    private(set) var groups: [GroupKey: OpenGroup] = [:]
    var browser: OpaquePointer?
    var resolvers: [Listing: OpenResolver] = [:]

    init(_ context: RoomContext) { self.context = context }

    mutating func add(_ group: OpaquePointer, with records: [MDNSRecord], as key: GroupKey) {
        groups[key] = unsafe OpenGroup(pointer: group, records: records)
    }

    /// Takes out the groups that are not those of a publication.
    mutating func removeGroups(except publication: Publication = [:]) -> [OpenGroup] {
        let wanted = Self.groups(of: publication)
        let stale = groups.filter { key, group in wanted[key] != group.records }
        for key in stale.keys { groups[key] = nil }
        return Array(stale.values)
    }

    /// The groups of a publication that are not there.
    func missing(of publication: Publication) -> [(key: GroupKey, records: [MDNSRecord])] {
        Self.groups(of: publication).filter { groups[$0.key] == nil }.sorted { $0.key < $1.key }
            .map { (key: $0.key, records: $0.value) }
    }

    private static func groups(of publication: Publication) -> [GroupKey: [MDNSRecord]] {
        var groups: [GroupKey: [MDNSRecord]] = [:]
        for (interface, records) in publication {
            for record in records {
                groups[GroupKey(interface: interface, group: record.group), default: []].append(record)
            }
        }
        return groups
    }
}

/// Names a group of records: its interface, and its part of what is published there.
struct GroupKey: Hashable, Comparable {
    let interface: UInt32
    let group: MDNSRecord.Group

    static func < (one: GroupKey, other: GroupKey) -> Bool {
        (one.interface, one.group) < (other.interface, other.group)
    }
}

/// An entry group of either Avahi, with its records.
@safe
struct OpenGroup {
    let pointer: OpaquePointer
    let records: [MDNSRecord]
}

/// A resolver of either Avahi, with the context that its callback is given.
@safe
struct OpenResolver {
    let pointer: OpaquePointer
    /// Held for the callback.
    let context: RoomContext
}
