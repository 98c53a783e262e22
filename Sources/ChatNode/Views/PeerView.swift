package import Chat

/// A row of `/who`: that of the roster, and how far the peer is.
@dynamicMemberLookup
package struct PeerView: Hashable, Sendable {
    package let row: Roster.Row
    /// Nil before the first ping came back, and when offline.
    package let roundTrip: RoundTrip?

    package init(_ row: Roster.Row, roundTrip: RoundTrip?) { (self.row, self.roundTrip) = (row, roundTrip) }

    package subscript<Value>(dynamicMember path: KeyPath<Roster.Row, Value>) -> Value { row[keyPath: path] }
}

extension PeerView {
    init(_ row: Roster.Row, _ connections: Connections) {
        self.init(row, roundTrip: connections.sendingLink(of: row.who.key)?.roundTrip.map(RoundTrip.init))
    }

    /// The row without what the peer says of itself.
    package var withoutTexts: PeerView { PeerView(row.withoutTexts, roundTrip: roundTrip) }
}
