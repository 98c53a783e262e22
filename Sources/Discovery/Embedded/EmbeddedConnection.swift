import CAvahi
import CAvahiCore
import Glibc
import Reactor

/// mDNS spoken by this process itself, through libavahi-core: needs no daemon, no bus and no privilege, and lives
/// beside a daemon and beside others like it. Never waits.
@safe
final class EmbeddedConnection: ResponderConnection {
    private let library: AvahiCoreFunctions
    private let loop: EventLoop
    private let avahi: AvahiLoop
    private let context: ResponderContext
    private let server: OpaquePointer
    private var groups: [OpaquePointer] = unsafe []
    private var search: (type: String, browser: MulticastBrowser)?
    /// In its stead, where it can not have its sockets.
    private var browser: OpaquePointer?
    private var resolvers: [Listing: OpenResolver] = [:]

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
    }

    func close() {
        for open in resolvers.values { unsafe library.avahi_s_service_resolver_free(open.pointer) }
        search?.browser.close()
        endAvahisBrowser()
        withdraw()
        // Says goodbye for everything.
        unsafe library.avahi_server_free(server)
        avahi.close()
    }

    func publish(_ publication: Publication) {
        withdraw()
        for (interface, records) in publication.sorted(by: { $0.key < $1.key }) {
            switch add(records, interface: interface) {
            case 0: continue
            case CInt(AVAHI_ERR_COLLISION): return context.tell(.collision)
            case let error: return context.tell(.failed(AvahiAnswers.message(error)))
            }
        }
        context.tell(.published)
    }

    private func withdraw() {
        unsafe groups.forEach { unsafe library.avahi_s_entry_group_free($0) }
        unsafe groups = []
    }

    private func add(_ records: [MDNSRecord], interface: UInt32) -> CInt {
        let group = unsafe library.avahi_s_entry_group_new(server, EmbeddedCallbacks.group, context.userdata)
        guard let group = unsafe group else { return unsafe library.avahi_server_errno(server) }
        unsafe groups.append(group)
        for record in records {
            let status = unsafe add(record, to: group, interface: interface)
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
            server, group, CInt(interface), CInt(AVAHI_PROTO_UNSPEC), record.flags, new)
        return status == 0 ? 0 : unsafe library.avahi_server_errno(server)
    }

    func browse(type: String, in view: NetworkView) {
        endAvahisBrowser()
        if let search, search.type == type {
            search.browser.restart()
        } else {
            search?.browser.close()
            search = (type, MulticastBrowser(for: BrowsedName(type: type), loop: loop, context: context))
        }
        networkChanged(view)
    }

    func networkIsChanging() { search?.browser.hold() }

    func networkChanged(_ view: NetworkView) {
        guard let search else { return }
        do throws(SystemError) {
            try search.browser.move(to: view)
            endAvahisBrowser()
        } catch {
            search.browser.close()
            browseByAvahi(search.type)
        }
    }

    private func browseByAvahi(_ type: String) {
        guard unsafe browser == nil else { return }
        unsafe browser = library.avahi_s_service_browser_new(
            server, CInt(AVAHI_IF_UNSPEC), CInt(AVAHI_PROTO_UNSPEC), type, nil, AvahiLookupFlags(0),
            EmbeddedCallbacks.browser, context.userdata)
        guard unsafe browser == nil else { return }
        let error = unsafe library.avahi_server_errno(server)
        context.tell(.failed(AvahiAnswers.message(error)))
    }

    private func endAvahisBrowser() {
        if let browser = unsafe browser { unsafe library.avahi_s_service_browser_free(browser) }
        unsafe browser = nil
    }

    func resolve(_ listing: Listing, _ family: Family?) {
        cancel(listing)
        let own = context.with(listing)
        let resolver = unsafe library.avahi_s_service_resolver_new(
            server, CInt(listing.interface), AvahiAnswers.avahiFamily(listing.family), listing.instance,
            MDNSName.serviceType, "local", AvahiAnswers.avahiFamily(family), AvahiLookupFlags(0),
            EmbeddedCallbacks.resolver, own.userdata)
        guard let resolver = unsafe resolver else { return own.tell(.unresolved(listing)) }
        resolvers[listing] = unsafe OpenResolver(pointer: resolver, context: own)
    }

    func cancel(_ listing: Listing) {
        guard let open = resolvers.removeValue(forKey: listing) else { return }
        unsafe library.avahi_s_service_resolver_free(open.pointer)
    }

    /// No process is asked that could fail to answer.
    func probe() throws(ResponderFailure) {}
}
