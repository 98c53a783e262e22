import CAvahi

/// The callbacks of libavahi-client, always on the thread of their loop; some run within its constructors, so they only
/// report.
enum DaemonCallbacks {
    static let client: AvahiClientCallback = { _, state, userdata in
        guard let context = unsafe ResponderContext.from(userdata) else { return }
        switch state {
        // Our records bear no name of the host, so its registration and its collisions are none of our business.
        case AVAHI_CLIENT_S_RUNNING, AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION: context.tell(.ready)
        case AVAHI_CLIENT_CONNECTING: context.tell(.waiting("no Avahi daemon runs"))
        case AVAHI_CLIENT_FAILURE: context.tell(.failed("the Avahi daemon or its bus went away"))
        default: break
        }
    }

    static let group: AvahiEntryGroupCallback = { _, state, userdata in
        guard let context = unsafe RoomContext.from(userdata) else { return }
        switch state {
        case AVAHI_ENTRY_GROUP_COLLISION: context.tell(.collision)
        case AVAHI_ENTRY_GROUP_FAILURE: context.responder.tell(.failed("the daemon could not publish"))
        default: break
        }
    }

    static let browser: AvahiServiceBrowserCallback = {
        _, interface, family, event, name, _, _, _, userdata in
        guard let context = unsafe RoomContext.from(userdata) else { return }
        if event == AVAHI_BROWSER_FAILURE { return context.responder.tell(.failed("the daemon stopped browsing")) }
        let listing = unsafe AvahiAnswers.listing(context.source, interface: interface, family: family, name: name)
        guard let listing else { return }
        if event == AVAHI_BROWSER_NEW { context.tell(.listed(listing)) }
        if event == AVAHI_BROWSER_REMOVE { context.tell(.unlisted(listing)) }
    }

    static let resolver: AvahiServiceResolverCallback = {
        _, _, _, event, _, _, _, _, address, port, texts, _, userdata in
        guard let context = unsafe RoomContext.from(userdata), let listing = context.listing else { return }
        let answer = unsafe AvahiAnswers.resolution(address: address, port: port, texts: texts)
        guard event == AVAHI_RESOLVER_FOUND, let answer else { return context.tell(.unresolved(listing)) }
        context.tell(.resolved(listing, answer))
    }
}
