package import Hub
package import Reactor

extension GatewayServer {
    /// The time in which a client of STOMP has to show the token.
    private static let patienceOfSTOMP = Duration.seconds(10)

    /// The STOMP gateway, at a port of loopback (0 for any that is free). It needs no libwebsockets.
    ///
    /// - Parameter loop: nothing else may live on it.
    package static func stomp(on loop: EventLoop, port: UInt16, token: WebToken) throws(StartFailure) -> GatewayServer {
        try GatewayServer(.stomp, on: loop, port: port, token: token, patience: patienceOfSTOMP) {
            STOMPSession(token, at: $0)
        }
    }
}
