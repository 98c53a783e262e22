package import ChatNode
package import Reactor
package import Storage

/// Why the program could not begin to chat. Its exit code is 1.
package struct StartFailure: Error, Hashable, Sendable {
    /// One lower-case line: what happened; what to do.
    package let message: String

    package init(_ message: String) {
        self.message = message
    }

    package init(_ error: StorageError) {
        message = error.description
    }

    package init(_ error: SystemError) {
        message = "\(error); see whether the system is short of descriptors or memory"
    }

    /// Makes a part of the program that the system may refuse.
    package static func naming<Part>(_ make: () throws(SystemError) -> Part) throws(StartFailure) -> Part {
        do throws(SystemError) { return try make() } catch { throw StartFailure(error) }
    }

    package init(noInterface name: String) {
        message = "no network interface \"\(name)\"; ip link lists them"
    }

    /// - Parameter port: the one that was asked for; 0 for any.
    package init(listeningOn port: UInt16, _ error: TransportError) {
        let place = port == 0 ? "can not listen" : "can not listen on port \(port)"
        let reason =
            switch error {
            case .system(let call, let errno): SystemError(call: call, errno: errno).description
            case .refused, .unreachable, .timedOut, .reset: "\(error)"
            }
        message = "\(place): \(reason); \(port == 0 ? "see whether the network is up" : "choose another with --port")"
    }
}
