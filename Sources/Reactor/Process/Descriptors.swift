import Glibc

/// Blocking reads and writes on the descriptors that the program was started with.
package enum Descriptors {
    package static let input: CInt = 0
    package static let output: CInt = 1
    package static let diagnostics: CInt = 2

    /// Opens `/dev/null` on those of the three that are closed: the next file that is opened would take such a number, and get
    /// the text that is written for people. To be called before anything is opened.
    ///
    /// - Throws: the system's refusal.
    package static func openClosedStandard() throws(SystemError) {
        for number in [input, output, diagnostics] where fcntl(number, F_GETFD) < 0 {
            // The smallest number that is free.
            _ = try SystemError.check("/dev/null", unsafe open("/dev/null", O_RDWR))
        }
    }

    /// Writes all of `bytes`, waiting as long as the reader takes.
    package static func write(_ bytes: [UInt8], to descriptor: CInt) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if !shouldRetry(descriptor, waitingFor: Int16(POLLOUT)) {
                throw SystemError.last("write")
            }
        }
    }

    /// True if a write failed because its reader has closed the pipe or the terminal.
    package static func isClosedByReader(_ error: SystemError) -> Bool { error.errno == EPIPE || error.errno == EIO }

    /// Waits for bytes and reads some, as many as fit into `buffer`.
    ///
    /// - Returns: how many; 0 at the end of the input, and when it can not be read any more.
    package static func read(into buffer: inout [UInt8], from descriptor: CInt) -> Int {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 { return count }
            if !shouldRetry(descriptor, waitingFor: Int16(POLLIN)) { return 0 }
        }
    }

    /// Raises the limit of open descriptors to `wanted`, or as far as the system permits. A limit above stays.
    package static func raiseLimit(to wanted: Int) {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
        _ = unsafe setrlimit(resource, &limit)
    }

    package static func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }

    /// Returns when there is something to read, or an end.
    package static func waitToRead(_ descriptor: CInt) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&entry, 1, -1) < 0, errno == EINTR {}
    }

    /// Waits for bytes, unless the reader of `output` closes it before.
    ///
    /// - Returns: false if it did.
    package static func waitToRead(_ descriptor: CInt, whileReaderOf output: CInt) -> Bool {
        var entries = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: output, events: 0, revents: 0),
        ]
        while unsafe poll(&entries, nfds_t(entries.count), -1) < 0, errno == EINTR {}
        return entries[0].revents != 0 || entries[1].revents & Int16(POLLERR | POLLHUP) == 0
    }

    /// The parent process may have left a descriptor non-blocking, which then must be waited for.
    private static func shouldRetry(_ descriptor: CInt, waitingFor event: Int16) -> Bool {
        if errno == EINTR { return true }
        guard errno == EAGAIN else { return false }
        var entry = pollfd(fd: descriptor, events: event, revents: 0)
        return unsafe poll(&entry, 1, -1) >= 0 || errno == EINTR
    }
}
