import CAvahi
import CAvahiCore

/// The callbacks of libavahi-core, always on the thread of their loop; some run within its constructors, so they only
/// report.
enum EmbeddedCallbacks {
    static let server: AvahiServerCallback = { _, state, userdata in
        guard let context = unsafe ResponderContext.from(userdata) else { return }
        switch state {
        case AVAHI_SERVER_RUNNING, AVAHI_SERVER_REGISTERING: context.tell(.ready)
        // It publishes no host name, but were one taken, it would be opened again under another.
        case AVAHI_SERVER_COLLISION: context.tell(.failed("the host name is taken"))
        case AVAHI_SERVER_FAILURE: context.tell(.failed("the embedded responder failed"))
        default: break
        }
    }

    static let group: AvahiSEntryGroupCallback = { _, _, state, userdata in
        guard let context = unsafe RoomContext.from(userdata) else { return }
        switch state {
        case AVAHI_ENTRY_GROUP_COLLISION: context.tell(.collision)
        case AVAHI_ENTRY_GROUP_FAILURE: context.responder.tell(.failed("the embedded responder could not publish"))
        default: break
        }
    }

    static let browser: AvahiSServiceBrowserCallback = {
        _, interface, family, event, name, _, _, _, userdata in
        guard let context = unsafe RoomContext.from(userdata) else { return }
        if event == AVAHI_BROWSER_FAILURE {
            return context.responder.tell(.failed("the embedded responder stopped browsing"))
        }
        let listing = unsafe AvahiAnswers.listing(context.source, interface: interface, family: family, name: name)
        guard let listing else { return }
        if event == AVAHI_BROWSER_NEW { context.tell(.listed(listing)) }
        if event == AVAHI_BROWSER_REMOVE { context.tell(.unlisted(listing)) }
    }

    static let resolver: AvahiSServiceResolverCallback = {
        _, _, _, event, _, _, _, _, address, port, texts, _, userdata in
        guard let context = unsafe RoomContext.from(userdata), let listing = context.listing else { return }
        let answer = unsafe AvahiAnswers.resolution(address: address, port: port, texts: texts)
        guard event == AVAHI_RESOLVER_FOUND, let answer else { return context.tell(.unresolved(listing)) }
        context.tell(.resolved(listing, answer))
    }
}
