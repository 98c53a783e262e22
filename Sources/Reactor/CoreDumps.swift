internal import CLinux
internal import Glibc

/// Keeps the memory of the process, with its keys, to the process, also when it faults.
package enum CoreDumps {
    /// No core file and no memory dump from now on, and no debugger of the same user's.
    ///
    /// Both are asked for: a limit of 0 does not hold where the system pipes dumps into a program.
    package static func forbid() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        _ = linux_forbid_dumps()
    }

    /// Leaves a fault to the system from now on: the language's runtime would print registers and the memory that they
    /// point to, keys and texts among it, on standard error, where a journal keeps it.
    package static func forbidReports() {
        for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT] {
            var action = sigaction()
            guard unsafe sigaction(number, nil, &action) == 0 else { continue }
            let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            // An ignored signal stays ignored.
            guard handler != 1 else { continue }
            _ = signal(number, SIG_DFL)
        }
    }
}
