package import Hub
package import Reactor
import Rendering
import Wire

extension GatewayServer {
    /// The IRC gateway, at a port of loopback (0 for any that is free). IRC over WebSocket is at the web server.
    ///
    /// - Parameter loop: nothing else may live on it.
    package static func irc(on loop: EventLoop, port: UInt16, token: WebToken) throws(StartFailure) -> GatewayServer {
        let entrance = IRCSession.Entrance(token)
        return try GatewayServer(.irc, on: loop, port: port, token: token, patience: IRCSession.patience) {
            IRCSession(entrance, at: $0)
        }
    }
}

extension IRCSession.Entrance {
    /// With the clocks of this machine.
    package init(_ token: WebToken) {
        LocalTime.prepare()
        self.init(token, now: { .wall }, clock: { String(LocalTime.text($0).prefix(5)) })
    }
}
