import CRabbitMQ
import Glibc
import Reactor
import Synchronization

/// The functions of librabbitmq and of OpenSSL, which are loaded for a bridge.
struct RabbitLibrary: Sendable {
    /// Nil if a library, or a function of it, is not there.
    static let loaded = RabbitLibrary()

    let call: RabbitFunctions
    let tls: RabbitTLSFunctions

    private init?() {
        guard let call = unsafe loadedTable(rabbit_functions_load),
            let tls = unsafe loadedTable(rabbit_tls_functions_load)
        else { return nil }
        (self.call, self.tls) = (call, tls)
    }
}

/// Why OpenSSL refused a certificate, of each thread: its callback is given no context.
enum TLSRefusal {
    private static let codes = Mutex<[UInt: Int]>([:])

    static func clear() { codes.withLock { $0[thread] = nil } }

    /// Called by OpenSSL during a handshake.
    static func record(_ store: UnsafeMutableRawPointer) {
        guard let library = RabbitLibrary.loaded else { return }
        let code = unsafe Int(library.tls.error(store))
        codes.withLock { $0[thread] = code }
    }

    /// In OpenSSL's words; nil if no certificate was refused.
    static func reason(_ library: RabbitLibrary) -> String? {
        codes.withLock { $0[thread] }.map { unsafe String(cString: library.tls.error_text($0)) }
    }

    private static var thread: UInt { UInt(pthread_self()) }
}
