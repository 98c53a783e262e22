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
    let context: ResponderContext
    private let interfaces: [String]
    private let gate: MulticastGate?
    /// It shows at once whether the system gives what a server needs; a room's when there is one.
    private let first: EmbeddedServer
    private var servers: [RoomNumber: EmbeddedServer] = [:]
    var rooms: [RoomNumber: RoomObjects] = [:]
    /// The service type that each room browses for.
    private var types: [RoomNumber: String] = [:]
    private let browser: MulticastBrowser
    /// True if Avahi browses instead, because the browser can not have its sockets.
    private var isBrowsingByAvahi = false

    /// - Parameters:
    ///   - interfaces: the only ones to speak on; empty for all.
    ///   - gate: drops packets before they are read; nil to read all.
    init(
        loop: EventLoop, context: ResponderContext, interfaces: [String], gate: MulticastGate? = nil
    ) throws(ResponderFailure) {
        guard let library = loadAvahiCore() else { throw ResponderFailure(reason: "libavahi-core is missing") }
        // It would write to standard error that it is not the only one here.
        unsafe library.avahi_set_log_function { _, _ in }
        first = try EmbeddedServer(library, on: loop, context: context, interfaces: interfaces, gate: gate)
        self.library = library
        self.loop = loop
        self.context = context
        self.interfaces = interfaces
        self.gate = gate
        browser = MulticastBrowser(loop: loop)
    }

    func close() {
        browser.close()
        for room in Set(rooms.keys).union(servers.keys) { free(room) }
        first.close()
    }

    func leave(_ room: RoomNumber) {
        browser.end(room)
        types[room] = nil
        free(room)
    }

    private func free(_ room: RoomNumber) {
        if var objects = rooms.removeValue(forKey: room) {
            free(objects.removeGroups())
            freeBrowser(of: &objects)
            for open in objects.resolvers.values { unsafe library.avahi_s_service_resolver_free(open.pointer) }
        }
        if let server = servers.removeValue(forKey: room), server !== first { server.close() }
    }

    /// That of a room alone: one server would answer for all rooms in one packet. Where the system gives no further sockets, the
    /// first one serves the room too.
    private func server(of room: RoomNumber) -> EmbeddedServer {
        if let server = servers[room] { return server }
        let isFirstTaken = servers.values.contains { $0 === first }
        let server = isFirstTaken ? (try? further()) ?? first : first
        servers[room] = server
        return server
    }

    private func further() throws(ResponderFailure) -> EmbeddedServer {
        // Each server reads each packet: the first one's gate counts it.
        try EmbeddedServer(
            library, on: loop, context: context, interfaces: interfaces, gate: gate.map { _ in MulticastGate() })
    }

    func free(_ groups: [OpenGroup]) {
        for group in groups { unsafe library.avahi_s_entry_group_free(group.pointer) }
    }

    func add(_ records: [MDNSRecord], as key: GroupKey, to objects: inout RoomObjects) -> CInt {
        let server = server(of: objects.context.room)
        let group = unsafe library.avahi_s_entry_group_new(
            server.pointer, EmbeddedCallbacks.group, objects.context.userdata)
        guard let group = unsafe group else { return server.error }
        unsafe objects.add(group, with: records, as: key)
        for record in records {
            let status = unsafe add(record, to: group, of: server, interface: key.interface)
            guard status == 0 else { return status }
        }
        return unsafe library.avahi_s_entry_group_commit(group)
    }

    private func add(
        _ record: MDNSRecord, to group: OpaquePointer, of server: EmbeddedServer, interface: UInt32
    ) -> CInt {
        let new = unsafe library.avahi_record_new_full(
            record.name.text, UInt16(AVAHI_DNS_CLASS_IN), record.kind.rawValue, record.timeToLive)
        guard let new = unsafe new else { return CInt(AVAHI_ERR_NO_MEMORY) }
        defer { unsafe library.avahi_record_unref(new) }
        guard unsafe library.avahi_rdata_parse(new, record.rdata, record.rdata.count) == 0 else {
            return CInt(AVAHI_ERR_INVALID_RECORD)
        }
        let status = unsafe library.avahi_server_add(
            server.pointer, group, CInt(interface), AvahiAnswers.avahiFamily(record.bucketFamily), record.flags, new)
        return status == 0 ? 0 : server.error
    }

    func resolve(_ listing: Listing, _ family: Family?, for room: RoomNumber) {
        cancel(listing, for: room)
        let own = self[room].context.with(listing)
        let resolver = unsafe library.avahi_s_service_resolver_new(
            server(of: room).pointer, CInt(listing.interface), AvahiAnswers.avahiFamily(listing.family),
            listing.instance, MDNSName.serviceType, "local", AvahiAnswers.avahiFamily(family), AvahiLookupFlags(0),
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
            let server = server(of: room)
            unsafe objects.browser = library.avahi_s_service_browser_new(
                server.pointer, CInt(AVAHI_IF_UNSPEC), CInt(AVAHI_PROTO_UNSPEC), type, nil, AvahiLookupFlags(0),
                EmbeddedCallbacks.browser, objects.context.userdata)
            self[room] = objects
            guard unsafe objects.browser == nil else { continue }
            return context.tell(.failed(AvahiAnswers.message(server.error)))
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
