import CAvahi
import CAvahiCore
import Glibc
import Reactor
import Wire

/// mDNS spoken by this process itself, through libavahi-core: needs no daemon, no bus and no privilege, and lives
/// beside a daemon and beside others like it. Never waits.
@safe
final class EmbeddedConnection: GroupPublisher {
    private let library: AvahiCoreFunctions
    private let loop: EventLoop
    private let avahi: AvahiLoop
    let context: ResponderContext
    private let server: OpaquePointer
    var rooms: [RoomNumber: RoomObjects] = [:]
    /// The service type that each room browses for.
    private var types: [RoomNumber: String] = [:]
    private let browser: MulticastBrowser
    /// True if Avahi browses instead, because the browser can not have its sockets.
    private var isBrowsingByAvahi = false

    /// - Parameters:
    ///   - interfaces: the only ones to speak on; empty for all.
    ///   - gate: what decides which packets are read; nil to read all.
    init(
        loop: EventLoop, context: ResponderContext, interfaces: [String], gate: MulticastGate? = nil
    ) throws(ResponderFailure) {
        guard let library = loadAvahiCore() else { throw ResponderFailure(reason: "libavahi-core is missing") }
        let avahi = AvahiLoop(loop: loop, gate: gate)
        // It would write to standard error that it is not the only one here.
        unsafe library.avahi_set_log_function { _, _ in }
        var configuration = unsafe AvahiServerConfig()
        _ = unsafe library.avahi_server_config_init(&configuration)
        unsafe EmbeddedConfiguration.apply(to: &configuration, interfaces: interfaces)
        var error: CInt = 0
        let server = unsafe library.avahi_server_new(
            avahi.poll, &configuration, EmbeddedCallbacks.server, context.userdata, &error)
        unsafe library.avahi_server_config_free(&configuration)
        guard let server = unsafe server else {
            avahi.close()
            throw ResponderFailure(reason: AvahiAnswers.message(error))
        }
        self.library = library
        self.loop = loop
        self.avahi = avahi
        self.context = context
        unsafe self.server = server
        browser = MulticastBrowser(loop: loop)
    }

    func close() {
        browser.close()
        for room in Array(rooms.keys) { free(room) }
        // Says goodbye for everything.
        unsafe library.avahi_server_free(server)
        avahi.close()
    }

    func leave(_ room: RoomNumber) {
        browser.end(room)
        types[room] = nil
        free(room)
    }

    private func free(_ room: RoomNumber) {
        guard var objects = rooms.removeValue(forKey: room) else { return }
        free(objects.removeGroups())
        freeBrowser(of: &objects)
        for open in objects.resolvers.values { unsafe library.avahi_s_service_resolver_free(open.pointer) }
    }

    func free(_ groups: [OpenGroup]) {
        for group in groups { unsafe library.avahi_s_entry_group_free(group.pointer) }
    }

    func add(_ records: [MDNSRecord], as key: GroupKey, to objects: inout RoomObjects) -> CInt {
        let group = unsafe library.avahi_s_entry_group_new(
            server, EmbeddedCallbacks.group, objects.context.userdata)
        guard let group = unsafe group else { return unsafe library.avahi_server_errno(server) }
        unsafe objects.add(group, with: records, as: key)
        for record in records {
            let status = unsafe add(record, to: group, interface: key.interface)
            guard status == 0 else { return status }
        }
        return unsafe library.avahi_s_entry_group_commit(group)
    }

    private func add(_ record: MDNSRecord, to group: OpaquePointer, interface: UInt32) -> CInt {
        let new = unsafe library.avahi_record_new_full(
            record.name.text, UInt16(AVAHI_DNS_CLASS_IN), record.kind.rawValue, record.timeToLive)
        guard let new = unsafe new else { return CInt(AVAHI_ERR_NO_MEMORY) }
        defer { unsafe library.avahi_record_unref(new) }
        guard unsafe library.avahi_rdata_parse(new, record.rdata, record.rdata.count) == 0 else {
            return CInt(AVAHI_ERR_INVALID_RECORD)
        }
        let status = unsafe library.avahi_server_add(
            server, group, CInt(interface), AvahiAnswers.avahiFamily(record.bucketFamily), record.flags, new)
        return status == 0 ? 0 : unsafe library.avahi_server_errno(server)
    }

    func resolve(_ listing: Listing, _ family: Family?, for room: RoomNumber) {
        cancel(listing, for: room)
        let own = self[room].context.with(listing)
        let resolver = unsafe library.avahi_s_service_resolver_new(
            server, CInt(listing.interface), AvahiAnswers.avahiFamily(listing.family), listing.instance,
            MDNSName.serviceType, "local", AvahiAnswers.avahiFamily(family), AvahiLookupFlags(0),
            EmbeddedCallbacks.resolver, own.userdata)
        guard let resolver = unsafe resolver else { return own.tell(.unresolved(listing)) }
        self[room].resolvers[listing] = unsafe OpenResolver(pointer: resolver, context: own)
    }

    func cancel(_ listing: Listing, for room: RoomNumber) {
        guard let open = rooms[room]?.resolvers.removeValue(forKey: listing) else { return }
        unsafe library.avahi_s_service_resolver_free(open.pointer)
    }

    /// No process is asked that could fail to answer.
    func probe() throws(ResponderFailure) {}
}

/// Browsing, by sockets of our own or by Avahi.
extension EmbeddedConnection {
    func browse(type: String, of room: RoomNumber, in view: NetworkView) {
        endBrowsingByAvahi()
        types[room] = type
        // Kept for the browser, which tells it.
        let objects = self[room]
        self[room] = objects
        browser.browse(for: BrowsedName(type: type), of: room, context: objects.context)
        networkChanged(view)
    }

    func pursue(until end: Instant?, of room: RoomNumber) { browser.pursue(until: end, of: room) }

    func networkIsChanging() { browser.hold() }

    func networkChanged(_ view: NetworkView) {
        do throws(SystemError) {
            try browser.move(to: view)
            endBrowsingByAvahi()
        } catch {
            browser.leaveAll()
            browseByAvahi()
        }
    }

    private func browseByAvahi() {
        isBrowsingByAvahi = true
        for (room, type) in types {
            var objects = self[room]
            guard unsafe objects.browser == nil else { continue }
            unsafe objects.browser = library.avahi_s_service_browser_new(
                server, CInt(AVAHI_IF_UNSPEC), CInt(AVAHI_PROTO_UNSPEC), type, nil, AvahiLookupFlags(0),
                EmbeddedCallbacks.browser, objects.context.userdata)
            self[room] = objects
            guard unsafe objects.browser == nil else { continue }
            let error = unsafe library.avahi_server_errno(server)
            return context.tell(.failed(AvahiAnswers.message(error)))
        }
    }

    private func endBrowsingByAvahi() {
        guard isBrowsingByAvahi else { return }
        isBrowsingByAvahi = false
        for room in Array(rooms.keys) { freeBrowser(of: &self[room]) }
    }

    private func freeBrowser(of objects: inout RoomObjects) {
        if let browser = unsafe objects.browser { unsafe library.avahi_s_service_browser_free(browser) }
        unsafe objects.browser = nil
    }
}
