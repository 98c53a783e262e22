import CAvahi
import CAvahiCore
import Reactor

/// One responder of libavahi-core, with its sockets. Confined to its event loop.
///
/// It sends what falls due within 120 ms in one packet, so that rooms which share it would be linked by its answers.
@safe
final class EmbeddedServer {
    let pointer: OpaquePointer
    private let library: AvahiCoreFunctions
    private let avahi: AvahiLoop

    /// - Parameters:
    ///   - interfaces: the only ones to speak on; empty for all.
    ///   - gate: drops packets before they are read; nil to read all.
    init(
        _ library: AvahiCoreFunctions, on loop: EventLoop, context: ResponderContext, interfaces: [String],
        gate: MulticastGate?
    ) throws(ResponderFailure) {
        let avahi = AvahiLoop(loop: loop, gate: gate)
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
        unsafe pointer = server
        self.library = library
        self.avahi = avahi
    }

    /// The error of the last call that failed.
    var error: CInt { unsafe library.avahi_server_errno(pointer) }

    /// Says goodbye for everything.
    func close() {
        unsafe library.avahi_server_free(pointer)
        avahi.close()
    }
}
