import CAvahi
import Glibc
import Reactor
import Wire

/// The Avahi daemon of this machine, through libavahi-client. Most of its calls block for the daemon's answer over D-Bus,
/// for 25 s while it hangs, so the loop is not shared.
@safe
final class DaemonConnection: GroupPublisher {
    /// The reason of a failure without an error of the bus.
    static var noBus: String { AvahiAnswers.message(CInt(AVAHI_ERR_NO_DAEMON)) }
    static let noLibrary = "libavahi-client is missing"

    private let library: AvahiClientFunctions
    private let avahi: AvahiLoop
    let context: ResponderContext
    private let client: OpaquePointer
    var rooms: [RoomNumber: RoomObjects] = [:]

    init(loop: EventLoop, context: ResponderContext) throws(ResponderFailure) {
        guard let library = loadAvahiClient() else { throw ResponderFailure(reason: Self.noLibrary) }
        let avahi = AvahiLoop(loop: loop)
        var error: CInt = 0
        // Even with "no fail", there is no client where there is no bus.
        let client = unsafe library.avahi_client_new(
            avahi.poll, AVAHI_CLIENT_NO_FAIL, DaemonCallbacks.client, context.userdata, &error)
        guard let client = unsafe client else {
            avahi.close()
            throw ResponderFailure(reason: AvahiAnswers.message(error))
        }
        self.library = library
        self.avahi = avahi
        self.context = context
        unsafe self.client = client
    }

    func close() {
        // Frees groups, browsers and resolvers with it; the daemon says goodbye for them.
        unsafe library.avahi_client_free(client)
        avahi.close()
    }

    func add(_ records: [MDNSRecord], as key: GroupKey, to objects: inout RoomObjects) -> CInt {
        let group = unsafe library.avahi_entry_group_new(
            client, DaemonCallbacks.group, objects.context.userdata)
        guard let group = unsafe group else { return unsafe library.avahi_client_errno(client) }
        unsafe objects.add(group, with: records, as: key)
        for record in records {
            let status = unsafe library.avahi_entry_group_add_record(
                group, CInt(key.interface), AvahiAnswers.avahiFamily(record.bucketFamily), record.flags,
                record.name.text,
                UInt16(AVAHI_DNS_CLASS_IN), record.kind.rawValue, record.timeToLive, record.rdata,
                record.rdata.count)
            guard status == 0 else { return status }
        }
        return unsafe library.avahi_entry_group_commit(group)
    }

    func free(_ groups: [OpenGroup]) {
        for group in groups { _ = unsafe library.avahi_entry_group_free(group.pointer) }
    }

    func browse(type: String, of room: RoomNumber, in view: NetworkView) {
        var objects = self[room]
        if let browser = unsafe objects.browser { _ = unsafe library.avahi_service_browser_free(browser) }
        unsafe objects.browser = library.avahi_service_browser_new(
            client, CInt(AVAHI_IF_UNSPEC), CInt(AVAHI_PROTO_UNSPEC), type, nil, AvahiLookupFlags(0),
            DaemonCallbacks.browser, objects.context.userdata)
        self[room] = objects
        guard unsafe objects.browser == nil else { return }
        let error = unsafe library.avahi_client_errno(client)
        context.tell(.failed(AvahiAnswers.message(error)))
    }

    /// The listener beside it asks.
    func pursue(until end: Instant?, of room: RoomNumber) {}

    func leave(_ room: RoomNumber) {
        guard var objects = rooms.removeValue(forKey: room) else { return }
        free(objects.removeGroups())
        if let browser = unsafe objects.browser { _ = unsafe library.avahi_service_browser_free(browser) }
        for open in objects.resolvers.values { _ = unsafe library.avahi_service_resolver_free(open.pointer) }
    }

    func resolve(_ listing: Listing, _ family: Family?, for room: RoomNumber) {
        cancel(listing, for: room)
        let own = self[room].context.with(listing)
        let resolver = unsafe library.avahi_service_resolver_new(
            client, CInt(listing.interface), AvahiAnswers.avahiFamily(listing.family), listing.instance,
            MDNSName.serviceType, "local", AvahiAnswers.avahiFamily(family), AvahiLookupFlags(0),
            DaemonCallbacks.resolver, own.userdata)
        guard let resolver = unsafe resolver else { return own.tell(.unresolved(listing)) }
        self[room].resolvers[listing] = unsafe OpenResolver(pointer: resolver, context: own)
    }

    func cancel(_ listing: Listing, for room: RoomNumber) {
        guard let open = rooms[room]?.resolvers.removeValue(forKey: listing) else { return }
        _ = unsafe library.avahi_service_resolver_free(open.pointer)
    }

    /// It sees for itself.
    func networkIsChanging() {}
    func networkChanged(_ view: NetworkView) {}

    /// Asks the daemon something trivial.
    func probe() throws(ResponderFailure) {
        guard let group = rooms.values.lazy.compactMap({ $0.groups.values.first }).first,
            unsafe library.avahi_entry_group_is_empty(group.pointer) < 0
        else { return }
        throw ResponderFailure(reason: "the Avahi daemon does not answer")
    }
}
