internal import CLinux
internal import Glibc

/// Keeps the memory of the process, with its keys, to the process.
package enum CoreDumps {
    /// No core file and no memory dump from now on, and no debugger of the same user's.
    ///
    /// Both are asked for: a limit of 0 does not hold where the system pipes dumps into a program.
    package static func forbid() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        _ = linux_forbid_dumps()
    }
}
