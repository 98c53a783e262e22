/// The records to publish on each interface, by its index.
typealias Publication = [UInt32: [MDNSRecord]]

/// The reports of a responder.
enum ResponderEvent: Sendable {
    /// Publishing and browsing may begin.
    case ready
    /// Not yet; it goes on by itself.
    case waiting(String)
    /// No more comes of it: to be closed, and opened again later.
    case failed(String)
    /// The last publication is out.
    case published
    /// Another host owns one of our names.
    case collision
    case listed(Listing)
    /// One packet told of an instance what a resolver would answer.
    case heard(HeardInstance, Listing)
    case unlisted(Listing)
    case resolved(Listing, Resolution)
    case unresolved(Listing)
    case answered(Int)
}

/// Where a responder tells its events, with the source and the epoch they belong to; from any thread.
typealias ResponderReport = @Sendable (ResponderEvent, Source, _ epoch: Int) -> Void

/// Why an Avahi can not be used, as the middle of a sentence.
struct ResponderFailure: Error {
    let reason: String
}

/// One of the two Avahis while it is open: the daemon behind D-Bus, or the library within this process. Confined to its
/// loop.
protocol ResponderConnection: AnyObject {
    /// Replaces what is published.
    func publish(_ publication: Publication)

    /// Browses for one service type, instead of any before: everything is listed anew.
    ///
    /// - Parameter view: the interfaces and addresses of this machine.
    func browse(type: String, in view: NetworkView)

    /// Interfaces are changing: listings from before are not reported until the change is read.
    func networkIsChanging()

    /// The interfaces and addresses of this machine as they are after a change.
    func networkChanged(_ view: NetworkView)

    /// Resolves once, asking for addresses of one family or of any.
    func resolve(_ listing: Listing, _ family: Family?)

    func cancel(_ listing: Listing)

    /// Throws where the other side does not answer.
    func probe() throws(ResponderFailure)

    /// Takes everything back and frees it.
    func close()
}
