import Wire

/// The records to publish on each interface, by its index.
typealias Publication = [UInt32: [MDNSRecord]]

/// A node's part in what the nodes of a process share: a number that no other of its rooms has had.
typealias RoomNumber = Int

/// The reports of a responder.
enum ResponderEvent: Sendable {
    /// Publishing and browsing may begin.
    case ready
    /// Not yet; it goes on by itself.
    case waiting(String)
    /// No more comes of it: to be closed, and opened again later.
    case failed(String)
    case answered(Int)
    case room(RoomNumber, RoomEvent)
}

/// The reports of a responder about one room.
enum RoomEvent: Sendable {
    /// The last publication is out.
    case published
    /// Another host owns one of the room's names.
    case collision
    case listed(Listing)
    /// One packet told of an instance what a resolver would answer.
    case heard(HeardInstance, Listing)
    case unlisted(Listing)
    case resolved(Listing, Resolution)
    case unresolved(Listing)
}

/// Where a responder tells its events, with the source and the epoch they belong to; from any thread.
typealias ResponderReport = @Sendable (ResponderEvent, RecordSource, _ epoch: Int) -> Void

/// Why an Avahi can not be used, as the middle of a sentence.
struct ResponderFailure: Error {
    let reason: String
}

/// One of the two Avahis while it is open: the daemon behind D-Bus, or the library within this process. Confined to its
/// loop.
protocol ResponderConnection: AnyObject {
    /// Replaces what is published for a room.
    func publish(_ publication: Publication, of room: RoomNumber)

    /// Publishes and withdraws what differs from the last publication for a room; the rest stays as it is, unannounced.
    func adjust(_ publication: Publication, of room: RoomNumber)

    /// Browses for one service type, instead of any before in this room: everything is listed anew.
    ///
    /// - Parameter view: the interfaces and addresses of this machine.
    func browse(type: String, of room: RoomNumber, in view: NetworkView)

    /// Asks for the instances of a room often until then, since peers are missed; nil: no more than usual. A daemon asks as it
    /// likes.
    func pursue(until end: Instant?, of room: RoomNumber)

    /// Withdraws the records of a room, and ends its browsing and resolving.
    func leave(_ room: RoomNumber)

    /// Interfaces are changing: listings from before are not reported until the change is read.
    func networkIsChanging()

    /// The interfaces and addresses of this machine as they are after a change.
    func networkChanged(_ view: NetworkView)

    /// Resolves once for a room, asking for addresses of one family or of any.
    func resolve(_ listing: Listing, _ family: Family?, for room: RoomNumber)

    func cancel(_ listing: Listing, for room: RoomNumber)

    /// Throws where the other side does not answer.
    func probe() throws(ResponderFailure)

    /// Takes everything back and frees it.
    func close()
}
