package import ChatNode

/// Why the program could not begin to chat.
package struct StartFailure: Error, Hashable, Sendable {
    /// One lower-case line: the failure; the remedy.
    package let message: String
    /// The exit code.
    package let code: CInt

    /// `EX_OSERR` of sysexits.h: the system refuses descriptors, threads or memory.
    package static let refusedBySystem: CInt = 71

    package init(_ message: String, code: CInt = 1) {
        (self.message, self.code) = (message, code)
    }

    package init(_ error: SystemError) {
        self.init(
            "\(error); see whether the system is short of descriptors, threads or memory",
            code: StartFailure.refusedBySystem)
    }

    /// Makes a part of the program that the system may refuse.
    package static func naming<Part>(_ make: () throws(SystemError) -> Part) throws(StartFailure) -> Part {
        do throws(SystemError) { return try make() } catch { throw StartFailure(error) }
    }

    package init(noInterface name: String) {
        self.init("no network interface \"\(name)\"; ip link lists them")
    }

    /// - Parameter port: the one that was asked for; 0 for any.
    package init(listeningOn port: UInt16, _ error: TransportError) {
        let place = port == 0 ? "can not listen" : "can not listen on port \(port)"
        switch error {
        case .system(let call, let errno) where SystemError(call: call, errno: errno).isShortage:
            self.init(SystemError(call: "\(place): \(call)", errno: errno))
        case .system(let call, let errno):
            self.init("\(place): \(SystemError(call: call, errno: errno)); \(StartFailure.remedy(port))")
        case .refused, .unreachable, .timedOut, .reset:
            self.init("\(place): \(error); \(StartFailure.remedy(port))")
        }
    }

    private static func remedy(_ port: UInt16) -> String {
        port == 0 ? "see whether the network is up" : "choose another with --port"
    }
}
